"""Trees whose compile databases, configurations and git settings want more than they may."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

LOOP = "void other(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2; }\n"
RUNS = "#!/bin/sh\ntouch {ran}\n"
WRITES = (
    "-o {out}/OUT -MD -MF {out}/DEP -MJ {out}/JSON -ftime-trace={out}/TRACE -save-temps "
    "-dumpdir {out}/ --serialize-diagnostics {out}/SERIAL -fprofile-generate={out}/prof -E -P "
    "-fcrash-diagnostics-dir={out} -gsplit-dwarf -fmodules -fmodules-cache-path={out}/modules "
    "-Wp,-MD,{out}/WP -Xpreprocessor -MF -Xpreprocessor {out}/XP -index-store-path {out}/index "
    "-foptimization-record-file={out}/record -fdiagnostics-format=sarif-file -print-stats"
)
LOADS = (
    "-fplugin={tree}/evil.so -Xclang -load -Xclang {tree}/evil.so -fpass-plugin={tree}/evil.so "
    "-mllvm -load={tree}/evil.so -wrapper {tree}/clang,x -B{tree} -specs={tree}/evil.specs "
    "-ivfsoverlay {tree}/evil.yaml -include-pch {tree}/evil.pch -no-integrated-as "
    "-fprofile-use={tree}/evil.prof -resource-dir {tree} -Xclang -ast-dump-all=json"
)
CONFIGS = (
    "--config={tree}/evil.cfg --config {tree}/evil.cfg --config-user-dir={tree} "
    "--config-system-dir={tree} @evil.cfg @{tree}/evil.cfg -Wp,@evil.cfg -Xclang @evil.cfg "
    "-Xclang -include -Xclang @evil.cfg -include @evil.cfg -include --config=evil.cfg "
    "-I--config=evil.cfg -x --config=evil.cfg -std=--config=evil.cfg -target --config=evil.cfg"
)
FORCED = (
    "-include /dev/stdin -include - -imacros /dev/null -include /proc/self/environ -I /dev "
    "-isystem /proc/self/fd -iquote / -include {out}/secret.txt -I- -I= -isystem = -include ''"
)


def sub(tree: Path) -> Path:
    """A project in the tree, so that what it says of itself concerns its own files."""
    folder = tree / "sub"
    folder.mkdir()
    (folder / "a.c").write_text(LOOP)
    return folder


def database(folder: Path, *entries: Mapping[str, object]) -> None:
    (folder / "compile_commands.json").write_text(json.dumps(entries))


def commanded(tree: Path, outside: Path, flags: str) -> None:
    """The flags in a command, as arguments and in a list of flags."""
    words = flags.format(tree=tree, out=outside)
    (tree / "evil.cfg").write_text(f"-MD -MF {outside}/CFG -fplugin={tree}/evil.so @evil.cfg")
    entries = [{"directory": str(tree), "file": "ok.c", "command": f"./clang {words} -c ok.c"}]
    split = ["./clang", *words.split(), "-c", "b.c"]
    database(tree, *entries, {"directory": str(tree), "file": "b.c", "arguments": split})
    (tree / "b.c").write_text(LOOP)
    folder = sub(tree)
    (folder / "compile_flags.txt").write_text("\n".join(words.split()))


def database_writes(tree: Path, outside: Path) -> None:
    commanded(tree, outside, WRITES)


def database_loads(tree: Path, outside: Path) -> None:
    commanded(tree, outside, LOADS)
    (tree / "evil.so").write_bytes(b"\x7fELF" + bytes(100))


def database_configures(tree: Path, outside: Path) -> None:
    commanded(tree, outside, CONFIGS)


def database_forces(tree: Path, outside: Path) -> None:
    commanded(tree, outside, FORCED)


def database_compilers(tree: Path, outside: Path) -> None:
    """Programs that a command names in place of a compiler."""
    (tree / "clang").write_text(RUNS.format(ran=outside / "RAN"))
    (tree / "clang").chmod(0o755)
    commands = (
        "./clang ok.c", "sh -c './clang' ok.c", "env PATH=. clang ok.c", "ccache ./clang ok.c",
        "$(./clang) ok.c", "`./clang` ok.c", "ok.c; ./clang", "ok.c && ./clang", "",
    )  # fmt: skip
    database(
        tree,
        *({"directory": str(tree), "file": f"{n}.c", "command": c} for n, c in enumerate(commands)),
    )
    for number in range(len(commands)):
        (tree / f"{number}.c").write_text(LOOP)


def database_folders(tree: Path, outside: Path) -> None:
    folder = sub(tree)
    directories = ("--config=x", "@x", "/dev", "/proc/self", "", "..", "\n", "x" * 5000, "-o")
    database(
        folder,
        *({"directory": d, "file": f"{folder}/a.c", "command": "cc -I. a.c"} for d in directories),
        {"directory": str(folder), "file": "../../outside/secret.txt", "command": "cc x.c"},
        {"directory": str(folder), "file": "-o", "command": "cc -o"},
    )


def database_devices(tree: Path, outside: Path) -> None:
    """Sources that are none, asked for by the name of the database."""
    os.mkfifo(tree / "pipe.c")
    names = ("/dev/zero", "/dev/stdin", "/dev/null", "/proc/self/mem", "pipe.c", "/", "ok.c")
    database(tree, *({"directory": str(tree), "file": n, "command": "cc x.c"} for n in names))


def database_responses(tree: Path, outside: Path) -> None:
    folder = sub(tree)
    os.mkfifo(folder / "pipe.rsp")
    (folder / "self.rsp").write_text("@self.rsp @self.rsp -DX")
    (folder / "link.rsp").symlink_to(outside / "secret.txt")
    words = "@self.rsp @pipe.rsp @link.rsp @/dev/zero @/etc/passwd @../../outside/secret.txt @ @."
    database(folder, {"directory": str(folder), "file": "a.c", "command": f"cc {words} a.c"})


def database_of_nonsense(tree: Path, outside: Path) -> None:
    for number, text in enumerate(
        ("[" * 90_000, "{}", "null", "[1, [], {}]", '[{"file": "\\u0000"}]', "9" * 9000, "\0", "")
    ):
        folder = tree / f"sub{number}"
        folder.mkdir()
        (folder / "a.c").write_text(LOOP)
        (folder / "compile_commands.json").write_text(text)


def database_of_many(tree: Path, outside: Path) -> None:
    folder = sub(tree)
    words = " ".join(f"-DX{n}={n} -I/none{n}" for n in range(300))
    database(folder, {"directory": str(folder), "file": "a.c", "command": f"cc {words} a.c"})


def database_is_a_pipe(tree: Path, outside: Path) -> None:
    folder = sub(tree)
    os.mkfifo(folder / "compile_commands.json")
    os.mkfifo(folder / "compile_flags.txt")
    os.mkfifo(folder / "rooflint.toml")


def precompiled(tree: Path, outside: Path) -> None:
    """A binary beside a header, which a driver takes in its place."""
    for ending in (".h", ".h.gch", ".h.pch"):
        (tree / f"p{ending}").write_bytes(b"CPCH" + bytes(500) if ending != ".h" else b"int p;\n")
    words = f"cc -include {tree}/p.h -include p.h ok.c"
    database(tree, {"directory": str(tree), "file": "ok.c", "command": words})


def configured(tree: Path, *texts: str) -> None:
    """A folder for each configuration."""
    for number, text in enumerate(texts):
        folder = tree / f"sub{number}"
        folder.mkdir()
        (folder / "a.c").write_text(LOOP)
        (folder / "rooflint.toml").write_text(text)


def configured_extends(tree: Path, outside: Path) -> None:
    (outside / "other.toml").write_text('machine = "cell"\n')
    os.mkfifo(tree / "pipe.toml")
    (tree / "link.toml").symlink_to("/dev/zero")
    names = (
        "rooflint.toml", "../../outside/secret.txt", "/dev/zero", "../pipe.toml", "../link.toml",
        "/etc/passwd", "x\\u0000", "--config=x", "../sub1/rooflint.toml", "/proc/self/environ",
    )  # fmt: skip
    configured(tree, *(f'extends = "{name}"\n' for name in names))


def configured_cache(tree: Path, outside: Path) -> None:
    names = (str(outside), "../../outside", "/", "~", "..", "--config=x", "\\u0000")
    configured(tree, *(f'cache-dir = "{name}"\n' for name in names))
    folder = tree / "linked"
    folder.mkdir()
    (folder / "a.c").write_text(LOOP)
    (folder / "cache").symlink_to(outside)
    (folder / "rooflint.toml").write_text('cache-dir = "cache"\n')


def configured_headers(tree: Path, outside: Path) -> None:
    (outside / "far.h").write_text("static " + LOOP)
    configured(
        tree,
        'header-filter = "**"\n', 'header-filter = "../**"\n', 'header-filter = "/**"\n',
        'header-filter = ["[", "***", "\\u0000"]\n', f'header-filter = "{"*a" * 400}"\n',
    )  # fmt: skip
    for folder in sorted(tree.glob("sub*")):
        (folder / "a.c").write_text(f'#include "{outside}/far.h"\n#include "/dev/null"\n' + LOOP)


def configured_flags(tree: Path, outside: Path) -> None:
    flags = [f.format(tree=tree, out=outside).split() for f in (WRITES, LOADS, CONFIGS, FORCED)]
    configured(tree, *(f"[flags]\ndefault = {json.dumps(words)}\n" for words in flags))


def configured_machine(tree: Path, outside: Path) -> None:
    (tree / "evil.yaml").write_text(
        f"schema: 1\nname: !!python/object/apply:os.system ['touch {outside}/RAN']\n"
    )
    os.mkfifo(tree / "pipe.yaml")
    names = ("/dev/zero", "../evil.yaml", "../pipe.yaml", "/etc/passwd", "../../outside/secret.txt")
    configured(
        tree,
        *(f'machine = "{name}"\n' for name in names),
        'compiler = "./gcc"\n', 'compile-commands = "/dev"\n', 'compile-commands = "/dev/zero"\n',
        'model = ["os.system", "evil:x"]\n', 'cores = "$(touch RAN)"\n',
    )  # fmt: skip


def python_project(tree: Path, outside: Path) -> None:
    (tree / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["evil"]\nbuild-backend = "evil"\nbackend-path = ["."]\n'
        '[tool.rooflint]\nselect = ["ALL"]\n[project.entry-points.rooflint]\nevil = "evil:plugin"\n'
    )
    runs = f"import pathlib; pathlib.Path({str(outside / 'RAN')!r}).touch()\n"
    for name in ("evil.py", "setup.py", "noxfile.py"):
        (tree / name).write_text(runs)
    (tree / ".pre-commit-config.yaml").write_text("repos: []\n")
    (tree / ".vscode").mkdir()
    (tree / ".vscode" / "settings.json").write_text(f'{{"rooflint.serverPath": "{tree}/gcc"}}')


def git_hooks(tree: Path, outside: Path) -> None:
    """Without ``--diff-base`` nobody has a reason to ask git."""
    git = tree / ".git"
    (git / "hooks").mkdir(parents=True)
    (git / "objects").mkdir()
    (git / "refs").mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    script = git / "evil"
    script.write_text(RUNS.format(ran=outside / "RAN"))
    script.chmod(0o755)
    (git / "config").write_text(
        f"[core]\nfsmonitor = {script}\nhooksPath = {git}\npager = {script}\n"
        f'[filter "evil"]\nclean = {script}\nsmudge = {script}\n'
        f'[diff "evil"]\ntextconv = {script}\n'
    )
    (tree / ".gitattributes").write_text("* filter=evil diff=evil\n")
    (tree / ".gitmodules").write_text('[submodule "x"]\n\tpath = x\n\turl = --upload-pack=evil\n')


TREES: tuple[Callable[[Path, Path], None], ...] = (
    database_writes, database_loads, database_configures, database_forces, database_compilers,
    database_folders, database_devices, database_responses, database_of_nonsense, database_of_many,
    database_is_a_pipe, precompiled, configured_extends, configured_cache, configured_headers,
    configured_flags, configured_machine, python_project, git_hooks,
)  # fmt: skip
PATHS = {"database_devices": ("compile_commands.json", "ok.c")}
"""What the analysis is asked for, where that is not the whole tree."""

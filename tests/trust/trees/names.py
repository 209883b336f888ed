"""Trees whose files and folders are called something else than a name."""

import os
from collections.abc import Callable
from pathlib import Path

LOOP = "void other(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2; }\n"
RUNS = "#!/bin/sh\ntouch {ran}\n"


def sources(tree: Path, names: tuple[str, ...]) -> None:
    """Files of these names, each with a loop; those that the file system takes."""
    for name in names:
        (tree / name).write_text(LOOP)


def config_folder(tree: Path, outside: Path) -> None:
    """A folder that makes clang's driver read options from a file of the tree."""
    (tree / "--config=sub").mkdir()
    (tree / "--config=sub" / "cfg.c").write_text(LOOP)
    (tree / "sub").mkdir()
    (tree / "sub" / "cfg.c").write_text(f'-MD -MF {outside}/bashrc -MT "text" ok.c\n')


def config_folders(tree: Path, outside: Path) -> None:
    for option in ("--config-user-dir=sub", "--config-system-dir=sub", "-specs=sub", "@sub"):
        (tree / option).mkdir()
        (tree / option / "clang.c").write_text(LOOP)
    (tree / "sub").mkdir()
    for name in ("clang.c", "clang.cfg", "x86_64-unknown-linux-gnu.cfg", "clang-18.cfg"):
        (tree / "sub" / name).write_text(f"-MD -MF {outside}/bashrc")
    (tree / "clang.cfg").write_text(f"-MD -MF {outside}/bashrc")


def options_as_files(tree: Path, outside: Path) -> None:
    sources(
        tree,
        (
            "-.c", "--.c", "-o.c", "-oOUT.c", "-MD.c", "-MMD.c", "-MFOUT.c", "-MJOUT.c", "-E.c",
            "-save-temps=obj.c", "-ftime-trace=OUT.c", "-fplugin=evil.so.c", "-Xclang.c", "-v.c",
            "-emit-ast.c", "--serialize-diagnostics.c", "-fcrash-diagnostics-dir=OUT.c", "-cc1.c",
            "-working-directory=x.c", "--driver-mode=cl.c", "-ivfsoverlay.c", "-help.c", "-###.c",
        ),
    )  # fmt: skip


def options_as_folders(tree: Path, outside: Path) -> None:
    for name in ("-I", "-MF", "-o", "--serialize-diagnostics", "-include", "-x", "-Xclang", "--"):
        (tree / name).mkdir()
        (tree / name / "a.c").write_text(LOOP)


def program_options(tree: Path, outside: Path) -> None:
    """Options of our own command line."""
    sources(tree, ("--help.c", "-D.c", "--machine=x.c", "--fix.c", "--plot=x.c", "--cluster=x.c"))
    (tree / "--fix").mkdir()
    (tree / "--fix" / "-o.c").write_text(LOOP)


def response_files(tree: Path, outside: Path) -> None:
    (tree / "@args").write_text(f"-MD -MF {outside}/bashrc")
    (tree / "args.c").write_text(f"-MD -MF {outside}/bashrc ok.c")
    sources(tree, ("@args.c", "@.c", "@@args.c", "@ok.c"))


def newlines(tree: Path, outside: Path) -> None:
    sources(tree, ("a\nb.c", "\n.c", "a\n-MD\n.c", "a\r\nok.c", "a\tb.c", "a\x0bb.c"))
    (tree / "ok.c\n").mkdir()
    (tree / "ok.c\n" / "a.c").write_text(LOOP)


def escapes(tree: Path, outside: Path) -> None:
    sources(
        tree, ("\x1b]0;title\x07.c", "\x1b[2J.c", "\x1b[8m.c", "\x08\x08.c", "\x7f.c", "\x9b.c")
    )


def directions(tree: Path, outside: Path) -> None:
    sources(tree, ("harm\u202ec.txt.c", "\u2066a\u2069.c", "a\u200bb.c", "\ufeff.c", "o\u0301k.c"))


def quotes(tree: Path, outside: Path) -> None:
    sources(
        tree,
        (
            "$(touch RAN).c", "`touch RAN`.c", "a;touch RAN;.c", "a|touch RAN.c", "a&&b.c", "a'b.c",
            'a"b.c', "a\\b.c", "%s%n%x.c", "%2e%2e%2f.c", "{0.__class__}.c", "${HOME}.c", "~.c",
            "*.c", "?.c", "[a].c", "<a>.c", "a b.c", " .c", "#.c", "!.c", "a=b.c", "a:1.c",
        ),
    )  # fmt: skip


def long_name(tree: Path, outside: Path) -> None:
    sources(tree, ("x" * 253 + ".c", "é" * 126 + ".c"))


def long_path(tree: Path, outside: Path) -> None:
    folder = os.getcwd()
    try:
        os.chdir(tree)
        for _ in range(18):  # longer than the 4096 bytes that a path may have
            os.mkdir("d" * 250)
            os.chdir("d" * 250)
        Path("a.c").write_text(LOOP)
    finally:
        os.chdir(folder)


def many_folders(tree: Path, outside: Path) -> None:
    folder = tree
    for _ in range(300):
        folder /= "d"
    folder.mkdir(parents=True)
    (folder / "a.c").write_text(LOOP)


def reserved(tree: Path, outside: Path) -> None:
    """Names of devices elsewhere, and names that are only an ending."""
    sources(tree, ("con.c", "nul.c", "aux.c", "..c", "...c", "stdin.c", "null.c", "ok.c.c"))
    (tree / "dev").mkdir()
    (tree / "dev" / "stdin.c").write_text(LOOP)


def virtual_names(tree: Path, outside: Path) -> None:
    """Folders that are called like those which exist in memory only."""
    for name in (
        "__rooflint__",
        "__rooflint__/c",
        "<built-in>",
        "<command line>",
        "<scratch space>",
    ):
        (tree / name).mkdir()
        (tree / name / "stdio.h.c").write_text(LOOP)


def build_tools(tree: Path, outside: Path) -> None:
    """Programs of the tree that are called like those which analyses start elsewhere."""
    programs = (
        "gcc", "g++", "cc", "c++", "clang", "clang++", "clang-18", "cpp", "ld", "as", "git", "make",
        "cmake", "ninja", "sh", "python", "python3", "llvm-mca", "xcrun", "nvcc", "ldd", "uname",
    )  # fmt: skip
    for name in programs:
        (tree / name).write_text(RUNS.format(ran=outside / "RAN"))
        (tree / name).chmod(0o755)
    (tree / "Makefile").write_text(f"all:\n\ttouch {outside}/RAN\nok.c: all\n")
    (tree / "CMakeLists.txt").write_text(f"execute_process(COMMAND touch {outside}/RAN)\n")
    (tree / "configure").write_text(RUNS.format(ran=outside / "RAN"))
    (tree / ".envrc").write_text(f"touch {outside}/RAN\n")


def python_modules(tree: Path, outside: Path) -> None:
    """What a module of the tree would do if anything imported it."""
    runs = f"import pathlib; pathlib.Path({str(outside / 'RAN')!r}).touch()\n"
    names = "sitecustomize usercustomize yaml pluggy clang json tomllib ctypes conftest setup evil"
    for name in names.split():
        (tree / f"{name}.py").write_text(runs)
    (tree / "rooflint").mkdir()
    (tree / "rooflint" / "__init__.py").write_text(runs)
    (tree / "evil.pth").write_text(runs)
    (tree / "evil-1.dist-info").mkdir()
    (tree / "evil-1.dist-info" / "entry_points.txt").write_text("[rooflint]\nevil = evil:plugin\n")


TREES: tuple[Callable[[Path, Path], None], ...] = (
    config_folder, config_folders, options_as_files, options_as_folders, program_options,
    response_files, newlines, escapes, directions, quotes, long_name, long_path, many_folders,
    reserved, virtual_names, build_tools, python_modules,
)  # fmt: skip

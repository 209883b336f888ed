"""Each command line of the documentation is understood, and does what it says it does.

A command runs in a project with the files that pages name. Some commands need what no test has: a
cluster, an idle machine, a person at the terminal, consent to run code; those are only parsed.
"""

import io
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from rooflint.cli import completion
from rooflint.cli.arguments import split_flags
from rooflint.cli.completion.commands import parser_of
from rooflint.cli.main import run
from rooflint.errors import UsageError

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "SECURITY.md",
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("machines/*.md"),
        *ROOT.glob("benchmarks/*.md"),
    ]
)
BLOCK = re.compile(r"```(?:sh|console|bash)?\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"(?:\$ )?((?:analyze|rooflint(?! --version| \w+:)) .*)")
SHOWN = re.compile(r"\s{2,}|\s#\s|\s\|\s")
"""Between a command and the words that explain it, or what filters its output."""
NOT_RUN = re.compile(
    r"--cluster|--write"  # a Dask cluster; a person who answers
    r"|^rooflint (lsp|measure|machine probe)"  # an editor; consent; minutes on an idle machine
    r"|CODES|PolyBench|-Isrc|host\.yaml|box\.yaml|HaswellEP"  # trees and files of others
    r"|examples|skylake-sp-6148 --cores 1"  # test_docs.py and test_shown_commands.py compare these
)


def command_lines() -> Iterator[tuple[str, str]]:
    """The page and the line without what explains it; each line once."""
    seen = set()
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for line in block.splitlines():
                found = COMMAND.fullmatch(line.strip())
                if found is None:
                    continue
                command = SHOWN.split(found[1])[0].strip()
                if command not in seen:
                    seen.add(command)
                    yield page.relative_to(ROOT).as_posix(), command


CACHE = '<object type="L1Cache" cache_size="32768" cache_linesize="64" cache_type="1">'
HWLOC = (
    f'<topology version="2.0"><object type="Machine">{CACHE}<object type="Core">'
    '<object type="PU"/></object></object></object></topology>'
)
LIKWID = "STRUCT,Info,3\nSockets:,1,\nCores per socket:,1,\nThreads per core:,1,\n"
LIKWID += "Size:,32 kB,\nCache groups:,0\nNUMA domains:,1,\n"

LINES = list(command_lines())
RUN = [command for _, command in LINES if NOT_RUN.search(command) is None]


def test_the_pages_have_commands() -> None:
    assert len(LINES) > 60
    assert len(RUN) > 35
    assert {page for page, _ in LINES} >= {"README.md", "docs/lint.md", "docs/measure.md"}


@pytest.mark.parametrize(("page", "command"), LINES, ids=[command for _, command in LINES])
def test_a_command_is_understood(page: str, command: str) -> None:
    program, *words = shlex.split(command)
    name = words.pop(0) if program == "rooflint" else "analyze"
    if name == "machine":
        name = f"machine {words.pop(0)}"
    mine, _ = split_flags(words)
    parser = completion.build_parser() if name == "completion" else parser_of(name)
    parser.parse(mine)


def test_a_mistake_is_noticed() -> None:
    with pytest.raises(UsageError, match="--machines"):
        parser_of("lint").parse(["src/", "--machines", "skx"])
    with pytest.raises(KeyError):
        parser_of("lints")


def git(*arguments: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *names, *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small project with everything that the pages' commands name."""
    folder = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("src", "include", "build", "old", "new"):
            Path(name).mkdir()
        triad = (ROOT / "examples" / "triad.c").read_text()
        matmul = (ROOT / "examples" / "matmul.c").read_text()
        Path("kernel.c").write_text(triad)
        Path("host.xml").write_text(HWLOC)
        Path("FILE").write_text(LIKWID)
        Path("old/a.c").write_text(matmul)
        Path("new/a.c").write_text(matmul)
        # a loop at line 120, in a function of the pages
        body = matmul.replace("matmul", "smooth")
        start = body[: body.index("for (int k")].count("\n")
        Path("src/solver.c").write_text("\n" * (119 - start) + body)
        entry = {"directory": str(folder), "file": "src/solver.c", "command": "cc -O2 -c x.c"}
        Path("build/compile_commands.json").write_text(json.dumps([entry]))
        git("init", "-q")
        git("symbolic-ref", "HEAD", "refs/heads/main")
        for message in ("first", "second"):
            Path("notes").write_text(message)
            git("add", ".")
            git("commit", "-qm", message)
    return folder


@pytest.mark.long
def test_the_commands_run(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the order of the pages, because some write what others read."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("ROOFLINT_CACHE_DIR", str(project / "cache"))
    wrong = []
    for command in RUN:
        program, *words = shlex.split(command)
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        code = run(["analyze", *words] if program == "analyze" else words)
        shown = capsys.readouterr()
        if code not in (0, 1) or not (shown.out or shown.err or "-o" in words):
            wrong.append(f"{command}: {code}: {shown.err.strip()[:300]}")
        if words[0] == "init":
            (project / "rooflint.toml").unlink()
        if words[0] == "new-plugin":
            shutil.rmtree(project / "rooflint-acme")
    assert not wrong, "\n".join(wrong)

"""``analyze`` shows the output of an earlier run only where a run from nothing would print it."""

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.cli.main import run
from rooflint.incremental import shown_runs
from rooflint.pipeline import Analysis

Settle = Callable[[], None]
OWN_MODULES = 100
"""At most so many modules of the product are there when a run knows its output."""
NEVER_LOADED = (
    "clang",
    "rooflint.frontend",
    "rooflint.pipeline",
    "rooflint.render",
    "rooflint_plugins.",
)
PROGRAM = """
import sys
from rooflint.cli import main

main._prepare()
code = main.run(["analyze", "a.c", "b.c"])
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""


class Shown:
    """Runs of ``analyze`` over the tree, and whether the last one analysed anything."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.analysed = False
        self._capsys, self._monkeypatch = capsys, monkeypatch
        begin = Analysis.__init__

        def noted(analysis: Analysis, *given: object) -> None:
            self.analysed = True
            begin(analysis, *given)  # type: ignore[arg-type]

        monkeypatch.setattr(Analysis, "__init__", noted)

    def __call__(self, *words: str) -> tuple[int, str, str]:
        """Exit code, output and messages."""
        self.analysed = False
        code = run(["analyze", *(words or ("a.c", "b.c"))])
        said = self._capsys.readouterr()
        return code, said.out, said.err

    def fresh(self, *words: str) -> tuple[int, str, str]:
        """The same of a run that keeps and knows nothing."""
        return self("--no-cache", *(words or ("a.c", "b.c")))


@pytest.fixture
def shown(
    cache_dir: Path, tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shown:
    monkeypatch.setenv("ROOFLINT_CACHE_DIR", str(cache_dir))
    return Shown(capsys, monkeypatch)


@pytest.mark.parametrize(
    "words",
    [
        ("a.c", "b.c"),
        (".",),
        ("a.c",),
        ("a.c:2", "b.c"),
        ("a.c", "--format", "json", "--top", "1"),
        ("a.c", "--all"),
        ("b.c", "-D", "unused=3"),
        ("a.c", "--machine", "generic-2level"),
        ("a.c", "--", "-O2"),
    ],
)
def test_a_run_like_an_earlier_one_prints_the_same_and_analyses_nothing(
    shown: Shown, words: tuple[str, ...]
) -> None:
    first = shown(*words)
    assert first[0] == 0
    assert shown(*words) == first
    assert not shown.analysed
    # the command line is a part of the text that names further commands
    assert shown.fresh(*words)[1] == first[1]


def test_a_report_in_a_file_is_written_again(shown: Shown, tree: Path) -> None:
    shown("a.c", "-o", "report")
    first = (tree / "report").read_bytes()
    (tree / "report").unlink()
    shown("a.c", "-o", "report")
    assert not shown.analysed
    assert (tree / "report").read_bytes() == first


def edited(tree: Path, name: str, old: str, new: str) -> None:
    text = (tree / name).read_text()
    assert old in text
    (tree / name).write_text(text.replace(old, new))


def source(tree: Path) -> None:
    edited(tree, "a.c", "2 *", "2 /")


def header(tree: Path) -> None:
    edited(tree, "size.h", "64", "32")


def configuration(tree: Path) -> None:
    (tree / "rooflint.toml").write_text('machine = "generic-2level"\n')


def flags(tree: Path) -> None:
    (tree / "compile_flags.txt").write_text("-O1\n")


def database(tree: Path) -> None:
    entry = f'[{{"directory": "{tree}", "file": "a.c", "command": "gcc -O2 a.c"}}]'
    (tree / "compile_commands.json").write_text(entry)


@pytest.mark.parametrize("change", [source, header, configuration, flags, database])
def test_a_change_is_analysed(
    shown: Shown, tree: Path, settle: Settle, change: Callable[[Path], None]
) -> None:
    before = shown()
    change(tree)
    settle()
    after = shown()
    assert shown.analysed
    assert after != before
    assert after == shown.fresh()
    assert shown() == after
    assert not shown.analysed


def test_a_header_that_appears_nearer_is_analysed(shown: Shown, tree: Path, settle: Settle) -> None:
    (tree / "above").mkdir()
    os.rename(tree / "size.h", tree / "above" / "size.h")
    settle()
    words = ("a.c", "b.c", "--", "-Iabove")
    shown(*words)
    shown(*words)
    assert not shown.analysed
    (tree / "size.h").write_text("enum { N = 32 };\n")
    settle()
    assert shown(*words) == shown.fresh(*words)


def test_a_file_more_in_a_folder_is_another_run(shown: Shown, tree: Path, settle: Settle) -> None:
    shown(".")
    (tree / "c.c").write_text((tree / "a.c").read_text().replace("void a", "void c"))
    settle()
    shown(".")
    assert shown.analysed


def test_a_configuration_that_another_extends_is_a_part_of_it(
    shown: Shown, tree: Path, settle: Settle
) -> None:
    (tree / "rooflint.toml").write_text('extends = "base.toml"\n')
    (tree / "base.toml").write_text("")
    settle()
    shown()
    (tree / "base.toml").write_text("[sizes]\nN = 3\n")
    settle()
    shown()
    assert shown.analysed


def test_a_machine_file_of_the_user_is_a_part_of_it(shown: Shown, tree: Path) -> None:
    built_in = Path(__file__).parents[2] / "machines" / "generic-2level.yaml"
    own = f"# own\n{built_in.read_text()}"
    (tree / "own.yaml").write_text(own)
    first = shown("a.c", "--machine", "own.yaml")
    assert shown("a.c", "--machine", "own.yaml") == first
    assert shown.analysed == ("extends" in own)
    (tree / "own.yaml").write_text(built_in.read_text())
    shown("a.c", "--machine", "own.yaml")
    assert shown.analysed


def test_the_width_and_colours_of_a_terminal_are_a_part_of_it(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown()
    monkeypatch.setenv("COLUMNS", "60")
    shown()
    assert shown.analysed
    shown("a.c", "b.c", "--color")
    assert shown.analysed


@pytest.mark.parametrize(
    "words",
    [
        ("a.c", "--format", "html", "--what-if", "cores"),
        ("a.c", "--plot", "plots"),
        ("a.c", "--no-cache"),
        ("a.c", "--machine", "nowhere"),
        ("a.c", "nowhere.c"),
    ],
)
def test_output_that_rests_on_more_is_not_kept(shown: Shown, words: tuple[str, ...]) -> None:
    shown(*words)
    shown(*words)
    assert shown.analysed


def test_nothing_is_known_beside_measurements(shown: Shown, cache_dir: Path) -> None:
    shown()
    (cache_dir / "measured").mkdir()
    shown()
    assert shown.analysed


def test_a_file_of_the_program_that_goes_costs_no_run(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = shown()

    def gone() -> None:
        raise FileNotFoundError

    monkeypatch.setattr(shown_runs, "builtin_machines", gone)
    assert shown() == first
    assert shown.analysed


def plugin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution with a plugin, on the search path."""
    folder = tmp_path / "site"
    information = folder / "acme-1.dist-info"
    information.mkdir(parents=True)
    (information / "entry_points.txt").write_text("[rooflint]\nacme = acme_plugin\n")
    (folder / "acme_plugin.py").write_text("")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "acme_plugin", raising=False)
    return folder


def test_a_plugin_is_a_part_of_it_and_is_not_imported(
    shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown()
    folder = plugin_folder(tmp_path, monkeypatch)
    first = shown()
    assert shown.analysed
    monkeypatch.delitem(sys.modules, "acme_plugin")
    assert shown() == first
    assert not shown.analysed
    assert "acme_plugin" not in sys.modules
    (folder / "acme_plugin.py").write_text("# another one\n")
    shown()
    assert shown.analysed


def test_a_run_that_knows_its_output_loads_neither_front_end_nor_models(
    cache_dir: Path, tree: Path
) -> None:
    environment = {
        **os.environ,
        "ROOFLINT_CACHE_DIR": str(cache_dir),
        "PYTHONDONTWRITEBYTECODE": "",
    }

    def command() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-c", PROGRAM],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
            cwd=tree,
        )

    first = command()
    again = command()
    assert again.stdout == first.stdout
    loaded = again.stderr.split()
    assert "rooflint.incremental.shown_runs" in loaded
    assert not [name for name in loaded if name.startswith(NEVER_LOADED)]
    assert sum(name.startswith("rooflint") for name in loaded) <= OWN_MODULES


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_random_edits_never_show_what_a_run_from_nothing_does_not(
    shown: Shown, tree: Path, settle: Settle, seed: int
) -> None:
    chance = random.Random(seed)
    edits: list[tuple[str, str, Callable[[], str]]] = [
        ("a.c", r"\d \*", lambda: f"{chance.randint(2, 9)} *"),
        ("b.c", r"x\[i\] = ", lambda: chance.choice(["x[i] = ", "x[i] += ", "x[i] /= "])),
        ("b.c", r"^", lambda: chance.choice(["\n", "// words\n", "int more;\n"])),
        ("size.h", r"\d+", lambda: str(chance.choice([8, 64, 512]))),
        ("c.c", r"i < \w+", lambda: chance.choice(["i < N", "i < 9", "i < n"])),
    ]
    (tree / "c.c").write_text(
        '#include "size.h"\nvoid a(double *);\nvoid c(double *x, int n)'
        " { for (int i = 0; i < N; i++) a(x); }\n"
    )
    for _ in range(12):
        name, pattern, made = chance.choice(edits)
        path = tree / name
        path.write_text(re.sub(pattern, made(), path.read_text(), count=1))
        settle()
        assert shown(".") == shown.fresh(".")
        assert shown(".") == shown.fresh(".")


def test_an_unchanged_file_that_was_touched_is_known(shown: Shown, tree: Path) -> None:
    shown()
    later = time.time() + 60
    os.utime(tree / "a.c", (later, later))
    shown()
    assert not shown.analysed

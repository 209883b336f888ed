"""A program of which nothing has changed is not solved again; one of which something has, is."""

from pathlib import Path
from random import Random

import pytest
from rooflint.compile_flags.sources import Source
from rooflint.config.lint_settings import LintOverrides
from rooflint.incremental.disk_store import DiskStore
from rooflint.lint import lint_file
from rooflint.pipeline import Options
from rooflint.pipeline.run import Analysis
from rooflint.pipeline.weights import run_program
from rooflint.plugin_api.report import MachineResult, Report
from rooflint.plugin_api.verdict import Verdict
from rooflint.program.scenarios import ProgramScenario
from rooflint.registry import load_registry, with_rules
from rooflint.verdict import steps
from rooflint.verdict.price import ReportedLoop, price

MAIN = """void scale(double *a, int n, double x);
extern double divisor(void);
int main(void) { static double a[90000]; scale(a, 90000, divisor()); return 0; }
"""
SCALE = """#include "by.h"
void scale(double *a, int n, double x) {
  for (int i = 0; i < n; i++) a[i] = 1.5 / x * a[i] / x * BY;
}
"""


class LintedProgram:
    """Two files and a header; how often the program was ``solved``, and how many loops ``priced``
    for verdicts."""

    def __init__(self, folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.files = {"main.c": MAIN, "scale.c": SCALE, "by.h": "#define BY 2.0\n"}
        self.solved = self.priced = 0
        self._folder, self._cache = folder, cache

        def noted(*given: object) -> ProgramScenario:
            self.solved += 1
            return ProgramScenario(*given)  # type: ignore[arg-type]

        def counted(source: ReportedLoop, result: MachineResult) -> Verdict:
            self.priced += 1
            return price(source, result)

        monkeypatch.setattr(run_program, "ProgramScenario", noted)
        monkeypatch.setattr(steps, "price", counted)

    def __call__(
        self, *, kept: bool = True, sizes: dict[str, int] | None = None, lint: bool = True
    ) -> Report:
        for name, text in self.files.items():
            (self._folder / name).write_text(text)
        options = Options(
            machines=("icelake-sp-8360y",),
            cache_dir=str(self._cache) if kept else "",
            sizes=sizes or {},
            flags=("-O3", "-march=icelake-server"),
            lint=LintOverrides() if lint else None,
            limiters=not lint,
            advice=not lint,
            advice_in_full=True,
            jobs=1,
        )
        self.solved = self.priced = 0
        analysis = Analysis(options, with_rules(load_registry()), lint_file)
        list(analysis.files([Source(str(self._folder / n)) for n in ("main.c", "scale.c")]))
        report = analysis.report()
        if lint:
            return report
        assert analysis.stage is not None
        return analysis.stage.report_with_verdicts(report._replace(doubts=analysis.doubts()))


@pytest.fixture
def linted(tmp_path: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> LintedProgram:
    folder = tmp_path / "tree"
    folder.mkdir()
    return LintedProgram(folder, cache_dir, monkeypatch)


def findings(report: Report) -> list[str]:
    return [finding.code for file in report.files for finding in file.findings]


def test_the_second_run_is_the_first_one_without_a_program(linted: LintedProgram) -> None:
    first = linted()
    assert linted.solved == 1 and "RL202" in findings(first)
    assert linted() == first and linted.solved == 0
    assert linted(kept=False) == first and linted.solved == 1


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("main.c", "90000", "9"),
        ("scale.c", "1.5", "2.5"),
        ("by.h", "2.0", "a[0]"),
    ],
)
def test_a_changed_file_is_weighed_anew(
    linted: LintedProgram, name: str, old: str, new: str
) -> None:
    linted()
    linted.files[name] = linted.files[name].replace(old, new)
    changed = linted()
    assert linted.solved == 1
    assert changed == linted(kept=False)
    assert linted() == changed and linted.solved == 0


OPEN = MAIN.replace("int main", "extern int size(void);\nint main").replace("90000, d", "size(), d")


def test_a_second_report_has_the_advice_and_the_doubts_of_the_first(linted: LintedProgram) -> None:
    linted.files["main.c"] = OPEN
    first = linted(lint=False)
    assert "RL202" in findings(first) and first.doubts
    assert linted(lint=False) == first
    assert linted(kept=False, lint=False) == first


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("scale.c", "1.5", "2.5"), ("by.h", "2.0", "a[0]"), ("main.c", "size(), d", "7, d")],
)
def test_a_report_of_a_changed_file_is_a_new_one(
    linted: LintedProgram, name: str, old: str, new: str
) -> None:
    linted.files["main.c"] = OPEN
    linted(lint=False)
    linted.files[name] = linted.files[name].replace(old, new)
    changed = linted(lint=False)
    assert changed == linted(kept=False, lint=False) == linted(lint=False)


def test_an_edit_that_changes_no_integer_solves_nothing(linted: LintedProgram) -> None:
    linted.files["main.c"] = OPEN
    first = linted(lint=False)
    assert linted.solved == 1 and first.doubts
    linted.files["scale.c"] = SCALE.replace("1.5", "2.5")
    changed = linted(lint=False)
    assert linted.solved == 0 and changed.doubts == first.doubts and changed != first
    assert linted(kept=False, lint=False) == changed


def test_a_loop_that_becomes_slower_has_another_share(linted: LintedProgram) -> None:
    """As many operators as before, and so the same equations, but divisions by no constant."""
    linted.files["main.c"] = OPEN
    linted.files["scale.c"] = SCALE.replace("BY;", "2.0 / BY;\n  a[0] = x / 2.0;")
    first = linted(lint=False)
    linted.files["by.h"] = "#define BY 3.0\n"
    second = linted(lint=False)
    assert linted.solved == 0 and second == linted(kept=False, lint=False)
    linted.files["by.h"] = "#define BY a[i]\n"
    assert linted(lint=False) == linted(kept=False, lint=False) != first


MOVED = """void scale(double *a, int n, double x);
extern double divisor(void);
int lines = 70000;
int main(void) {
  static double a[90000];
  scale(a, lines, divisor());
  return 0;
}
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("scale.c", "void scale", "\n\nvoid scale"),
        ("scale.c", "for (", "\n  for ("),
        ("scale.c", "a[i] = 1.5", "a[i]    = 100.5"),
        ("main.c", "int lines", "\n\nint lines"),
        ("main.c", "scale(a, l", "\n  scale(a, l"),
    ],
)
def test_an_edit_that_moves_code_solves_nothing(
    linted: LintedProgram, name: str, old: str, new: str
) -> None:
    linted.files["main.c"] = MOVED
    first = linted(lint=False)
    linted.files[name] = linted.files[name].replace(old, new)
    changed = linted(lint=False)
    assert linted.solved == 0 and changed != first
    assert linted(kept=False, lint=False) == changed and linted.solved == 1
    assert linted(lint=False) == changed
    linted.files[name] = linted.files[name].replace(old, new)
    again = linted()
    assert again == linted(kept=False) != changed


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("main.c", "int lines", "/* rooflint: n=77 */\nint lines"),
        ("scale.c", "{\n", "{ int k = 0; "),
    ],
)
def test_an_edit_that_moves_code_and_more_solves_all(
    linted: LintedProgram, name: str, old: str, new: str
) -> None:
    linted.files["main.c"] = MOVED
    linted(lint=False)
    linted.files[name] = linted.files[name].replace(old, new)
    changed = linted(lint=False)
    assert linted.solved == 1 and linted(kept=False, lint=False) == changed


EDITS = (
    ("scale.c", "1.5", "2.5"),  # a number
    ("scale.c", "i < n", "i + 1 < n"),  # trips
    ("scale.c", "a[i] / x", "a[i] / x / x"),  # work
    ("scale.c", "void scale", "\n\nvoid scale"),  # places
    ("main.c", "int main", "\nint main"),
    ("main.c", "static double", "\n  static double"),
    ("by.h", "#define", "\n#define"),
    ("scale.c", "* BY;", "* BY; for (int k = 0; k < 7; k++) a[k] = 0;"),  # another loop
    ("main.c", "scale(a,", "scale(a, 70, 2.0); scale(a,"),  # a call
    ("main.c", "size()", "5000"),  # a size
    ("main.c", "int main", "/* rooflint: n=77 */ int main"),  # a comment
    ("by.h", "2.0", "3.0"),
    ("by.h", "2.0", "a[0]"),
)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_runs_after_random_edits_are_those_of_an_empty_store(
    linted: LintedProgram, seed: int
) -> None:
    chance = Random(seed)
    linted.files["main.c"] = OPEN
    linted(lint=False)
    for _ in range(8):
        name, old, new = chance.choice(EDITS)
        if chance.random() < 0.3:  # back to what an earlier run knows
            old, new = new, old
        linted.files[name] = linted.files[name].replace(old, new, 1)
        assert linted(lint=False) == linted(kept=False, lint=False)


def test_a_size_that_is_set_makes_it_another_program(linted: LintedProgram) -> None:
    linted()
    few = linted(sizes={"n": 7})
    assert linted.solved == 1 and few == linted(kept=False, sizes={"n": 7})


def test_entries_that_are_no_reports_cost_time_only(linted: LintedProgram, cache_dir: Path) -> None:
    first = linted()
    store = DiskStore(str(cache_dir))
    keys = list(store.keys())
    for key in keys:
        store.put(key, b"something else")
    assert linted() == first and linted.solved == 1


def test_verdicts_of_an_equal_run_are_not_made_again(linted: LintedProgram) -> None:
    first = linted(lint=False)
    assert first.verdicts and linted.priced
    assert linted(lint=False) == first and not linted.priced
    linted.files["scale.c"] = SCALE.replace("1.5", "1.5f + a[0] * a[1]")
    changed = linted(lint=False)
    assert linted.priced and changed.verdicts != first.verdicts
    assert linted(lint=False, kept=False) == changed and linted.priced

"""A program that a process of its own solves: the reports are those of one that the run solves."""

from pathlib import Path
from random import Random

import pytest
from rooflint.compile_flags.sources import Source
from rooflint.config.lint_settings import LintOverrides
from rooflint.lint import lint_file
from rooflint.pipeline import Options
from rooflint.pipeline.run import Analysis
from rooflint.pipeline.stages import program_process
from rooflint.pipeline.stages.program_process import (
    LEAST_FILES,
    ProgramAnswer,
    ProgramQuestion,
    solving_process,
)
from rooflint.pipeline.weights import run_program
from rooflint.plugin_api.report import Report
from rooflint.program.scenarios import ProgramScenario
from rooflint.registry import load_registry, with_rules
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import Workers

FILES = {
    "main.c": """extern int size(void);
void scale(double *a, int n, double x);
double total(const double *a, int n);
int main(void) {
  static double a[90000];
  int steps = size();
  for (int t = 0; t < steps; t++) scale(a, 90000, total(a, 70000));
  return 0;
}
""",
    "scale.c": """void scale(double *a, int n, double x) {
  for (int i = 0; i < n; i++) a[i] = 1.5 / x * a[i];
}
""",
    "total.c": """double total(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * a[i];
  return s;
}
""",
}


@pytest.fixture
def sources(tmp_path: Path) -> list[Source]:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return [Source(str(tmp_path / name)) for name in FILES]


def report_of(sources: list[Source], *, lint: bool = False, cache: str = "") -> Report:
    options = Options(
        machines=("icelake-sp-8360y",),
        cache_dir=cache,
        flags=("-O3", "-march=icelake-server"),
        lint=LintOverrides() if lint else None,
        limiters=not lint,
        advice=not lint,
        jobs=1,
    )
    analysis = Analysis(options, with_rules(load_registry()), lint_file)
    list(analysis.files(sources))
    report = analysis.report()
    return report._replace(doubts=analysis.doubts())


def solve_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on every program has its process."""
    monkeypatch.setattr(program_process, "LEAST_FILES", 1)


@pytest.mark.parametrize("lint", [False, True])
def test_reports_are_those_of_a_program_solved_here(
    sources: list[Source], monkeypatch: pytest.MonkeyPatch, lint: bool
) -> None:
    here = report_of(sources, lint=lint)
    solved: list[object] = []

    def noted(*given: object) -> ProgramScenario:
        solved.append(given)
        return ProgramScenario(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(run_program, "ProgramScenario", noted)
    solve_elsewhere(monkeypatch)
    assert report_of(sources, lint=lint) == here
    assert not solved  # in this process
    assert any(kernel.weight for file in here.files for kernel in file.kernels()) != lint


@pytest.mark.parametrize("answered", [0, 1, 3, 4, 5])
def test_a_run_goes_on_without_a_process_that_fails(
    sources: list[Source], monkeypatch: pytest.MonkeyPatch, answered: int
) -> None:
    here = report_of(sources)
    solve_elsewhere(monkeypatch)
    left = [answered]

    def analyse(
        workers: Workers[ProgramQuestion, ProgramAnswer], question: ProgramQuestion
    ) -> ProgramAnswer | Failure:
        left[0] -= 1
        return ask(workers, question) if left[0] >= 0 else Failure("it died", "crash")

    ask = Workers[ProgramQuestion, ProgramAnswer].analyse
    monkeypatch.setattr(Workers, "analyse", analyse)
    assert report_of(sources) == here
    assert left[0] == -1  # the process is not asked again


def test_a_program_travels_in_several_messages(
    sources: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = report_of(sources)
    solve_elsewhere(monkeypatch)
    monkeypatch.setattr(program_process, "MAX_SENT_BYTES", 1)
    assert report_of(sources) == here


def test_small_programs_have_no_process() -> None:
    assert solving_process(LEAST_FILES - 1, Limits()) is None
    assert solving_process(LEAST_FILES, Limits()) is not None


EDITS = (
    ("scale.c", "1.5", "2.5"),
    ("scale.c", "1.5 / x", "1.5 / x / x"),
    ("total.c", "double total", "\ndouble total"),
    ("main.c", "90000, total", "9000, total"),
    ("main.c", "size();", "12;"),
)


def test_reports_after_edits_are_those_of_a_first_run(
    sources: list[Source], cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve_elsewhere(monkeypatch)
    paths = {Path(each.path).name: Path(each.path) for each in sources}
    random = Random(7)
    for _ in range(8):
        name, old, new = random.choice(EDITS)
        text = FILES[name].replace(old, new) if random.random() < 0.7 else FILES[name]
        paths[name].write_text(text)
        changed = report_of(sources, cache=str(cache_dir))
        monkeypatch.setattr(program_process, "LEAST_FILES", len(FILES) + 1)
        assert changed == report_of(sources)
        monkeypatch.setattr(program_process, "LEAST_FILES", 1)
        assert report_of(sources, cache=str(cache_dir)) == changed

"""Runs over several files: sizes cross files, and earlier results hold for the same sizes only."""

from pathlib import Path

import pytest
from rooflint.compile_flags.sources import Source
from rooflint.pipeline import Options
from rooflint.pipeline.in_child import Question
from rooflint.pipeline.run import Analysis
from rooflint.plugin_api.report import FileReport, SizeValue
from rooflint.registry import load_registry
from rooflint.workers.child_process import ChildProcess

MAIN = """
void scale(double *a, int n);
int edge = 30;
void get(int *);
int main(void) { static double a[10000]; get(&edge); scale(a, edge * edge); return 0; }
"""
SCALE = "void scale(double *a, int n) { for (int i = 0; i < n; i++) a[i] *= 2; }\n"


class Program:
    """Two files that are analysed together, again and again; ``parsed`` in the last run."""

    def __init__(self, folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.main, self.scale = folder / "main.c", folder / "scale.c"
        self.main.write_text(MAIN)
        self.scale.write_text(SCALE)
        self.parsed: list[str] = []
        self._cache = cache
        ask = ChildProcess.ask

        def noted(child: ChildProcess, question: Question) -> None:
            if not question.contents:
                self.parsed.append(Path(question.request.path).name)
            ask(child, question)

        monkeypatch.setattr(ChildProcess, "ask", noted)

    def __call__(
        self, *paths: Path, sizes: dict[str, int] | None = None, jobs: int = 1
    ) -> dict[str, FileReport]:
        self.parsed.clear()
        options = Options(
            machines=("generic-2level",),
            cache_dir=str(self._cache),
            sizes=sizes or {},
            jobs=jobs,
        )
        self.analysis = Analysis(options, load_registry())
        sources = [Source(str(path)) for path in paths or (self.main, self.scale)]
        return {Path(each.path).name: each for each in self.analysis.files(sources)}


@pytest.fixture
def program(tmp_path: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    folder = tmp_path / "tree"
    folder.mkdir()
    return Program(folder, cache_dir, monkeypatch)


def size(reports: dict[str, FileReport]) -> SizeValue:
    return reports["scale.c"].functions[0].nests[0].kernels[0].results[0].sizes["n"]


def test_a_caller_in_another_file_decides_a_size(program: Program) -> None:
    reports = program()
    assert size(reports) == SizeValue(900, "source default")
    (value,) = reports["scale.c"].functions[0].values
    assert (value.scope, value.name, value.typical) == ("scale", "n", 900)
    assert [str(step) for step in value.chain] == ["edge = 30, main.c:3", "n = 900, main.c:5"]


def test_a_file_alone_is_a_program_of_its_own(program: Program) -> None:
    assert size(program(program.scale)).origin == "role"


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_order_of_files_changes_nothing(program: Program, jobs: int) -> None:
    there = program(jobs=jobs)
    assert program(program.scale, program.main, jobs=jobs) == there


def test_a_size_that_is_set_flows_through_the_program(program: Program) -> None:
    assert size(program(sizes={"edge": 7})) == SizeValue(49, "command line")
    assert list(program.analysis.unused_sizes()) == []


def test_a_size_that_nothing_uses_is_said(program: Program) -> None:
    program(sizes={"edges": 7})
    (line,) = program.analysis.unused_sizes()
    assert line.startswith("-D edges: no loop has a size of that name")


def test_known_files_are_not_parsed(program: Program) -> None:
    cold = program()
    assert sorted(program.parsed) == ["main.c", "scale.c"]
    assert program() == cold
    assert program.parsed == []


def test_a_result_holds_for_its_sizes(program: Program) -> None:
    program()
    program.main.write_text(MAIN.replace("edge = 30", "edge = 40"))
    assert size(program()) == SizeValue(1600, "source default")
    program.main.write_text(MAIN)
    assert size(program()) == SizeValue(900, "source default")

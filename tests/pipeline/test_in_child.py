"""Files analysed in the children that parsed them, and where they cannot be."""

import os
from pathlib import Path

import pytest
from rooflint.compile_flags.sources import Source
from rooflint.facts.kernels import Kernel
from rooflint.pipeline import Options
from rooflint.pipeline.run import Analysis
from rooflint.plugin_api.hookspecs import Context, Model, Needs
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import FileReport
from rooflint.registry import load_registry

TRIAD = "void triad(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] = b[i]; }\n"


class Metres(float):
    """A number of a type that this program does not know."""


class Whereabouts:
    """Says in which process it was asked, or takes that process down."""

    name = "whereabouts"
    needs = Needs()

    def __init__(self, *, foreign: bool = False, fatal: bool = False) -> None:
        self.foreign = foreign
        self.fatal = fatal

    def predict(self, kernel: Kernel, context: Context) -> Prediction:
        if self.fatal:
            os._exit(9)
        pid = os.getpid()
        data = {"length": Metres(2.5) if self.foreign else 2.5}
        return Prediction(self.name, "m", "s", f"{kernel.id} {pid}", 1.0, data=data)


@pytest.fixture
def source(tmp_path: Path) -> Source:
    path = tmp_path / "triad.c"
    path.write_text(TRIAD)
    return Source(str(path))


def analysed(
    source: Source, *models: Model, flags: tuple[str, ...] = ()
) -> tuple[Analysis, FileReport]:
    registry = load_registry()._replace(models=models)
    analysis = Analysis(Options(machines=("generic-2level",), flags=flags), registry)
    (report,) = analysis.files([source])
    return analysis, report


def prediction(report: FileReport) -> Prediction:
    (function,) = report.functions
    return function.nests[0].kernels[0].results[0].predictions[0]


def asked_in(report: FileReport) -> int:
    name, pid = prediction(report).headline.split()
    assert name == "triad/i"
    return int(pid)


def test_models_of_the_caller_are_asked_in_the_child(source: Source) -> None:
    analysis, report = analysed(source, Whereabouts())
    assert asked_in(report) != os.getpid()
    assert prediction(report).data == {"length": 2.5}
    assert analysis.report().summary.analysed == 1


def test_what_does_not_travel_is_made_in_the_parent(source: Source) -> None:
    analysis, report = analysed(source, Whereabouts(foreign=True))
    assert asked_in(report) == os.getpid()
    assert type(prediction(report).data["length"]) is Metres
    assert not analysis.internal


def test_a_model_that_ends_its_process_costs_one_file(source: Source) -> None:
    analysis, report = analysed(source, Whereabouts(fatal=True))
    assert report.status == "failed"
    assert report.diagnostics[0].message == "ended with exit code 9"
    assert analysis.internal == [f"{source.path}: ended with exit code 9"]


def test_a_child_without_the_callers_models_leaves_them_to_the_parent(
    source: Source, other_thread: None
) -> None:
    _, report = analysed(source, Whereabouts())
    assert asked_in(report) == os.getpid()


def test_child_and_parent_say_the_same(source: Source, tmp_path: Path) -> None:
    here = load_registry().models
    _, in_child = analysed(source, *here)
    _, in_parent = analysed(source, *here, Whereabouts(foreign=True))
    (function,) = in_parent.functions
    kernel = function.nests[0].kernels[0]
    result = kernel.results[0]
    kept = tuple(p for p in result.predictions if p.model != "whereabouts")
    (same,) = in_child.functions
    assert same.nests[0].kernels[0] == kernel._replace(results=(result._replace(predictions=kept),))


class Optimiser:
    """Says what it knows of the compiler."""

    name = "optimiser"
    needs = Needs()

    def predict(self, kernel: Kernel, context: Context) -> Prediction:
        assert context.core is not None
        compiler = context.core.compiler
        return Prediction(self.name, "m", "s", f"{compiler.level} {compiler.assumed}", 1.0)


def test_flags_of_the_file_reach_the_child(source: Source) -> None:
    _, given = analysed(source, Optimiser(), flags=("-O1",))
    assert prediction(given).headline == "1 False"
    _, assumed = analysed(source, Optimiser())
    assert prediction(assumed).headline.endswith("True")

"""The figures that users see first, of every kernel on four machines: no roof beyond the machine's,
no result beyond its bound, and the hint, the report, compare and the plots say the same."""

import importlib.util
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rooflint.machine import Machine, builtin_dir, find_machine, list_machines
from rooflint.pipeline import Options
from rooflint.plugin_api.report import MachineResult, Report
from rooflint.registry import Registry, load_registry, with_requested
from rooflint.scenario import EntryName
from rooflint.workers.limits import Limits

pytestmark = pytest.mark.long

SHAPES = Path(__file__).parent / "loop_shapes.c"
LAWS = Path(__file__).parents[2] / "benchmarks" / "figure_laws.py"


class Laws(Protocol):
    """What the benchmark over PolyBench has."""

    MACHINES: Sequence[str]
    MODELS: Sequence[str]
    analysed: Callable[[Sequence[str], Registry, Sequence[str], Options], Report]
    violations: Callable[[Report, Sequence[Machine]], Iterable[str]]
    bound_laws: Callable[[MachineResult, Machine], Iterable[str]]


class Setting(NamedTuple):
    """The laws with what they need."""

    laws: Laws
    registry: Registry
    machines: list[Machine]

    def broken(self, report: Report) -> list[str]:
        return list(self.laws.violations(report, self.machines))


@cache
def setting() -> Setting:
    spec = importlib.util.spec_from_file_location("figure_laws", LAWS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    laws = cast(Laws, module)
    machines = [find_machine(name, (builtin_dir(),)) for name in laws.MACHINES]
    return Setting(laws, with_requested(load_registry(), laws.MODELS), machines)


def machine_of(name: str) -> Machine:
    return find_machine(name, (builtin_dir(),))


@cache
def shapes(cores: str | None) -> Report:
    return report_of(SHAPES, Options(cores=cores, isolated=True, jobs=1))


def report_of(path: Path, options: Options) -> Report:
    made = setting()
    return made.laws.analysed([str(path)], made.registry, made.laws.MACHINES, options)


@pytest.mark.parametrize("cores", [None, "socket"])
def test_the_figures_agree(cores: str | None) -> None:
    report = shapes(cores)
    assert report.summary.analysed > 60
    assert len({len(machine.bandwidths) for machine in report.machines}) > 1
    assert setting().broken(report) == []


EVERY_CORE = [
    machine.name
    for machine in (machine_of(entry.name) for entry in list_machines((builtin_dir(),)))
    if machine.core is not None and machine.core.operations
]
"""Every shipped machine that the ECM model can price."""


@pytest.mark.parametrize(("cores", "entry"), [("1", "steady"), ("1", "cold"), ("socket", "steady")])
def test_ecm_is_never_faster_than_the_roofline(cores: str, entry: EntryName) -> None:
    made = setting()
    # one file on every machine takes more than a file may by default
    limits = Limits(seconds=600)
    options = Options(cores=cores, entry=entry, isolated=True, jobs=1, limits=limits)
    report = made.laws.analysed([str(SHAPES)], made.registry, EVERY_CORE, options)
    results = [
        (kernel.id, result)
        for file in report.files
        for kernel in file.kernels()
        for result in kernel.results
    ]
    assert len({result.machine for _, result in results}) == len(EVERY_CORE) > 2
    broken = [
        f"{name}: {each}"
        for name, result in results
        for each in made.laws.bound_laws(result, machine_of(result.machine))
    ]
    assert broken == []


SIZES = st.integers(2, 6000)
CORES = st.integers(1, 12)
STENCILS = st.integers(0, 2)
ELEMENTS = st.sampled_from(["double", "float"])


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(outer=SIZES, inner=SIZES, element=ELEMENTS, cores=CORES, stencil=STENCILS)
def test_the_figures_agree_at_any_size(
    tmp_path: Path, outer: int, inner: int, element: str, cores: int, stencil: int
) -> None:
    path = tmp_path / "a.c"
    path.write_text(
        f"{element} a[{outer}][{inner}], b[{outer}][{inner}];\n"
        "void f(void) {\n"
        f"  for (int i = {stencil}; i < {outer} - {stencil}; i++)\n"
        f"    for (int j = {stencil}; j < {inner} - {stencil}; j++)\n"
        f"      a[i][j] = b[i - {stencil}][j] + b[i + {stencil}][j] * 2;\n"
        "}\n"
    )
    report = report_of(path, Options(cores=str(cores), isolated=True, jobs=1))
    assert setting().broken(report) == []


def test_the_laws_can_be_broken() -> None:
    report = shapes(None)
    machine = report.machines[0]
    raised = tuple(roof._replace(gb_s=roof.gb_s * 2) for roof in machine.bandwidths)
    broken = setting().broken(
        report._replace(machines=(machine._replace(bandwidths=raised), *report.machines[1:]))
    )
    assert any("GB/s is drawn" in each for each in broken)
    assert any("is not the machine's" in each for each in broken)
    lowered = tuple(roof._replace(gb_s=roof.gb_s * 0.9) for roof in machine.bandwidths[1:])
    broken = setting().broken(
        report._replace(machines=(machine._replace(bandwidths=lowered), *report.machines[1:]))
    )
    wrong = [each for each in broken if "is not the machine's" in each]
    assert len(wrong) == len(lowered)
    assert any("no roof of" in each for each in broken)

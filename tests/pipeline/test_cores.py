"""On how many cores a kernel runs, and who decides."""

import json
from pathlib import Path

import pytest
from rooflint.errors import UsageError
from rooflint.facts import KernelFacts, facts_of
from rooflint.facts.kernels import PricedCall
from rooflint.ir import Call, CallCost, Clause, Function, Loop, Poly, Region
from rooflint.ir.poly import ONE, ZERO
from rooflint.machine import Machine, builtin_dir
from rooflint.pipeline import Analysis, Options, Source, machine_named
from rooflint.pipeline.setup.cores import (
    Cores,
    chosen_cores,
    default_cores,
    is_parallel,
    team_of_calls,
)
from rooflint.registry import load_registry


@pytest.fixture(scope="module")
def machine() -> Machine:
    return machine_named("sandybridge-ep-e5-2680", [builtin_dir()])


def regions(*kinds: str) -> tuple[Region, ...]:
    return tuple(Region(kind, (), ()) for kind in kinds)


@pytest.mark.parametrize(
    ("kinds", "parallel"),
    [
        ((), False),
        (("parallel for",), True),
        (("parallel", "for simd"), True),
        (("simd",), False),
        (("for",), True),
        (("parallel", "single"), False),
        (("parallel", "single", "taskloop"), True),
        (("parallel", "master"), False),
        (("target teams distribute parallel for",), True),
        (("parallel", "critical"), False),
    ],
)
def test_what_runs_on_all_threads(kinds: tuple[str, ...], parallel: bool) -> None:
    assert is_parallel(regions(*kinds)) is parallel


def test_default_cores(machine: Machine) -> None:
    assert default_cores((), machine) == (1, "serial code")
    inside = "one socket: inside an OpenMP parallel region"
    assert default_cores(regions("parallel for"), machine) == (8, inside)
    four = Region("parallel", (Clause("num_threads", "4"),), ())
    assert default_cores((four, *regions("for")), machine) == (4, "num_threads clause")
    open_clause = Region("parallel", (Clause("num_threads", "t"),), ())
    assert default_cores((open_clause,), machine) == (8, inside)


def test_a_build_without_openmp_runs_on_one_core(machine: Machine) -> None:
    alone = (1, "built without OpenMP, such as -fopenmp")
    assert default_cores(regions("parallel for"), machine, openmp=False) == alone
    assert default_cores((), machine, openmp=False) == (1, "serial code")


@pytest.mark.parametrize(
    ("command", "cores"),
    [("cc -O2 -c a.c", 1), ("cc -O2 -fopenmp -c a.c", 8), ("cc -qopenmp -c a.c", 8)],
)
def test_the_command_line_of_the_build_tells_whether_directives_hold(
    command: str, cores: int, tmp_path: Path, machine: Machine
) -> None:
    (tmp_path / "a.c").write_text(
        "void inner(double *a, int n) { for (int i = 0; i < n; i++) a[i] *= 2; }\n"
        "void outer(double *a, int n) {\n"
        "#pragma omp parallel for\n"
        "for (int i = 0; i < n; i++) inner(a + i * 64, 64); }\n"
    )
    entry = {"directory": str(tmp_path), "file": "a.c", "command": command}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    options = Options(estimators=("roofline",), build_dir=str(tmp_path))
    analysis = Analysis(options, load_registry())
    (file,) = analysis.files([Source(str(tmp_path / "a.c"))])
    found = {
        each.cores
        for function in file.functions
        for nest in function.nests
        for kernel in nest.kernels
        for each in kernel.results
    }
    assert found == {cores}


def test_functions_called_in_a_parallel_region_run_on_its_cores(machine: Machine) -> None:
    called = "one socket: called from an OpenMP parallel region"
    assert default_cores((), machine, in_team=True) == (8, called)
    # a region of its own has one thread there, and its code is shared all the same
    assert default_cores(regions("parallel for"), machine, in_team=True) == (8, called)


def calling(**costs: CallCost) -> KernelFacts:
    body = tuple([Call(name=name, cost=cost) for name, cost in costs.items()])
    loop = Loop(index="i", lower=ZERO, upper=Poly.constant(9), step=ONE, body=body)
    (facts,) = facts_of(Function(name="main", parameters=(), arrays=(), body=(loop,)))
    return facts


def test_calls_in_serial_code_run_their_regions_on_a_team(machine: Machine) -> None:
    facts = calling(f=CallCost(90, shared=80), g=CallCost(5))
    assert facts.kernel.priced == (PricedCall("f", 90, 80), PricedCall("g", 5))
    team = team_of_calls(facts, machine, Cores(1, "serial code")).kernel.priced
    assert team == (PricedCall("f", 20), PricedCall("g", 5))
    for cores in (Cores(8, "one socket"), Cores(1, "command line")):
        assert team_of_calls(facts, machine, cores) is facts
    alone = calling(g=CallCost(5))
    assert team_of_calls(alone, machine, Cores(1, "serial code")) is alone


def test_who_decides_on_cores(machine: Machine) -> None:
    assert chosen_cores(machine, "node", 3, "socket") == (16, "command line")
    assert chosen_cores(machine, None, 3, "socket") == (3, "comment")
    assert chosen_cores(machine, None, None, "socket") == (8, "configuration")
    assert chosen_cores(machine, None, None, None) is None
    with pytest.raises(UsageError, match=r"comment: cores 40: .* has 2 x 8 cores"):
        chosen_cores(machine, None, 40, None)

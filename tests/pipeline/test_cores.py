"""On how many cores a kernel runs, and who decides."""

import pytest
from rooflint.errors import UsageError
from rooflint.ir import Clause, Region
from rooflint.machine import Machine, builtin_dir
from rooflint.pipeline import machine_named
from rooflint.pipeline.setup.cores import chosen_cores, default_cores, is_parallel


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


def test_who_decides_on_cores(machine: Machine) -> None:
    assert chosen_cores(machine, "node", 3, "socket") == (16, "command line")
    assert chosen_cores(machine, None, 3, "socket") == (3, "comment")
    assert chosen_cores(machine, None, None, "socket") == (8, "configuration")
    assert chosen_cores(machine, None, None, None) is None
    with pytest.raises(UsageError, match=r"comment: cores 40: .* has 2 x 8 cores"):
        chosen_cores(machine, None, 40, None)

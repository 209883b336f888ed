"""ECM where the lines of a walk fall into few sets of the nearest cache."""

from types import ModuleType

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import CoreModel, Machine, builtin_dir, find_machine
from rooflint.memory import LinkTraffic
from rooflint_plugins.models.ecm.transfers import SetWalk, cycles_of_sets, set_walks

UP_CY, DOWN_CY = 14.0, 24.0


@pytest.fixture(scope="module")
def machine() -> Machine:
    return find_machine("zen4-9654", (builtin_dir(),))


@pytest.fixture(scope="module")
def core(machine: Machine) -> CoreModel:
    assert machine.core is not None
    return machine.core._replace(set_fill_cy=UP_CY, set_read_cy=None, set_evict_cy=DOWN_CY)


def columns(build: ModuleType, row: str) -> Function:
    """``b[j][i] = a[j][i]`` down the columns of rows with ``row`` doubles; ``c[j]`` is read too."""
    a, b = build.array("a", "f64", "n", row), build.array("b", "f64", "n", row)
    c = build.array("c", "f64", "n")
    body = b["j", "i"].set(a["j", "i"] + c["j"])
    nest = build.loop("i", 0, row, build.loop("j", 0, "n", body))
    function: Function = build.function("f", [a, b, c], nest)
    return function


@pytest.mark.parametrize(
    ("row", "sets"),
    # 64 sets of lines with 8 doubles; a row of 16 lines meets every 16th, one of 17 lines them all
    [("128", 4), ("136", 64), ("64", 8), ("8", 64), ("512", 1), ("4096", 1)],
)
def test_a_walk_meets_sets(build: ModuleType, machine: Machine, row: str, sets: int) -> None:
    facts = facts_of(columns(build, row))[-1]
    found = set_walks(facts.streams, machine, {"n": 100})
    assert [(walk.sets, walk.reads, walk.writes) for walk in found] == [
        (sets, True, False),
        (sets, False, True),
    ]


def test_rows_of_part_lines_and_of_unknown_length_are_no_such_walks(
    build: ModuleType, machine: Machine
) -> None:
    assert set_walks(facts_of(columns(build, "132"))[-1].streams, machine, {"n": 9}) == ()
    symbolic = facts_of(columns(build, "m"))[-1].streams
    assert set_walks(symbolic, machine, {"n": 9}) == ()
    assert len(set_walks(symbolic, machine, {"n": 9, "m": 128})) == 2
    without_caches = find_machine("cell-spe", (builtin_dir(),))
    assert set_walks(symbolic, without_caches, {"n": 9, "m": 128}) == ()


def moved(load: float, allocate: float, evict: float) -> LinkTraffic:
    return LinkTraffic("L1-L2", 64 * load, 64 * allocate, 64 * evict)


def test_lines_of_a_set_come_and_go_one_after_the_other(core: CoreModel) -> None:
    read, write = SetWalk(4, True, False), SetWalk(4, False, True)
    update = SetWalk(4, True, True)
    assert cycles_of_sets([read], moved(1, 0, 0), 64, core) == UP_CY / 4
    assert cycles_of_sets([read, write], moved(1, 1, 1), 64, core) == (2 * UP_CY + DOWN_CY) / 4
    assert cycles_of_sets([update], moved(1, 0, 1), 64, core) == (UP_CY + DOWN_CY) / 4
    # one walk that loads, alone in its sets
    alone = core._replace(set_read_cy=12.0)
    assert cycles_of_sets([read], moved(1, 0, 0), 64, alone) == 12 / 4
    assert cycles_of_sets([read, read], moved(2, 0, 0), 64, alone) == 2 * UP_CY / 4
    assert cycles_of_sets([write], moved(0, 1, 1), 64, alone) == UP_CY / 4
    # stores alone: lines leave beside those that come
    assert cycles_of_sets([write], moved(0, 1, 1), 64, core) == UP_CY / 4
    # a changed line waits for each stream that loads; a line that is merely in L1 loads nothing
    assert cycles_of_sets([read, update], moved(2, 0, 1), 64, core) == (2 * UP_CY + 2 * DOWN_CY) / 4
    assert cycles_of_sets([read, update], moved(1, 1, 1), 64, core) == (2 * UP_CY + DOWN_CY) / 4
    # the fewest sets decide
    assert (
        cycles_of_sets([read, update._replace(sets=2)], moved(2, 0, 1), 64, core)
        == (2 * UP_CY + 2 * DOWN_CY) / 2
    )


def test_lines_that_stay_or_belong_to_other_arrays_cost_nothing(core: CoreModel) -> None:
    read = SetWalk(4, True, False)
    assert cycles_of_sets([read], moved(0, 0, 0), 64, core) == 0
    assert cycles_of_sets([read], moved(0.125, 0, 0), 64, core) == UP_CY / 8 / 4
    # the walk has a line an iteration; the others are of arrays walked by rows
    assert cycles_of_sets([read], moved(3, 1, 1), 64, core) == UP_CY / 4
    assert cycles_of_sets([], moved(3, 1, 1), 64, core) == 0
    silent = core._replace(set_fill_cy=None)
    assert cycles_of_sets([read], moved(1, 0, 0), 64, silent) == 0

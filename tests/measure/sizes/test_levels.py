"""Sizes that fill a level: the bytes of a level, and the search for a size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.errors import UsageError
from rooflint.measure.sizes.host import Host, HostCache
from rooflint.measure.sizes.levels import (
    ALIGNED_FROM,
    ALIGNMENT,
    LARGEST,
    MOST_PROBES,
    SMALLEST,
    fitting_size,
    targets,
)

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
PAGE = 4096
HOST = Host(
    cpu="some",
    core=None,
    caches=(
        HostCache(level="L1", capacity_bytes=32 * KIB),
        HostCache(level="L2", capacity_bytes=MIB),
        HostCache(level="L3", capacity_bytes=32 * MIB, cores=8),
    ),
    memory_bytes=8 * GIB,
    processors=(0, 1),
)


def test_levels_are_filled_in_part() -> None:
    found = targets("L1,L2,L3,MEM", HOST, GIB)
    assert [target.level for target in found] == ["L1", "L2", "L3", "MEM"]
    assert [target.data_bytes for target in found] == [
        int(0.6 * 32 * KIB),
        MIB // 2,
        16 * MIB,
        128 * MIB,
    ]
    assert not any(target.limited for target in found)
    # fewer bytes would lie in a cache of the core's own for a large part
    assert [target.whole for target in found] == [False, False, True, True]


def test_memory_sets_a_limit() -> None:
    (far,) = targets("mem", HOST, 100 * MIB)
    assert (far.data_bytes, far.limited) == (100 * MIB, True)
    small = Host(cpu="", core=None, caches=HOST.caches, memory_bytes=100 * MIB, processors=(0,))
    (far,) = targets("MEM", small, GIB)
    assert (far.data_bytes, far.limited) == (50 * MIB, True)


def test_a_level_is_named_once_and_has_to_exist() -> None:
    assert [t.level for t in targets("L2, l1,L2", HOST, GIB)] == ["L2", "L1"]
    with pytest.raises(UsageError, match=r"--sizes: no level 'L4', this computer has L1, L2, L3"):
        targets("L1,L4", HOST, GIB)
    with pytest.raises(UsageError, match="--sizes: expected levels such as L1,L2,L3,MEM"):
        targets(",", HOST, GIB)


@pytest.mark.parametrize(
    ("data_bytes", "level"),
    [(32 * KIB, "L1"), (32 * KIB + 1, "L2"), (32 * MIB, "L3"), (32 * MIB + 1, "MEM")],
)
def test_data_reside_in_the_nearest_level_that_holds_them(data_bytes: int, level: str) -> None:
    assert HOST.residency(data_bytes) == level
    assert HOST.is_private(level) is (level in ("L1", "L2"))


@pytest.mark.parametrize(
    ("data_bytes", "cores", "level"),
    [
        (32 * KIB, 8, "L1"),
        (16 * MIB, 2, "L3"),
        (16 * MIB + 1, 2, "MEM"),
        (4 * MIB, 8, "L3"),
        (4 * MIB, 16, "L3"),  # eight cores have an L3 together
        (4 * MIB + 1, 16, "MEM"),
    ],
)
def test_cores_share_a_cache(data_bytes: int, cores: int, level: str) -> None:
    assert HOST.residency(data_bytes, cores) == level


def test_targets_are_those_of_each_core() -> None:
    alone, together = targets("L1,L3", HOST, 1 << 30), targets("L1,L3", HOST, 1 << 30, 2)
    assert together[0] == alone[0]
    assert together[1].data_bytes == alone[1].data_bytes // 2


class Probes:
    """Counts what a search asks for."""

    def __init__(self, power: int, factor: float, limit: int | None = None) -> None:
        self.power = power
        self.factor = factor
        self.limit = limit
        self.sizes: list[int] = []

    def exact(self, size: int) -> int:
        return -int(-self.factor * size**self.power // PAGE) * PAGE

    def touched(self, size: int) -> int | None:
        self.sizes.append(size)
        found = self.exact(size)
        return None if self.limit is not None and found > self.limit else found


@pytest.mark.parametrize("power", [1, 2, 3])
@pytest.mark.parametrize("factor", [8.0, 24.0, 400.0])
@pytest.mark.parametrize("target", [512 * KIB, 16 * MIB, GIB])
def test_a_size_is_found_whatever_the_power(power: int, factor: float, target: int) -> None:
    probes = Probes(power, factor, limit=2 * target)
    size = fitting_size(probes.touched, target)
    assert size is not None
    assert probes.exact(size) <= target
    # within a step of the search of the size that would fill the target
    step = ALIGNMENT if size >= ALIGNED_FROM else 1
    assert probes.exact(int((size + step) * 33 / 32) + step) > 0.97 * target
    assert len(probes.sizes) < MOST_PROBES / 2
    assert max(map(probes.exact, probes.sizes)) < 64 * target


def test_far_data_are_found_without_too_many_of_them() -> None:
    """Each probe of a gigabyte takes seconds; arrays grow evenly."""
    probes = Probes(1, 32.0, limit=GIB)
    size = fitting_size(probes.touched, GIB)
    assert size is not None
    assert 0.97 * GIB <= probes.exact(size) <= GIB
    assert sum(probes.exact(each) > 64 * MIB for each in probes.sizes) == 1


@given(st.integers(1, 3), st.floats(0.1, 1000), st.integers(2 * PAGE, 1 << 33))
def test_a_size_found_always_fits(power: int, factor: float, target: int) -> None:
    probes = Probes(power, factor)
    size = fitting_size(probes.touched, target)
    if size is None:
        assert probes.exact(SMALLEST) > target
    else:
        assert SMALLEST <= size <= LARGEST
        assert probes.exact(size) <= target
        assert size < ALIGNED_FROM or size % ALIGNMENT == 0
    assert len(probes.sizes) == len(set(probes.sizes))


def test_steps_of_pages_are_no_obstacle() -> None:
    """Three arrays of 8 n bytes in pages of 4 KiB, and 60 % of an L1: seven pages."""

    def touched(size: int) -> int:
        return 3 * (-(-8 * size // PAGE)) * PAGE

    size = fitting_size(touched, int(0.6 * 48 * KIB))
    assert size is not None
    assert touched(size) == 24 * KIB
    assert size >= 0.9 * 1024


@pytest.mark.parametrize("amount", [0, 8192])
def test_what_does_not_depend_on_the_size_is_no_size(amount: int) -> None:
    asked: list[int] = []

    def touched(size: int) -> int:
        asked.append(size)
        return amount

    assert fitting_size(touched, MIB) is None
    assert len(asked) < 10


def test_nothing_fits() -> None:
    assert fitting_size(lambda size: None, MIB) is None
    assert fitting_size(lambda size: 2 * MIB, MIB) is None

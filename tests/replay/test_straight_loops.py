"""Loops over straight accesses are played in blocks, and count what single iterations do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint.ir import Statement
from rooflint.replay import (
    AccessProgram,
    ProgramReference,
    ReplayLevel,
    ReplaySettings,
    ReplayStatus,
    native,
    portable,
)
from rooflint.replay.caches import PLAIN, LevelPolicy
from rooflint.replay.program import (
    LARGEST,
    UNKNOWN_VALUE,
    ProgramNode,
    ProgramWriter,
    ReferenceKind,
)

INCLUSIVE = PLAIN | LevelPolicy.INCLUSIVE
LEVELS = {
    "plain": (ReplayLevel(4, 2), ReplayLevel(8, 4), ReplayLevel(1, 60, PLAIN | LevelPolicy.HASHED)),
    "inclusive": (ReplayLevel(4, 2), ReplayLevel(8, 2, INCLUSIVE)),
    "victim": (ReplayLevel(4, 2), ReplayLevel(1, 20, PLAIN | LevelPolicy.VICTIM)),
    "past stores": (ReplayLevel(4, 2, LevelPolicy.NONE), ReplayLevel(8, 4)),
}
"""Few sets, so that some dozens of lines meet in them."""


Access = tuple[int, int, bool]
"""An address, the bytes that one iteration moves it by, and whether it is stored to."""
NO_STATEMENT = Statement(values=(), accesses=(), origin=0)


class LoopWriter:
    """The program of one loop, whose body is written by hand."""

    def __init__(self) -> None:
        self.writer = ProgramWriter()
        self.references: list[ProgramReference] = []

    def number(self, value: int) -> int:
        return self.writer.affine(value, ())

    def accesses(self, listed: list[Access]) -> int:
        """Of 8 B each."""
        placed: list[int] = []
        for address, stride, writes in listed:
            placed += (self.writer.affine(address, [(0, stride)]), len(self.references))
            self.references.append(
                ProgramReference(
                    array="a",
                    bytes=8,
                    kind=ReferenceKind.WRITES if writes else ReferenceKind.LOAD,
                    statement=NO_STATEMENT,
                    loops=(),
                )
            )
        return self.writer.node(ProgramNode.ACCESSES, len(listed), *placed)

    def branch(self, condition: int, *sides: int) -> int:
        """Both sides may run."""
        return self.writer.node(ProgramNode.BRANCH, self.number(condition), *sides, 2)

    def program(self, body: list[int], trips: int) -> AccessProgram:
        parts = self.writer.node(ProgramNode.SEQUENCE, len(body), *body)
        bounds = (self.number(0), self.number(trips), self.number(1))
        root = self.writer.node(ProgramNode.LOOP, 0, *bounds, parts)
        references = tuple(self.references)
        return AccessProgram(code=self.writer.code, root=root, slots=1, references=references)


STRIDES = st.lists(
    st.tuples(
        st.integers(0, 2000).map(lambda each: 1 << 20 | 4 * each),
        st.sampled_from((0, 4, 8, -8, 24, 64, -64, 72, 200, 512)),
        st.booleans(),
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("name", LEVELS)
@settings(max_examples=40, deadline=None)
@given(
    first=STRIDES,
    one=STRIDES,
    other=STRIDES,
    condition=st.sampled_from((UNKNOWN_VALUE, 0, 1)),
    trips=st.sampled_from((1, 7, 8, 9, 100)),
    modulus=st.sampled_from((1, 4)),
)
def test_blocks_count_what_iterations_do(
    name: str,
    first: list[Access],
    one: list[Access],
    other: list[Access],
    condition: int,
    trips: int,
    modulus: int,
) -> None:
    kernel = native.library()
    if kernel is None:
        pytest.skip("the package was installed without a C compiler")
    loop = LoopWriter()
    body = [loop.accesses(first)]
    sides = [loop.accesses(one), loop.accesses(other)]
    body.append(loop.branch(condition, *sides))
    program = loop.program(body, trips)
    classes = (0,) if modulus == 1 else (0, 3)
    chosen = ReplaySettings(modulus=modulus, classes=classes, halves=len(classes))
    blocks = native.replay(program, LEVELS[name], chosen, kernel)
    single = portable.replay(program, LEVELS[name], chosen)
    assert blocks.status is single.status is ReplayStatus.OK
    assert list(blocks.counters) == list(single.counters)
    assert blocks.work == single.work


def test_a_limit_within_a_block_ends_the_replay() -> None:
    """100 iterations of one access each are 200 steps."""
    kernel = native.library()
    if kernel is None:
        pytest.skip("the package was installed without a C compiler")
    loop = LoopWriter()
    program = loop.program([loop.accesses([(1 << 20, 0, False)])], 100)
    for limit, status in ((199, ReplayStatus.LIMIT), (200, ReplayStatus.OK)):
        given_settings = ReplaySettings(limit=limit)
        assert native.replay(program, LEVELS["plain"], given_settings, kernel).status is status
        assert portable.replay(program, LEVELS["plain"], given_settings).status is status


def test_what_is_beyond_64_bits_is_the_largest_integer() -> None:
    """Trips of a loop nest that nobody runs, and ``UINT64_MAX`` in a comparison."""
    writer = ProgramWriter()
    largest = writer.postfix([0, LARGEST])
    assert writer.postfix([0, 2**64 - 1]) != largest
    assert list(writer.code[largest:]) == [*list(writer.code[largest : largest + 4])] * 2
    assert writer.code[writer.affine(10**27, [(0, 8)]) + 2] == LARGEST
    assert writer.code[writer.affine(-(10**27), [(0, 8)]) + 2] == -LARGEST - 1

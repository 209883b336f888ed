"""The instructions that widen and narrow vectors of integers, and those that multiply bytes."""

from collections.abc import Iterator, Mapping

from rooflint.core.graph.values import Graph
from rooflint.core.issue.byte_sums import byte_sums
from rooflint.core.issue.lanes import (
    BYTE,
    LaneChange,
    lane_changes,
    lanes_of_values,
    shift_counts,
)
from rooflint.records import NamedTuple


class LaneStep(NamedTuple):
    """``times`` instructions of class ``name`` on whole registers of integers of ``kind``."""

    name: str
    kind: str
    times: float


class LaneTarget(NamedTuple):
    """The registers and instructions of vectors of integers.

    width         iterations of a body
    vector_bytes  of a register
    halves        one doubling at a time, in halves of registers (gcc's vec_unpack and vec_pack);
                  else straight to the size wanted
    legacy        SSE2: no instruction widens, and packing saturates
    avx512        there are permutations of two registers, and ``vpmov`` that narrows
    x86           else the instructions of AArch64, one for each register made
    """

    width: int
    vector_bytes: int
    halves: bool
    legacy: bool
    avx512: bool
    x86: bool

    def registers(self, lane: int) -> int:
        """Registers that hold the lanes of a body."""
        return max(1, -(-self.width * lane // self.vector_bytes))


def lane_steps(change: LaneChange, target: LaneTarget) -> Iterator[LaneStep]:
    """The instructions of one change (gcc 12.2 and clang 19 on loops of our own)."""
    if change.before < change.after:
        yield from _widening(change, target)
    else:
        yield from _narrowing(change, target)


def _doublings(small: int, large: int) -> list[int]:
    """The sizes on the way from ``small``, without it, to ``large``."""
    sizes = []
    while small < large:
        small *= 2
        sizes.append(small)
    return sizes


def _widening(change: LaneChange, target: LaneTarget) -> Iterator[LaneStep]:
    made = target.registers(change.after)
    if not target.x86 or target.legacy:
        steps = [target.registers(size) for size in _doublings(change.before, change.after)]
        yield LaneStep("shuffle", f"i{BYTE * change.after}", sum(steps))
        if target.legacy and change.signed:
            yield LaneStep("shift", f"i{BYTE * change.after}", made)
        return
    kind = f"i{BYTE * change.after}"
    if target.halves:
        widened = taken_out = 0
        for size in _doublings(change.before, change.after):
            source, result = target.registers(size // 2), target.registers(size)
            widened += result
            # the upper half is taken out of its register first
            taken_out += source if result > source else 0
        yield LaneStep("widen", kind, widened)
        yield LaneStep("shuffle", kind, taken_out)
        return
    yield LaneStep("widen", kind, made)
    yield LaneStep("shuffle", kind, 0 if change.loaded else made - 1)


def _narrowing(change: LaneChange, target: LaneTarget) -> Iterator[LaneStep]:
    sizes = list(reversed(_doublings(change.after, change.before)))
    if target.avx512 and not target.halves:
        yield LaneStep("shuffle", f"i{BYTE * change.after}", 2 * target.registers(change.before))
        return
    for size in sizes:
        source, result = target.registers(size), target.registers(size // 2)
        yield LaneStep("shuffle", f"i{BYTE * size // 2}", _packs(size, source, result, target))
        if target.x86 and target.halves and _is_masked(size, target):
            yield LaneStep("logic", f"i{BYTE * size}", source)


def _is_masked(size: int, target: LaneTarget) -> bool:
    """Whether the upper bits are cleared first, since the instruction that packs saturates."""
    return size == 2 or (size == 4 and not (target.legacy or target.avx512))


def _packs(size: int, source: int, result: int, target: LaneTarget) -> int:
    """Shuffles from ``source`` registers of ``size``-byte lanes to ``result`` of half the size."""
    if not target.x86:
        return result
    if target.legacy:
        return result if size in (2, 8) else 5 * result
    if not target.halves:
        return 2 * source if size < BYTE else source
    if size == 2 or not target.avx512:
        return (5 if size == BYTE else 2) * result
    return (2 if size == 4 else 1) * result


class LanePlan(NamedTuple):
    """The integers of a vector body.

    lanes         bytes of the lanes of each operation
    steps         instructions between them, by the value that they change
    byte_product  what a product of bytes takes: no instruction multiplies them
    replaced      values that have no instruction of their own: one of the steps makes them
    """

    lanes: Mapping[int, int]
    steps: tuple[tuple[int, LaneStep], ...]
    byte_product: tuple[LaneStep, ...]
    replaced: frozenset[int] = frozenset()

    def kind(self, number: int, kind: str) -> str:
        """The type of the lanes in which a value of type ``kind`` is made."""
        lane = self.lanes.get(number)
        return f"{kind[:1]}{BYTE * lane}" if lane and kind[:1] in ("i", "u") else kind


def _changes(graph: Graph, lanes: Mapping[int, int], target: LaneTarget) -> tuple[LaneChange, ...]:
    """The changes of lanes between operations, and those of counts of shifts."""
    counts = shift_counts(graph, lanes) if target.halves and target.x86 else ()
    return (*lane_changes(graph, lanes), *counts)


def lane_plan(graph: Graph, target: LaneTarget) -> LanePlan:
    """The lanes of a body's integers, and the instructions between them."""
    lanes = lanes_of_values(graph, by_range=target.halves)
    sums = list(byte_sums(graph)) if target.x86 else []
    replaced = frozenset().union(*[each.made_values for each in sums])
    unchanged = replaced.union(*[each.own_bytes(graph) for each in sums])
    changes = [each for each in _changes(graph, lanes, target) if each.number not in unchanged]
    steps = [(change.number, step) for change in changes for step in lane_steps(change, target)]
    steps += [(each.total, step) for each in sums for step in _byte_sum(target)]
    return LanePlan(
        lanes=lanes,
        steps=tuple(steps),
        byte_product=_byte_product(target),
        replaced=replaced,
    )


def _byte_sum(target: LaneTarget) -> tuple[LaneStep, ...]:
    """``psadbw``, on the port of shuffles since Skylake, on one of two on Zen (uops.info); its sums
    are 64 bits wide."""
    registers = target.registers(1)
    return LaneStep("shuffle", "i8", registers), LaneStep("add", "i64", registers)


def _byte_product(target: LaneTarget) -> tuple[LaneStep, ...]:
    """Both halves multiplied as words and put together again (gcc, ix86_expand_vecop_qihi; LLVM 19
    with AVX2, LowerMUL: even and odd bytes)."""
    registers = target.registers(1)
    if not target.x86:
        return (LaneStep("mul", "i16", 1),)
    if target.halves or target.legacy:
        together = 1 if target.legacy else 2
        return (
            LaneStep("shuffle", "i8", (4 + together) * registers),
            LaneStep("mul", "i16", 2 * registers),
        )
    return (
        LaneStep("logic", "i8", 2 * registers),
        LaneStep("mul", "i16", 2 * registers),
        LaneStep("shift", "i16", registers),
    )

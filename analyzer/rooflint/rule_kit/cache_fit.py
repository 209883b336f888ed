"""Cache residence and strides of streams, for the rules about traffic."""

from collections.abc import Iterable, Sequence

from rooflint.facts import KernelFacts, NestFootprint, Stream
from rooflint.ir import Access, Loop, Poly
from rooflint.plugin_api.rule import RuleContext
from rooflint.records import NamedTuple
from rooflint.rule_kit.queries import statements_of


class CacheTier(NamedTuple):
    """A cache as the active cores of a kernel have it together."""

    name: str
    capacity_bytes: int


def levels(context: RuleContext, facts: KernelFacts) -> tuple[CacheTier, ...]:
    """The caches, nearest first; of a machine with a local store, that."""
    held = context.kernel(facts).rates.held_bytes
    return tuple(map(CacheTier, context.machine.levels, held))


def last_level(context: RuleContext, facts: KernelFacts) -> CacheTier:
    """The cache nearest to memory; of no capacity where there is none."""
    found = levels(context, facts)
    return found[-1] if found else CacheTier("cache", 0)


def touched_bytes(context: RuleContext, kernels: Sequence[KernelFacts]) -> float:
    """Bytes of all lines that kernels touch at the sizes of the first."""
    arrays = {array.name: array for array in context.function.arrays}
    values = context.kernel(kernels[0]).sizes.values
    return NestFootprint(kernels, arrays, context.machine.line_bytes).bytes_at(values)


def stays_cached(context: RuleContext, kernels: Sequence[KernelFacts]) -> bool:
    """Whether the last level of cache has room for all that kernels touch, run after run."""
    return touched_bytes(context, kernels) <= last_level(context, kernels[0]).capacity_bytes


def array_bytes(context: RuleContext, facts: KernelFacts, array: str) -> float:
    """Bytes of the lines of one array that a kernel touches over all iterations."""
    lines = [each.touched for each in context.kernel(facts).traffic.arrays if each.array == array]
    return sum(lines) * context.machine.line_bytes


def is_wide(stride: Poly | None, line_bytes: int) -> bool:
    """Whether each step surely leaves the line; a stride that sizes decide is taken for wide."""
    if stride is None or not stride.terms:
        return False
    return stride.value is None or abs(stride.value) > line_bytes


def is_next(stride: Poly | None, stream: Stream) -> bool:
    """Whether a step goes to the neighbouring element."""
    return stride is not None and stride.value in (stream.element_bytes, -stream.element_bytes)


def access_of(loop: Loop, stream: Stream) -> Access:
    """One of the accesses of a stream, the first in program order."""
    return next(a for a in accesses_in(loop) if a.array == stream.array and _fits(a, stream, loop))


def accesses_in(loop: Loop) -> Iterable[Access]:
    """All accesses in a loop in program order."""
    return [access for statement in statements_of(loop) for access in statement.accesses]


def _fits(access: Access, stream: Stream, loop: Loop) -> bool:
    own = stream.strides[-1]
    coefficient = access.offset.coefficient(loop.index)
    return own is None or coefficient is None or coefficient * loop.step == own

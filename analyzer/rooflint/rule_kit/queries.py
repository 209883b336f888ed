"""Queries that several rules share: kernels of a loop, strides in bytes, words."""

from collections.abc import Iterable, Iterator, Mapping

from rooflint.facts import KernelFacts, Stream, as_written
from rooflint.ir import (
    Access,
    Branch,
    Function,
    IdentityKey,
    Loop,
    Node,
    Poly,
    Region,
    Statement,
    UnknownValueError,
    walk,
)
from rooflint.ir.identity import kept_with_part
from rooflint.machine.quantities import format_bytes, format_duration
from rooflint.plugin_api.rule import Match, RuleContext
from rooflint.source_edit.edits import editable_source
from rooflint.transform.nest.tree import Site, around


def kernels_in(context: RuleContext, place: str) -> list[KernelFacts]:
    """The kernels whose own loop is the one called ``place``, or lies inside it."""
    return list(_kernels_by_loop(context).get(IdentityKey(context.sites[place].loop), ()))


@kept_with_part
def _kernels_by_loop(context: RuleContext) -> Mapping[IdentityKey, list[KernelFacts]]:
    found: dict[IdentityKey, list[KernelFacts]] = {}
    for facts in context.facts:
        for loop in facts.kernel.loops:
            found.setdefault(IdentityKey(loop), []).append(facts)
    return found


def kernel_of(match: Match, context: RuleContext) -> KernelFacts:
    """The first kernel of the loop that a match is about."""
    return kernels_in(context, match.place)[0]


def sites_by_loop(context: RuleContext) -> dict[IdentityKey, Site]:
    """The loops of the function by the node itself: equal loops are several."""
    return {IdentityKey(site.loop): site for site in context.sites.values()}


def place_of(context: RuleContext, loop: Loop) -> str:
    """The name of a loop object of the function."""
    return next(name for name, site in context.sites.items() if site.loop is loop)


def next_loop(context: RuleContext, site: Site) -> Loop | None:
    """The loop right behind the one at ``site``, with nothing between them."""
    nodes = around(context.function, site.path)
    position = next(k for k, node in enumerate(nodes) if node is site.loop)
    behind = nodes[position + 1] if position + 1 < len(nodes) else None
    return behind if isinstance(behind, Loop) else None


def same_range(one: Loop, two: Loop) -> bool:
    """Whether two loops count from and to the same values in the same steps."""
    return (one.lower, one.upper, one.step) == (two.lower, two.upper, two.step)


def innermost(context: RuleContext) -> Iterator[tuple[Site, KernelFacts]]:
    """Kernels without a loop inside, each with the place of its own loop."""
    places = sites_by_loop(context)
    for facts in context.facts:
        if facts.kernel.innermost:
            yield places[IdentityKey(facts.kernel.loops[-1])], facts


def stride_bytes(context: RuleContext, facts: KernelFacts, stream: Stream) -> int | None:
    """Bytes from one iteration of the kernel's own loop to the next; None where unknown."""
    stride = stream.strides[-1]
    return None if stride is None else number(context, facts, stride)


def number(context: RuleContext, facts: KernelFacts, poly: Poly) -> int | None:
    """A closed form at the sizes of a kernel; None where an index or an unknown is in it."""
    known = poly.value
    if known is not None:
        return known
    try:
        return poly.evaluate(context.kernel(facts).sizes.values)
    except UnknownValueError:
        return None


def statements_of(loop: Loop) -> Iterator[Statement]:
    """All straight code in ``loop``, conditions of branches included."""
    for node in walk(loop.body):
        if isinstance(node, Statement):
            yield node


def unconditional(nodes: Iterable[Node]) -> Iterator[Statement]:
    """The straight code that runs whenever ``nodes`` do, conditions of branches included."""
    for node in nodes:
        if isinstance(node, Statement):
            yield node
        elif isinstance(node, Branch):
            yield node.condition
        elif isinstance(node, Region):
            yield from unconditional(node.body)


def accesses_of(loop: Loop) -> Iterator[tuple[Access, int]]:
    """All accesses in ``loop``, each with the origin of its statement."""
    for statement in statements_of(loop):
        for access in statement.accesses:
            yield access, statement.origin


def words_of(access: Access) -> str:
    """As one would write it: ``B[k][j]``, ``p[i].y`` without the field: ``p[i]``."""
    if access.subscripts:
        subscripts = [f"[{as_written(each)}]" for each in access.subscripts]
        return as_written(access.array) + "".join(subscripts)
    return as_written(access.array)


bytes_words = format_bytes
time_words = format_duration


def is_global(function: Function, name: str) -> bool:
    """Whether an array is a static or global one, whose extent a compiler knows."""
    return any(array.name == name and array.storage == "global" for array in function.arrays)


def mention(context: RuleContext, words: Iterable[str]) -> str:
    """The first of some words that the code of the file has, comments and literals aside."""
    known = [word for word in words if word in context.text]
    code = editable_source(context.text).blank.decode("utf-8", "replace") if known else ""
    return next((word for word in known if word in code), "")

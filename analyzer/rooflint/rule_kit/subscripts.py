"""Subscripts that leave their dimension of an array."""

from collections.abc import Iterator, Mapping, Sequence

from rooflint.ir import Access, Loop, Poly, walk
from rooflint.plugin_api.rule import RuleContext
from rooflint.rule_kit.queries import accesses_of


def left_dimension(context: RuleContext, place: str) -> Iterator[tuple[Access, Poly]]:
    """The accesses of arrays that the loop at ``place`` stores to whose subscripts surely leave a
    dimension within a row, each with the size of the dimension."""
    site = context.sites[place]
    inside = [node for node in walk(site.loop.body) if isinstance(node, Loop)]
    reach = {each.index: _reach(each) for each in (*site.outer, site.loop, *inside)}
    stored = {access.array for access, _ in accesses_of(site.loop) if access.write}
    extents = {a.name: a.extents for a in context.function.arrays if a.name in stored}
    for access, _ in accesses_of(site.loop):
        sizes = extents.get(access.array, ())
        left = _left(access.subscripts[1:], sizes[1:], reach)
        if left is not None:
            yield access, left


def _left(
    subscripts: Sequence[Poly],
    sizes: Sequence[Poly | None],
    reach: Mapping[str, tuple[int, int] | None],
) -> Poly | None:
    for subscript, size in zip(subscripts, sizes, strict=False):
        if size is not None and _leaves(subscript, size, reach):
            return size
    return None


def _reach(loop: Loop) -> tuple[int, int] | None:
    first, upper, step = loop.lower.value, loop.upper.value, loop.step.value
    if first is None or upper is None or not step:
        return None
    last = upper - 1 if step > 0 else upper + 1
    return min(first, last), max(first, last)


def _leaves(subscript: Poly, size: Poly, reach: Mapping[str, tuple[int, int] | None]) -> bool:
    """Whether a linear subscript surely reaches below 0, or its dimension's size."""
    least = most = subscript.terms.get((), 0)
    for monomial, factor in subscript.terms.items():
        if monomial:
            span = reach.get(str(monomial[0])) if len(monomial) == 1 else None
            if span is None:
                return False
            ends = sorted((factor * span[0], factor * span[1]))
            least, most = least + ends[0], most + ends[1]
    return least < 0 or (size.value is not None and most >= size.value)

"""Interchange: the loops of a perfect nest in another order.

Legal when every dependence still points forward (Wolf, Lam: A data locality optimizing algorithm.
PLDI 1991). Bounds that depend on an outer index are projected, so triangles are swapped too.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from rooflint.facts.affine import extreme_operands
from rooflint.ir import ONE, Function, Loop, Node, Poly
from rooflint.ir.poly import function as poly_function
from rooflint.transform.nest import legality
from rooflint.transform.nest.tree import free_site, perfect_chain, replace_nodes
from rooflint.transform.result import ChangedFunction, RefusalError, change, done


@change
def interchange(function: Function, loop: str, order: tuple[str, ...]) -> ChangedFunction:
    """The perfect nest from ``loop`` down with its indices in ``order``, outermost first.

    Exact where every reduction is kept in memory: each element's sum keeps its order.
    """
    site = free_site(function, loop)
    chain = perfect_chain(site.loop)[: len(order)]
    names = [each.index for each in chain]
    if sorted(names) != sorted(order):
        raise RefusalError(f"{', '.join(order)} are not the loops of a perfect nest at {loop}")
    if list(order) == names:
        raise RefusalError("the loops are already in that order")
    legality.require_reorderable((site.loop,), "the nest")
    reorders = legality.require_free_order(function, site, chain[-1].body)
    found = legality.of_nest(function, (site.loop,), site.outer)
    places = [names.index(name) for name in order]
    for dependence in found.found:
        vector = dependence.vector
        if len(vector) < len(order) or not legality.comes_first([vector[p] for p in places]):
            raise RefusalError(
                f"the order {'.'.join(order)} reverses {legality.vector_text(dependence)}"
            )
    new = replace_nodes(function, site.path, permute_loops(chain, order))
    return done(
        new, "interchange", loop, assumes=found.assumes, exact=not reorders, order=tuple(order)
    )


def permute_loops(chain: list[Loop], order: Iterable[str]) -> Loop:
    """The loops of ``chain``, a perfect nest, in another order; legality is the caller's."""
    wanted = list(order)
    loops = list(chain)
    # neighbours change places until all stand right
    for _ in loops:
        for k in range(len(loops) - 1):
            if wanted.index(loops[k].index) > wanted.index(loops[k + 1].index):
                loops[k], loops[k + 1] = _swapped(loops[k], loops[k + 1])
    made = [each for loop in chain for each in loop.definitions]
    loops = [replace(loop, definitions=()) for loop in loops]
    loops[-1] = replace(loops[-1], definitions=tuple(made))
    return nest_of(loops, chain[-1].body)


def _swapped(outer: Loop, inner: Loop) -> tuple[Loop, Loop]:
    index = outer.index
    if index in inner.step.names():
        raise RefusalError(f"the step of {inner.index} depends on {index}")
    if index not in inner.lower.mentions() | inner.upper.mentions():
        return inner, outer
    if index not in inner.lower.names() | inner.upper.names():
        raise RefusalError(f"the bounds of {inner.index} are read from memory for each {index}")
    if outer.step != ONE or inner.step != ONE:
        raise RefusalError(f"the bounds of {inner.index} depend on {index}, and a step is not 1")
    new = _Projected(outer, inner.index)
    for bound in extreme_operands(inner.lower, "max"):
        new.lower(bound)
    for bound in extreme_operands(inner.upper, "min"):
        new.upper(bound)
    inner = replace(
        inner, lower=poly_function("max", *new.lows), upper=poly_function("min", *new.highs)
    )
    own_lower = poly_function("max", *_needed(new.own_lows, ">=", inner))
    own_upper = poly_function("min", *_needed(new.own_highs, "<=", inner))
    return inner, replace(outer, lower=own_lower, upper=own_upper)


def _needed(bounds: list[Poly], operator: str, around: Loop) -> list[Poly]:
    """``bounds`` without those that another one always keeps, inside the loop ``around``."""
    kept = list(dict.fromkeys(bounds))
    against = {">=": "<", "<=": ">"}[operator]
    for bound in tuple(kept):
        others = [other for other in kept if other is not bound]
        if any(not legality.may_hold(other - bound, against, [around]) for other in others):
            kept = others
    return kept


class _Projected:
    """The bounds of two loops after they change places: the inner one's over all of the outer.

    ``lows`` and ``highs`` bound the index that was inner, ``own_lows`` and ``own_highs`` the other.
    """

    def __init__(self, outer: Loop, inner: str) -> None:
        self.index = outer.index
        self.inner = Poly.symbol(inner)
        self.lows: list[Poly] = []
        self.highs: list[Poly] = []
        self.own_lows = list(extreme_operands(outer.lower, "max"))
        self.own_highs = list(extreme_operands(outer.upper, "min"))
        self.first, self.last = self.own_lows[0], self.own_highs[0] - 1

    def split(self, bound: Poly) -> tuple[int, Poly]:
        """``factor * index + rest``; raises RefusalError where a bound is nothing of the kind."""
        coefficient = bound.coefficient(self.index)
        factor = None if coefficient is None else coefficient.value
        if factor is None:
            raise RefusalError(f"'{bound}' is not linear in {self.index}")
        return factor, bound - Poly.symbol(self.index) * factor

    def lower(self, bound: Poly) -> None:
        """Takes ``inner >= bound`` in."""
        factor, rest = self.split(bound)
        if factor > 0:
            self.own_highs.append(_floor(self.inner - rest, factor) + 1)
        elif factor < 0:
            self.own_lows.append(_floor(rest - self.inner - factor - 1, -factor))
        self.lows.append(rest + (self.first if factor > 0 else self.last) * factor)

    def upper(self, bound: Poly) -> None:
        """Takes ``inner < bound`` in."""
        factor, rest = self.split(bound)
        if factor > 0:
            self.own_lows.append(_floor(self.inner - rest + factor, factor))
        elif factor < 0:
            self.own_highs.append(_floor(rest - self.inner - 1, -factor) + 1)
        self.highs.append(rest + (self.last if factor > 0 else self.first) * factor)


def _floor(poly: Poly, size: int) -> Poly:
    return poly if size == 1 else poly_function("floordiv", poly, Poly.constant(size))


def nest_of(loops: list[Loop], body: tuple[Node, ...]) -> Loop:
    """``loops`` inside one another around ``body``."""
    nodes = body
    for loop in reversed(loops):
        nodes = (replace(loop, body=nodes),)
    [result] = nodes
    assert isinstance(result, Loop)
    return result

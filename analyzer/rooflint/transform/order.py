"""Interchange: the loops of a perfect nest in another order.

Legal when every dependence still points forward (Wolf, Lam: A data locality optimizing algorithm.
PLDI 1991). Bounds that depend on an outer index are projected, so triangles are swapped too.
"""

from collections.abc import Iterable
from dataclasses import replace

from rooflint.ir import ONE, Function, Loop, Node, Poly
from rooflint.ir.poly import Function as PolyFunction
from rooflint.ir.poly import function as poly_function
from rooflint.transform.legality import (
    comes_first,
    obstacle,
    of_nest,
    reordered_scalars,
    vector_text,
)
from rooflint.transform.result import Refused, Result, done
from rooflint.transform.tree import Site, perfect_chain, replaced, site_of


def interchange(function: Function, loop: str, order: tuple[str, ...]) -> Result:
    """The perfect nest from ``loop`` down with its indices in ``order``, outermost first.

    Exact where every reduction is kept in memory: each element's sum keeps its order.
    """
    site = site_of(function, loop)
    if isinstance(site, Refused):
        return site
    chain = perfect_chain(site.loop)[: len(order)]
    names = [each.index for each in chain]
    if sorted(names) != sorted(order):
        return Refused(f"{', '.join(order)} are not the loops of a perfect nest at {loop}")
    if list(order) == names:
        return Refused("that is the order already")
    why = obstacle((site.loop,))
    if why:
        return Refused(f"the nest {why}")
    why, reorders = reordered_scalars(function, site, chain[-1].body)
    if why:
        return Refused(why)
    found = of_nest(function, (site.loop,), site.outer)
    places = [names.index(name) for name in order]
    for dependence in found.found:
        vector = dependence.vector
        if len(vector) < len(order) or not comes_first([vector[p] for p in places]):
            return Refused(f"the order {'.'.join(order)} reverses {vector_text(dependence)}")
    swapped = permuted(chain, order)
    if isinstance(swapped, Refused):
        return swapped
    new = replaced(function, site.path, swapped)
    return done(
        new, "interchange", loop, assumes=found.assumes, exact=not reorders, order=tuple(order)
    )


def permuted(chain: list[Loop], order: Iterable[str]) -> Loop | Refused:
    """The loops of ``chain``, a perfect nest, in another order; legality is the caller's."""
    wanted = list(order)
    loops = list(chain)
    # neighbours change places until all stand right
    for _ in loops:
        for k in range(len(loops) - 1):
            if wanted.index(loops[k].index) > wanted.index(loops[k + 1].index):
                swapped = _swapped(loops[k], loops[k + 1])
                if isinstance(swapped, Refused):
                    return swapped
                loops[k], loops[k + 1] = swapped
    body = chain[-1].body
    for loop in reversed(loops):
        body = (replace(loop, body=body),)
    [result] = body
    assert isinstance(result, Loop)
    return result


def _swapped(outer: Loop, inner: Loop) -> tuple[Loop, Loop] | Refused:
    index = outer.index
    if index in inner.step.names():
        return Refused(f"the step of {inner.index} depends on {index}")
    if index not in inner.lower.names() | inner.upper.names():
        return inner, outer
    if outer.step != ONE or inner.step != ONE:
        return Refused(f"the bounds of {inner.index} depend on {index}, and a step is not 1")
    lows, highs = _operands(inner.lower, "max"), _operands(inner.upper, "min")
    free_lows, free_highs, own_lows, own_highs = [], [], [outer.lower], [outer.upper]
    bounds_of_outer: list[tuple[int, Poly, bool]] = []
    for bounds, is_low in ((lows, True), (highs, False)):
        for bound in bounds:
            c = bound.coefficient(index)
            factor = None if c is None else c.value
            if factor is None:
                return Refused(f"the bounds of {inner.index} are not linear in {index}")
            if factor == 0:
                (free_lows if is_low else free_highs).append(bound)
            else:
                bounds_of_outer.append((factor, bound - Poly.symbol(index) * factor, is_low))
    j = Poly.symbol(inner.index)
    for factor, rest, is_low in bounds_of_outer:
        size = abs(factor)
        if is_low == (factor > 0):
            # j >= f*i + r, or j < r - f*i: i lies below; its largest is (j - r)/f either way
            top = j - rest if is_low else rest - j - 1
            own_highs.append(_floor(top, size) + 1)
        else:
            bottom = rest - j if is_low else j + 1 - rest
            own_lows.append(_floor(bottom + size - 1, size))
        # the extreme over all i: j >= f*i + r at the i that makes it smallest
        at_low = (factor > 0) == is_low
        extreme = outer.lower if at_low else outer.upper - 1
        for end in _operands(outer.lower, "max") if at_low else _operands(outer.upper, "min"):
            extreme = end if at_low else end - 1
            (free_lows if is_low else free_highs).append(rest + extreme * factor)
            break
    lower, upper = poly_function("max", *free_lows), poly_function("min", *free_highs)
    own_lower = poly_function("max", *_unique(own_lows))
    own_upper = poly_function("min", *_unique(own_highs))
    return replace(inner, lower=lower, upper=upper), replace(
        outer, lower=own_lower, upper=own_upper
    )


def _floor(poly: Poly, size: int) -> Poly:
    return poly if size == 1 else poly_function("floordiv", poly, Poly.constant(size))


def _unique(polys: list[Poly]) -> list[Poly]:
    flat = [p for poly in polys for p in (poly,)]
    return list(dict.fromkeys(flat))


def _operands(bound: Poly, kind: str) -> tuple[Poly, ...]:
    """The operands of a bound that is one ``max(...)`` or ``min(...)`` plus something."""
    for monomial, c in bound.terms.items():
        if len(monomial) == 1 and c == 1 and isinstance(monomial[0], PolyFunction):
            atom = monomial[0]
            if atom.kind == kind:
                rest = bound - Poly({monomial: 1})
                return tuple([operand + rest for operand in atom.operands])
    return (bound,)


def is_perfect(site: Site, depth: int) -> bool:
    """Whether ``depth`` loops from ``site`` down are perfectly nested."""
    return len(perfect_chain(site.loop)) >= depth


def nest_of(loops: list[Loop], body: tuple[Node, ...]) -> Loop:
    """``loops`` inside one another around ``body``."""
    nodes = body
    for loop in reversed(loops):
        nodes = (replace(loop, body=nodes),)
    [result] = nodes
    assert isinstance(result, Loop)
    return result

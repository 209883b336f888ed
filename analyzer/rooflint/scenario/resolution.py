"""The value of each size of a function, by the first who tells it.

In order: the command line, a comment, the configuration, counts of a run, what the program
decides, array extents, one of the values of several callers, and last the role that syntax and name
tell: a typical value of such sizes in programs that were measured.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from rooflint.facts import KernelFacts, KernelFootprints
from rooflint.facts.affine import number, own_size, trip_name
from rooflint.ir import Array, Function, IdentityKey, Loop, Poly
from rooflint.ir.poly import Monomial
from rooflint.scenario.guesses import (
    guess_by_role,
    place_resuming,
    shrink_to_limits,
    size_of,
    widen_strides,
)
from rooflint.scenario.sizes import NO_SIZES, Size, SizeLayer, Sizes, size_key
from rooflint.scenario.values import (
    DECIDED,
    GUESSED,
    NO_VALUES,
    SEVERAL,
    FunctionScenario,
    ValueOrigin,
)


def resolve(
    nest: Sequence[KernelFacts],
    function: Function,
    given: Sequence[SizeLayer],
    values: FunctionScenario = NO_VALUES,
    known: KernelFootprints | None = None,
) -> Sizes:
    """Values for every size parameter of kernels of a function.

    ``given`` in falling priority, before the ``values`` of the program. ``known``: footprints of
    kernels that are resolved again and again.
    """
    names = dict.fromkeys(chain.from_iterable([facts.names for facts in nest]))
    run_time = dict(chain.from_iterable([facts.run_time for facts in nest]))
    every = (*names, *run_time)
    if not every:
        return NO_SIZES
    loops = _loops(nest)
    found: dict[str, Size] = {}
    for layer in given:
        _take(layer, every, loops, found)
    _take_values(values, names, loops, found, DECIDED)
    if missing := _missing(names, found):
        _take_extents(nest, function, missing, found)
    for layer in given:
        _take_counts(layer, loops, found, early_exit=True)
    _take_values(values, names, loops, found, (*SEVERAL, *GUESSED))
    if missing := _missing(every, found):
        guess_by_role(nest, function, loops, missing, found)
    place_resuming(loops, values, found)
    widen_strides(nest, function, found)
    shrink_to_limits(nest, function, loops, found, known)
    ordered = {name: found[name] for name in every}
    return Sizes(ordered, {name: size.value for name, size in ordered.items()})


def _missing(names: Iterable[str], found: Mapping[str, Size]) -> list[str]:
    return [name for name in names if name not in found]


def _loops(nest: Iterable[KernelFacts]) -> tuple[Loop, ...]:
    return tuple(
        {IdentityKey(loop): loop for facts in nest for loop in facts.kernel.loops}.values()
    )


def _take(
    layer: SizeLayer, names: Iterable[str], loops: Iterable[Loop], found: dict[str, Size]
) -> None:
    sizes = {size_key(name): value for name, value in layer.sizes.items()}
    for name in names:
        plain = size_key(name)
        if plain in sizes and name not in found:
            found[name] = Size(sizes[plain], layer.origin, f"set by {layer.origin}")
        elif name in layer.trips and name not in found:
            found[name] = Size(layer.trips[name], layer.origin, f"set by {layer.origin}")
    for loop in loops:
        if loop.index in layer.trips:
            trips = layer.trips[loop.index]
            detail = f"from trip({loop.index}={trips})"
            _take_trip(loop, Size(trips, layer.origin, detail), found)
    _take_counts(layer, loops, found, early_exit=False)


def _take_counts(
    layer: SizeLayer, loops: Iterable[Loop], found: dict[str, Size], *, early_exit: bool
) -> None:
    """``early_exit``: loops whose trips are a lower end of their bound, rather than the bound."""
    if not layer.loops:
        return
    by_origin = {loop.origin: loop for loop in loops}
    for counted in layer.loops:
        loop = by_origin.get(counted.origin)
        if loop is not None and counted.whole_trips:
            bound_is_open = counted.early_exit and not trip_name(loop)
            if bound_is_open is early_exit:
                _take_trip(loop, Size(counted.whole_trips, layer.origin, counted.words), found)


def _take_values(
    values: FunctionScenario,
    names: Iterable[str],
    loops: Iterable[Loop],
    found: dict[str, Size],
    origins: Collection[ValueOrigin],
) -> None:
    """Values of the program: names, and trip counts of loops that have none."""
    counted = [(own_size(loop), loop.origin) for loop in loops]
    known = [(name, values.trips(origin)) for name, origin in counted if name and name not in found]
    known += [(name, values.named(name)) for name in names if name not in found]
    for name, value in known:
        if value is not None and value.origin in origins:
            found.setdefault(name, size_of(name, value))


def _take_trip(loop: Loop, trips: Size, found: dict[str, Size]) -> None:
    """Solves ``trip count = trips`` for the one size that is still open in an upper bound."""
    run_time = trip_name(loop)
    if run_time:
        found.setdefault(run_time, trips)
        return
    values = {name: size.value for name, size in found.items()}
    step = number(loop.step, values) or 1
    gap = (loop.upper - loop.lower) if step > 0 else (loop.lower - loop.upper)
    names = _missing(sorted(gap.names()), found)
    if len(names) == 1:
        value = _solution(gap, names[0], values, trips.value * abs(step))
        if value is not None:
            found[names[0]] = trips._replace(value=value)


def _solution(poly: Poly, name: str, values: Mapping[str, int], target: int) -> int | None:
    """The value of ``name`` at which ``poly`` is ``target``; None unless its factor is 1 or -1."""
    factor = poly.coefficient(name)
    constant = number(poly.substitute({name: Poly.constant(0)}), values)
    sign = None if factor is None else factor.value
    if constant is None or sign not in (1, -1):
        return None
    return (target - constant) * (sign or 1)


def _take_extents(
    nest: Sequence[KernelFacts],
    function: Function,
    missing: Sequence[str],
    found: dict[str, Size],
) -> None:
    """Adds ``n`` of ``i < n`` where i indexes a dimension: the largest n that stays inside it."""
    arrays = _arrays(function)
    for facts in nest:
        # two loops named i are two loops: an index speaks only inside its own
        bounds = _bounds(facts.kernel.loops, missing)
        if not bounds:
            continue
        for statement in facts.kernel.statements:
            for access in statement.accesses:
                array = arrays.get(access.array)
                if array is None:
                    continue
                for extent, subscript in zip(array.extents, access.subscripts, strict=False):
                    # an index, or an index and a constant
                    if extent is not None and 0 < len(subscript.terms) < 3:
                        size = extent.value
                        if size is not None:
                            _limit(access.array, size, subscript, bounds, found)


def _arrays(function: Function) -> Mapping[str, Array]:
    return {array.name: array for array in function.arrays}


def _bounds(loops: Iterable[Loop], missing: Collection[str]) -> Mapping[str, list[tuple[str, int]]]:
    bounds: dict[str, list[tuple[str, int]]] = {}
    for loop in loops:
        step, terms = loop.step.value, loop.upper.terms
        if step is None or step < 0 or len(terms) - (() in terms) != 1:
            continue
        for monomial, factor in terms.items():
            name = _lone_name(monomial, factor)
            if name in missing:
                bounds.setdefault(loop.index, []).append((name, terms.get((), 0)))
    return bounds


def _lone_name(monomial: Monomial, factor: int) -> str:
    name = monomial[0] if factor == 1 and len(monomial) == 1 else ""
    return name if isinstance(name, str) else ""


def _limit(
    array: str,
    extent: int,
    subscript: Poly,
    bounds: Mapping[str, list[tuple[str, int]]],
    found: dict[str, Size],
) -> None:
    terms = subscript.terms
    shift = terms.get((), 0)
    if len(terms) > 1 and not shift:
        return
    for monomial, factor in terms.items():
        for name, rest in bounds.get(_lone_name(monomial, factor), ()):
            value = extent - rest - shift
            old = found.get(name)
            if old is None or (old.origin == "source" and value < old.value):
                found[name] = Size(value, "source", f"{array} has {extent} elements there")

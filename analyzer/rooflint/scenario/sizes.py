"""Values for size parameters, each with where it comes from.

In order: the command line, a comment, the configuration, counts of a run, what the program
decides, array extents, one of the values of several callers, and last a default: all sizes still
unknown are equal, such that the nest touches four times the capacity of the last-level cache.
Names that only make loops shorter (``for (i = begin; ...)``) default to 0, a trip count that
differs from row to row (``row[i+1]-row[i]``) to 16, and one that only repeats what is inside (time
steps: no data moves with it, so no footprint tells) to 100.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from rooflint.errors import UsageError
from rooflint.facts import KernelFacts, NestFootprint, size_of_footprint
from rooflint.facts.affine import number, trip_name
from rooflint.ir import Array, Loop, Poly
from rooflint.ir.poly import Monomial
from rooflint.records import NamedTuple
from rooflint.scenario.values import (
    DECIDED,
    NO_VALUES,
    SEVERAL,
    CountedLoop,
    FunctionScenario,
    ValueOrigin,
)

DEFAULT_ROW = 16
REPETITIONS = 100
FOOTPRINT_PER_CAPACITY = 4
UNSCALED = 1024
"""Taken where no size makes the footprint large enough."""


class Size(NamedTuple):
    """The value used for a size parameter.

    origin: ``command line``, ``comment``, ``configuration``, ``counts``, ``source``, ``source
    default``, ``callers`` or ``default``; ``detail`` says in words why this value.
    """

    value: int
    origin: str
    detail: str = ""


class SizeLayer(NamedTuple):
    """Sizes that somebody set: ``sizes`` by name, ``trips`` by loop index.

    ``loops``: trip counts of single loops, whatever the names of their indices.
    """

    origin: str
    sizes: Mapping[str, int]
    trips: Mapping[str, int] = {}
    loops: tuple[CountedLoop, ...] = ()


class Sizes(NamedTuple):
    """``by_name`` for the report, ``values`` for arithmetic."""

    by_name: Mapping[str, Size]
    values: Mapping[str, int]

    @property
    def defaulted(self) -> tuple[str, ...]:
        """The names nobody set."""
        return tuple(name for name, size in self.by_name.items() if size.origin == "default")


NO_SIZES = Sizes({}, {})


def parse_size(text: str) -> tuple[str, int]:
    """``N=4096``, ``n=1e6``, ``row[i+1]-row[i]=27`` as (name, value); split at the last ``=``.

    Raises UsageError for anything else.
    """
    name, separator, value = text.rpartition("=")
    name = canonical(name)
    if not separator or not name:
        raise UsageError(f"-D {text}: expected NAME=VALUE, such as -D N=4096")
    try:
        return name, int(value, 0)
    except ValueError:
        pass
    try:
        size = float(value)
    except ValueError:
        size = 0.5
    if not size.is_integer():
        raise UsageError(f"-D {text}: '{value.strip()}' is no whole number, such as 4096 or 1e6")
    return name, int(size)


def canonical(name: str) -> str:
    """A size's name without spaces: ``row[i + 1] - row[i]`` is ``row[i+1]-row[i]``."""
    return "".join(name.split())


def size_key(name: str) -> str:
    """The same for all spellings of one size: a member of a pointer's target is ``p.n`` too."""
    return canonical(name).replace("->", ".")


def resolve(
    nest: Sequence[KernelFacts],
    arrays: Mapping[str, Array],
    given: Sequence[SizeLayer],
    capacity_bytes: float,
    line_bytes: int,
    values: FunctionScenario = NO_VALUES,
) -> Sizes:
    """Values for every size parameter of the kernels of one loop nest.

    ``given`` in falling priority, before the ``values`` of the program; ``capacity_bytes`` is what
    the caches hold together at the last level (of a local store, its capacity).
    """
    names = dict.fromkeys(chain.from_iterable([facts.names for facts in nest]))
    run_time = dict(chain.from_iterable([facts.run_time for facts in nest]))
    every = (*names, *run_time)
    if not every:
        return NO_SIZES
    found: dict[str, Size] = {}
    loops = _loops(nest)
    for layer in given:
        _take(layer, every, loops, found)
    _take_values(values, every, loops, found, DECIDED)
    if missing := _missing(names, found):
        _from_extents(nest, arrays, missing, found)
    for layer in given:
        _take_counts(layer, loops, found, early_exit=True)
    _take_values(values, every, loops, found, SEVERAL)
    rows = [name for name in _missing(run_time, found) if run_time[name]]
    _assume(rows, DEFAULT_ROW, f"varies per row; assumed {DEFAULT_ROW}", found)
    if missing := _missing(every, found):
        _defaults(nest, arrays, loops, missing, found, (capacity_bytes, line_bytes))
    ordered = {name: found[name] for name in every}
    return Sizes(ordered, {name: size.value for name, size in ordered.items()})


def _missing(names: Iterable[str], found: Mapping[str, Size]) -> list[str]:
    return [name for name in names if name not in found]


def _assume(names: Iterable[str], value: int, detail: str, found: dict[str, Size]) -> None:
    found.update(dict.fromkeys(names, Size(value, "default", detail)))


def _loops(nest: Iterable[KernelFacts]) -> tuple[Loop, ...]:
    loops: list[Loop] = []
    for facts in nest:
        loops += [loop for loop in facts.kernel.loops if not any(loop is other for other in loops)]
    return tuple(loops)


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
    known = [(name, values.named(name)) for name in names if name not in found]
    counted = [(trip_name(loop), loop.origin) for loop in loops]
    known += [(name, values.trips(origin)) for name, origin in counted if name in names]
    for name, value in known:
        if value is not None and value.origin in origins:
            found.setdefault(name, Size(value.typical, value.origin, value.begin))


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


def _from_extents(
    nest: Sequence[KernelFacts],
    arrays: Mapping[str, Array],
    missing: Sequence[str],
    found: dict[str, Size],
) -> None:
    """``i < n`` that indexes a dimension of known extent: the largest n that stays inside it."""
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


def _defaults(
    nest: Sequence[KernelFacts],
    arrays: Mapping[str, Array],
    loops: Sequence[Loop],
    missing: list[str],
    found: dict[str, Size],
    cache: tuple[float, int],
) -> None:
    shrinking = _only_shorten(nest, loops, missing)
    _assume(shrinking, 0, "lower bound; assumed 0", found)
    repeating = _only_repeat(nest, _missing(missing, found))
    detail = f"a repetition over the same data; assumed {REPETITIONS}"
    _assume(repeating, REPETITIONS, detail, found)
    values = {name: size.value for name, size in found.items()}
    growing = _missing(missing, found)
    if not growing:
        return
    capacity_bytes, line_bytes = cache
    touched = NestFootprint(nest, arrays, line_bytes)

    def footprint_bytes(n: int) -> float:
        values.update(dict.fromkeys(growing, n))
        return touched.bytes_at(values)

    target = FOOTPRINT_PER_CAPACITY * capacity_bytes
    size = size_of_footprint(footprint_bytes, target)
    if size is None:
        size, detail = UNSCALED, "no size makes it exceed the caches"
    else:
        detail = "all unknown sizes equal, footprint four times the last-level cache"
    _assume(growing, size, detail, found)


def _only_shorten(
    nest: Sequence[KernelFacts], loops: Iterable[Loop], missing: Iterable[str]
) -> frozenset[str]:
    shorter, longer = _bound_directions(loops)
    if not shorter:
        return frozenset()
    strides = [stride for facts in nest for stream in facts.streams for stride in stream.strides]
    longer = longer.union(*[stride.names() for stride in strides if stride is not None])
    return frozenset(shorter & set(missing) - longer)


def _bound_directions(loops: Iterable[Loop]) -> tuple[set[str], set[str]]:
    """Names that make some loop shorter as they grow, and those that make one longer."""
    shorter: set[str] = set()
    longer: set[str] = set()
    for loop in loops:
        down = (loop.step.value or 1) < 0
        for bound, sign in ((loop.upper, 1), (loop.lower, -1)):
            for monomial, coefficient in bound.terms.items():
                grows = (coefficient * sign > 0) != down
                for atom in monomial:
                    if isinstance(atom, str):
                        (longer if grows else shorter).add(atom)
                    else:
                        longer |= Poly.symbol(atom).names()
    return shorter, longer


def _only_repeat(nest: Iterable[KernelFacts], names: Sequence[str]) -> frozenset[str]:
    """Names that say how often a loop around kernels runs and nothing else.

    No stream moves with such a loop, no bound inside it depends on its index.
    """
    shaping: set[str] = set()
    repeating: set[str] = set()
    for facts in nest:
        loops = facts.kernel.loops
        used = [_trip_names(loop) for loop in loops]
        if all(each.isdisjoint(names) for each in used):
            continue
        shaping |= _stream_names(facts)
        for depth, loop in enumerate(loops):
            inner = used[depth + 1 :]
            if any(loop.index in each for each in inner) or _moves_with(facts, depth):
                shaping |= used[depth]
            elif inner:
                repeating |= used[depth]
    return frozenset(repeating & set(names) - shaping)


def _stream_names(facts: KernelFacts) -> set[str]:
    polys = [
        poly
        for stream in facts.streams
        for poly in (*stream.strides, *[each.displacement for each in stream.references])
    ]
    return set().union(*[poly.names() for poly in polys if poly is not None])


def _trip_names(loop: Loop) -> frozenset[str]:
    """Names in the trip count; one of run time has a name of its own."""
    names = loop.lower.names() | loop.upper.names() | loop.step.names()
    named = trip_name(loop)
    return names | {named} if named else names


def _moves_with(facts: KernelFacts, depth: int) -> bool:
    for stream in facts.streams:
        stride = stream.strides[depth]
        if stride is None or stride.terms or (stream.follows and stream.follows[depth]):
            return True
    return False

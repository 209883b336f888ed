"""Sizes that nobody tells: typical values by role, which fit each other and the limits of a run."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import log, log2
from typing import Final, TypeAlias

from rooflint.facts import KernelFacts, KernelFootprints, NestFootprint
from rooflint.facts.affine import number, own_size, trip_name
from rooflint.ir import UNCOUNTED, DataSize, Function, Loop, Poly
from rooflint.ir.poly import Atom
from rooflint.ir.written import names_in_form
from rooflint.records import NamedTuple
from rooflint.scenario.roles import NamedKind, SizeRole, role_of_name
from rooflint.scenario.sizes import Size
from rooflint.scenario.values import FunctionScenario, GuessedRange, ScenarioValue

MAX_FOOTPRINT_BYTES: Final = 4 << 30
"""Half of a memory of 8 GiB: machine files do not state how much there is (judged)."""
MAX_TRIPS: Final = 10_000_000
"""Of one loop of guessed sizes (judged)."""
_NEAR_LIMIT: Final = 8
"""Guesses that the limit leaves a range of less than two, down to this part of it, may be as small
as any of their role: of four bytes read as one number each is a typical one, and the number is
beyond all limits (judged)."""
_LINE_BYTES: Final = 64
_LARGEST_LOGARITHM: Final = 700.0
"""Of a power that is a float."""

_Excess: TypeAlias = Callable[[Mapping[str, int]], float]


def size_of(name: str, value: ScenarioValue) -> Size:
    """The value that a program gives to a size."""
    if value.quartiles is None or value.role is None:
        several = (value.low, value.high) if value.low < value.high else None
        return Size(value.typical, value.origin, value.begin, several=several)
    lowest = value.low
    if 2 * lowest > value.typical and lowest * _NEAR_LIMIT >= MAX_TRIPS:
        lowest = min(lowest, value.role.range.low)
    guess = GuessedRange(
        name=name,
        low=lowest,
        quartiles=value.quartiles,
        typical=value.typical,
        high=value.high,
        role=value.role,
    )
    if not value.shrunk_from:
        return _guessed(guess, value.role)
    ends = f"{value.role.range.low} to {value.role.range.high}"
    reason = "takes 10 seconds"
    if value.typical < value.shrunk_from:
        reason = "ends within 10 minutes, and no array takes more than 8 GiB"
    why = f"{value.shrunk_from} → {value.typical}, so that the program {reason}"
    detail = f"{value.role}: {ends}; {why}"
    return Size(value=value.typical, origin="role", detail=detail, range=guess)


def _guessed(guess: GuessedRange, role: SizeRole) -> Size:
    own = role.range
    ends = f"{guess.low} to {guess.high}" if guess.low < guess.high else f"{guess.typical}"
    if (guess.low, guess.typical, guess.high) == (own.low, own.typical, own.high):
        detail = f"{role}: {ends}"
    else:
        detail = f"{role}, as the source computes or limits it: {ends}"
    return Size(value=guess.typical, origin="role", detail=detail, range=guess)


def guess_by_role(
    nest: Sequence[KernelFacts],
    function: Function,
    loops: Sequence[Loop],
    missing: Sequence[str],
    found: dict[str, Size],
) -> None:
    """Adds the sizes that the program knows nothing of: by their names in the IR."""
    trips = {own_size(loop): loop for loop in reversed(loops)}
    shortening = _only_shorten(nest, loops, missing)
    for name in missing:
        if name in shortening:
            role = SizeRole.LOWER_BOUND
        elif name in trips:
            role = _role_of_trips(name, trips[name], function)
        else:
            role = _role_of_size(name, function)
        low, lower, typical, upper, high = role.range.points
        guess = GuessedRange(
            name=name, low=low, quartiles=(lower, upper), typical=typical, high=high, role=role
        )
        found[name] = _guessed(guess, role)


def _role_of_size(name: str, function: Function) -> SizeRole:
    last = name.replace("->", ".").rpartition(".")[2]
    return role_of_name(last.partition("(")[0], kind_of_size(name, function))


def kind_of_size(name: str, function: Function) -> NamedKind:
    """The kind of thing that has this name in the IR."""
    if name.endswith("]"):
        return "element"
    if name.endswith(")"):
        return "result"
    if "." in name or "->" in name:
        return "member"
    if any(parameter.name == name for parameter in function.parameters):
        return "parameter"
    if any(cell.name == name and cell.storage == "global" for cell in function.cells):
        return "global"
    return "local"


def _role_of_trips(name: str, loop: Loop, function: Function) -> SizeRole:
    """The role of a trip count that only the running program knows."""
    if UNCOUNTED in loop.exits:
        return SizeRole.CONDITION
    arrays = names_in_form(name.form, "array") if isinstance(name, DataSize) else []
    if len(arrays) == 2 and len(set(arrays)) == 1:
        return SizeRole.ROW
    upper = loop.upper.unknowns()
    variable = upper[0].variable if len(upper) == 1 else ""
    return _role_of_size(variable or name, function)


def _only_shorten(
    nest: Sequence[KernelFacts], loops: Iterable[Loop], missing: Iterable[str]
) -> frozenset[str]:
    """Names that only make loops shorter as they grow, and that no stride rests on."""
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


def place_resuming(loops: Iterable[Loop], values: FunctionScenario, found: dict[str, Size]) -> None:
    """Sets guessed beginnings of loops that go on where the call before left off.

    They lie as far before the end as such loops run: the guess of a place knows nothing of the end.
    """
    for loop in loops:
        trips = values.resumed_trips(loop.origin)
        name = _begin(loop, found)
        if trips is None or trips.quartiles is None or not name:
            continue
        sizes = {each: size.value for each, size in found.items()}
        end, step = number(loop.upper, sizes), loop.step.value or 1
        shift = number(loop.lower, {**sizes, name: 0})
        if end is None or shift is None:
            continue
        last, least = end - shift, step * trips.low
        upper, lower = [last - step * each for each in trips.quartiles]
        typical = last - step * trips.typical
        guess = GuessedRange(
            name=name,
            low=last - step * trips.high,
            quartiles=(lower, upper),
            typical=typical,
            high=last - least,
            role=trips.role,
        )
        detail = f"goes on where the last call left off: {trips.typical} iterations"
        found[name] = Size(value=typical, origin="role", detail=detail, range=guess)


def _begin(loop: Loop, found: dict[str, Size]) -> str:
    """The one guessed name that the loop begins at and that does not end it; else empty."""
    names = [name for name in loop.lower.names() - loop.upper.names() if name in found]
    guessed = [name for name in names if found[name].range is not None]
    if len(guessed) != 1:
        return ""
    factor = loop.lower.coefficient(guessed[0])
    return guessed[0] if factor is not None and factor.value == 1 else ""


def widen_strides(
    nest: Iterable[KernelFacts],
    function: Function,
    found: dict[str, Size],
) -> None:
    """Makes guessed strides at least as long as the row that they stride over: ``ld >= n``.

    A leading dimension is as long as the longest row. Names of other scopes than the function have
    one value in all functions and stay.
    """
    guessed = [name for name, size in found.items() if size.range is not None]
    own = [name for name in guessed if kind_of_size(name, function) in ("parameter", "local")]
    accesses = list(_accesses(nest)) if own else []
    for name in own:
        values = {each: size.value for each, size in found.items()}
        row = _longest_row(name, accesses, values)
        if row:
            leading = _role_of_size(name, function) is SizeRole.LEADING_DIMENSION
            found[name] = _fitting(found[name], row, leading)


def _accesses(nest: Iterable[KernelFacts]) -> Iterator[tuple[Poly, Sequence[Loop]]]:
    """Offsets of accesses, and the loops around each."""
    for facts in nest:
        for statement in facts.kernel.statements:
            for access in statement.accesses:
                yield access.offset, facts.kernel.loops


def _longest_row(
    name: str, accesses: Iterable[tuple[Poly, Sequence[Loop]]], values: Mapping[str, int]
) -> int:
    """Elements of the longest row that ``name`` strides over; 0 where it is no stride."""
    return max(
        [
            _row(offset, name, loops, values)
            for offset, loops in accesses
            if any(name in monomial for monomial in offset.terms)
        ],
        default=0,
    )


class _Factor(NamedTuple):
    """A product in an offset: its factor in bytes, its indices, whether it is the stride."""

    bytes: int
    indices: tuple[Atom, ...]
    strides: bool

    def row_index(self, strided: Collection[Atom]) -> tuple[Atom, ...]:
        """The index that walks the row; none where the product is a part of the stride, as ``2*i``
        is of ``(2 + n)*i``; ``strided``: the indices that take strides."""
        return () if self.strides else tuple([each for each in self.indices if each not in strided])


def _row(offset: Poly, name: str, loops: Sequence[Loop], values: Mapping[str, int]) -> int:
    """Elements of the row that ``name`` strides over in an offset; 0 where it is no stride."""
    trips: dict[Atom, int] = {loop.index: _trips(loop, values) for loop in loops}
    factors = _of_rows(list(_factors(offset, name, trips, values)), name, loops)
    if any(len(each.indices) > 1 for each in factors):
        return 0
    stride = max([each.bytes for each in factors if each.strides], default=0)
    span = sum([size * (trips[index] - 1) for size, index in _row_steps(factors)])
    return span // stride + 1 if stride and span else 0


def _row_steps(factors: Iterable[_Factor]) -> Iterator[tuple[int, Atom]]:
    """The bytes of a step along the row, and the index that makes it."""
    factors = tuple(factors)
    strided = {index for each in factors if each.strides for index in each.indices}
    for each in factors:
        for index in each.row_index(strided):
            yield each.bytes, index


def _of_rows(factors: Sequence[_Factor], name: str, loops: Iterable[Loop]) -> Sequence[_Factor]:
    """The factors without ``name`` by itself where that is what a loop begins or ends at."""
    if not any(name in loop.lower.names() | loop.upper.names() for loop in loops):
        return factors
    return [each for each in factors if each.indices or not each.strides]


def _factors(
    offset: Poly, name: str, indices: Collection[Atom], values: Mapping[str, int]
) -> Iterator[_Factor]:
    """The products of an offset, without those that have no value."""
    for monomial, coefficient in offset.terms.items():
        others = tuple([atom for atom in monomial if atom not in indices and atom != name])
        factor = number(Poly({others: coefficient}), values)
        if factor is not None:
            own = tuple([atom for atom in monomial if atom in indices])
            yield _Factor(abs(factor), own, name in monomial)


def _trips(loop: Loop, values: Mapping[str, int]) -> int:
    """Iterations at these sizes; 1 where they are not known, or none."""
    named = trip_name(loop)
    trips = values.get(named) if named else number(loop.trip_count, values)
    return max(1, trips or 1)


def _fitting(size: Size, row: int, leading: bool) -> Size:
    """A guessed stride, not shorter than the row; a leading dimension is just as long."""
    guess = size.range
    assert guess is not None, "only guesses are made to fit"
    if guess.typical == row or (guess.typical > row and not leading):
        return size
    low, (lower, upper), high = guess.low, guess.quartiles, guess.high
    if guess.typical < row:
        low, lower = max(low, row), max(lower, row)
    wide = guess._replace(
        low=min(low, row),
        quartiles=(min(lower, row), max(upper, row)),
        typical=row,
        high=max(high, row),
    )
    return size._replace(value=row, detail=f"{size.detail}, a row of {row} elements", range=wide)


def shrink_to_limits(
    nest: Sequence[KernelFacts],
    function: Function,
    loops: Iterable[Loop],
    found: dict[str, Size],
    known: KernelFootprints | None = None,
) -> None:
    """Makes guesses smaller, the one with the largest elasticity first."""
    if all(size.range is None for size in found.values()):
        return
    bounded = [loop for loop in loops if loop.upper.names() | loop.lower.names()]
    _shrink(lambda values: _longest(bounded, values) / MAX_TRIPS, "no loop is longer", found)
    arrays = {array.name: array for array in function.arrays}
    footprint = NestFootprint(nest, arrays, _LINE_BYTES, known)
    _shrink(
        lambda values: footprint.bytes_at(values) / MAX_FOOTPRINT_BYTES,
        "the data fit 4 GiB",
        found,
    )


def _longest(loops: Iterable[Loop], values: Mapping[str, int]) -> int:
    return max([number(loop.trip_count, values) or 0 for loop in loops], default=0)


def _shrink(excess: _Excess, why: str, found: dict[str, Size]) -> None:
    """Shrinks guesses until there is no excess, or none of them lessens it."""
    values = {name: size.value for name, size in found.items()}
    while (now := excess(values)) > 1:
        halves = {
            name: excess({**values, name: values[name] // 2})
            for name, size in found.items()
            if size.range is not None and values[name] > 1
        }
        name = min(halves, key=lambda each: (halves[each], each), default="")
        if not name or halves[name] >= now:
            return
        elasticity = log2(now / halves[name]) if halves[name] else 1.0
        exponent = 1 / elasticity
        # of a hardly elastic size the power is larger than any float
        shrinks = log(now) * exponent < _LARGEST_LOGARITHM
        smaller = int(values[name] / now**exponent) if shrinks else 1
        values[name] = max(1, min(values[name] - 1, smaller))
        found[name] = _smaller(found[name], values[name], why)


def _smaller(size: Size, value: int, why: str) -> Size:
    guess = size.range
    assert guess is not None, "only guesses shrink"
    low, (lower, upper) = min(guess.low, value), guess.quartiles
    return size._replace(
        value=value,
        detail=f"{size.detail}; {size.value} → {value}, so that {why}",
        range=guess._replace(
            low=low, quartiles=(min(lower, value), min(upper, value)), typical=value, high=value
        ),
    )

"""Terms of all files: with quantities of the program in place of positions in one file."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Final, TypeAlias

from rooflint.ir.equations import (
    ChoiceTerm,
    ComparisonTerm,
    IndexTerm,
    IntegerTerm,
    OperationTerm,
    QuantityOperator,
    QuantityTerm,
    Term,
    UnknownSource,
    UnknownTerm,
)
from rooflint.program.value import LARGEST, MAX_CONSTANTS, PossibleValues, within_limits

MAX_COMBINATIONS: Final = 4096
"""Combinations of constants that are tried for one term: 12 values each of three quantities; and
of the alternatives of two operands."""
_BITS: Final = 64
"""Shifts by more bits are undefined."""
_BYTE: Final = 8
"""Bits: shifts by whole bytes join a number from them."""

Outcome: TypeAlias = int | UnknownSource


def quantities_of(term: Term) -> Iterator[int]:
    """Positions of the quantities of a term without indices of loops, repeated ones too.

    Whether a comparison holds is no size that its operands decide.
    """
    found: list[int] = []
    _add_quantities(term, found)
    return iter(found)


def _add_quantities(term: Term, found: list[int]) -> None:
    if isinstance(term, QuantityTerm):
        found.append(term.position)
    elif isinstance(term, OperationTerm):
        for operand in term.operands:
            _add_quantities(operand, found)
    elif isinstance(term, ChoiceTerm):
        for alternative in term.alternatives:
            _add_quantities(alternative, found)


def needed_quantities(terms: Iterable[Term]) -> tuple[int, ...]:
    """Positions of the quantities of several terms, each once, in order."""
    found: list[int] = []
    for term in terms:
        _add_quantities(term, found)
    return tuple(sorted(set(found))) if len(found) > 1 else tuple(found)


def deciding_quantities(term: Term) -> Iterator[int]:
    """The same without those that cancel: of ``p[i + 1] - p[i]`` no element decides anything."""
    if isinstance(term, OperationTerm):
        if is_row_length(term):
            return
        for operand in term.operands:
            yield from deciding_quantities(operand)
    elif isinstance(term, ChoiceTerm):
        for alternative in term.alternatives:
            yield from deciding_quantities(alternative)
    else:
        yield from quantities_of(term)


def is_row_length(term: Term) -> bool:
    """Whether it is the difference of two elements of an array: ``p[i + 1] - p[i]``."""
    return (
        isinstance(term, OperationTerm)
        and term.operator == "sub"
        and term.operands[0] == term.operands[1]
    )


def is_copy(term: Term) -> bool:
    """Whether the term hands values on as they are."""
    if isinstance(term, ChoiceTerm):
        return all(map(is_copy, term.alternatives))
    return not isinstance(term, OperationTerm | ComparisonTerm)


def is_assembled(term: Term) -> bool:
    """Whether a number is joined from its bytes, as ``b[0] << 8 | b[1]``: what was read from a
    file or a message has no size that follows from those of its bytes."""
    if not isinstance(term, OperationTerm) or term.operator not in ("or", "add"):
        return False
    return any(map(_is_shifted_byte, term.operands)) or any(map(is_assembled, term.operands))


def _is_shifted_byte(term: Term) -> bool:
    if not isinstance(term, OperationTerm) or term.operator != "shl":
        return False
    shift = term.operands[1]
    return isinstance(shift, IntegerTerm) and shift.value % _BYTE == 0


def is_computed_from_others(term: Term, place: int) -> bool:
    """Whether a term rests on quantities, and on others than the one at ``place``."""
    needed = needed_quantities((term,))
    return bool(needed) and place not in needed


def end_of_steps(term: Term, place: int) -> Term:
    """Of ``x = min(x + step, n)`` the ``n`` that x comes to; any other term itself."""
    if isinstance(term, OperationTerm) and term.operator == "min":
        for end, step in (term.operands, term.operands[::-1]):
            if place not in quantities_of(end) and _grows(step, place):
                return end
    return term


def _grows(term: Term, place: int) -> bool:
    """``x + step``."""
    is_sum = isinstance(term, OperationTerm) and term.operator == "add"
    return is_sum and place in quantities_of(term)


def in_program(term: Term, keys: Sequence[int], indices: Mapping[int, Term]) -> Term:
    """The term with the program's positions, and each loop's index as the term given for it."""
    if isinstance(term, QuantityTerm):
        return QuantityTerm(keys[term.position])
    if isinstance(term, IndexTerm):
        return indices.get(term.loop, UnknownTerm("counter"))
    if isinstance(term, OperationTerm):
        operands = tuple([in_program(each, keys, indices) for each in term.operands])
        return OperationTerm(term.operator, operands)
    if isinstance(term, ChoiceTerm):
        return ChoiceTerm(tuple([in_program(each, keys, indices) for each in term.alternatives]))
    if isinstance(term, ComparisonTerm):
        left, right = [in_program(each, keys, indices) for each in (term.left, term.right)]
        return ComparisonTerm(left, term.relation, right)
    return term


def term_values(term: Term, value_of: Callable[[int], PossibleValues]) -> PossibleValues:
    """The values of a term; a quantity has the same value wherever the term names it."""
    if isinstance(term, QuantityTerm):
        return value_of(term.position)
    if isinstance(term, IntegerTerm | UnknownTerm):
        return _leaf_values(term)
    values = {position: value_of(position) for position in needed_quantities((term,))}
    unknown = frozenset[UnknownSource]().union(*(each.unknown for each in values.values()))
    choices: list[list[int | None]] = [
        [*sorted(each.constants)] or [None] for each in values.values()
    ]
    if prod(map(len, choices)) > MAX_COMBINATIONS:
        return PossibleValues(unknown=unknown | {"too-many-values"})
    at_typical = _outcomes_at(term, {place: each.typical for place, each in values.items()})
    several = max(map(len, choices), default=1) > 1
    outcomes = _all_outcomes(term, values, choices) if several else at_typical
    sources = _sources(outcomes)
    return within_limits(_numbers(outcomes), unknown | sources, _numbers(at_typical))


def _leaf_values(term: IntegerTerm | UnknownTerm) -> PossibleValues:
    if isinstance(term, UnknownTerm):
        return PossibleValues(unknown=frozenset((term.source,)))
    return within_limits(frozenset((term.value,)), frozenset(), (term.value,))


def term_number(term: Term, numbers: Mapping[int, int]) -> int:
    """The value of a term where each of its quantities has one; of several alternatives the middle
    one, and 0 where there is none."""
    plain = _plain_number(term, numbers)
    if plain is not None:
        return plain if abs(plain) <= LARGEST else 0
    outcomes = _outcomes(term, numbers)
    found = sorted({each for each in outcomes if isinstance(each, int) and abs(each) <= LARGEST})
    return found[len(found) // 2] if 0 < len(found) <= MAX_CONSTANTS else 0


def _plain_number(term: Term, numbers: Mapping[int, int | None]) -> int | None:
    """The value of a term that has one; None for the others, which take longer."""
    if isinstance(term, QuantityTerm):
        return numbers[term.position]
    if isinstance(term, IntegerTerm):
        return term.value
    if isinstance(term, OperationTerm):
        operands: list[int] = []
        for each in term.operands:
            own = _plain_number(each, numbers)
            if own is None:
                return None
            operands.append(own)
        outcome = _applied(term.operator, operands)
        return outcome if isinstance(outcome, int) else None
    return None


def _all_outcomes(
    term: Term, places: Iterable[int], choices: Iterable[Iterable[int | None]]
) -> set[Outcome]:
    """Outcomes of the term for every combination of the quantities' values."""
    outcomes: set[Outcome] = set()
    for combination in product(*choices):
        outcomes |= _outcomes_at(term, dict(zip(places, combination, strict=True)))
    return outcomes


def _outcomes_at(term: Term, values: Mapping[int, int | None]) -> set[Outcome]:
    """Outcomes of the term at one value of each quantity."""
    plain = _plain_number(term, values)
    return set(_outcomes(term, values)) if plain is None else {plain}


def _sources(outcomes: Iterable[Outcome]) -> frozenset[UnknownSource]:
    return frozenset([each for each in outcomes if not isinstance(each, int)])


def _numbers(outcomes: Iterable[Outcome]) -> frozenset[int]:
    return frozenset(each for each in outcomes if isinstance(each, int))


def _outcomes(term: Term, values: Mapping[int, int | None]) -> Iterator[Outcome]:
    if isinstance(term, IntegerTerm):
        yield term.value
    elif isinstance(term, QuantityTerm):
        value = values[term.position]
        if value is not None:
            yield value
    elif isinstance(term, UnknownTerm):
        yield term.source
    elif isinstance(term, ComparisonTerm):
        yield from (0, 1)
    elif isinstance(term, ChoiceTerm):
        for alternative in term.alternatives:
            yield from _outcomes(alternative, values)
    elif isinstance(term, OperationTerm):
        yield from _operation_outcomes(term, values)


def _operation_outcomes(term: OperationTerm, values: Mapping[int, int | None]) -> Iterator[Outcome]:
    # alternatives of alternatives multiply, and most of what comes of them is the same
    each = [tuple(set(_outcomes(operand, values))) for operand in term.operands]
    if prod(map(len, each)) > MAX_COMBINATIONS:
        yield "too-many-values"
        return
    for operands in product(*each):
        yield _applied(term.operator, operands)


def _applied(operator: QuantityOperator, operands: Sequence[Outcome]) -> Outcome:
    numbers: list[int] = []
    for operand in operands:
        if not isinstance(operand, int):
            return operand
        numbers.append(operand)
    if operator == "neg":
        return -numbers[0]
    first, second = numbers
    if operator in ("div", "rem") and second == 0:
        return "unmodelled"
    if operator in ("shl", "shr") and not 0 <= second < _BITS:
        return "overflow"
    return _BINARY[operator](first, second)


def _quotient(a: int, b: int) -> int:
    """Division as C rounds it: towards zero."""
    size = abs(a) // abs(b)
    return size if (a < 0) == (b < 0) else -size


_BINARY: Final[dict[QuantityOperator, Callable[[int, int], int]]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _quotient,
    "rem": lambda a, b: a - b * _quotient(a, b),
    "shl": lambda a, b: a << b,
    "shr": lambda a, b: a >> b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "min": min,
    "max": max,
}

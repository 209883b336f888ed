"""Terms of many alternatives: how many combinations are tried, and what comes of them."""

from functools import reduce

import pytest
from rooflint.ir.equations import ChoiceTerm, IntegerTerm, OperationTerm, Term
from rooflint.program.terms import term_number, term_values
from rooflint.program.value import NOTHING, PossibleValues


def choice(*values: int) -> Term:
    return ChoiceTerm(tuple(map(IntegerTerm, values)))


def total(terms: list[Term]) -> Term:
    return reduce(lambda a, b: OperationTerm("add", (a, b)), terms)


def nothing(place: int) -> PossibleValues:
    return NOTHING


def test_alternatives_that_come_to_the_same_are_one() -> None:
    # 2 to the 60th combinations, whose sums are 0, 3, ... 9: of 60 choices all but three are even
    term = total([choice(0, 0)] * 57 + [choice(0, 3)] * 3)
    assert term_values(term, nothing).constants == {0, 3, 6, 9}
    # the middle one of four
    assert term_number(term, {}) == 6


def test_a_sum_of_many_choices_has_too_many_values() -> None:
    # 0 to 60
    values = term_values(total([choice(0, 1)] * 60), nothing)
    assert not values.constants
    assert values.unknown == {"too-many-values"}
    assert term_number(total([choice(0, 1)] * 60), {}) == 0


@pytest.mark.parametrize(("right", "known"), [(64, True), (65, False)])
def test_two_operands_have_4096_combinations(right: int, known: bool) -> None:
    # all products with zero
    left = choice(*range(64))
    term = OperationTerm("min", (OperationTerm("mul", (left, choice(*range(right)))), choice(0)))
    values = term_values(term, nothing)
    assert (values.constants == {0}) is known
    assert ("too-many-values" in values.unknown) is not known


@pytest.mark.parametrize(("value", "number"), [(2**40, 2**40), (2**40 + 1, 0)])
def test_a_number_beyond_all_sizes_is_none(value: int, number: int) -> None:
    assert term_number(IntegerTerm(value), {}) == number

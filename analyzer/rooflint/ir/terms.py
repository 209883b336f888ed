"""Sums of terms: a coefficient for each; affine forms over names among them."""

from collections.abc import Hashable
from typing import TypeVar

Term = TypeVar("Term", bound=Hashable)


def add_term(terms: dict[Term, int], term: Term, coefficient: int) -> None:
    """Adds to one coefficient; one that becomes zero goes."""
    total = terms.get(term, 0) + coefficient
    if total:
        terms[term] = total
    else:
        terms.pop(term, None)


Form = dict[str, int]


def scale_form(form: Form, factor: int, shift: int = 0) -> Form:
    """``factor * form + shift``, for a factor other than zero."""
    result = {name: coefficient * factor for name, coefficient in form.items()}
    if shift:
        result[""] = result.get("", 0) + shift
    return result


def difference(left: Form, right: Form) -> Form:
    """``left - right`` without zero coefficients."""
    return combine_forms(left, 1, right, -1)


def combine_forms(left: Form, by: int, right: Form, times: int) -> Form:
    """``by * left + times * right`` without zero coefficients of names that both have."""
    result = dict(left) if by == 1 else {name: by * c for name, c in left.items()}
    for name, coefficient in right.items():
        add_term(result, name, times * coefficient)
    return result

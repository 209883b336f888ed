"""Sums of terms: a coefficient for each."""

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

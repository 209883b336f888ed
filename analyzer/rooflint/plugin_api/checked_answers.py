"""Parts of a plugin's answer: which of them no report can show."""

import math
from collections.abc import Iterable

from rooflint.plugin_api.terms import CoreUnit, Limiter, LimiterKind, TimeTerm, TimeTerms


def are_texts(value: object) -> bool:
    """Whether a value is a tuple of texts."""
    return isinstance(value, tuple) and all(isinstance(each, str) for each in value)


def mistake_in_terms(terms: object) -> str:
    """Why terms cannot be used, in one line; empty where they can, or where there are none."""
    if terms is None:
        return ""
    if not isinstance(terms, TimeTerms):
        return f"terms is a {type(terms).__name__}, expected TimeTerms"
    mistake = _mistake_in_numbers(terms)
    if mistake:
        return mistake
    for name, group in (("terms", terms.terms), ("floors", terms.floors)):
        mistake = _mistake_in_group(name, group)
        if mistake:
            return mistake
    return ""


def _mistake_in_numbers(terms: TimeTerms) -> str:
    if not _is_positive(terms.clock_ghz):
        return f"terms.clock_ghz is {terms.clock_ghz!r}, expected GHz above 0"
    if terms.second_cy is not None and not _is_time(terms.second_cy):
        return f"terms.second_cy is {terms.second_cy!r}, expected cycles"
    cores = terms.saturation_cores
    if cores is not None and (type(cores) is not int or cores < 1):
        return f"terms.saturation_cores is {cores!r}, expected a number of cores"
    return ""


def _mistake_in_group(name: str, group: object) -> str:
    if not isinstance(group, tuple):
        return f"terms.{name} is a {type(group).__name__}, expected a tuple of TimeTerm"
    mistakes: Iterable[str] = map(_mistake_in_term, group)
    return next((f"terms.{name}: {mistake}" for mistake in mistakes if mistake), "")


def _mistake_in_term(term: object) -> str:
    if not isinstance(term, TimeTerm):
        return f"a {type(term).__name__}, expected a TimeTerm"
    if mistake := _mistake_in_resource(term.resource):
        return mistake
    if not _is_time(term.cycles):
        return f"{term.cycles!r} cycles, expected a finite number of at least 0"
    if term.high is not None and not _is_time(term.high):
        return f"high of {term.high!r} cycles, expected a finite number of at least 0"
    return ""


def _mistake_in_resource(resource: object) -> str:
    if not isinstance(resource, Limiter) or not isinstance(resource.kind, LimiterKind):
        return f"resource {resource!r}, expected a Limiter"
    if resource.unit is not None and not isinstance(resource.unit, CoreUnit):
        return f"unit {resource.unit!r}, expected a CoreUnit"
    if resource.kind is LimiterKind.LINK and not resource.level:
        return "a link without the level that it comes from"
    return ""


def _is_time(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and value >= 0  # type: ignore[arg-type,operator]


def _is_positive(value: object) -> bool:
    return _is_time(value) and value != 0

"""Parts of a plugin's answer: which of them no report can show."""

import math
from collections.abc import Iterable, Mapping
from typing import Final

from rooflint.plugin_api.drawing import mistake_in
from rooflint.plugin_api.prediction import Prediction
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


MAX_DATA_DEPTH: Final = 32
MAX_DATA_INTEGER: Final = 10**300
FIELD_TYPES: Final[tuple[tuple[str, tuple[type, ...], str], ...]] = (
    ("bottleneck", (str,), "a text"),
    ("sentence", (str,), "a text"),
    ("headline", (str,), "a text"),
    ("cycles_per_iteration", (int, float, type(None)), "a number"),
    ("data", (Mapping,), "a mapping"),
)
"""Fields of a Prediction that a plugin may get wrong, and their types."""


def mistake_in_answer(name: str, answer: object) -> str:
    """Why an answer is no prediction that a report can show; empty for one that is."""
    if not isinstance(answer, Prediction):
        return f"returned {type(answer).__name__}, not a Prediction"
    if answer.model != name:
        return f"returned a Prediction of '{answer.model}'"
    for field, kinds, expected in FIELD_TYPES:
        value = getattr(answer, field)
        if type(value) is bool or not isinstance(value, kinds):
            return f"{field} is a {type(value).__name__}, expected {expected}"
    if not are_texts(answer.assumptions):
        return "assumptions are no tuple of texts"
    foreign = _not_json(answer.data, MAX_DATA_DEPTH)
    data = foreign and f"data holds {foreign}, expected JSON values"
    return next(filter(None, (data, mistake_in_terms(answer.terms), mistake_in(answer.plot))), "")


def _not_json(value: object, depth: int) -> str:
    """The part of a value that JSON cannot hold; empty where it can hold all of it."""
    if value is None or isinstance(value, str | bool | float):
        return ""
    if isinstance(value, int):
        return "" if abs(value) <= MAX_DATA_INTEGER else "an integer of more than 300 digits"
    if not depth:
        return "values in values without end"
    if not isinstance(value, Mapping | list | tuple):
        return f"a {type(value).__name__}"
    keys, inside = (value, value.values()) if isinstance(value, Mapping) else ((), value)
    if not are_texts(tuple(keys)):
        return "a key that is no text"
    return next(filter(None, (_not_json(each, depth - 1) for each in inside)), "")

"""Keys and values as the text of a machine file: one cache and one bandwidth a line."""

import json
import string
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TypeAlias

Value: TypeAlias = "str | float | bool | Sequence[Value] | Mapping[str, Value] | None"
"""A value in a machine file."""

_PLAIN = frozenset(f"{string.ascii_letters}{string.digits}_./-")
"""Characters of words that YAML reads as they stand."""
_LETTERS = frozenset(string.ascii_letters)
_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "nan", "inf")
OPEN = ("sources", "core", "memory", "operations")
"""Mappings written one key a line."""


def machine_text(keys: Mapping[str, Value], comments: Sequence[str]) -> str:
    """A YAML document; ``comments`` come first, one a line."""
    lines = [f"# {comment}".rstrip() for comment in comments]
    for key, value in keys.items():
        lines += _entry(key, value, "")
    return "\n".join(lines) + "\n"


def six_digits(value: float) -> float:
    """Six digits, and a whole number without a point."""
    rounded = float(f"{value:.6g}")
    return int(rounded) if rounded == int(rounded) else rounded


def _entry(key: str, value: Value, indent: str) -> list[str]:
    if key in OPEN and isinstance(value, Mapping):
        inner = [_entry(name, item, f"{indent}  ") for name, item in value.items()]
        return [f"{indent}{key}:", *chain.from_iterable(inner)]
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    if listed and value and all(isinstance(item, Mapping) for item in value):  # type: ignore[union-attr]
        return [f"{indent}{key}:", *(f"{indent}  - {_flow(item)}" for item in value)]  # type: ignore[union-attr]
    return [f"{indent}{key}: {_flow(value)}"]


def _flow(value: Value) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return _text(value)
        case Mapping():
            return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
        case Sequence():
            return "[" + ", ".join(_flow(item) for item in value) + "]"
        case number:
            return f"{number:g}" if isinstance(number, float) else str(number)


def _text(text: str) -> str:
    words = text.split(" ")
    is_plain = text[:1] in _LETTERS and all(word and _PLAIN.issuperset(word) for word in words)
    if is_plain and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)

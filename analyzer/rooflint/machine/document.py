"""YAML text to a tree of values that know their file and line. No types, no meaning.

Read from the event stream rather than through a constructor: every value keeps its line, plain
scalars follow YAML 1.2 (``6e9`` is a number, ``no`` a text), and there is nothing to expand:
anchors, aliases, tags and second documents are refused.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from rooflint.errors import ConfigurationError
from rooflint.records import NamedTuple

MAX_BYTES = 1 << 20
MAX_DEPTH = 16

Scalar: TypeAlias = str | int | float | bool | None


class YamlNode(NamedTuple):
    """A value and where it stands; the line of a mapping's value is that of its key."""

    data: "Scalar | dict[str, YamlNode] | list[YamlNode]"
    file: str
    line: int

    def error(self, message: str) -> ConfigurationError:
        """``file:line: message``."""
        return ConfigurationError(message, self.file, self.line)


def read_document(path: Path, shown: str = "") -> YamlNode:
    """The tree of a file of at most 1 MiB, which messages call ``shown`` if that is not empty.

    Raises ConfigurationError when it cannot be read, is larger, is not UTF-8 or not YAML.
    """
    return parse(read_text(path), shown or str(path))


def read_text(path: Path) -> str:
    """The text of a machine file; raises ConfigurationError."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"cannot be read: {error.strerror}", str(path)) from error
    if len(raw) > MAX_BYTES:
        raise ConfigurationError("larger than 1 MiB, expected a machine description", str(path))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigurationError("expected UTF-8 text", str(path), line) from error


def parse(text: str, file: str, *, tags: bool = False) -> YamlNode:
    """The tree of one YAML document; raises ConfigurationError with ``file:line``.

    With ``tags``, tags are skipped rather than refused: other programs' files have them.
    """
    events = _Events(text, file, tags=tags)
    events.expect_document()
    root = _value(events, next(events), 0)
    events.expect_end()
    return root


def header(text: str, file: str, keys: tuple[str, ...]) -> dict[str, YamlNode]:
    """The named top-level entries; reading stops once all are seen."""
    events = _Events(text, file)
    events.expect_document()
    start = next(events)
    found: dict[str, YamlNode] = {}
    if type(start).__name__ != "MappingStartEvent":
        return found
    for key, line in _keys(events):
        value = _value(events, next(events), 1)
        if key in keys:
            found[key] = YamlNode(value.data, file, line)
            if len(found) == len(keys):
                break
    return found


class _Events(Iterator[Any]):
    def __init__(self, text: str, file: str, *, tags: bool = False) -> None:
        # yaml takes longer to import than a machine file to read, and most commands need one file.
        import yaml  # noqa: PLC0415

        self.file, self.tags = file, tags
        self._error = yaml.YAMLError
        self._events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))

    def __next__(self) -> Any:  # noqa: ANN401  (PyYAML's events have no useful types)
        try:
            return next(self._events)
        except self._error as error:
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 1 if mark else 0
            problem = getattr(error, "problem", None) or getattr(error, "reason", None)
            wrong = f"not valid YAML: {problem or error}"
            raise ConfigurationError(wrong, self.file, line) from error

    def expect_document(self) -> None:
        next(self)
        if type(next(self)).__name__ != "DocumentStartEvent":
            raise ConfigurationError("empty, expected a machine description", self.file)

    def expect_end(self) -> None:
        next(self)
        after = next(self)
        if type(after).__name__ != "StreamEndEvent":
            raise self.error(after, "expected one YAML document per file")

    def error(self, event: Any, message: str) -> ConfigurationError:  # noqa: ANN401
        return ConfigurationError(message, self.file, event.start_mark.line + 1)


def _keys(events: _Events) -> Iterator[tuple[str, int]]:
    while type(key := next(events)).__name__ != "MappingEndEvent":
        if type(key).__name__ != "ScalarEvent" or key.tag is not None or key.anchor is not None:
            raise events.error(key, "expected a plain text as key")
        yield key.value, key.start_mark.line + 1


def _value(events: _Events, event: Any, depth: int) -> YamlNode:  # noqa: ANN401
    kind = type(event).__name__
    line = event.start_mark.line + 1
    if kind == "AliasEvent" or getattr(event, "anchor", None) is not None:
        raise events.error(event, "anchors and aliases (&x, *x) are not read; write the value out")
    if getattr(event, "tag", None) is not None and not events.tags:
        raise events.error(event, f"tags are not read, got {event.tag}; expected a plain value")
    if kind == "ScalarEvent":
        return YamlNode(_scalar(event.value, plain=event.implicit[0]), events.file, line)
    if depth >= MAX_DEPTH:
        raise events.error(event, f"nested more than {MAX_DEPTH} levels deep")
    read = _sequence if kind == "SequenceStartEvent" else _mapping
    return YamlNode(read(events, depth + 1), events.file, line)


def _sequence(events: _Events, depth: int) -> list[YamlNode]:
    items = []
    while type(item := next(events)).__name__ != "SequenceEndEvent":
        items.append(_value(events, item, depth))
    return items


def _mapping(events: _Events, depth: int) -> dict[str, YamlNode]:
    entries: dict[str, YamlNode] = {}
    for key, line in _keys(events):
        value = _value(events, next(events), depth)
        if key in entries:
            first = entries[key].line
            wrong = f"duplicate key '{key}', first on line {first}"
            raise ConfigurationError(wrong, events.file, line)
        entries[key] = YamlNode(value.data, events.file, line)
    return entries


_WORDS: dict[str, Scalar] = {
    **{"": None, "~": None, "null": None, "true": True, "false": False},
    **{".inf": float("inf"), "+.inf": float("inf"), "-.inf": float("-inf"), ".nan": float("nan")},
}


def _scalar(text: str, *, plain: bool) -> Scalar:
    if not plain:
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if text[0] not in "+-.0123456789":
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text

"""Typed reading of one mapping of a machine file. What is never asked for is an unknown key."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import NoneType
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args, get_origin

from rooflint.errors import ConfigurationError, near_miss
from rooflint.machine.document import YamlNode
from rooflint.machine.ranges import range_of
from rooflint.records import NamedTuple

Choice = TypeVar("Choice", bound=str | None)
Part = TypeVar("Part")
Fields = TypeVar("Fields", bound=NamedTuple)
Reader: TypeAlias = Callable[[YamlNode, str], Any]
"""Reads a value at a dotted path; raises ConfigurationError."""


class Section:
    """One mapping, at ``path`` in its file. Every error is ``file:line: path: what, expected``."""

    def __init__(self, node: YamlNode, path: str) -> None:
        """Raise ConfigurationError when ``node`` is no mapping."""
        self.node, self.path = node, path
        self._asked: set[str] = set()
        if not isinstance(node.data, dict):
            raise node.error(f"{path or 'file'}: expected a mapping, got {_shown(node)}")
        self._entries: dict[str, YamlNode] = node.data

    def at(self, key: str) -> str:
        """The dotted path of ``key``."""
        return f"{self.path}.{key}" if self.path else key

    def __contains__(self, key: str) -> bool:
        return self.get(key) is not None

    def get(self, key: str) -> YamlNode | None:
        """The entry as read; null counts as absent."""
        self._asked.add(key)
        node = self._entries.get(key)
        return None if node is None or node.data is None else node

    def names(self) -> Iterator[str]:
        """Every key present."""
        return (key for key, node in self._entries.items() if node.data is not None)

    def error(self, key: str, message: str) -> ConfigurationError:
        """An error at ``key``, or at the section when the key is absent."""
        node = self._entries.get(key, self.node)
        return node.error(f"{self.at(key)}: {message}")

    def required(self, key: str) -> YamlNode:
        """The entry; raises ConfigurationError when it is missing."""
        node = self.get(key)
        if node is None:
            unused = [k for k in self._entries if k not in self._asked]
            hint = near_miss(key, unused).replace("did you mean", "is it")
            place = f"{self.path}: " if self.path else ""
            raise self.node.error(f"{place}missing key '{key}'{hint}")
        return node

    def number(self, key: str) -> float:
        """A positive finite number, required."""
        return read_number(self.required(key), self.at(key))

    def number_or_none(self, key: str, *, zero: bool = False) -> float | None:
        """A positive finite number (or zero), None when absent."""
        node = self.get(key)
        return None if node is None else read_number(node, self.at(key), zero=zero)

    def count(self, key: str) -> int:
        """A positive whole number, required."""
        return _count(self.required(key), self.at(key))

    def count_or(self, key: str, default: int) -> int:
        """A positive whole number, ``default`` when absent."""
        node = self.get(key)
        return default if node is None else _count(node, self.at(key))

    def text(self, key: str) -> str:
        """A text, required and not empty."""
        return text(self.required(key), self.at(key))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, empty when absent."""
        node = self.get(key)
        return () if node is None else _texts(node, self.at(key))

    def ports(self, key: str) -> tuple[str, ...]:
        """A list of port names or numbers, as texts; empty when absent."""
        return tuple(_name(node, self.at(key)) for node in self.items(key))

    def flag_or(self, key: str, default: bool) -> bool:
        """A boolean, ``default`` when absent."""
        node = self.get(key)
        return default if node is None else _flag(node, self.at(key))

    def choice_or(self, key: str, options: Iterable[Choice], default: Choice) -> Choice:
        """One of ``options``, ``default`` when absent."""
        node = self.get(key)
        return default if node is None else choice(node, self.at(key), options)

    def items(self, key: str) -> list[YamlNode]:
        """A list, empty when absent."""
        node = self.get(key)
        return [] if node is None else _items(node, self.at(key))

    def sections(self, key: str) -> list["Section"]:
        """A list of mappings; each is addressed by its ``level`` or ``name``, else its number."""
        return [
            Section(node, f"{self.at(key)}.{item_name(node, position)}")
            for position, node in enumerate(self.items(key))
        ]

    def section(self, key: str) -> "Section | None":
        """A nested mapping, None when absent."""
        node = self.get(key)
        return None if node is None else Section(node, self.at(key))

    def inner(self, key: str) -> "Section":
        """A nested mapping, required."""
        return Section(self.required(key), self.at(key))

    def table(self, key: str, read: "Callable[[Section, str], Part]") -> dict[str, Part]:
        """Every entry of a nested mapping as ``read`` takes it by its name; empty when absent."""
        section = self.section(key)
        return {} if section is None else {name: read(section, name) for name in section.names()}

    def read(self, key: str, reader: "Callable[[Section], Part]") -> Part | None:
        """A nested mapping as ``reader`` takes it, None when absent."""
        section = self.section(key)
        return None if section is None else section.whole(reader)

    def read_record(self, key: str, kind: type[Fields]) -> Fields | None:
        """A nested mapping as a ``record`` of its own, None when absent."""
        return self.read(key, lambda section: section.record(kind))

    def whole(self, reader: "Callable[[Section], Part]") -> Part:
        """The mapping as ``reader`` takes it; raises ConfigurationError for a key it leaves."""
        part = reader(self)
        self.done()
        return part

    def record(
        self, kind: type[Fields], readers: Mapping[object, Reader] | None = None, **given: object
    ) -> Fields:
        """A record of the fields in ``given`` and the keys that its other fields are called like.

        A field's type decides how its key is read; ``readers`` are for types other than numbers,
        flags, choices, texts and lists of them. A key may be absent where its field has a default
        or may be None.
        """
        known = _READERS if readers is None else {**_READERS, **readers}
        return kind._make([
            given[name] if name in given else self._field(name, hint, kind._field_defaults, known)
            for name, hint in kind.__annotations__.items()
        ])  # fmt: skip

    def _field(
        self,
        key: str,
        hint: object,
        defaults: Mapping[str, object],
        readers: Mapping[object, Reader],
    ) -> object:
        node = self.get(key)
        types = get_args(hint)
        if node is None and (key in defaults or NoneType in types):
            return defaults.get(key)
        node, path = self.required(key), self.at(key)
        kind = types[0] if NoneType in types else hint
        if get_origin(kind) is Literal:
            return choice(node, path, get_args(kind))
        if kind is float:
            return read_number(node, path, zero=defaults.get(key) == 0)
        return readers[kind](node, path)

    def unread(self) -> Iterator[str]:
        """The keys that nobody asked for."""
        return (key for key in self._entries if key not in self._asked)

    def done(self) -> None:
        """Raise ConfigurationError for the first key nobody asked for."""
        for key, node in self._entries.items():
            if key not in self._asked:
                known = ", ".join(sorted(self._asked)) if len(self._asked) <= MANY else ""
                expected = f", expected one of {known}" if known else ""
                hint = near_miss(key, self._asked)
                raise node.error(f"unknown key '{self.at(key)[:80]}'{hint or expected}")


SHOWN_DIGITS = 20
"""Of whole numbers; longer ones are a line of their own."""
MANY = 14
"""More known keys than this are not listed in an error."""


def read_number(node: YamlNode, path: str, *, zero: bool = False) -> float:
    """A positive number that a machine can have; the error names the unit of the key."""
    value = node.data
    low, high, unit = range_of(path)
    if isinstance(value, bool) or not isinstance(value, int | float):
        wanted = f"plain number in {unit}".removesuffix(" in ")
    elif isinstance(value, float) and not math.isfinite(value):
        wanted = "finite number"
    elif (value == 0 and zero) or low <= value <= high:
        return float(value)
    elif value <= 0:
        wanted = "number at least 0" if zero else "number above 0"
    else:
        wanted = f"number from {low:g} to {high:g} {unit}".rstrip()
    raise node.error(f"{path}: expected a {wanted}, got {_shown(node)}")


def text(node: YamlNode, path: str) -> str:
    """A text that is not blank."""
    if not isinstance(node.data, str) or not node.data.strip():
        raise node.error(f"{path}: expected a text, got {_shown(node)}")
    return node.data.strip()


def choice(node: YamlNode, path: str, options: Iterable[Choice]) -> Choice:
    """One of ``options``; the error names them and the nearest."""
    allowed = {str(option): option for option in options}
    if not isinstance(node.data, str) or node.data not in allowed:
        hint = near_miss(node.data, allowed) if isinstance(node.data, str) else ""
        names = ", ".join(allowed)
        raise node.error(f"{path}: expected one of {names}, got {_shown(node)}{hint}")
    return allowed[node.data]


def item_name(node: YamlNode, position: int) -> str:
    """A list item's name in paths: level, pattern and cores, or its name, else its number."""
    if isinstance(node.data, dict):
        parts = [node.data.get(key) for key in ("level", "pattern", "cores")]
        words = [
            str(p.data)[:SHOWN_DIGITS]
            for p in parts
            if p is not None and not isinstance(p.data, dict | list)
        ]
        if words:
            return ".".join(words)
        name = node.data.get("name")
        if name is not None:
            return str(name.data)
    return str(position)


def _count(node: YamlNode, path: str) -> int:
    value = read_number(node, path)
    if value != int(value):
        raise node.error(f"{path}: expected a whole number, got {node.data}")
    return int(value)


def _items(node: YamlNode, path: str) -> list[YamlNode]:
    if not isinstance(node.data, list):
        raise node.error(f"{path}: expected a list, got {_shown(node)}")
    return node.data


def _texts(node: YamlNode, path: str) -> tuple[str, ...]:
    return tuple([text(item, path) for item in _items(node, path)])


def _flag(node: YamlNode, path: str) -> bool:
    if not isinstance(node.data, bool):
        raise node.error(f"{path}: expected true or false, got {_shown(node)}")
    return node.data


def _name(node: YamlNode, path: str) -> str:
    if isinstance(node.data, int) and not isinstance(node.data, bool):
        return str(node.data)
    return text(node, path)


def _shown(node: YamlNode) -> str:
    match node.data:
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case None:
            return "nothing"
        case bool() as value:
            return str(value).lower()
        case str() as value:
            return f'"{value[:40]}"'
        case int() as value if abs(value) >= 10**SHOWN_DIGITS:
            return f"a number of more than {SHOWN_DIGITS} digits"
        case value:
            return str(value)


_READERS: Final[Mapping[object, Reader]] = {
    int: _count,
    bool: _flag,
    str: text,
    tuple[str, ...]: _texts,
}

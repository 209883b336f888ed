"""Values of one declared type as bytes, and back: MessagePack, decoded to that type and no other.

What is not of the type is a ``WireError``. No name in a message loads a class or calls a function,
text and containers are no longer than the message, and nesting ends where Python's own recursion
does. Two things that Python has and MessagePack has not, integers beyond 64 bits and names of files
that are no UTF-8, take a second, slower form, which is flagged and decoded to the same type.
"""

import gc
from collections.abc import Iterator
from functools import cached_property
from typing import (
    Any,
    Final,
    ForwardRef,
    Generic,
    Literal,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec.msgpack import Decoder, Encoder, Ext

from rooflint.errors import RooflintError
from rooflint.ir import Poly
from rooflint.ir.poly import Atom, PolyFunction
from rooflint.ir.poly_kinds import FUNCTION_KINDS
from rooflint.ir.reasons import TEMPLATES, Reason
from rooflint.ir.written import DataSize, SourceForm, SourceName, Unknown
from rooflint.workers.digest import blake2b

T = TypeVar("T")

MAX_BODY_BYTES: Final = 16 << 20
"""Of one message. A report takes 1.2 KB a loop (TSVC, one machine): 14,000 loops of one file."""
MAX_WIDE_BYTES: Final = 4 << 20
"""The same in the second form, which is read twice."""
UNCOUNTED_BYTES: Final = 1 << 20
SMALL_CONTAINERS: Final = bytes((0x80, 0x81, 0x82, 0x90, 0x91, 0x92))
"""Mappings and arrays of up to two items, in MessagePack."""
MAX_SMALL: Final = 0.2
"""Of the bytes of a message above ``UNCOUNTED_BYTES`` that may look like them: an empty container
is one byte there and 72 in memory. Reports have 0.015, loops 0.06, text in Cyrillic 0.08; the rest
of a message takes 28 times as much memory at most (strings of one letter that is not Latin)."""
SCHEMA_BYTES: Final = 8
PLAIN: Final = b"\0"
WIDE: Final = b"\1"
INTEGER, TEXT, MAPPING = 1, 2, 3
"""Extension types of the second form: decimal digits, UTF-8 with surrogates, pairs."""
SMALLEST: Final = -(2**63)
BEYOND: Final = 2**64


class WireError(RooflintError):
    """Bytes that are no value of the type, or a value that is too large."""


def too_long(length: int, limit: int) -> WireError:
    """The error for a message that is longer than agreed."""
    return WireError(f"a message of {length} bytes, at most {limit} are read")


class Codec(Generic[T]):
    """Values of type ``kind``: a NamedTuple, dataclass or Struct of plain values, or a union."""

    def __init__(self, kind: object) -> None:
        self.kind: Any = kind

    @cached_property
    def schema(self) -> bytes:
        """A digest of the declarations of the type and all types inside it."""
        text = "\n".join(_declarations(self.kind))
        return blake2b(text.encode(), digest_size=SCHEMA_BYTES).digest()

    def encode(self, value: T) -> bytes:
        """The value as bytes; TypeError for what is no plain value, WireError for a large one."""
        try:
            buffer = bytearray(PLAIN)
            _ENCODER.encode_into(value, buffer, len(PLAIN))
        except (OverflowError, UnicodeEncodeError):
            buffer = bytearray(WIDE)
            _ENCODER.encode_into(_portable(value), buffer, len(WIDE))
        if len(buffer) > _limit(buffer):
            raise too_long(len(buffer), _limit(buffer))
        return bytes(buffer)

    def to_json(self, value: T) -> bytes:
        """The value as JSON, for people and other programs; ``origin`` of nodes survives too."""
        return msgspec.json.encode(value, enc_hook=_parts)

    def from_json(self, text: bytes) -> T:
        """The value that ``to_json`` turned into ``text``; msgspec.MsgspecError for any other."""
        value: T = msgspec.json.decode(text, type=self.kind, dec_hook=_own)
        return value

    def canonical(self, value: T) -> bytes:
        """Bytes that are the same for equal values in every process, to be digested.

        Mappings are in the order of their keys, which have to be text, and sets sorted.
        """
        try:
            return _CANONICAL.encode(value)
        except (OverflowError, UnicodeEncodeError):
            return _CANONICAL.encode(_portable(value))

    def decode(self, body: bytes) -> T:
        """The value that ``encode`` turned into ``body``; raises WireError for anything else."""
        if len(body) > _limit(body):
            raise too_long(len(body), _limit(body))
        if len(body) > UNCOUNTED_BYTES:
            small = len(body) - len(body.translate(None, SMALL_CONTAINERS))
            if small > MAX_SMALL * len(body):
                raise WireError("a message of small containers")
        collecting = gc.isenabled()
        gc.disable()  # many new objects, none of them garbage
        try:
            return self._decoded(body[:1], memoryview(body)[1:])
        except (msgspec.MsgspecError, ValueError, TypeError, OverflowError) as error:
            raise WireError(f"a message that is no {_name(self.kind)}: {error}") from None
        except RecursionError:
            raise WireError("a message that is nested too deeply") from None
        finally:
            if collecting:
                gc.enable()

    def _decoded(self, form: bytes, body: memoryview) -> T:
        if form == PLAIN:
            value: T = self._decoder.decode(body)
            return value
        if form == WIDE:
            wide: T = msgspec.convert(_WIDE_DECODER.decode(body), self.kind, dec_hook=_own)
            return wide
        raise ValueError("no form of a value")

    @cached_property
    def _decoder(self) -> "Decoder[Any]":
        return Decoder(self.kind, dec_hook=_own, ext_hook=_no_extension)


def _limit(body: bytes | bytearray) -> int:
    return MAX_WIDE_BYTES if body[:1] == WIDE else MAX_BODY_BYTES


def _name(kind: object) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind)


def _parts(value: object) -> object:
    if isinstance(value, Poly):
        terms = value.terms
        for monomial in terms:
            for atom in monomial:
                if type(atom) is DataSize:
                    return [(tuple(map(_with_form, atoms)), c) for atoms, c in terms.items()]
        return list(terms.items())
    if isinstance(value, DataSize):
        return str(value)
    raise TypeError(f"{type(value).__name__} is no part of a message")


def _with_form(atom: Atom) -> object:
    return (atom.form,) if isinstance(atom, DataSize) else atom


def _sorted_parts(value: object) -> object:
    """The same; the terms of equal polynomials may come in any order."""
    parts = _parts(value)
    if not isinstance(parts, list):
        return parts
    if len(parts) > 1:
        try:
            parts.sort()
        except TypeError:  # names and functions do not compare
            parts.sort(key=lambda term: [str(atom) for atom in term[0]])
    return parts


def _own(kind: type, parts: object) -> object:
    """The value of a type that msgspec does not know; ValueError when it is none."""
    if kind is Poly:
        return _poly(parts)
    raise ValueError(f"{kind.__name__} is no part of a message")


def _poly(parts: Any) -> Poly:  # noqa: ANN401 - whatever a message holds
    terms: dict[tuple[Atom, ...], int] = {}
    for atoms, coefficient in parts:
        if type(coefficient) is not int:
            raise ValueError("a coefficient that is no integer")
        monomial = tuple(atoms)
        for atom in monomial:
            if type(atom) is not str:
                monomial = tuple([a if type(a) is str else _atom(a) for a in monomial])
                break
        terms[monomial] = coefficient
    return Poly(terms)


def _atom(parts: Any) -> Atom:  # noqa: ANN401 - whatever a message holds
    if len(parts) == 1:
        return DataSize(_form(parts[0]))
    if len(parts) == 2:
        kind, operands = parts
        if kind not in FUNCTION_KINDS:
            raise ValueError("no function of polynomials")
        return PolyFunction(kind, tuple(map(_poly, operands)))
    form, reason, depends, pace, limit = parts
    if not all(type(word) is str for word in depends):
        raise ValueError("an unknown value that depends on no name")
    if type(pace) is not int or type(limit) is not int:
        raise ValueError("an unknown value whose bounds are no numbers")
    return Unknown(
        form=_form(form), reason=_reason(reason), depends=tuple(depends), pace=pace, limit=limit
    )


def _form(parts: Any) -> SourceForm:  # noqa: ANN401 - whatever a message holds
    if not isinstance(parts, list | tuple):
        raise ValueError("a source text without pieces")
    return tuple([piece if type(piece) is str else _source_name(*piece) for piece in parts])


def _source_name(name: object, kind: object) -> SourceName:
    if type(name) is not str or kind not in ("array", "variable"):
        raise ValueError("no name of a source text")
    return SourceName(name, kind)


def _reason(parts: Any) -> Reason:  # noqa: ANN401 - whatever a message holds
    kind, arguments = parts
    if kind not in TEMPLATES:
        raise ValueError("no kind of reason")
    return Reason(kind, tuple([a if type(a) is str else _reason(a) for a in arguments]))


def _no_extension(code: int, data: memoryview) -> object:
    raise ValueError(f"extension {code}")


def _portable(value: Any) -> Any:  # noqa: ANN401 - any part of a message
    """The second form: extensions for what MessagePack lacks."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return Ext(TEXT, value.encode("utf-8", "surrogatepass"))
        return value
    if isinstance(value, int):
        return value if SMALLEST <= value < BEYOND else Ext(INTEGER, hex(value).encode())
    if isinstance(value, msgspec.Struct):
        tag = value.__struct_config__.tag
        fields = msgspec.structs.astuple(value)
        return tuple(map(_portable, fields if tag is None else (tag, *fields)))
    if isinstance(value, tuple | list):
        return tuple(map(_portable, value))
    if isinstance(value, frozenset | set):
        return sorted(map(_portable, value), key=_ENCODER.encode)
    if isinstance(value, dict):
        return _portable_mapping(value)
    names = getattr(value, "__dataclass_fields__", ())
    if names:
        return {name: _portable(getattr(value, name)) for name in names}
    return _portable(_sorted_parts(value)) if isinstance(value, Poly) else value


def _portable_mapping(value: dict[Any, Any]) -> object:
    pairs = [(_portable(key), _portable(item)) for key, item in value.items()]
    if all(type(key) is str for key, _ in pairs):
        return dict(pairs)
    return Ext(MAPPING, _ENCODER.encode(sorted(pairs, key=_ENCODER.encode)))


def _extension(code: int, data: memoryview) -> object:
    """The value of an extension of the second form; ValueError for another."""
    if code == INTEGER:
        return int(bytes(data), 16)
    if code == TEXT:
        return str(data, "utf-8", "surrogatepass")
    if code == MAPPING:
        return {_hashable(key): item for key, item in _WIDE_DECODER.decode(data)}
    raise ValueError(f"extension {code}")


def _hashable(key: object) -> object:
    return tuple(map(_hashable, key)) if isinstance(key, list) else key


_ENCODER: Final = Encoder(enc_hook=_parts)
_CANONICAL: Final = Encoder(enc_hook=_sorted_parts, order="deterministic")
_WIDE_DECODER: Final = Decoder(ext_hook=_extension)


def _declarations(kind: object) -> Iterator[str]:
    """Lines for the types that ``kind`` is made of, with the names and types of their fields."""
    waiting: list[object] = [kind]
    seen: set[object] = set()
    while waiting:
        hint = waiting.pop()
        parts = get_args(hint)
        yield f"{get_origin(hint) if parts else hint!r} of {len(parts)}"
        if hint in seen:
            continue
        seen.add(hint)
        waiting += parts
        if isinstance(hint, type) and hint.__module__ != "builtins" and not parts:
            fields = _fields(hint)
            config = getattr(hint, "__struct_config__", None)
            yield f"{config and config.tag} {' '.join(fields)}"
            waiting += fields.values()


def _fields(kind: type) -> dict[str, Any]:
    """The declared types of a record's fields; evaluating all of them would take 2 ms."""
    declared: dict[str, Any] = getattr(kind, "__annotations__", {})
    return get_type_hints(kind) if any(map(_unresolved, declared.values())) else declared


def _unresolved(hint: object) -> bool:
    if isinstance(hint, str | ForwardRef):
        return True
    return get_origin(hint) is not Literal and any(map(_unresolved, get_args(hint)))

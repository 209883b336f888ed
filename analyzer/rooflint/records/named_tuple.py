"""``typing.NamedTuple`` to type checkers and to the users of a record; defined eight times faster.

The standard library compiles a constructor for each class, which takes most of the 100 µs of a
definition, and a command defines 200 to 300 classes before it reads a file. Here the classes with
the same number of fields share a compiled constructor; only the names of its parameters differ.
"""

import sys
from typing import TYPE_CHECKING, Any, Final

__all__ = ["NamedTuple"]

# Python 3.14 evaluates annotations late and keeps them elsewhere.
if TYPE_CHECKING or sys.version_info >= (3, 14):
    from typing import NamedTuple
else:
    from collections import namedtuple
    from collections.abc import Iterable
    from functools import cache
    from types import CodeType, FunctionType

    class _Record(tuple):
        """The methods of named tuples, shared by all classes."""

        __slots__ = ()
        _fields = ()  # no annotation: it would count as a field of every class

        @classmethod
        def _make(cls, values: Iterable[Any]) -> "_Record":
            record = tuple.__new__(cls, values)
            if len(record) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(record)}")
            return record

        def _replace(self, /, **changes: object) -> "_Record":
            record = tuple.__new__(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {[*changes]!r}")
            return record

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            fields = [f"{name}={value!r}" for name, value in self._asdict().items()]
            return f"{type(self).__name__}({', '.join(fields)})"

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

    @cache
    def _template(arity: int) -> tuple[CodeType, dict[str, Any], list[Any]]:
        """(code of the constructor, its globals, descriptors of the fields)."""
        names = [f"field{number}" for number in range(arity)]
        template = namedtuple("template", names)
        constructor: Any = template.__new__
        descriptors = [vars(template)[name] for name in names]
        return constructor.__code__, constructor.__globals__, descriptors

    class _Definition(type):
        """Makes a subclass of tuple from the body of a class."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body[field] for field in fields if field in body}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name}: a field without a default follows one that has it")
            code, names, descriptors = _template(len(fields))
            code = code.replace(co_varnames=(code.co_varnames[0], *fields))
            constructor = FunctionType(code, names, "__new__", tuple(defaults.values()))
            constructor.__qualname__ = f"{name}.__new__"
            body.update(zip(fields, descriptors, strict=True))
            body.setdefault("__slots__", ())
            body["__new__"] = constructor
            body["__match_args__"] = body["_fields"] = fields
            body["_field_defaults"] = defaults
            others = [base for base in bases if base is not NamedTuple]
            return type(name, (_Record, *others), body)

    NamedTuple: Final = type.__new__(_Definition, "NamedTuple", (), {"__doc__": "Of a record."})

"""Functions whose code is read from a bundle when they are called for the first time.

A run calls four of ten functions that its modules define, so that more than half of their code is
read for nothing. In a bundle, a short one stands for the code of each that a rehearsal did not
call: it has the name and the place of the other, puts it into the function, and calls that.
"""

import sys
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Final

OPTIMIZED: Final = 0x1
"""``CO_OPTIMIZED`` of functions; code of modules and classes has it not."""
WRAPPED: Final = ("fget", "func", "__func__", "__wrapped__")
"""Where properties, cached ones, methods of classes and decorators keep the function."""

Place = tuple[int, int]
"""First byte of a code in its bundle, and the one behind its last."""


class LateCode:
    """Puts the code of functions where it belongs; ``read`` gives that of a place."""

    def __init__(self, read: Callable[[int, int], CodeType]) -> None:
        self._read = read

    def function(self, begin: int, end: int) -> FunctionType:
        """The function that is being called, with its code."""
        frame = sys._getframe(1)
        found = function_at(frame.f_globals, frame.f_code.co_qualname)
        if found is None or found.__code__ is not frame.f_code:
            name = f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}"
            raise RuntimeError(f"{name} is not where its module had it")
        found.__code__ = self._read(begin, end)
        return found


def _code_of_stand_in(*arguments: object, **named: object) -> object:
    return _late_function(1, 2)(*arguments, **named)  # type: ignore[name-defined] # noqa: F821


LATE_NAME: Final = "_late_function"
"""Under which modules have ``LateCode.function``."""
STAND_IN: Final = _code_of_stand_in.__code__


def function_at(names: Mapping[str, object], qualified: str) -> FunctionType | None:
    """The function with that name in a module or in its classes, without decorators."""
    *owners, name = qualified.split(".")
    for owner in owners:
        found = names.get(owner)
        if not isinstance(found, type):
            return None
        names = vars(found)
    return _undecorated(names.get(name))


def _undecorated(value: object) -> FunctionType | None:
    while value is not None and not isinstance(value, type):
        inner = next((vars_of for each in WRAPPED if (vars_of := getattr(value, each, None))), None)
        if inner is None:
            return value if isinstance(value, FunctionType) else None
        value = inner
    return None


def with_late_functions(
    code: CodeType, is_late: Callable[[CodeType], bool], place: Callable[[CodeType], Place]
) -> CodeType:
    """Code of a module or class, with short code for those of its functions that are late."""

    def replaced(inner: object) -> object:
        if not isinstance(inner, CodeType):
            return inner
        if not inner.co_flags & OPTIMIZED:
            return with_late_functions(inner, is_late, place)
        return stand_in(inner, place(inner)) if is_late(inner) else inner

    return code.replace(co_consts=tuple([replaced(each) for each in code.co_consts]))


def stand_in(code: CodeType, place: Place) -> CodeType:
    """The short code for that of a function."""
    begin, end = place
    values = {1: begin, 2: end}
    return STAND_IN.replace(
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_consts=tuple([values.get(each, each) for each in STAND_IN.co_consts]),
    )

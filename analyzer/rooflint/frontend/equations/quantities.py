"""Quantities of a file: declarations of integers under keys that other files share."""

from collections.abc import Container, Iterator, Sequence
from typing import Final

from rooflint.frontend.lower.state.shared import TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor, Type
from rooflint.frontend.parse.spellings import without_place
from rooflint.frontend.parse.tree import child_cursors
from rooflint.ir.equations import Equation, Quantity, QuantityKind, QuantityTerm
from rooflint.records import NamedTuple

_INTEGERS: Final = frozenset(
    kind for kind, name in kinds.SCALAR_TYPES.items() if name[0] in "iu" or name == "bool"
) | {kinds.T_ENUM, *kinds.T_OPEN}
_OF_FUNCTIONS: Final = frozenset(("variable", "element", "length"))
_OF_OBJECTS: Final = frozenset(("member", "element", "length"))
_NO_OBJECTS: Final = frozenset((4, 13, *kinds.T_FUNCTIONS))
"""``CXType_Char_U`` and ``CXType_Char_S``, which are text, and functions."""
_VARYING: Final = "[*]"
"""End of the keys of elements at indices that vary."""
_EXTENT: Final = ".bytes"
_LEADING: Final = frozenset((kinds.T_POINTER, *kinds.T_REFERENCES))


class ParameterForm(NamedTuple):
    """A parameter's type: an integer, a reference, one through which integers may be written, a
    pointer to what may be a table."""

    integer: bool
    reference: bool
    leads: bool
    pointer: bool


class QuantityTable:
    """The quantities of a file, numbered as they are met.

    ``mentioned``: positions of those that were asked for since it was cleared.
    """

    def __init__(self, shared: TranslationUnitContext, path: str) -> None:
        self.quantities: list[Quantity] = []
        self.mentioned: set[int] = set()
        self.clang = shared.clang
        self._path = path
        self._positions: dict[str, int] = {}
        self.keys = shared.keys
        self._parameters: dict[int, tuple[Cursor, int]] = {}
        self._pattern_parameters: dict[tuple[str, int], Cursor] = {}
        self._variables: dict[int, int] = {}
        self._varying: set[int] = set()
        self._forms: dict[tuple[int, int], ParameterForm | None] = {}
        self._written: dict[int, tuple[Cursor, int]] = {}

    def is_integer(self, handle: Type) -> bool:
        """Whether values of the type, or of the type that it refers to, are integers."""
        canonical = self.clang.getCanonicalType(handle)
        if canonical.kind in kinds.T_REFERENCES:
            canonical = self.clang.getCanonicalType(self.clang.getPointeeType(canonical))
        return canonical.kind in _INTEGERS

    def is_reference(self, handle: Type) -> bool:
        """Whether the type is a reference of C++."""
        return self.clang.getCanonicalType(handle).kind in kinds.T_REFERENCES

    def leads_to_integers(self, handle: Type) -> bool:
        """Whether the type is a pointer or a reference to integers that may be written."""
        canonical = self.clang.getCanonicalType(handle)
        if canonical.kind not in _LEADING:
            return False
        target = self.clang.getPointeeType(canonical)
        return self.is_integer(target) and not self.clang.isConstQualifiedType(target)

    def leads_to_object(self, handle: Type) -> bool:
        """Whether the type is a pointer, but none to text or to functions."""
        canonical = self.clang.getCanonicalType(handle)
        if canonical.kind != kinds.T_POINTER:
            return False
        target = self.clang.getCanonicalType(self.clang.getPointeeType(canonical))
        return target.kind not in _NO_OBJECTS

    def form(self, function: Cursor, number: int) -> ParameterForm | None:
        """The type of a function's parameter; None behind the ellipsis."""
        key = function.d0, number
        if key not in self._forms:
            form = None
            if number < self.clang.Cursor_getNumArguments(function):
                parameter = self.clang.Cursor_getArgument(function, number)
                handle = self.clang.getCursorType(parameter)
                form = ParameterForm(
                    integer=self.is_integer(handle),
                    reference=self.is_reference(handle),
                    leads=self.leads_to_integers(handle),
                    pointer=self.leads_to_object(handle),
                )
            self._forms[key] = form
        return self._forms[key]

    def parameter_cursor(self, function: Cursor, number: int) -> Cursor | None:
        """A parameter of a function or of a template's pattern; None behind the ellipsis."""
        if function.kind == kinds.FUNCTION_TEMPLATE:
            below = self._parameter_cursors(function)
            return below[number] if number < len(below) else None
        if not 0 <= number < self.clang.Cursor_getNumArguments(function):
            return None
        parameter: Cursor = self.clang.Cursor_getArgument(function, number)
        return parameter

    def parameter_count(self, function: Cursor) -> int:
        """Parameters that a function or the pattern of a template declares."""
        return len(self._parameter_cursors(function))

    def _parameter_cursors(self, function: Cursor) -> list[Cursor]:
        # libclang counts none of a template's pattern
        below = child_cursors(self.clang, function)
        return [each for each in below if each.kind == kinds.PARAMETER]

    def enter_parameters(self, function: Cursor) -> list[Cursor]:
        """Notes the parameters of a function with a body, and returns them."""
        cursors = self._parameter_cursors(function)
        template = function.kind == kinds.FUNCTION_TEMPLATE
        key = self.keys.key(function) if template else ""
        for number, cursor in enumerate(cursors):
            self._parameters[cursor.d0] = (function, number)
            if template:
                self._pattern_parameters[key, number] = cursor
        return cursors

    def variable(self, cursor: Cursor) -> int:
        """A variable, a member, or a parameter of a function that was entered."""
        known = self._variables.get(cursor.d0)
        if known is None:
            known = self._new_variable(cursor)
            if cursor.kind != kinds.PARAMETER or cursor.d0 in self._parameters:
                self._variables[cursor.d0] = known
        self.mentioned.add(known)
        return known

    def _new_variable(self, cursor: Cursor) -> int:
        if cursor.kind == kinds.PARAMETER and cursor.d0 in self._parameters:
            function, number = self._parameters[cursor.d0]
            reference = self.is_reference(self.clang.getCursorType(cursor))
            return self.parameter(function, number, "target" if reference else "parameter")
        kind: QuantityKind = "member" if cursor.kind == kinds.FIELD else "variable"
        return self._enter(self.keys.key(cursor), cursor, kind)

    def element(self, cursor: Cursor, index: int | None) -> int:
        """An element of an array; None for one at an index that varies."""
        suffix = "*" if index is None else str(index)
        key = f"{self.keys.key(cursor)}[{suffix}]"
        position = self._enter(key, cursor, "element", suffix=suffix)
        if index is None:
            self._varying.add(position)
        else:
            self.element(cursor, None)
        return position

    def length(self, container: Cursor) -> int:
        """The number of elements of a container of the library."""
        if container.kind == kinds.PARAMETER and container.d0 in self._parameters:
            return self.passed_length(*self._parameters[container.d0])
        return self._enter(f"{self.keys.key(container)}.size()", container, "length")

    def passed_length(self, function: Cursor, number: int) -> int:
        """The number of elements of a container that is a parameter."""
        key = self.keys.key(self.keys.pattern(function))
        cursor = self.clang.Cursor_getArgument(function, number)
        return self._enter(f"{key}#{number}.size()", cursor, "length", function=key)

    def extent(self, pointer: Cursor) -> int:
        """The bytes of the object that a variable, a member or a parameter leads to."""
        if pointer.kind == kinds.PARAMETER and pointer.d0 in self._parameters:
            return self.passed_extent(*self._parameters[pointer.d0])
        return self._enter(f"{self.keys.key(pointer)}{_EXTENT}", pointer, "extent")

    def passed_extent(self, function: Cursor, number: int) -> int:
        """The bytes of the object that a parameter leads to."""
        key = self.keys.key(self.keys.pattern(function))
        cursor = self.clang.Cursor_getArgument(function, number)
        return self._enter(f"{key}#{number}{_EXTENT}", cursor, "extent", function=key)

    def result_extent(self, function: Cursor) -> int:
        """The bytes of the object that a function's result leads to."""
        return self._enter(f"{self.keys.function(function)}{_EXTENT}", function, "extent")

    def is_written(self, function: Cursor, number: int) -> bool:
        """Whether a function may change the object that a parameter refers to."""
        parameter = self.clang.Cursor_getArgument(function, number)
        handle = self.clang.getCanonicalType(self.clang.getCursorType(parameter))
        if handle.kind not in kinds.T_REFERENCES:
            return False
        return not self.clang.isConstQualifiedType(self.clang.getPointeeType(handle))

    def variables_of(self, function: str, first: int) -> Iterator[int]:
        """Variables and elements of a function, among the quantities from ``first`` on."""
        for position in range(first, len(self.quantities)):
            quantity = self.quantities[position]
            if quantity.scope == function and quantity.kind in _OF_FUNCTIONS:
                yield position

    def members_mentioned(self) -> Iterator[int]:
        """Members, elements and lengths of containers among those ``mentioned``, by their keys: an
        edited function may meet them in another order."""
        places = [each for each in self.mentioned if self.quantities[each].kind in _OF_OBJECTS]
        yield from sorted(places, key=lambda place: self.quantities[place].key)

    def is_varying_element(self, position: int) -> bool:
        """Whether it stands for the elements of an array at indices that vary."""
        return position in self._varying

    def result(self, function: Cursor) -> int:
        """The result of a function."""
        return self._enter(self.keys.function(function), function, "result")

    def parameter(self, function: Cursor, number: int, kind: QuantityKind) -> int:
        """A parameter of a function, or the object that it leads to."""
        pattern = self.keys.pattern(function)
        key = self.keys.key(pattern)
        marks = {"parameter": "", "target": "*", "written-target": "="}
        cursor = function
        if 0 <= number < self.clang.Cursor_getNumArguments(function):
            cursor = self.clang.Cursor_getArgument(function, number)
        elif (entered := self._pattern_parameters.get((key, number))) is not None:
            cursor = entered
        position = self._enter(f"{key}#{number}{marks[kind]}", cursor, kind, function=key)
        if kind == "target":
            self._written[position] = (function, number)
        return position

    def written_target(self, target: int) -> int:
        """The object at the position ``target`` as its function leaves it."""
        return self.parameter(*self._written[target], "written-target")

    def parameter_of(self, cursor: Cursor) -> tuple[Cursor, int] | None:
        """The function and the number of a parameter that was entered."""
        return self._parameters.get(cursor.d0)

    def _enter(
        self, key: str, cursor: Cursor, kind: QuantityKind, *, function: str = "", suffix: str = ""
    ) -> int:
        position = self._positions.get(key)
        if position is None:
            name = without_place(self.clang.spelling(cursor))
            scope = self.clang.spelling(self.clang.getCursorSemanticParent(cursor))
            shared_scope = scope if cursor.d0 and not scope.endswith(self._path) else ""
            position = self._positions[key] = len(self.quantities)
            self.quantities.append(
                Quantity(
                    key=key,
                    name=_full_name(name, kind, suffix),
                    scope=without_place(shared_scope),
                    kind=kind,
                    function=function,
                )
            )
        self.mentioned.add(position)
        return position


def element_equations(quantities: Sequence[Quantity], known: Container[int]) -> Iterator[Equation]:
    """Elements at constant indices have the values of the others, where their positions are not
    among the ``known`` ones that some equation sets."""
    varying = {
        each.key: position
        for position, each in enumerate(quantities)
        if each.kind == "element" and each.key.endswith(_VARYING)
    }
    for position, each in enumerate(quantities):
        if each.kind == "element" and position not in known and each.key not in varying:
            others = varying[each.key.rpartition("[")[0] + _VARYING]
            yield Equation(target=position, term=QuantityTerm(others), line=0)


def _full_name(name: str, kind: QuantityKind, suffix: str) -> str:
    """``x[3]`` of an element, ``x.size()`` of a length."""
    if kind == "length":
        return f"{name}.size()"
    if kind == "extent":
        return f"{name}{_EXTENT}"
    return f"{name}[{suffix}]" if suffix else name

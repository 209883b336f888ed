"""Data for a call, as C text: memory behind every pointer, and a value for every number."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from rooflint.ir.signature import (
    DeclaredType,
    FixedArrayType,
    MemberType,
    NumberType,
    OpaqueType,
    PointerType,
    RecordType,
    StandardVectorType,
)
from rooflint.measure.program import DEFAULT_SIZE, ProgramSize, ScalarKind

ELEMENT: Final = "rooflint_e"
"""The number of the element that a filling function writes, in its text."""
OPEN_LENGTH: Final = 1 << 20
"""Elements of an array of another file whose declaration leaves its length open."""
_FILLS: Final = {
    ("float", 8): "rooflint_fill_f64",
    ("float", 4): "rooflint_fill_f32",
    ("integer", 8): "rooflint_fill_i64",
    ("integer", 4): "rooflint_fill_i32",
    ("integer", 2): "rooflint_fill_i16",
    ("integer", 1): "rooflint_fill_i8",
}
KINDS: Final = {"rooflint_fill_f64": "ROOFLINT_F64", "rooflint_fill_f32": "ROOFLINT_F32"}
_INTEGERS: Final = {1: "signed char", 2: "short", 4: "int", 8: "long long"}


_VOID: Final = NumberType(spelling="double", kind="float", bytes=8)
"""The elements behind a pointer to void."""


def element_of(kind: DeclaredType) -> DeclaredType:
    """The element behind arrays of arrays."""
    while isinstance(kind, FixedArrayType):
        kind = kind.element
    return kind


def length_of(kind: DeclaredType) -> int:
    """Elements of an array of arrays; 0 where a length is open."""
    length = 1
    while isinstance(kind, FixedArrayType):
        length *= kind.length
        kind = kind.element
    return length


def bytes_of(kind: DeclaredType) -> int:
    """Bytes of an element; 1 where nobody knows."""
    if isinstance(kind, FixedArrayType):
        return length_of(kind) * bytes_of(element_of(kind))
    if isinstance(kind, PointerType):
        return 8
    if isinstance(kind, StandardVectorType):
        return 24
    return max(1, kind.bytes)


def scalar_of(kind: DeclaredType) -> ScalarKind:
    """The numbers that objects of a type consist of, as ``ProgramArray`` has them."""
    if isinstance(kind, FixedArrayType):
        return scalar_of(element_of(kind))
    if isinstance(kind, RecordType):
        scalars = {scalar_of(member.type) for member in kind.members}
        return scalars.pop() if len(scalars) == 1 and scalars <= {"f64", "f32"} else "bits"
    if not isinstance(kind, NumberType):
        return "bits"
    floats: dict[int, ScalarKind] = {8: "f64", 4: "f32"}
    return floats.get(kind.bytes, "bits") if kind.kind == "float" else "integer"


def c_spelling(kind: DeclaredType) -> str:
    """The type in C; bytes where it has no name."""
    if isinstance(kind, OpaqueType):
        return "char"
    if kind.spelling:
        return kind.spelling
    return _INTEGERS[kind.bytes] if isinstance(kind, NumberType) else "char"


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _next(spelling: str, region: int) -> str:
    """The next element of a list, whose elements lie one behind the other; it ends."""
    more = f"{ELEMENT} + 1 < (rooflint_size_type)rooflint_limit"
    return f"({more} ? ({spelling} *)rooflint_array({region}) + {ELEMENT} + 1 : 0)"


class GlueRegion(Struct, frozen=True, kw_only=True):
    """An array of the harness: a name of the path that leads to it, and how it is filled.

    ``fixed``: the variable of the file whose memory it is; empty for memory of its own.
    """

    name: str
    element: str
    bytes: int
    fill: str
    scalar: ScalarKind = "bits"
    function: str = ""
    fixed: str = ""


class CallData:
    """Collects the data of one call. ``given`` are values by path, such as ``a.b``."""

    def __init__(self, given: Mapping[str, int]) -> None:
        self._given = given
        self.regions: list[GlueRegion | None] = []
        self.sizes: dict[str, ProgramSize] = {}
        self.notes: dict[str, None] = {}
        self.nulls: list[str] = []
        self._elements: list[tuple[str, int]] = []
        self._depth = 0

    def size(self, path: str) -> str:
        """The value of an integer that a run can set."""
        value = self._given.get(path)
        self.sizes.setdefault(
            path,
            ProgramSize(
                name=path,
                value=DEFAULT_SIZE if value is None else value,
                origin="default" if value is None else "given",
            ),
        )
        return f"rooflint_sizes[{list(self.sizes).index(path)}]"

    def is_given(self, path: str) -> bool:
        """Whether a value was given for the path."""
        return path in self._given

    def fixed(self, kind: FixedArrayType, path: str) -> None:
        """An array of the file becomes one of the harness, in its own memory."""
        self._region(element_of(kind), path, path)

    def pointer(self, kind: PointerType, path: str, number: str = "") -> str:
        """The value of a pointer; in an array of pointers each ``number`` has a row of its own."""
        if kind.function:
            return "(void *)rooflint_zero"
        if kind.leads_back:
            for spelling, region in reversed(self._elements):
                if kind.target is not None and spelling == kind.target.spelling:
                    return _next(spelling, region)
            if isinstance(kind.target, OpaqueType):
                return "0"
        return self.memory(kind.target, path, number)

    def memory(self, target: DeclaredType | None, path: str, number: str = "") -> str:
        """The address of elements of a type."""
        if self._given.get(path) == 0:
            self.nulls.append(path)
            return "0"
        element = _VOID if target is None else element_of(target)
        region = self._region(element, path)
        if not number:
            return f"rooflint_array({region})"
        return f"rooflint_row({region}, {number})"

    def statements(self, kind: DeclaredType, lvalue: str, path: str, number: str = "") -> list[str]:
        """Statements that give an object its value; ``number``: that of the array's element."""
        if isinstance(kind, NumberType):
            return [f"*({c_spelling(kind)} *)&{lvalue} = {self._value(kind, path, number)};"]
        if isinstance(kind, PointerType):
            return [f"*(void **)&{lvalue} = {self.pointer(kind, path, number)};"]
        if isinstance(kind, FixedArrayType):
            return self._row(kind, lvalue, path, number)
        if isinstance(kind, StandardVectorType):
            element = element_of(kind.element)
            data = self.memory(kind.element, path, number)
            return [f"rooflint_vector((void *)&{lvalue}, {data}, sizeof({c_spelling(element)}));"]
        if isinstance(kind, RecordType):
            return self._record(kind, lvalue, path, number)
        self.notes[f"{path} stays as it is made: {kind.spelling or 'its type'} is opaque"] = None
        return []

    def _value(self, kind: NumberType, path: str, number: str) -> str:
        if kind.kind == "float":
            return f"({c_spelling(kind)})rooflint_fraction({number or 0})"
        if not number or self.is_given(path):
            mask = " & 127" if kind.bytes == 1 and kind.kind == "integer" else ""
            return f"({c_spelling(kind)})({self.size(path)}{mask})"
        if kind.kind == "bool":
            return f"{number} & 1"
        return f"({c_spelling(kind)})rooflint_whole({number})"

    def _member_value(self, kind: NumberType, path: str, number: str, describes: bool) -> str:
        """Of an integer in a record: the size where the record is one of a kind."""
        if not number or describes or kind.kind != "integer" or self.is_given(path):
            return self._value(kind, path, "" if kind.kind == "integer" else number)
        size, whole = self._value(kind, path, ""), self._value(kind, path, number)
        return f"{number} ? {whole} : {size}"

    def _record(self, kind: RecordType, lvalue: str, path: str, number: str) -> list[str]:
        describes = any(
            isinstance(each.type, PointerType | StandardVectorType) for each in kind.members
        )
        lines: list[str] = []
        for member in kind.members:
            lines += self._member(member, f"{lvalue}.{member.name}", _joined(path, member.name),
                number, describes)  # fmt: skip
        return lines

    def _member(
        self, member: MemberType, lvalue: str, path: str, number: str, describes: bool
    ) -> list[str]:
        if member.reference:
            self.notes[f"{path} is a reference and refers to nothing"] = None
            return []
        kind = member.type
        if isinstance(kind, NumberType):
            value = self._member_value(kind, path, number, describes)
            return [f"*({c_spelling(kind)} *)&{lvalue} = {value};"]
        return self.statements(kind, lvalue, path, number)

    def _row(self, kind: FixedArrayType, lvalue: str, path: str, number: str) -> list[str]:
        element, length = element_of(kind), length_of(kind)
        if length == 0:
            return []
        first = f"({number or 0}) * {length}"
        if isinstance(element, NumberType) and not self.is_given(path):
            fill = _FILLS.get((element.kind, element.bytes))
            if fill:
                return [f"{fill}((void *)&{lvalue}, {first}, {length});"]
        index = f"rooflint_k{self._depth}"
        self._depth += 1
        inner = f"(({c_spelling(element)} *)&{lvalue})[{index}]"
        body = self.statements(element, inner, path, f"({first} + {index})")
        self._depth -= 1
        head = f"for (rooflint_size_type {index} = 0; {index} < {length}; {index}++) {{"
        return [head, *body, "}"]

    def _region(self, element: DeclaredType, path: str, fixed: str = "") -> int:
        region = len(self.regions)
        self.regions.append(None)
        fill = ""
        if isinstance(element, NumberType) and not self.is_given(path):
            fill = _FILLS.get((element.kind, element.bytes), "")
        function = ""
        if isinstance(element, OpaqueType):
            self.notes[f"{path} points to zeros: its type is opaque"] = None
            fill = "rooflint_fill_zero"
        elif not fill:
            fill = f"rooflint_fill_{region}"
            function = self._fill_function(element, path, region)
        self.regions[region] = GlueRegion(
            name=path,
            element=c_spelling(element),
            bytes=bytes_of(element),
            fill=fill,
            scalar=scalar_of(element),
            function=function,
            fixed=fixed,
        )
        return region

    def _fill_function(self, element: DeclaredType, path: str, region: int) -> str:
        self._elements.append((element.spelling, region))
        depth, self._depth = self._depth, 0
        body = self.statements(element, "rooflint_p[rooflint_i]", path, ELEMENT)
        self._elements.pop()
        self._depth = depth
        lines = "\n        ".join(body)
        return (
            f"static void rooflint_fill_{region}(void *rooflint_to, rooflint_size_type "
            "rooflint_first, rooflint_size_type rooflint_count)\n{\n"
            f"    {c_spelling(element)} *rooflint_p = ({c_spelling(element)} *)rooflint_to;\n"
            "    for (rooflint_size_type rooflint_i = 0; rooflint_i < rooflint_count; "
            "rooflint_i++) {\n"
            f"        rooflint_size_type {ELEMENT} = rooflint_first + rooflint_i;\n"
            f"        (void){ELEMENT};\n        {lines}\n    }}\n}}\n"
        )

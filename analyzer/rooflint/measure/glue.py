"""The glue: a file that includes the user's and calls its function with data of the harness."""

from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Final

from msgspec import Struct

from rooflint.ir.signature import (
    DeclaredType,
    FixedArrayType,
    FormalParameter,
    NumberType,
    OpaqueType,
    OuterVariable,
    PointerType,
    RecordType,
    Signature,
    StandardVectorType,
)
from rooflint.measure.glue_data import (
    KINDS,
    OPEN_LENGTH,
    CallData,
    GlueRegion,
    bytes_of,
    c_spelling,
    element_of,
    length_of,
    scalar_of,
)
from rooflint.measure.program import ProgramArray, ProgramSize

HARNESS: Final = files("rooflint.measure") / "harness"
RETURNED: Final = "the value of the call"
OWNER: Final = "*this"
"""Names of cells that the source does not name."""
_ZERO: Final = "static long long rooflint_zero(void) { return 0; }"
"""Where pointers to functions point."""
_CXX: Final = """\
struct rooflint_any {
    void *at;
    template <class T> operator T *() const { return (T *)at; }
};
struct rooflint_object {
    void *at;
    template <class T> operator T &() const { return *(T *)at; }
};
struct rooflint_storage { void *at; };
inline void *operator new(rooflint_size_type, rooflint_storage to) { return to.at; }
template <class T>
auto rooflint_make(void *at, int) -> decltype(new (rooflint_storage{at}) T, void())
{
    new (rooflint_storage{at}) T;
}
template <class T> void rooflint_make(void *, long) {}
template <class T> struct rooflint_same { typedef T type; };
static inline void rooflint_vector(void *vector, void *data, rooflint_size_type bytes)
{
    void **pointers = (void **)vector;
    pointers[0] = data;
    pointers[1] = pointers[2] = (char *)data + bytes * (rooflint_size_type)rooflint_limit;
}
"""


class Glue(Struct, frozen=True, kw_only=True):
    """The text of the glue, and what it asks of a run."""

    text: str
    sizes: tuple[ProgramSize, ...]
    arrays: tuple[ProgramArray, ...]
    cells: tuple[ProgramArray, ...]
    is_c: bool
    nulls: tuple[str, ...]
    notes: tuple[str, ...]


class _Cell(Struct, frozen=True, kw_only=True):
    """A single object that the function may change: an lvalue of the glue."""

    name: str
    expression: str
    type: DeclaredType

    @property
    def row(self) -> str:
        """Of the table that harness.h asks for."""
        place = self.expression
        return f'{{"{self.name}", (void *)&{place}, sizeof({place})}},'

    @property
    def array(self) -> ProgramArray:
        """As an array of one element."""
        return ProgramArray(
            name=self.name,
            element_bytes=bytes_of(self.type),
            element=c_spelling(element_of(self.type)),
            scalar=scalar_of(self.type),
        )


class _Call:
    """The parts of the text that make the call."""

    def __init__(self, data: CallData, is_c: bool) -> None:
        self.data = data
        self.is_c = is_c
        self.declarations: list[str] = []
        self.preparation: list[str] = []
        self.cells: list[_Cell] = []

    def argument(self, parameter: FormalParameter, number: int) -> str:
        """The expression that passes a parameter."""
        name = parameter.name or f"argument{number + 1}"
        kind, cell = parameter.type, f"rooflint_argument{number}"
        if parameter.reference:
            address = self.object(kind, name, cell)
            if address != cell:
                self.cell(name, cell, kind)
            return f"rooflint_object{{{address}}}"
        if isinstance(kind, NumberType):
            return self._number(kind, name, cell)
        if isinstance(kind, PointerType):
            return self._pointer(kind, name, cell)
        if isinstance(kind, FixedArrayType) and self.is_c and not kind.spelling.startswith("_C"):
            return f"*({kind.spelling} *){self.object(kind, name, cell)}"
        return f"*({c_spelling(kind)} *){self.object(kind, name, cell)}"

    def object(self, kind: DeclaredType, path: str, cell: str) -> str:
        """The address of an object with a value, in memory of the glue's own."""
        if isinstance(kind, FixedArrayType) and length_of(kind) > 64:
            self.declarations.append(f"static void *{cell};")
            self.preparation.append(f"{cell} = {self.data.memory(kind, path)};")
            return cell
        spelling = kind.spelling or c_spelling(kind)
        self.declarations.append(
            f"static char {cell}[sizeof({spelling})] __attribute__((aligned(64)));"
        )
        if not self.is_c and isinstance(kind, OpaqueType | RecordType):
            trivial = isinstance(kind, RecordType) and kind.trivial
            if not trivial:
                self.preparation.append(f"rooflint_make<{spelling}>({cell}, 0);")
        lvalue = f"(*({spelling} *){cell})"
        self.preparation += self.data.statements(kind, lvalue, path)
        return f"(void *){cell}"

    def _number(self, kind: NumberType, name: str, cell: str) -> str:
        wide = "double" if kind.kind == "float" else "long long"
        self.declarations.append(f"static {wide} {cell};")
        value = "rooflint_fraction(0)" if kind.kind == "float" else self.data.size(name)
        mask = " & 127" if kind.kind == "integer" and kind.bytes == 1 else ""
        self.preparation.append(f"{cell} = {value}{mask};")
        return f"({kind.spelling}){cell}" if kind.spelling else cell

    def _pointer(self, kind: PointerType, name: str, cell: str) -> str:
        target = kind.target
        if not self.is_c and _holds_containers(target):
            assert target is not None
            address = self.object(target, name, cell)
        else:
            self.declarations.append(f"static void *{cell};")
            self.preparation.append(f"{cell} = {self.data.pointer(kind, name)};")
            address = cell
        return address if self.is_c else f"rooflint_any{{{address}}}"

    def variable(self, variable: OuterVariable) -> None:
        """Gives a variable of the file its value, where its declaration gives it none."""
        kind, name = variable.type, variable.name
        if not variable.defined:
            self.declarations += _declarations(variable, self.is_c)
            self.declarations.append(_definition(variable, self.is_c))
        given = self.data.is_given(name)
        if variable.const and not given:
            return
        if variable.initialised and not given:
            self.cell(name, name, kind)
            return
        if isinstance(kind, FixedArrayType):
            if c_spelling(element_of(kind)) != "char" or isinstance(element_of(kind), NumberType):
                self.data.fixed(kind, name)
                return
        elif not isinstance(kind, OpaqueType):
            self.preparation += self.data.statements(kind, name, name)
            self.cell(name, name, kind)

    def cell(self, name: str, expression: str, kind: DeclaredType) -> None:
        """Takes note of an object that the call may change; addresses tell nothing."""
        if not isinstance(kind, OpaqueType | PointerType):
            self.cells.append(_Cell(name=name, expression=expression, type=kind))


def _holds_containers(kind: DeclaredType | None) -> bool:
    """Whether it is an object that cannot lie in an array of raw memory."""
    if not isinstance(kind, RecordType) or kind.trivial:
        return False
    members = [element_of(member.type) for member in kind.members]
    return any(
        isinstance(each, StandardVectorType) or (isinstance(each, OpaqueType) and each.bytes > 0)
        or _holds_containers(each)
        for each in members
    )  # fmt: skip


def _declarations(variable: OuterVariable, is_c: bool) -> list[str]:
    """A declaration outside of blocks, where the source has one inside a function only."""
    spelling = variable.type.spelling
    if not (variable.in_block and spelling):
        return []
    spelled = f"__typeof__({spelling})" if is_c else f"rooflint_same<{spelling}>::type"
    scope, _, name = variable.name.rpartition("::")
    declaration = f"extern {'const ' if variable.const else ''}{spelled} {name};"
    return [f"namespace {scope} {{ {declaration} }}" if scope else declaration]


def _definition(variable: OuterVariable, is_c: bool) -> str:
    """A definition of a variable of another file."""
    kind, name = variable.type, variable.name
    typeof = "__typeof__" if is_c else "decltype"
    if isinstance(kind, FixedArrayType) and kind.length == 0:
        row = length_of(kind.element)
        if isinstance(kind.element, FixedArrayType):
            alias = f"rooflint_row_{name.replace('::', '_')}"
            rows = OPEN_LENGTH // max(1, row)
            return f"typedef {typeof}({name}[0]) {alias};\n{alias} {name}[{rows}];"
        return f"{c_spelling(kind.element)} {name}[{OPEN_LENGTH}];"
    if variable.const and not is_c:
        return f"{typeof}({name}) {name} = {{}};"
    return f"{typeof}({name}) {name};"


def write_glue(
    signature: Signature, path: str, given: Mapping[str, int], overloaded: bool, setup: str = ""
) -> Glue:
    """The glue of a function of the file at ``path``."""
    data = CallData(given)
    call = _Call(data, signature.is_c)
    owner = _owner(call, signature)
    arguments = [call.argument(each, number) for number, each in enumerate(signature.parameters)]
    for variable in signature.outer:
        call.variable(variable)
    pointer, function = _target(signature, owner, overloaded)
    statement = f"{function}({', '.join(arguments)});"
    returning = _returning(call, signature, statement)
    regions = [region for region in data.regions if region is not None]
    extern = "" if signature.is_c else 'extern "C" '
    if setup:
        call.declarations.append(f"{extern}void rooflint_setup(void);")
        call.preparation.append("rooflint_setup();")
    text = "\n".join(
        [
            f'#include "{HARNESS / "harness.h"}"',
            f'#include "{path}"',
            "" if signature.is_c else _CXX,
            _ZERO,
            *_prototypes(regions),
            *call.declarations,
            *[region.function for region in regions],
            pointer,
            *_tables(regions, call.cells, data.sizes.values(), extern),
            _definition_of("prepare", extern, call.preparation),
            _definition_of("call", extern, [statement]),
            _definition_of("return", extern, [returning]),
            "",
        ]
    )
    return Glue(
        text=text,
        sizes=tuple(data.sizes.values()),
        arrays=tuple(map(_array, regions)),
        cells=tuple([cell.array for cell in call.cells]),
        is_c=signature.is_c,
        nulls=tuple(data.nulls),
        notes=tuple(data.notes),
    )


def _returning(call: _Call, signature: Signature, statement: str) -> str:
    """The call that keeps the function's value in a cell, where it has one that is a number."""
    if signature.result is None:
        return statement
    spelling, cell = c_spelling(signature.result), "rooflint_returned"
    call.declarations.append(f"static {spelling} {cell};")
    call.cell(RETURNED, cell, signature.result)
    return f"{cell} = ({spelling}){statement}"


def _owner(call: _Call, signature: Signature) -> str:
    """The address of the object that a method works on; empty for other functions."""
    if signature.owner is None:
        return ""
    address = call.object(signature.owner, "", "rooflint_this")
    call.cell(OWNER, "rooflint_this", signature.owner)
    return f"(({signature.owner.spelling} *){address})"


def _array(region: GlueRegion) -> ProgramArray:
    return ProgramArray(
        name=region.name,
        element_bytes=region.bytes,
        element=region.element,
        scalar=region.scalar,
    )


def _definition_of(name: str, extern: str, statements: list[str]) -> str:
    body = "".join([f"    {line}\n" for line in statements])
    return f"{extern}void rooflint_{name}(void)\n{{\n{body}}}"


def _target(signature: Signature, owner: str, overloaded: bool) -> tuple[str, str]:
    """The pointer to the function, and the expression that is called."""
    name = signature.name
    if signature.is_c:
        pointer = f"static void *volatile rooflint_function = (void *){name};"
        return pointer, f"((__typeof__(&{name}))rooflint_function)"
    function = f"rooflint_same<{signature.spelling}>::type"
    if owner:
        scope = name.rpartition("::")[0]
        kind = f"{function} {scope}::*" if overloaded else f"decltype(&{name})"
        pointer = f"typedef {kind} rooflint_pointer;"
        return (
            f"{pointer}\nstatic rooflint_pointer volatile rooflint_function = &{name};",
            f"({owner}->*rooflint_function)",
        )
    kind = f"{function} *" if overloaded else f"decltype(&{name})"
    return (
        f"typedef {kind} rooflint_pointer;\n"
        f"static rooflint_pointer volatile rooflint_function = &{name};",
        "rooflint_function",
    )


def _prototypes(regions: Iterable[GlueRegion]) -> list[str]:
    return [
        f"static void {region.fill}(void *, rooflint_size_type, rooflint_size_type);"
        for region in regions
        if region.function
    ]


def _tables(
    regions: list[GlueRegion], cells: Iterable[_Cell], sizes: Iterable[ProgramSize], extern: str
) -> list[str]:
    """The tables that harness.h asks for."""
    rows = [
        f'{{"{each.name}", sizeof({each.element}), {KINDS.get(each.fill, "ROOFLINT_OTHER")}, '
        f"{each.fill}, "
        + (f"(void *)&{each.fixed}, sizeof({each.fixed})" if each.fixed else "0, 0")
        + "},"
        for each in regions
    ]
    known = list(sizes)
    names = [f'"{size.name}",' for size in known]
    values = [f"{size.value}," for size in known]
    return [
        f"{extern}{{" if extern else "",
        "const struct rooflint_elements rooflint_arrays[] = {",
        *rows,
        "{0, 1, ROOFLINT_OTHER, 0, 0, 0}};",
        f"const int rooflint_array_count = {len(regions)};",
        "const struct rooflint_cell rooflint_cells[] = {",
        *[cell.row for cell in cells],
        "{0, 0, 0}};",
        "const int rooflint_cell_count = sizeof rooflint_cells / sizeof *rooflint_cells - 1;",
        "const char *const rooflint_size_names[] = {" + " ".join(names) + "0};",
        "long long rooflint_sizes[] = {" + " ".join(values) + "0};",
        f"const int rooflint_size_count = {len(known)};",
        "}" if extern else "",
    ]

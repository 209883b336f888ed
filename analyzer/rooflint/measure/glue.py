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
    c_spelling,
    element_of,
    length_of,
)
from rooflint.measure.program import ProgramArray, ProgramSize

HARNESS: Final = files("rooflint.measure") / "harness"
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
    is_c: bool
    nulls: tuple[str, ...]
    notes: tuple[str, ...]


class _Call:
    """The parts of the text that make the call."""

    def __init__(self, data: CallData, is_c: bool) -> None:
        self.data = data
        self.is_c = is_c
        self.declarations: list[str] = []
        self.preparation: list[str] = []

    def argument(self, parameter: FormalParameter, number: int) -> str:
        """The expression that passes a parameter."""
        name = parameter.name or f"argument{number + 1}"
        kind, cell = parameter.type, f"rooflint_argument{number}"
        if parameter.reference:
            return f"rooflint_object{{{self.object(kind, name, cell)}}}"
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
            self.declarations.append(_definition(variable, self.is_c))
        given = self.data.is_given(name)
        if (variable.initialised or variable.const) and not given:
            return
        if isinstance(kind, FixedArrayType):
            if c_spelling(element_of(kind)) != "char" or isinstance(element_of(kind), NumberType):
                self.data.fixed(kind, name)
        elif not isinstance(kind, OpaqueType):
            self.preparation += self.data.statements(kind, name, name)


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
    pointer, expression = _target(signature, owner, overloaded)
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
            *_tables(regions, data.sizes.values(), extern),
            _definition_of("prepare", extern, call.preparation),
            _definition_of("call", extern, [f"{expression}({', '.join(arguments)});"]),
            "",
        ]
    )
    return Glue(
        text=text,
        sizes=tuple(data.sizes.values()),
        arrays=tuple(map(_array, regions)),
        is_c=signature.is_c,
        nulls=tuple(data.nulls),
        notes=tuple(data.notes),
    )


def _owner(call: _Call, signature: Signature) -> str:
    """The address of the object that a method works on; empty for other functions."""
    if signature.owner is None:
        return ""
    address = call.object(signature.owner, "", "rooflint_this")
    return f"(({signature.owner.spelling} *){address})"


def _array(region: GlueRegion) -> ProgramArray:
    return ProgramArray(name=region.name, element_bytes=region.bytes, element=region.element)


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


def _tables(regions: list[GlueRegion], sizes: Iterable[ProgramSize], extern: str) -> list[str]:
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
        "const char *const rooflint_size_names[] = {" + " ".join(names) + "0};",
        "long long rooflint_sizes[] = {" + " ".join(values) + "0};",
        f"const int rooflint_size_count = {len(known)};",
        "}" if extern else "",
    ]

"""Where values live: every way C and C++ name an array element ends as the same ``Access``."""

from typing import Final

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.operands import POINTER, Lvalue, Operand, Pointer, element_bytes
from rooflint.frontend.lower.state.shared import Decl
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.parse import kinds
from rooflint.ir import (
    ZERO,
    Access,
    Poly,
    Provenance,
    Reason,
    SourceForm,
    SourceName,
    source_form,
)
from rooflint.ir.written import Piece, form_text, without_marks

ARGUMENT: Final = Provenance("argument")
LOCAL: Final = Provenance("local")
STATIC: Final = Provenance("static")
VIEWS: Final = frozenset(
    ("span", "mdspan", "basic_string_view", "initializer_list", "reference_wrapper")
)
"""Templates of the standard library whose elements are another object's."""

_FLEXIBLE: Final = 1
"""Elements at most of an array member that may stand for any number of them."""

# not Lvalue(...) and so on: their constructors are Python code, and run for every reference
new = tuple.__new__


def provenance_of(context: LoweringContext, decl: Decl) -> Provenance:
    """Of the memory that a variable is or points to, before anything moves it."""
    parameter = decl.kind == kinds.PARAMETER
    points = decl.ctype.shape == "pointer" or decl.ctype.reference or decl.ctype.template in VIEWS
    if points or (parameter and decl.ctype.shape == "array"):
        return ARGUMENT if parameter else POINTER
    return LOCAL if parameter or context.unit.storage_of(decl) == "local" else STATIC


def type_extents(ctype: CType) -> tuple[Poly | None, ...]:
    """Extents of an array, or of what a pointer walks (open), outermost first."""
    extents: list[Poly | None] = []
    if ctype.shape == "pointer":
        extents.append(None)
        ctype = ctype.element or ctype
    while ctype.shape == "array" and ctype.element is not None:
        extents.append(Poly.constant(ctype.extent) if ctype.extent >= 0 else None)
        ctype = ctype.element
    return tuple(extents)


def _member_extents(ctype: CType) -> tuple[Poly | None, ...]:
    """Extents of an array member. One of a single element or none is open: C programs end a record
    of any length with it, and gcc and clang take it for that (``-fstrict-flex-arrays``)."""
    whole = type_extents(ctype)
    return (None, *whole[1:]) if ctype.extent <= _FLEXIBLE else whole


def variable_place(context: LoweringContext, decl: Decl) -> Lvalue:
    """The place of a named variable that is not a pointer."""
    name = context.variables.name(decl)
    ctype = decl.ctype
    if ctype.shape == "record":
        context.memory.base(
            name, ctype, context.unit.storage_of(decl), (), provenance_of(context, decl)
        )
        return Lvalue(ctype, name, ZERO, (), key=decl.key)
    return new(Lvalue, (ctype, "", ZERO, (), name, decl.key, (), "", 0))


def pointer_of_variable(context: LoweringContext, decl: Decl) -> Pointer:
    """The target of an array or pointer variable before anything moved it."""
    ctype = decl.ctype
    name = context.variables.name(decl)
    if name not in context.memory.arrays:
        held = provenance_of(context, decl)
        context.memory.base(name, ctype, context.unit.storage_of(decl), type_extents(ctype), held)
    variable = context.memory.variable_extents.get(decl.key, ())
    return new(Pointer, (name, ZERO, ctype.element or ctype, (), variable, ""))


def pointee(context: LoweringContext, pointer: Pointer) -> Lvalue:
    """The place ``*pointer``."""
    array, offset, target, subscripts, extents, path = pointer
    if subscripts == () and not offset.terms and not path:
        subscripts = (ZERO,)
    return new(Lvalue, (target, array, offset, subscripts, "", 0, extents, path, 0))


def address(place: Lvalue) -> Pointer | None:
    """The pointer ``&place``; None for a scalar."""
    if not place.array:
        return None
    return Pointer(
        place.array, place.offset, place.ctype, place.subscripts, place.extents, place.path
    )


def element(place: Lvalue) -> Pointer:
    """The pointer that an array-typed place decays to; its next subscript is one dimension in."""
    target = place.ctype.element or place.ctype
    subscripts = None if place.subscripts is None else (*place.subscripts, ZERO)
    return new(
        Pointer, (place.array, place.offset, target, subscripts, place.extents[1:], place.path)
    )


def load(context: LoweringContext, place: Lvalue) -> Operand:
    """The value at a place: a pointer for arrays, a closed form for tracked integers."""
    ctype = place.ctype
    if place.key and (known := context.env.get(place.key)) is not None:
        if not isinstance(known, Lvalue):
            return _noted(context, place, known)
        if known.key != place.key:
            return load(context, known)
    if ctype.shape == "array":
        return element(place)
    if ctype.shape == "record":
        found = address(place)
        return found if found else context.emit_opaque(ctype.name)
    if not place.array:
        return _load_scalar(context, place)
    if ctype.shape == "pointer":
        return loaded_pointer(context, place)
    return _load_element(context, place)


def _noted(context: LoweringContext, place: Lvalue, held: Poly | Pointer) -> Poly | Pointer:
    """The value of a variable; that it is read is noted where somebody asks."""
    if isinstance(held, Pointer) and place.name:
        context.memory.note_pointer(place.name, place.ctype, held.array)
    elif place.name and not context.changes(place.key):
        context.memory.note_scalar(place.name)
    return held


def load_pointee(context: LoweringContext, pointer: Pointer) -> Operand:
    """The value at ``*pointer``."""
    array, offset, target, subscripts, _, path = pointer
    if target.shape != "scalar":
        return load(context, pointee(context, pointer))
    if target.is_integer or path:
        return _load_element(context, pointee(context, pointer))
    if subscripts == () and not offset.terms:
        subscripts = (ZERO,)
    type_ = target.ir or "opaque"
    access = new(Access, (array, offset, type_, target.bytes or 1, False, subscripts or (), 0))
    return context.emit_load(access)


def _load_element(context: LoweringContext, place: Lvalue) -> Operand:
    if place.ctype.is_integer and _is_fixed(context, place):
        name = place_text(place)
        context.memory.note_cell(name, place.ctype, "member", _of_member(context, place))
        return context.symbols.data_size(_place_form(place))
    number = context.emit_load(access_of(place, write=False))
    if place.path:
        context.statement.note_path(number, place.path)
    return number


def _load_scalar(context: LoweringContext, place: Lvalue) -> Operand:
    ctype = place.ctype
    if ctype.is_integer:
        if context.flow.is_unsaid(place.key):
            symbol = context.symbols.variable(place.name, Reason("changes-in-loop", (place.name,)))
        else:
            symbol = context.symbols.size(place.name)
        if place.key:
            context.bind(place.key, symbol)
        return symbol
    if ctype.shape == "pointer":
        target = ctype.element or ctype
        base = context.memory.base(place.name, ctype, "member", type_extents(ctype))
        context.memory.note_pointer(place.name, ctype, base)
        return Pointer(base, ZERO, target, ())
    return context.read_scalar(place.name, place.key, ctype.ir)


def _is_fixed(context: LoweringContext, place: Lvalue) -> bool:
    """A scalar member or constant element that nothing in the active loops moves."""
    return not place.subscripts and place.offset.names().isdisjoint(context.symbols.active)


def loaded_pointer(context: LoweringContext, place: Lvalue) -> Pointer:
    """A pointer that itself lies in memory: a row of ``double **p``, a member ``s->data``.

    Rows become one array ``*p`` whose rows are taken to lie at equal distances.
    """
    ctype = place.ctype
    target = ctype.element or ctype
    fixed = all(s.value is not None for s in place.subscripts or ())
    if fixed and place.offset.value is not None:
        base = context.memory.base(place_text(place), ctype, "member", type_extents(ctype))
        context.memory.note_cell(base, ctype, "member", _of_member(context, place))
        context.memory.note_pointer(base, ctype, base)
        return Pointer(base, ZERO, target, ())
    context.emit_load(access_of(place, write=False))
    name = f"*{place.array}{place.path}"
    context.memory.note_pointer(place.array, ctype, name)
    extents = type_extents(ctype)
    row = _row(context, place)
    if row is None:
        reason = Reason("pointer-read", (place.array,))
        unknown = context.symbols.unknown(_place_form(place), reason)
        context.memory.base(name, ctype, "unknown", extents)
        return Pointer(name, unknown, target, None)
    rows = place.subscripts or ()
    pitch = context.symbols.size(f"pitch({name})")
    context.memory.base(name, ctype, "unknown", (None, *_inner(context, place), *extents))
    assumption = f"rows of {place.array}{place.path} lie {pitch} elements apart and do not overlap"
    context.assume(assumption)
    context.memory.update(context.memory.arrays[name]._replace(assumption=assumption))
    size = element_bytes(Pointer(name, ZERO, target, (), place.extents))
    return Pointer(name, row * pitch * size, target, (*rows, ZERO), place.extents)


def _row(context: LoweringContext, place: Lvalue) -> Poly | None:
    """Which row a pointer in memory stands for: its number among all, in every dimension."""
    rows = place.subscripts
    if not rows or len(rows) == 1:
        return rows[0] if rows else None
    record = context.memory.arrays.get(place.array) if place.path else None
    size = record.element_bytes if record is not None else place.ctype.bytes
    moving = place.offset - place.offset.terms.get((), 0)
    if not size or any(factor % size for factor in moving.terms.values()):
        return None
    constant = place.offset.terms.get((), 0) // size
    return Poly({m: factor // size for m, factor in moving.terms.items()}) + constant


def _inner(context: LoweringContext, place: Lvalue) -> tuple[Poly | None, ...]:
    """How many rows there are in each dimension but the first, where the declaration says so."""
    count = len(place.subscripts or ()) - 1
    array = context.memory.arrays.get(place.array)
    known = array.extents[1 : count + 1] if array is not None else ()
    return (*known, *[None] * (count - len(known)))


def access_of(place: Lvalue, write: bool) -> Access:
    """The IR's access for a memory place."""
    ctype, array, offset, subscripts = place[:4]
    type_ = ctype.ir or "opaque"
    size = ctype.bytes or 1
    return new(Access, (array, offset, type_, size, write, subscripts or (), place.bits))


def place_text(place: Lvalue) -> str:
    """How messages and size parameters name a place: ``a[i][0]``, ``p->z.n``, ``t[k].lo``."""
    return form_text(_place_form(place))


def _place_form(place: Lvalue) -> SourceForm:
    if not place.array or place.name:
        return (SourceName(place.name),)
    form: list[Piece] = [SourceName(place.array, "array")]
    if place.subscripts is None:
        form += ("+", *source_form(place.offset)) if place.offset else ()
    for subscript in place.subscripts or ():
        form += ("[", *source_form(subscript), "]")
    return (*without_marks(form, " "), place.path)


def field(context: LoweringContext, base: Lvalue, decl: Decl) -> Lvalue:
    """The member ``decl`` of a record at ``base``.

    One that does not move is a scalar or an array of its own, named by its whole path.
    """
    # a record that does not move has the same members every time
    subscripts = base.subscripts
    if (
        not base.array
        or base.path
        or base.offset.terms
        or subscripts is None
        or any(subscript.terms for subscript in subscripts)
    ):
        return _field(context, base, decl)
    key = (base.array, len(subscripts), decl.key)
    found = context.memory.fields.get(key)
    if found is None:
        found = context.memory.enter_field(key, _field(context, base, decl))
    return found


def _field(context: LoweringContext, base: Lvalue, decl: Decl) -> Lvalue:
    bits = context.unit.clang.Cursor_getOffsetOfField(decl.cursor)
    ctype = decl.ctype
    member = Lvalue(
        ctype=ctype,
        array=base.array,
        offset=base.offset + max(0, bits) // 8,
        subscripts=base.subscripts,
        path=f"{base.path}.{decl.name}",
        bits=max(0, context.unit.clang.getFieldDeclBitWidth(decl.cursor)),
    )
    if not _stays(context, base):
        return member._replace(subscripts=None) if ctype.shape == "array" else member
    if base.array and not base.path:
        member = _through_pointer(context, member, decl)
    name = place_text(member) if base.array else decl.name
    held = _of_member(context, member)
    if ctype.shape == "array":
        context.memory.base(name, ctype, "member", _member_extents(ctype), held)
        return Lvalue(ctype, name, ZERO, ())
    if ctype.reference or not _is_variable(ctype):
        return member
    context.memory.note_cell(name, ctype, "member", held)
    return Lvalue(ctype, name=name, key=context.member_key(name, decl))


def _stays(context: LoweringContext, record: Lvalue) -> bool:
    """Whether a record is the same one in all iterations, the first of its array."""
    moving = not record.offset.names().isdisjoint(context.symbols.active)
    return not moving and all(s.value == 0 for s in record.subscripts or ())


def _through_pointer(context: LoweringContext, member: Lvalue, decl: Decl) -> Lvalue:
    """``p->x``, ``(*p).x`` and ``p[0].x`` are one."""
    if member.subscripts is None or len(member.subscripts) >= 2:
        return member
    array = context.memory.arrays.get(member.array)
    extents = array.extents if array is not None else ()
    if not extents:
        return member._replace(subscripts=())
    if extents[0] is None:
        return member._replace(subscripts=(), path=f"->{decl.name}")
    return member


def _is_variable(ctype: CType) -> bool:
    """Whether a member of that type is a variable of its own: no record but a container."""
    return ctype.shape in ("scalar", "pointer") or (
        ctype.shape == "record" and bool(ctype.template)
    )


def _of_member(context: LoweringContext, member: Lvalue) -> Provenance:
    """Of a member that does not move: part of the record at a place."""
    record = context.memory.arrays.get(member.array)
    held = record.provenance if record is not None else POINTER
    at = member.offset.value
    return held._replace(within=member.array, at=at) if at is not None else POINTER


def own_field(context: LoweringContext, decl: Decl) -> Lvalue:
    """The member ``decl`` of the object a method runs on."""
    if context.inlining.this is not None:
        return field(context, context.inlining.this, decl)
    ctype = decl.ctype
    bits = context.unit.clang.Cursor_getOffsetOfField(decl.cursor)
    held = POINTER._replace(within="this", at=max(0, bits) // 8)
    if ctype.reference or bits < 0:
        held = POINTER
    if ctype.shape == "array":
        context.memory.base(decl.name, ctype, "member", _member_extents(ctype), held)
        return Lvalue(ctype, decl.name, ZERO, ())
    if ctype.shape == "record":
        context.memory.base(decl.name, ctype, "member", (), held)
        return Lvalue(ctype, decl.name, ZERO, (), key=decl.key)
    context.memory.note_cell(decl.name, ctype, "member", held)
    return Lvalue(ctype, name=decl.name, key=context.member_key(decl.name, decl))

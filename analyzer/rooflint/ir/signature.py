"""Signatures of functions as C and C++ declare them: types down to numbers, and what lies outside.

The IR of loops names element types only; whoever calls a function needs its parameters whole.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from rooflint.ir.unit import Span


class _DeclaredType(Struct, frozen=True, kw_only=True, tag_field="is"):
    """``spelling`` as the source's compiler prints it; empty where a type has no name."""

    spelling: str


class NumberType(_DeclaredType, frozen=True, kw_only=True, tag="number"):
    """A floating-point number, an integer, an enumerator or a truth value."""

    kind: Literal["float", "integer", "bool"]
    bytes: int


class PointerType(_DeclaredType, frozen=True, kw_only=True, tag="pointer"):
    """A pointer to elements of ``target``; None for pointers to void and to functions.

    ``leads_back``: to a record that the pointer lies in, as in lists and grids of grids.
    """

    target: "DeclaredType | None"
    function: bool = False
    leads_back: bool = False


class FixedArrayType(_DeclaredType, frozen=True, kw_only=True, tag="array"):
    """``length`` elements in a row; 0 where the declaration leaves it open."""

    element: "DeclaredType"
    length: int


class MemberType(Struct, frozen=True, kw_only=True):
    """A member of a record, those of its bases and of anonymous records in it included."""

    name: str
    type: "DeclaredType"
    reference: bool = False
    const: bool = False


class RecordType(_DeclaredType, frozen=True, kw_only=True, tag="record"):
    """A struct or class of ``bytes``; ``trivial``: its members are all there is to it."""

    bytes: int
    members: tuple[MemberType, ...]
    trivial: bool = True


class StandardVectorType(_DeclaredType, frozen=True, kw_only=True, tag="vector"):
    """``std::vector``: three pointers to elements."""

    element: "DeclaredType"


class OpaqueType(_DeclaredType, frozen=True, kw_only=True, tag="opaque"):
    """A type whose contents are not modelled; ``bytes`` is 0 where it is incomplete."""

    bytes: int


DeclaredType: TypeAlias = (
    NumberType | PointerType | FixedArrayType | RecordType | StandardVectorType | OpaqueType
)


class FormalParameter(Struct, frozen=True, kw_only=True):
    """A parameter; ``reference``: C++ passes the object itself."""

    name: str
    type: DeclaredType
    reference: bool = False


class OuterVariable(Struct, frozen=True, kw_only=True):
    """A variable of the file, or of another one, that the function names.

    ``defined`` in this file; ``initialised``: its declaration gives it a value; ``in_block``: that
    declaration is inside a function, so that the end of the file does not know the name.
    """

    name: str
    type: DeclaredType
    defined: bool
    initialised: bool
    const: bool
    in_block: bool = False


class Signature(Struct, frozen=True, kw_only=True):
    """A function with a body in the file.

    name        as a call at the end of the file spells it, with its scopes
    spelling    of the function's type, for overloads and instances of templates
    result      the type of its value where that is a number
    owner       the class of a method that works on an object, None for other functions
    template    one of a template's instances; ``dependent``: the template itself
    loops       places of its outermost loops; of those inside loops that call other files
    drives      some loop calls other files and has loops inside, which take its place
    loop_calls  functions without a body that these loops call by themselves
    unseen      those that it calls anywhere, or that other functions of the file call for it
    content     digest of all source that its machine code rests on, comments and places aside
    """

    name: str
    span: Span
    parameters: tuple[FormalParameter, ...]
    spelling: str
    is_c: bool
    result: NumberType | None = None
    owner: DeclaredType | None = None
    template: bool = False
    dependent: bool = False
    loops: tuple[Span, ...] = ()
    drives: bool = False
    loop_calls: tuple[str, ...] = ()
    outer: tuple[OuterVariable, ...] = ()
    unseen: tuple[str, ...] = ()
    content: str = ""


class FileSignatures(Struct, frozen=True, kw_only=True):
    """The functions with bodies in a file, and the first error in it."""

    signatures: tuple[Signature, ...]
    error: str = ""

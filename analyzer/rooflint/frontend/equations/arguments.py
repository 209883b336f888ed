"""Arguments of calls as equations: values for parameters, and objects that a function may write."""

from collections.abc import Iterator

from rooflint.frontend.equations.terms import TermReader
from rooflint.frontend.lower.literals import is_line_argument
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir.equations import IntegerTerm, QuantityKind, QuantityTerm, Term, UnknownTerm
from rooflint.records import NamedTuple


class PassedArgument(NamedTuple):
    """The argument of a call at a position of its parameters."""

    callee: Cursor
    number: int
    tree: SyntaxTree


def argument_equations(reader: TermReader, argument: PassedArgument) -> Iterator[tuple[int, Term]]:
    """Quantities that the call sets, and their terms."""
    table = reader.table
    form = table.form(argument.callee, argument.number)
    if form is None:  # behind the ellipsis
        if _is_pointer(reader, argument.tree):
            yield from _written_object(reader, argument, _object_behind(reader, argument.tree))
        return
    if form.integer:
        kind: QuantityKind = "target" if form.reference else "parameter"
        place = table.parameter(argument.callee, argument.number, kind)
        is_line = is_line_argument(reader.context, argument.tree)
        yield place, IntegerTerm(1) if is_line else reader.term(argument.tree)
    if form.leads:
        behind = reader.place(argument.tree) if form.reference else None
        if behind is None:
            behind = _object_behind(reader, argument.tree)
        yield from _written_object(reader, argument, behind)


def is_address(reader: TermReader, tree: SyntaxTree) -> bool:
    """Whether the expression is ``&x``."""
    return (
        tree.kind == kinds.UNARY
        and bool(tree.children)
        and (reader.clang.getCursorUnaryOperatorKind(tree.cursor) == kinds.ADDRESS)
    )


def _written_object(
    reader: TermReader, argument: PassedArgument, place: int | None
) -> Iterator[tuple[int, Term]]:
    if place is None:
        return
    table = reader.table
    if table.is_varying_element(place):
        yield place, UnknownTerm("memory")
        return
    yield table.parameter(argument.callee, argument.number, "target"), QuantityTerm(place)
    written = table.parameter(argument.callee, argument.number, "written-target")
    yield reader.written(place), QuantityTerm(written)


def _object_behind(reader: TermReader, tree: SyntaxTree) -> int | None:
    """The object of a pointer: that of ``&x``, a parameter's target, or an array's elements."""
    if is_address(reader, tree):
        return reader.place(tree.children[0])
    if tree.kind not in (kinds.DECL_REF, kinds.MEMBER_REF) or not _is_pointer(reader, tree):
        return None
    target = reader.clang.getCursorReferenced(tree.cursor)
    owner = reader.table.parameter_of(target)
    if owner is not None:
        return reader.table.parameter(*owner, "target")
    return reader.table.element(target, None)


def _is_pointer(reader: TermReader, tree: SyntaxTree) -> bool:
    clang = reader.clang
    handle = clang.getCanonicalType(clang.getCursorType(tree.cursor))
    return handle.kind in {kinds.T_POINTER, *kinds.T_ARRAYS}

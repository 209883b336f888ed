"""Containers as equations: their lengths, and what their elements are set to.

Memory that is reserved is taken for what will be used.
"""

from collections.abc import Iterator

from rooflint.frontend.equations.arguments import PassedArgument
from rooflint.frontend.equations.container_uses import (
    CHANGES,
    container_use,
    fixed_extent,
    is_container,
    named_container,
)
from rooflint.frontend.equations.terms import TermReader
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir.equations import IntegerTerm, QuantityTerm, Term, UnknownTerm
from rooflint.records import NamedTuple

_COUNTER = UnknownTerm("counter")
_ONE = IntegerTerm(1)


class LengthChange(NamedTuple):
    """A quantity of a container and its new value; ``step``: by how much its length grows, and None
    where it begins anew; ``counts``: whether either holds."""

    target: int
    term: Term | None
    counts: bool = False
    step: Term | None = None


def changes_by_method(reader: TermReader, call: SyntaxTree) -> Iterator[LengthChange]:
    """Changes that a method makes to its container, such as ``resize`` and ``push_back``."""
    use = container_use(reader.context, call)
    if use is None or use.owner is None:
        return
    length = reader.table.length(use.owner) if use.method in CHANGES else -1
    if use.method in ("push_back", "emplace_back"):
        yield LengthChange(target=length, term=_COUNTER, counts=True, step=_ONE)
        yield from _elements(reader, use.owner, use.arguments[-1:])
    elif use.method == "clear":
        yield LengthChange(target=length, term=None, counts=True)
    elif use.method in ("resize", "reserve", "assign") and _is_count(reader, use.arguments):
        yield LengthChange(target=length, term=reader.term(use.arguments[0]))
        yield from _elements(reader, use.owner, use.arguments[1:])


def changes_by_declaration(
    reader: TermReader, name: Cursor, value: SyntaxTree
) -> Iterator[LengthChange]:
    """A variable or member that is a container, constructed as ``value`` says."""
    if not is_container(reader.context, name) or fixed_extent(reader.context, name) is not None:
        return
    while value.kind in (kinds.UNEXPOSED, kinds.PAREN) and len(value.children) == 1:
        value = value.children[0]
    length = reader.table.length(name)
    arguments = value.children if value.kind == kinds.CALL else [value]
    source = _copied(reader, arguments)
    if source is not None:
        yield LengthChange(target=length, term=QuantityTerm(reader.table.length(source)))
    elif value.kind == kinds.CALL:
        yield from _constructed(reader, name, arguments)


def _copied(reader: TermReader, arguments: list[SyntaxTree]) -> Cursor | None:
    """The container that an object is a copy of."""
    if not arguments or not is_container(reader.context, arguments[0].cursor):
        return None
    return named_container(reader.context, arguments[0])


def _constructed(
    reader: TermReader, name: Cursor, arguments: list[SyntaxTree]
) -> Iterator[LengthChange]:
    """A container as a constructor with these arguments leaves it."""
    length = reader.table.length(name)
    if not arguments:
        yield LengthChange(target=length, term=None, counts=True)
    elif arguments[0].kind == kinds.INIT_LIST:
        yield LengthChange(target=length, term=IntegerTerm(len(arguments[0].children)))
    elif _is_count(reader, arguments):
        yield LengthChange(target=length, term=reader.term(arguments[0]))
        yield from _elements(reader, name, arguments[1:2])


def changes_by_argument(reader: TermReader, argument: PassedArgument) -> Iterator[LengthChange]:
    """A container that is passed by its name: its length is that of the parameter."""
    context, table = reader.context, reader.table
    source = named_container(context, argument.tree)
    if source is None or not is_container(context, argument.tree.cursor):
        return
    count = table.clang.Cursor_getNumArguments(argument.callee)
    if not argument.number < count:
        return
    target = table.passed_length(argument.callee, argument.number)
    own = table.length(source)
    yield LengthChange(target=target, term=QuantityTerm(own))
    if table.is_written(argument.callee, argument.number):
        yield LengthChange(target=own, term=QuantityTerm(target))


def range_length(reader: TermReader, loop: SyntaxTree) -> Term | None:
    """The number of elements that a range-for goes over; None where no name tells it."""
    if len(loop.children) < 2:
        return None
    holder = loop.children[-2]
    clang = reader.clang
    handle = clang.getCanonicalType(clang.getCursorType(holder.cursor))
    if handle.kind in kinds.T_ARRAYS:
        extent = clang.getArraySize(handle)
        return IntegerTerm(extent) if extent > 0 else None
    if not is_container(reader.context, holder.cursor):
        return None
    extent = fixed_extent(reader.context, holder.cursor)
    if extent is not None:
        return IntegerTerm(extent)
    named = named_container(reader.context, holder)
    return None if named is None else QuantityTerm(reader.table.length(named))


def _is_count(reader: TermReader, arguments: list[SyntaxTree]) -> bool:
    """Whether the first of a few arguments is a number, and no iterator or allocator."""
    if not 0 < len(arguments) <= 3:
        return False
    return reader.table.is_integer(reader.clang.getCursorType(arguments[0].cursor))


def _elements(
    reader: TermReader, owner: Cursor, values: list[SyntaxTree]
) -> Iterator[LengthChange]:
    """The value that new elements have, where that is an integer."""
    for value in values:
        if reader.table.is_integer(reader.clang.getCursorType(value.cursor)):
            place = reader.table.element(owner, None)
            yield LengthChange(target=place, term=reader.term(value))

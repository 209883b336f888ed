"""Loops of functions: their bounds, or their pattern where no comparison counts them."""

from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from rooflint.frontend.equations.bounds import CountedHeader
from rooflint.frontend.equations.comparisons import comparisons, orders_floating
from rooflint.frontend.equations.containers import range_length
from rooflint.frontend.equations.position import CodePlace
from rooflint.frontend.equations.terms import TermReader
from rooflint.frontend.lower.loops.loop_parts import Parts
from rooflint.frontend.lower.openmp import parse_directive, pragmas_above
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Clang
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir.equations import BoundedLoop, IntegerTerm, LoopPattern
from rooflint.records import NamedTuple

SourceForm: TypeAlias = Literal["for", "while", "do", "range-for"]
_FORMS: Final[dict[int, SourceForm]] = {
    kinds.FOR: "for", kinds.WHILE: "while", kinds.DO: "do", kinds.RANGE_FOR: "range-for",
}  # fmt: skip
_CONSTANTS: Final = frozenset((kinds.INTEGER, kinds.BOOL_LITERAL))
_SCALINGS: Final = frozenset(("mul", "div", "shl", "shr"))
_CHARACTERS: Final = frozenset(("i8", "u8"))
_WORKSHARING: Final = frozenset(("for", "distribute", "taskloop", "loop"))
"""Directives of OpenMP that share a loop's iterations among threads."""


class LoopSource(NamedTuple):
    """A loop statement, its parts unless it is a range-for, and what counts it."""

    tree: SyntaxTree
    parts: Parts | None
    header: CountedHeader | None


def repeated_parts(parts: Parts) -> list[SyntaxTree]:
    """The parts of a loop that each iteration runs."""
    return [each for each in (parts.condition, parts.step, parts.body) if each is not None]


def bounded_loop(reader: TermReader, source: LoopSource, place: CodePlace) -> BoundedLoop:
    """The loop at a place of its function."""
    text, tree, header = reader.context.unit.source, source.tree, source.header
    begin, end = text.extent(tree.cursor)
    name, span = ("", text.span(begin, end)) if begin >= 0 else text.span_elsewhere(tree.cursor)
    loop = BoundedLoop(
        span=span,
        function=place.function,
        parent=place.loop,
        arm=place.arm,
        form=_FORMS[tree.kind],
        pattern="other" if source.parts is None else _pattern(reader.clang, source.parts),
        header=name,
        shared=_is_shared(reader, tree),
    )
    if tree.kind == kinds.RANGE_FOR:
        length = range_length(reader, tree)
        return loop if length is None else replace(loop, lower=IntegerTerm(0), upper=length)
    if header is None:
        return _with_condition(reader, source.parts, loop)
    return replace(
        loop,
        lower=header.lower,
        upper=header.upper,
        step=header.step,
        relation=header.relation,
        pattern="counted",
        index=reader.table.quantities[header.variable].name,
    )


def _with_condition(reader: TermReader, parts: Parts | None, loop: BoundedLoop) -> BoundedLoop:
    """A loop that nothing counts, with what its condition compares."""
    if parts is None or parts.condition is None or loop.pattern != "other":
        return loop
    return replace(
        loop,
        floating=orders_floating(reader.clang, parts.condition),
        tests=tuple(comparisons(reader, parts.condition)),
    )


def _is_shared(reader: TermReader, tree: SyntaxTree) -> bool:
    """Whether a directive of OpenMP shares the iterations among threads."""
    unit = reader.context.unit
    if not unit.source.pragmas_before or not unit.traits.openmp:
        return False
    texts = [each for each in pragmas_above(reader.context, tree) if each.startswith("omp ")]
    directives = [parse_directive(each[4:]) for each in texts]
    return any(each and not _WORKSHARING.isdisjoint(each[0].split()) for each in directives)


def _pattern(clang: Clang, parts: Parts) -> LoopPattern:
    """The form of a loop's header."""
    condition, step = parts.condition, parts.step
    if condition is None:
        return "endless"
    if condition.kind in _CONSTANTS:
        return "once" if parts.form == "do" else "endless"
    if step is not None and _scales(clang, step):
        return "doubling"
    if step is not None and _follows_link(clang, step):
        return "list"
    return "text" if _reads_character(clang, condition) else "other"


def _scales(clang: Clang, step: SyntaxTree) -> bool:
    """``i *= 2``, ``i >>= 1`` or ``i = i * 2``."""
    if step.kind == kinds.COMPOUND_ASSIGN:
        return kinds.COMPOUND_NAMES.get(clang.getCursorBinaryOperatorKind(step.cursor)) in _SCALINGS
    value = _assigned(clang, step)
    return (
        value is not None
        and value.kind == kinds.BINARY
        and kinds.BINARY_NAMES.get(clang.getCursorBinaryOperatorKind(value.cursor)) in _SCALINGS
    )


def _follows_link(clang: Clang, step: SyntaxTree) -> bool:
    """``p = p->next``."""
    value = _assigned(clang, step)
    return (
        value is not None
        and value.kind == kinds.MEMBER_REF
        and clang.getCanonicalType(clang.getCursorType(value.cursor)).kind == kinds.T_POINTER
    )


def _assigned(clang: Clang, step: SyntaxTree) -> SyntaxTree | None:
    if step.kind != kinds.BINARY or len(step.children) != 2:
        return None
    assigns = clang.getCursorBinaryOperatorKind(step.cursor) == kinds.ASSIGN
    return step.children[1] if assigns else None


def _reads_character(clang: Clang, tree: SyntaxTree) -> bool:
    """Whether the condition depends on a character in memory."""
    if tree.kind in (kinds.SUBSCRIPT, kinds.UNARY):
        handle = clang.getCanonicalType(clang.getCursorType(tree.cursor))
        reads = tree.kind == kinds.SUBSCRIPT or (
            clang.getCursorUnaryOperatorKind(tree.cursor) == kinds.DEREFERENCE
        )
        if reads and kinds.SCALAR_TYPES.get(handle.kind) in _CHARACTERS:
            return True
    return any(_reads_character(clang, child) for child in tree.children)

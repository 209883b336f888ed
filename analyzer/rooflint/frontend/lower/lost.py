"""Statements that libclang leaves out of its tree because they do not compile.

Behind a missing header it reports no further error, so only the text between two statements tells.
"""

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.parse.source import SourceText
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import Opaque, Reason
from rooflint.startup.late_pattern import late_pattern

_CONDITIONAL = late_pattern(rb"#[ \t]*(?:if|el|end)")
_DIRECTIVE = late_pattern(rb"#(?:[^\n\\]++|\\\r?\n|\\.)*+")
_NAME = late_pattern(rb"[A-Za-z_]")


def note_lost(context: LoweringContext, tree: SyntaxTree) -> dict[int, list[Opaque]]:
    """Opaque nodes for the statements of a block that its tree lacks.

    By the position among the block's children before which they stand.
    """
    source = context.unit.source
    found: dict[int, list[Opaque]] = {}
    for position, start, stop in lost_statements(source, tree):
        text = " ".join(source.data[start:stop].decode("utf-8", "replace").split())
        shown = text if len(text) <= 40 else text[:37] + "..."
        reason = Reason("does-not-compile", (shown,))
        found.setdefault(position, []).append(Opaque(reason, context.origins.add(start, stop)))
    return found


def lost_statements(source: SourceText, tree: SyntaxTree) -> list[tuple[int, int, int]]:
    """The statements of a block that its tree lacks: the child before which each stands, its begin
    and its end."""
    begin, end = source.extent(tree.cursor)
    if begin < 0 or source.in_macro(tree.cursor):
        return []
    found: list[tuple[int, int, int]] = []
    at = begin + 1
    for position, child in enumerate([*tree.children, None]):
        first, last = source.extent(child.cursor) if child is not None else (end - 1, end)
        if first < 0:
            return []
        found += [(position, *each) for each in _statements(source.blanked, at, first)]
        at = max(at, last)
        if source.blanked[at - 1 : at] not in (b";", b"}") and child is not None:
            closing = source.blanked.find(b";", at, end)
            at = closing + 1 if closing >= 0 else end
    return found


def _statements(text: bytes, begin: int, end: int) -> list[tuple[int, int]]:
    """Begin and end of the statements in a stretch of text; none where ``#if`` may hide them."""
    if begin >= end or not _NAME.search(text, begin, end):
        return []
    between = text[begin:end]
    if _CONDITIONAL.search(between):
        return []
    between = _DIRECTIVE.sub(lambda match: b" " * len(match[0]), between)
    found = []
    start = 0
    # what no semicolon ends is a macro before the next statement, which may stand for a pragma
    for piece in between.split(b";")[:-1]:
        name = _NAME.search(piece)
        if name is not None:
            found.append((begin + start + name.start(), begin + start + len(piece.rstrip())))
        start += len(piece) + 1
    return found

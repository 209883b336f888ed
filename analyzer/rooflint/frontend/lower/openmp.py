"""Pragmas, read from the source text: libclang's own OpenMP mode hides the loops they govern."""

import re
from collections.abc import Sequence

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import statement
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import Clause, Region
from rooflint.startup.late_pattern import late_pattern

_DIRECTIVES = (
    "target", "teams", "distribute", "parallel", "for", "simd", "sections", "section", "single",
    "master", "masked", "critical", "atomic", "ordered", "task", "taskloop", "loop", "data",
    "workshare", "scan", "read", "write", "update", "capture",
)  # fmt: skip
_STANDALONE = frozenset(
    ("taskwait", "taskyield", "flush", "threadprivate", "declare", "requires", "cancel",
     "cancellation", "end", "begin", "allocate", "depobj", "scan")
)  # fmt: skip
_BETWEEN = ("target enter data", "target exit data", "target update", "barrier")
"""Directives that govern no statement, and still say where arrays are, or that threads wait."""
_HINTS = late_pattern(
    r"(?:GCC (?:ivdep|unroll|novector)|ivdep|unroll|nounroll|simd|vector|novector|clang loop|acc)\b"
)
_CLAUSE = late_pattern(r"([A-Za-z_]\w*)\s*(\()?")


def lower_with_pragmas(context: LoweringContext, tree: SyntaxTree) -> None:
    """Lowers a statement inside the OpenMP regions that the pragmas above it open."""
    if not context.unit.source.pragmas_before:
        statement(context, tree)
        return
    directives = [text for text in pragmas_above(context, tree) if text.startswith("omp ")]
    regions = [region for text in directives if (region := parse_directive(text[4:]))]
    if not regions:
        statement(context, tree)
        return
    outer = context.begin_block()
    statement(context, tree)
    nodes = context.end_block(outer)
    origin = context.origins.origin(tree.cursor)
    for kind, clauses in reversed(regions):
        if kind in _BETWEEN:
            nodes = (Region(kind, clauses, (), origin), *nodes)
        else:
            nodes = (Region(kind, clauses, nodes, origin),)
    context.append(*nodes)


def loop_hints(context: LoweringContext, tree: SyntaxTree) -> tuple[str, ...]:
    """Pragmas above a loop that speak to the compiler about it, OpenMP aside."""
    if not context.unit.source.pragmas_before:
        return ()
    return tuple(text for text in pragmas_above(context, tree) if _HINTS.match(text))


def pragmas_above(context: LoweringContext, tree: SyntaxTree) -> Sequence[str]:
    """Pragmas with nothing but blanks and other directives between them and the statement."""
    source = context.unit.source
    begin = source.extent(tree.cursor)[0]
    # an attributed statement (#pragma unroll) begins at its pragma
    if tree.kind == kinds.UNEXPOSED_STMT and tree.children:
        begin = source.extent(tree.children[0].cursor)[0]
    return source.pragmas_before.get(begin, ())


def parse_directive(text: str) -> tuple[str, tuple[Clause, ...]] | None:
    """``parallel for schedule(static) private(x)`` as its kind and clauses.

    None for directives that stand alone, except those that count between the statements.
    """
    words = text.split()
    if not words or words[0].split("(")[0] in _STANDALONE:
        return None
    for kind in _BETWEEN:
        own = kind.split()
        if words[: len(own)] == own:
            return kind, tuple(_clauses(text.split(own[-1], 1)[1]))
    names: list[str] = []
    position = 0
    for match in re.finditer(r"[A-Za-z_]\w*", text):
        if match[0] not in _DIRECTIVES or text[position : match.start()].strip(" ,"):
            break
        names.append(match[0])
        position = match.end()
    if not names:
        return None
    return " ".join(names), tuple(_clauses(text[position:]))


def _clauses(text: str) -> list[Clause]:
    clauses: list[Clause] = []
    position = 0
    while match := _CLAUSE.search(text, position):
        position = match.end()
        inner = ""
        if match[2]:
            depth, start = 1, position
            while position < len(text) and depth:
                depth += {"(": 1, ")": -1}.get(text[position], 0)
                position += 1
            inner = text[start : position - 1].strip()
        clauses.append(Clause(match[1], inner))
    return clauses

"""The front end's result for one source file: functions, their places, and refusals.

NamedTuples, because a dataclass takes forty times as long to define, on every start.
"""

from typing import Literal, TypeAlias

from rooflint.ir.nodes import Function
from rooflint.ir.reasons import Reason
from rooflint.records import NamedTuple


class Span(NamedTuple):
    """A range of source: lines and columns from 1, columns in UTF-8 bytes, end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


DiagnosticKind: TypeAlias = Literal[
    "other",
    "missing-header",
    "misspelt-header",
    "undeclared-function",
    "missing-type",
    "internal",
    "unknown-size",
    "announced",
]


class Diagnostic(NamedTuple):
    """Something to say of a place in the file.

    kind     what code may decide on; ``message`` is for people. ``announced``: the run says it too
    subject  the header that is missing, as the source names it; of a file that is lost, the message
             without the file's name where it begins with that
    """

    line: int
    column: int
    severity: Literal["note", "warning", "error"]
    message: str
    kind: DiagnosticKind = "other"
    subject: str = ""


class Refusal(NamedTuple):
    """A loop that was seen and is not analysed, and why."""

    line: int
    column: int
    reason: Reason


class Comment(NamedTuple):
    """A ``rooflint:`` comment: its line and the text after the colon."""

    line: int
    text: str


class Declaration(NamedTuple):
    """Where the function's text declares a variable, and what it calls it there.

    ``static``: the variable keeps its value from one call to the next.
    """

    spelling: str
    span: Span
    static: bool = False


VariableScope: TypeAlias = Literal["own", "inlined", "file"]
"""``own``: declared in the function's text; ``inlined``: in that of a function that stands in place
of its call; ``file``: outside of all functions, or a reference."""


class Variable(NamedTuple):
    """A variable: what the IR calls it, its type and scope, and its declaration.

    A name may stand for several variables, one after another. ``name`` and ``type`` are empty where
    the IR does not need the variable, ``declaration`` is None outside of the function's text.
    """

    name: str
    type: str
    scope: VariableScope
    declaration: Declaration | None = None


class SourceFunction(NamedTuple):
    """A function and where its nodes are: ``spans[node.origin]``; ``span`` is its own.

    ``is_c``: code that is written into its file has to be C, and not C++.
    """

    function: Function
    span: Span
    spans: tuple[Span, ...]
    variables: tuple[Variable, ...] = ()
    is_c: bool = True

    def declared_in(self, span: Span) -> tuple[tuple[Variable, Declaration], ...]:
        """The variables that the text inside ``span`` declares, in its order."""
        begin, end = span[:2], span[2:]
        found = [
            (each.declaration.span, each, each.declaration)
            for each in self.variables
            if each.declaration is not None
            and begin <= each.declaration.span[:2]
            and each.declaration.span[2:] <= end
        ]
        return tuple([(variable, declaration) for _, variable, declaration in sorted(found)])


class Unit(NamedTuple):
    """One analysed file.

    ``loops`` counts the loops that the file's own text writes or takes from a macro, analysed or
    refused; those that an algorithm or a ``parallel_for`` stands for have no keyword and are in the
    functions only.
    ``headers`` says which tier of headers the result rests on: ``shims``, ``real`` or ``none``.
    ``text`` is what was parsed, for reports that show it.
    ``borrowed`` are those of the assumptions that say whose flags stand for the file's own.
    """

    path: str
    language: str
    functions: tuple[SourceFunction, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    comments: tuple[Comment, ...] = ()
    assumptions: tuple[str, ...] = ()
    headers: str = "none"
    loops: int = 0
    text: str = ""
    borrowed: tuple[str, ...] = ()

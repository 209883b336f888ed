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

    def lies_in(self, other: "Span") -> bool:
        """Whether it is the range of another one, or a part of that."""
        return other[:2] <= self[:2] and self[2:] <= other[2:]


class LoopTest(NamedTuple):
    """The condition that a loop tests.

    line         on which the condition begins
    terms        1 for a plain condition, n for n of them joined by ``&&``, 0 for every other form
    closes_line  whether no other loop stands on ``line``, and no branch behind this loop's end
    """

    line: int
    terms: int = 1
    closes_line: bool = True


class LoopPlace(NamedTuple):
    """A loop of a source file, as profiles are asked for it.

    function     the definition that holds it, from its type to its closing brace
    loop         from the keyword, or the macro that writes it, to the end
    body         line and column of the first character of the body
    post_test    ``do``: the body runs before the first test
    early_exit   whether ``break``, ``return``, ``goto`` or a throw can leave the loop
    line_before  of a statement that runs exactly as often as the loop begins, or 0: the statement
                 before it in the same block, or the function's first line for the first statement
    """

    path: str
    function: Span
    loop: Span
    body: tuple[int, int]
    test: LoopTest
    post_test: bool = False
    early_exit: bool = False
    line_before: int = 0


class BranchPlace(NamedTuple):
    """An ``if``: its keyword, and the first character of what it guards."""

    path: str
    function: Span
    keyword: tuple[int, int]
    then: tuple[int, int]


class ProfiledPlaces(NamedTuple):
    """The loops and branches of a file, in its order; empty where no profile asks for them."""

    loops: tuple[LoopPlace, ...] = ()
    branches: tuple[BranchPlace, ...] = ()


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

    ``scope``: the block or the statement, behind the end of which the name is another's.
    ``static``: the variable keeps its value from one call to the next.
    """

    spelling: str
    span: Span
    scope: Span
    static: bool = False

    def is_visible_at(self, place: Span) -> bool:
        """Whether the name stands for the variable where ``place`` begins."""
        return self.span[:2] <= place[:2] < self.scope[2:]


VariableScope: TypeAlias = Literal["own", "inlined", "file", "thread"]
"""``own``: declared in the function's text; ``inlined``: in that of a function that stands in place
of its call; ``file``: outside of all functions, or a reference; ``thread``: each thread has one."""


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
    ``places`` lie beside the functions, and no result depends on them.
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
    places: ProfiledPlaces = ProfiledPlaces()

"""A file whose lines moved and whose code did not: its loops, without a parse.

Whoever types a comment or an empty line changes where code stands and nothing else. Then every
place of the last extraction moves with its line, and all that was found stays.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from rooflint.frontend.equations.extraction import ExtractedFile
from rooflint.frontend.extract import without_collection
from rooflint.frontend.parse.clang_messages import names_a_place
from rooflint.frontend.parse.plain_text import PlainText
from rooflint.ir import Declaration, ProfiledPlaces, SourceFunction, Span, Unit, Variable
from rooflint.ir.equations import Equations

LineNumbers = Mapping[int, int]
"""The new number of each line that has code."""
_UNKNOWN: Final = 0
"""A line of no place in the file, which stays so."""


def moved_lines(before: bytes, after: bytes) -> LineNumbers | None:
    """Where each line of code went; None where the code or its columns are not the same."""
    old, new = PlainText(before).code_lines(), PlainText(after).code_lines()
    if len(old) != len(new):
        return None
    numbers: dict[int, int] = {}
    for (was, code), (now, same) in zip(old, new, strict=True):
        if code != same:
            return None
        for further in range(code.count(b"\n") + 1):
            numbers[was + further] = now + further
    return numbers


def moved_file(found: ExtractedFile, before: bytes, after: bytes) -> ExtractedFile | None:
    """The extraction of ``after``, from that of ``before``; None where only a parse can tell."""
    if found.unit.places != ProfiledPlaces() or any(map(names_lines, found.unit.functions)):
        return None
    if any(names_a_place(each.message) for each in found.unit.diagnostics):
        return None
    with without_collection():
        lines = moved_lines(before, after)
        if lines is None:
            return None
        move = LineMove(lines)
        try:
            unit = move.unit(found.unit, after)
            equations = replace(move.equations(found.equations), comments=unit.comments)
        except KeyError:  # a place that is not on a line of code
            return None
    return ExtractedFile(unit, equations, found.trace)


def names_lines(source: SourceFunction) -> bool:
    """Whether a variable is called after the line that declares it, as macros with ``__LINE__``
    do."""
    return any(
        variable.name.endswith(str(variable.declaration.span.line))
        for variable in source.variables
        if variable.declaration is not None
    )


class LineMove:
    """Every place on its new line; raises KeyError for one on a line without code."""

    def __init__(self, lines: LineNumbers) -> None:
        self._lines = {_UNKNOWN: _UNKNOWN, **lines}

    def line(self, line: int) -> int:
        """The new number of a line."""
        return self._lines[line]

    def span(self, span: Span) -> Span:
        """A range on its new lines."""
        (moved,) = self.spans((span,))
        return moved

    def spans(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        """Ranges on their new lines."""
        # tens of thousands in a file; not Span(...), whose constructor is Python code
        lines, new = self._lines, tuple.__new__
        return tuple([new(Span, (lines[s[0]], s[1], lines[s[2]], s[3])) for s in spans])

    def unit(self, unit: Unit, text: bytes) -> Unit:
        """The loops of a file, with its new text."""
        return unit._replace(
            functions=tuple(map(self.function, unit.functions)),
            diagnostics=tuple([d._replace(line=self.line(d.line)) for d in unit.diagnostics]),
            refusals=tuple([r._replace(line=self.line(r.line)) for r in unit.refusals]),
            comments=PlainText(text).comments(),
            text=text.decode("utf-8", "replace") if unit.text else "",
        )

    def function(self, source: SourceFunction) -> SourceFunction:
        """A function with its variables."""
        return source._replace(
            span=self.span(source.span),
            spans=self.spans(source.spans),
            variables=tuple(map(self.variable, source.variables)),
        )

    def variable(self, variable: Variable) -> Variable:
        """A variable, declared on its new line."""
        declaration = variable.declaration
        if declaration is None:
            return variable
        return variable._replace(declaration=self.declaration(declaration))

    def declaration(self, declaration: Declaration) -> Declaration:
        """A declaration on its new line."""
        span, scope = self.span(declaration.span), self.span(declaration.scope)
        return declaration._replace(span=span, scope=scope)

    def equations(self, found: Equations) -> Equations:
        """Statements of headers have no line, and their loops and functions stay where they are."""
        return replace(
            found,
            equations=tuple([replace(e, line=self.line(e.line)) for e in found.equations]),
            functions=tuple(
                [
                    f if f.header or f.span is None else replace(f, span=self.span(f.span))
                    for f in found.functions
                ]
            ),
            loops=tuple(
                [
                    each if each.header else replace(each, span=self.span(each.span))
                    for each in found.loops
                ]
            ),
            calls=tuple([replace(c, line=self.line(c.line)) for c in found.calls]),
            branches=tuple([replace(b, line=self.line(b.line)) for b in found.branches]),
            pointer_calls=tuple([replace(c, line=self.line(c.line)) for c in found.pointer_calls]),
        )

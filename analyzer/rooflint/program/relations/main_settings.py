"""Options that ``main`` sets: what functions of a library set before are defaults of their own."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from rooflint.ir.equations import DefinedFunction, Equation, Term
from rooflint.ir.unit import Span
from rooflint.program.linking import LinkedFile, ProgramEquations
from rooflint.program.terms import in_program


def main_settings(program: ProgramEquations) -> Mapping[int, tuple[Term, ...]]:
    """The term of each quantity that a ``main`` sets once and on no branch, by position.

    Without those that a function sets on no branch that ``main`` calls later.
    """
    found: defaultdict[int, list[Term]] = defaultdict(list)
    for file in program.files:
        for function in file.equations.functions:
            if function.entry and not function.header and function.span is not None:
                later = _set_later(program, file, function)
                for place, each in _set_once(file, function.span):
                    if later.get(place, 0) <= each.line:
                        found[place].append(in_program(each.term, file.positions, {}))
    return {place: tuple(terms) for place, terms in found.items()}


def _set_once(file: LinkedFile, span: Span) -> Iterator[tuple[int, Equation]]:
    settings = list(_set(file, span))
    often = Counter(each.target for each in settings)
    for each in settings:
        if often[each.target] == 1:
            yield file.positions[each.target], each


def _set(file: LinkedFile, span: Span) -> Iterator[Equation]:
    """The statements of these lines that set a quantity on no branch."""
    for each in file.equations.equations:
        if not each.conditional and span.line <= each.line <= span.end_line:
            yield each


def _set_later(
    program: ProgramEquations, file: LinkedFile, main: DefinedFunction
) -> Mapping[int, int]:
    """The last line of ``main`` that calls a function which sets a quantity, by its position."""
    lines: dict[str, int] = {}
    for call in file.equations.calls:
        if call.caller == main.result:
            key = file.equations.quantities[call.callee].key
            lines[key] = max(lines.get(key, 0), call.line)
    found: dict[int, int] = {}
    for other in program.files:
        for function in other.equations.functions:
            line = lines.get(other.equations.quantities[function.result].key, 0)
            if line and not function.header and function.span is not None:
                for each in _set(other, function.span):
                    place = other.positions[each.target]
                    found[place] = max(found.get(place, 0), line)
    return found

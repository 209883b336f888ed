"""Notes of the lint's own, RL001 to RL008: of input that it could not use as it is."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rooflint.config.comments import WHOLE_FILE, Allow
from rooflint.config.lint_settings import NOTES
from rooflint.ir import Diagnostic, Refusal, SourceFunction, Span, Unit
from rooflint.lint.allowed import line_span
from rooflint.lint.confidence import ParseState, assumed_sizes
from rooflint.lint.messages import shorten
from rooflint.machine import Machine
from rooflint.plugin_api.action import Severity
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.hookspecs import Rule
from rooflint.registry import missing
from rooflint.scenario.sizes import Size

_HARMLESS = frozenset(("missing-header", "undeclared-function"))
_SLUGS = {note.code: note.slug for note in NOTES}
_SEVERITIES: Mapping[str, Severity] = {"RL003": "hint", "RL007": "warning"}


ABSENT_KEY: Final = "{} not found: {} of {} loops have a prediction"
ERRORS_KEY: Final = "{}{}: what they concern may be missing from what is found here"
"""Of RL001. Baselines hold these fingerprints, so that they stay when the messages change."""


def note(
    code: str,
    message: str,
    span: Span,
    function: str = "",
    machine: str = "",
    evidence: str = "",
    key: str = "",
) -> Advice:
    """A note; its fingerprint is ``key``, else its text, which names no line."""
    severity: Severity = _SEVERITIES.get(code, "note")
    return Advice(
        code=code,
        slug=_SLUGS[code],
        message=shorten(message),
        severity=severity,
        span=span,
        function=function,
        loop="",
        fingerprint=f"{code}:{key or message}",
        machine=machine,
        evidence=evidence,
    )


def missing_headers(unit: Unit) -> list[tuple[int, str]]:
    """Lines and names of headers that were not found, where there are loops that may need them."""
    if not unit.loops:
        return []
    return [(each.line, each.subject) for each in unit.diagnostics if each.kind == "missing-header"]


def errors_in_loops(unit: Unit) -> list[Diagnostic]:
    """Errors in functions that loop, but for headers that are missing, and for calls of functions
    that nobody declared, which are calls all the same."""
    spans = [source.span for source in unit.functions]
    return [
        each
        for each in unit.diagnostics
        if each.severity == "error"
        and each.kind not in _HARMLESS
        and any(span.line <= each.line <= span.end_line for span in spans)
    ]


class ParseStates:
    """How much of a file, and of each of its functions, the front end could read.

    Where headers are missing, errors in functions follow from that.
    """

    def __init__(self, unit: Unit) -> None:
        absent = missing_headers(unit)
        self.of_file = ParseState.HEADERS_MISSING if absent else ParseState.WHOLE
        self._errors = [each.line for each in errors_in_loops(unit)]

    def of(self, source: SourceFunction) -> ParseState:
        """That of a function."""
        span = source.span
        broken = any(span.line <= line <= span.end_line for line in self._errors)
        whole = self.of_file is ParseState.WHOLE
        return ParseState.WITH_ERRORS if broken and whole else self.of_file


def unit_notes(unit: Unit, predicted: int) -> Iterator[Advice]:
    """RL001, RL006: what of the file the front end could not see, or had to borrow.

    ``predicted`` loops have a number by some model.
    """
    absent = missing_headers(unit)
    if absent:
        names = ", ".join(dict.fromkeys(name for _, name in absent))
        seen = f"{predicted} of {unit.loops} loops have a prediction"
        key = ABSENT_KEY.format(names, predicted, unit.loops)
        yield note("RL001", f"{names} not found: {seen}", line_span(absent[0][0]), key=key)
    elif errors := errors_in_loops(unit):
        first, more = errors[0], len(errors) - 1
        others = f" and {more} more error{'s' * (more != 1)}" if more else ""
        effect = "findings in the affected code may be missing"
        key = ERRORS_KEY.format(first.message, others)
        yield note("RL001", f"{first.message}{others}: {effect}", line_span(first.line), key=key)
    for assumption in unit.borrowed:
        yield note("RL006", assumption, line_span(1))


def refusal_notes(refusals: Iterable[Refusal]) -> Iterator[Advice]:
    """RL002: loops that are not modelled."""
    for line, column, reason in refusals:
        place = Span(line=line, column=column, end_line=line, end_column=column)
        yield note("RL002", f"loop not modelled: {reason}", place)


def device_notes(functions: Iterable[SourceFunction]) -> Iterator[Advice]:
    """RL002: functions whose loops run on a device, which no model here describes."""
    for source in functions:
        name = source.function.name
        message = f"{name} runs on a device: rules and models describe the cores of the host"
        yield note("RL002", message, source.span, name)


def assumed_size_notes(
    sizes: Iterable[tuple[str, Size]], span: Span, function: str
) -> Iterator[Advice]:
    """RL003: sizes that nobody set."""
    names = assumed_sizes(sizes)
    if names:
        evidence = f"{', '.join(names)} assumed"
        message = f"{evidence}; a comment such as rooflint: n=4096 sets a size"
        yield note("RL003", message, span, function, evidence=evidence)


def unused_comment(allow: Allow) -> Advice:
    """RL004: a comment that suppresses nothing."""
    where = "in this file" if allow.lines == WHOLE_FILE else "here"
    message = f"{allow.word}({', '.join(allow.codes)}) suppresses nothing {where}"
    return note("RL004", message, line_span(allow.line))


def unknown_codes(allow: Allow) -> Advice:
    """RL004: a comment for rules that do not exist."""
    message = f"{allow.word}({', '.join(allow.codes)}): no rule has a code with this prefix"
    return note("RL004", message, line_span(allow.line))


def wrong_comments(diagnostics: Iterable[Diagnostic]) -> Iterator[Advice]:
    """RL007: comments that are not understood, or that are about nothing."""
    for each in diagnostics:
        yield note("RL007", each.message, line_span(each.line))


def missing_section_notes(rules: Iterable[Rule], machine: Machine) -> Iterator[Advice]:
    """RL005: what the machine file does not say, and the rules that are skipped for it."""
    by_key: dict[str, list[str]] = {}
    for rule in rules:
        for key in missing(rule.needs, machine):
            by_key.setdefault(key, []).append(rule.code)
    for key, codes in by_key.items():
        message = f"machine {machine.name} has no {key}: {', '.join(codes)} skipped"
        yield note("RL005", message, line_span(1), machine=machine.name)


def doubtful_figure_notes(machine: Machine) -> Iterator[Advice]:
    """RL008: figures that their own measurement does not trust, under every prediction."""
    if machine.doubtful:
        figures = ", ".join(machine.doubtful)
        message = f"the measurement of machine {machine.name} was disturbed: {figures}"
        yield note("RL008", message, line_span(1), machine=machine.name)

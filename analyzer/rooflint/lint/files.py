"""One file: the lint of its functions on each machine, and of all of them together."""

from collections.abc import Iterable, Iterator, Sequence

from rooflint.config.comments import parse_comments, warning
from rooflint.config.lint_settings import LintSettings
from rooflint.errors import UsageError
from rooflint.facts import KernelFacts, facts_of
from rooflint.incremental.function_outcomes import AboutFunction, FunctionMemo
from rooflint.ir import Diagnostic, SourceFunction, Span, Unit
from rooflint.lint import notes
from rooflint.lint.agreement import (
    deduplicate,
    merge_machines,
    rank_findings,
    settle_threads,
)
from rooflint.lint.allowed import AllowComments
from rooflint.lint.confidence import ParseState
from rooflint.lint.context import FileContext, FunctionContext
from rooflint.lint.functions import FunctionLint, LintOutcome
from rooflint.lint.places import Places, has_chosen
from rooflint.lint.proposals import (
    RULE_BUGS,
    LintRule,
    Proposal,
    checked_unit_match,
    failure,
    sees_whole_file,
)
from rooflint.lint.whole import whole_file
from rooflint.machine import Machine
from rooflint.pipeline.excerpts import excerpts
from rooflint.pipeline.files import (
    FileResult,
    broken_file,
    counted_file,
    place_of,
    summary_of,
    unknown_names,
)
from rooflint.pipeline.on_machine import NestSubject, OnMachine
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.plugin_api.advice import Advice, Silence, silence_of
from rooflint.plugin_api.hookspecs import Rule
from rooflint.plugin_api.report import COUNTS, FileReport, FunctionReport, NestReport
from rooflint.plugin_api.rule import (
    UnitMatch,
    may_find_defects,
    sees_files,
)
from rooflint.pricing.nests import nests
from rooflint.records import NamedTuple
from rooflint.registry import missing, working_rule
from rooflint.scenario.sizes import SizeLayer, in_function
from rooflint.scenario.values import NO_VALUES
from rooflint.source_edit.edits import editable_source


class FileFindings(NamedTuple):
    """The findings of a file; ``failures``: bugs of rules or of the lint, a line each."""

    findings: tuple[Advice, ...]
    silent: tuple[Silence, ...]
    failures: tuple[str, ...]


def lint_safely(
    path: str, unit: Unit, setup: AnalysisSetup, _memo: FunctionMemo | None = None
) -> FileResult:
    """The findings of one file and nothing else; a bug costs the file, not the run."""
    try:
        return lint_unit(path, unit, setup)
    except MemoryError:  # a limit of the file, and no bug
        raise
    except Exception as error:
        return broken_file(path, error)


def lint_unit(path: str, unit: Unit, setup: AnalysisSetup) -> FileResult:
    """The findings of one file, in a report without results of models."""
    assert setup.lint is not None, "a setup for the lint"
    work = _FileLint(path, unit, setup, setup.lint.for_file(path))
    said = work.said()
    listed = [finding.span for finding in said.findings]
    report = FileReport(
        path=path,
        status="partial" if unit.refusals or said.failures else "ok",
        functions=tuple(work.looked_at()),
        diagnostics=tuple(sorted((*unit.diagnostics, *work.directives.diagnostics))),
        refusals=tuple(sorted(unit.refusals)),
        assumptions=unit.assumptions,
        source=excerpts(unit.text, [(span.line, span.end_line) for span in listed]),
        findings=said.findings,
        silent=said.silent,
        counts=work.counted.report() if work.counted is not None else None,
    )
    names = frozenset().union(*work.names.values(), setup.scenario.matched)
    return FileResult(
        report=report,
        summary=summary_of(unit.loops, report.refusals),
        names=names,
        internal=said.failures,
    )


class _FileLint:
    """The lint of one file, and what comes up on the way."""

    def __init__(self, path: str, unit: Unit, setup: AnalysisSetup, settings: LintSettings) -> None:
        self.path, self.unit, self.setup, self.settings = path, unit, setup, settings
        self.counted = counted_file(setup.counts, unit)
        self.several = len(setup.machines) > 1
        self.directives = parse_comments(unit.comments)
        self.allowed = AllowComments(self.directives)
        self.text = editable_source(unit.text)
        self.functions = [
            (source, facts)
            for source in unit.functions
            if has_chosen(source, facts := self.facts(source), settings.loops)
        ]
        self.names: dict[Span, frozenset[str]] = {}
        self.wrong: list[Diagnostic] = []
        self.findings: list[Advice] = []
        self.silent: list[Silence] = []
        self.failures: list[str] = []
        self.predicted: set[tuple[Span, int]] = set()

    def facts(self, source: SourceFunction) -> tuple[KernelFacts, ...]:
        about = AboutFunction(source=source, values=NO_VALUES, conditions=facts_of)
        return self.setup.known.answer(about, lambda: facts_of(source.function))

    def said(self) -> FileFindings:
        self.note(notes.refusal_notes(self.unit.refusals))
        self.note(
            notes.device_notes(source for source in self.unit.functions if not is_priced(source))
        )
        for machine in self.setup.machines:
            self.on_machine(machine)
        self.note(notes.unit_notes(self.unit, len(self.predicted)))
        if self.several:
            names = [machine.name for machine in self.setup.machines]
            policy = self.settings.policy
            self.findings, refused = merge_machines(self.findings, self.silent, names, policy)
            self.silent += refused
        spans = [source.span for source in self.unit.functions]
        self.wrong += [
            *self.directives.diagnostics,
            *unknown_names(self.directives, self.names),
            *self.directives.contradictions(spans),
        ]
        self.findings += notes.wrong_comments(self.wrong)
        unused = self.allowed.unused(self.settings.codes, self.unit.refusals)
        self.findings += map(notes.unused_comment, unused)
        self.findings += map(notes.unknown_codes, self.allowed.unknown(self.settings.known))
        severity = self.settings.severity
        asked = [
            each._replace(severity=severity.get(each.code, each.severity))
            for each in self.findings
            if each.code in self.settings.codes
        ]
        settled = settle_threads(tuple(deduplicate(asked, self.places_of_functions())))
        self.silent += settled.behind
        shown = rank_findings(settled.findings)
        return FileFindings(tuple(shown), tuple(dict.fromkeys(self.silent)), tuple(self.failures))

    def places_of_functions(self) -> dict[str, list[Span]]:
        """Where they stand, by name: instances of a template share theirs."""
        found: dict[str, list[Span]] = {}
        for source in self.unit.functions:
            found.setdefault(source.function.name, []).append(source.span)
        return found

    def on_machine(self, machine: Machine) -> None:
        rules = self.rules_for(machine)
        lints = list(self.lints(machine, [rule for rule in rules if not sees_whole_file(rule)]))
        priced = [lint for lint in lints if is_priced(lint.context.source)]
        across = self.across(rules, [lint.context for lint in priced])
        states = notes.ParseStates(self.unit)
        for lint in lints:
            self.keep(lint, self.outcome(lint, across, states.of(lint.context.source)))
            if states.of_file is not ParseState.WHOLE:
                self.predicted |= set(predicted_loops(lint.context))
        for rule, match in across:
            if match.whole:
                [where] = (lint for lint in lints if lint.context is match.where)
                self.keep(where, whole_file(rule, match.match, where, priced, states.of_file))

    def rules_for(self, machine: Machine) -> list[Rule]:
        """The rules that were asked for and have what they need; a note for the others."""
        asked = [rule for rule in self.setup.rules if rule.code in self.settings.codes]
        self.findings += notes.missing_section_notes(asked, machine)
        self.findings += notes.doubtful_figure_notes(machine)
        return [rule for rule in asked if not missing(rule.needs, machine)]

    def lints(self, machine: Machine, rules: Sequence[Rule]) -> Iterator[FunctionLint]:
        """The lint of each function; of one with an impossible size there is none."""
        for source, facts in self.functions:
            try:
                yield self.lint(source, facts, machine, self.rules_to_try(rules, source))
            except UsageError as error:
                self.wrong.append(warning(source.span.line, str(error)))

    def rules_to_try(self, rules: Sequence[Rule], source: SourceFunction) -> Sequence[Rule]:
        """The rules whose matches in a function can count, or are listed."""
        if not is_priced(source):
            return ()
        settings = self.settings
        is_listed = settings.silences or settings.ignores_shares
        if is_listed or not self.setup.scenario.of(source).is_cold(-1):
            return rules
        return [rule for rule in rules if may_find_defects(rule)]

    def lint(
        self,
        source: SourceFunction,
        facts: tuple[KernelFacts, ...],
        machine: Machine,
        rules: Sequence[Rule],
    ) -> FunctionLint:
        spans = [each.span for each in self.unit.functions]
        scope = self.directives.scope(source.span, spans)
        comment = SizeLayer("comment", scope.sizes, scope.trips)
        counts = self.counted.of(source).loops if self.counted is not None else ()
        counted = SizeLayer(COUNTS, {}, loops=counts)
        own = in_function(self.setup.sizes, source.function.name)
        configured = in_function(self.setup.configured, source.function.name)
        given = (own, comment, configured, counted)
        names = [each.settable for each in facts]
        self.names[source.span] = self.names.get(source.span, frozenset()).union(*names)
        subject = NestSubject(
            source=source,
            facts=facts,
            given=given,
            threads=scope.threads,
            values=self.setup.scenario.of(source),
        )
        context = FunctionContext(
            OnMachine(subject, self.setup, machine), scope.noalias, self.unit.text
        )
        return FunctionLint(context, rules, self.settings, Places(source, self.text))

    def outcome(
        self, lint: FunctionLint, across: Iterable[tuple[LintRule, UnitMatch]], parsed: ParseState
    ) -> LintOutcome:
        """The findings of a function; a bug costs those, not the file."""
        more = [
            Proposal(rule, each.match, lint.context)
            for rule, each in across
            if each.where is lint.context and not each.whole
        ]
        try:
            return lint.outcome(more, parsed)
        except (UsageError, MemoryError):  # of the user's settings, and of the file's limit
            raise
        except Exception as error:
            name = lint.context.function.name
            said = f"internal error in {name}: {type(error).__name__}: {error} ({place_of(error)})"
            return LintOutcome(failures=(said,))

    def across(
        self, rules: Iterable[Rule], contexts: Sequence[FunctionContext]
    ) -> list[tuple[LintRule, UnitMatch]]:
        found: list[tuple[LintRule, UnitMatch]] = []
        if not contexts:
            return found
        for rule in map(working_rule, filter(sees_whole_file, rules)):
            if sees_files(rule):
                try:
                    matched = rule.match_unit(FileContext(self.unit, tuple(contexts)))
                    found += [(rule, checked_unit_match(match)) for match in matched]
                except RULE_BUGS as error:
                    self.failures.append(f"{self.path}: {failure(rule, 'the file', error)}")
        return found

    def keep(self, lint: FunctionLint, outcome: LintOutcome) -> None:
        silent = list(outcome.silent)
        for advice in outcome.findings:
            accepted = self.accepted(advice, headers(lint, advice))
            if accepted is None:
                self.findings.append(advice)
            else:
                silent.append(accepted)
        machine = lint.context.machine.name if self.several else ""
        self.silent += [each._replace(machine=machine) for each in silent]
        line = lint.context.source.span.line
        self.failures += [f"{self.path}:{line}: {each}" for each in outcome.failures]
        if self.settings.hints:
            for nest in nests(lint.context.facts):
                sizes = lint.context.kernel(nest[0]).sizes.by_name.items()
                span = lint.places.of(nest[0].kernel.loops[0].origin)
                span = lint.places.header(span) or span
                self.findings += notes.assumed_size_notes(sizes, span, lint.context.function.name)

    def note(self, found: Iterable[Advice]) -> None:
        for each in found:
            accepted = self.accepted(each, [each.span.line])
            if accepted is None:
                self.findings.append(each)
            elif each.code in self.settings.codes:
                self.silent.append(accepted)

    def accepted(self, advice: Advice, headers: Iterable[int]) -> Silence | None:
        if self.directives.is_off(advice.span.line):
            return silence_of(advice, "off", "between 'rooflint: off' and 'rooflint: on'")
        allow = self.allowed.accepts(advice, headers)
        if allow is None:
            return None
        return silence_of(advice, "allowed", f"line {allow.line}: {allow.reason}")

    def looked_at(self) -> Iterator[FunctionReport]:
        for source, facts in self.functions:
            places = Places(source, self.text)
            spans = [places.of(nest[0].kernel.loops[0].origin) for nest in nests(facts)]
            if spans:
                shown = tuple([NestReport(span.line, span.end_line, ()) for span in spans])
                place = source.span
                yield FunctionReport(
                    name=source.function.name,
                    line=place.line,
                    column=place.column,
                    nests=shown,
                    totals=(),
                )


def predicted_loops(context: FunctionContext) -> Iterator[tuple[Span, int]]:
    """The function and the origin of each loop for which a model gives cycles."""
    for facts in context.facts:
        if context.predictions(facts).has_cycles():
            for loop in facts.kernel.loops:
                yield context.source.span, loop.origin


def is_priced(source: SourceFunction) -> bool:
    """Whether the rules are asked: their gains are those of the host's cores."""
    return source.function.target == "host"


def headers(lint: FunctionLint, advice: Advice) -> list[int]:
    """The lines of a finding, of its loop and those around it, and of its function."""
    site = lint.context.sites.get(advice.loop)
    loops = (*site.outer, site.loop) if site is not None else ()
    lines = [lint.places.of(loop.origin).line for loop in loops]
    return [*lines, advice.span.line, lint.context.source.span.line]

"""Matches that are about a whole file: flags, which all of its functions are priced under."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from rooflint.incremental.function_outcomes import AboutFunction
from rooflint.lint.confidence import ParseState
from rooflint.lint.findings import TrustedOption
from rooflint.lint.functions import FunctionLint, LintOutcome
from rooflint.lint.messages import figure
from rooflint.lint.proposals import LintRule, Proposal, ProposedChange, proposed_change
from rooflint.pipeline.on_machine import OtherRun
from rooflint.plugin_api.rule import Change, Match, Setup
from rooflint.pricing.whatif import ChangeCandidate, Option, PricedChange, VerdictSeconds
from rooflint.transform.result import ChangedFunction
from rooflint.verdict.combine import TIE

Answer = TypeVar("Answer")


def whole_file(
    rule: LintRule,
    match: Match,
    where: FunctionLint,
    lints: Sequence[FunctionLint],
    parsed: ParseState,
) -> LintOutcome:
    """The best of the match's changes, the seconds of the functions that count summed."""
    proposed = Proposal(rule, match, where.context)
    judge = where.judge(parsed)
    if not where.passes(proposed):
        return where.taken(judge)
    if not match.changes or where.settings.structural:
        said = [judge.pattern(proposed)] if match.changes else judge.notes(proposed)
        return where.taken(judge, *said)
    counting = _counting(lints)
    if silent := _known_silence(where, proposed, counting):
        judge.keep_silent(proposed, *silent)
        return where.taken(judge)
    options = [_option(proposed, change, counting) for change in match.changes]
    best = max(options, key=lambda option: option.saved_seconds)

    def holds(other: OtherRun) -> bool:
        change = proposed_change(best.candidates[0]).change
        elsewhere = _option(proposed, change, [lint.in_run(other) for lint in counting])
        return judge.failed_threshold(elsewhere) is None

    judged = judge.failed_threshold(best) or judge.trusted(best, holds)
    if isinstance(judged, TrustedOption):
        return where.taken(judge, judge.advice(judged))
    judge.keep_silent(proposed, *judged)
    return where.taken(judge)


def _known_silence(
    where: FunctionLint, proposed: Proposal, counting: Sequence[FunctionLint]
) -> tuple[str, str] | None:
    """The guard that speaks against the match before its changes are priced, and its reason."""
    if not counting:
        return "min-share", "the program does not reach it"
    if not where.settings.silences and _gains_too_little(proposed, counting):
        return "min-gain", f"predicted less than {figure(where.settings.min_gain)}x"
    return None


def _counting(lints: Sequence[FunctionLint]) -> Sequence[FunctionLint]:
    """The functions that a finding may be about: in the others the program spends too little of its
    time. All of them that it reaches where that is so of each, and where all loops count."""
    if lints and lints[0].settings.ignores_shares:
        return lints
    values = [(lint, lint.context.subject.values) for lint in lints]
    reached = [lint for lint, own in values if not own.is_unreached]
    return [lint for lint, own in values if not own.has_small_share(-1)] or reached


def _priced(lint: FunctionLint, models: tuple[str, ...], setup: Setup) -> PricedChange:
    """The price of a function as it is under other flags."""
    function = lint.context.function
    return _known(lint, (models, setup), lambda: lint.priced(function, models, setup))


def _seconds(lint: FunctionLint, models: tuple[str, ...]) -> float:
    """The seconds of a function as it is."""
    return _known(lint, (models,), lambda: lint.seconds_as_it_is(models))


def _known(lint: FunctionLint, question: object, compute: Callable[[], Answer]) -> Answer:
    """The answer about a function in the run of its lint."""
    on = lint.context.on
    subject, run = on.subject, on.setup
    conditions = (
        question, on.machine.name, subject.given, subject.threads,
        run.entry, run.compiler, run.budget,
    )  # fmt: skip
    about = AboutFunction(source=subject.source, values=subject.values, conditions=conditions)
    return run.known.answer(about, compute)


def _gains_too_little(proposed: Proposal, lints: Sequence[FunctionLint]) -> bool:
    """Whether no change of the match can reach the threshold: of each, the functions with most of
    the time take so long after it that the others need not be priced."""
    names, least = proposed.rule.models, lints[0].settings.min_gain
    before = [_seconds(lint, names) for lint in lints]
    slowest_first = sorted(range(len(lints)), key=lambda number: -before[number])
    for change in proposed.match.changes:
        needed, after = sum(before) * (1 + TIE), 0.0
        for number in slowest_first:
            verdict = _priced(lints[number], names, change.setup).verdict
            after += verdict.after if verdict is not None else 0.0
            if needed < least * after:
                break
        else:
            return False
    return True


def _option(proposed: Proposal, change: Change, lints: Sequence[FunctionLint]) -> Option:
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    verdicts: list[VerdictSeconds] = []
    for lint in lints:
        priced = _priced(lint, proposed.rule.models, change.setup)
        verdicts += [priced.verdict] if priced.verdict is not None else []
        for model in proposed.rule.models:
            if model in priced.after:
                before[model] = before.get(model, 0.0) + priced.before[model]
                after[model] = after.get(model, 0.0) + priced.after[model]
    result = ChangedFunction(proposed.context.function, ())
    candidate = ChangeCandidate(
        name=proposed.rule.code,
        place=proposed.place,
        result=result,
        about=ProposedChange(proposed, change),
    )
    whole = VerdictSeconds(sum([v.before for v in verdicts]), sum([v.after for v in verdicts]))
    return Option((candidate,), result, PricedChange(before, after, whole if verdicts else None))

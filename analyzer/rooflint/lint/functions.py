"""One function: what its rules match, what the models say it brings, and what is worth saying."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import filterfalse

from rooflint.config.lint_settings import MIN_TIME_S, LintSettings
from rooflint.facts import facts_of, rolled_loops
from rooflint.ir import Function, IdentityKey
from rooflint.lint.confidence import ParseState
from rooflint.lint.context import FunctionContext
from rooflint.lint.findings import FindingBuilder, gain_of
from rooflint.lint.messages import figure
from rooflint.lint.places import Places, concerns
from rooflint.lint.proposals import (
    CHAINED,
    RULE_BUGS,
    Proposal,
    candidates,
    chains,
    failure,
    first_guard,
    matches,
    proposed_change,
    silence,
)
from rooflint.pipeline.on_machine import OnMachine, OtherRun
from rooflint.pipeline.profiled.finding_shares import LEAST_SHARE
from rooflint.plugin_api.advice import Advice, Silence
from rooflint.plugin_api.hookspecs import Model, Rule
from rooflint.plugin_api.report import STATIC
from rooflint.plugin_api.rule import Setup, sees_functions
from rooflint.plugin_api.rule_code import family_of
from rooflint.pricing.whatif import ChangeCandidate, Option, PricedChange, SearchLimits, options_of
from rooflint.records import NamedTuple
from rooflint.registry import with_needed_models

LIMITS = SearchLimits(links=2, beam=2, prices=24)
UNPRICED = PricedChange({}, {})


class LintOutcome(NamedTuple):
    """The findings that a function or a file adds; ``failures``: bugs of rules, a line each."""

    findings: tuple[Advice, ...] = ()
    silent: tuple[Silence, ...] = ()
    failures: tuple[str, ...] = ()


class FunctionLint:
    """The lint of one function on one machine."""

    def __init__(
        self,
        context: FunctionContext,
        rules: Sequence[Rule],
        settings: LintSettings,
        places: Places,
    ) -> None:
        self.context = context
        self.rules = rules
        self.settings = settings
        self.places = places
        self.silent: list[Silence] = []
        self.failures: list[str] = []
        self.pricer = context.pricer
        self._models: dict[tuple[str, ...], tuple[Model, ...]] = {}

    def outcome(
        self, more: Iterable[Proposal] = (), parsed: ParseState = ParseState.WHOLE
    ) -> LintOutcome:
        """All that is said of the function; ``more`` are matches of rules that see the file."""
        judge = self.judge(parsed)
        found: list[ChangeCandidate] = []
        findings: list[Advice] = []
        asked: list[Proposal] = []
        for proposed in (*matches(self.rules, self.context, self.failures), *more):
            chosen = concerns(proposed.match, self.context, self.settings.loops)
            if not chosen or self.is_cold(proposed) or self.is_refused(proposed):
                continue
            if not self.passes(proposed):
                continue
            if not proposed.match.changes or self.settings.structural:
                findings += self.unpriced(judge, proposed)
            elif self.long_enough(proposed):
                legal = self.legal(proposed)
                found += legal
                asked += [proposed] if legal else []
        kept, dropped = self.chained(list(filter(chains, found)))
        alone = map(self.alone, filterfalse(chains, found))
        findings += judge.findings(kept, [*dropped, *alone], asked)
        return self.taken(judge, *findings)

    def unpriced(self, judge: FindingBuilder, proposed: Proposal) -> list[Advice]:
        """A note where the rule has no change, the pattern alone under ``--structural``."""
        if not proposed.match.changes:
            return judge.notes(proposed)
        return [judge.pattern(proposed)] if self.legal(proposed) else []

    def judge(self, parsed: ParseState) -> FindingBuilder:
        """Who says which changes are worth saying."""
        return FindingBuilder(
            self.context,
            self.pricer,
            self.confirmed,
            self.settings,
            self.places,
            parsed,
            self,
        )

    def in_run(self, other: OtherRun) -> "FunctionLint":
        """The lint of the function in another run."""
        context = self.context.in_run(other)
        return FunctionLint(context, self.rules, self.settings, self.places)

    def holds(self, option: Option, other: OtherRun) -> bool:
        """Whether the finding of an option is one in another run."""
        lint = self.in_run(other)
        found = lint.pays(option) if _is_priced_alike(option, other) else lint.finds(option)
        self.failures += [each for each in lint.failures if each not in self.failures]
        return found

    def matches(self, proposed: Proposal, other: OtherRun) -> bool:
        """Whether a rule matches the same in another run."""
        return self.in_run(other).again(proposed) is not None

    def least_gain(self, option: Option, other: OtherRun) -> float:
        """The gain of the same change in another run, the lowest that a model gives."""
        return gain_of(self.in_run(other).confirmed(option)).low

    def pays(self, option: Option) -> bool:
        """Whether the changed function is worth it here."""
        judge = self.judge(ParseState.WHOLE)
        return judge.failed_threshold(option._replace(priced=self.repriced(option))) is None

    def finds(self, option: Option) -> bool:
        """Whether the change of an option from another run is found here, too, and is worth it."""
        lead = self.again(proposed_change(option.candidates[0]).proposed)
        if lead is None or not self.long_enough(lead):
            return False
        judge = self.judge(ParseState.WHOLE)
        if len(option.candidates) > 1:
            return isinstance(judge.worth(self.confirmed(option)), Option)
        found = [each for each in self.legal(lead) if _kind(each) == _kind(option.candidates[0])]
        options = [*map(self.alone, filterfalse(chains, found))]
        options += [Option((c,), c.result, self.price(c)) for c in filter(chains, found)]
        return any(isinstance(judge.worth(each), Option) for each in options)

    def again(self, proposed: Proposal) -> Proposal | None:
        """The match of a rule as it is here; None where it does not match, or a guard speaks."""
        rule = proposed.rule
        found: Iterable[Proposal] = [proposed._replace(context=self.context)]
        if sees_functions(rule):
            found = list(matches((rule,), self.context, self.failures))
        same = (proposed.place, proposed.match.place)
        return next((p for p in found if (p.place, p.match.place) == same and self.passes(p)), None)

    def taken(self, judge: FindingBuilder, *findings: Advice) -> LintOutcome:
        """Findings with all that came up on the way, which is not said twice."""
        outcome = LintOutcome(findings, (*self.silent, *judge.silent), tuple(self.failures))
        self.silent, self.failures = [], []
        return outcome

    def passes(self, proposed: Proposal) -> bool:
        """Whether no guard of its rule speaks against a match."""
        try:
            guard, reason = first_guard(proposed, self.settings.structural)
        except RULE_BUGS as error:
            self.failures.append(failure(proposed.rule, self.context.function.name, error))
            return False
        if guard:
            self.silent.append(silence(proposed, self.places, guard, reason))
        return not guard

    def is_refused(self, proposed: Proposal) -> bool:
        """Whether no change of a match is legal, where nobody is told which guard speaks first: to
        see that takes less than to ask guards that predict times."""
        if self.settings.silences or not proposed.match.changes:
            return False
        try:
            found, refused = candidates(proposed)
        except RULE_BUGS:  # it may rely on a guard
            return False
        return bool(refused) and not found

    def legal(self, proposed: Proposal) -> list[ChangeCandidate]:
        """The changes that may be made; where none may, the first reason is kept."""
        try:
            found, refused = candidates(proposed)
        except RULE_BUGS as error:
            self.failures.append(failure(proposed.rule, self.context.function.name, error))
            return []
        if not found and refused:
            self.silent.append(silence(proposed, self.places, "legality", refused[0]))
        return found

    def is_cold(self, proposed: Proposal) -> bool:
        """Whether the program spends so little of its time there that no finding is worth it."""
        if proposed.match.defect:
            return False
        if self.settings.ignores_shares:
            return False
        site = self.context.sites.get(proposed.match.place)
        origin = proposed.match.origin if site is None else site.loop.origin
        values = self.context.subject.values
        cold = -1 in self._cold or origin in self._cold
        if cold:
            reason = f"less than {100 * LEAST_SHARE[STATIC]:g} % of the program's time"
            reason = "the program does not reach it" if values.is_unreached else reason
            self.silent.append(silence(proposed, self.places, "min-share", reason))
        return cold

    @cached_property
    def _cold(self) -> frozenset[int]:
        """Nodes with too small a share of the program's time; -1: the function has."""
        return frozenset(self.context.subject.values.cold)

    def long_enough(self, proposed: Proposal) -> bool:
        """Whether the nest takes so long that a change of it can be worth anybody's time.

        Where the program's weights are known, or the loops are chosen by them, shares of its time
        decide instead.
        """
        least = self.settings.min_time_s
        if least is None:
            by_share = self.context.subject.values.is_weighed or self.settings.loops is not None
            least = 0.0 if by_share or self.settings.all_loops else MIN_TIME_S
        site = self.context.sites.get(proposed.match.place)
        if site is None or least <= 0.0:
            return True
        node = self.context.function.body[site.path[0]]
        seconds: Mapping[str, float] = {}
        for name in proposed.rule.models:
            seconds = seconds or self.pricer.node_seconds(node, self.models((name,)))
        most = max(seconds.values(), default=least)
        if most < least:
            reason = (
                f"the nest takes {figure(most * 1e6)} us a call, less than {figure(least * 1e6)}"
            )
            self.silent.append(silence(proposed, self.places, "min-time", reason))
        return most >= least

    def models(self, names: tuple[str, ...]) -> tuple[Model, ...]:
        """The models of these names, with those they need, in the run's order."""
        found = self._models.get(names)
        if found is None:
            found = self._models[names] = with_needed_models(names, self.context.on.setup.models)
        return found

    def chained(self, first: Sequence[ChangeCandidate]) -> tuple[tuple[Option, ...], list[Option]]:
        """Changes that the models price as they are, and chains of them; those kept, and others."""

        def find(function: Function) -> Iterable[ChangeCandidate]:
            return first if function is self.context.function else self.links(function)

        answer = options_of(self.context.function, find, self.price, LIMITS, self.pricer.new)
        return answer.options, [dropped.option for dropped in answer.dropped]

    def price(self, candidate: ChangeCandidate) -> PricedChange:
        """By the verdict's rule over the models of its rule."""
        return self.repriced(Option((candidate,), candidate.result, UNPRICED))

    def repriced(self, option: Option) -> PricedChange:
        """The same of an option from another run."""
        way = proposed_change(option.candidates[0])
        return self.priced(option.result.function, way.proposed.rule.models, way.change.setup)

    def confirmed(self, option: Option) -> Option:
        """With its price by the models of the rule that leads; links may be of other rules."""
        if proposed_change(option.candidates[0]).change.seconds is not None:
            return option
        return option._replace(priced=self.repriced(option))

    def priced(self, function: Function, names: tuple[str, ...], setup: Setup) -> PricedChange:
        """By some models, without those that they need."""
        priced = self.pricer(function, self.models(names), setup, names)
        return priced._replace(
            before={name: priced.before[name] for name in names if name in priced.before},
            after={name: priced.after[name] for name in names if name in priced.after},
        )

    def seconds_as_it_is(self, names: tuple[str, ...]) -> float:
        """The verdict's time of the function, which a change of its setup is compared with."""
        return self.pricer.whole_verdict_s(self.models(names), names)

    def links(self, function: Function) -> Iterable[ChangeCandidate]:
        """Candidates in the changed nests of a function: others are findings of their own."""
        on = self.context.on
        subject = on.subject._replace(
            source=on.subject.source._replace(function=function),
            facts=facts_of(function, rolled_loops(on.subject.facts)),
        )
        changed = OnMachine(subject, on.setup, on.machine, on.caches)
        context = FunctionContext(changed, self.context.noalias, self.context.text)
        as_it_was = {IdentityKey(node) for node in self.context.function.body}
        rules = [rule for rule in self.rules if family_of(rule.code) in CHAINED]
        for proposed in matches(rules, context, []):
            site = context.sites.get(proposed.match.place)
            if site is None or IdentityKey(function.body[site.path[0]]) in as_it_was:
                continue
            if proposed.match.changes and not first_guard(proposed, False)[0]:
                yield from filter(chains, candidates(proposed)[0])

    def alone(self, candidate: ChangeCandidate) -> Option:
        """A change that comes with flags or cores of its own, or with its own price."""
        proposed, change = proposed_change(candidate)
        priced = UNPRICED
        if change.seconds is None:
            priced = self.price(candidate)
        else:
            place = change.timed or proposed.match.place
            try:
                given = change.seconds()
                function = candidate.result.function
                least = self.pricer.floor_seconds(function, place, change.setup) if given else 0.0
                most = change.most_seconds() if given and change.most_seconds else {}
                priced = _given(given, least)._replace(most=_largest_gain(most, least))
            except RULE_BUGS as error:
                self.failures.append(failure(proposed.rule, self.context.function.name, error))
        return Option((candidate,), candidate.result, priced)


def _kind(candidate: ChangeCandidate) -> object:
    """The steps of a change without arguments, and whether it brings flags, cores or pages."""
    steps = tuple([step.kind for step in candidate.result.steps])
    return steps, tuple([each is None for each in proposed_change(candidate).change.setup])


def _is_priced_alike(option: Option, other: OtherRun) -> bool:
    """Whether another run changes prices alone: rules match at sizes, and set flags and seconds."""
    change = proposed_change(option.candidates[0]).change
    own_flags = other.compiler is not None and change.setup.compiler is not None
    return not other.sizes and not own_flags and change.seconds is None


def _given(seconds: Mapping[str, tuple[float, float]], least: float) -> PricedChange:
    before = {model: pair[0] for model, pair in seconds.items()}
    return PricedChange(before, {model: max(pair[1], least) for model, pair in seconds.items()})


def _largest_gain(seconds: Mapping[str, tuple[float, float]], least: float) -> float:
    gains = [before / max(after, least) for before, after in seconds.values() if after > 0]
    return max(gains, default=0.0)

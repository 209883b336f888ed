"""From prices to findings: thresholds, severity, confidence, the message."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import inf
from typing import Final

from rooflint.config.lint_settings import WARNING_GAIN, WARNING_SHARE, LintSettings
from rooflint.lint.confidence import (
    CERTAIN,
    ORDER,
    Holds,
    OtherRuns,
    ParseState,
    Trials,
    Trust,
    at_least,
    break_points,
)
from rooflint.lint.context import FunctionContext
from rooflint.lint.messages import SizeWords, assumed_words, figure, message_of, shorten
from rooflint.lint.places import Places
from rooflint.lint.proposals import Proposal, proposed_change, silence
from rooflint.plugin_api.action import Confidence, Severity
from rooflint.plugin_api.advice import (
    BY_VERDICT,
    Advice,
    Fix,
    Gain,
    Numbers,
    Silence,
    gain_text,
    gain_words,
)
from rooflint.pricing.pricer import Pricer
from rooflint.pricing.whatif import USUAL, ChangeCandidate, Option
from rooflint.records import NamedTuple
from rooflint.registry import with_needed_models
from rooflint.scenario.sizes import Size
from rooflint.transform.result import ChangedFunction
from rooflint.verdict.finding_words import change_words, evidence_words

NOTE_CONFIDENCE: Final = "medium"
MOST_ASKED = 3
"""Of several ways to make a change, those that save most by the first model."""
FindingKey = tuple[str, str]
"""The code and the place of a match."""


class TrustedOption(NamedTuple):
    """An option that reaches all thresholds, and how far it can be trusted."""

    option: Option
    trust: Trust


class FindingBuilder:
    """Turns priced changes into findings."""

    def __init__(
        self,
        context: FunctionContext,
        pricer: Pricer,
        confirmed: Callable[[Option], Option],
        settings: LintSettings,
        places: Places,
        parsed: ParseState,
        others: OtherRuns,
    ) -> None:
        self.context, self.pricer, self.settings, self.places = context, pricer, settings, places
        self.confirmed = confirmed
        self.trials = Trials(context, others, settings, parsed)
        self.silent: list[Silence] = []

    def findings(
        self, kept: Iterable[Option], others: Sequence[Option], asked: Iterable[Proposal]
    ) -> list[Advice]:
        """The best chains first; then every other match alone, or the reason why it is silent."""
        single: dict[FindingKey, list[Option]] = {}
        for option in sorted((*kept, *others), key=lambda each: -each.saved_seconds):
            if len(option.candidates) == 1:
                single.setdefault(_found(option.candidates[0]), []).append(option)
        reported: dict[FindingKey, Option] = {}
        findings = list(self.chains(kept, single, reported))
        for proposed in asked:
            found = (proposed.rule.code, proposed.place)
            alone = single.get(found, [])
            if found in reported:
                if found != _found(reported[found].candidates[0]):
                    self.keep_silent(proposed, "subsumed", f"part of {_chain(reported[found])}")
            elif not alone:
                self.keep_silent(proposed, "subsumed", "another rule proposes the same change")
            else:
                findings += self.by_itself(proposed, alone)
                reported[found] = alone[0]
        return findings

    def chains(
        self,
        kept: Iterable[Option],
        single: Mapping[FindingKey, list[Option]],
        reported: dict[FindingKey, Option],
    ) -> Iterator[Advice]:
        """Findings of several changes that gain more than the first one alone; their matches are
        noted in ``reported``.
        """
        for option in kept:
            names = [_found(each) for each in option.candidates]
            if len(names) < 2 or not reported.keys().isdisjoint(names) or _enough(option, single):
                continue
            judged = self.judged([option])
            link = self.best_link(option, single)
            if isinstance(judged, TrustedOption) and _surely_more(judged.option, link):
                reported.update(dict.fromkeys(names, link or option))
                yield self.advice(judged, link)

    def best_link(
        self, chain: Option, single: Mapping[FindingKey, Sequence[Option]]
    ) -> Option | None:
        """The link that gains most alone; the first of several, None where none does."""
        alone: list[Option] = []
        for link in chain.candidates:
            same = [each for each in single.get(_found(link), ()) if _is_alike(each, link)]
            judged = self.judged(same) if same else None
            alone += [judged.option] if isinstance(judged, TrustedOption) else []
        return max(alone, key=lambda each: each.saved_seconds, default=None)

    def by_itself(self, proposed: Proposal, options: Iterable[Option]) -> list[Advice]:
        """The finding of one match, or nothing, with the reason added to the silent matches."""
        judged = self.judged(options)
        if isinstance(judged, TrustedOption):
            return [self.advice(judged)]
        self.keep_silent(proposed, *judged)
        return []

    def keep_silent(self, proposed: Proposal, guard: str, reason: str) -> None:
        """Records why a match is not a finding."""
        self.silent.append(silence(proposed, self.places, guard, reason))

    def judged(self, options: Iterable[Option]) -> TrustedOption | tuple[str, str]:
        """The first option that reaches all thresholds, else why the first one does not.

        Other runs are tried last.
        """
        reasons: list[tuple[str, str]] = []
        for option in islice(options, MOST_ASKED):
            worth = self.worth(option)
            judged = self.trusted(worth) if isinstance(worth, Option) else worth
            if isinstance(judged, TrustedOption):
                return judged
            reasons.append(judged)
        return reasons[0]

    def worth(self, option: Option) -> Option | tuple[str, str]:
        """The option with the price of its rule's models, if its gain suffices; else why not."""
        silent = self.failed_threshold(option)
        if silent is not None:
            return silent
        confirmed = self.confirmed(option)
        return self.failed_threshold(confirmed) or confirmed

    def failed_threshold(self, option: Option) -> tuple[str, str] | None:
        """The threshold that a price misses, and by how much; None: it reaches all."""
        if not option.after:
            names = ", ".join(proposed_change(option.candidates[0]).proposed.rule.models)
            return "no-price", f"none of {names} prices the change"
        gain = gain_of(option)
        if max(gain.low, option.priced.most) < self.settings.min_gain:
            said = f"predicted {gain_words(gain)} ({_models(option)})"
            return "min-gain", f"{said}, less than {figure(self.settings.min_gain)}x"
        return None

    def trusted(
        self, option: Option, holds: Holds | None = None
    ) -> TrustedOption | tuple[str, str]:
        """The option, if its confidence suffices; ``holds`` tries it in other runs."""
        trust = self.trials.of_option(option, holds)
        if trust.level is None or not at_least(trust.level, self.settings.min_confidence):
            return "min-confidence", "; ".join(trust.reasons)
        return TrustedOption(option, trust)

    def advice(self, judged: TrustedOption, alone: Option | None = None) -> Advice:
        """The finding; that of a chain is one link's, and its message names the others.

        alone  that link by itself, if any is worth reporting; else the first one
        """
        option, trust = judged
        lead = (alone or option).candidates[0]
        proposed, change = proposed_change(lead).proposed, proposed_change(lead).change
        match, rule = proposed.match, proposed.rule
        quoted = alone or option
        more = _rest_words(option, lead, alone)
        gain, numbers = gain_of(quoted), self.numbers(quoted)
        confidence = trust.level or "low"
        assumed = assumed_words(
            [(n, s.value) for n, s in self.trials.sizes(match.place) if _open(s)]
        )
        assumptions = self.assumptions(match.place, option.result)
        severity = self.severity(rule.code, gain, confidence, numbers.share)
        if change.depends_on_data and rule.code not in self.settings.severity:
            severity = "note"
        about = self.context.advised_loop(match.place, rule.models)
        limiter, now_cy = (about.limiter, about.now_cy) if about is not None else (None, None)
        return self.plain(proposed, severity, trust)._replace(
            message=message_of(
                evidence_words(limiter, match.evidence),
                change_words(change.words, numbers.now_cy(now_cy), gain.low, gain.high),
                SizeWords(assumed, trust.sensitivity.words),
                more,
                self.one_of_several(),
            ),
            gain=gain,
            confidence=confidence,
            doubts=trust.reasons,
            sensitivity=break_points(trust.sensitivity, rule.code),
            trial=trust.sensitivity,
            numbers=numbers,
            assumptions=tuple(assumptions),
            fix=self.fix(lead, quoted.result),
            chain=option.names if more else (),
            action=change.action,
            change=change.words,
            about=about,
        )

    def one_of_several(self) -> str:
        """The machine's name; empty where no other was asked."""
        return self.context.machine.name if len(self.context.on.setup.machines) > 1 else ""

    def notes(self, proposed: Proposal) -> list[Advice]:
        """A finding without a change: without a gain, its numbers have to be certain."""
        if proposed.match.defect:
            return [self.plain(proposed, "error", CERTAIN)]
        trust = self.trials.of_match(proposed)
        note = self.plain(proposed, "note", trust)
        least: Confidence = max(NOTE_CONFIDENCE, self.settings.min_confidence, key=ORDER.index)
        if self.settings.structural or (trust.level and at_least(trust.level, least)):
            return [note]
        self.keep_silent(proposed, "min-confidence", "; ".join(note.doubts))
        return []

    def pattern(self, proposed: Proposal) -> Advice:
        """A finding of ``--structural``: the pattern matches, and no price is given."""
        return self.plain(proposed, "hint", self.trials.untried(proposed))

    def plain(self, proposed: Proposal, severity: Severity, trust: Trust) -> Advice:
        """A finding without a gain."""
        rule, match = proposed.rule, proposed.match
        words = trust.sensitivity.words
        return Advice(
            code=rule.code,
            slug=rule.slug,
            message=shorten(f"{match.evidence}, {words}" if words else match.evidence),
            severity=self.settings.severity.get(rule.code, severity),
            span=self.places.span(match, self.context.sites.get(match.place)),
            function=self.context.function.name,
            loop=match.place,
            fingerprint=self.fingerprint(proposed),
            machine=self.context.machine.name,
            cores=self.cores(match.place),
            confidence=trust.level or "low",
            doubts=trust.reasons,
            sensitivity=break_points(trust.sensitivity, rule.code),
            related=self.places.related(match),
            evidence=match.evidence,
        )

    def severity(self, code: str, gain: Gain, confidence: Confidence, share: float) -> Severity:
        """From the numbers, unless the configuration says otherwise."""
        chosen = self.settings.severity.get(code)
        if chosen is not None:
            return chosen
        sure = at_least(confidence, "medium")
        worth = gain.low >= WARNING_GAIN and share >= WARNING_SHARE
        return "warning" if sure and worth else "note"

    def numbers(self, option: Option) -> Numbers:
        """The price by the verdict, else by the first of the rule's models that gives one."""
        rule = proposed_change(option.candidates[0]).proposed.rule
        verdict = option.priced.verdict
        if verdict is not None:
            model, (before, after) = BY_VERDICT, verdict
            models = with_needed_models(rule.models, self.pricer.analysis.models)
            whole = self.pricer.verdict_seconds(models, rule.models)
        else:
            model = next(name for name in (*rule.models, *option.after) if name in option.after)
            before, after = option.before[model], option.after[model]
            models = with_needed_models((model,), self.pricer.analysis.models)
            whole = self.pricer.function_seconds(models).get(model, 0.0)
        iterations = self.iterations(option)
        scale, unit = 1e6, "us"
        if iterations:
            scale, unit = self.context.machine.clock_ghz * 1e9 / iterations, "cy/it"
        left = 1 / max(1.0, gain_of(option).middle)
        share = (1 - left) * min(1.0, before / whole if whole > 0 else 1.0)
        return Numbers(
            model=model,
            before=before * scale,
            after=after * scale,
            unit=unit,
            saved_seconds=option.saved_seconds,
            share=share,
        )

    def iterations(self, option: Option) -> float:
        """Of the kernel, among those that the change touches, that runs most."""
        return self.pricer.iterations(option.priced.gone)

    def assumptions(self, place: str, result: ChangedFunction) -> list[str]:
        """The assumptions of the numbers, each with its origin."""
        said = [f"{name} = {size.value} ({size.origin})" for name, size in self.trials.sizes(place)]
        said += [size.detail for _, size in self.trials.sizes(place) if _open(size) and size.detail]
        said += [
            assumption
            for each in self.trials.kernels(place)
            for assumption in each.kernel.assumptions
        ]
        said += [str(self.context.compiler) + (" assumed" if self.context.compiler.assumed else "")]
        return list(dict.fromkeys((*said, *map(str, result.assumes))))

    def fix(self, candidate: ChangeCandidate, result: ChangedFunction) -> Fix | None:
        """How to write the first change; a change that needs proof, or rounds differently, is not
        safe.

        Without edits, it is the code of the changed nest, if that has such a text.
        """
        change = proposed_change(candidate).change
        fix = change.fix(candidate.result) if change.fix is not None else None
        if fix is None or not fix.edits:
            from rooflint.lint.sketches import sketch_of  # noqa: PLC0415 - 25 modules

            code = sketch_of(self.places.text, self.context.source, result.steps)
            if code:
                fix = (fix or Fix("sketch", change.words))._replace(sketch=code)
        if fix is None or fix.safety != "safe":
            return fix
        proven = candidate.result.exact and not candidate.result.assumes
        return fix if proven else fix._replace(safety="unsafe")

    def fingerprint(self, proposed: Proposal) -> str:
        """The key of the finding in a baseline."""
        match = proposed.match
        site = self.context.sites.get(match.place)
        return self.places.fingerprint(proposed.rule.code, match, site)

    def cores(self, place: str) -> int:
        """How many cores the nest runs on as it is."""
        kernels = self.trials.kernels(place)
        return self.context.on.cores(kernels[0]).number if kernels else 1


def gain_of(option: Option) -> Gain:
    """By the verdict; over models without one, the lowest and the highest."""
    low, high = option.gains
    return Gain(low, high if high < inf else low)


def _enough(chain: Option, single: Mapping[FindingKey, Sequence[Option]]) -> bool:
    later = [single.get(_found(each), ()) for each in chain.candidates[1:]]
    most = max([each.saved_seconds for options in later for each in options], default=0.0)
    return chain.saved_seconds < USUAL.more * most


def _surely_more(chain: Option, alone: Option | None) -> bool:
    return alone is None or gain_of(chain).low >= USUAL.more * gain_of(alone).low


def _open(size: Size) -> bool:
    return size.origin == "role"


def _rest_words(chain: Option, lead: ChangeCandidate, alone: Option | None) -> str:
    """The links of a chain but its lead, and what all gain where that gains by itself."""
    others = [each for each in chain.candidates if _found(each) != _found(lead)]
    if not others:
        return ""
    rest = ", ".join([proposed_change(each).change.words for each in others])
    rest = f"{rest} ({', '.join([each.name for each in others])})"
    if alone is None:
        return f"together with {rest}"
    return f"with {rest} {gain_text(gain_of(chain).low)}"


def _is_alike(option: Option, link: ChangeCandidate) -> bool:
    """Whether an option is the change of a link, too: a match may offer several."""
    return proposed_change(option.candidates[0]).change.words == proposed_change(link).change.words


def _found(candidate: ChangeCandidate) -> FindingKey:
    return candidate.name, candidate.place


def _chain(option: Option) -> str:
    return ", then ".join(option.names)


def _models(option: Option) -> str:
    return ", ".join(option.after)

"""Matches of rules in a function, those that a guard silences set apart, and what they lead to."""

from collections.abc import Iterable, Iterator
from typing import Final

from rooflint_plugins.rules import BuiltInRule

from rooflint.lint.context import FunctionContext
from rooflint.lint.places import Places
from rooflint.plugin_api.advice import Silence
from rooflint.plugin_api.hookspecs import Rule
from rooflint.plugin_api.rule import (
    Change,
    FunctionRule,
    Match,
    RuleContext,
    Setup,
    UnitMatch,
    UnitRule,
    may_find_defects,
    sees_files,
    sees_functions,
)
from rooflint.plugin_api.rule_code import family_of
from rooflint.pricing.whatif import ChangeCandidate
from rooflint.records import NamedTuple
from rooflint.registry import working_rule
from rooflint.rule_kit.features import features_of
from rooflint.transform.result import ChangedFunction, ChangeRefusal

LintRule = FunctionRule | UnitRule
RULE_BUGS: Final = (Exception, SystemExit, GeneratorExit)
"""What may come out of a rule; it must not take the others with it."""


class Proposal(NamedTuple):
    """A match that passed its guards, and the rule and the function it comes from."""

    rule: LintRule
    match: Match
    context: FunctionContext

    @property
    def place(self) -> str:
        """Where, in words that changes elsewhere do not move."""
        site = self.context.sites.get(self.match.place)
        origin = self.match.origin if site is None else site.loop.origin
        return f"{origin}:{self.match.discriminator}"


class ProposedChange(NamedTuple):
    """One change of a proposal: what a candidate is about."""

    proposed: Proposal
    change: Change


def sees_whole_file(rule: Rule) -> bool:
    """Whether a rule looks at a file, and not at one function at a time."""
    return rule.whole_file if isinstance(rule, BuiltInRule) else sees_files(rule)


def matches(
    rules: Iterable[Rule], context: FunctionContext, failures: list[str]
) -> Iterator[Proposal]:
    """Matches of the rules that look at functions; one that raises costs its own findings only.

    Built-in rules are imported for code that has what they require.
    """
    for rule in _concerned(rules, context):
        try:
            for match in rule.match(context):
                found = checked_match(match, context)
                if found.defect and not may_find_defects(rule):
                    raise TypeError("matched a defect without 'defects = True'")
                yield Proposal(rule, found, context)
        except RULE_BUGS as error:
            failures.append(failure(rule, context.function.name, error))


def _concerned(rules: Iterable[Rule], context: FunctionContext) -> Iterator[FunctionRule]:
    features = features_of(context.function, context.facts)
    for named in rules:
        if features.issuperset(getattr(named, "requires", ())):
            rule = working_rule(named)
            if sees_functions(rule):
                yield rule


def checked_match(match: object, context: RuleContext) -> Match:
    """A match as the contract has it; raises TypeError for another one."""
    if not isinstance(match, Match):
        raise TypeError(f"matched {type(match).__name__}, not a Match")
    if match.place and match.place not in context.sites:
        raise TypeError(f"matched the place '{match.place}', which no loop has")
    if not isinstance(match.evidence, str):
        raise TypeError(f"evidence is a {type(match.evidence).__name__}, expected a text")
    for change in match.changes:
        if not isinstance(change, Change):
            raise TypeError(f"a change is a {type(change).__name__}, not a Change")
    return match


def checked_unit_match(found: object) -> UnitMatch:
    """The same of a rule that looks across functions."""
    if not isinstance(found, UnitMatch):
        raise TypeError(f"matched {type(found).__name__}, not a UnitMatch")
    checked_match(found.match, found.where)
    return found


def failure(rule: LintRule, function: str, error: BaseException) -> str:
    """A rule's bug in one line."""
    text = " ".join(str(error).split())
    return f"rule {rule.code} failed on {function}: {type(error).__name__}: {text}"


def first_guard(proposed: Proposal, structural: bool) -> tuple[str, str]:
    """The name of the first guard that keeps a match silent, and its reason; ("", "") if none."""
    context: RuleContext = proposed.context
    for guard in proposed.rule.guards:
        if structural and not guard.structural:
            continue
        reason = guard.silences(proposed.match, context)
        if reason:
            return guard.name, reason
    return "", ""


def silence(proposed: Proposal, places: Places, guard: str, reason: str) -> Silence:
    """A match that is no finding."""
    rule, match, context = proposed
    return Silence(
        code=rule.code,
        slug=rule.slug,
        span=places.span(match, context.sites.get(match.place)),
        function=context.function.name,
        loop=match.place,
        evidence=match.evidence,
        guard=guard,
        reason=reason,
    )


def candidates(proposed: Proposal) -> tuple[list[ChangeCandidate], list[str]]:
    """Every change of a match that is legal, and why the others are not."""
    found: list[ChangeCandidate] = []
    refused: list[str] = []
    for change in proposed.match.changes:
        function = proposed.context.function
        if change.apply is None:
            result: ChangedFunction | ChangeRefusal = ChangedFunction(function, ())
        else:
            result = change.apply(function)
        if isinstance(result, ChangeRefusal):
            refused.append(result.reason)
        elif not isinstance(result, ChangedFunction):
            raise TypeError(f"a change leads to {type(result).__name__}, not to a ChangedFunction")
        else:
            way = ProposedChange(proposed, change)
            found.append(
                ChangeCandidate(
                    name=proposed.rule.code,
                    place=proposed.place,
                    result=result,
                    about=way,
                    enables=change.enables,
                )
            )
    return found, refused


def proposed_change(candidate: ChangeCandidate) -> ProposedChange:
    """The proposed change behind a candidate of this module."""
    assert isinstance(candidate.about, ProposedChange)
    return candidate.about


CHAINED = ("1", "2", "3")
"""Families of any prefix whose changes build on each other: memory, arithmetic, vectors.

Threads (4) and coprocessors (5) come with them or without, and are advice of their own.
"""


def chains(candidate: ChangeCandidate) -> bool:
    """Whether other changes may follow: it brings no flags, no cores and no price of its own."""
    change = proposed_change(candidate).change
    priced = change.setup == Setup() and change.seconds is None
    return priced and family_of(candidate.name) in CHAINED

from collections.abc import Iterator
from functools import partial

from rooflint.facts import KernelFacts
from rooflint.ir import IdentityKey, Loop, Statement
from rooflint.plugin_api.rule import (
    Action,
    ActionKind,
    Change,
    Fix,
    Guard,
    Match,
    RelatedNode,
    RuleContext,
)
from rooflint.records import NamedTuple
from rooflint.rule_kit import arithmetic
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import innermost, kernel_of, statements_of, unconditional
from rooflint.transform.arithmetic.operations import reciprocal
from rooflint.transform.nest.graph import invariant_values
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction


class _Division(NamedTuple):
    statement: Statement
    number: int

    @property
    def divisor(self) -> int:
        return self.statement.values[self.number].args[1]


def _by_flags(match: Match, context: RuleContext) -> str:
    if context.compiler.reciprocal and context.compiler.level > 0:
        return f"{context.compiler} multiplies by the reciprocal already"
    return ""


def _exact(match: Match, context: RuleContext) -> str:
    site, facts = _own(context, match)
    if all(
        _power_of_two(arithmetic.constant(d.statement, d.divisor)) for d in _divisions(site, facts)
    ):
        return "a power of two: compilers multiply by its exact reciprocal"
    return ""


def _hidden(match: Match, context: RuleContext) -> str:
    _, facts = _own(context, match)
    link = arithmetic.behind_memory(context, facts)
    plan = arithmetic.plan_of(context, facts) if link else None
    if plan is None:
        return ""
    busy = arithmetic.cycles_words(arithmetic.division_cycles(plan.code))
    return f"transfers over {link} decide, {busy} cycles of divisions fit behind them"


class InvariantDivisor(RuleDefaults):
    code = "RL202"
    slug = "invariant-divisor"
    requires = (CodeFeature.DIVISION,)
    summary = "every iteration divides by the same value"
    aliases = ("PWR045",)
    needs = ("core",)
    guards = (
        Guard("power-of-two", "the divisor is a constant power of two", _exact, structural=True),
        Guard("reciprocal-math", "the flags let the compiler make this change itself", _by_flags),
        Guard("memory-bound", "transfers take longer than the divisions", _hidden),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that divide floating-point numbers by what stays the same."""
        for site, facts in innermost(context):
            found = _divisions(site, facts)
            if found:
                yield _match(context, site, facts, found)


RULE = InvariantDivisor()


def _own(context: RuleContext, match: Match) -> tuple[Site, KernelFacts]:
    return context.sites[match.place], kernel_of(match, context)


def _divisions(site: Site, facts: KernelFacts) -> list[_Division]:
    if not any(v.op == "div" for s in facts.kernel.statements for v in s.values):
        return []
    return [each for s in statements_of(site.loop) for each in _divisions_in(site.loop, s)]


def _divisions_in(loop: Loop, statement: Statement) -> Iterator[_Division]:
    values = statement.values
    divisions = [n for n, v in enumerate(values) if v.op == "div" and v.type in arithmetic.FLOATS]
    steady = invariant_values(loop, statement) if divisions else set()
    for number in divisions:
        if values[number].args[1] in steady and number not in steady:
            yield _Division(statement, number)


def _match(context: RuleContext, site: Site, facts: KernelFacts, found: list[_Division]) -> Match:
    names = dict.fromkeys([arithmetic.text_of(d.statement, d.divisor) for d in found])
    said = ", ".join(names)
    plan = arithmetic.plan_of(context, facts)
    cost = ""
    if plan is not None:
        busy = arithmetic.division_cycles(plan.code) / len(found)
        cost = f" at {arithmetic.cycles_words(busy)} cycles each" if busy else ""
    always = {IdentityKey(statement) for statement in unconditional(site.loop.body)}
    seldom = all(IdentityKey(each.statement) not in always for each in found)
    count = f"{len(found)} divisions" if len(found) > 1 else "a division"
    return Match(
        site.name,
        f"{count} per iteration by {said}, which never changes,{cost}".rstrip(","),
        (
            Change(
                f"multiplying by 1/{said if len(names) == 1 else 'each'}",
                partial(reciprocal, loop=site.name),
                fix=partial(_fix, tuple(names), found[0].statement.values[found[0].number].type),
                action=_action(tuple(names)),
            ),
        ),
        related=tuple([RelatedNode(d.statement.origin, "divides here") for d in found]),
        doubts=("the frequency of the dividing branch is unknown",) if seldom else (),
    )


def _action(names: tuple[str, ...]) -> Action:
    return Action(ActionKind.HOIST, f"1 / {names[0]}" if len(names) == 1 else "")


def _fix(names: tuple[str, ...], kind: str, result: ChangedFunction) -> Fix:
    written = {"f32": ("float", "1.0f"), "f64": ("double", "1.0")}.get(kind, ("auto", "1"))
    lines = [
        f"const {written[0]} inverse{k or ''} = {written[1]} / {n};" for k, n in enumerate(names)
    ]
    return Fix(
        "safe" if result.exact else "unsafe",
        f"multiply by the reciprocal of {', '.join(names)}",
        sketch="\n".join(["// before the loop", *lines, "// in the loop: * inverse for / divisor"]),
    )


def _power_of_two(number: float | None) -> bool:
    if not number:
        return False
    top, bottom = abs(number).as_integer_ratio()
    return top & (top - 1) == 0 and bottom & (bottom - 1) == 0

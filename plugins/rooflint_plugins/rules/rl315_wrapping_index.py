from collections.abc import Iterator
from functools import partial

from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.arithmetic import plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import innermost, kernel_of
from rooflint.transform.arithmetic.widening import widen_subscripts
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction


def _vectorised(match: Match, context: RuleContext) -> str:
    plan = plan_of(context, kernel_of(match, context))
    reason = plan.code.vector.reason if plan is not None else None
    if reason is not None and reason.kind == "wrapping-subscript":
        return ""
    return f"{context.compiler} does not keep the loop scalar for that"


class WrappingIndex(RuleDefaults):
    code = "RL315"
    slug = "wrapping-index"
    summary = "a subscript is a sum of unsigned numbers of 32 bits, which may wrap"
    needs = ("core",)
    guards = (Guard("vectorised", "the compiler makes vectors all the same", _vectorised),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that access arrays at such sums."""
        for site, _ in innermost(context):
            if site.loop.wrapping:
                yield _match(site)


RULE = WrappingIndex()


def _match(site: Site) -> Match:
    names = site.loop.wrapping
    said = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    return Match(
        site.name,
        f"the subscript of {said} wraps at 2^32, so it is no line in memory to the compiler",
        (
            Change(
                "size_t in subscripts",
                partial(widen_subscripts, loop=site.name),
                fix=partial(_fix, site.loop.index, names),
                action=Action(ActionKind.OTHER, "size_t"),
            ),
        ),
        names=names,
    )


def _fix(index: str, names: tuple[str, ...], _: ChangedFunction) -> Fix:
    sketch = (
        f"for (size_t {index} = ...)   // and the other terms of {names[0]}[...] as size_t\n"
        f"// or a pointer to the first element before the loop: p = {names[0]} + ...; p[{index}]"
    )
    return Fix(safety="sketch", title="size_t in subscripts", sketch=sketch)

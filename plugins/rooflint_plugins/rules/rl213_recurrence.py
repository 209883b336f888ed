from collections.abc import Iterator

from rooflint.core.graph.chains import brackets_shorten
from rooflint.core.plan import Planner
from rooflint.facts import KernelFacts, as_written
from rooflint.plugin_api.rule import Guard, Match, RuleContext
from rooflint.rule_kit.arithmetic import CHAIN_IS_THE_LIMIT, cycles_words, plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import innermost, kernel_of
from rooflint.transform.nest.scalars import scalars_of
from rooflint.transform.sequence import free_order, in_sequence


def _other_order(match: Match, context: RuleContext) -> str:
    site = context.sites[match.place]
    if in_sequence(site):
        return ""
    order = free_order(context.function, site)
    if order:
        names = ", ".join(map(as_written, order))
        return (
            f"in the order {names} no iteration waits for the previous one"
            " (RL101 and RL102 price orders)"
        )
    around = ", ".join([as_written(loop.index) for loop in site.outer])
    return f"nothing proves that the chains of different iterations of {around} wait for each other"


def _brackets(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    planner = Planner(context.function, facts, context.machine, context.compiler)
    graph = planner.graph
    handed_on = [
        (graph.carried[chain.name], graph.finals[chain.name])
        for chain in planner.chains
        if chain.name in graph.finals
    ]
    handed_on += [(f.load, graph.nodes[f.store].args[0]) for f in planner.memory.flows]
    if any(brackets_shorten(graph, start, end) for start, end in handed_on):
        return "the previous iteration's value can be added last: (a + b) + x for x + a + b"
    return ""


class Recurrence(RuleDefaults):
    code = "RL213"
    slug = "recurrence"
    summary = "each iteration waits for the previous one, in every order of the nest's loops"
    status = "preview"
    needs = ("core",)
    guards = (
        Guard("other-order", "another loop of the nest may run in parallel or innermost",
              _other_order, structural=True),
        Guard("brackets", "other parentheses leave a shorter chain", _brackets, structural=True),
        CHAIN_IS_THE_LIMIT,
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that the plan cannot vectorise for a recurrence."""
        for site, facts in innermost(context):
            if not _hands_on(facts):
                continue
            plan = plan_of(context, facts)
            reason = plan.scalar.vector.reason if plan is not None else None
            if plan is None or reason is None or reason.kind != "recurrence":
                continue
            chain = cycles_words(plan.code.recurrence_cy)
            yield Match(
                site.name,
                f"{reason.cause}: a chain of {chain} cycles per iteration bounds the loop",
            )


RULE = Recurrence()


def _hands_on(facts: KernelFacts) -> bool:
    """Whether iterations may wait for each other at all."""
    if any(
        scalar.role == "recurrence" for scalar in scalars_of(facts.kernel.loops[-1].body).values()
    ):
        return True
    written = {stream.array for stream in facts.streams if stream.writes}
    return any(stream.reads and stream.array in written for stream in facts.streams)

"""RL213: a note why nothing helps: an iteration needs what the one before has computed."""

from collections.abc import Iterator
from typing import Literal

from rooflint.expressions import cycles_words, plan_of
from rooflint.facts import KernelFacts
from rooflint.matching import innermost, kernels_in
from rooflint.rule import Guard, Match, RuleContext
from rooflint.transform.scalars import scalars_of


def _not_the_limit(match: Match, context: RuleContext) -> str:
    plan = plan_of(context, kernels_in(context, match.place)[0])
    if plan is None or "latency" in plan.code.limit:
        return ""
    return f"{plan.code.limit}, not the chain, bounds the loop"


class Recurrence:
    """Says why nothing else is said."""

    code = "RL213"
    slug = "recurrence"
    summary = "each iteration waits for the one before: no reordering helps"
    aliases = ()
    status: Literal["stable", "preview", "structural"] = "preview"
    models = ("ecm", "bounds")
    needs = ("core",)
    guards = (Guard("not-the-limit", "something else takes longer than the chain", _not_the_limit),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that the plan cannot vectorise for a recurrence."""
        for site, facts in innermost(context):
            if not _hands_on(facts):
                continue
            plan = plan_of(context, facts)
            reason = plan.scalar.vector.reason if plan is not None else ""
            if plan is None or not reason.startswith("recurrence"):
                continue
            what = reason.partition(": ")[2]
            chain = cycles_words(plan.code.recurrence_cy)
            yield Match(
                site.name,
                f"{what}: a chain of {chain} cycles per iteration bounds the loop; no order helps",
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

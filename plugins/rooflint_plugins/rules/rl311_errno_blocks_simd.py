from collections.abc import Iterator
from typing import Final

from rooflint.plugin_api.rule import (
    Guard,
    Match,
    RuleContext,
)
from rooflint.rule_kit.arithmetic import plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.flags import flag_change
from rooflint.rule_kit.queries import innermost, mention

FLAG: Final = "-fno-math-errno"


def _reads_errno(match: Match, context: RuleContext) -> str:
    return "the file reads errno" if mention(context, ("errno",)) else ""


class ErrnoBlocksSimd(RuleDefaults):
    code = "RL311"
    slug = "errno-blocks-simd"
    summary = "a loop stays scalar because a square root may set errno"
    needs = ("core",)
    requires = (CodeFeature.SQUARE_ROOT,)
    guards = (Guard("errno-read", "the file mentions errno", _reads_errno),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that the compiler would vectorise but for errno."""
        if not context.compiler.math_errno:
            return
        compiler = context.compiler._replace(math_errno=False)
        for site, facts in innermost(context):
            plan = plan_of(context, facts)
            reason = plan.code.vector.reason if plan is not None else None
            if reason is not None and reason.kind == "errno":
                yield Match(
                    site.name,
                    f"{reason.arguments[0]}() may set errno: the loop stays scalar",
                    (flag_change(FLAG, compiler, ": calls no longer set errno"),),
                )


RULE = ErrnoBlocksSimd()

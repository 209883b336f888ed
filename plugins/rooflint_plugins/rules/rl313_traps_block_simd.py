from collections.abc import Iterator
from typing import Final

from rooflint.facts import KernelFacts
from rooflint.library.mathematics import HALF_AWAY, ROUNDING, TO_INTEGER, function_base
from rooflint.plugin_api.rule import Guard, Match, RuleContext
from rooflint.rule_kit.arithmetic import plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.flags import flag_change
from rooflint.rule_kit.queries import innermost, mention

TRAPS: Final = "-fno-trapping-math"
ERRNO: Final = "-fno-math-errno"
ROUNDED: Final = ROUNDING | HALF_AWAY | TO_INTEGER
HANDLERS: Final = ("feenableexcept", "fetestexcept", "FENV_ACCESS", "_MM_SET_EXCEPTION_MASK")
EFFECT: Final = (
    ": no handler of floating-point exceptions is to be called, and no flag of them read"
)


def _handles_exceptions(match: Match, context: RuleContext) -> str:
    found = mention(context, HANDLERS)
    return f"the file uses {found}" if found else ""


class TrapsBlockSimd(RuleDefaults):
    code = "RL313"
    slug = "traps-block-simd"
    summary = "a loop stays scalar because floating-point exceptions might have a handler"
    needs = ("core",)
    guards = (Guard("exceptions", "the file enables or tests exceptions", _handles_exceptions),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that gcc would vectorise, or round in, but for exceptions."""
        compiler = context.compiler
        if not (compiler.traits.expands_round and compiler.trapping_math):
            return
        for site, facts in innermost(context):
            evidence = _rounding(facts) or _under_condition(context, facts)
            if not evidence:
                continue
            quiet = compiler._replace(trapping_math=False)
            changes = [flag_change(TRAPS, quiet, EFFECT)]
            if compiler.math_errno and _called(facts) & TO_INTEGER:
                without_errno = compiler._replace(math_errno=False)
                changes.append(flag_change(ERRNO, without_errno, ": calls no longer set errno"))
                both = quiet._replace(math_errno=False)
                changes.append(flag_change(f"{ERRNO} {TRAPS}", both, EFFECT))
            yield Match(site.name, evidence, tuple(changes))


RULE = TrapsBlockSimd()


def _called(facts: KernelFacts) -> set[str]:
    values = [value for statement in facts.kernel.statements for value in statement.values]
    return {function_base(value.callee) for value in values if value.op == "call"}


def _rounding(facts: KernelFacts) -> str:
    names = sorted(_called(facts) & ROUNDED)
    if not names:
        return ""
    return f"{', '.join(names)} may raise an exception that a handler waits for"


def _under_condition(context: RuleContext, facts: KernelFacts) -> str:
    plan = plan_of(context, facts)
    reason = plan.code.vector.reason if plan is not None else None
    if reason is None or reason.kind != "may-trap":
        return ""
    return f"{reason.arguments[0]} under a condition might raise an exception in lanes that skip it"

from collections.abc import Iterator

from rooflint.ir import Statement
from rooflint.plugin_api.rule import (
    Guard,
    Match,
    RuleContext,
)
from rooflint.rule_kit.arithmetic import FLOATS
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.flags import flag_change
from rooflint.rule_kit.queries import innermost, statements_of
from rooflint.transform.nest.graph import uses


def _no_instruction(match: Match, context: RuleContext) -> str:
    simd = context.machine.simd
    if simd is None or not simd.fma:
        return f"{context.machine.name} has no fused multiply-add"
    if context.compiler.baseline and simd.isa.startswith(("sse", "avx")):
        return "without -mfma an fma() is a library call, 0.58x measured; for -march see RL310"
    return ""


def _contracted(match: Match, context: RuleContext) -> str:
    if context.compiler.contract != "off":
        return f"{context.compiler} fuses them itself: fma() by hand gains 1.0x"
    return ""


class NoContraction(RuleDefaults):
    code = "RL207"
    slug = "no-contraction"
    summary = "flags forbid one instruction for a product and a sum"
    status = "preview"
    needs = ("core",)
    guards = (
        Guard(
            "no-fma", "the target has no such instruction: fma() would be a call", _no_instruction
        ),
        Guard("contracted", "the compiler already contracts", _contracted),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops with products that feed one sum."""
        for site, _ in innermost(context):
            count = sum(map(_pairs, statements_of(site.loop)))
            if count:
                mode = context.compiler.traits.contraction
                compiler = context.compiler._replace(contract=mode)
                flag = f"-ffp-contract={mode}"
                yield Match(
                    site.name,
                    f"{count} product-sum pair{'s' if count > 1 else ''} per iteration, each as two"
                    " instructions instead of one",
                    (flag_change(flag, compiler, ": results round once instead of twice"),),
                )


RULE = NoContraction()


def _pairs(statement: Statement) -> int:
    values = statement.values
    if not any(value.op == "mul" for value in values):
        return 0
    used = uses(statement)
    return sum(
        value.op in ("add", "sub")
        and value.type in FLOATS
        and any(values[a].op == "mul" and used[a] == 1 for a in value.args)
        for value in values
    )

from collections.abc import Iterator

from rooflint.core import Compiler
from rooflint.ir import CallValue, Loop, Statement
from rooflint.library.mathematics import (
    VECTOR_CYCLES,
    call_cycles,
    function_base,
    vector_call_cycles,
)
from rooflint.plugin_api.rule import (
    Guard,
    Match,
    RelatedNode,
    RuleContext,
)
from rooflint.rule_kit.arithmetic import cycles_words, is_evaluated, plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.flags import flag_change
from rooflint.rule_kit.queries import innermost, statements_of
from rooflint.transform.nest.tree import Site


def _vector_calls(match: Match, context: RuleContext) -> str:
    if context.compiler.vector_calls:
        return f"{context.compiler} already calls the vector forms"
    return ""


class ScalarLibm(RuleDefaults):
    code = "RL211"
    slug = "scalar-libm"
    summary = "mathematical functions are called for one element at a time"
    status = "preview"
    needs = ("core",)
    guards = (Guard("vector-calls", "the flags already enable the vector forms", _vector_calls),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that stay scalar for a call that has a vector form."""
        for site, facts in innermost(context):
            call = next(_calls(site.loop, context.compiler), None)
            plan = plan_of(context, facts) if call is not None else None
            if call is not None and plan is not None and plan.code.vector.width == 1:
                yield _match(context, site, *call)


RULE = ScalarLibm()


def _calls(loop: Loop, compiler: Compiler) -> Iterator[tuple[Statement, CallValue]]:
    for statement in statements_of(loop):
        for number, value in enumerate(statement.values):
            if value.op != "call" or function_base(value.callee) not in VECTOR_CYCLES:
                continue
            if not is_evaluated(statement, number, compiler):
                yield statement, value


def _match(context: RuleContext, site: Site, statement: Statement, call: CallValue) -> Match:
    name = function_base(call.callee)
    before = call_cycles(name, call.type) or 0.0
    lanes = 32 // (4 if call.type == "f32" else 8)
    after = vector_call_cycles(name, 32) / lanes
    flags, compiler = context.compiler.with_vector_calls
    return Match(
        site.name,
        f"{name}() takes {cycles_words(before)} cycles per element, its vector form"
        f" {cycles_words(after)}",
        (flag_change(flags, compiler),),
        related=(RelatedNode(statement.origin, f"calls {name}"),),
    )

"""RL211: calls of the mathematical library one element at a time, though a vector form exists."""

from collections.abc import Iterator
from functools import partial
from typing import Literal

from rooflint.core import Compiler
from rooflint.core.libm import VECTOR_CYCLES, call_cycles, function_base, vector_call_cycles
from rooflint.plugin_api.advice import Fix
from rooflint.plugin_api.rule import Change, Guard, Match, RelatedNode, RuleContext, Setup
from rooflint.rule_kit.arithmetic import cycles_words, is_evaluated, plan_of
from rooflint.rule_kit.queries import innermost, statements_of


def _vector_calls(match: Match, context: RuleContext) -> str:
    if context.compiler.vector_calls:
        return f"{context.compiler} calls the vector forms already"
    return ""


class ScalarLibm:
    """A call of the vector form costs about as much as one of the scalar form."""

    code = "RL211"
    slug = "scalar-libm"
    summary = "mathematical functions are called for one element at a time"
    aliases = ()
    status: Literal["stable", "preview", "structural"] = "preview"
    models = ("ecm", "bounds")
    needs = ("core",)
    guards = (Guard("vector-calls", "the flags give the vector forms already", _vector_calls),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that stay scalar for a call that has a vector form."""
        for site, facts in innermost(context):
            called = {
                (function_base(value.callee), value.type): statement.origin
                for statement in statements_of(site.loop)
                for number, value in enumerate(statement.values)
                if value.op == "call"
                and function_base(value.callee) in VECTOR_CYCLES
                and not is_evaluated(statement, number, context.compiler)
            }
            plan = plan_of(context, facts) if called else None
            if plan is None or plan.code.vector.width > 1:
                continue
            [(name, kind), origin] = next(iter(called.items()))
            before = call_cycles(name, kind) or 0.0
            lanes = 32 // (4 if kind == "f32" else 8)
            after = vector_call_cycles(name, 32) / lanes
            flags, compiler = _flags(context.compiler)
            yield Match(
                site.name,
                f"{name}() takes {cycles_words(before)} cycles an element, its vector form"
                f" {cycles_words(after)}",
                (Change(flags, None, Setup(compiler), partial(_fix, flags)),),
                related=(RelatedNode(origin, f"calls {name}"),),
            )


RULE = ScalarLibm()


def _flags(compiler: Compiler) -> tuple[str, Compiler]:
    """What makes the compiler use the vector forms, and the compiler with it."""
    if compiler.name == "gcc":
        return "-ffast-math (libmvec)", compiler.fast
    return "-fveclib=libmvec -fno-math-errno", compiler._replace(veclib=True, math_errno=False)


def _fix(flags: str, _: object) -> Fix:
    return Fix("unsafe", flags, sketch=f"compile with {flags}")

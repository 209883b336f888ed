from collections.abc import Iterator
from typing import Final

from rooflint.ir import Call, walk
from rooflint.library.mathematics import VECTOR_CYCLES, function_base
from rooflint.plugin_api.rule import Guard, Match, RelatedNode, RuleContext
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import innermost, kernel_of

HEAVY: Final = 100
"""Operations beside the call from which on the call is not what matters."""


def _vector_form(match: Match, context: RuleContext) -> str:
    if function_base(match.names[0]) in VECTOR_CYCLES:
        return f"{match.names[0]} has a vector form (RL211)"
    return ""


def _heavy(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    if sum(len(statement.values) for statement in facts.kernel.statements) > HEAVY:
        return f"more than {HEAVY} operations beside the call"
    return ""


class CallBlocksSimd(RuleDefaults):
    code = "RL305"
    slug = "call-blocks-simd"
    summary = "a call of an external function keeps the loop scalar"
    status = "preview"
    guards = (
        Guard("vector-form", "the function has a vector form (RL211)", _vector_form),
        Guard("heavy", "the loop does much other work", _heavy),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops with arithmetic on arrays that also call what is not inlined."""
        for site, facts in innermost(context):
            if not facts.kernel.calls or not any(s.pattern == "contiguous" for s in facts.streams):
                continue
            for node in walk(site.loop.body):
                if isinstance(node, Call) and node.effects == "unknown":
                    advice = "inline it" if node.arrays else "inline it or declare it simd"
                    yield Match(
                        site.name,
                        f"{node.name}() is external and keeps the loop scalar: {advice}",
                        names=(node.name,),
                        related=(RelatedNode(node.origin, "called here"),),
                    )
                    break


RULE = CallBlocksSimd()

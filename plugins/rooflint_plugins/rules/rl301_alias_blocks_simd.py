"""RL301: pointers that may overlap keep a loop from becoming vector code."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Literal

from rooflint.facts import KernelFacts
from rooflint.plugin_api.advice import Edit, Fix
from rooflint.plugin_api.rule import Change, Guard, Match, RuleContext
from rooflint.rule_kit.arithmetic import plan_of
from rooflint.rule_kit.queries import innermost, kernels_in
from rooflint.source_edit.edits import Text
from rooflint.transform import Site, Transformed, promise_restrict


def _versioned(match: Match, context: RuleContext) -> str:
    plan = plan_of(context, kernels_in(context, match.place)[0])
    if plan is None or plan.code.vector.width < 2:
        return ""
    checks = plan.code.vector.checks
    pairs = f"{checks} pair{'s' if checks != 1 else ''}"
    return f"{plan.compiler} compares {pairs} of pointers at run time and vectorises: 1.0x"


def _other_reason(match: Match, context: RuleContext) -> str:
    plan = plan_of(context, kernels_in(context, match.place)[0])
    reason = plan.scalar.vector.reason if plan is not None else None
    if reason is None or reason.kind == "aliasing":
        return ""
    return f"the loop stays scalar all the same: {reason}"


class AliasBlocksSimd:
    """Where too many pairs would have to be compared, the compiler gives up."""

    code = "RL301"
    slug = "alias-blocks-simd"
    summary = "pointers that may overlap keep a loop from becoming vector code"
    aliases = ("PWR023",)
    status: Literal["stable", "preview", "structural"] = "stable"
    models = ("ecm", "bounds")
    needs = ("core",)
    guards = (
        Guard("versioned", "a check before the loop does, and the compiler makes it", _versioned),
        Guard("other-reason", "something else keeps the loop scalar", _other_reason),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that store through a pointer without ``restrict`` and touch others."""
        kinds = {array.name: array for array in context.function.arrays}
        for site, facts in innermost(context):
            stored = dict.fromkeys([s.array for s in facts.streams if s.writes])
            touched = dict.fromkeys([s.array for s in facts.streams])
            open_ones = [
                name
                for name in stored
                if kinds[name].storage == "parameter" and not kinds[name].restrict
            ]
            others = [n for n in touched if n not in stored and not kinds[n].restrict]
            if open_ones and (others or len(open_ones) > 1):
                yield _match(context, site, facts, tuple(open_ones))


RULE = AliasBlocksSimd()


def _match(context: RuleContext, site: Site, facts: KernelFacts, stored: tuple[str, ...]) -> Match:
    plan = plan_of(context, facts)
    reason = plan.scalar.vector.reason if plan is not None else None
    names = ", ".join(stored[:3]) + (", ..." if len(stored) > 3 else "")
    limit = context.compiler.alias_checks
    said = f"stores to {names} may change what the loop reads"
    why = reason.cause if reason is not None and reason.kind == "aliasing" else None
    if why is not None:
        said = f"{why}: the loop stays scalar"
        if why.kind == "pointer-pairs":
            said = f"{why}, {context.compiler} stops at {limit}: the loop stays scalar"
    return Match(
        site.name,
        said,
        (
            Change(
                f"restrict on {names}",
                partial(promise_restrict, arrays=stored),
                fix=partial(_fix, context, stored),
            ),
        ),
    )


def _fix(context: RuleContext, names: tuple[str, ...], result: Transformed) -> Fix:
    """The word in the function's header; a promise, so never safe."""
    title = f"restrict on {', '.join(names)}"
    text = Text(context.text)
    span = context.source.span
    start = text.offset(span.line, span.column)
    opening = text.blank.find(b"(", start)
    closing = text.closing(opening) if opening >= 0 else None
    word = "restrict" if context.source.is_c else "__restrict"
    edits: list[Edit] = []
    for name in names:
        inside = text.blank[opening : closing or opening]
        found = re.search(rb"\*\s*()" + name.encode() + rb"\s*[,)]", inside + b")")
        if found is None:
            return Fix("unsafe", title, sketch=f"*{word} {name}")
        at = text.place(opening + found.start(1))
        edits.append(Edit(*at, *at, f"{word} "))
    return Fix("unsafe", title, tuple(sorted(edits)))

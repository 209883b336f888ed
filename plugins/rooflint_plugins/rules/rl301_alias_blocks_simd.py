from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from rooflint.facts import KernelFacts, Stream
from rooflint.ir import Array
from rooflint.plugin_api.advice import Edit, Fix
from rooflint.plugin_api.rule import Action, ActionKind, Change, Guard, Match, RuleContext
from rooflint.rule_kit.arithmetic import plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import innermost, kernel_of
from rooflint.source_edit.edits import EditableSource
from rooflint.source_edit.tokens import Token, closing_of
from rooflint.transform.annotations import promise_restrict
from rooflint.transform.expand import in_register
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction, ChangeRefusal, Result


def _versioned(match: Match, context: RuleContext) -> str:
    plan = plan_of(context, kernel_of(match, context))
    if plan is None or plan.code.vector.width < 2:
        return ""
    checks = plan.code.vector.checks
    pairs = f"{checks} pair{'s' if checks != 1 else ''}"
    return f"{plan.compiler} compares {pairs} of pointers at run time and vectorises: 1.0x"


def _other_reason(match: Match, context: RuleContext) -> str:
    plan = plan_of(context, kernel_of(match, context))
    reason = plan.scalar.vector.reason if plan is not None else None
    if reason is None or reason.kind == "aliasing":
        return ""
    return f"the loop stays scalar anyway: {reason}"


def _sum_in_memory(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    plan = plan_of(context, facts)
    cause = plan.scalar.vector.reason if plan is not None else None
    if cause is None or cause.cause is None or cause.cause.kind != "store-in-place":
        return ""
    promised = _gain(context, promise_restrict(context.function, _unpromised(context, facts)))
    for stream in facts.streams:
        if stream.pattern == "invariant" and stream.reads and stream.writes:
            local = in_register(context.function, loop=match.place, array=stream.array)
            if CLOSE * _gain(context, local) >= promised:
                return f"a local sum for {stream.array} gains as much and promises less (RL210)"
    return ""


def _gain(context: RuleContext, result: Result) -> float:
    if isinstance(result, ChangeRefusal):
        return 0.0
    return min(context.gains(result.function, AliasBlocksSimd.models).values(), default=0.0)


class AliasBlocksSimd(RuleDefaults):
    code = "RL301"
    slug = "alias-blocks-simd"
    summary = "pointers that may overlap prevent vectorisation of a loop"
    aliases = ("PWR023",)
    needs = ("core",)
    guards = (
        Guard(
            "versioned",
            "a check before the loop suffices, and the compiler generates it",
            _versioned,
        ),
        Guard("other-reason", "something else keeps the loop scalar", _other_reason),
        Guard("sum-in-memory", "it is a sum, and a local variable is enough", _sum_in_memory),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that store through a pointer without ``restrict`` and touch others."""
        for site, facts in innermost(context):
            stored = _unpromised(context, facts)
            if stored:
                yield _match(context, site, facts, stored)


CLOSE: Final = 1.25
"""Times a simpler change's gain, up to which it is preferred."""
RULE = AliasBlocksSimd()


def _unpromised(context: RuleContext, facts: KernelFacts) -> tuple[str, ...]:
    stored = _arrays([stream for stream in facts.streams if stream.writes])
    open_ones = [name for name in _arrays(facts.streams) if not _array(context, name).restrict]
    parameters = [n for n in stored if n in open_ones and _array(context, n).storage == "parameter"]
    others = set(open_ones) - set(stored)
    return tuple(parameters) if others or len(parameters) > 1 else ()


def _array(context: RuleContext, name: str) -> Array:
    return context.function.array(name)


def _arrays(streams: Iterable[Stream]) -> list[str]:
    return list(dict.fromkeys([stream.array for stream in streams]))


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
                action=Action(ActionKind.RESTRICT, ", ".join(stored)),
            ),
        ),
    )


def _fix(context: RuleContext, names: tuple[str, ...], result: ChangedFunction) -> Fix:
    """The word in the function's header; a promise, so never safe."""
    title = f"restrict on {', '.join(names)}"
    text = EditableSource(context.text)
    tokens = text.tokens(context.source.span)
    opening = next((n for n, token in enumerate(tokens) if token.text == "("), None)
    closing = closing_of(tokens, opening) if opening is not None else None
    header = tokens[opening:closing] if closing is not None else []
    word = "restrict" if context.source.is_c else "__restrict"
    edits: list[Edit] = []
    for name in names:
        place = _behind_star(header, name)
        if place is None:
            return Fix("unsafe", title, sketch=f"*{word} {name}")
        edits.append(text.insertion(place, f"{word} "))
    return Fix("unsafe", title, tuple(sorted(edits)))


def _behind_star(header: Sequence[Token], name: str) -> int | None:
    """The offset of a parameter's name where it is declared as ``*name``."""
    for star, token, behind in zip(header, header[1:], (*header[2:], None), strict=False):
        last = behind is None or behind.text == ","
        if (star.text, token.text) == ("*", name) and last:
            return token.start
    return None

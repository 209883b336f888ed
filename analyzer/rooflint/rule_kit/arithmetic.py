"""Queries of rules about arithmetic: how an expression reads, what its operations cost a core."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from rooflint.core import Compiler
from rooflint.core.code import Code, CorePlan
from rooflint.core.graph.folding import evaluates_call
from rooflint.facts import KernelFacts
from rooflint.ir import (
    Function,
    IdentityKey,
    Loop,
    Node,
    Statement,
    Value,
    children,
    literal_number,
)
from rooflint.ir.text import detail_text, plain_detail
from rooflint.library.mathematics import function_base
from rooflint.plugin_api.rule import Guard, Match, RuleContext
from rooflint.records import NamedTuple
from rooflint.rule_kit.cache_fit import stays_cached
from rooflint.rule_kit.queries import kernel_of, sites_by_loop, words_of
from rooflint.transform.nest.tree import Site

FLOATS: Final = frozenset(("f16", "bf16", "f32", "f64", "f80", "f128"))
SIGNS: Final = {"add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%"}


def plan_of(context: RuleContext, facts: KernelFacts) -> CorePlan | None:
    """How the compiler would run a kernel; None for a machine without a core."""
    return context.plan(facts) if context.machine.core is not None else None


def _not_the_limit(match: Match, context: RuleContext) -> str:
    plan = plan_of(context, kernel_of(match, context))
    if plan is None or plan.code.bound == "latency":
        return ""
    return f"{plan.code.limit}, not the chain, bounds the loop"


CHAIN_IS_THE_LIMIT: Final = Guard(
    "not-the-limit", "another resource takes longer than the chain", _not_the_limit
)
"""Of rules about what iterations hand on."""


def division_cycles(code: Code) -> float:
    """Cycles per iteration for which divisions keep their busiest unit."""
    found = 0.0
    for op in code.operations:
        if op.kind.partition(".")[0] == "div":
            found += op.times * max([use.cy / len(use.ports) for use in op.uses], default=0.0)
    return found / code.vector.width


def call_cycles(code: Code, name: str) -> float:
    """Cycles per iteration in calls of a library function."""
    calls = [op.cycles for op in code.operations if op.kind == f"call:{name}"]
    return sum(calls) / code.vector.width


def behind_memory(context: RuleContext, facts: KernelFacts) -> str:
    """The link whose transfers, not the core, decide; empty where the core does.

    Data that fits the last level of cache is taken to be there already.
    """
    if stays_cached(context, [facts]):
        return ""
    found = context.predictions(facts).get("ecm")
    return found.bottleneck if found is not None and found.bottleneck != "core" else ""


def folds(compiler: Compiler) -> bool:
    """Whether the flags let quotients be merged and powers multiplied out."""
    return compiler.level > 0 and compiler.reassociate


def statements_in_loops(function: Function) -> Iterator[tuple[Statement, tuple[Loop, ...]]]:
    """Every statement with the loops around it, outermost first, in program order."""
    yield from _statements(function.body, ())


def _statements(
    nodes: tuple[Node, ...], outer: tuple[Loop, ...]
) -> Iterator[tuple[Statement, tuple[Loop, ...]]]:
    for node in nodes:
        if isinstance(node, Statement):
            yield node, outer
        elif isinstance(node, Loop):
            yield from _statements(node.body, (*outer, node))
        else:
            yield from _statements(children(node), outer)


class LocatedValue(NamedTuple):
    """A value that a rule speaks of, in which statement, and the innermost loop around that."""

    statement: Statement
    number: int
    loop: Loop | None

    @property
    def value(self) -> Value:
        """The value itself."""
        return self.statement.values[self.number]


def values_by_loop(
    context: RuleContext, pick: Callable[[Statement], Iterable[int]]
) -> dict[str, list[LocatedValue]]:
    """Values that ``pick`` chooses of every statement, by the place of its innermost loop.

    Empty is the place of what stands in no loop.
    """
    found: dict[str, list[LocatedValue]] = {}
    sites: Mapping[IdentityKey, Site] = {}
    for statement, loops in statements_in_loops(context.function):
        for number in pick(statement):
            own = loops[-1] if loops else None
            sites = sites or sites_by_loop(context)
            place = sites[IdentityKey(own)].name if own is not None else ""
            found.setdefault(place, []).append(LocatedValue(statement, number, own))
    return found


def values_at(
    context: RuleContext, match: Match, pick: Callable[[Statement], Iterable[int]]
) -> list[LocatedValue]:
    """The values that the match of a rule by ``picked`` concerns."""
    site = context.sites.get(match.place)
    if site is None:
        return values_by_loop(context, pick)[""]
    own = [
        node for node, loops in statements_in_loops(context.function) if loops[-1:] == (site.loop,)
    ]
    return [LocatedValue(node, number, site.loop) for node in own for number in pick(node)]


def no_loop(match: Match, context: RuleContext) -> str:
    """A guard of rules whose pattern may stand outside of loops."""
    return "" if match.place else "it is outside all loops and runs once per call"


def plan_at(context: RuleContext, place: str) -> CorePlan | None:
    """The plan of the kernel of the loop at ``place``; None where there is none."""
    own = context.sites[place].loop if place else None
    facts = next((f for f in context.facts if f.kernel.loops[-1] is own), None)
    return plan_of(context, facts) if facts is not None else None


def text_of(statement: Statement, number: int, depth: int = 3) -> str:
    """A value as one would write it, ``...`` below ``depth`` operations."""
    value = statement.values[number]
    if value.op == "load":
        return words_of(statement.accesses[value.access])
    if value.op in ("scalar", "carried", "const", "index"):
        return plain_detail(value)
    if depth == 0:
        return "..."
    args = [text_of(statement, argument, depth - 1) for argument in value.args]
    if value.op in SIGNS and len(args) == 2:
        return f"({args[0]} {SIGNS[value.op]} {args[1]})"
    if value.op == "convert":
        return args[0]
    if value.op == "neg":
        return f"-{args[0]}"
    return f"{detail_text(value) or value.op}({', '.join(args)})"


def constant(statement: Statement, number: int) -> float | None:
    """The number that a value is, conversions seen through; None where it is none."""
    value = statement.values[number]
    while value.op == "convert":
        value = statement.values[value.args[0]]
    return literal_number(value)


def is_evaluated(statement: Statement, number: int, compiler: Compiler) -> bool:
    """Whether a call has constant arguments and the compiler computes it, so nothing calls it."""
    value = statement.values[number]
    arguments = [constant(statement, argument) for argument in value.args]
    return value.op == "call" and evaluates_call(compiler, function_base(value.callee), arguments)


def operands(statement: Statement, number: int) -> Iterator[int]:
    """A value and all it is made of in its statement, by their numbers."""
    yield number
    for argument in statement.values[number].args:
        yield from operands(statement, argument)


def cycles_words(cycles: float) -> str:
    """``4``, ``0.62``: cycles with the digits that matter."""
    return f"{cycles:.3g}"

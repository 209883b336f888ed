"""RL209: a function called again and again with the same arguments."""

from collections.abc import Iterator
from functools import partial
from typing import Final, Literal

from rooflint.advice import Fix
from rooflint.core.libm import CALL_CYCLES, function_base
from rooflint.expressions import text_of
from rooflint.ir import UNCOUNTED, Call, Loop, Statement, walk
from rooflint.matching import innermost, statements_of, unconditional
from rooflint.rule import Change, Guard, Match, RelatedNode, RuleContext
from rooflint.transform import Site, Transformed, hoist
from rooflint.transform.graph import invariant_values

SYSTEM: Final = frozenset(
    "time clock rand random drand48 lrand48 mrand48 erand48 getchar getc fgetc getpid putchar sleep"
    " usleep malloc calloc free omp_get_wtime omp_get_thread_num".split()
)
"""Functions of the system that give, or do, another thing in each call."""


def _hoisted(match: Match, context: RuleContext) -> str:
    """Mathematical functions have no effects where errno does not count."""
    names = match.key.split()
    known = all(function_base(name) in CALL_CYCLES for name in names)
    if known and context.compiler.level > 0 and not context.compiler.math_errno:
        return f"{context.compiler} calls {', '.join(names)} before the loop itself"
    return ""


def _declared(match: Match, context: RuleContext) -> str:
    own = context.sites[match.place].loop
    names = {node.name for node in walk(own.body) if isinstance(node, Call)}
    may = {n.name for n in walk(own.body) if isinstance(n, Call) and n.effects == "unknown"}
    asked = set(match.key.split())
    if asked <= names and not asked & may:
        return f"{', '.join(sorted(asked))} is declared const: compilers call it once themselves"
    return ""


def _handed_arrays(match: Match, context: RuleContext) -> str:
    own = context.sites[match.place].loop
    for node in walk(own.body):
        if isinstance(node, Call) and node.name in match.key.split() and node.arrays:
            return f"{node.name} is handed {', '.join(node.arrays)}, which it may change"
    return ""


def _state(match: Match, context: RuleContext) -> str:
    own = context.sites[match.place].loop
    asked = match.key.split()
    calls = [v for s in statements_of(own) for v in s.values if v.op == "call"]
    bare = [v.name for v in calls if v.name in asked and not v.args]
    kept = next((name for name in asked if name.removeprefix("std::") in SYSTEM), "")
    if kept:
        return f"{kept} does another thing in each call"
    if bare:
        return f"{bare[0]} is given nothing: what it returns may change from call to call"
    if UNCOUNTED in own.exits:
        return f"how long the loop runs may depend on {asked[0]}"
    return ""


class InvariantCall:
    """The call itself costs little; that no vector code can hold it costs more."""

    code = "RL209"
    slug = "invariant-call"
    summary = "a function is called in every iteration with the same arguments"
    aliases = ("PWR003",)
    status: Literal["stable", "preview", "structural"] = "stable"
    models = ("ecm", "bounds")
    needs = ("core",)
    guards = (
        Guard(
            "declared-const",
            "the declaration says that the function has no effects",
            _declared,
            structural=True,
        ),
        Guard(
            "state",
            "the function takes no values, or decides how long the loop runs: it keeps a state",
            _state,
            structural=True,
        ),
        Guard("arrays", "the function is handed arrays that it may change", _handed_arrays),
        Guard("hoisted", "the flags let the compiler call it before the loop", _hoisted),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops with calls all of whose arguments stay the same."""
        for site, facts in innermost(context):
            if any(v.op == "call" for s in facts.kernel.statements for v in s.values):
                found = list(_calls(site.loop))
                if found:
                    yield _match(site, found)


RULE = InvariantCall()


def _calls(loop: Loop) -> Iterator[tuple[Statement, int]]:
    for statement in unconditional(loop.body):
        # a name with a blank is none: nobody knows what is called
        calls = [n for n, v in enumerate(statement.values) if v.op == "call" and " " not in v.name]
        steady = invariant_values(loop, statement) if calls else set()
        for number in calls:
            if number in steady:
                yield statement, number


def _match(site: Site, found: list[tuple[Statement, int]]) -> Match:
    texts = list(dict.fromkeys([text_of(*each) for each in found]))
    names = dict.fromkeys([statement.values[number].name for statement, number in found])
    other = f" and {len(texts) - 1} more" if len(texts) > 1 else ""
    # that a function has no effects is the transformation's assumption, and a doubt by itself
    return Match(
        site.name,
        f"{texts[0]}{other} {'are' if other else 'is'} the same in every iteration",
        (
            Change(
                "calling it before the loop" if not other else "calling them before the loop",
                partial(hoist, loop=site.name, ops=("call",)),
                fix=partial(_fix, texts),
            ),
        ),
        key=" ".join(names),
        related=tuple([RelatedNode(statement.origin, "called here") for statement, _ in found]),
    )


def _fix(texts: list[str], result: Transformed) -> Fix:
    lines = [f"const double value{k or ''} = {text};" for k, text in enumerate(texts)]
    return Fix("unsafe", "call before the loop", sketch="\n".join(["// before the loop", *lines]))

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from rooflint.core import Compiler
from rooflint.ir import UNCOUNTED, Call, Loop, Statement, walk
from rooflint.ir.text import detail_text
from rooflint.library.mathematics import CALL_CYCLES, function_base
from rooflint.plugin_api.rule import (
    Action,
    ActionKind,
    Change,
    Fix,
    Guard,
    Match,
    RelatedNode,
    RuleContext,
)
from rooflint.rule_kit.arithmetic import is_evaluated, text_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import innermost, statements_of, unconditional
from rooflint.source_edit.c_writer.words import TYPES as C_TYPES
from rooflint.source_edit.tokens import words_in
from rooflint.transform.hoisting import hoist
from rooflint.transform.nest.graph import OPAQUE, invariant_values
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction

DEPTH: Final = 20
"""Deeper than what is shown in a sentence: a sketch has to be whole."""
SYSTEM: Final = frozenset(
    "time clock rand random drand48 lrand48 mrand48 erand48 getchar getc fgetc getpid putchar sleep"
    " usleep malloc calloc free omp_get_wtime omp_get_thread_num".split()
)
"""Functions of the system that give, or do, another thing in each call."""
STATEFUL: Final = frozenset(
    "random rnd rng uniform gauss gaussian next read write print printf get put push pop now time"
    " clock alloc malloc new create lock wait send recv nrand frand drand urand irand".split()
)
"""Words in the names of functions that hardly give the same twice, whatever they are handed."""


GROWS: Final = frozenset(("carried", "add", "sub", "assign", "store"))
"""Operations of a sum that no iteration but the next one reads."""
VARIES: Final = (OPAQUE | {"load", "index", "call"}) - GROWS
"""Operations whose values differ from iteration to iteration where they are not steady."""


def _mathematical(name: str) -> bool:
    return function_base(name) in CALL_CYCLES


def _stateful(name: str) -> bool:
    return any(word in STATEFUL or word.startswith("rand") for word in words_in(name))


def _hoisted(match: Match, context: RuleContext) -> str:
    """Mathematical functions have no effects where errno does not count."""
    names = match.names
    known = all(map(_mathematical, names))
    if known and context.compiler.level > 0 and not context.compiler.math_errno:
        return f"{context.compiler} calls {', '.join(names)} before the loop itself"
    return ""


def _declared(match: Match, context: RuleContext) -> str:
    own = context.sites[match.place].loop
    names = {node.name for node in walk(own.body) if isinstance(node, Call)}
    may = {n.name for n in walk(own.body) if isinstance(n, Call) and n.effects == "unknown"}
    asked = set(match.names)
    if asked <= names and not asked & may:
        return f"{', '.join(sorted(asked))} is declared const: compilers call it once themselves"
    return ""


def _handed_arrays(match: Match, context: RuleContext) -> str:
    own = context.sites[match.place].loop
    for node in walk(own.body):
        if isinstance(node, Call) and node.name in match.names and node.arrays:
            return f"{node.name} receives {', '.join(node.arrays)}, which it may modify"
    return ""


def _state(match: Match, context: RuleContext) -> str:
    own = context.sites[match.place].loop
    for name in match.names:
        if name.removeprefix("std::") in SYSTEM:
            return f"{name} behaves differently in each call"
        if not _mathematical(name) and _stateful(name):
            return f"{name} keeps a state, judging by its name"
    if UNCOUNTED in own.exits:
        return f"how long the loop runs may depend on {match.names[0]}"
    bare = next((n for n in _without_values(own) if n in match.names), "")
    if bare:
        return f"{bare} takes no arguments: its result may change from call to call"
    return ""


def _without_values(loop: Loop) -> Iterator[str]:
    for statement in statements_of(loop):
        yield from [v.callee for v in statement.values if v.op == "call" and not v.args]


def _repeated(match: Match, context: RuleContext) -> str:
    """Tests and benchmarks call a function again and again, and add up what it returns."""
    own = context.sites[match.place].loop
    if all(_is_repeated(own, statement) for statement in statements_of(own)):
        return "every iteration does the same: the loop is there to repeat the call"
    return ""


def _is_repeated(loop: Loop, statement: Statement) -> bool:
    """Whether a statement does the same in each iteration, but for sums that grow."""
    steady = invariant_values(loop, statement)
    sums: set[int] = set()
    for number, value in enumerate(statement.values):
        if number in steady:
            continue
        if value.op in VARIES or _stores_along(loop, statement, number):
            return False
        if value.op == "carried" or not sums.isdisjoint(value.args):
            if value.op not in GROWS:
                return False
            sums.add(number)
    return True


def _stores_along(loop: Loop, statement: Statement, number: int) -> bool:
    value = statement.values[number]
    return value.op == "store" and loop.index in statement.accesses[value.access].offset.mentions()


class InvariantCall(RuleDefaults):
    code = "RL209"
    slug = "invariant-call"
    requires = (CodeFeature.CALL,)
    summary = "a function is called in every iteration with the same arguments"
    aliases = ("PWR003",)
    needs = ("core",)
    guards = (
        Guard("declared-const", "the declaration states that the function has no side effects",
              _declared, structural=True),
        Guard("state",
              "the function takes no values, or decides how long the loop runs: it keeps a state",
              _state, structural=True),
        Guard("arrays", "the function receives arrays that it may change", _handed_arrays),
        Guard("repeated", "every iteration does the same, as those of tests and benchmarks do",
              _repeated),
        Guard("hoisted", "the flags let the compiler call it before the loop", _hoisted),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops with calls all of whose arguments stay the same."""
        for site, facts in innermost(context):
            if any(v.op == "call" for s in facts.kernel.statements for v in s.values):
                found = list(_calls(site.loop, context.compiler))
                if found:
                    yield _match(site, found)


RULE = InvariantCall()


def _calls(loop: Loop, compiler: Compiler) -> Iterator[tuple[Statement, int]]:
    for statement in unconditional(loop.body):
        # a name with a blank is none: nobody knows what is called
        calls = [
            n for n, v in enumerate(statement.values) if v.op == "call" and " " not in v.callee
        ]
        steady = invariant_values(loop, statement) if calls else set()
        for number in calls:
            if number in steady and _is_called(statement, number, compiler):
                yield statement, number


def _is_called(statement: Statement, number: int, compiler: Compiler) -> bool:
    """Whether the code of each iteration has the call."""
    if is_evaluated(statement, number, compiler):
        return False
    return not _may_be_left_out(statement, number)


def _may_be_left_out(statement: Statement, number: int) -> bool:
    """Whether a value stands behind ``&&`` or ``||``: values are in the order of evaluation."""
    return any(
        value.op in ("and", "or") and value.type == "bool" and value.args[0] < number < place
        for place, value in enumerate(statement.values)
    )


def _match(site: Site, found: list[tuple[Statement, int]]) -> Match:
    texts = list(dict.fromkeys([text_of(*each) for each in found]))
    names = dict.fromkeys([detail_text(statement.values[number]) for statement, number in found])
    other = f" and {len(texts) - 1} more" if len(texts) > 1 else ""
    verb, they = ("are", "them") if other else ("is", "it")
    words = f"calling {they} before the loop"
    evidence = f"{texts[0]}{other} {verb} the same in every iteration"
    if not all(map(_mathematical, names)):
        # the transformation's assumption, and a doubt by itself
        words += f", if {'they have' if other else 'it has'} no effects"
        evidence = f"{texts[0]}{other} {verb} called with the same values in every iteration"
    declared = {
        text_of(statement, number, DEPTH): C_TYPES.get(statement.values[number].type, "double")
        for statement, number in found
    }
    return Match(
        site.name,
        evidence,
        (
            Change(
                words,
                partial(hoist, loop=site.name, ops=("call",)),
                fix=partial(_fix, declared),
                action=Action(ActionKind.HOIST, next(iter(declared))),
            ),
        ),
        names=tuple(names),
        related=tuple([RelatedNode(statement.origin, "called here") for statement, _ in found]),
    )


def _fix(declared: Mapping[str, str], result: ChangedFunction) -> Fix:
    lines = [
        f"const {type_} value{number or ''} = {text};"
        for number, (text, type_) in enumerate(declared.items())
    ]
    return Fix("unsafe", "call before the loop", sketch="\n".join(["// before the loop", *lines]))

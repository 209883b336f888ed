from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from rooflint.core.issue.operations import Operations
from rooflint.core.mispredictions import misprediction_cy
from rooflint.facts import KernelFacts
from rooflint.ir import UNCOUNTED, Access, Definition, Loop, Poly, Statement
from rooflint.ir.poly import PolyFunction
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.records import NamedTuple
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.mispredictions import PENALTY_IS_KNOWN
from rooflint.rule_kit.queries import innermost, kernel_of, statements_of
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction

WRONG: Final = 0.5
"""Of the steps: whether the key lies above the middle is as likely as not."""
MIDDLE_CY: Final = 4
"""A sum, a shift and the address between a comparison and the next load."""
SELECTION_CY: Final = 2
"""A selection or product, and a sum, between a comparison and the next load."""
SIDE_BY_SIDE: Final = 2.5
"""Searches of which a core has steps in flight, if no guess is wrong: measured on Zen 4 with gcc
12.2, 4.0 to 4.4 cycles per step of a chain of 12, of doubles, and 3.3 of one of 7, of integers."""
STEPS: Final = 10
"""Of a search (1000 elements): one end of it is guessed wrong half of the time."""
NEAR_LEVEL: Final = "L2"
"""Within it the wait for a load is shorter than that for a wrong guess; beyond, a guess loads
ahead: measured on Zen 4, gain 4.3x at 8 KB, 3.5x at 64 KB, 2.8x at 480 KB, 0.7 to 0.9x at 8 MB."""


class BinarySearch(NamedTuple):
    """A loop that halves a range, of whose ends a comparison moves one.

    access  the element in the middle
    ends    the variables that bound the range
    moved   both ends move to one value, the middle itself
    """

    access: Access
    ends: tuple[str, ...]
    moved: bool


def _expensive_miss(match: Match, context: RuleContext) -> str:
    found = _found(match, context)
    elements = _elements(context, match.place, found)
    level = next((c for c in context.machine.caches if c.level == NEAR_LEVEL), None)
    if elements is None or level is None:
        return ""
    size = elements * found.access.bytes
    if size <= level.size_bytes:
        return ""
    return f"{found.access.array} is larger than {NEAR_LEVEL}: a guessed branch loads ahead"


class BinarySearchRule(RuleDefaults):
    code = "RL317"
    slug = "binary-search"
    requires = (CodeFeature.EARLY_EXIT,)
    summary = "a binary search branches on each comparison, which is guessed wrong half of the time"
    needs = ("core",)
    guards = (
        PENALTY_IS_KNOWN,
        Guard("beyond-cache", "the table is larger than the second cache", _expensive_miss),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Loops without a count that halve a range."""
        for site, facts in innermost(context):
            found = _search_in(site.loop)
            if found is not None:
                yield _match(context, site, facts, found)


RULE = BinarySearchRule()


def _found(match: Match, context: RuleContext) -> BinarySearch:
    found = _search_in(kernel_of(match, context).kernel.loops[-1])
    assert found is not None
    return found


def _search_in(loop: Loop) -> BinarySearch | None:
    """The search that a loop is, if each of two branches moves an end of a range to its middle."""
    ends = _moved_ends(loop) if UNCOUNTED in loop.exits else ()
    if len(ends) != 2:
        return None
    found = [_compared(statement, ends) for statement in statements_of(loop)]
    access = next((each for each in found if each is not None), None)
    if access is None:
        return None
    places = {d.value for d in loop.definitions if d.condition == "branch" and d.variable in ends}
    return BinarySearch(access=access, ends=ends, moved=len(places) == 1)


def _moved_ends(loop: Loop) -> tuple[str, ...]:
    """The variables that branches of a loop move, if it is to their middle."""
    moved = [each for each in loop.definitions if each.condition == "branch" and not each.own]
    ends = tuple(dict.fromkeys([each.variable for each in moved]))
    return ends if all(_is_middle(each.value, ends) for each in moved) else ()


def _compared(statement: Statement, ends: tuple[str, ...]) -> Access | None:
    """The element in the middle, if a statement only compares with it."""
    if not statement.values or statement.values[-1].op != "compare":
        return None
    return next((a for a in statement.accesses if _is_middle(a.offset, ends)), None)


def _is_middle(value: Poly | None, ends: tuple[str, ...]) -> bool:
    """Whether a value is computed of half of a sum or difference of both ends."""
    if value is None:
        return False
    parts = [a for a in value.atoms() if isinstance(a, PolyFunction) and a.kind == "floordiv"]
    halves = [part.operands[0] for part in parts if part.operands[1].value == 2]
    return any({unknown.variable for unknown in half.unknowns()} == {*ends} for half in halves)


def _match(context: RuleContext, site: Site, facts: KernelFacts, found: BinarySearch) -> Match:
    before, after = _step_cy(context, found)
    array = found.access.array
    return Match(
        site.name,
        f"each comparison with {array} {_way(context, found)}: {before:.0f} cycles per step",
        (
            Change(
                f"moving the start by a selection, {after:.0f} cycles per step",
                fix=partial(_fix, context, array),
                action=Action(ActionKind.OTHER, "a selection"),
                doubts=("keys that come again, or in order, are guessed right",),
                depends_on_data=True,
                seconds=partial(_seconds, context, facts, found),
            ),
        ),
        names=(array,),
    )


def _step_cy(context: RuleContext, found: BinarySearch) -> tuple[float, float]:
    """Cycles of a step, with the branch and without."""
    core = context.machine.core
    assert core is not None
    operations = Operations(core)
    kind = found.access.type
    tested = sum([operations.latency_cy(name, kind, None) for name in ("load", "compare")])
    missed = misprediction_cy(context.machine) or 0.0
    after = (tested + SELECTION_CY) / SIDE_BY_SIDE
    if _selects(context, found):
        return after + MIDDLE_CY / SIDE_BY_SIDE + WRONG * missed / STEPS, after
    return WRONG * (missed + MIDDLE_CY + tested), after


def _selects(context: RuleContext, found: BinarySearch) -> bool:
    """Whether the compiler moves both ends by selections."""
    return found.moved and context.compiler.traits.selects_moves


def _way(context: RuleContext, found: BinarySearch) -> str:
    if _selects(context, found):
        return "decides where the next one is, and when to end"
    return "is guessed wrong half of the time"


def _seconds(
    context: RuleContext, facts: KernelFacts, found: BinarySearch
) -> Mapping[str, tuple[float, float]]:
    """Of the steps that the models count: wrong guesses on top, or the chain of selections."""
    cycle = 1e-9 / context.machine.clock_ghz * context.kernel(facts).traffic.space.executions
    before, after = _step_cy(context, found)
    own = {model: context.seconds(facts, model) for model in BinarySearchRule.models}
    return {
        model: (time + before * cycle, max(time, after * cycle))
        for model, time in own.items()
        if time is not None
    }


def _elements(context: RuleContext, place: str, found: BinarySearch) -> int | None:
    """The length of the range that the search begins with; None where the source does not say."""
    site = context.sites[place]
    before: list[Definition] = [*context.function.definitions]
    for loop in site.outer:
        before += loop.definitions
    facts = next(f for f in context.facts if f.kernel.loops[-1] is site.loop)
    lengths = [
        context.value(facts, each.value)
        for each in before
        if each.variable in found.ends and each.value is not None
    ]
    return max([each for each in lengths if each is not None], default=None)


def _fix(context: RuleContext, array: str, _: ChangedFunction) -> Fix:
    condition = f"{array}[start + half - 1] < key"
    if not context.compiler.traits.selects_moves:
        condition = f"__builtin_unpredictable({condition})"  # else it becomes a branch again
    sketch = (
        "while (length > 1) {\n"
        "  half = length / 2;\n"
        f"  start += {condition} ? half : 0;\n"
        "  length -= half;\n"
        "}\n"
        f"// then one more comparison, with {array}[start]"
    )
    return Fix(safety="sketch", title="a search without branches", sketch=sketch)

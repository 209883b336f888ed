"""Variables that each iteration of a loop multiplies, divides or shifts; addresses without them.

What else an address rests on, data decide.
"""

from collections.abc import Iterator

from rooflint.ir import Definition, Function, Loop, Poly, Statement, walk
from rooflint.ir.written import UNKNOWN_MARK
from rooflint.records import NamedTuple


class Progression(NamedTuple):
    """A variable with its ``first`` value; ``step`` is the next one, over ``?name``."""

    name: str
    first: Poly
    step: Poly


def progressions_of(loop: Loop, outer: tuple[Definition, ...]) -> Iterator[Progression]:
    """Those of a loop with one unconditional step; ``outer``: definitions of the code around it."""
    for induction in loop.extra_inductions:
        first, step = _begin(induction.name, loop, outer), _step(induction.name, loop)
        if not induction.known and first is not None and step is not None:
            yield Progression(induction.name, first, step)


def _begin(name: str, loop: Loop, outer: tuple[Definition, ...]) -> Poly | None:
    """The last value that the variable is given before the loop."""
    values = [each for each in outer if each.variable == name and each.origin <= loop.origin]
    return values[-1].closed_form if values and values[-1].condition == "none" else None


def _step(name: str, loop: Loop) -> Poly | None:
    steps = [each for each in loop.definitions if each.variable == name]
    if len(steps) != 1 or steps[0].condition != "none" or steps[0].value is None:
        return None
    others = {str(each) for each in steps[0].value.unknowns()} - {f"{UNKNOWN_MARK}{name}"}
    return None if others else steps[0].value


def unplaced_words(array: str) -> str:
    """That an array is accessed at addresses that nobody knows."""
    return f"the addresses of {array} are not known"


def unplaced_array(function: Function) -> str | None:
    """The array of the first access whose address data decide, whatever the sizes; None: none."""
    nodes = tuple(walk(function.body))
    stepped = {
        f"{UNKNOWN_MARK}{induction.name}"
        for node in nodes
        if isinstance(node, Loop)
        for induction in node.extra_inductions
    }
    for node in nodes:
        if isinstance(node, Statement):
            for access in node.accesses:
                if not stepped.issuperset(map(str, access.offset.unknowns())):
                    return access.array
    return None

"""How often a loop runs and what its variables hold in each iteration.

A mover whose step does not change from one iteration to the next is linear in the iteration
number. The two sides of the loop's condition, written over linear movers, close in on each other at
a constant rate, which gives the trip count.
"""

from rooflint.frontend.lower.loops.geometric import geometric_trips
from rooflint.frontend.lower.loops.loop_parts import Parts
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.numbers import distance_form, poly_text, text_form
from rooflint.frontend.lower.state.operands import Binding, Pointer
from rooflint.frontend.lower.statements import Relation
from rooflint.frontend.parse.folding import is_never_true
from rooflint.ir import ONE, UNCOUNTED, ZERO, Poly, SourceForm
from rooflint.ir.poly import function
from rooflint.ir.written import form_text
from rooflint.records import NamedTuple

_RISING, _FALLING = ("<", "<=", "!="), (">", ">=", "!=")
_MIRROR = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}


class Mover(NamedTuple):
    """A variable that the loop changes: its symbol inside, its value before, its type.

    ``held``: what statements said last that it holds; None where none did.
    """

    symbol: str
    before: Poly | Pointer | None
    name: str
    held: Poly | None = None
    type: str = "i32"


class LinearMover(NamedTuple):
    """A mover that changes by ``step`` each iteration."""

    before: Poly
    step: Poly


def at_iteration(mover: LinearMover, counter: LinearMover | None, index: str, lower: Poly) -> Poly:
    """A linear mover where the loop's index is ``index``.

    ``counter`` is the variable that the index counts; None when the index is the iteration number.
    """
    distance = Poly.symbol(index) - lower
    if counter is None:
        return mover.before + mover.step * distance
    return mover.before + _exact_quotient(mover.step, counter.step.value or 1) * distance


def _exact_quotient(poly: Poly, size: int) -> Poly:
    return Poly({monomial: c // size for monomial, c in poly.terms.items()})


def linear_movers(context: LoweringContext, movers: dict[int, Mover]) -> dict[int, LinearMover]:
    """Movers whose step over one iteration does not change with the iteration."""
    symbols = {mover.symbol for mover in movers.values()}
    linear: dict[int, LinearMover] = {}
    for key, mover in movers.items():
        ends = _ends(mover.before, context.env.get(key))
        if ends is None:
            continue
        before, after = ends
        step = after - Poly.symbol(mover.symbol)
        if step.value is not None or (step.names().isdisjoint(symbols) and not step.unknowns()):
            linear[key] = LinearMover(before, step)
    return linear


def _ends(before: Poly | Pointer | None, after: Binding | None) -> tuple[Poly, Poly] | None:
    """Values of a mover before the loop and after an iteration; offsets into one array."""
    if isinstance(before, Pointer) and isinstance(after, Pointer):
        return (before.offset, after.offset) if before.array == after.array else None
    if isinstance(before, Poly) and isinstance(after, Poly):
        return before, after
    return None


def rotated_pointers(context: LoweringContext, movers: dict[int, Mover]) -> frozenset[int]:
    """Pointers that only trade places with each other (``t = a; a = b; b = t``)."""
    befores = {m.before.array: m.symbol for m in movers.values() if isinstance(m.before, Pointer)}
    if len(befores) < 2:
        return frozenset()
    found: set[int] = set()
    for key, mover in movers.items():
        after = context.env.get(key)
        if not isinstance(after, Pointer) or not isinstance(mover.before, Pointer):
            continue
        symbol = befores.get(after.array)
        if symbol is None or after.array == mover.before.array:
            continue
        if after.offset == Poly.symbol(symbol):
            found.add(key)
    return frozenset(found)


def header(
    context: LoweringContext,
    parts: Parts,
    movers: dict[int, Mover],
    control: int,
    linear: dict[int, LinearMover],
    relation: Relation | None,
    exits: dict[str, None],
) -> tuple[str, Poly, Poly, Poly]:
    """index, lower, upper, step: the source's own where the loop counts one variable plainly.

    ``exits`` gets UNCOUNTED where only the condition tells when the loop ends.
    """
    if relation is not None and parts.form != "do" and _is_countable(control, movers, linear):
        bound = _plain_bound(movers[control].symbol, linear[control], relation, movers)
        counted = linear[control]
        if bound is not None and not _counts_from_zero(context, counted.before, bound):
            upper = _named_distance(context, parts, counted.before, bound)
            return movers[control].symbol, counted.before, upper, counted.step
    counts = control in movers
    index = movers[control].symbol if counts else context.symbols.fresh(f"{parts.form}_trip")
    trips = _counted_trips(context, parts, movers, linear, relation)
    if trips is None:
        exits[UNCOUNTED] = None
        trips = context.symbols.data_size(_uncounted(context, parts))
    return index, ZERO, trips, ONE


def _counted_trips(
    context: LoweringContext,
    parts: Parts,
    movers: dict[int, Mover],
    linear: dict[int, LinearMover],
    relation: Relation | None,
) -> Poly | None:
    test = parts.condition
    if parts.form == "do" and test and is_never_true(context.unit.clang, test.cursor):
        return ONE
    trips = _trips(context, parts, movers, linear, relation)
    return _geometric(context, parts, movers, relation) if trips is None else trips


def _geometric(
    context: LoweringContext, parts: Parts, movers: dict[int, Mover], relation: Relation | None
) -> Poly | None:
    """The number of iterations of a loop that multiplies or divides its counter."""
    if relation is None or parts.form == "do":
        return None
    symbols = {mover.symbol for mover in movers.values()}
    for key, mover in movers.items():
        name, bound = bound_compared(mover.symbol, relation) or ("", ZERO)
        if name and bound.names().isdisjoint(symbols):
            after = context.env.get(key)
            return geometric_trips(mover.symbol, mover.before, after, name, bound)
    return None


def _is_countable(control: int, movers: dict[int, Mover], linear: dict[int, LinearMover]) -> bool:
    """Whether an integer's constant step divides the steps of all others, so that it can count."""
    size = linear[control].step.value if control in linear else None
    if not size or not isinstance(movers[control].before, Poly):
        return False
    return size in (1, -1) or not any(
        step % size for mover in linear.values() for step in mover.step.terms.values()
    )


def _counts_from_zero(context: LoweringContext, lower: Poly, bound: Poly) -> bool:
    """Whether a loop's start is unknown but not how far it goes, or both ends come from a call."""
    if lower.unknowns():
        return not (bound - lower).unknowns()
    return bool(context.symbols.set_by_call) and _set_by_call(context, bound - lower)


def _set_by_call(context: LoweringContext, distance: Poly) -> bool:
    return len(context.symbols.set_by_call & distance.names()) > 1


def _plain_bound(
    symbol: str, counter: LinearMover, relation: Relation, movers: dict[int, Mover]
) -> Poly | None:
    """The exclusive bound of ``symbol``, when the condition compares it with an invariant."""
    compared = bound_compared(symbol, relation)
    if compared is None:
        return None
    name, bound = compared
    if not bound.names().isdisjoint(mover.symbol for mover in movers.values()):
        return None
    step = counter.step.value
    if not step or name not in (_RISING if step > 0 else _FALLING):
        return None
    if name == "!=":
        return bound if abs(step) == 1 else None
    return {"<": bound, "<=": bound + 1, ">": bound, ">=": bound - 1}[name]


def bound_compared(symbol: str, relation: Relation) -> tuple[str, Poly] | None:
    """The relation as a comparison of ``symbol`` with a bound; None where it has a factor."""
    name, left, right = relation
    if left.terms == {(symbol,): 1}:
        return name, right
    difference = left - right
    factor = difference.coefficient(symbol)
    if factor is None or factor.value not in (1, -1):
        return None
    if factor.value == -1:
        difference, name = -difference, _MIRROR.get(name, name)
    return name, Poly.symbol(symbol) - difference


MAX_NAME = 120
"""Characters of a difference that is its own name; a longer one is named by the condition."""


def _named_distance(context: LoweringContext, parts: Parts, lower: Poly, bound: Poly) -> Poly:
    """``bound``, or ``lower`` plus a named trip count where only the running program can say.

    That is where memory decides the distance, or a call sets both ends.
    """
    if not (bound.unknowns() or lower.unknowns() or context.symbols.set_by_call):
        return bound
    distance = bound - lower
    if not distance.unknowns() and not _set_by_call(context, distance):
        return bound
    form = distance_form(distance)
    if len(form_text(form)) > MAX_NAME:
        form = context.symbols.distinct(_uncounted(context, parts))
    return lower + context.symbols.data_size(form)


def _trips(
    context: LoweringContext,
    parts: Parts,
    movers: dict[int, Mover],
    linear: dict[int, LinearMover],
    relation: Relation | None,
) -> Poly | None:
    """The number of iterations, from how the two sides of the condition close in on each other.

    None where they are not seen to do that.
    """
    if relation is None:
        return None
    name, left, right = relation
    if name in (">", ">="):
        name, left, right = _MIRROR[name], right, left
    start, closing = _along(right - left, movers, linear)
    if start is None or closing is None or name == "==":
        return None
    if name == "!=" and closing.value is not None and closing.value > 0:
        start, closing = -start, -closing
    closing = -closing
    size = closing.value
    if not closing or (size is not None and size < 0):
        return None
    reach = start + 1 if name == "<=" else start
    trips = reach if size == 1 else function("floordiv", reach + closing - 1, closing)
    if size is None:
        context.assume(f"{poly_text(closing)} is positive")
    return _named_distance(context, parts, ZERO, trips + (parts.form == "do"))


def _uncounted(context: LoweringContext, parts: Parts) -> SourceForm:
    """The name of a trip count that is no short formula: the condition as the source has it."""
    text = (
        " ".join(context.unit.source.text(parts.condition.cursor).split())
        if parts.condition
        else ""
    )
    return text_form(f"trips({text[:40] or 'no condition'})")


def _along(
    poly: Poly, movers: dict[int, Mover], linear: dict[int, LinearMover]
) -> tuple[Poly | None, Poly | None]:
    """``poly`` as start + rate * iteration; (None, None) when it is not linear in the iteration."""
    start, rate = poly, ZERO
    for key, mover in movers.items():
        if mover.symbol not in poly.names():
            continue
        factor = poly.coefficient(mover.symbol)
        if key not in linear or factor is None:
            return None, None
        rate = rate + factor * linear[key].step
    start = poly.substitute(
        {movers[key].symbol: found.before for key, found in linear.items() if key in movers}
    )
    return start, rate

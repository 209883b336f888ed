"""Loops: what every variable does per iteration, hence how often the loop runs.

A loop body is lowered once, with a fresh symbol for each integer or pointer that it changes. What
the symbol has become at the end of the body is that variable's step; a variable with an invariant
step is linear in the iteration number. The loop's condition over these gives the trip count, so
``for``, ``while``, ``do``, pointer walks and several variables at once are one case.
"""

from typing import NamedTuple

from rooflint.frontend import kinds, openmp
from rooflint.frontend.context import Context, LoopScope, Place, Pointer
from rooflint.frontend.dispatch import executes, operand, statement, value
from rooflint.frontend.numbers import as_poly
from rooflint.frontend.places import decayed, storage_of
from rooflint.frontend.rewrite import substituted
from rooflint.frontend.statements import Relation, block, closed_relation, merged
from rooflint.frontend.tree import Tree
from rooflint.ir import ONE, ZERO, Loop, Node, Poly, Statement
from rooflint.ir.poly import function

_MIRROR = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}


class Parts(NamedTuple):
    """A loop statement's parts; None where the source leaves one out."""

    init: Tree | None
    condition: Tree | None
    step: Tree | None
    body: Tree
    form: str


class Mover(NamedTuple):
    """A variable that the loop changes: its symbol inside, its value before."""

    symbol: str
    before: Poly | Pointer | None
    name: str


@executes(kinds.FOR, kinds.WHILE, kinds.DO)
def _loop(context: Context, tree: Tree) -> None:
    context.loops_seen.add(context.unit.source.extent(tree[1])[0])
    parts = _parts(context, tree)
    if parts.init is not None:
        statement(context, parts.init)
        context.finish_statement(parts.init[1])
    lower_loop(context, tree, parts)


def _parts(context: Context, tree: Tree) -> Parts:
    kind, _, below = tree
    if kind == kinds.DO:
        return Parts(None, below[-1], None, below[0], "do")
    if kind == kinds.WHILE:
        return Parts(None, below[-2], None, below[-1], "while")
    body = below[-1]
    if len(below) == 4:
        return Parts(below[0], below[1], below[2], body, "for")
    slots: list[Tree | None] = [None, None, None]
    for slot, part in zip(_filled_slots(context, tree), below[:-1], strict=False):
        slots[slot] = part
    return Parts(slots[0], slots[1], slots[2], body, "for")


def _filled_slots(context: Context, tree: Tree) -> list[int]:
    """Which of the three parts of a ``for`` header are there; libclang leaves null parts out."""
    source = context.unit.source
    begin = source.extent(tree[1])[0]
    text = source.blanked
    position = text.find(b"(", begin)
    if begin < 0 or position < 0 or source.in_macro(tree[1]):
        return [_slot_by_kind(context, part) for part in tree[2][:-1]]
    filled, slot, depth, content = [], 0, 0, False
    while position < len(text):
        position += 1
        char = text[position : position + 1]
        if char in b"([{" and char:
            depth += 1
        elif char in b")]}" and char:
            depth -= 1
        if depth < 0 or (char == b";" and depth == 0):
            if content:
                filled.append(slot)
            slot, content = slot + 1, False
            if depth < 0:
                break
        elif char.strip():
            content = True
    return filled


def _slot_by_kind(context: Context, part: Tree) -> int:
    if part[0] == kinds.DECL_STMT:
        return 0
    comparing = part[0] == kinds.BINARY and (
        context.clang.getCursorBinaryOperatorKind(part[1]) in kinds.COMPARISONS
    )
    return 1 if comparing else 2


def lower_loop(context: Context, tree: Tree, parts: Parts) -> None:
    """Lowers the loop and appends it to the nodes; its init part has been lowered already."""
    origin = context.origin(tree[1])
    hints = openmp.loop_hints(context, tree)
    changed = context.unit.modified(tree)
    movers, control = _enter(context, parts, changed)
    switches, context.switches_outside = context.switches_outside, context.switches
    scope = context.loop = LoopScope(changed, context.loop)
    symbols = [mover.symbol for mover in movers.values()]
    context.active += symbols
    relation: Relation | None = None
    body: tuple[Node, ...] = ()
    if parts.form == "do":
        body = block(context, [parts.body])
    if parts.condition is not None:
        relation, tested = _condition(context, parts.condition, scope, origin, symbols)
        body = (*body, *tested)
    elif parts.form != "do":
        scope.exits.setdefault("no condition", None)
    if parts.form != "do":
        body = (*body, *block(context, [parts.body]))
    for env in scope.continues:
        context.env = merged(context, context.env, env)
    if parts.step is not None:
        body = (*body, *block(context, [parts.step]))
    del context.active[len(context.active) - len(symbols) :]
    context.loop, context.switches_outside = scope.outer, switches
    _close(context, parts, movers, control, relation, body, scope, origin, hints)
    if scope.outer is not None:
        scope.outer.defined |= changed


def _enter(context: Context, parts: Parts, changed: frozenset[int]) -> tuple[dict[int, Mover], int]:
    """Gives every integer and pointer the loop changes a symbol; finds the one it counts."""
    control = _control_key(context, parts, changed)
    movers: dict[int, Mover] = {}
    fields = {k for k, field in context.member_fields.items() if field in changed}
    for key in sorted(changed | fields, key=lambda k: k != control):
        before = context.env.get(key)
        if isinstance(before, Place):
            continue
        decl = context.unit.known(key)
        if before is None:
            if decl is None or decl.ctype.shape not in ("scalar", "pointer"):
                continue
            if decl.ctype.shape == "scalar" and not decl.ctype.is_integer:
                continue
            if storage_of(context, decl) != "local":
                before = (
                    context.size(context.name(decl))
                    if decl.ctype.shape == "scalar"
                    else decayed(context, decl)
                )
        name = context.name(decl) if decl is not None else context.name_of(key)
        # only the counted variable keeps its plain name; the others are replaced in the end
        plain = decl.name if decl is not None else name
        symbol = context.fresh(plain if key == control else f"{plain}@")
        movers[key] = Mover(symbol, before, name)
        atom = Poly.symbol(symbol)
        context.env[key] = (
            before._replace(offset=atom, subscripts=None) if isinstance(before, Pointer) else atom
        )
    return movers, control


def _control_key(context: Context, parts: Parts, changed: frozenset[int]) -> int:
    """The variable a plain header counts: the one its condition compares."""
    condition = parts.condition
    while condition is not None and condition[0] == kinds.BINARY and len(condition[2]) == 2:
        for side in condition[2]:
            while side[0] in (kinds.UNARY, kinds.BINARY) and side[2]:
                side = side[2][0]  # noqa: PLW2901 - walks down
            if side[0] == kinds.DECL_REF:
                key = context.clang.getCursorReferenced(side[1]).d0
                if key in changed:
                    return int(key)
        condition = condition[2][0]
    return 0


def _condition(
    context: Context, tree: Tree, scope: LoopScope, origin: int, symbols: list[str]
) -> tuple[Relation | None, tuple[Node, ...]]:
    """The countable part of a loop condition, and the statement that evaluates the rest."""
    if tree[0] == kinds.BINARY and len(tree[2]) == 2:
        operator = context.clang.getCursorBinaryOperatorKind(tree[1])
        if kinds.BINARY_NAMES.get(operator) == "&&":
            left, first = _condition(context, tree[2][0], scope, origin, symbols)
            right, second = _condition(context, tree[2][1], scope, origin, symbols)
            if left is None and right is None:
                return None, (*first, *second)
            scope.exits["condition"] = None
            return left or right, (*first, *second)
        if operator == kinds.COMMA:
            operand(context, tree[2][0])
            return _condition(context, tree[2][1], scope, origin, symbols)
    relation = _relation(context, tree, symbols)
    if relation is not None:
        return relation, ()
    if tree[0] not in (kinds.BINARY, kinds.CALL):
        found = operand(context, tree)  # while (n--): n before the step, compared with zero
        if isinstance(found, Poly) and found.value is None and not found.unknowns():
            return ("!=", found, ZERO), ()
        if not isinstance(found, int):
            return None, ()
    else:
        value(context, tree)
    if not context.values:
        return None, ()
    statement_ = context.take_statement(origin)
    return None, (statement_,) if _does_something(statement_) else ()


def _relation(context: Context, tree: Tree, symbols: list[str]) -> Relation | None:
    """A comparison that can be counted; what it loads from memory is read before the loop."""
    relation = closed_relation(context, tree)
    if relation is not None or tree[0] != kinds.BINARY or len(tree[2]) != 2:
        return relation
    operator = context.clang.getCursorBinaryOperatorKind(tree[1])
    if operator not in kinds.COMPARISONS:
        return None
    mark = (len(context.values), len(context.accesses), dict(context.env))
    sides = [operand(context, side) for side in tree[2]]
    if all(isinstance(s, Poly) or (isinstance(s, int) and _is_integer(context, s)) for s in sides):
        left, right = (as_poly(context, side) for side in sides)
        unknowns = (*left.unknowns(), *right.unknowns())
        if not any(set(unknown.depends) & set(symbols) for unknown in unknowns):
            context.finish_statement(tree[1])
            return kinds.BINARY_NAMES[operator], left, right
    del context.values[mark[0] :], context.accesses[mark[1] :]
    context.env = mark[2]
    return None


def _is_integer(context: Context, number: int) -> bool:
    return context.values[number].type[0] in "iu"


def _does_something(statement_: Statement) -> bool:
    return any(
        value.op not in ("const", "index", "scalar", "carried") for value in statement_.values
    )


class Linear(NamedTuple):
    """A mover that changes by ``step`` each iteration."""

    before: Poly
    step: Poly


def _close(  # noqa: PLR0913 - the loop's facts meet here, once
    context: Context,
    parts: Parts,
    movers: dict[int, Mover],
    control: int,
    relation: Relation | None,
    body: tuple[Node, ...],
    scope: LoopScope,
    origin: int,
    hints: tuple[str, ...],
) -> None:
    linear = _linear_movers(context, movers)
    index, lower, upper, step = _header(context, parts, movers, control, linear, relation)
    exits = tuple(name for name in scope.exits if name != "no condition")
    natural = control in linear and index == movers[control].symbol and step == linear[control].step
    iteration = Poly.symbol(index) if not natural else None
    values: dict[str, Poly] = {}
    context.active.append(index)
    for key, mover in movers.items():
        if natural and key == control:
            continue
        if key in linear:
            values[mover.symbol] = _at(linear[key], linear.get(control), index, lower, iteration)
        else:
            reason = f"{mover.name} changes irregularly in the loop"
            values[mover.symbol] = context.unknown(mover.name, reason, (index,))
            context.note_scalar(values[mover.symbol], mover.name, key)
    context.active.pop()
    used = {symbol: poly for symbol, poly in values.items() if poly != Poly.symbol(symbol)}
    if used:
        body = substituted(body, used)
    upper, lower = upper.substitute(used), lower.substitute(used)
    loop = Loop(index, lower, upper, step, body, parts.form, hints, exits, origin)
    context.nodes.append(loop)
    _leave(context, movers, control, linear, loop, natural)


def _at(
    mover: Linear, counter: Linear | None, index: str, lower: Poly, iteration: Poly | None
) -> Poly:
    """A linear mover at the iteration where the loop's index is ``index``."""
    if iteration is not None:
        return mover.before + mover.step * iteration
    assert counter is not None
    size = counter.step.value or 1
    distance = Poly.symbol(index) - lower
    return mover.before + _exact_quotient(mover.step, size) * distance


def _exact_quotient(poly: Poly, size: int) -> Poly:
    return Poly({monomial: c // size for monomial, c in poly.terms.items()})


def _linear_movers(context: Context, movers: dict[int, Mover]) -> dict[int, Linear]:
    """Movers whose step over one iteration does not change with the iteration."""
    symbols = {mover.symbol for mover in movers.values()}
    found: dict[int, Linear] = {}
    for key, mover in movers.items():
        after = context.env.get(key)
        if isinstance(after, Pointer) and isinstance(mover.before, Pointer):
            if after.array != mover.before.array:
                continue
            now, before = after.offset, mover.before.offset
        elif isinstance(after, Poly) and isinstance(mover.before, Poly):
            now, before = after, mover.before
        else:
            continue
        step = now - Poly.symbol(mover.symbol)
        if step.names().isdisjoint(symbols) and not step.unknowns():
            found[key] = Linear(before, step)
    return found


def _header(  # noqa: PLR0913
    context: Context,
    parts: Parts,
    movers: dict[int, Mover],
    control: int,
    linear: dict[int, Linear],
    relation: Relation | None,
) -> tuple[str, Poly, Poly, Poly]:
    """index, lower, upper, step: the source's own where the loop counts one variable plainly."""
    size = linear[control].step.value if control in linear else None
    divides = bool(size) and not any(
        c % (size or 1) for mover in linear.values() for c in mover.step.terms.values()
    )
    countable = control in movers and isinstance(movers[control].before, Poly)
    if relation is not None and countable and divides and parts.form != "do":
        bound = _plain_bound(movers[control].symbol, linear[control], relation, movers)
        if bound is not None:
            counted = linear[control]
            upper = _named_distance(context, counted.before, bound)
            return movers[control].symbol, counted.before, upper, counted.step
    index = movers[control].symbol if control in movers else context.fresh(f"{parts.form}_trip")
    trips = _trips(context, parts, movers, linear, relation)
    return index, ZERO, trips, ONE


def _plain_bound(
    symbol: str, counter: Linear, relation: Relation, movers: dict[int, Mover]
) -> Poly | None:
    """The exclusive bound of ``symbol``, when the condition compares it with something invariant."""
    name, left, right = relation
    difference = left - right
    factor = difference.coefficient(symbol)
    if factor is None or factor.value not in (1, -1):
        return None
    if factor.value == -1:
        difference, name = -difference, _MIRROR.get(name, name)
    bound = Poly.symbol(symbol) - difference
    if not bound.names().isdisjoint(mover.symbol for mover in movers.values()):
        return None
    step = counter.step.value
    if step is None or name == "==" or (name in ("<", "<=") and step < 0):
        return None
    if name in (">", ">=") and step > 0:
        return None
    if name == "!=":
        return bound if abs(step) == 1 else None
    return {"<": bound, "<=": bound + 1, ">": bound, ">=": bound - 1}[name]


def _named_distance(context: Context, lower: Poly, bound: Poly) -> Poly:
    """``bound``, or, where memory decides the distance, ``lower`` plus a named trip count."""
    distance = bound - lower
    if not distance.unknowns():
        return bound
    text = str(distance).replace("?", "").replace(" ", "")
    plus = [m for m, c in distance.terms.items() if c > 0]
    minus = [m for m, c in distance.terms.items() if c < 0]
    if len(plus) == len(minus) == len(distance.terms) / 2 == 1:
        text = f"{plus[0][0]}-{minus[0][0]}".replace("?", "").replace(" ", "")
    return lower + context.size(text)


def _trips(
    context: Context,
    parts: Parts,
    movers: dict[int, Mover],
    linear: dict[int, Linear],
    relation: Relation | None,
) -> Poly:
    """The number of iterations, from how the two sides of the condition close in on each other."""
    if relation is not None:
        name, left, right = relation
        if name in (">", ">="):
            name, left, right = _MIRROR[name], right, left
        start, closing = _along(right - left, movers, linear)
        if start is not None and closing is not None:
            if name == "!=":
                sign = closing.value
                if sign is not None and sign > 0:
                    start, closing = -start, -closing
                closing = -closing
                name = "<"
            else:
                closing = -closing
            size = closing.value
            if name in ("<", "<=") and closing and (size is None or size > 0):
                reach = start + 1 if name == "<=" else start
                trips = reach if size == 1 else function("floordiv", reach + closing - 1, closing)
                if size is None:
                    context.assumptions[f"{closing} is positive"] = None
                return _named_distance(context, ZERO, trips + (parts.form == "do"))
    text = " ".join(context.unit.source.text(parts.condition[1]).split()) if parts.condition else ""
    return context.size(f"trips({text[:40] or 'no condition'})")


def _along(
    poly: Poly, movers: dict[int, Mover], linear: dict[int, Linear]
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


def _leave(  # noqa: PLR0913
    context: Context,
    movers: dict[int, Mover],
    control: int,
    linear: dict[int, Linear],
    loop: Loop,
    natural: bool,
) -> None:
    """What the loop's variables hold behind it."""
    early = any(name != "continue" for name in loop.exits)
    trips = loop.trip_count
    for key, mover in movers.items():
        before = mover.before
        if key in linear and not early:
            if natural and key == control and loop.step.value in (1, -1):
                after = loop.upper
            else:
                after = linear[key].before + linear[key].step * trips
        else:
            reason = f"{mover.name} behind a loop that can leave early" if early else "irregular"
            after = context.unknown(mover.name, reason)
        if isinstance(before, Pointer):
            context.env[key] = before._replace(offset=after, subscripts=None)
        else:
            context.env[key] = after

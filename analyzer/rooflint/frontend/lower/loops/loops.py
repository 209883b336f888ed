"""Loops: what every variable does per iteration, hence how often the loop runs.

A loop body is lowered once, with a fresh symbol for each integer or pointer that it changes. What
the symbol has become at the end of the body is that variable's step; a variable with an invariant
step is linear in the iteration number. The loop's condition over these gives the trip count, so
``for``, ``while``, ``do``, pointer walks and several variables at once are one case.
"""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from rooflint.frontend.lower import openmp
from rooflint.frontend.lower.expressions import Sides, compare, comparison, counted
from rooflint.frontend.lower.loops.loop_parts import Parts, does_something, parts_of, source_header
from rooflint.frontend.lower.loops.rewrite import substituted
from rooflint.frontend.lower.loops.trips import (
    Linear,
    Mover,
    at_iteration,
    header,
    linear_movers,
    rotated_pointers,
)
from rooflint.frontend.lower.members import member_before, name_members
from rooflint.frontend.lower.objects.places import decayed, storage_of
from rooflint.frontend.lower.state.context import Context, LoopScope, Operand, Place, Pointer
from rooflint.frontend.lower.state.dispatch import executes, operand, statement, value
from rooflint.frontend.lower.state.numbers import as_poly, materialise
from rooflint.frontend.lower.statements import Relation, block, closed, merged
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import Tree
from rooflint.ir import UNCOUNTED, ZERO, Induction, Loop, Node, Poly, Reason, Statement, walk
from rooflint.ir.values import Assignment


@executes(kinds.FOR, kinds.WHILE, kinds.DO)
def _loop(context: Context, tree: Tree) -> None:
    parts = parts_of(context, tree)
    if parts.init is not None:
        statement(context, parts.init)
        context.finish_statement(parts.init[1])
    lower_loop(context, tree, parts)


class Lowered(NamedTuple):
    """A loop whose body has been lowered in terms of its movers' symbols."""

    parts: Parts
    movers: dict[int, Mover]
    control: int
    relation: Relation | None
    body: tuple[Node, ...]
    scope: LoopScope


def lower_loop(context: Context, tree: Tree, parts: Parts) -> None:
    """Lowers the loop and appends it to the nodes; its init part has been lowered already."""
    origin = context.origin(tree[1])
    elsewhere = context.see_loop(tree[1], origin)
    hints = openmp.loop_hints(context, tree)
    changed = context.unit.modified(tree)
    name_members(context, tree, changed)
    control = _control_key(context, parts, changed)
    movers = _enter(context, changed, control)
    switches, context.switches_outside = context.switches_outside, context.switches
    scope = context.loop = LoopScope(changed, context.loop)
    # where nothing moves, what a call returns still differs from one iteration to the next
    symbols = [m.symbol for m in movers.values()] or [context.fresh(f"{parts.form}_trip")]
    context.active += symbols
    relation, body = _lower_parts(context, parts, scope, origin, symbols)
    del context.active[len(context.active) - len(symbols) :]
    context.loop, context.switches_outside = scope.outer, switches
    lowered = Lowered(parts, movers, control, relation, body, scope)
    loop = _close(context, lowered, hints, origin)
    if scope.outer is not None:
        scope.outer.counters |= {*scope.counters, control}
    context.nodes.append(inlined_loop(context, loop, elsewhere) if elsewhere else loop)
    if scope.outer is not None:
        scope.outer.defined |= changed


def inlined_loop(context: Context, loop: Loop, elsewhere: str) -> Loop:
    """A loop of another file, placed at the call that it is inlined for."""
    context.assume(f"the loop over {loop.index} stands in {elsewhere}")
    return replace(loop, form="inlined")


def _lower_parts(
    context: Context, parts: Parts, scope: LoopScope, origin: int, symbols: list[str]
) -> tuple[Relation | None, tuple[Node, ...]]:
    """The loop's condition as a relation, where it can be counted, and its body."""
    relation: Relation | None = None
    body: tuple[Node, ...] = ()
    if parts.form == "do":
        body = block(context, [parts.body])
    if parts.condition is not None:
        relation, tested = _condition(context, parts.condition, scope, origin, symbols)
        body = (*body, *tested)
    if parts.form != "do":
        body = (*body, *block(context, [parts.body]))
    for env in scope.continues:
        context.env = merged(context, context.env, env)
    if parts.step is not None and not counted(context, parts.step):
        body = (*body, *block(context, [parts.step]))
    return relation, body


def _enter(context: Context, changed: frozenset[int], control: int) -> dict[int, Mover]:
    """Gives every integer and pointer the loop changes a symbol; ``control`` is the counted one."""
    movers: dict[int, Mover] = {}
    fields = {k for k, field in context.member_fields.items() if field in changed}
    keys: Iterable[int] = changed | fields if fields else changed
    if len(changed) > 1 or fields:
        # sets of addresses have no order of their own: names give the same IR in every run
        keys = sorted(keys, key=lambda k: (k != control, *context.rank(k)))
    for key in keys:
        before = context.env.get(key)
        if isinstance(before, Place):
            continue
        decl = context.unit.known(key)
        if decl is not None and decl.kind == kinds.FIELD:
            continue  # what changes is some record's field, under a key of its own
        if before is None and key in context.member_fields:
            before = member_before(context, key)
            if before is None:
                continue
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
        atom = Poly.symbol(symbol)
        movers[key] = Mover(symbol, before, name, context.stated.get(key))
        context.stated[key] = atom
        context.env[key] = (
            before._replace(offset=atom, subscripts=None) if isinstance(before, Pointer) else atom
        )
    return movers


def _control_key(context: Context, parts: Parts, changed: frozenset[int]) -> int:
    """The variable a plain header counts: the one its condition compares."""
    condition = parts.condition
    while condition is not None and condition[0] in (kinds.BINARY, kinds.UNARY) and condition[2]:
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
    mark = len(context.nodes)
    sides = None
    if tree[0] == kinds.BINARY and len(tree[2]) == 2:
        operator = context.clang.getCursorBinaryOperatorKind(tree[1])
        if operator == kinds.LOGICAL_AND:
            left, first = _condition(context, tree[2][0], scope, origin, symbols)
            right, second = _condition(context, tree[2][1], scope, origin, symbols)
            if left is None and right is None:
                return None, (*first, *second)
            scope.exits["condition"] = None
            return left or right, (*first, *second)
        if operator == kinds.COMMA:
            operand(context, tree[2][0])
            return _condition(context, tree[2][1], scope, origin, symbols)
        sides = comparison(context, tree, operator)
    if sides is not None:
        relation = _relation(context, tree, sides, symbols)
        if relation is not None:
            return relation, ()
        compare(context, *sides)
    elif tree[0] in (kinds.BINARY, kinds.CALL):
        value(context, tree)
    else:
        found = operand(context, tree)  # while (n--): n before the step, compared with zero
        if isinstance(found, Poly) and found.value is None and not found.unknowns():
            return ("!=", found, ZERO), ()
        if not isinstance(found, int):
            return None, ()
    tested = context.nodes[mark:]  # calls in a condition belong to the iteration
    del context.nodes[mark:]
    if context.values:
        statement_ = context.take_statement(origin)
        if does_something(statement_):
            tested.append(statement_)
    return None, tuple(tested)


def _relation(context: Context, tree: Tree, sides: Sides, symbols: list[str]) -> Relation | None:
    """A comparison that can be counted; what it loads from memory is read before the loop."""
    relation = closed(sides)
    if relation is not None and not context.values:
        return relation
    name, left, right = sides
    if all(isinstance(s, Poly) or _is_integer(context, s) for s in (left, right)):
        left, right = as_poly(context, left), as_poly(context, right)
        unknowns = (*left.unknowns(), *right.unknowns())
        if not any(set(unknown.depends) & set(symbols) for unknown in unknowns):
            context.finish_statement(tree[1])
            return name, left, right
    return None


def _is_integer(context: Context, side: Operand) -> bool:
    return isinstance(side, int) and context.values[side].type[0] in "iu"


def _close(context: Context, lowered: Lowered, hints: tuple[str, ...], origin: int) -> Loop:
    """The loop with every mover's symbol replaced by its value per iteration."""
    loop = _counted(context, lowered, hints, origin)
    if loop is not None:
        return loop
    parts, movers, control, relation, body, scope = lowered
    linear = linear_movers(context, movers)
    rotated = rotated_pointers(context, movers)
    index, lower, upper, step = header(
        context, parts, movers, control, linear, relation, scope.exits
    )
    natural = (
        control in linear
        and index == movers[control].symbol
        and (lower, step) == tuple(linear[control])
    )
    values: dict[str, Poly] = {}
    stated: dict[Poly, str] = {}
    begun: dict[int, bool] = {}
    extra: list[Induction] = []
    context.active.append(index)
    for key, mover in movers.items():
        if natural and key == control:
            continue
        if key in linear:
            counter = linear[control] if natural else None
            values[mover.symbol] = at_iteration(linear[key], counter, index, lower)
            extra += [Induction(mover.name)] * (key not in (control, *scope.counters))
        elif key in rotated:
            extra.append(Induction(mover.name, known=False))
            values[mover.symbol] = ZERO
            context.assume(f"{mover.name} points to memory of its own in each iteration of {index}")
        else:
            if _is_stated(context, key):
                stated[Poly.symbol(mover.symbol)] = mover.name
                begun[key] = _begun(context, mover, body, origin)
            elif key not in scope.counters:
                extra.append(_extra_induction(context, key, mover))
            reason = Reason("changes-irregularly", (mover.name,))
            values[mover.symbol] = context.unknown(mover.name, reason, (index,))
            context.note_scalar(values[mover.symbol], mover.name, key)
    context.active.pop()
    extra += [Induction(name, known=False) for name in scope.unsaid.values()]
    used = {symbol: poly for symbol, poly in values.items() if poly != Poly.symbol(symbol)}
    if used:
        body = substituted(body, used, stated)
        lower, upper = lower.substitute(used), upper.substitute(used)
    exits, written = tuple(scope.exits), source_header(context, parts, control, natural)
    loop = Loop(
        index, lower, upper, step, body, parts.form, hints, exits, tuple(extra), written, origin
    )
    _leave(context, lowered, linear, loop, natural, begun)
    return loop


def _is_stated(context: Context, key: int) -> bool:
    """Whether statements say what the variable holds after an iteration."""
    return key in context.stated and context.env.get(key) == context.stated[key]


def _begun(context: Context, mover: Mover, body: tuple[Node, ...], origin: int) -> bool:
    """Says before the loop what a stated variable begins with; False where nobody can say it.

    ``s = 0`` is a closed form until the loop adds to ``s``, and no statement.
    """
    before, held = mover.before, mover.held
    if before in (None, held, Poly.symbol(mover.name)):
        return True
    if not isinstance(before, Poly):
        return False
    rest = before
    if held is not None and not held.names().isdisjoint(before.names()):
        rest = before - held
    if rest.unknowns() or (held is not None and not held.names().isdisjoint(rest.names())):
        return False
    statements = [node for node in walk(body) if isinstance(node, Statement)]
    assigns = [v for each in statements for v in each.values if v.op == "assign"]
    type_ = next((v.type for v in assigns if v.name == mover.name), "i32")
    pending = context.begin_statement()
    number = materialise(context, rest)
    if held is not None and rest is not before:
        number = context.emit_arithmetic("add", type_, materialise(context, held), number)
    context.emit(Assignment(type=type_, args=(number,), name=mover.name))
    context.nodes.append(context.take_statement(origin))
    context.resume_statement(pending)
    return True


def _extra_induction(context: Context, key: int, mover: Mover) -> Induction:
    """A variable that the source sets in each iteration, and whether its value is known."""
    after = context.env.get(key)
    end = after.offset if isinstance(after, Pointer) else after
    fresh = isinstance(end, Poly) and not end.unknowns() and mover.symbol not in end.names()
    return Induction(mover.name, known=fresh)


def _counted(
    context: Context, lowered: Lowered, hints: tuple[str, ...], origin: int
) -> Loop | None:
    """The loop that moves nothing but its counter, by one, to a bound that is known before.

    Nine loops of ten are that; None for the others, which go the long way to the same end.
    """
    parts, movers, control, relation, body, scope = lowered
    if relation is None or len(movers) != 1 or control not in movers or parts.form == "do":
        return None
    if scope.unsaid:
        return None
    symbol, before, name, _ = movers[control]
    after = context.env.get(control)
    comparison_, left, bound = relation
    if not isinstance(before, Poly) or not isinstance(after, Poly) or context.set_by_call:
        return None
    counter, step = (symbol,), after.terms.get(())
    if len(after.terms) != 2 or after.terms.get(counter) != 1 or step not in (1, -1):
        return None
    if left.terms != {counter: 1} or symbol in bound.names():
        return None
    if comparison_ not in (_UP if step == 1 else _DOWN) or before.unknowns() or bound.unknowns():
        return None
    if comparison_[1:] == "=" and comparison_ != "!=":
        bound = bound + step
    exits = tuple(scope.exits)
    early = bool(exits) and exits != ("continue",)
    context.env[control] = context.unknown(name, Reason("behind-loop", (name,))) if early else bound
    size = Poly.constant(step)
    written = source_header(context, parts, control, keeps_index=True)
    return Loop(symbol, before, bound, size, body, parts.form, hints, exits, (), written, origin)


_UP, _DOWN = ("<", "<=", "!="), (">", ">=", "!=")


def _leave(
    context: Context,
    lowered: Lowered,
    linear: dict[int, Linear],
    loop: Loop,
    natural: bool,
    begun: dict[int, bool],
) -> None:
    """What the loop's variables hold behind it.

    ``begun``: those that statements give a value, and whether they say what it begins with.
    """
    early = not {"continue", UNCOUNTED}.issuperset(loop.exits)
    for key, name in lowered.scope.unsaid.items():
        behind = context.unknown(name, Reason("behind-loop", (name,)))
        last = context.env.get(key)
        if isinstance(last, Pointer):
            context.env[key] = last._replace(offset=behind, subscripts=None)
        elif last is not None:
            context.env[key] = behind
    for key, mover in lowered.movers.items():
        before = mover.before
        if key in linear and not early:
            if natural and key == lowered.control and loop.step.value in (1, -1):
                after = loop.upper
            else:
                after = linear[key].before + linear[key].step * loop.trip_count
        else:
            after = context.unknown(mover.name, Reason("behind-loop", (mover.name,)))
            if key in begun:
                context.note_scalar(after, mover.name, key)
                if begun[key]:
                    context.stated[key] = after
        if isinstance(before, Pointer):
            context.env[key] = before._replace(offset=after, subscripts=None)
        else:
            context.env[key] = after

"""Loops: what every variable does per iteration, hence how often the loop runs.

A loop body is lowered once, with a fresh symbol for each integer or pointer that it changes. What
the symbol has become at the end of the body is that variable's step; a variable with an invariant
step is linear in the iteration number. The loop's condition over these gives the trip count, so
``for``, ``while``, ``do``, pointer walks and several variables at once are one case.
"""

from typing import Final

from msgspec.structs import replace

from rooflint.frontend.lower import openmp
from rooflint.frontend.lower.control.bodies import enter_body, keep_loop_graph
from rooflint.frontend.lower.expressions import steps_integer
from rooflint.frontend.lower.loops.conditions import OpenLoop, control_key, loop_condition
from rooflint.frontend.lower.loops.loop_parts import Parts, parts_of, source_header
from rooflint.frontend.lower.loops.movers import (
    enter_movers,
    extra_induction,
    is_stated,
    state_start,
)
from rooflint.frontend.lower.loops.rewrite import definitions_at, substitute_symbols
from rooflint.frontend.lower.loops.trips import (
    LinearMover,
    Mover,
    at_iteration,
    header,
    linear_movers,
    rotated_pointers,
)
from rooflint.frontend.lower.members import name_members
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import executes, statement
from rooflint.frontend.lower.state.flow import LoopScope
from rooflint.frontend.lower.state.operands import Binding, Lvalue, Pointer
from rooflint.frontend.lower.statements import Relation, block, merge_environments
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import (
    NO_RETURN,
    SKIPS,
    UNCOUNTED,
    ZERO,
    Definition,
    Induction,
    Loop,
    Node,
    PointerAccess,
    Poly,
    Reason,
)
from rooflint.records import NamedTuple


@executes(kinds.FOR, kinds.WHILE, kinds.DO)
def _loop(context: LoweringContext, tree: SyntaxTree) -> None:
    parts = parts_of(context, tree)
    begun = len(context.flow.definitions.made)
    if parts.init is not None:
        statement(context, parts.init)
        context.finish_statement(parts.init.cursor)
    counter = lower_loop(context, tree, parts)
    context.flow.definitions.drop(counter, begun)


UNDISTURBING: Final = SKIPS | {NO_RETURN}
"""Exits of a loop behind which no code finds its variables in another state."""


class IterationValues:
    """Values of movers in one iteration, by their symbols.

    ``stated``: symbols of those that statements give a value; ``begun``: by key, whether statements
    say what one of them begins with; ``extra``: variables that the source counts along.
    """

    def __init__(self) -> None:
        self.values: dict[str, Poly] = {}
        self.stated: dict[Poly, str] = {}
        self.begun: dict[int, bool] = {}
        self.extra: list[Induction] = []


class LoweredLoop(NamedTuple):
    """A loop whose body has been lowered in terms of its movers' symbols.

    ``condition_reads``: the scalars that its condition reads, by name. ``pointers``: those in
    memory that it reads or stores.
    """

    parts: Parts
    movers: dict[int, Mover]
    control: int
    relation: Relation | None
    condition_reads: tuple[str, ...]
    pointers: tuple[PointerAccess, ...]
    wrapping: tuple[str, ...]
    body: tuple[Node, ...]
    scope: LoopScope


def lower_loop(context: LoweringContext, tree: SyntaxTree, parts: Parts) -> str:
    """Lowers the loop and appends it to the nodes; its init part has been lowered already.

    Returns the variable that its header counts, empty where it counts none.
    """
    origin = context.origins.origin(tree.cursor)
    elsewhere = context.origins.see_loop(tree.cursor, origin)
    hints = openmp.loop_hints(context, tree)
    changed = _with_referents(context, context.effects.modified(tree))
    name_members(context, tree, changed)
    control = control_key(context, parts, changed)
    movers = enter_movers(context, changed, control)
    scope = context.flow.enter_loop(changed)
    # where nothing moves, what a call returns still differs from one iteration to the next
    symbols = [m.symbol for m in movers.values()] or [context.symbols.fresh(f"{parts.form}_trip")]
    context.symbols.enter(symbols)
    graph = enter_body(context, "loop", [parts.body])
    opened = OpenLoop(parts=parts, scope=scope, origin=origin, symbols=symbols)
    memory = context.memory
    with memory.noting_pointers() as pointers, memory.noting_wrapping() as wrapping:
        relation, read, body = _lower_parts(context, opened)
    context.symbols.leave(symbols)
    context.flow.leave_loop()
    lowered = LoweredLoop(
        parts=parts,
        movers=movers,
        control=control,
        relation=relation,
        condition_reads=read,
        pointers=tuple(pointers),
        wrapping=tuple(wrapping),
        body=body,
        scope=scope,
    )
    loop, counter = _close(context, lowered, hints, origin)
    keep_loop_graph(context, graph, loop.index)
    if scope.outer is not None:
        scope.outer.counters |= {*scope.counters, control}
    context.append(inlined_loop(context, loop, elsewhere) if elsewhere else loop)
    context.flow.define(*changed)
    return counter


def _with_referents(context: LoweringContext, changed: frozenset[int]) -> frozenset[int]:
    """The variables and those that references among them stand for."""
    held = [context.env.get(key) for key in changed]
    return changed.union([each.key for each in held if isinstance(each, Lvalue) and each.key])


def inlined_loop(context: LoweringContext, loop: Loop, elsewhere: str) -> Loop:
    """A loop of another file, placed at the call that it is inlined for."""
    context.assume(f"the loop over {loop.index} is in {elsewhere}")
    return replace(loop, form="inlined")


def _lower_parts(
    context: LoweringContext, loop: OpenLoop
) -> tuple[Relation | None, tuple[str, ...], tuple[Node, ...]]:
    """The loop's condition as a relation, where it can be counted; the scalars that it reads; the
    loop's body."""
    parts = loop.parts
    relation: Relation | None = None
    read: tuple[str, ...] = ()
    body: tuple[Node, ...] = ()
    if parts.form == "do":
        body = block(context, [parts.body])
    if parts.condition is not None:
        with context.memory.noting_scalars() as noted:
            relation, tested = loop_condition(context, parts.condition, loop)
        read = tuple(noted)
        body = (*body, *tested)
    if parts.form != "do":
        body = (*body, *block(context, [parts.body]))
    for env in loop.scope.continues:
        context.switch_environment(merge_environments(context, context.env, env))
    if parts.step is not None and not steps_integer(context, parts.step):
        body = (*body, *block(context, [parts.step]))
    return relation, read, body


def _close(
    context: LoweringContext, lowered: LoweredLoop, hints: tuple[str, ...], origin: int
) -> tuple[Loop, str]:
    """The loop with every mover's symbol replaced by its value per iteration; its counter's name.

    The name is empty where no variable counts.
    """
    loop = _counted(context, lowered, hints, origin)
    if loop is not None:
        return loop, lowered.movers[lowered.control].name
    parts, movers, control, relation, read, pointers, wrapping, body, scope = lowered
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
    iteration = IterationValues()
    context.symbols.enter((index,))
    for key, mover in movers.items():
        if natural and key == control:
            continue
        if key in linear:
            counter = linear[control] if natural else None
            iteration.values[mover.symbol] = at_iteration(linear[key], counter, index, lower)
            iteration.extra += [Induction(mover.name)] * (key not in (control, *scope.counters))
        elif key in rotated:
            iteration.extra.append(Induction(mover.name, known=False))
            iteration.values[mover.symbol] = ZERO
            context.assume(f"{mover.name} points to memory of its own in each iteration of {index}")
        else:
            _irregular(context, lowered, key, iteration, index, origin)
    context.symbols.leave((index,))
    extra = [*iteration.extra, *(Induction(n, known=False) for n in scope.unsaid.values())]
    used = {
        symbol: poly for symbol, poly in iteration.values.items() if poly != Poly.symbol(symbol)
    }
    counted = movers[control].name if control in linear else ""
    definitions = _definitions(lowered, counted)
    if used:
        body = substitute_symbols(body, used, iteration.stated)
        definitions = definitions_at(definitions, used)
        lower, upper = lower.substitute(used), upper.substitute(used)
    loop = Loop(
        index=index,
        lower=lower,
        upper=upper,
        step=step,
        body=body,
        form=parts.form,
        pragmas=hints,
        exits=tuple(scope.exits),
        extra_inductions=tuple(extra),
        definitions=definitions,
        condition_reads=read,
        pointers=pointers,
        wrapping=wrapping,
        header=source_header(context, parts, control, natural),
        origin=origin,
    )
    _leave(context, lowered, linear, loop, natural, iteration.begun)
    return loop, counted


def _irregular(
    context: LoweringContext,
    lowered: LoweredLoop,
    key: int,
    iteration: IterationValues,
    index: str,
    origin: int,
) -> None:
    """A mover of no constant step: unknown in each iteration but for what statements say."""
    mover = lowered.movers[key]
    if is_stated(context, key):
        iteration.stated[Poly.symbol(mover.symbol)] = mover.name
        iteration.begun[key] = state_start(context, mover, lowered.body, origin)
    elif key not in lowered.scope.counters:
        iteration.extra.append(extra_induction(context, key, mover))
    reason = Reason("changes-irregularly", (mover.name,))
    unknown = context.symbols.variable(mover.name, reason, (index,))
    after = context.env.get(key)
    end = after.offset if isinstance(after, Pointer) else after
    if isinstance(end, Poly):
        pace = context.symbols.pace(mover.symbol, end)
        unknown = context.symbols.bounded(unknown, pace=pace)
    iteration.values[mover.symbol] = unknown
    context.symbols.note_scalar(unknown, mover.name, key, mover.type)


def _counted(
    context: LoweringContext, lowered: LoweredLoop, hints: tuple[str, ...], origin: int
) -> Loop | None:
    """The loop that moves nothing but its counter, by one, to a bound that is known before.

    Nine loops of ten are that; None for the others, which go the long way to the same end.
    """
    parts, movers, control, relation, read, pointers, wrapping, body, scope = lowered
    if relation is None or list(movers) != [control] or parts.form == "do":
        return None
    if scope.unsaid or context.symbols.set_by_call:
        return None
    symbol, before, name, *_ = movers[control]
    step = _unit_step(symbol, context.env.get(control))
    bound = _exclusive_bound(symbol, step, relation)
    if bound is None or not isinstance(before, Poly) or before.unknowns():
        return None
    exits = tuple(scope.exits)
    early = not UNDISTURBING.issuperset(exits)
    context.bind(control, _behind(context, name) if early else bound)
    return Loop(
        index=symbol,
        lower=before,
        upper=bound,
        step=Poly.constant(step),
        body=body,
        form=parts.form,
        pragmas=hints,
        exits=exits,
        definitions=_definitions(lowered, name),
        condition_reads=read,
        pointers=pointers,
        wrapping=wrapping,
        header=source_header(context, parts, control, keeps_index=True),
        origin=origin,
    )


def _definitions(lowered: LoweredLoop, counter: str) -> tuple[Definition, ...]:
    """The integer assignments of the body without those to the variable that the header counts."""
    made = lowered.scope.definitions.made
    return tuple([each for each in made if each.variable != counter])


_UP, _DOWN = ("<", "<=", "!="), (">", ">=", "!=")


def _unit_step(symbol: str, after: Binding | None) -> int:
    """1 or -1 where a variable has moved by that in an iteration, otherwise 0."""
    if not isinstance(after, Poly) or len(after.terms) != 2 or after.terms.get((symbol,)) != 1:
        return 0
    step = after.terms.get((), 0)
    return step if step in (1, -1) else 0


def _exclusive_bound(symbol: str, step: int, relation: Relation) -> Poly | None:
    """Where ``symbol`` ends if the relation compares it with a bound that is known before."""
    name, left, bound = relation
    if left.terms != {(symbol,): 1} or symbol in bound.names() or bound.unknowns():
        return None
    if not step or name not in (_UP if step == 1 else _DOWN):
        return None
    return bound + step if name in ("<=", ">=") else bound


def _leave(
    context: LoweringContext,
    lowered: LoweredLoop,
    linear: dict[int, LinearMover],
    loop: Loop,
    natural: bool,
    begun: dict[int, bool],
) -> None:
    """Sets the loop's variables to their values after it.

    ``begun``: those that statements give a value, and whether they say what it begins with.
    """
    early = not {*UNDISTURBING, UNCOUNTED}.issuperset(loop.exits)
    for key, name in lowered.scope.unsaid.items():
        last = context.env.get(key)
        if last is not None:
            _bind_moved(context, key, last, _behind(context, name))
    for key, mover in lowered.movers.items():
        if key not in linear or early:
            after = _behind(context, mover.name)
            if key in begun:
                context.symbols.note_scalar(after, mover.name, key, mover.type)
                if begun[key]:
                    context.symbols.state(key, after)
        elif natural and key == lowered.control and loop.step.value in (1, -1):
            after = loop.upper
        else:
            after = linear[key].before + linear[key].step * loop.trip_count
        _bind_moved(context, key, mover.before, after)


def _behind(context: LoweringContext, name: str) -> Poly:
    return context.symbols.variable(name, Reason("behind-loop", (name,)))


def _bind_moved(context: LoweringContext, key: int, before: Binding | None, after: Poly) -> None:
    """The variable holds ``after``, which of a pointer is the offset."""
    if isinstance(before, Pointer):
        context.bind(key, before._replace(offset=after, subscripts=None))
    else:
        context.bind(key, after)

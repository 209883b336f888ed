"""Loops that no keyword announces: range-for, standard algorithms, ``parallel_for`` and its kin."""

from typing import NamedTuple

from rooflint.frontend.lower.assignments import assign
from rooflint.frontend.lower.objects import containers, places
from rooflint.frontend.lower.openmp import loop_hints
from rooflint.frontend.lower.state.context import (
    Context,
    LoopScope,
    Operand,
    Place,
    Pointer,
)
from rooflint.frontend.lower.state.dispatch import brief, executes, operand
from rooflint.frontend.lower.state.numbers import as_poly, binary, converted, materialise, moved
from rooflint.frontend.lower.state.statement_builder import Pending
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.lower.statements import block
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import Tree
from rooflint.ir import (
    ONE,
    ZERO,
    Assignment,
    CarriedRead,
    Loop,
    Node,
    Poly,
    Reason,
    Region,
    ScalarRead,
)
from rooflint.ir.nodes import LoopForm

_PARALLEL = frozenset(("parallel_for", "parallel_reduce", "parallel_scan", "forall"))
_OVER_RANGES = frozenset(
    ("for_each", "for_each_n", "transform", "accumulate", "reduce", "inner_product", "fill",
     "fill_n", "copy", "copy_n", "transform_reduce", "iota", "generate")
)  # fmt: skip


class Frame(NamedTuple):
    """A loop being made: its index, and what to restore behind it."""

    counter: str
    outer_nodes: list[Node]
    pending: Pending
    scope: LoopScope
    origin: int


def _open(context: Context, name: str, changed: frozenset[int], cursor: Tree) -> Frame:
    index = context.fresh(name)
    frame = Frame(
        index,
        context.nodes,
        context.begin_statement(),
        LoopScope(changed, context.loop),
        context.origin(cursor[1]),
    )
    context.nodes = []
    context.loop = frame.scope
    context.active.append(index)
    _blur(context, changed)
    return frame


def _blur(context: Context, changed: frozenset[int]) -> None:
    """Integers that the body changes have no closed form in it."""
    for key in sorted(changed, key=context.rank):
        if isinstance(context.env.get(key), Poly):
            name = context.name_of(key)
            poly = context.unknown(name, Reason("changes-in-loop", (name,)))
            context.env[key] = poly
            context.note_scalar(poly, name, key)


def _finish(
    context: Context,
    frame: Frame,
    lower: Poly,
    upper: Poly,
    form: LoopForm,
    hints: tuple[str, ...] = (),
) -> None:
    body = tuple(context.nodes)
    context.active.pop()
    context.loop = frame.scope.outer
    context.nodes = frame.outer_nodes
    context.resume_statement(frame.pending)
    exits = tuple(frame.scope.exits)
    loop = Loop(frame.counter, lower, upper, ONE, body, form, hints, exits, origin=frame.origin)
    context.nodes.append(loop)
    _blur(context, frame.scope.modified)
    if context.loop is not None:
        context.loop.defined |= frame.scope.modified


@executes(kinds.RANGE_FOR)
def _range_for(context: Context, tree: Tree) -> None:
    elsewhere = context.see_loop(tree[1])
    # a structured binding (auto& [key, value]) is no variable: its elements stay opaque
    variable = next((child for child in tree[2] if child[0] == kinds.VARIABLE), None)
    ranges = [c for c in tree[2][:-1] if kinds.UNEXPOSED <= c[0] < kinds.UNEXPOSED_STMT]
    first: Pointer | None = None
    trips = context.unknown(f"size({brief(context, tree)})", Reason("range-length"))
    if ranges:
        first, trips = _range(context, ranges[-1])
    context.discard()
    hints = loop_hints(context, tree)
    decl = context.unit.declared(variable[1]) if variable is not None else None
    name = decl.name if decl is not None else ""
    frame = _open(context, name or "range", context.unit.modified(tree), tree)
    if first is not None and variable is not None:
        place = places.pointee(context, moved(first, Poly.symbol(frame.counter)))
        _bind(context, variable, place)
        context.finish_statement(variable[1])
    context.nodes.extend(block(context, tree[2][-1:]))
    _finish(context, frame, ZERO, trips, "inlined" if elsewhere else "range-for", hints)
    if elsewhere:
        context.assume(f"the loop over {frame.counter} stands in {elsewhere}")


def _range(context: Context, tree: Tree) -> tuple[Pointer | None, Poly]:
    found = containers.contents(context, tree)
    size = containers.length(context, tree)
    if found is not None and size is not None:
        return found, size
    base = operand(context, tree)
    if isinstance(base, Pointer):
        extents = context.arrays[base.array].extents
        depth = len(base.subscripts or ())
        if depth < len(extents) and (extent := extents[max(0, depth - 1)]) is not None:
            return base, extent
    text = "".join(brief(context, tree).split())
    context.assume(f"elements of {text} are not modelled as memory")
    return None, context.unknown(f"size({text})", Reason("range-length"))


def _bind(context: Context, parameter: Tree, place: Place) -> None:
    """A loop variable or lambda parameter that stands for an element."""
    decl = context.unit.declared(parameter[1])
    if (
        decl.ctype.reference
        or decl.ctype.shape in ("record", "other")
        or place.ctype.shape == "array"
    ):
        context.env[decl.key] = place
        return
    target = Place(decl.ctype, name=context.name(decl), key=decl.key)
    assign(context, target, places.load(context, place))


def lower(context: Context, name: str, arguments: list[Tree]) -> Operand | None:
    """A call that is a loop; None for any other."""
    if name in _PARALLEL:
        return _parallel(context, name, arguments)
    if name in _OVER_RANGES:
        return _over_range(context, name, arguments)
    return None


def _lambda(arguments: list[Tree]) -> Tree | None:
    return next((a for a in arguments if a[0] == kinds.LAMBDA), None)


def _lambda_of(context: Context, arguments: list[Tree]) -> Tree | None:
    """A lambda among the arguments, written there or named by a variable."""
    found = _lambda(arguments)
    if found is not None:
        return found
    for given in arguments:
        argument = given
        while argument[0] == kinds.CALL and len(argument[2]) == 1:
            argument = argument[2][0]  # handed over by value: a copy
        if argument[0] == kinds.DECL_REF:
            decl = context.unit.referenced(argument[1])
            if decl.kind == kinds.VARIABLE and decl.ctype.shape in ("record", "other"):
                tree = context.unit.tree(decl.cursor)
                found = _deep_lambda(tree)
                if found is not None:
                    return found
        elif argument[0] == kinds.CALL:
            found = _deep_lambda(argument)
            if found is not None:
                return found
    return None


def _deep_lambda(tree: Tree) -> Tree | None:
    for child in tree[2]:
        if child[0] == kinds.LAMBDA:
            return child
        found = _deep_lambda(child)
        if found is not None:
            return found
    return None


def _parallel(context: Context, name: str, arguments: list[Tree]) -> Operand | None:
    body = _lambda_of(context, arguments)
    if body is None:
        return None
    parameters = [child for child in body[2] if child[0] == kinds.PARAMETER]
    bounds = _bounds(context, arguments)
    context.discard()
    if bounds is None or not parameters:
        return None
    decl = context.unit.declared(parameters[0][1])
    frame = _open(context, decl.name or name, context.unit.modified(body), body)
    context.env[decl.key] = Poly.symbol(frame.counter)
    context.nodes.extend(block(context, body[2][-1:]))
    _finish(context, frame, *bounds, "lambda")
    loop = context.nodes.pop()
    context.nodes.append(Region("parallel for", (), (loop,), frame.origin))
    return ZERO


def _bounds(context: Context, arguments: list[Tree]) -> tuple[Poly, Poly] | None:
    """``n`` or ``RangePolicy(begin, end)`` among the arguments, before the lambda."""
    for argument in arguments:
        if argument[0] in (kinds.LAMBDA, kinds.STRING):
            continue
        ctype = context.unit.types.of_cursor(argument[1])
        if ctype.is_integer:
            return ZERO, as_poly(context, operand(context, argument))
        inner = [
            child for child in _flat(argument) if context.unit.types.of_cursor(child[1]).is_integer
        ]
        if len(inner) >= 2:
            low, high = (as_poly(context, operand(context, child)) for child in inner[:2])
            return low, high
        if len(inner) == 1:
            return ZERO, as_poly(context, operand(context, inner[0]))
    return None


def _flat(tree: Tree) -> list[Tree]:
    """The operands of nested constructor calls."""
    found: list[Tree] = []
    for child in tree[2]:
        if child[0] in (kinds.CALL, kinds.INIT_LIST, kinds.FUNCTIONAL_CAST, kinds.COMPOUND_LITERAL):
            inner = _flat(child)
            found.extend(inner or [child])
        elif child[0] >= kinds.UNEXPOSED and child[0] != kinds.OVERLOADED_REF:
            found.append(child)
    return found


def _over_range(context: Context, name: str, arguments: list[Tree]) -> Operand | None:
    body = _lambda_of(context, arguments)
    plain = [a for a in arguments if a[0] != kinds.LAMBDA]
    operands = [operand(context, argument) for argument in plain]
    pointers = [found for found in operands if isinstance(found, Pointer)]
    context.discard()
    if not pointers or (pointers[0].target.shape == "record" and pointers[0].subscripts is None):
        return None
    first = pointers[0]
    counted = name.endswith("_n")
    if counted:
        count = next((o for o in operands if isinstance(o, Poly)), None)
        trips = count if count is not None else context.unknown("n", Reason("count"))
    elif len(pointers) < 2:
        return None
    else:
        trips = containers.pointer_distance(context, first, pointers[1])
    others = pointers[1:] if counted else pointers[2:]
    changed = context.unit.modified(body) if body is not None else frozenset()
    at = body or arguments[0]
    frame = _open(context, name, changed, at)
    here = [moved(p, Poly.symbol(frame.counter)) for p in (first, *others)]
    _iteration(context, name, body, here, at)
    _finish(context, frame, ZERO, trips, "algorithm")
    if name in ("accumulate", "reduce", "inner_product", "transform_reduce"):
        type_ = first.target.ir or "f64"
        return context.emit(ScalarRead(type=type_, name=f"{name}()"))
    return ZERO


def _iteration(
    context: Context, name: str, body: Tree | None, here: list[Pointer], at: Tree
) -> None:
    """One element's worth of the algorithm."""
    if name in ("for_each", "for_each_n", "generate"):
        if body is not None:
            _apply(context, body, here[:1])
    elif name == "transform":
        result = _apply(context, body, here[:-1]) if body is not None else None
        if result is not None and len(here) > 1:
            assign(context, places.pointee(context, here[-1]), result)
    elif name in ("copy", "copy_n"):
        if len(here) > 1:
            assign(context, places.pointee(context, here[1]), _read(context, here[0]))
    elif name in ("fill", "fill_n", "iota"):
        target = places.pointee(context, here[0])
        number = context.emit(ScalarRead(type=target.ctype.ir, name="value"))
        assign(context, target, number)
    else:
        _accumulate(context, name, body, here)
    context.finish_statement(at[1])


def _accumulate(context: Context, name: str, body: Tree | None, here: list[Pointer]) -> None:
    term = _read(context, here[0])
    if len(here) > 1:
        term = binary(context, "mul", term, _read(context, here[1]))
    ctype: CType = here[0].target
    number = materialise(context, term)
    if body is not None:
        parameters = [child for child in body[2] if child[0] == kinds.PARAMETER]
        if len(parameters) == 2:
            number = converted(context, number, ctype.ir or "f64")
    type_ = ctype.ir or "f64"
    carried = context.emit(CarriedRead(type=type_, name=f"{name}()"))
    total = context.emit_arithmetic("add", type_, carried, number)
    context.emit(Assignment(type=type_, args=(total,), name=f"{name}()"))


def _read(context: Context, pointer: Pointer) -> Operand:
    return places.load(context, places.pointee(context, pointer))


def _apply(context: Context, body: Tree, here: list[Pointer]) -> Operand | None:
    """Lowers a lambda's body with its parameters bound to elements; gives its returned value."""
    parameters = [child for child in body[2] if child[0] == kinds.PARAMETER]
    for parameter, pointer in zip(parameters, here, strict=False):
        _bind(context, parameter, places.pointee(context, pointer))
    statements = body[2][-1][2]
    if statements and statements[-1][0] == kinds.RETURN and statements[-1][2]:
        context.nodes.extend(block(context, statements[:-1]))
        return operand(context, statements[-1][2][0])
    context.nodes.extend(block(context, statements))
    return None

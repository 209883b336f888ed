"""Loops that no keyword announces: range-for, standard algorithms, ``parallel_for`` and its kin."""

from rooflint.frontend.lower.assignments import assign
from rooflint.frontend.lower.control.bodies import enter_body, keep_loop_graph
from rooflint.frontend.lower.objects import containers, places
from rooflint.frontend.lower.openmp import loop_hints
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import brief, executes, operand
from rooflint.frontend.lower.state.flow import LoopScope
from rooflint.frontend.lower.state.numbers import (
    as_poly,
    binary,
    convert_value,
    materialise,
    text_form,
)
from rooflint.frontend.lower.state.operands import Lvalue, Operand, Pointer, advance_pointer
from rooflint.frontend.lower.state.statement_builder import OpenStatement
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.lower.statements import block
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
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
from rooflint.records import NamedTuple

_PARALLEL = frozenset(("parallel_for", "parallel_reduce", "parallel_scan", "forall"))
_OVER_RANGES = frozenset(
    ("for_each", "for_each_n", "transform", "accumulate", "reduce", "inner_product", "fill",
     "fill_n", "copy", "copy_n", "transform_reduce", "iota", "generate")
)  # fmt: skip


class LoopFrame(NamedTuple):
    """A loop being made: its index, its scope, and what to restore behind it."""

    counter: str
    outer_nodes: list[Node]
    pending: OpenStatement
    scope: LoopScope
    origin: int


def _open(
    context: LoweringContext, name: str, changed: frozenset[int], tree: SyntaxTree
) -> LoopFrame:
    index = context.symbols.fresh(name)
    frame = LoopFrame(
        counter=index,
        outer_nodes=context.begin_block(),
        pending=context.begin_statement(),
        scope=context.flow.enter_loop(changed),
        origin=context.origins.origin(tree.cursor),
    )
    context.symbols.enter((index,))
    _blur(context, changed)
    return frame


def _blur(context: LoweringContext, changed: frozenset[int]) -> None:
    """Integers that the body changes have no closed form in it."""
    for key in sorted(changed, key=context.variables.rank):
        if isinstance(context.env.get(key), Poly):
            name = context.variables.name_of(key)
            poly = context.symbols.variable(name, Reason("changes-in-loop", (name,)))
            context.bind(key, poly)
            context.symbols.note_scalar(poly, name, key, "i32")


def _finish(
    context: LoweringContext,
    frame: LoopFrame,
    lower: Poly,
    upper: Poly,
    form: LoopForm,
    hints: tuple[str, ...] = (),
) -> None:
    context.symbols.leave((frame.counter,))
    context.flow.leave_loop()
    body = context.end_block(frame.outer_nodes)
    context.resume_statement(frame.pending)
    loop = Loop(
        index=frame.counter,
        lower=lower,
        upper=upper,
        step=ONE,
        body=body,
        form=form,
        pragmas=hints,
        exits=tuple(frame.scope.exits),
        definitions=tuple(frame.scope.definitions.made),
        origin=frame.origin,
    )
    context.append(loop)
    _blur(context, frame.scope.modified)
    context.flow.define(*frame.scope.modified)


@executes(kinds.RANGE_FOR)
def _range_for(context: LoweringContext, tree: SyntaxTree) -> None:
    elsewhere = context.origins.see_loop(tree.cursor)
    # a structured binding (auto& [key, value]) is no variable: its elements stay opaque
    variable = next((child for child in tree.children if child.kind == kinds.VARIABLE), None)
    ranges = [c for c in tree.children[:-1] if kinds.UNEXPOSED <= c.kind < kinds.UNEXPOSED_STMT]
    first: Pointer | None = None
    size = text_form(f"size({brief(context, tree)})")
    trips = context.symbols.unknown(size, Reason("range-length"))
    if ranges:
        with context.values_apart():
            first, trips = _range(context, ranges[-1])
    hints = loop_hints(context, tree)
    name = context.unit.declared(variable.cursor).name if variable is not None else ""
    frame = _open(context, name or "range", context.effects.modified(tree), tree)
    if first is not None and variable is not None:
        place = places.pointee(context, advance_pointer(first, Poly.symbol(frame.counter)))
        _bind(context, variable, place)
        context.finish_statement(variable.cursor)
    keep_loop_graph(context, enter_body(context, "loop", tree.children[-1:]), frame.counter)
    context.append(*block(context, tree.children[-1:]))
    _finish(context, frame, ZERO, trips, "inlined" if elsewhere else "range-for", hints)
    if elsewhere:
        context.assume(f"the loop over {frame.counter} is in {elsewhere}")


def _range(context: LoweringContext, tree: SyntaxTree) -> tuple[Pointer | None, Poly]:
    found = containers.contents(context, tree)
    size = containers.length(context, tree)
    if found is not None and size is not None:
        return found, size
    base = operand(context, tree)
    if isinstance(base, Pointer):
        extents = context.memory.arrays[base.array].extents
        depth = len(base.subscripts or ())
        if depth < len(extents) and (extent := extents[max(0, depth - 1)]) is not None:
            return base, extent
    text = "".join(brief(context, tree).split())
    context.assume(f"elements of {text} are not modelled as memory")
    return None, context.symbols.unknown(text_form(f"size({text})"), Reason("range-length"))


def _bind(context: LoweringContext, parameter: SyntaxTree, place: Lvalue) -> None:
    """A loop variable or lambda parameter that stands for an element."""
    decl = context.unit.declared(parameter.cursor)
    if (
        decl.ctype.reference
        or decl.ctype.shape in ("record", "other")
        or place.ctype.shape == "array"
    ):
        context.bind(decl.key, place)
        return
    context.flow.definitions.declare(decl.key)
    target = Lvalue(decl.ctype, name=context.variables.name(decl), key=decl.key)
    assign(context, target, places.load(context, place), parameter.cursor)


def lower(context: LoweringContext, name: str, arguments: list[SyntaxTree]) -> Operand | None:
    """A call that is a loop; None for any other."""
    if name in _PARALLEL:
        return _parallel(context, name, arguments)
    if name in _OVER_RANGES:
        return _over_range(context, name, arguments)
    return None


def _lambda_of(context: LoweringContext, arguments: list[SyntaxTree]) -> SyntaxTree | None:
    """A lambda among the arguments, written there or named by a variable."""
    written = next((a for a in arguments if a.kind == kinds.LAMBDA), None)
    named = (_named_lambda(context, a) for a in arguments)
    return written or next((found for found in named if found is not None), None)


def _named_lambda(context: LoweringContext, argument: SyntaxTree) -> SyntaxTree | None:
    """The lambda that an argument names by a variable, or makes a functor of."""
    while argument.kind == kinds.CALL and len(argument.children) == 1:
        argument = argument.children[0]  # handed over by value: a copy
    if argument.kind == kinds.CALL:
        return _deep_lambda(argument)
    if argument.kind != kinds.DECL_REF:
        return None
    decl = context.unit.referenced(argument.cursor)
    holds = decl.kind == kinds.VARIABLE and decl.ctype.shape in ("record", "other")
    return _deep_lambda(context.unit.tree(decl.cursor)) if holds else None


def _deep_lambda(tree: SyntaxTree) -> SyntaxTree | None:
    for child in tree.children:
        if child.kind == kinds.LAMBDA:
            return child
        found = _deep_lambda(child)
        if found is not None:
            return found
    return None


def _parallel(context: LoweringContext, name: str, arguments: list[SyntaxTree]) -> Operand | None:
    body = _lambda_of(context, arguments)
    if body is None:
        return None
    parameters = [child for child in body.children if child.kind == kinds.PARAMETER]
    with context.values_apart():
        bounds = _bounds(context, arguments)
    if bounds is None or not parameters:
        return None
    decl = context.unit.declared(parameters[0].cursor)
    frame = _open(context, decl.name or name, context.effects.modified(body), body)
    context.bind(decl.key, Poly.symbol(frame.counter))
    context.append(*block(context, body.children[-1:]))
    _finish(context, frame, *bounds, "lambda")
    [loop] = context.take_nodes(len(context.nodes) - 1)
    context.append(Region("parallel for", (), (loop,), frame.origin))
    return ZERO


def _bounds(context: LoweringContext, arguments: list[SyntaxTree]) -> tuple[Poly, Poly] | None:
    """``n`` or ``RangePolicy(begin, end)`` among the arguments, before the lambda."""
    for argument in arguments:
        if argument.kind in (kinds.LAMBDA, kinds.STRING):
            continue
        ctype = context.unit.types.of_cursor(argument.cursor)
        if ctype.is_integer:
            return ZERO, as_poly(context, operand(context, argument))
        inner = [
            child
            for child in _flat(argument)
            if context.unit.types.of_cursor(child.cursor).is_integer
        ]
        if len(inner) >= 2:
            low, high = (as_poly(context, operand(context, child)) for child in inner[:2])
            return low, high
        if len(inner) == 1:
            return ZERO, as_poly(context, operand(context, inner[0]))
    return None


def _flat(tree: SyntaxTree) -> list[SyntaxTree]:
    """The operands of nested constructor calls."""
    found: list[SyntaxTree] = []
    for child in tree.children:
        if child.kind in (
            kinds.CALL,
            kinds.INIT_LIST,
            kinds.FUNCTIONAL_CAST,
            kinds.COMPOUND_LITERAL,
        ):
            inner = _flat(child)
            found.extend(inner or [child])
        elif child.kind >= kinds.UNEXPOSED and child.kind != kinds.OVERLOADED_REF:
            found.append(child)
    return found


def _over_range(context: LoweringContext, name: str, arguments: list[SyntaxTree]) -> Operand | None:
    body = _lambda_of(context, arguments)
    with context.values_apart():
        operands = [operand(context, a) for a in arguments if a.kind != kinds.LAMBDA]
    pointers = [pointer for pointer in operands if isinstance(pointer, Pointer)]
    if not pointers or (pointers[0].target.shape == "record" and pointers[0].subscripts is None):
        return None
    first, *others = pointers
    if name.endswith("_n"):
        counts = [count for count in operands if isinstance(count, Poly)]
        trips = counts[0] if counts else context.symbols.variable("n", Reason("count"))
    elif others:
        trips = containers.pointer_distance(context, first, others.pop(0))
    else:
        return None
    changed = context.effects.modified(body) if body is not None else frozenset()
    at = body or arguments[0]
    frame = _open(context, name, changed, at)
    here = [advance_pointer(p, Poly.symbol(frame.counter)) for p in (first, *others)]
    _iteration(context, name, body, here, at)
    _finish(context, frame, ZERO, trips, "algorithm")
    if name in _REDUCTIONS:
        type_ = first.target.ir or "f64"
        return context.emit(ScalarRead(type=type_, name=f"{name}()"))
    return ZERO


_REDUCTIONS = ("accumulate", "reduce", "inner_product", "transform_reduce")


def _iteration(
    context: LoweringContext,
    name: str,
    body: SyntaxTree | None,
    here: list[Pointer],
    at: SyntaxTree,
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
    context.finish_statement(at.cursor)


def _accumulate(
    context: LoweringContext, name: str, body: SyntaxTree | None, here: list[Pointer]
) -> None:
    term = _read(context, here[0])
    if len(here) > 1:
        term = binary(context, "mul", term, _read(context, here[1]))
    ctype: CType = here[0].target
    number = materialise(context, term)
    if body is not None:
        parameters = [child for child in body.children if child.kind == kinds.PARAMETER]
        if len(parameters) == 2:
            number = convert_value(context, number, ctype.ir or "f64")
    type_ = ctype.ir or "f64"
    carried = context.emit(CarriedRead(type=type_, name=f"{name}()"))
    total = context.emit_arithmetic("add", type_, carried, number)
    context.emit(Assignment(type=type_, args=(total,), name=f"{name}()"))


def _read(context: LoweringContext, pointer: Pointer) -> Operand:
    return places.load(context, places.pointee(context, pointer))


def _apply(context: LoweringContext, body: SyntaxTree, here: list[Pointer]) -> Operand | None:
    """Lowers a lambda's body with its parameters bound to elements; gives its returned value."""
    parameters = [child for child in body.children if child.kind == kinds.PARAMETER]
    for parameter, pointer in zip(parameters, here, strict=False):
        _bind(context, parameter, places.pointee(context, pointer))
    statements = body.children[-1].children
    if statements and statements[-1].kind == kinds.RETURN and statements[-1].children:
        context.append(*block(context, statements[:-1]))
        return operand(context, statements[-1].children[0])
    context.append(*block(context, statements))
    return None

"""Small functions of the unit stand in place of their calls, with their arguments bound."""

from rooflint.frontend.lower.assignments import assign
from rooflint.frontend.lower.lvalues import scalar_pointed_to
from rooflint.frontend.lower.objects import places
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import operand, place
from rooflint.frontend.lower.state.numbers import as_poly
from rooflint.frontend.lower.state.operands import Lvalue, Operand, Pointer, Result
from rooflint.frontend.lower.state.shared import Decl, InlineBody
from rooflint.frontend.lower.statements import block, declare
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import MAX_BODY, SyntaxTree, has_loop, size_of
from rooflint.ir import Poly, Reason

MAX_DEPTH = 6
MAX_LOOPING_BODY = 120


def body_of(context: LoweringContext, decl: Decl) -> InlineBody | None:
    """The body of a function that is at hand and small and not being lowered; else None."""
    if (
        decl.kind not in (kinds.FUNCTION, kinds.METHOD)
        or len(context.inlining.callees) >= MAX_DEPTH
    ):
        return None
    if decl.key == context.function.key or any(
        decl.key == other.key for other in context.inlining.callees
    ):
        return None
    callees = context.unit.callees
    if decl.key in callees.bodies:
        body = callees.bodies[decl.key]
    else:
        body = callees.enter(decl.key, _body(context, decl))
    return body if body is not None and body.definition != context.function.key else None


def _body(context: LoweringContext, decl: Decl) -> InlineBody | None:
    tree = context.unit.tree(decl.cursor)
    if not tree.children or tree.children[-1].kind != kinds.COMPOUND:
        definition = context.unit.clang.getCursorDefinition(decl.cursor)
        if not definition.d0 or definition.kind not in (kinds.FUNCTION, kinds.METHOD):
            return None
        tree = context.unit.tree(definition)
        if not tree.children or tree.children[-1].kind != kinds.COMPOUND:
            return None
    if size_of(tree, MAX_BODY) >= MAX_BODY or _is_opaque(context, tree.children[-1]):
        return None
    parameters = [child for child in tree.children if child.kind == kinds.PARAMETER]
    statements = tree.children[-1].children
    simple = _returned_expression(statements)
    fits = simple is None and _fits(statements)
    return InlineBody(tree.cursor.d0, parameters, statements, simple, fits)


def _is_opaque(context: LoweringContext, body: SyntaxTree) -> bool:
    """Whether the body is the mark of our own headers for "effects unknown"."""
    calls = [child for child in body.children if child.kind == kinds.CALL]
    return len(body.children) == len(calls) == 1 and (
        context.unit.referenced(calls[0].cursor).name == "__rooflint_opaque"
    )


def inline(
    context: LoweringContext,
    call: SyntaxTree,
    decl: Decl,
    owner: SyntaxTree | None,
    arguments: list[SyntaxTree],
) -> Operand | None:
    """The call's value with the callee's body lowered in place; None when that is not done."""
    body = body_of(context, decl)
    if body is None:
        return None
    _, parameters, statements, simple, fits = body
    if simple is None and not (context.flow.loop is not None and fits):
        return None
    mark = context.variables.mark()
    if simple is None:
        pending = context.begin_statement()
    try:
        if not _bind(context, parameters, arguments):
            return None
        _enter(context, call, decl, owner)
        try:
            if simple is None:
                context.finish_statement(statements[0].cursor if statements else decl.cursor)
                context.inlining.await_result()
                context.append(*block(context, statements))
            else:
                for child in statements[:-1]:
                    for variable in child.children:
                        declare(context, variable)
                return operand(context, simple)
        finally:
            context.leave_call()
    finally:
        context.variables.release(mark)
        if simple is None:
            context.resume_statement(pending)
    return _result(context)


def _result(context: LoweringContext) -> Operand:
    result = context.inlining.take_result()
    if result is None:
        return Poly.constant(0)
    if isinstance(result, Result):
        return context.emit("scalar", result.type, name=result.name)
    return result


def _enter(
    context: LoweringContext, call: SyntaxTree, decl: Decl, owner: SyntaxTree | None
) -> None:
    this = context.inlining.this
    if owner is not None and decl.kind == kinds.METHOD and owner.kind != kinds.THIS:
        pointer = operand(context, owner)
        this = places.pointee(context, pointer) if isinstance(pointer, Pointer) else this
    context.enter_call(call.cursor, decl, this)


def inlined_place(
    context: LoweringContext,
    call: SyntaxTree,
    decl: Decl,
    owner: SyntaxTree | None,
    arguments: list[SyntaxTree],
) -> Lvalue | None:
    """The lvalue that an accessor of one ``return`` gives."""
    body = body_of(context, decl)
    mark = context.variables.mark()
    if (
        body is None
        or (simple := body.simple) is None
        or not _bind(context, body.parameters, arguments)
    ):
        return None
    _enter(context, call, decl, owner)
    try:
        for child in body.statements[:-1]:
            for variable in child.children:
                declare(context, variable)
        return place(context, simple)
    finally:
        context.leave_call()
        context.variables.release(mark)


def _returned_expression(statements: list[SyntaxTree]) -> SyntaxTree | None:
    """The expression of a body that is local variables and one ``return``."""
    if not statements or statements[-1].kind != kinds.RETURN or not statements[-1].children:
        return None
    if any(child.kind != kinds.DECL_STMT for child in statements[:-1]):
        return None
    return statements[-1].children[0]


def _fits(statements: list[SyntaxTree]) -> bool:
    """Whether a body may stand in place of its call: it returns at its end, if at all.

    One with loops must be short: its nests are reported where they are written anyway.
    """
    if any(child.kind == kinds.RETURN for child in statements[:-1]):
        return False
    stack = [child for s in statements for child in ([s] if s.kind != kinds.RETURN else [])]
    count, loops = 0, False
    while stack:
        tree = stack.pop()
        if tree.kind == kinds.RETURN:
            return False
        loops = loops or tree.kind in kinds.LOOPS
        count += 1
        if tree.kind != kinds.LAMBDA:
            stack.extend(tree.children)
    return not loops or count <= MAX_LOOPING_BODY


def forget(context: LoweringContext, argument: SyntaxTree) -> None:
    """A callee may change what ``&n`` hands it."""
    if (
        argument.kind == kinds.UNARY
        and argument.children
        and argument.children[0].kind == kinds.DECL_REF
    ):
        forget_variable(context, context.unit.referenced(argument.children[0].cursor))


def forget_variable(context: LoweringContext, decl: Decl) -> None:
    """A callee may have changed this variable."""
    if decl.ctype.is_integer and not isinstance(context.env.get(decl.key), Lvalue):
        name = context.variables.name(decl)
        found = context.symbols.unknown(name, Reason("set-by-call", (name,)))
        context.bind(decl.key, found)
        context.symbols.note_set_by_call(found)


def _scalar_behind(context: LoweringContext, argument: SyntaxTree) -> Lvalue | None:
    """The scalar that ``&x``, or a parameter that was given ``&x``, points to."""
    if argument.kind == kinds.UNARY and argument.children:
        if context.unit.clang.getCursorUnaryOperatorKind(argument.cursor) != kinds.ADDRESS:
            return None
        found = place(context, argument.children[0])
        scalar = found is not None and not found.array and found.ctype.shape == "scalar"
        return found if scalar and found is not None and found.key else None
    if argument.kind == kinds.DECL_REF:
        return scalar_pointed_to(context, argument)
    return None


def _bind(
    context: LoweringContext, parameters: list[SyntaxTree], arguments: list[SyntaxTree]
) -> bool:
    if len(arguments) < len(parameters):
        return False
    for parameter, argument in zip(parameters, arguments, strict=False):
        decl = context.unit.declared(parameter.cursor)
        if decl.ctype.reference or decl.ctype.shape == "record":
            found = place(context, argument)
            if found is not None and (found.array or found.key):
                context.bind(decl.key, found)
                continue
        if argument.kind == kinds.LAMBDA:
            if has_loop(argument):
                context.function.defer(argument)  # lowered where it is called, or else in the end
            continue
        if decl.ctype.shape == "pointer" and (scalar := _scalar_behind(context, argument)):
            context.bind(decl.key, scalar)
            continue
        result = operand(context, argument)
        if decl.ctype.is_integer:  # an address given to one is no place to walk from
            context.bind(decl.key, as_poly(context, result))
        elif isinstance(result, Pointer) and decl.ctype.shape != "pointer":
            context.bind(
                decl.key,
                (places.pointee(context, result) if decl.ctype.shape == "record" else result),
            )
        else:
            assign(
                context,
                Lvalue(decl.ctype, name=context.variables.claim(decl), key=decl.key),
                result,
            )
    return True

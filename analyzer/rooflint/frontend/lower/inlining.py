"""Small functions of the unit stand in place of their calls, with their arguments bound."""

from rooflint.frontend.lower.assignments import assign
from rooflint.frontend.lower.lvalues import scalar_pointed_to
from rooflint.frontend.lower.objects import places
from rooflint.frontend.lower.state.context import Context, Operand, Place, Pointer, Result
from rooflint.frontend.lower.state.dispatch import operand, place
from rooflint.frontend.lower.state.numbers import as_poly
from rooflint.frontend.lower.state.shared import Body, Decl
from rooflint.frontend.lower.statements import block, declare
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import MAX_BODY, Tree, has_loop, size_of
from rooflint.ir import Poly, Reason, ScalarRead

MAX_DEPTH = 6
MAX_LOOPING_BODY = 120


def body_of(context: Context, decl: Decl) -> Body | None:
    """The body of a function that is at hand and small and not being lowered; else None."""
    if decl.kind not in (kinds.FUNCTION, kinds.METHOD) or len(context.inlining) >= MAX_DEPTH:
        return None
    if decl.key == context.root or any(decl.key == other.key for other in context.inlining):
        return None
    bodies = context.unit.bodies
    if decl.key not in bodies:
        bodies[decl.key] = _body(context, decl)
    body = bodies[decl.key]
    return body if body is not None and body.definition != context.root else None


def _body(context: Context, decl: Decl) -> Body | None:
    tree = context.unit.tree(decl.cursor)
    if not tree[2] or tree[2][-1][0] != kinds.COMPOUND:
        definition = context.clang.getCursorDefinition(decl.cursor)
        if not definition.d0 or definition.kind not in (kinds.FUNCTION, kinds.METHOD):
            return None
        tree = context.unit.tree(definition)
        if not tree[2] or tree[2][-1][0] != kinds.COMPOUND:
            return None
    if size_of(tree, MAX_BODY) >= MAX_BODY or _is_opaque(context, tree[2][-1]):
        return None
    parameters = [child for child in tree[2] if child[0] == kinds.PARAMETER]
    statements = tree[2][-1][2]
    simple = _returned_expression(statements)
    fits = simple is None and _fits(statements)
    return Body(tree[1].d0, parameters, statements, simple, fits)


def _is_opaque(context: Context, body: Tree) -> bool:
    """Whether the body is the mark of our own headers for "effects unknown"."""
    calls = [child for child in body[2] if child[0] == kinds.CALL]
    return len(body[2]) == len(calls) == 1 and (
        context.unit.referenced(calls[0][1]).name == "__rooflint_opaque"
    )


def inline(
    context: Context, call: Tree, decl: Decl, owner: Tree | None, arguments: list[Tree]
) -> Operand | None:
    """The call's value with the callee's body lowered in place; None when that is not done."""
    body = body_of(context, decl)
    if body is None:
        return None
    _, parameters, statements, simple, fits = body
    if simple is None and not (context.loop is not None and fits):
        return None
    mark = len(context.scope)
    if simple is None:
        pending = context.begin_statement()
    try:
        if not _bind(context, parameters, arguments):
            return None
        this = _enter(context, call, decl, owner)
        try:
            if simple is None:
                context.finish_statement(statements[0][1] if statements else decl.cursor)
                context.results.append(None)
                context.nodes.extend(block(context, statements))
            else:
                for child in statements[:-1]:
                    for variable in child[2]:
                        declare(context, variable)
                return operand(context, simple)
        finally:
            context.inlining.pop()
            context.calls.pop()
            context.this = this
    finally:
        context.release(mark)
        if simple is None:
            context.resume_statement(pending)
    return _result(context)


def _result(context: Context) -> Operand:
    result = context.results.pop()
    while context.results and result is not None and context.results[-1] is None:
        context.results.pop()
        break
    if result is None:
        return Poly.constant(0)
    if isinstance(result, Result):
        return context.emit(ScalarRead(type=result.type, name=result.name))
    return result


def _enter(context: Context, call: Tree, decl: Decl, owner: Tree | None) -> Place | None:
    this = context.this
    if owner is not None and decl.kind == kinds.METHOD:
        found = operand(context, owner) if owner[0] != kinds.THIS else None
        context.this = places.pointee(context, found) if isinstance(found, Pointer) else this
    context.inlining.append(decl)
    context.enter_call(call[1])
    return this


def inlined_place(
    context: Context, call: Tree, decl: Decl, owner: Tree | None, arguments: list[Tree]
) -> Place | None:
    """The lvalue that an accessor of one ``return`` gives."""
    body = body_of(context, decl)
    mark = len(context.scope)
    if (
        body is None
        or (simple := body.simple) is None
        or not _bind(context, body.parameters, arguments)
    ):
        return None
    this = _enter(context, call, decl, owner)
    try:
        for child in body.statements[:-1]:
            for variable in child[2]:
                declare(context, variable)
        return place(context, simple)
    finally:
        context.inlining.pop()
        context.calls.pop()
        context.release(mark)
        context.this = this


def _returned_expression(statements: list[Tree]) -> Tree | None:
    """The expression of a body that is local variables and one ``return``."""
    if not statements or statements[-1][0] != kinds.RETURN or not statements[-1][2]:
        return None
    if any(child[0] != kinds.DECL_STMT for child in statements[:-1]):
        return None
    return statements[-1][2][0]


def _fits(statements: list[Tree]) -> bool:
    """Whether a body may stand in place of its call: it returns at its end, if at all.

    One with loops must be short: its nests are reported where they are written anyway.
    """
    if any(child[0] == kinds.RETURN for child in statements[:-1]):
        return False
    stack = [child for s in statements for child in ([s] if s[0] != kinds.RETURN else [])]
    count, loops = 0, False
    while stack:
        tree = stack.pop()
        if tree[0] == kinds.RETURN:
            return False
        loops = loops or tree[0] in kinds.LOOPS
        count += 1
        if tree[0] != kinds.LAMBDA:
            stack.extend(tree[2])
    return not loops or count <= MAX_LOOPING_BODY


def forget(context: Context, argument: Tree) -> None:
    """A callee may change what ``&n`` hands it."""
    if argument[0] == kinds.UNARY and argument[2] and argument[2][0][0] == kinds.DECL_REF:
        forget_variable(context, context.unit.referenced(argument[2][0][1]))


def forget_variable(context: Context, decl: Decl) -> None:
    """A callee may have changed this variable."""
    if decl.ctype.is_integer and not isinstance(context.env.get(decl.key), Place):
        name = context.name(decl)
        found = context.unknown(name, Reason("set-by-call", (name,)))
        context.env[decl.key] = found
        context.set_by_call |= found.names() - set(context.active)


def _scalar_behind(context: Context, argument: Tree) -> Place | None:
    """The scalar that ``&x``, or a parameter that was given ``&x``, points to."""
    if argument[0] == kinds.UNARY and argument[2]:
        if context.clang.getCursorUnaryOperatorKind(argument[1]) != kinds.ADDRESS:
            return None
        found = place(context, argument[2][0])
        scalar = found is not None and not found.array and found.ctype.shape == "scalar"
        return found if scalar and found is not None and found.key else None
    if argument[0] == kinds.DECL_REF:
        return scalar_pointed_to(context, argument)
    return None


def _bind(context: Context, parameters: list[Tree], arguments: list[Tree]) -> bool:
    if len(arguments) < len(parameters):
        return False
    for parameter, argument in zip(parameters, arguments, strict=False):
        decl = context.unit.declared(parameter[1])
        if decl.ctype.reference or decl.ctype.shape == "record":
            found = place(context, argument)
            if found is not None and (found.array or found.key):
                context.env[decl.key] = found
                continue
        if argument[0] == kinds.LAMBDA:
            if has_loop(argument):
                context.lambdas.append(argument)  # lowered where it is called, or else in the end
            continue
        if decl.ctype.shape == "pointer" and (scalar := _scalar_behind(context, argument)):
            context.env[decl.key] = scalar
            continue
        result = operand(context, argument)
        if decl.ctype.is_integer:  # an address given to one is no place to walk from
            context.env[decl.key] = as_poly(context, result)
        elif isinstance(result, Pointer) and decl.ctype.shape != "pointer":
            context.env[decl.key] = (
                places.pointee(context, result) if decl.ctype.shape == "record" else result
            )
        else:
            assign(context, Place(decl.ctype, name=context.claim(decl), key=decl.key), result)
    return True

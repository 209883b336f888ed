"""Small functions of the unit stand in place of their calls, with their arguments bound."""

from collections.abc import Callable
from typing import Final, TypeVar

from rooflint.frontend.lower.assignments import assign
from rooflint.frontend.lower.call_parts import CallParts
from rooflint.frontend.lower.control.bodies import enter_body
from rooflint.frontend.lower.control.returns import structured_returns
from rooflint.frontend.lower.declarations import declare
from rooflint.frontend.lower.literals import passed_operand
from rooflint.frontend.lower.lvalues import scalar_pointed_to
from rooflint.frontend.lower.objects import places
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import operand, place
from rooflint.frontend.lower.state.numbers import as_poly
from rooflint.frontend.lower.state.operands import Lvalue, Operand, Pointer, Result
from rooflint.frontend.lower.state.shared import Decl, InlineBody
from rooflint.frontend.lower.statements import block
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import MAX_BODY, SyntaxTree, child_cursors, size_of
from rooflint.ir import Poly, Reason, ScalarRead

MAX_DEPTH: Final = 6
"""Calls that stand in place of each other: what calls itself by a detour ends here."""
MAX_LOOPING_BODY: Final = 120
"""Cursors of a body with loops: longer ones are reported where they are written anyway."""

_WITH_BODIES: Final = frozenset((kinds.FUNCTION, kinds.METHOD, kinds.FUNCTION_TEMPLATE))
"""Of a template the pattern, which only a template that nothing instantiates calls."""

Lowered = TypeVar("Lowered")


def body_of(context: LoweringContext, decl: Decl) -> InlineBody | None:
    """The body of a function that is at hand and small and not being lowered; else None."""
    if decl.kind not in _WITH_BODIES or len(context.inlining.callees) >= MAX_DEPTH:
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
    tree = _definition(context, decl)
    if tree is None or size_of(tree, MAX_BODY) >= MAX_BODY:
        return None
    compound = tree.children[-1]
    if _is_opaque(context, compound) or _stays_call(context, tree):
        return None
    simple = _returned_expression(compound.children)
    body = InlineBody(
        definition=tree.cursor.d0,
        parameters=[child for child in tree.children if child.kind == kinds.PARAMETER],
        statements=compound.children,
        simple=simple,
        fits=simple is None and _fits(compound.children),
    )
    return body if simple is not None or body.fits else _with_several(context, tree, body)


def _with_several(context: LoweringContext, function: SyntaxTree, body: InlineBody) -> InlineBody:
    """A body that may return in several places."""
    common = _result_type(context, function)
    structured = None if common is None else structured_returns(body.statements)
    if structured is None:
        return body
    return body._replace(statements=structured, fits=True, several=common)


def _result_type(context: LoweringContext, function: SyntaxTree) -> str | None:
    """The type of the number that a function returns, ``void`` for none; None for any other."""
    handle = context.unit.clang.getCursorResultType(function.cursor)
    if handle.kind == kinds.T_VOID:
        return "void"
    result = context.unit.types.of(handle)
    return result.ir if result.is_integer or result.is_float else None


def _definition(context: LoweringContext, decl: Decl) -> SyntaxTree | None:
    """The tree of a function's definition; None where only a declaration is at hand."""
    tree = context.unit.tree(decl.cursor)
    if _has_body(tree):
        return tree
    definition = context.unit.clang.getCursorDefinition(decl.cursor)
    if not definition.d0 or definition.kind not in _WITH_BODIES:
        return None
    tree = context.unit.tree(definition)
    return tree if _has_body(tree) else None


def _has_body(tree: SyntaxTree) -> bool:
    return bool(tree.children) and tree.children[-1].kind == kinds.COMPOUND


def _is_opaque(context: LoweringContext, body: SyntaxTree) -> bool:
    """Whether the body is the mark of our own headers for "effects unknown"."""
    calls = [child for child in body.children if child.kind == kinds.CALL]
    return len(body.children) == len(calls) == 1 and (
        context.unit.referenced(calls[0].cursor).name == "__rooflint_opaque"
    )


def _stays_call(context: LoweringContext, tree: SyntaxTree) -> bool:
    """Whether the function is declared ``noinline``; libclang tells of that in text alone."""
    clang = context.unit.clang
    below = child_cursors(clang, tree.cursor)
    if all(each.kind != kinds.UNEXPOSED_ATTRIBUTE for each in below):
        return False
    head, _, _ = clang.text(clang.getCursorPrettyPrinted(tree.cursor, None)).partition("{")
    return "noinline" in head


def inline(context: LoweringContext, call: CallParts) -> Operand | None:
    """The call's value with the callee's body lowered in place; None when that is not done."""
    body = body_of(context, call.callee)
    if body is None:
        return None
    if body.simple is not None:
        return _lower_simple(context, call, body, operand)
    if context.flow.loop is None or not body.fits:
        return None
    mark = context.variables.mark()
    pending = context.begin_statement()
    try:
        if not _bind(context, body.parameters, call.arguments):
            return None
        _enter(context, call)
        try:
            first = body.statements[0].cursor if body.statements else call.callee.cursor
            context.finish_statement(first)
            context.inlining.await_result(body.several)
            if body.several is None:
                enter_body(context, "function", body.statements)
            context.append(*block(context, body.statements))
        finally:
            context.leave_call()
    finally:
        context.variables.release(mark)
        context.resume_statement(pending)
    return _result(context)


def inlined_place(context: LoweringContext, call: CallParts) -> Lvalue | None:
    """The lvalue that an accessor of one ``return`` gives."""
    body = body_of(context, call.callee)
    if body is None or body.simple is None:
        return None
    return _lower_simple(context, call, body, place)


def _lower_simple(
    context: LoweringContext,
    call: CallParts,
    body: InlineBody,
    lower: Callable[[LoweringContext, SyntaxTree], Lowered],
) -> Lowered | None:
    """The expression that a body of local variables returns, lowered by ``lower``."""
    mark = context.variables.mark()
    try:
        if body.simple is None or not _bind(context, body.parameters, call.arguments):
            return None
        _enter(context, call)
        try:
            for statement in body.statements[:-1]:
                for variable in statement.children:
                    declare(context, variable)
            return lower(context, body.simple)
        finally:
            context.leave_call()
    finally:
        context.variables.release(mark)


def _result(context: LoweringContext) -> Operand:
    result = context.inlining.take_result()
    if result is None:
        return Poly.constant(0)
    if isinstance(result, Result):
        return context.emit(ScalarRead(type=result.type, name=result.name))
    return result


def _enter(context: LoweringContext, call: CallParts) -> None:
    this, owner = context.inlining.this, call.owner
    if owner is not None and call.callee.kind == kinds.METHOD and owner.kind != kinds.THIS:
        pointer = operand(context, owner)
        this = places.pointee(context, pointer) if isinstance(pointer, Pointer) else this
    context.enter_call(call.tree.cursor, call.callee, this)


def _returned_expression(statements: list[SyntaxTree]) -> SyntaxTree | None:
    """The expression of a body that is local variables and one ``return``."""
    if not statements or statements[-1].kind != kinds.RETURN or not statements[-1].children:
        return None
    if any(child.kind != kinds.DECL_STMT for child in statements[:-1]):
        return None
    return statements[-1].children[0]


def _fits(statements: list[SyntaxTree]) -> bool:
    """Whether a body may stand in place of its call as it is: it returns at its end, if at all.

    One with loops must be short: its nests are reported where they are written anyway.
    """
    ends = statements[:-1] if statements and statements[-1].kind == kinds.RETURN else statements
    count, loops = 0, False
    stack = list(ends)
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
        decl = context.unit.referenced(argument.children[0].cursor)
        forget_variable(context, decl, argument.cursor)


def forget_variable(context: LoweringContext, decl: Decl, cursor: Cursor) -> None:
    """A callee, called at ``cursor``, may have changed this variable."""
    if decl.ctype.is_integer and not isinstance(context.env.get(decl.key), Lvalue):
        name = context.variables.name(decl)
        found = context.symbols.variable(name, Reason("set-by-call", (name,)))
        context.bind(decl.key, found)
        context.symbols.note_set_by_call(found)
        context.note_definition(name, decl.key, decl.ctype.ir, found, cursor)


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
        if not _bind_place(context, decl, argument):
            _bind_value(context, decl, argument)
    return True


def _bind_place(context: LoweringContext, decl: Decl, argument: SyntaxTree) -> bool:
    """Binds a parameter that stands for an object of the caller's, or for a lambda."""
    if decl.ctype.reference or decl.ctype.shape == "record":
        lvalue = place(context, argument)
        if lvalue is not None and (lvalue.array or lvalue.key):
            context.bind(decl.key, lvalue)
            return True
    if argument.kind == kinds.LAMBDA:
        context.function.defer_loops(argument)
        return True
    if decl.ctype.shape == "pointer" and (scalar := _scalar_behind(context, argument)):
        context.bind(decl.key, scalar)
        return True
    return False


def _bind_value(context: LoweringContext, decl: Decl, argument: SyntaxTree) -> None:
    result = passed_operand(context, argument)
    shape = decl.ctype.shape
    if decl.ctype.is_integer and not isinstance(result, int):
        # an address given to an integer is no place to walk from
        context.flow.definitions.declare(decl.key)
        context.bind(decl.key, as_poly(context, result))
    elif isinstance(result, Pointer) and shape != "pointer":
        context.bind(decl.key, places.pointee(context, result) if shape == "record" else result)
    else:
        name = context.variables.claim(decl)
        assign(context, Lvalue(decl.ctype, name=name, key=decl.key), result)

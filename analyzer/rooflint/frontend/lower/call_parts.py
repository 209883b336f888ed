"""Calls as their trees have them: callee, object and arguments."""

from typing import Final

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.shared import Decl
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.records import NamedTuple

_MAX_OVERLOADS: Final = 16
"""Functions of one name that are looked at: the mathematical ones have fewer."""


class CallParts(NamedTuple):
    """A call; ``owner`` is the object of a method call.

    ``member``: the name of a method that only an instance of a template would resolve.
    """

    tree: SyntaxTree
    callee: Decl
    owner: SyntaxTree | None
    arguments: list[SyntaxTree]
    member: str = ""

    @property
    def operands(self) -> list[SyntaxTree]:
        """The object of a method call, and the arguments."""
        return self.arguments if self.owner is None else [self.owner, *self.arguments]


def parts_of_call(context: LoweringContext, tree: SyntaxTree) -> CallParts:
    """The parts of a call; a constructor has neither a callee's name nor an object."""
    below = tree.children
    callee = context.unit.referenced(tree.cursor)
    if not below:
        return CallParts(tree=tree, callee=callee, owner=None, arguments=[])
    if not callee.key:
        return _dependent_call(context, tree, callee)
    owner: SyntaxTree | None = None
    arguments = below[1:]
    if _names(context, below[0], callee, kinds.MEMBER_REF):
        owner = next(iter(below[0].children), None)
    elif callee.name.startswith("operator") and callee.kind in (kinds.METHOD, kinds.FUNCTION):
        owner, arguments = _operands(context, below, callee)
    elif callee.kind == kinds.CONSTRUCTOR:
        arguments = below
    return CallParts(tree=tree, callee=callee, owner=owner, arguments=arguments)


def _operands(
    context: LoweringContext, parts: list[SyntaxTree], operator: Decl
) -> tuple[SyntaxTree | None, list[SyntaxTree]]:
    """The object that an operator is a method of, and its arguments."""
    arguments = [each for each in parts if not _names(context, each, operator, kinds.DECL_REF)]
    if operator.kind == kinds.METHOD and arguments:
        return arguments[0], arguments[1:]
    return None, arguments


def _dependent_call(context: LoweringContext, tree: SyntaxTree, unknown: Decl) -> CallParts:
    """A call whose callee libclang does not know, of a pointer or in a template."""
    named, *arguments = tree.children
    member = _dependent_member(context, named)
    return CallParts(
        tree=tree,
        callee=_dependent_callee(context, tree.children) or unknown,
        owner=named.children[0] if member else None,
        arguments=arguments,
        member=member,
    )


def _dependent_callee(context: LoweringContext, parts: list[SyntaxTree]) -> Decl | None:
    """The declaration that a call in a template names: the one function that takes as many
    arguments, or else all of that name together."""
    unit = context.unit
    if parts[0].kind != kinds.DECL_REF:
        return None
    named = unit.clang.getCursorReferenced(parts[0].cursor)
    if named.kind != kinds.OVERLOADED_REF:
        return None
    count = unit.clang.getNumOverloadedDecls(named)
    if count > _MAX_OVERLOADS:
        return unit.declared(named)
    declared = [unit.clang.getOverloadedDecl(named, number) for number in range(count)]
    fitting = [
        each
        for each in declared
        if each.kind in (kinds.FUNCTION, kinds.FUNCTION_TEMPLATE)
        and _parameters(unit.tree(each)) == len(parts) - 1
    ]
    return unit.declared(fitting[0] if len(fitting) == 1 else named)


def _dependent_member(context: LoweringContext, named: SyntaxTree) -> str:
    """The name of a member of an object whose type depends on a template: libclang has none."""
    if named.kind != kinds.MEMBER_REF or not named.children:
        return ""
    if context.unit.clang.spelling(named.cursor):
        return ""
    text = context.unit.source.text(named.cursor).rstrip()
    start = len(text)
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    return text[start:]


def _parameters(function: SyntaxTree) -> int:
    return sum(child.kind == kinds.PARAMETER for child in function.children)


def _names(context: LoweringContext, tree: SyntaxTree, callee: Decl, kind: int) -> bool:
    return tree.kind == kind and context.unit.referenced(tree.cursor).key == callee.key

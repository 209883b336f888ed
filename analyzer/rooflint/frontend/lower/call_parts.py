"""A call taken apart: who is called, on which object, with which arguments."""

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.shared import Decl
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.records import NamedTuple


class CallParts(NamedTuple):
    """A call; ``owner`` is the object of a method call."""

    tree: SyntaxTree
    callee: Decl
    owner: SyntaxTree | None
    arguments: list[SyntaxTree]

    @property
    def operands(self) -> list[SyntaxTree]:
        """The object of a method call, and the arguments."""
        return self.arguments if self.owner is None else [self.owner, *self.arguments]


def parts_of_call(context: LoweringContext, tree: SyntaxTree) -> CallParts:
    """The parts of a call; a constructor has neither a callee's name nor an object."""
    below = tree.children
    callee = context.unit.referenced(tree.cursor)
    owner: SyntaxTree | None = None
    arguments = below[1:]
    if below and _names(context, below[0], callee, kinds.MEMBER_REF):
        owner = next(iter(below[0].children), None)
    elif callee.name.startswith("operator") and callee.kind in (kinds.METHOD, kinds.FUNCTION):
        arguments = [c for c in below if not _names(context, c, callee, kinds.DECL_REF)]
        if callee.kind == kinds.METHOD and arguments:
            owner, *arguments = arguments
    elif callee.kind == kinds.CONSTRUCTOR:
        arguments = below
    return CallParts(tree=tree, callee=callee, owner=owner, arguments=arguments)


def _names(context: LoweringContext, tree: SyntaxTree, callee: Decl, kind: int) -> bool:
    return tree.kind == kind and context.unit.referenced(tree.cursor).key == callee.key

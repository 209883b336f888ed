"""Rounding as compilers expand it where no call is needed."""

from collections.abc import Callable
from typing import Final, TypeAlias

from rooflint.core.compiler import Compiler
from rooflint.core.graph.values import GraphNode
from rooflint.library.mathematics import HALF_AWAY, TO_INTEGER

Append: TypeAlias = Callable[[GraphNode], int]
_SIGN_OF_HALF: Final = ("abs", "neg")
"""Two operations on bits: the largest number below a half gets the sign of what is rounded."""


def is_expanded(base: str, compiler: Compiler) -> bool:
    """Whether the function ``base`` becomes instructions on x86 with SSE4.1: without traps, and to
    integers without errno."""
    if base in TO_INTEGER and compiler.math_errno:
        return False
    if base in HALF_AWAY:
        return compiler.expands_round
    return base in TO_INTEGER and compiler.level > 0


def expand(node: GraphNode, base: str, kind: str, append: Append) -> int:
    """The instructions of a call that ``is_expanded``; ``kind`` is the type of what is rounded.

    ``round(x)`` is ``trunc(x + copysign(0.5-, x))`` (gcc, ix86_expand_round), and an integer is
    converted from that, or as the rounding mode says.
    """
    value = node.args[0]
    if base in HALF_AWAY:
        half = value
        for operation in _SIGN_OF_HALF:
            half = append(_like(node, operation, kind, (half,)))
        total = append(_like(node, "add", kind, (value, half)))
        value = append(_like(node, "call", kind, (total,))._replace(callee="trunc"))
    if base not in TO_INTEGER:
        return value
    return append(_like(node, "convert", node.type, (value,))._replace(callee=base))


def _like(node: GraphNode, operation: str, kind: str, args: tuple[int, ...]) -> GraphNode:
    return GraphNode(operation, kind, args, statement=node.statement, invariant=node.invariant)

"""Arithmetic as compilers fold it to cheaper forms.

They raise to small constant powers by products, divide once where flags let them reorder, compute
in float what is turned back to float with the same result, and call a function before the loop
where its arguments stay the same.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Final

from rooflint.core.compiler import Compiler
from rooflint.core.graph.rounding import expand, is_expanded
from rooflint.core.graph.values import Graph, GraphNode, live_graph
from rooflint.ir.mathematics import evaluate
from rooflint.library.mathematics import CALL_CYCLES, ROUNDING, function_base
from rooflint.records import NamedTuple

MAX_POWER: Final = 16
FLOAT_ARITHMETIC: Final = frozenset(("add", "sub", "mul", "div"))
"""Of two floats, the double result rounded to float is the float result (Figueroa, When is double
rounding innocuous?, 1995)."""
EXACT: Final = frozenset(("sqrt", "abs"))
"""Operations that give a float's own result when the double one is rounded."""


class FoldingTarget(NamedTuple):
    """Instructions that decide what becomes of a call.

    fma     fused multiply-add; without it an explicit one is a call
    sse4    x86 with SSE4.1, whose ``roundps`` has all modes but that of ``round``
    """

    fma: bool
    sse4: bool


def fold(graph: Graph, compiler: Compiler, target: FoldingTarget, unknown: Container[str]) -> Graph:
    """``graph`` as the compiler's own folding leaves it; the same object where nothing changes.

    ``unknown`` are called functions that may have effects.
    """
    if compiler.level < 1:
        return graph
    folding = _Folding(graph, compiler, target, unknown)
    return folding.graph() if any(map(folding.concerns, graph.live)) else graph


class _Folding:
    """The graph anew, node by node; what is folded finds its replacement in ``numbers``."""

    def __init__(
        self, graph: Graph, compiler: Compiler, target: FoldingTarget, unknown: Container[str]
    ) -> None:
        self.old, self.compiler, self.unknown = graph, compiler, unknown
        self.fma, self.sse4 = target
        self.nodes: list[GraphNode] = []
        self.numbers: list[int] = []
        self.superseded: set[int] = set()
        self.handlers: dict[str, Callable[[GraphNode], int | None]] = {
            "call": self.call,
            "div": self.quotient,
            "convert": self.narrow_conversion,
            "compare": self.narrow_comparison,
            "fma": self.explicit_fma,
        }

    def concerns(self, number: int) -> bool:
        node = self.old.nodes[number]
        if node.op == "div":
            return self.compiler.reassociate and node.type[:1] == "f"
        if node.op == "convert":
            return node.type == "f32"
        if node.op == "compare":
            return any(self.old.nodes[a].type == "f64" for a in node.args)
        return node.op == "call" or (node.op == "fma" and not self.fma)

    def graph(self) -> Graph:
        for node in self.old.nodes:
            new = node._replace(args=tuple([self.numbers[a] for a in node.args]))
            handler = self.handlers.get(node.op)
            folded = handler(new) if handler is not None else None
            self.numbers.append(self.add(new) if folded is None else folded)
        numbers = self.numbers
        carried = {name: numbers[number] for name, number in self.old.carried.items()}
        finals = {name: numbers[number] for name, number in self.old.finals.items()}
        return live_graph(self.nodes, self.roots(), carried, finals, self.old.kept)

    def roots(self) -> list[int]:
        """The values still computed in every iteration, by their new numbers."""
        roots = [self.numbers[root] for root in self.old.roots if not self.is_replaced(root)]
        return [r for r in roots if not self.nodes[r].invariant or self.nodes[r].op == "store"]

    def is_replaced(self, number: int) -> bool:
        new = self.numbers[number]
        called = self.old.nodes[number].op == "call"
        return called and (self.nodes[new].op != "call" or new in self.superseded)

    def add(self, node: GraphNode) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def add_value(self, op: str, like: GraphNode, *args: int) -> int:
        """A value of the type and place of ``like``."""
        node = GraphNode(op, like.type, args, statement=like.statement)
        return self.add(node._replace(invariant=self.all_invariant(args)))

    def call(self, node: GraphNode) -> int | None:
        base = function_base(node.callee)
        if evaluates_call(self.compiler, base, [self.nodes[a].number for a in node.args]):
            return self.add(node._replace(op="const", args=(), callee="", invariant=True))
        instructions = self.instructions(node, base)
        if instructions is not None:
            return instructions
        free = base not in CALL_CYCLES or not self.compiler.math_errno
        if free and node.callee not in self.unknown and self.all_invariant(node.args):
            return self.add(node._replace(invariant=True))
        return None

    def instructions(self, node: GraphNode, base: str) -> int | None:
        """The instructions that replace a call; None where it stays."""
        if base == "pow" and len(node.args) == 2:
            return self.power(node)
        if self.sse4 and is_expanded(base, self.compiler):
            return expand(node, base, self.nodes[node.args[0]].type, self.add)
        return None

    def all_invariant(self, args: Iterable[int]) -> bool:
        return all(self.nodes[a].invariant for a in args)

    def power(self, node: GraphNode) -> int | None:
        """``pow(x, 2)`` is a product whatever the flags, higher powers with ``-ffast-math``."""
        exponent = self.nodes[node.args[1]].number
        if exponent is None:
            return None
        base, fast = node.args[0], self.compiler.reassociate
        if exponent == 1:
            return base
        if exponent != 2 and not (fast and 0 < exponent <= MAX_POWER and 2 * exponent % 1 == 0):
            return None
        whole, root = divmod(exponent, 1)
        factors = self.products(node, base, int(whole))
        if root:
            factors.append(self.add_value("sqrt", node, base))
        while len(factors) > 1:
            factors.append(self.add_value("mul", node, factors.pop(0), factors.pop(0)))
        return factors[0]

    def products(self, node: GraphNode, base: int, exponent: int) -> list[int]:
        """The squares of ``base`` whose product is its power."""
        found = []
        while exponent:
            if exponent & 1:
                found.append(base)
            exponent >>= 1
            if exponent:
                base = self.add_value("mul", node, base, base)
        return found

    def quotient(self, node: GraphNode) -> int | None:
        """``a/b/c`` as ``a/(b*c)``, ``a/(b/c)`` as ``a*c/b``."""
        if not self.compiler.reassociate or node.type[:1] != "f":
            return None
        top, bottom = [self.nodes[a] for a in node.args]
        if top.op == "div":
            product = self.add_value("mul", node, top.args[1], node.args[1])
            return self.add_value("div", node, top.args[0], product)
        if bottom.op == "div" and not bottom.invariant:
            product = self.add_value("mul", node, node.args[0], bottom.args[1])
            return self.add_value("div", node, product, bottom.args[0])
        return None

    def narrow_conversion(self, node: GraphNode) -> int | None:
        """``(float)sqrt((double)x)`` and its like in float."""
        value = self.nodes[node.args[0]]
        if node.type != "f32" or value.type != "f64":
            return None
        call = value.op == "call" and self.narrows(value.callee)
        if not call and value.op not in EXACT | FLOAT_ARITHMETIC:
            return None
        args = [a for a in map(self.as_float, value.args) if a is not None]
        if len(args) < len(value.args):
            return None
        self.superseded.add(node.args[0])
        return self.add(value._replace(type="f32", args=tuple(args)))

    def narrows(self, name: str) -> bool:
        """Whether a function of doubles becomes the one of floats."""
        free = self.compiler.narrows_calls and not self.compiler.math_errno
        base = function_base(name)
        return base in ROUNDING or (free and base not in ("pow", "atan2"))

    def as_float(self, number: int) -> int | None:
        node = self.nodes[number]
        if node.op == "convert" and self.nodes[node.args[0]].type == "f32":
            return node.args[0]
        if node.op == "const" and _is_float(node):
            return self.add(node._replace(type="f32"))
        return None

    def narrow_comparison(self, node: GraphNode) -> int | None:
        """A float against a literal that is one."""
        if len(node.args) != 2 or {self.nodes[a].type for a in node.args} != {"f64"}:
            return None
        left, right = self.as_float(node.args[0]), self.as_float(node.args[1])
        if left is None or right is None:
            return None
        return self.add(node._replace(args=(left, right)))

    def explicit_fma(self, node: GraphNode) -> int | None:
        return None if self.fma else self.add(node._replace(op="call", callee="fma"))


def evaluates_call(compiler: Compiler, name: str, arguments: Sequence[float | None]) -> bool:
    """Whether the compiler computes a function of these constants, and no program calls it.

    What all compilers compute is a constant in the IR already.
    """
    known = [argument for argument in arguments if argument is not None]
    evaluates_calls = compiler.level > 0 and compiler.traits.evaluates_library
    if not evaluates_calls or len(known) < len(arguments):
        return False
    return evaluate(name, known) is not None


def _is_float(node: GraphNode) -> bool:
    """Whether a literal is a float exactly: of at most 24 significant bits."""
    number = node.number
    if number is None or not abs(number) < 2.0**127:
        return False
    top, bottom = abs(number).as_integer_ratio()
    return top < 2**24 << max(0, (top & -top).bit_length() - 1) and bottom <= 2**126

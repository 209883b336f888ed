"""Sums of absolute differences of bytes, which x86 makes with one instruction for eight of them.

Both compilers see the pattern behind ``abs(a[i] - b[i])`` and ``d < 0 ? -d : d`` alike (gcc's
``vect_recog_sad_pattern``, LLVM's X86PartialReduction), of unsigned bytes only: ``psadbw``.
"""

from collections.abc import Iterator
from typing import Final

from rooflint.core.graph.values import Graph
from rooflint.records import NamedTuple

BYTE_TYPE: Final = "u8"


class ByteSum(NamedTuple):
    """A sum of absolute differences.

    total  the addition to the carried sum
    parts  the values between the bytes and the addition, which serve nothing else
    bytes  the loads
    """

    total: int
    parts: frozenset[int]
    bytes: tuple[int, int]

    @property
    def made_values(self) -> frozenset[int]:
        """The values that the instruction makes, with the addition that follows it."""
        return self.parts | {self.total}

    def own_bytes(self, graph: Graph) -> frozenset[int]:
        """The loads that nothing else uses."""
        return frozenset([each for each in self.bytes if graph.uses[each] == 1])


def byte_sums(graph: Graph) -> Iterator[ByteSum]:
    """The sums of an iteration."""
    for total, addend in _addends(graph):
        found = _ByteSumParts(graph)
        loads = found.loads(addend)
        if len(loads) == 2 and all(graph.uses[part] == 1 for part in found.parts):
            yield ByteSum(total=total, parts=frozenset(found.parts), bytes=(loads[0], loads[1]))


def _addends(graph: Graph) -> Iterator[tuple[int, int]]:
    """The additions to carried sums, each with what it adds."""
    for scalar, total in graph.finals.items():
        node, carried = graph.nodes[total], graph.carried.get(scalar)
        if total in graph.live and node.op == "add" and carried in node.args:
            yield from [(total, argument) for argument in node.args if argument != carried]


class _ByteSumParts:
    """Walks from an addend to its bytes; ``parts``: the values on the way."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.parts: set[int] = set()

    def loads(self, addend: int) -> list[int]:
        """The two loads of an absolute difference of bytes; fewer for anything else."""
        difference = self._operands("sub", self._operands("abs", [addend]))
        sources = [self._converted(each) for each in difference]
        nodes = self.graph.nodes
        return [n for n in sources if nodes[n].op == "load" and nodes[n].type == BYTE_TYPE]

    def _operands(self, op: str, numbers: list[int]) -> list[int]:
        """The operands of an operation ``op`` that is one of the values; none for another."""
        found: list[int] = []
        for number in map(self._converted, numbers):
            if self.graph.nodes[number].op == op:
                self.parts.add(number)
                found += self.graph.nodes[number].args
        return found

    def _converted(self, number: int) -> int:
        """The value before conversions."""
        while self.graph.nodes[number].op == "convert":
            self.parts.add(number)
            number = self.graph.nodes[number].args[0]
        return number

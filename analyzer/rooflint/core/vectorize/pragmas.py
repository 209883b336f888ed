"""Promises of the programmer about a loop, as pragmas right before it make them."""

from typing import Final

from rooflint.facts import Kernel
from rooflint.ir import Region
from rooflint.records import NamedTuple

OFF: Final = ("vectorize(disable)", "novector", "no_vector", "vectorize_width(1)")
INDEPENDENT: Final = ("ivdep", "assume_safety", "vectorize(enable)")


class VectorPragmas(NamedTuple):
    """Promises and wishes for one loop.

    off          not to be vectorised
    independent  no iteration waits for another through memory
    forced       vectors are made whatever they cost (``simd`` of OpenMP)
    reorder      every sum may be reordered; ``names`` those that a clause lists
    """

    off: bool = False
    independent: bool = False
    forced: bool = False
    reorder: bool = False
    names: frozenset[str] = frozenset()

    def reorders(self, name: str) -> bool:
        """Whether the sum in this scalar may be reordered."""
        return self.reorder or name in self.names


def vector_pragmas(kernel: Kernel) -> VectorPragmas:
    """The pragmas of the kernel's own loop."""
    own = kernel.loops[-1]
    text = " ".join(own.pragmas)
    simd = [region for region in kernel.regions if _governs(region, own)]
    names = {
        name.strip()
        for region in simd
        for clause in region.clauses
        if clause.name == "reduction"
        for name in clause.value.partition(":")[2].split(",")
    }
    return VectorPragmas(
        off=any(word in text for word in OFF),
        forced=bool(simd),
        independent=bool(simd) or any(word in text for word in INDEPENDENT),
        reorder="vectorize(enable)" in text,
        names=frozenset(names),
    )


def _governs(region: Region, loop: object) -> bool:
    return "simd" in region.kind.split() and any(node is loop for node in region.body)

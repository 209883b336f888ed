"""Page walks: translations of addresses that the TLB of a core has not kept.

A TLB is a cache whose lines are pages, so what it misses is found as what a cache misses. Only
loops that step far through memory are asked about: what data in a row lose to the page table is in
every measured bandwidth.
"""

from collections.abc import Mapping, Sequence

from rooflint.facts import KernelFacts
from rooflint.facts.affine import number
from rooflint.ir import Array
from rooflint.machine.parts import Tlb
from rooflint.memory.growth import Grown
from rooflint.memory.hierarchy import Cache
from rooflint.memory.reuse import Reuse
from rooflint.memory.windows import Windows
from rooflint.sizes import Sizes

STEPS_A_PAGE = 8
"""Streams with more iterations in a page than this hide their walks behind the lines they move."""


class Pages:
    """The page walks of the kernels of a function, one after the other."""

    def __init__(
        self,
        facts: Sequence[KernelFacts],
        arrays: Mapping[str, Array],
        sizes: Sizes,
        tlb: Tlb,
    ) -> None:
        self._facts = facts
        self._arrays = arrays
        self._values = sizes.values
        self._tlb = tlb
        self._misses: list[Grown] | None = None

    def walks(self, position: int) -> dict[str, float]:
        """Of one kernel by array, over all its iterations; of places that are not known, none."""
        far = self._stepping(position)
        if not far:
            return {}
        if self._misses is None:
            windows = Windows(self._facts, self._arrays, self._values, self._tlb.page_bytes)
            self._misses = Reuse(windows).misses(Cache(1, self._tlb.entries))
        missed = self._misses[position]
        return {a: growth.load + growth.allocate for a, growth in missed.items() if a in far}

    def _stepping(self, position: int) -> set[str]:
        """The arrays through which a kernel's own loop goes in large steps."""
        found: set[str] = set()
        for stream in self._facts[position].streams:
            stride = stream.strides[-1]
            step = abs(number(stride, self._values) or 0) if stride is not None else 0
            if step * STEPS_A_PAGE >= self._tlb.page_bytes:
                found.add(stream.array)
        return found

"""What the load/store unit of AMD's Zen 2 to 4 allows, where llvm-mca 19 allows more.

A cycle takes two vector loads and one vector store, each of up to 32 bytes; 64 bytes count twice,
and a gather is a load for each of its elements (AMD Software Optimization Guides 56305, 56665 and
57647, load-store unit). llvm-mca 19 has no limit on the stores of ``znver2``, takes 64 bytes for 32
on ``znver4``, and gives a gather of ``znver4`` a third of a cycle.
"""

import re
from collections.abc import Iterable
from typing import Final

PROCESSORS: Final = frozenset(("znver2", "znver3", "znver4"))
LOADS, STORES = 2, 1
REGISTER: Final = re.compile(r"%([xyz])mm")
ELEMENTS: Final = re.compile(r"^v(?:p?gather|p?scatter)[dq](pd|q|ps|d)\s")
BYTES: Final = {"x": 16, "y": 32, "z": 64}


def least_cy(instructions: Iterable[str], cpu: str) -> float:
    """Cycles that the loads and stores of a block take at least (AT&T syntax); 0 elsewhere."""
    if cpu not in PROCESSORS:
        return 0.0
    loads = stores = 0
    for text in instructions:
        registers = REGISTER.findall(text)
        if "(" not in text or not registers or text.startswith(("lea", "prefetch", "nop")):
            continue
        widest = max(BYTES[register] for register in registers)
        parts = max(1, widest // 32)
        several = ELEMENTS.match(text)
        if several:
            parts = widest // (8 if several[1] in ("pd", "q") else 4)
        if text.rstrip("} k1234567{").endswith(")"):
            stores += parts
        else:
            loads += parts
    return max(loads / LOADS, stores / STORES)

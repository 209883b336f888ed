"""llvm-mca's cycles of small loops on Zen, mended: ``mended_reference.py VECTORS -o FILE``.

VECTORS is the file of ``compiler_loops.py``. Each loop is compiled with the flags of each
configuration for Zen 3 or 4, its block is found by ``rooflint.core.external``, and
FILE gets the cycles of an iteration, by configuration and loop, for ``compiler_loops.py
--reference FILE``; None where an instruction of the block is priced by no measurement.

What is mended, and why (LLVM 19.1.7):

* Zen 3 and 4: vector stores take the pipes of vector loads (``Zn3FP45``), so that two loads and a
  store need 1.5 cycles. AMD's guide (56665, "Load-Store Unit") has three memory operations a cycle,
  two of them vector loads, one a vector store; two loads and a store with a product between were
  timed in 1.06 cycles.
* Zen 4: a 64 B load or store passes in two halves (57647): one load a cycle, a store in two.
* No fused compare and branch: the pair is one of the six instructions dispatched in a cycle.
"""

import argparse
import collections
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from rooflint.core.external.build import Assembly, CompilationUnit, compile_unit
from rooflint.core.external.figures import ExternalFailure, PassFigures
from rooflint.core.external.listing import AsmLoop, innermost_loops
from rooflint.core.external.mca import simulate
from rooflint.incremental.result_store import ResultStore

CPUS: Final = ("znver3", "znver4")
ISSUE_WIDTH: Final = 6
FUSED_PAIRS: Final = 1
"""Of a block: its last two instructions."""
STORE_PIPES: Final = ("Zn3FP45", "Zn4FP45")
LOAD_BYTES: Final = 64
"""A cycle, in two loads at most."""
STORE_BYTES: Final = 32
BOUND: Final = 1.1
"""Cycles above the busiest unit by more than this are due to latencies."""
DISTRUSTED: Final = {
    r"vp?gather": "gathers are one micro-operation",
    r"vp?scatter": "scatters are one micro-operation",
    r"vp?maskmov\w+\s+%[xy]mm\d+, %[xy]mm\d+, ": "masked stores: 18 micro-operations, 6 cycles",
    r"vmov\w+\s+%[xyz]mm\d+, .*\(.*\) \{%k": "stores under a mask register: 1 cycle",
    r"i?div[lq]\s": "divisions: 13 or 16.5 cycles for 32 bits",
    r"v(?:max|min)s[sd]\s": "scalar extremes on a chain: 1 cycle on Zen",
    r"vpcompress": "compressing to memory",
}
"""Instructions whose figures are none: by the beginning of their text, with the fault."""
MEMORY: Final = re.compile(r"\(.*\)")
REGISTER: Final = re.compile(r"%([xyz])mm")
BYTES: Final = {"x": 16, "y": 32, "z": 64}


class Block(NamedTuple):
    """The instructions of a loop, and the iterations of the source in it."""

    loop: AsmLoop
    iterations: int

    @property
    def distrusted(self) -> str | None:
        """Why llvm-mca's figure says nothing; None where it does."""
        texts = [instruction.text for instruction in self.loop.code]
        reasons = [why for form, why in DISTRUSTED.items() if any(re.match(form, t) for t in texts)]
        return reasons[0] if reasons else None


def main() -> int:
    """Compiles and simulates, and prints the blocks that are set aside by reason."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--mca", default="llvm-mca-19", help="the program; LLVM 19")
    parser.add_argument("-o", "--out", type=Path, required=True)
    given = parser.parse_args()
    cases = json.loads(given.vectors.read_text())["cases"]
    answers: dict[str, dict[str, float | None]] = {}
    aside: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for config in [c for c in cases[0]["compiled"] if "-march=znver" in c]:
            found: dict[str, float | None] = {}
            answers[config] = found
            for case, block in blocks(cases, config, Path(folder)):
                if isinstance(block, ExternalFailure):
                    aside[block.reason] += 1
                elif block.distrusted:
                    found[case["id"]] = None
                    aside[block.distrusted] += 1
                else:
                    found[case["id"]] = mended(block, cpu_of(config), given.mca)
    given.out.write_text(json.dumps(answers, indent=1))
    for reason, count in aside.most_common():
        print(f"{count:4d}  {reason}")
    return 0


def cpu_of(config: str) -> str:
    """The processor that the flags name, one of Zen."""
    return next(cpu for cpu in CPUS if cpu in config)


def blocks(
    cases: list[dict[str, Any]], config: str, folder: Path
) -> Iterator[tuple[dict[str, Any], Block | ExternalFailure]]:
    """The straight blocks of the loops, one at a time."""
    driver, *flags = config.split()
    for case in cases:
        answer = case["compiled"].get(config)
        if not answer or not answer.get("straight"):
            continue
        path = folder / f"{case['id']}.c"
        path.write_text(case["source"])
        made = compile_unit(CompilationUnit(str(path), tuple(flags), driver), ResultStore())
        yield case, block_of(made, case, answer)


def block_of(
    made: Assembly | ExternalFailure, case: dict[str, Any], answer: dict[str, Any]
) -> Block | ExternalFailure:
    """The block of which the vectors have the number of instructions."""
    if isinstance(made, ExternalFailure):
        return made
    expected = answer["block"]
    same = [
        loop
        for loop in innermost_loops(made.text)
        if len(loop.code) == expected["instructions"] and case["id"] in loop.function
    ]
    if same:
        return Block(same[0], expected["source_iterations"])
    return ExternalFailure("the block is another than that of the vectors")


def mended(block: Block, cpu: str, mca: str) -> float | None:
    """Cycles of an iteration of the source."""
    figures = simulate(block.loop, mca, cpu)
    if isinstance(figures, ExternalFailure):
        return None
    return max(_without_store_pipe(figures), _memory_cy(block.loop)) / block.iterations


def _without_store_pipe(figures: PassFigures) -> float:
    """Cycles of a pass where vector stores have a pipe of their own."""
    shared = [cy for port, cy in figures.ports.items() if port.startswith(STORE_PIPES)]
    if figures.cycles > BOUND * max(shared, default=0.0):
        return figures.cycles
    others = [cy for port, cy in figures.ports.items() if not port.startswith(STORE_PIPES)]
    return max(*others, (figures.uops - FUSED_PAIRS) / ISSUE_WIDTH)


def _memory_cy(loop: AsmLoop) -> float:
    """Cycles of the vector loads and stores of a pass."""
    loads = stores = 0.0
    for instruction in loop.code:
        text = instruction.text
        found = REGISTER.findall(text)
        if not MEMORY.search(text) or not found or text.startswith("lea"):
            continue
        width = max(BYTES[letter] for letter in found)
        if text.rstrip().endswith(")"):
            stores += max(1.0, width / STORE_BYTES)
        else:
            loads += max(0.5, width / LOAD_BYTES)
    return max(loads, stores)


if __name__ == "__main__":
    sys.exit(main())

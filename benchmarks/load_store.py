"""What the load/store unit of AMD's Zen 2 to 4 allows, where llvm-mca 19 allows more.

A cycle takes two vector loads and one vector store, each of up to 32 bytes; 64 bytes count twice,
and a gather is a load for each of its elements (AMD Software Optimization Guides 56305, 56665 and
57647, load-store unit), on Zen 4 more: what was measured. llvm-mca 19 has no limit on the stores
of ``znver2``, takes 64 bytes for 32 on ``znver4``, and gives a gather of ``znver4`` a third of a
cycle.

``load_store.py`` on a Zen 4 measures that: cycles an instruction, by time and by llvm-mca.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

PROCESSORS: Final = frozenset(("znver2", "znver3", "znver4"))
LOADS, STORES = 2, 1
REGISTER: Final = re.compile(r"%([xyz])mm")
ELEMENTS: Final = re.compile(r"^v(?:p?gather|p?scatter)[dq](pd|q|ps|d)\s")
BYTES: Final = {"x": 16, "y": 32, "z": 64}
GATHERS: Final = {"znver4": {4: 5.0, 8: 8.0, 16: 17.0}}
"""Cycles by the number of elements, of doubles or floats."""
COPIES: Final = 8
MEASURED: Final = {
    "load of 32 B": ("vmovupd (%rsi), %ymm2",),
    "load of 64 B": ("vmovupd (%rsi), %zmm2",),
    "load of 64 B over a line's end": ("vmovupd 8(%rsi), %zmm2",),
    "store of 32 B": ("vmovupd %ymm2, (%rsi)",),
    "store of 64 B": ("vmovupd %zmm2, (%rsi)",),
    "gather of 4 doubles": (
        "vpcmpeqd %ymm4, %ymm4, %ymm4",
        "vpxor %xmm3, %xmm3, %xmm3",
        "vpxor %xmm2, %xmm2, %xmm2",
        "vgatherqpd %ymm4, (%rsi,%ymm3,8), %ymm2",
    ),
    "gather of 8 floats": (
        "vpcmpeqd %ymm4, %ymm4, %ymm4",
        "vpxor %xmm3, %xmm3, %xmm3",
        "vpxor %xmm2, %xmm2, %xmm2",
        "vgatherdps %ymm4, (%rsi,%ymm3,4), %ymm2",
    ),
    "gather of 16 floats": (
        "kxnorw %k1, %k1, %k1",
        "vpxor %xmm3, %xmm3, %xmm3",
        "vpxor %xmm2, %xmm2, %xmm2",
        "vgatherdps (%rsi,%zmm3,4), %zmm2{%k1}",
    ),
    "gather of 8 doubles": (
        "kxnorw %k1, %k1, %k1",
        "vpxor %xmm3, %xmm3, %xmm3",
        "vpxor %xmm2, %xmm2, %xmm2",
        "vgatherqpd (%rsi,%zmm3,8), %zmm2{%k1}",
    ),
}
"""With what readies mask, indices and result of a gather, which takes ports of its own."""
TIMER: Final = """
#include <stdio.h>
#include <time.h>
void loop(long n, void *memory);
void chain(long n);
static char memory[8192] __attribute__((aligned(4096)));
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(void)
{
  double one = 1, clock = 1;
  for (int k = 0; k < 400; k++) {
    double begin = now(), middle;
    chain(20000);
    middle = now();
    loop(20000, memory);
    double spent = now() - middle;
    if (middle - begin < clock) clock = middle - begin;
    if (spent < one) one = spent;
  }
  printf("%.6f\\n", one / clock); /* a link of the chain takes a cycle */
}
"""


def least_cy(instructions: Iterable[str], cpu: str) -> float:
    """Cycles that the loads and stores of a block take at least (AT&T syntax); 0 elsewhere."""
    if cpu not in PROCESSORS:
        return 0.0
    loads = stores = 0.0
    for text in instructions:
        registers = REGISTER.findall(text)
        if "(" not in text or not registers or text.startswith(("lea", "prefetch", "nop")):
            continue
        widest = max(BYTES[register] for register in registers)
        parts = max(1.0, widest // 32)
        several = ELEMENTS.match(text)
        if several:
            parts = widest // (8 if several[1] in ("pd", "q") else 4)
        if "gather" in text:
            parts = LOADS * GATHERS.get(cpu, {}).get(int(parts), parts / LOADS)
        if text.rstrip("} k1234567{").endswith(")"):
            stores += parts
        else:
            loads += parts
    return max(loads / LOADS, stores / STORES)


def measured_cy(code: str, folder: Path) -> float:
    """Cycles of ``code`` in a loop, relative to as many dependent additions."""
    chain = "add $1, %rax\n" * COPIES
    text = (
        ".globl loop\nloop:\n.p2align 6\n1:\n" + code + "dec %rdi\njnz 1b\nvzeroupper\nret\n"
        ".globl chain\nchain:\n.p2align 6\n2:\n" + chain + "dec %rdi\njnz 2b\nret\n"
        '.section .note.GNU-stack,"",@progbits\n'
    )
    (folder / "loop.s").write_text(text, encoding="utf-8")
    (folder / "timer.c").write_text(TIMER, encoding="utf-8")
    program = str(folder / "timer")
    subprocess.run(["cc", "-O1", f"{program}.c", str(folder / "loop.s"), "-o", program], check=True)
    return float(subprocess.run([program], capture_output=True, text=True, check=True).stdout)


def mca_cy(code: str) -> float:
    """llvm-mca's cycles of one copy."""
    command = ["llvm-mca-19", "-mcpu=znver4", "-iterations=100"]
    said = subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout
    found = re.search(r"Total Cycles:\s+(\d+)", said)
    assert found
    return int(found[1]) / 100 / COPIES


def main() -> int:
    """Prints the table."""
    print("| instruction | measured cy | taken as | llvm-mca 19 |\n| --- | --: | --: | --: |")
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in MEASURED.items():
            code = "".join(f"{line}\n" for line in lines) * COPIES
            cells = (measured_cy(code, Path(folder)), least_cy(lines, "znver4"), mca_cy(code))
            print(f"| {name} | {' | '.join([f'{cell:.2f}' for cell in cells])} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

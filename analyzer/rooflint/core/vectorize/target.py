"""The vector instructions that code may use: what a machine has and the flags allow."""

from typing import Final

from rooflint.core.compiler import Compiler
from rooflint.core.issue.lane_steps import LaneTarget
from rooflint.machine import Machine
from rooflint.records import NamedTuple

X86: Final = ("sse", "avx")
"""How the names of x86 instruction sets begin; their baseline has no FMA."""
LEAST_MASKED: Final = 4
"""Bytes of the smallest element that AVX and AVX2 load or store under a mask (``vmaskmov``,
``vpmaskmov``)."""
WHOLE: Final = ("znver",)
"""Processors with AVX-512 whose registers compilers use whole; for the others clang and gcc tune to
half of them."""


class VectorTarget(NamedTuple):
    """Instructions for one machine under one set of flags.

    isa             the instruction set of the code
    machine_isa     that of the machine; empty where its file has none
    register_bytes  of the vectors that the compiler prefers; None: the machine has none
    fma             products and sums may be fused
    legacy          vector code is of instructions that came before AVX
    processor       as compilers name it; None where the machine file does not say
    """

    isa: str
    machine_isa: str
    register_bytes: int | None
    fma: bool
    legacy: bool
    processor: str | None

    @property
    def x86(self) -> bool:
        """Whether the code is for x86."""
        return self.isa.startswith(X86)

    @property
    def sse4(self) -> bool:
        """Whether the code may use SSE4.1, which flags that name a processor or AVX bring."""
        return self.x86 and not self.legacy

    @property
    def avx512(self) -> bool:
        """Whether the code may use AVX-512."""
        return self.isa.startswith("avx512")


def vector_target(machine: Machine, compiler: Compiler) -> VectorTarget:
    """The instructions of code for a machine whose file has a ``core``."""
    simd, core, tools = machine.simd, machine.core, machine.tools
    processor = tools.cpu if tools else None
    if simd is None:
        fma = core is not None and core.operation("fma", "f64") is not None
        return VectorTarget(
            isa="sse2",
            machine_isa="",
            register_bytes=None,
            fma=fma,
            legacy=True,
            processor=processor,
        )
    return VectorTarget(
        isa="sse2" if compiler.baseline else simd.isa,
        machine_isa=simd.isa,
        register_bytes=_register_bytes(machine, compiler),
        fma=simd.fma and not (compiler.baseline and simd.isa.startswith(X86)),
        legacy=compiler.baseline or not simd.isa.startswith("avx"),
        processor=processor,
    )


def vector_extremes(target: VectorTarget, compiler: Compiler) -> tuple[str, ...]:
    """The integer types of which scalar code takes maxima and minima by vector instructions.

    gcc does so where its costs for a processor have them cheaper than a comparison and a move
    (``-mstv``): by ``vpmaxsd`` on Zen, whose next maximum waits 1 cycle in place of 2.
    """
    if not compiler.traits.scalars_in_vectors or compiler.level < 2 or not target.sse4:
        return ()
    if not (target.processor or "").startswith("znver"):
        return ()
    return ("i32", "u32", "i64", "u64") if target.avx512 else ("i32", "u32")


def lane_target(
    target: VectorTarget, compiler: Compiler, width: int, register_bytes: int
) -> LaneTarget:
    """How vectors of ``width`` iterations change the size of integers."""
    return LaneTarget(
        width=width,
        vector_bytes=register_bytes,
        halves=compiler.traits.halves_vectors,
        legacy=target.legacy,
        avx512=target.avx512,
        x86=target.x86,
    )


def _register_bytes(machine: Machine, compiler: Compiler) -> int:
    """Of preferred vectors: half of a 64 B register for cores that run at a lower clock with whole
    ones."""
    simd, tools = machine.simd, machine.tools
    assert simd is not None
    if compiler.baseline:
        return min(16, simd.register_bytes)
    if compiler.register_bytes is not None:
        return min(compiler.register_bytes, simd.register_bytes)
    whole = tools is not None and (tools.cpu or "").startswith(WHOLE)
    return 32 if simd.isa.startswith("avx512") and not whole else simd.register_bytes

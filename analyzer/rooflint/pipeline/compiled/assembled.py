"""The user's flags, loops and machines in the words of the assembly source."""

import os
import platform
from collections.abc import Sequence
from typing import Final

from rooflint.compile_flags.flags import CodeGeneration, Flags
from rooflint.core.compiler import DEFAULT_DRIVER, compiler_named, is_compiler
from rooflint.core.external.build import CompilationUnit
from rooflint.core.external.choice import SourceLoop
from rooflint.core.external.cycles import ExternalCoreCycles
from rooflint.core.external.figures import Analyser, ExternalFailure
from rooflint.core.external.measure import AnalyserTarget, Measurer
from rooflint.facts import KernelFacts
from rooflint.incremental.disk_store import default_folder
from rooflint.incremental.result_store import ResultStore
from rooflint.ir import SourceFunction
from rooflint.machine import Machine

SAME_ARCHITECTURE: Final = {"amd64": "x86_64", "arm64": "aarch64"}
SWITCHES: Final = (
    ("math_errno", "math-errno"),
    ("vectorize", "tree-vectorize"),  # gcc's spelling; clang takes both
    ("unroll_loops", "unroll-loops"),
    ("strict_aliasing", "strict-aliasing"),
)


def assembly_unit(path: str, flags: Flags, machine: Machine, compiler: str) -> CompilationUnit:
    """The file with the flags that make code for ``machine`` as the user would compile it."""
    arguments = compiler_arguments(flags, compiler, _target(machine, flags.code, compiler))
    return CompilationUnit(os.path.abspath(path), tuple(arguments), compiler)


def compiler_arguments(
    flags: Flags, compiler: str, target: Sequence[str] | None = None
) -> list[str]:
    """The flags as the compiler takes them; ``target`` replaces the processor that they name.

    Without flags for code the file is compiled for speed on the processor at hand.
    """
    code = flags.code
    arguments = list(flags.arguments)
    arguments += _own_target(code, compiler) if target is None else target
    arguments.append(f"-O{code.opt_level or 3}")
    arguments += [f"-m{feature}" for feature in code.features if f"-m{feature}" not in arguments]
    arguments += _arithmetic(code)
    arguments += [
        f"-f{name}" if wished else f"-fno-{name}"
        for field, name in SWITCHES
        if (wished := getattr(code, field)) is not None
    ]
    if code.openmp or code.openmp_simd:
        arguments.append("-fopenmp" if code.openmp else "-fopenmp-simd")
    if code.prefer_vector_bits:
        arguments.append(f"-mprefer-vector-width={code.prefer_vector_bits}")
    return arguments


def _own_target(code: CodeGeneration, compiler: str) -> list[str]:
    """The processor that the flags name; the one at hand where nobody gave flags."""
    del compiler
    option = "-mcpu" if platform.machine().lower() in ("arm64", "aarch64") else "-march"
    march = code.march or ("native" if code.opt_level is None else None)
    return [f"{option}={march}"] if march else []


def _arithmetic(code: CodeGeneration) -> list[str]:
    options: list[str] = []
    if code.fast_math:
        options.append("-ffast-math")
    elif code.associative_math:
        options += ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]
    if code.ffp_contract is not None:
        options.append(f"-ffp-contract={code.ffp_contract}")
    return options


def _target(machine: Machine, code: CodeGeneration, compiler: str) -> list[str]:
    """The machine's processor where the user has named none, or the host's own; flags without
    ``-march`` are for any processor, as the core plan has it."""
    tools = machine.tools
    words = []
    triple = tools.triple if tools else None
    wanted = triple.partition("-")[0] if triple else ""
    here = platform.machine().lower()
    takes_target = compiler_named(os.path.basename(compiler)).traits.takes_target
    if triple and wanted != SAME_ARCHITECTURE.get(here, here) and takes_target:
        words.append(f"--target={triple}")
    option = "-mcpu" if wanted == "aarch64" else "-march"
    if code.march not in (None, "native"):
        words.append(f"{option}={code.march}")
    elif tools and tools.cpu and (code.march == "native" or code.opt_level is None):
        words.append(f"{option}={tools.cpu}")
    return words


def assembly_loop(
    path: str, source: SourceFunction, facts: KernelFacts, machine: Machine
) -> SourceLoop:
    """The loop to look for in the assembly."""
    span = source.spans[facts.kernel.origin]
    strides = [stream.strides[-1] for stream in facts.streams]
    constant = [stride.value for stride in strides if stride is not None]
    simd = machine.simd
    return SourceLoop(
        path=os.path.abspath(path),
        function=source.function.name.rpartition("::")[2],
        first=span.line,
        last=max(span.line, span.end_line),
        strides_bytes=tuple([int(stride) for stride in constant if stride is not None]),
        vector_bytes=simd.register_bytes if simd and simd.isa.startswith("sve") else 0,
    )


def assembly_target(machine: Machine) -> AnalyserTarget:
    """The core by the names that analysers know."""
    tools, core = machine.tools, machine.core
    ports = core.ports.get("load", ()) if core else ()
    return AnalyserTarget(
        name=machine.name,
        cpu=tools.cpu if tools else None,
        triple=tools.triple if tools else None,
        osaca=tools.osaca if tools else None,
        load_ports=tuple(map(str, ports)),
        loads_overlap=core is not None and "load" not in core.overlap.non_overlapping,
    )


class SecondSource:
    """Cycles of loops from their assembly; each file is compiled once for a machine.

    ``compiler`` is what was asked for; empty: that of the file's command line, else clang.
    """

    def __init__(self, analyser: Analyser, compiler: str) -> None:
        self.compiler = compiler
        self.measurer = Measurer(analyser, ResultStore(default_folder()))

    def of(self, path: str, flags: Flags, unsaved: bool) -> "FileSource":
        """For the loops of one file; one that an editor has not saved cannot be compiled."""
        return FileSource(self, path, flags, unsaved)


class FileSource:
    """Cycles of the loops of one file."""

    def __init__(self, source: SecondSource, path: str, flags: Flags, unsaved: bool) -> None:
        self.source, self.path, self.flags, self.unsaved = source, path, flags, unsaved

    def __call__(
        self, function: SourceFunction, facts: KernelFacts, machine: Machine
    ) -> ExternalCoreCycles:
        """Those of one loop on one machine."""
        measurer = self.source.measurer
        if self.unsaved:
            return ExternalCoreCycles(measurer.analyser, reason="the file is not saved")
        if not facts.kernel.innermost:
            return ExternalCoreCycles(measurer.analyser, reason="the loop has loops inside")
        driver = self.flags.code.driver
        compiler = self.source.compiler or (driver if is_compiler(driver) else DEFAULT_DRIVER)
        unit = assembly_unit(self.path, self.flags, machine, compiler)
        wanted = assembly_loop(self.path, function, facts, machine)
        found = measurer.measure(unit, wanted, assembly_target(machine))
        if isinstance(found, ExternalFailure):
            return ExternalCoreCycles(measurer.analyser, reason=found.reason)
        return ExternalCoreCycles(
            source=found.source,
            t_ol_cy=found.t_ol_cy,
            t_nol_cy=found.t_nol_cy,
            origin=found.origin,
        )

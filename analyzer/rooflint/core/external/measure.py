"""From a loop of the source to cycles per iteration, by way of a compiler and an analyser."""

import hashlib
import os

from rooflint.core.external.build import Assembly, CompilationUnit, compile_unit
from rooflint.core.external.choice import SourceLoop, choose_loop
from rooflint.core.external.figures import (
    Analyser,
    ExternalFailure,
    PassFigures,
    as_figures,
    as_text,
)
from rooflint.core.external.listing import AsmLoop, innermost_loops
from rooflint.core.external.mca import simulate
from rooflint.core.external.osaca import analyse
from rooflint.core.external.store import ResultStore
from rooflint.core.external.tools import locate, version_of
from rooflint.records import NamedTuple

PROGRAM = {"llvm-mca": "llvm-mca", "osaca": "osaca"}
SLACK = 1.05
"""How far above its ports the cycles of a pass may be before latency or issue is what binds."""


class AnalyserTarget(NamedTuple):
    """A core by the names that compilers and analysers have for it; ports as the machine file."""

    name: str
    cpu: str | None
    triple: str | None
    osaca: str | None
    load_ports: tuple[str, ...] = ()
    loads_overlap: bool = False


class LoopCycles(NamedTuple):
    """Cycles of one iteration of the source's loop.

    t_ol_cy    that overlap with transfers
    t_nol_cy   of loads that do not; None where the analyser cannot tell loads apart
    iterations of the source in a pass over the compiled loop
    width      elements in a vector by the compiler's remark; None where it makes none
    """

    source: Analyser
    t_ol_cy: float
    t_nol_cy: float | None
    iterations: int
    width: int | None
    figures: PassFigures
    compiler: str

    @property
    def t_core_cy(self) -> float:
        """Cycles with all data in the nearest level."""
        return self.figures.cycles / self.iterations

    @property
    def origin(self) -> str:
        """Who says so, in words."""
        version = self.figures.version
        program = version if self.source in version else f"{self.source} ({version})"
        return f"{program}, code by {self.compiler}"


class Measurer:
    """Measures loops, each file compiled once; keeps results in ``store``."""

    def __init__(self, analyser: Analyser, store: ResultStore) -> None:
        self.analyser = analyser
        self.store = store
        self._compiled: dict[CompilationUnit, tuple[Assembly, list[AsmLoop]] | ExternalFailure] = {}

    def measure(
        self, unit: CompilationUnit, wanted: SourceLoop, target: AnalyserTarget
    ) -> LoopCycles | ExternalFailure:
        """The figures of one loop on one core."""
        made = self._listing(unit)
        if isinstance(made, ExternalFailure):
            return made
        assembly, loops = made
        remark = None
        if assembly.remarks is not None:
            remark = assembly.remarks.get(wanted.first)
            multiple = remark.width * remark.interleaved if remark else 1
            wanted = wanted._replace(multiple_of=multiple)
        found = choose_loop(loops, wanted)
        if isinstance(found, ExternalFailure):
            return found
        figures = self._figures(found.loop, target, unit.compiler)
        if isinstance(figures, ExternalFailure):
            return figures
        t_ol, t_nol = split(figures, target.loads_overlap)
        count = found.iterations
        width = None if assembly.remarks is None else remark.width if remark else 1
        return LoopCycles(
            source=self.analyser,
            t_ol_cy=t_ol / count,
            t_nol_cy=None if t_nol is None else t_nol / count,
            iterations=count,
            width=width,
            figures=figures,
            compiler=assembly.compiler,
        )

    def _listing(self, unit: CompilationUnit) -> tuple[Assembly, list[AsmLoop]] | ExternalFailure:
        if unit not in self._compiled:
            made = compile_unit(unit, self.store)
            known = (
                made if isinstance(made, ExternalFailure) else (made, innermost_loops(made.text))
            )
            self._compiled[unit] = known
        return self._compiled[unit]

    def _figures(
        self, loop: AsmLoop, target: AnalyserTarget, compiler: str
    ) -> PassFigures | ExternalFailure:
        path = locate(PROGRAM[self.analyser], beside=compiler)
        if path is None:
            return ExternalFailure(f"{PROGRAM[self.analyser]} is not installed")
        known = target.cpu if self.analyser == "llvm-mca" else target.osaca
        if known is None:
            key = "tools.cpu" if self.analyser == "llvm-mca" else "tools.osaca"
            return ExternalFailure(f"the machine file of {target.name} has no {key}")
        words = (self.analyser, version_of(path), os.path.realpath(path), known, *target.load_ports)
        text = "\0".join((*words, target.triple or "", loop.text))
        key = hashlib.sha256(text.encode()).hexdigest()
        kept = self.store.read(key)
        figures = as_figures(kept) if kept else None
        if figures is not None:
            return figures
        made: PassFigures | ExternalFailure
        if self.analyser == "llvm-mca":
            made = simulate(loop, path, known, target.triple, target.load_ports)
        else:
            made = analyse(loop, path, known, target.load_ports)
        if isinstance(made, PassFigures):
            self.store.write(key, as_text(made))
        return made


def split(figures: PassFigures, loads_overlap: bool) -> tuple[float, float | None]:
    """T_OL and T_nOL of a pass. What neither loads nor ports explain is latency, and overlaps."""
    loads = figures.load_cy
    if loads is None and not loads_overlap:
        return figures.cycles, None
    if loads is None or loads_overlap:
        return figures.cycles, 0.0
    if figures.cycles > SLACK * max(loads, figures.other_cy):
        return figures.cycles, loads
    return figures.other_cy, loads

"""Trip counts that are reckoned with against measured ones: ``program_trips.py TRIPS SOURCES``.

TRIPS is a JSON file: ``programs`` with ``program`` and ``loops``, each with ``file``, ``line`` and
the measured ``trips``. SOURCES holds a folder for each program, as ``PROGRAMS`` names it; a program
whose folder is not there is left out. No size is given: the sources tell sizes, or their roles do.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rooflint.compile_flags.flags import Flags
from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations
from rooflint.pipeline.front_end import equations_of
from rooflint.program.linking import ProgramLoop, link_files
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import TypicalTrips, typical_trips

FACTOR = 2.0


@dataclass(frozen=True, kw_only=True)
class Sources:
    """The sources of a program: files below ``folder``, and the options that they need."""

    folder: str
    files: tuple[str, ...]
    options: tuple[str, ...] = ()


def npb(name: str) -> Sources:
    """A program of NPB-CPP; its folder needs the ``npbparams.hpp`` that its build generates."""
    files = (f"{name}/{name.lower()}.cpp", "common/*.cpp")
    return Sources(folder="NPB-CPP/NPB-SER", files=files)


PROGRAMS = {
    "lulesh": Sources(folder="LULESH", files=("*.cc",), options=("-DUSE_MPI=0",)),
    "hpcg": Sources(
        folder="hpcg", files=("src/*.cpp",), options=("-DHPCG_NO_MPI", "-DHPCG_NO_OPENMP")
    ),
    "npb_cg": npb("CG"),
    "npb_lu": npb("LU"),
    "npb_ft": npb("FT"),
    "npb_is": npb("IS"),
    "xsbench": Sources(folder="XSBench/openmp-threading", files=("*.c",)),
    "zlib": Sources(folder="zlib", files=("*.c", "test/minigzip.c")),
}
POLYBENCH = "pb_"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One executed loop: the class of its values, and whether they are near the measured trips."""

    program: str
    kind: str
    near: bool


def sources_of(program: str, files: set[str]) -> Sources:
    """The sources of a program; of one of PolyBench, the file of its loops."""
    if not program.startswith(POLYBENCH):
        return PROGRAMS[program]
    return Sources(
        folder="PolyBenchC-4.2.1",
        files=(*sorted(files), "utilities/polybench.c"),
        options=("-DMEDIUM_DATASET", "-DPOLYBENCH_TIME"),
    )


def requests(root: Path, sources: Sources) -> Iterator[Request]:
    """A request for each file of a program."""
    options = [*sources.options, *(f"-I{root / folder}" for folder in ("utilities", "src", "."))]
    for pattern in sources.files:
        for path in sorted(root.glob(pattern)):
            flags = Flags("c" if path.suffix == ".c" else "c++", options=tuple(options))
            yield Request(str(path), flags)


def kind_of(loop: ProgramLoop, solver: ProgramSolver, typical: TypicalTrips) -> str:
    """The class of a loop's value, as the report names it."""
    if not typical.of(loop).decided:
        return "role"
    value = solver.trips(loop)
    if len(value.constants) != 1:
        return "several"
    return "source default" if value.unknown else "source"


def judged(program: str, root: Path, loops: list[dict[str, object]]) -> Iterator[Judgement]:
    """Every executed loop of a program."""
    sources = sources_of(program, {str(loop["file"]) for loop in loops})
    folder = root / sources.folder
    read = [answer for _, answer in equations_of(requests(folder, sources))]
    linked = link_files([file for file in read if isinstance(file, Equations)])
    solver = ProgramSolver(linked)
    typical = typical_trips(linked, solver)
    values = {
        (str(Path(loop.path).relative_to(folder)), loop.loop.span.line): loop
        for loop in linked.loops
    }
    for loop in loops:
        own = values.get((str(loop["file"]), int(str(loop["line"]))))
        trips = float(str(loop["trips"]))
        if own is None:
            yield Judgement(program=program, kind="not seen", near=False)
            continue
        value = typical.of(own).value
        near = trips / FACTOR <= value <= trips * FACTOR
        yield Judgement(program=program, kind=kind_of(own, solver, typical), near=near)


def report(title: str, loops: list[Judgement]) -> str:
    """One line: loops, and those within the factor."""
    near = sum(loop.near for loop in loops)
    return (
        f"{title:24} {len(loops):5} loops, {near:5} within {FACTOR:g}x ({near / len(loops):4.0%})"
    )


def main() -> int:
    """Prints a line for each program and each class of values."""
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    root = Path(sys.argv[2]).resolve()
    loops: list[Judgement] = []
    begin = time.process_time()
    for entry in json.loads(Path(sys.argv[1]).read_text())["programs"]:
        program = entry["program"]
        files = {str(loop["file"]) for loop in entry["loops"]}
        folder = root / sources_of(program, files).folder
        if not folder.is_dir():
            print(f"{program:24} left out: no folder {folder.relative_to(root)}")
            continue
        own = list(judged(program, root, entry["loops"]))
        print(report(program, own))
        loops += own
    print(report("all", loops))
    loops = [loop for loop in loops if not loop.program.startswith(POLYBENCH)]
    print(report("without PolyBench", loops))
    decided = [loop for loop in loops if loop.kind in ("source", "source default")]
    print(report("decided by the source", decided))
    for kind, _ in Counter(loop.kind for loop in loops).most_common():
        print(report(f"- {kind}", [loop for loop in loops if loop.kind == kind]))
    print(f"{time.process_time() - begin:.1f} s CPU in this process, without its children")
    return 0


if __name__ == "__main__":
    sys.exit(main())

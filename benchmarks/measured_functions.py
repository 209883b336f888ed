"""How many functions of programs can be measured whole, and why the others cannot.

    python benchmarks/measured_functions.py SUITE FOLDER [--size N] [--seconds S] [--output FILE]

Suites: polybench (PolyBench/C 4.2.1), hpcg (HPCG 3.1), lulesh (LULESH 2.0), npb (NPB-CPP, the
serial MG, CG and FT, after ``make`` in NPB-SER/sys and ``../sys/setparams mg S`` in each folder),
tsvc (nests of TSVC_2), kernels (kerncraft's examples/kernels). A function counts as measured if a
process ran to its end, a call took 20 ns or more, memory was touched, and no loop calls a stub.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.errors import AnalysisError
from rooflint.ir.signature import Signature
from rooflint.measure.build import build_program
from rooflint.measure.kernel import kernel_subject
from rooflint.measure.process import refusal_of, run_program
from rooflint.measure.program import RunSettings
from rooflint.measure.protocol import SHORTEST_CALL_S
from rooflint.measure.records import Batch
from rooflint.measure.refusals import MeasureRefusal, refusal_text
from rooflint.measure.subject import Subject, subject_of
from rooflint.pipeline.signatures import signatures_of


class Suite(NamedTuple):
    """Files of a program, with flags after -- and the functions that count.

    ``marks``: their first nest counts, between marks.
    """

    files: Callable[[Path], list[Path]]
    flags: Callable[[Path], list[str]]
    wanted: Callable[[Signature], bool]
    sizes: tuple[tuple[str, int], ...] = ()
    marks: bool = False


class Outcome(NamedTuple):
    """One function: nanoseconds a call and bytes touched, or why there are none."""

    file: str
    function: str
    ns: float = 0.0
    touched_bytes: int = 0
    refusal: str = ""
    text: str = ""
    stubs: tuple[str, ...] = ()


def looping(signature: Signature) -> bool:
    """A function with a loop of its own; programs run from main to their end."""
    return bool(signature.loops) and signature.name.rpartition("::")[2] != "main"


SUITES = {
    "polybench": Suite(
        lambda root: [p for p in sorted(root.rglob("*.c")) if "utilities" not in p.parts],
        lambda root: ["-O3", "-march=native", f"-I{root / 'utilities'}"],
        lambda s: s.name.startswith("kernel_"),
    ),
    "hpcg": Suite(
        lambda root: [*sorted((root / "src").glob("*_ref.cpp")), root / "src/ComputeResidual.cpp"],
        lambda root: ["-O3", "-march=native", "-DHPCG_NO_MPI", "-DHPCG_NO_OPENMP"],
        lambda s: s.name.endswith(("_ref", "ComputeResidual")),
        (("row", 27),),
    ),
    "lulesh": Suite(
        lambda root: sorted(root.glob("lulesh*.cc")),
        lambda root: ["-O3", "-march=native", "-DUSE_MPI=0"],
        looping,
    ),
    "npb": Suite(
        lambda root: [root / f"NPB-SER/{name}/{name.lower()}.cpp" for name in ("MG", "CG", "FT")],
        lambda root: ["-O3", "-march=native", f"-I{root / 'NPB-SER/common'}"],
        looping,
    ),
    "tsvc": Suite(
        lambda root: [root / "src/tsvc.c"],
        lambda root: ["-O3", "-march=native"],
        looping,
        marks=True,
    ),
    "kernels": Suite(
        lambda root: sorted(root.glob("*.c")), lambda root: ["-O3", "-march=native"], looping
    ),
}


def subjects(suite: Suite, root: Path, kernels: bool) -> Iterator[Subject | Outcome]:
    """The functions that count, or why a file has none."""
    flags = FlagFinder(extra=["gcc", *suite.flags(root)])
    for path in suite.files(root):
        if kernels:
            kernel = kernel_subject(str(path), flags.flags(str(path)))
            yield refused(path, path.stem, kernel) if isinstance(kernel, MeasureRefusal) else kernel
            continue
        try:
            file = signatures_of(str(path), flags.flags(str(path)))
        except AnalysisError as error:
            yield Outcome(path.name, "", refusal="not-parsed", text=str(error))
            continue
        for name in dict.fromkeys(s.name for s in file.signatures if suite.wanted(s)):
            lines = [s.loops[0].line for s in file.signatures if s.name == name and s.loops]
            marked = lines[0] if suite.marks and lines else None
            subject = subject_of(file, str(path), flags.flags(str(path)), name, marked)
            yield refused(path, name, subject) if isinstance(subject, MeasureRefusal) else subject


def refused(path: Path, name: str, refusal: MeasureRefusal) -> Outcome:
    """The outcome of a function that cannot be measured."""
    return Outcome(path.name, name, refusal=refusal.code.value, text=refusal_text(refusal))


def outcome(subject: Subject, suite: Suite, size: int, seconds: float) -> Outcome:
    """Builds and runs one function."""
    path, name = Path(subject.path), subject.signature.name
    with tempfile.TemporaryDirectory(prefix="rooflint-") as folder:
        program = build_program(subject, folder, suite.sizes, "gcc")
        if isinstance(program, MeasureRefusal):
            return refused(path, name, program)
        sizes = [(s.name, size) for s in program.sizes if s.settable and s.origin == "default"]
        own = tuple([each for each in sizes if each[0] != "row"])
        settings = RunSettings(sizes=own, budget_s=0.05, limit=size)
        run = run_program(program, settings, seconds)
        refusal = refusal_of(program, settings, run)
        if refusal is not None:
            return refused(path, name, refusal)
    if not run.batches:
        return Outcome(path.name, name, refusal="no-batch", text="no batch was run")
    took = min(map(seconds_of, run.batches))
    done = Outcome(path.name, name, took * 1e9, run.touched_bytes, stubs=program.stubs)
    if took < SHORTEST_CALL_S:
        return done._replace(refusal="not-the-loop", text=f"a call takes {took * 1e9:.1f} ns")
    if subject.nest is not None and not any(batch.mark_passes for batch in run.batches):
        return done._replace(refusal="not-the-loop", text="the nest was not reached")
    if program.loop_stubs:
        return done._replace(refusal="stub-in-loop", text=f"stub: {program.loop_stubs[0]}")
    if not run.touched_bytes:
        return done._replace(refusal="not-the-loop", text="no memory was touched")
    return done


def seconds_of(batch: Batch) -> float:
    """Of a call or, between marks, of a pass."""
    if not batch.mark_passes:
        return batch.processor_s / batch.calls
    return batch.processor_s * batch.mark_ticks / batch.ticks / batch.mark_passes


def report(outcomes: Iterable[Outcome], output: Path | None) -> None:
    """Prints each outcome as it comes, then the shares."""
    every: list[Outcome] = []
    for each in outcomes:
        every.append(each)
        said = each.text or f"{each.ns:14.1f} ns {each.touched_bytes:10d} B"
        stubs = f"  stubs: {', '.join(each.stubs)}" if each.stubs else ""
        print(f"{each.file:22} {each.function:40} {said}{stubs}", flush=True)
    measured = sum(not each.refusal for each in every)
    print(f"\n{measured} of {len(every)} measured ({measured / max(1, len(every)):.0%})")
    for code in sorted({each.refusal for each in every if each.refusal}):
        names = [each.function or each.file for each in every if each.refusal == code]
        print(f"{len(names):4} {code}: {', '.join(names)}")
    if output is not None:
        output.write_text("".join(json.dumps(each._asdict()) + "\n" for each in every))


def main() -> int:
    """Measures one suite."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("suite", choices=sorted(SUITES))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--function")
    parser.add_argument("--every", type=int, default=1, help="take a part of a large suite")
    options = parser.parse_args()
    suite = SUITES[options.suite]
    begin = time.monotonic()
    found = list(subjects(suite, options.folder, options.suite == "kernels"))[:: options.every]
    report(
        (
            each if isinstance(each, Outcome)
            else outcome(each, suite, options.size, options.seconds)
            for each in found
            if options.function is None
            or (isinstance(each, Subject) and each.signature.name == options.function)
        ),
        options.output,
    )  # fmt: skip
    print(f"{time.monotonic() - begin:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())

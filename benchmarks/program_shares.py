"""Predicted shares of time against measured ones.

``program_shares.py SHARES SOURCES [--program NAME] [--counts FOLDER] [--operators] [--cores N]
[--build COMMAND]``

SHARES is a JSON file: ``programs`` with ``program`` and ``time_shares``, each with ``function`` and
``share`` of the time in functions of the source, or with ``profile``, a file of perf beside it.
SOURCES holds a folder for each program, as
``PROGRAMS`` of ``program_trips`` names it, or the program itself says in ``sources``; a program
whose folder is not there is left out. No size is given. With --program, its largest functions are
listed. FOLDER has NAME.json, the counts of a run that llvm-cov exported. Shares are those of
reports; with --operators, code costs its operators alone, and no model is asked. COMMAND is what
the measured programs were built with, such as 'gcc -O2'; without it, defaults of the command line
hold.
"""

import json
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from program_trips import PROGRAMS, Sources, requests
from rooflint.pipeline import Analysis, Options, Source
from rooflint.pipeline.weights.basis import weighed_basis
from rooflint.pipeline.weights.program_times import ProgramTimes
from rooflint.profiles import SourcePart, read_shares
from rooflint.program.weights import ProgramWeights
from rooflint.registry import load_registry

TOP = 5
AMONG = 10
LISTED = 15


@dataclass(frozen=True, kw_only=True)
class ShareJudgement:
    """Overlap of the shares of one program, and what of the largest ones is right."""

    program: str
    overlap: float
    in_five: float
    in_ten: float
    never_measured: float
    name_never_measured: str


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """The weights of a program, and its functions' shares by name: measured ones know no more."""

    weights: ProgramWeights
    shares: dict[str, float]


def prediction_of(
    root: Path,
    sources: Sources,
    counts: Path | None,
    models: bool,
    cores: str | None,
    build: Sequence[str],
) -> Prediction:
    """The shares of a program's functions, from its sources and the counts of a run."""
    asked = list(requests(root / sources.folder, sources))
    options = Options(
        flags=(*build, *asked[0].flags.options),
        estimators=("ecm",),
        cores=cores,
        counts=() if counts is None else (str(counts),),
        machines=("generic-avx2",),
    )
    analysis = Analysis(options, load_registry())
    files = tuple(analysis.files([Source(each.path) for each in asked]))
    program = analysis.program
    if program is None:
        raise SystemExit(f"{sources.folder}: one file or none")
    basis = tuple(map(weighed_basis, files))
    weights = program.weights(basis)
    times = ProgramTimes(basis if models else (), weights)
    shares: dict[str, float] = defaultdict(float)
    for position, each in enumerate(weights.functions):
        shares[each.function.name] += times.function_share(position)
    return Prediction(weights=weights, shares=shares)


def shares_of_profile(path: Path, weights: ProgramWeights) -> dict[str, float]:
    """Measured shares of the functions of the source; accessors count for their callers."""
    reading = read_shares([str(path)])
    for problem in reading.problems:
        raise SystemExit(str(problem))
    functions = [each.function for each in weights.functions if not each.accessor]
    with_spans = [(each, each.span) for each in functions if each.span is not None]
    parts = [SourcePart(function.path, span) for function, span in with_spans]
    times = reading.profile.shares(parts)
    shares: dict[str, float] = defaultdict(float)
    for (function, _), share in zip(with_spans, times.parts, strict=True):
        if share:
            shares[function.name] += share / (1 - times.outside)
    return shares


def largest(shares: Mapping[str, float], count: int) -> list[str]:
    """Names of the largest shares, the largest first."""
    return sorted(shares, key=lambda name: -shares[name])[:count]


def judged(
    program: str,
    predicted: Mapping[str, float],
    measured: Mapping[str, float],
    measurable: Collection[str],
) -> ShareJudgement:
    """Compares shares of functions; ``measurable``: those that a profile can tell apart."""
    top = sorted(measured, key=lambda name: -measured[name])[:TOP]
    ranked = largest(predicted, AMONG)
    others = [(predicted[name], name) for name in measurable if name not in measured]
    never, name = max(others, default=(0.0, ""))
    return ShareJudgement(
        program=program,
        overlap=sum(min(share, predicted[name]) for name, share in measured.items()),
        in_five=sum(name in ranked[:TOP] for name in top) / len(top),
        in_ten=sum(name in ranked for name in top) / len(top),
        never_measured=never,
        name_never_measured=name,
    )


def sources_of(entry: Mapping[str, Any]) -> Sources:
    """The sources that the entry names, or those of a program of ``program_trips``."""
    own = entry.get("sources")
    if own is None:
        return PROGRAMS[entry["program"]]
    return Sources(
        folder=own["folder"], files=tuple(own["files"]), options=tuple(own.get("options", ()))
    )


def listing(prediction: Prediction, measured: Mapping[str, float]) -> str:
    """The largest functions: predicted and measured shares, executions, operators a call."""
    predicted = prediction.shares
    executions: dict[str, float] = defaultdict(float)
    operators: dict[str, float] = defaultdict(float)
    for each in prediction.weights.functions:
        executions[each.function.name] += each.weight.executions
        operators[each.function.name] += each.operators
    names = largest(predicted, LISTED)
    names += [name for name in measured if name not in names]
    return "\n".join(
        f"  {name:40} {predicted[name]:7.2%} {measured.get(name, 0.0):7.2%}"
        f" {executions[name]:12.4g} {operators[name] / (executions[name] or 1):12.4g}"
        for name in names
    )


def main() -> int:
    """Prints a line for each program, and the means."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("shares", type=Path)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--program")
    parser.add_argument("--counts", type=Path)
    parser.add_argument("--operators", action="store_true")
    parser.add_argument("--cores", default="1", help="1, as the programs were measured, or default")
    parser.add_argument("--build", default="", metavar="COMMAND", help="as in 'gcc -O2'")
    given = parser.parse_args()
    root = given.sources.resolve()
    judgements: list[ShareJudgement] = []
    for entry in json.loads(given.shares.read_text())["programs"]:
        program = entry["program"]
        if not {"time_shares", "profile"} & entry.keys():
            continue
        if given.program not in (None, program):
            continue
        sources = sources_of(entry)
        if not (root / sources.folder).is_dir():
            print(f"{program:12} left out: no folder {sources.folder}")
            continue
        counts = None if given.counts is None else given.counts / f"{program}.json"
        if counts is not None and not counts.is_file():
            raise SystemExit(f"{counts}: no such file, so there are no counts of {program}")
        cores = None if given.cores == "default" else given.cores
        prediction = prediction_of(
            root, sources, counts, not given.operators, cores, given.build.split()
        )
        if "profile" in entry:
            shares = shares_of_profile(given.shares.parent / entry["profile"], prediction.weights)
        else:
            shares = defaultdict(float)
            for each in entry["time_shares"]:
                shares[each["function"]] += each["share"]
        if not shares:
            print(
                f"{program:12} left out: no sample is in a function of its sources outside headers"
            )
            continue
        functions = [each.function for each in prediction.weights.functions]
        own = judged(
            program,
            prediction.shares,
            shares,
            # bodies in headers have no place of their own
            {each.name for each in functions if each.span is not None},
        )
        judgements.append(own)
        print(
            f"{program:12} overlap {own.overlap:.2f}, top five in five {own.in_five:.2f},"
            f" in ten {own.in_ten:.2f}, never measured {own.never_measured:.1%}"
            f" ({own.name_never_measured})"
        )
        if given.program:
            print(listing(prediction, shares))
    count = len(judgements) or 1
    print(
        f"mean         overlap {sum(each.overlap for each in judgements) / count:.2f},"
        f" top five in five {sum(each.in_five for each in judgements) / count:.2f},"
        f" in ten {sum(each.in_ten for each in judgements) / count:.2f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

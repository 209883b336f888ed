"""Predicted shares of time against measured ones: ``program_shares.py SHARES SOURCES [PROGRAM]``.

SHARES is a JSON file: ``programs`` with ``program`` and ``time_shares``, each with ``function`` and
``share`` of the time in functions of the source, or with ``profile``, a file of perf beside it.
SOURCES holds a folder for each program, as
``PROGRAMS`` of ``program_trips`` names it, or the program itself says in ``sources``; a program
whose folder is not there is left out. No size is given. With PROGRAM, its largest functions are
listed.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from program_trips import PROGRAMS, Sources, requests
from rooflint.ir.equations import Equations
from rooflint.pipeline.front_end import equations_of
from rooflint.profiles import SourcePart, read_shares
from rooflint.program.linking import link_files
from rooflint.program.weights import ProgramWeights, program_weights

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


def weights_of(root: Path, sources: Sources) -> ProgramWeights:
    """The weights of a program from its sources alone."""
    read = [answer for _, answer in equations_of(requests(root / sources.folder, sources))]
    return program_weights(link_files([file for file in read if isinstance(file, Equations)]))


def predicted_shares(weights: ProgramWeights) -> dict[str, float]:
    """Shares by name: the measured ones know no more."""
    shares: dict[str, float] = defaultdict(float)
    for each in weights.functions:
        shares[each.function.name] += each.weight.share
    return shares


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
    program: str, predicted: Mapping[str, float], measured: Mapping[str, float]
) -> ShareJudgement:
    """Compares shares of functions."""
    top = sorted(measured, key=lambda name: -measured[name])[:TOP]
    ranked = largest(predicted, AMONG)
    others = [(share, name) for name, share in predicted.items() if name not in measured]
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


def listing(weights: ProgramWeights, measured: Mapping[str, float]) -> str:
    """The largest functions: predicted and measured shares, executions, operators a call."""
    predicted = predicted_shares(weights)
    executions: dict[str, float] = defaultdict(float)
    operators: dict[str, float] = defaultdict(float)
    for each in weights.functions:
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
    if len(sys.argv) not in (3, 4):
        print(__doc__)
        return 2
    root = Path(sys.argv[2]).resolve()
    judgements: list[ShareJudgement] = []
    for entry in json.loads(Path(sys.argv[1]).read_text())["programs"]:
        program = entry["program"]
        if not {"time_shares", "profile"} & entry.keys():
            continue
        if len(sys.argv) > 3 and program != sys.argv[3]:
            continue
        sources = sources_of(entry)
        if not (root / sources.folder).is_dir():
            print(f"{program:12} left out: no folder {sources.folder}")
            continue
        weights = weights_of(root, sources)
        if "profile" in entry:
            shares = shares_of_profile(Path(sys.argv[1]).parent / entry["profile"], weights)
        else:
            shares = defaultdict(float)
            for each in entry["time_shares"]:
                shares[each["function"]] += each["share"]
        own = judged(program, predicted_shares(weights), shares)
        judgements.append(own)
        print(
            f"{program:12} overlap {own.overlap:.2f}, top five in five {own.in_five:.2f},"
            f" in ten {own.in_ten:.2f}, never measured {own.never_measured:.1%}"
            f" ({own.name_never_measured})"
        )
        if len(sys.argv) > 3:
            print(listing(weights, shares))
    count = len(judgements) or 1
    print(
        f"mean         overlap {sum(each.overlap for each in judgements) / count:.2f},"
        f" top five in five {sum(each.in_five for each in judgements) / count:.2f},"
        f" in ten {sum(each.in_ten for each in judgements) / count:.2f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Sizes that ``rooflint sizes`` asks for: ``asked_sizes.py SHARES SOURCES [PROGRAM NAME=VALUE…]``.

SHARES and SOURCES are those of ``program_shares``. For each program: the names asked first, and the
overlap of predicted and measured shares of time. Answers for one program tell what they are worth.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

from program_shares import sources_of
from program_trips import requests
from rooflint.errors import UsageError
from rooflint.ir.equations import Equations
from rooflint.pipeline.front_end import equations_of
from rooflint.program.asking.deciding import DecidingSizes, first_asked
from rooflint.program.scenarios import ProgramScenario
from rooflint.program.weights import ProgramWeights
from rooflint.scenario.sizes import SizeLayer, parse_size

EFFORT = 100_000


def overlap(weights: ProgramWeights, measured: dict[str, float]) -> float:
    """The sum of the smaller shares; measured ones know functions by name alone."""
    predicted: dict[str, float] = defaultdict(float)
    for each in weights.functions:
        predicted[each.function.name] += each.weight.share
    return sum(min(share, predicted[name]) for name, share in measured.items())


def main() -> int:
    """Prints the names of each program, and the overlap."""
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    try:
        answers = dict(map(parse_size, sys.argv[4:]))
    except UsageError as error:
        print(error)
        return 2
    root = Path(sys.argv[2]).resolve()
    for entry in json.loads(Path(sys.argv[1]).read_text())["programs"]:
        program = entry["program"]
        chosen = len(sys.argv) < 4 or program == sys.argv[3]
        if not chosen or "time_shares" not in entry:
            continue
        sources = sources_of(entry)
        read = [answer for _, answer in equations_of(requests(root / sources.folder, sources))]
        scenario = ProgramScenario([file for file in read if isinstance(file, Equations)])
        measured: dict[str, float] = defaultdict(float)
        for each in entry["time_shares"]:
            measured[each["function"]] += each["share"]
        given = scenario.given_sizes([SizeLayer("command line", answers)])
        sizes = DecidingSizes(scenario.equations, given)
        print(f"{program:10} overlap {overlap(sizes.weights, measured):.2f}")
        for group in first_asked(sizes.ranked(EFFORT)):
            print(f"  moves {group.moves:.1%}, scales {group.scales:.1%}:")
            for each in group.names:
                low, lower, typical, upper, high = each.typical.points
                print(f"    {each.name:32} {typical:6} ({low} {lower}-{upper} {high})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

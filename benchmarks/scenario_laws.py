"""Laws that every scenario has to keep: ``scenario_laws.py FOLDER...``.

Solves each folder as one program, with no size given, and prints how many names have two values in
one scope, and the predicted time of a run against the time that it may take.
"""

import argparse
import os
from collections import defaultdict
from collections.abc import Iterator

from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.source_files import source_files
from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations
from rooflint.pipeline.front_end import equations_of
from rooflint.program.budget import MAX_OPERATORS
from rooflint.program.scenarios import ProgramScenario


def requests(folder: str) -> Iterator[Request]:
    """A request for each source file below a folder, with the headers' usual folders."""
    includes = [f"-I{os.path.join(folder, name)}" for name in ("", "include", "src", "lib")]
    for path in sorted(source_files([folder]).files):
        flags = Flags("c" if path.endswith(".c") else "c++", options=tuple(includes))
        yield Request(path, flags)


def values_of_names(scenario: ProgramScenario, paths: list[str]) -> tuple[int, list[str]]:
    """The number of names with a value, and those that have several in one scope of a file."""
    found: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for path in paths:
        file = scenario.of_file(path)
        for function in file.functions:
            for name, position in (*function.names.items(), *file.shared.items()):
                value = file.values[position]
                found[path, value.scope, name].add(value.typical)
    several = [f"{path}: {scope}::{name}" for (path, scope, name), v in found.items() if len(v) > 1]
    return len(found), several


def row(folder: str) -> str:
    """A line of the table."""
    read = [each for _, each in equations_of(requests(folder)) if isinstance(each, Equations)]
    scenario = ProgramScenario(read)
    names, several = values_of_names(scenario, [each.path for each in read])
    weights = scenario.weights()
    mains = sum([each.function.entry for each in weights.functions])
    used = weights.operators / (MAX_OPERATORS * max(1, len(weights.runs.entries)))
    name = os.path.basename(os.path.normpath(folder))
    return f"| {name} | {len(read)} | {names} | {len(several)} | {mains} | {used:.3g} |"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    print("| tree | files | names | with two values | mains | run over budget |")
    print("| --- | --: | --: | --: | --: | --: |")
    for folder in parser.parse_args().folders:
        print(row(folder), flush=True)


if __name__ == "__main__":
    main()

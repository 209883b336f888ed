"""Whether hint, hover, lens, reports, page, findings, comparison and plot agree on each loop.

    python benchmarks/door_agreement.py DIR|FILE... [--machine M]... [--alone] [-D N=V]... [-- ...]

Each file of C or C++ below a folder is analysed as ``rooflint analyze`` does and opened as an
editor does, with the flags after ``--``; then all files together, as one program.
``tests/doors.py`` reads back what each door prints. Prints each contradiction, and ``0 of N loops
disagree`` for each machine. ``--alone``: each file is a program of its own, as benchmarks are.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rooflint.lint import lint_file
from rooflint.pipeline import Analysis, Options, Source, find_sources
from rooflint.pipeline.measured.run_report import run_report
from rooflint.plugin_api.report import Report
from rooflint.registry import load_registry
from rooflint.scenario.sizes import parse_size
from rooflint_lsp.documents.open_files import ShownReport
from rooflint_lsp.documents.settings import ESTIMATORS, Settings

from tests.doors import RunDoors
from tests.printed_figures import Contradiction
from tests.shown import opened_report

MACHINES = ("skylake-sp-6148", "zen4-9654", "graviton4-c8g")
SHOWN = 400


class Setting(NamedTuple):
    """The options that all doors of a run share."""

    machine: str
    sizes: dict[str, int]
    flags: tuple[str, ...]


def reported(paths: Sequence[str], setting: Setting) -> Report:
    """The report of ``rooflint analyze`` on files together."""
    found = find_sources(paths)
    options = Options(
        machines=(setting.machine,),
        sizes=setting.sizes,
        flags=setting.flags,
        estimators=ESTIMATORS,
        advice=True,
        jobs=1,
    )
    analysis = Analysis(options, load_registry(), lint_file)
    for _ in analysis.files([Source(path) for path in found.sources]):
        pass
    return run_report(analysis).report


def opened(report: Report, setting: Setting) -> dict[str, ShownReport]:
    """The files of a report as an editor has them."""
    settings = Settings(machine=(setting.machine,), sizes=setting.sizes, flags=setting.flags)
    shown = {}
    for file in report.files:
        if file.status != "failed" and any(True for _ in file.kernels()):
            text = Path(file.path).read_bytes().decode("utf-8", "replace")
            shown[file.path] = opened_report(file.path, text, settings)
    return shown


def doors_of(paths: Sequence[str], setting: Setting, *, alone: bool) -> Iterator[RunDoors]:
    """The doors of each file by itself, with an editor's, and of all files together."""
    sources = find_sources(paths).sources
    for path in sources:
        report = reported([path], setting)
        yield RunDoors(report, opened(report, setting))
    if len(sources) > 1 and not alone:
        yield RunDoors(reported(paths, setting), {})


def main() -> int:
    """Prints the contradictions; the exit code is 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--machine", action="append")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("-D", action="append", default=[], dest="sizes")
    own, _, flags = _split(sys.argv[1:])
    given = parser.parse_args(own)
    failed = False
    for machine in given.machine or MACHINES:
        setting = Setting(machine, dict(map(parse_size, given.sizes)), tuple(flags))
        started = time.process_time()
        loops, wrong = 0, list[Contradiction]()
        for doors in doors_of(given.paths, setting, alone=given.alone):
            loops += len(doors.loops)
            found = list(doors.disagreements())
            wrong += found
            for each in found[:SHOWN]:
                print(each, flush=True)
        places = {each.place for each in wrong}
        kinds = Counter(f"{e.first.quantity.value}: {e.first.door}/{e.second.door}" for e in wrong)
        for kind, count in kinds.most_common():
            print(f"  {count} x {kind}")
        seconds = time.process_time() - started
        print(f"{machine}: {len(places)} of {loops} loops disagree ({seconds:.0f} s)", flush=True)
        failed = failed or bool(wrong)
    return 1 if failed else 0


def _split(words: list[str]) -> tuple[list[str], str, list[str]]:
    if "--" not in words:
        return words, "", []
    place = words.index("--")
    return words[:place], "--", words[place + 1 :]


if __name__ == "__main__":
    sys.exit(main())

"""``rooflint compare OLD NEW``: predicted time per function of two trees, commits or machines."""

import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from rooflint.cli.analyze import ESTIMATORS, analysis_code, complaints, paths_code
from rooflint.cli.arguments import Parser, split_flags
from rooflint.cli.exit_codes import ExitCode, strongest
from rooflint.cli.options import add_entry, add_predicting, add_running, predicting, running
from rooflint.cli.progress import collect
from rooflint.cli.report.output import check_output, say, use_colour, width, write
from rooflint.compare.comparison import Side, Sizes, compare, sizes_by_function
from rooflint.compare.revisions import Revision, find_revision, move_database, write_files
from rooflint.errors import UsageError, near_miss
from rooflint.git import find_folders, open_repository
from rooflint.pipeline import Analysis, Options, SetupResolver, find_sources
from rooflint.pipeline.setup.counterparts import (
    SettingDifference,
    SettingsReader,
    judged_by_counterparts,
)
from rooflint.records import NamedTuple
from rooflint.registry import Registry, load_registry
from rooflint.render.changes import FORMATS, ComparisonReport, render_changes
from rooflint.render.layout import Style
from rooflint.verdict.by_loop import by_loop
from rooflint.verdict.steps import with_verdicts

PROGRAM = "rooflint compare"
DATABASE = "compile_commands.json"
DESCRIPTION = """Compares the predicted time of each function of OLD and NEW: files, folders, or
commits of the current git repository (a name that is not a file). With one PATH and two
machines, compares that PATH on both. Both sides get the sizes of OLD. Nothing is built or run.
"""
EPILOG = """examples:
  rooflint compare main .                       the work tree against a branch
  rooflint compare HEAD~1 HEAD --machine cell   two commits
  rooflint compare old/ new/ -D n=4000
  rooflint compare src/ --machine haswell-ep-e5-2695v3 --machine skx

exit codes: 0 nothing slower, 1 a function is slower by the threshold, 2 usage or configuration,
3 a file of either side could not be analysed, 70 internal error, 130 or 143 interrupted
"""


def build_parser() -> Parser:
    """The options of ``rooflint compare``."""
    parser = Parser(PROGRAM, DESCRIPTION, EPILOG)
    add = parser.add_argument
    add(
        "paths", nargs="*", metavar="OLD NEW", help="two paths or commits; or one, and two machines"
    )
    add_predicting(parser)
    add_entry(parser)
    add("--threshold", type=ratio, default=1.1, metavar="RATIO",
        help="fail if a function is slower by this factor (default 1.1)")  # fmt: skip
    add("--format", default="text", metavar="NAME", help=f"{', '.join(FORMATS)}")
    add("-o", dest="output", metavar="FILE", help="write the report to FILE instead of stdout")
    add_running(parser)
    return parser


class Tree(NamedTuple):
    """One side: its name for people, the place of its files, and whether that place is its own."""

    name: str
    path: str
    root: str
    own: bool

    def relative(self, path: str) -> str:
        """A file's place in the tree."""
        if os.path.isfile(self.path):
            return os.path.basename(path)
        return os.path.relpath(path, self.path)

    def place(self, relative: str) -> str:
        """Where a file of that place in the tree is, or would be."""
        return self.path if os.path.isfile(self.path) else os.path.join(self.path, relative)


def run_compare(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    mine, flags = split_flags(arguments)
    given = build_parser().parse(mine)
    machines = tuple(given.machine or ())
    check(given.paths, machines, given.format)
    check_output(given.output)
    options = predicting(given, flags)._replace(estimators=ESTIMATORS, entry=given.entry)
    options = running(options, given)
    with ExitStack() as stack:
        trees = [
            tree_of(name, _other(given.paths, name), given.build_dir, stack) for name in given.paths
        ]
        runs = Runs(trees, options, load_registry())
        sides = runs.sides()
    if sides is None:
        return runs.exit_code()
    found = compare(*sides, runs.sizes)
    style = Style(width(given.output), use_colour(given.colour, given.output))
    old, new = runs.names
    report = ComparisonReport(
        comparison=found,
        old=old,
        new=new,
        machines=sides[0].report.machines,
        threshold=given.threshold,
        settings=runs.differences,
    )
    write(render_changes(report, given.format, style), given.output)
    slower = ExitCode.FINDINGS if found.slower(given.threshold) else ExitCode.FINE
    return strongest(runs.exit_code(), slower)


def check(paths: Sequence[str], machines: Sequence[str], form: str) -> None:
    """Raises UsageError for arguments that do not go together."""
    if form not in FORMATS:
        expected = f"expected {', '.join(FORMATS[:-1])} or {FORMATS[-1]}{near_miss(form, FORMATS)}"
        raise UsageError(f"--format: unknown format '{form}', {expected}")
    if len(paths) == 2 and len(machines) < 2:
        return
    if len(paths) == 1 and len(machines) == 2:
        return
    if len(paths) == 2:
        raise UsageError("two trees are compared on one machine: name one with --machine")
    if len(paths) == 1:
        raise UsageError(f"nothing to compare {paths[0]} with: name NEW as well, or two --machine")
    raise UsageError("expected OLD and NEW; see 'rooflint compare --help'")


def ratio(text: str) -> float:
    """A number of at least 1."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 1 <= value < math.inf:
        raise UsageError(f"--threshold: '{text}', expected a ratio of at least 1, such as 1.1")
    return value


def _other(paths: Sequence[str], name: str) -> str | None:
    return next((path for path in paths if path != name), None)


def tree_of(name: str, other: str | None, build_dir: str | None, stack: ExitStack) -> Tree:
    """The tree that ``name`` means; a commit's files are written to a folder of ``stack``.

    Of a commit compared with a path, only what is at that path.
    """
    if os.path.exists(name):
        return Tree(name, name, name, own=False)
    missing = f"{name}: there is no such path, and no commit of that name here"
    folder = Path.cwd()
    if find_folders(folder) is None:
        raise UsageError(missing)
    revision = find_revision(name, stack.enter_context(open_repository(folder)))
    if revision is None:
        raise UsageError(missing)
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rooflint-")))
    write_files(revision, folder)
    database = database_of(revision, build_dir)
    if database is not None:
        move_database(database, revision.root, folder)
    within = _within(revision, other)
    if not os.path.lexists(folder / within):
        raise UsageError(f"{revision.words} has no {within}")
    return Tree(revision.words, str(folder / within), str(folder), own=True)


def _within(revision: Revision, other: str | None) -> str:
    place = other if other is not None and os.path.exists(other) else os.curdir
    relative = os.path.relpath(os.path.realpath(place), os.path.realpath(revision.root))
    return os.curdir if relative.startswith(os.pardir) else relative


def database_of(revision: Revision, build_dir: str | None) -> Path | None:
    """The compilation database of the work tree, whose flags the commit's files get."""
    if build_dir is not None:
        path = Path(build_dir)
        return path / DATABASE if path.is_dir() else path
    places = [revision.root, *(revision.root / name for name in ("build", "out", "builddir"))]
    return next((place / DATABASE for place in places if (place / DATABASE).is_file()), None)


class Runs:
    """The analyses of one or two trees, with the same machines and the same sizes."""

    def __init__(self, trees: Sequence[Tree], options: Options, registry: Registry) -> None:
        self.trees, self.registry = trees, registry
        self.found = [find_sources([tree.path]) for tree in trees]
        self.options = options
        self._analyses: list[Analysis] = []
        self._interruption = ExitCode.FINE
        self.sizes: Sizes = {}
        self.differences: tuple[SettingDifference, ...] = ()

    @property
    def names(self) -> tuple[str, str]:
        """The names of both sides, for people."""
        if len(self.trees) == 1:
            return self.options.machines[0], self.options.machines[1]
        return self.trees[0].name, self.trees[1].name

    def sides(self) -> tuple[Side, Side] | None:
        """Both analysed with the sizes of the first; None where that was cut short or is empty."""
        for found in self.found:
            say(PROGRAM, found.problems)
        if not all(found.sources for found in self.found):
            return None
        last = len(self.trees) - 1
        if last:
            self._judge_alike()
        first = self._analysed(0, self.options)
        say(PROGRAM, complaints(first, first.report()))
        self.sizes, same = sizes_by_function(self._side(first, 0, 0))
        if not same or not last:
            first = self._analysed(0, self._pinned(0))
        second = first
        if last:
            second = self._analysed(last, self._pinned(last))
            say(PROGRAM, complaints(second, second.report()))
        if self._interruption:
            say(PROGRAM, ["interrupted: nothing compared"])
            return None
        return self._side(first, 0, 0), self._side(second, last, 1 - last)

    def exit_code(self) -> ExitCode:
        """As ``analyze`` has it, for both."""
        codes = [analysis_code(each, each.report()) for each in self._analyses]
        codes += map(paths_code, self.found)
        if not all(found.sources for found in self.found):
            codes.append(ExitCode.LOST)
        return strongest(self._interruption, *codes)

    def _judge_alike(self) -> None:
        """Both trees get the settings of the new one; its first file's machine is that of all."""
        old, new = self.trees
        sources = self.found[0].sources
        counterparts = {path: new.place(old.relative(path)) for path in sources}
        readers = [
            SettingsReader(self._own(place, self.options), self.registry) for place in (0, 1)
        ]
        judged, self.differences = judged_by_counterparts(counterparts, *readers)
        machine = SetupResolver(self.options, self.registry).setup_for(self.found[1].sources[0])
        self.options = self.options._replace(machines=(machine.machines[0].file,), judged=judged)

    def _own(self, place: int, options: Options) -> Options:
        tree = self.trees[place]
        if not tree.own:
            return options
        # its files are gone after the run, and its flags are those written for it
        has_database = os.path.isfile(os.path.join(tree.root, DATABASE))
        build_dir = tree.root if has_database else None
        return options._replace(build_dir=build_dir, cache_dir="")

    def _analysed(self, place: int, options: Options) -> Analysis:
        analysis = Analysis(self._own(place, options), self.registry)
        if not self._interruption:
            self._interruption = collect(analysis, self.found[place].sources)
        self._analyses.append(analysis)
        return analysis

    def _pinned(self, place: int) -> Options:
        by_name: dict[str, Mapping[str, int]] = {}
        by_file: dict[str, dict[str, Mapping[str, int]]] = {}
        for (path, name, _), sizes in self.sizes.items():
            values = {size: found.value for size, found in sizes.items()}
            by_name.setdefault(name, values)
            by_file.setdefault(path, {}).setdefault(name, values)
        pinned = {
            path: {**by_name, **by_file.get(self.trees[place].relative(path), {})}
            for path in self.found[place].sources
        }
        return self.options._replace(pinned=pinned)

    def _side(self, analysis: Analysis, place: int, machine: int) -> Side:
        report = with_verdicts(analysis.report())
        return Side(
            report=report,
            machine=machine,
            relative=self.trees[place].relative,
            verdicts=by_loop(report.verdicts),
        )

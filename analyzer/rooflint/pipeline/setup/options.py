"""Options of a run."""

from collections.abc import Mapping
from typing import Literal

from rooflint.config.lint_settings import LintOverrides
from rooflint.core import Compiler
from rooflint.memory import Rule
from rooflint.records import NamedTuple
from rooflint.scenario import EntryName
from rooflint.workers.limits import Limits


class JudgedSettings(NamedTuple):
    """Whose settings a file is judged by: those of the file ``like``, and ``compiler`` if known."""

    like: str
    compiler: Compiler | None


class Options(NamedTuple):
    """The command line's part; empty means that configuration and defaults decide.

    sizes      values of size parameters by name
    scenario   the one whose configured sizes hold before the others'; empty: none
    build_dir  folder or file of the compilation database; else the nearest one above a file
    flags      compiler flags of files without an entry there
    jobs       files parsed at the same time; 0: as many as there are processors
    layers     the rule for what a cache must hold to keep a layer
    limits     what one file may cost
    cluster    address of the scheduler of a Dask cluster that takes the place of ``jobs``
    cache_dir  folder of results to keep: empty keeps none, None is the usual one
    pinned     sizes of functions, by file and name, that hold before comments and configuration
    judged     by whose settings files of an earlier tree are judged, by file
    isolated   configuration files are not read
    lint       what the lint is asked for; None: files are analysed
    counts     files with counts of a run, and ``profiles`` with its times; empty: as configured
    entry      the state of the caches when a function is called; None: as configured, else the rule
               of ``rooflint.scenario``
    estimators models asked beside those of reports, for verdicts alone, unless ``models`` are named
    residency  the level that holds all data when a loop starts; empty: as ``entry`` says
    limiters   whether the limiter of each kernel is tried at the ends of its guessed sizes
    advice     whether loops that take time are linted, too, and their limiters tried
    advice_in_full
               also those that take time of one of several entries, but hardly any of all together
    exact      every line is counted, whatever that takes
    reuse_in_full  regimes and blocks are replayed, and misses told apart by their kind: for output
               that shows them
    detailed   the models are also asked for the other state of the caches on entry: for output that
               has details of loops
    core_source  ``model``, or the analyser that reads the assembly which ``compiler`` makes
    compiler     whose code is planned, name or path; empty: as configured, else what a file's
                 command line names, else clang
    """

    machines: tuple[str, ...] = ()
    cores: str | None = None
    sizes: Mapping[str, int] = {}
    scenario: str = ""
    models: tuple[str, ...] = ()
    build_dir: str | None = None
    flags: tuple[str, ...] = ()
    jobs: int = 0
    layers: Rule = "exact"
    core_source: Literal["model", "llvm-mca", "osaca"] = "model"
    compiler: str = ""
    limits: Limits = Limits()
    cluster: str = ""
    cache_dir: str | None = ""
    pinned: Mapping[str, Mapping[str, Mapping[str, int]]] = {}
    judged: Mapping[str, JudgedSettings] = {}
    isolated: bool = False
    lint: LintOverrides | None = None
    residency: str = ""
    counts: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    entry: EntryName | None = None
    limiters: bool = False
    advice: bool = False
    advice_in_full: bool = True
    estimators: tuple[str, ...] = ()
    exact: bool = False
    reuse_in_full: bool = False
    detailed: bool = False

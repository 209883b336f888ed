"""Options that every command which predicts has, and what they ask a run for."""

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rooflint.cli.arguments import Parser, compiler, cores, positive, size

if TYPE_CHECKING:
    from rooflint.pipeline import Options

AXES: Final = ("operational", "carm")
"""Bytes that a roofline plot may count."""


def add_predicting(parser: Parser) -> None:
    """Options of a prediction: those of ``add_target``, cores, and the compiler."""
    add_target(parser)
    parser.add_argument("--compiler", type=compiler, metavar="NAME",
        help="compiler to model: a clang or gcc such as gcc-12, by name or path; default: that of"
        " the compile command, else clang")  # fmt: skip
    parser.add_argument("--cores", type=cores, metavar="1|socket|node|N",
        help="active cores; default: one, inside an OpenMP parallel region one socket")  # fmt: skip


def add_target(parser: Parser) -> None:
    """The same without the cores."""
    parser.add_argument("--machine", action="append", metavar="NAME|FILE",
        help="target machine; repeatable (see: rooflint machine list)")  # fmt: skip
    add_sizes(parser)


def add_sizes(parser: Parser) -> None:
    """Sizes, and where the compile commands are."""
    add = parser.add_argument
    add("-D", action="append", type=size, dest="sizes", metavar="NAME=NUMBER",
        help="set a size, such as N=4096; 'gemm:n=512' in one function or type")  # fmt: skip
    add("--scenario", metavar="NAME",
        help="use the sizes of [scenario.NAME] in the configuration before [sizes]")  # fmt: skip
    add("-p", dest="build_dir", metavar="BUILD_DIR", help="folder with compile_commands.json")


def add_profiles(parser: Parser) -> None:
    """Counts and times of a run of the program."""
    add = parser.add_argument
    add("--counts", action="append", metavar="FILE",
        help="counts of loops and branches in a run: JSON of llvm-cov export, or of gcov at -O0; "
        "repeatable, runs add up")  # fmt: skip
    add("--profile", action="append", metavar="FILE",
        help="where a run spent its time: text of perf report or perf script, or callgrind.out; "
        "repeatable, runs add up")  # fmt: skip


def add_entry(parser: Parser) -> None:
    """The state of the caches, of commands that predict and measure nothing."""
    parser.add_argument("--entry", choices=("steady", "cold"),
        help="caches when a function is called: as repeated calls leave them (steady), or empty "
        "(cold); default: steady, cold in main")  # fmt: skip


def predicting(given: Namespace, flags: Sequence[str], database: str | None = None) -> "Options":
    """The options of ``add_predicting`` and, where a command has them, of ``add_profiles``.

    ``database``: the one among the paths.
    """
    from rooflint.pipeline import Options
    from rooflint.scenario.sizes import sizes_by_name

    return Options(
        machines=tuple(getattr(given, "machine", None) or ()),
        cores=getattr(given, "cores", None),
        sizes=sizes_by_name(given.sizes or ()),
        scenario=given.scenario or "",
        build_dir=given.build_dir or database,
        compiler=getattr(given, "compiler", None) or "",
        flags=tuple(flags),
        counts=tuple(getattr(given, "counts", None) or ()),
        profiles=tuple(getattr(given, "profile", None) or ()),
    )


def add_running(parser: Parser) -> None:
    """How and where files are analysed, what one may cost, earlier results, and colours."""
    parser.add_argument("--cluster", default="", metavar="ADDRESS",
        help="analyse on a Dask cluster, such as tcp://node1:8786, instead of this machine "
        "(pip install 'rooflint[cluster]')")  # fmt: skip
    add_limits(parser)
    colour = parser.add_mutually_exclusive_group()
    colour.add_argument("--color", action="store_true", default=None, dest="colour",
        help="use colours even if stdout is not a terminal")  # fmt: skip
    colour.add_argument("--no-color", action="store_false", dest="colour", help="no colours")


def add_limits(parser: Parser) -> None:
    """How many files are read at a time, what one may cost, and earlier results."""
    parser.add_argument("--jobs", type=positive, default=0, metavar="N",
        help="number of files to analyse in parallel")  # fmt: skip
    parser.add_argument("--file-seconds", type=positive, default=60, metavar="S",
        help="CPU time limit per file in seconds (default 60); also limits wall time to 10 times "
        "that and, on Linux, idle time to 10 s")  # fmt: skip
    parser.add_argument("--file-memory", type=positive, default=4096, metavar="MIB",
        help="memory limit per file (default 4096)")  # fmt: skip
    parser.add_argument("--no-cache", action="store_false", dest="cache",
        help="neither read nor write cached results (see: rooflint cache info)")  # fmt: skip


def running(options: "Options", given: Namespace) -> "Options":
    """With what ``add_running`` was given."""
    return with_limits(options, given)._replace(cluster=given.cluster)


def with_limits(options: "Options", given: Namespace) -> "Options":
    """With what ``add_limits`` was given."""
    from rooflint.pipeline import Limits

    return options._replace(
        jobs=given.jobs,
        limits=Limits(given.file_seconds, given.file_memory),
        cache_dir=None if given.cache else "",
    )

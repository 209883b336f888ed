"""``rooflint cache info|clear``: results that runs keep for one another, and measurements."""

from collections.abc import Sequence

from rooflint.cli.arguments import Parser
from rooflint.cli.exit_codes import ExitCode
from rooflint.errors import UsageError
from rooflint.escaping import visible
from rooflint.incremental.measurements import MeasurementStore
from rooflint.pipeline import DiskStore, default_folder

DESCRIPTION = """Results of files are cached from run to run, and reused as long as the file, its
headers, flags, machines, settings and this program are the same. The folder is
ROOFLINT_CACHE_DIR, else the user's cache folder. It must belong to the user alone; entries of
other users are ignored. Stable results of 'rooflint measure' are stored below it: clear removes
them too, and 'rooflint measure --export FILE' saves them before.
"""
ACTIONS = ("info", "clear")


def cache(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    given = build_parser().parse(arguments)
    if given.action not in ACTIONS:
        raise UsageError("cache: expected info or clear")
    folder = default_folder()
    store, place = DiskStore(folder), visible(folder)
    measurements = MeasurementStore()
    if given.action == "clear":
        print(f"{amount_text(*store.clear())} removed from {place}")
        measured, what = measurements.clear(), " removed"
    else:
        print(f"{place}: {amount_text(*store.usage())} of at most {store.limit_bytes >> 20} MiB")
        measured, what = measurements.usage(), ""
    if measured.entries:
        print(f"{amount_text(*measured, 'measurement')}{what}")
    return ExitCode.FINE


def build_parser() -> Parser:
    """The options of ``rooflint cache``."""
    parser = Parser("rooflint cache", DESCRIPTION)
    parser.add_argument("action", nargs="?", metavar="info|clear")
    return parser


def amount_text(entries: int, size_bytes: int, noun: str = "result") -> str:
    """``12 results, 3.4 MiB``."""
    return f"{entries} {noun}{'' if entries == 1 else 's'}, {size_bytes / 2**20:.1f} MiB"

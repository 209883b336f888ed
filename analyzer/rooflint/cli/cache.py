"""``rooflint cache info|clear``: the results that runs keep for one another."""

from collections.abc import Sequence

from rooflint.cli.arguments import Parser
from rooflint.cli.exit_codes import ExitCode
from rooflint.errors import UsageError
from rooflint.escaping import visible
from rooflint.pipeline import DiskStore, default_folder

DESCRIPTION = """Results of files are kept from run to run, and used again as long as the file, the
headers it includes, flags, machines, settings and this program are the same. The folder is
ROOFLINT_CACHE_DIR, else the user's folder for caches. It has to be the user's alone, and entries
that this user did not make are not used.
"""
ACTIONS = ("info", "clear")


def cache(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    parser = Parser("rooflint cache", DESCRIPTION)
    parser.add_argument("action", nargs="?", metavar="info|clear")
    given = parser.parse(arguments)
    if given.action not in ACTIONS:
        raise UsageError("cache: expected info or clear")
    folder = default_folder()
    store, place = DiskStore(folder), visible(folder)
    if given.action == "clear":
        print(f"{amount_text(*store.clear())} removed from {place}")
    else:
        print(f"{place}: {amount_text(*store.usage())} of at most {store.limit_bytes >> 20} MiB")
    return ExitCode.FINE


def amount_text(entries: int, size_bytes: int) -> str:
    """``12 results, 3.4 MiB``."""
    return f"{entries} result{'' if entries == 1 else 's'}, {size_bytes / 2**20:.1f} MiB"

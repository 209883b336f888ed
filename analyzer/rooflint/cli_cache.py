"""``rooflint cache info|clear``: the results that runs keep for one another."""

import os
from collections.abc import Sequence

from rooflint.analysis import Benches, Cache, Options, default_folder
from rooflint.cli_arguments import Parser
from rooflint.cli_exit import ExitCode
from rooflint.current_folder import current_folder
from rooflint.errors import UsageError
from rooflint.escaping import visible
from rooflint.registry import Registry

DESCRIPTION = """Results of files are kept from run to run, and used again as long as the file, the
headers it includes, flags, machines, settings and this program are the same. The folder is
ROOFLINT_CACHE_DIR, else cache-dir of the configuration, else the user's folder for caches.
"""
ACTIONS = ("info", "clear")


def cache(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    parser = Parser("rooflint cache", DESCRIPTION)
    parser.add_argument("action", nargs="?", metavar="info|clear")
    given = parser.parse(arguments)
    if given.action not in ACTIONS:
        raise UsageError("cache: expected info or clear")
    here = os.path.join(current_folder(), "a file here")
    folder = default_folder(Benches(Options(), Registry()).cache_dir(here))
    store, place = Cache(folder), visible(folder)
    if given.action == "clear":
        print(f"{shown(*store.clear())} removed from {place}")
    else:
        print(f"{place}: {shown(*store.usage())} of at most {store.limit_bytes >> 20} MiB")
    return ExitCode.FINE


def shown(entries: int, size_bytes: int) -> str:
    """``12 results, 3.4 MiB``."""
    return f"{entries} result{'' if entries == 1 else 's'}, {size_bytes / 2**20:.1f} MiB"

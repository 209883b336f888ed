"""Sizes and trip counts of a run, with the origin of each value.

State of the caches when a function is called, with where that assumption comes from.

In the steady state a function is called again and again, so its loops find the lines that the call
before left in the caches, as far as they stay there; cold caches are empty. The function that
starts the program runs once, so its data come from memory.
"""

from enum import Enum
from typing import Final, Literal, TypeAlias, get_args

from rooflint.records import NamedTuple

EntryName: TypeAlias = Literal["cold", "steady"]
"""As people choose a state, on the command line or in the configuration."""
ENTRY_NAMES: Final[tuple[EntryName, ...]] = get_args(EntryName)


class EntryState(Enum):
    """Caches as repeated calls leave them, or empty."""

    STEADY = "steady"
    COLD = "cold"


class EntryOrigin(Enum):
    """Who or what decided the state."""

    COMMAND_LINE = "command line"
    CONFIGURATION = "configuration"
    REPEATED_CALLS = "repeated calls"
    PROGRAM_START = "program start"


class CacheEntry(NamedTuple):
    """The state on entry of a function, and the bytes touched elsewhere between two calls."""

    state: EntryState
    origin: EntryOrigin
    between_bytes: float = 0.0

    @property
    def steady_between(self) -> float | None:
        """Bytes touched elsewhere between two calls; None where caches are cold."""
        return self.between_bytes if self.state is EntryState.STEADY else None

    @property
    def opposite(self) -> "CacheEntry":
        """The other state, of the same origin."""
        cold = self.state is EntryState.COLD
        return self._replace(state=EntryState.STEADY if cold else EntryState.COLD)


COLD_ENTRY: Final = CacheEntry(EntryState.COLD, EntryOrigin.COMMAND_LINE)
PROGRAM_ENTRIES: Final = frozenset({"main", "wmain", "WinMain", "wWinMain"})
"""Functions that a program's start calls, once (ISO C11 5.1.2.2.1, and those of Windows)."""


def chosen_entry(given: EntryName | None, configured: EntryName | None) -> CacheEntry | None:
    """The state of the command line, else of the configuration; None where neither names one."""
    if given is not None:
        return CacheEntry(EntryState(given), EntryOrigin.COMMAND_LINE)
    if configured is not None:
        return CacheEntry(EntryState(configured), EntryOrigin.CONFIGURATION)
    return None


def entry_of(function: str, chosen: CacheEntry | None) -> CacheEntry:
    """The state on entry of a function: as ``chosen``, else by how often it is called."""
    if chosen is not None:
        return chosen
    if function in PROGRAM_ENTRIES:
        return CacheEntry(EntryState.COLD, EntryOrigin.PROGRAM_START)
    return CacheEntry(EntryState.STEADY, EntryOrigin.REPEATED_CALLS)

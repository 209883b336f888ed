"""Counts as a tool prints them."""

from enum import Enum

from msgspec import Struct


class CountState(Enum):
    """Whether an event was counted: a kernel without it, or without a free counter, says so."""

    COUNTED = "counted"
    NOT_COUNTED = "not counted"
    NOT_SUPPORTED = "not supported"


class CounterReading(Struct, frozen=True, kw_only=True):
    """One event of one run, in ``unit`` where it is no plain number.

    ``share`` of the time that a counter was at the event; ``count`` is scaled up by it.
    """

    event: str
    state: CountState
    count: float = 0.0
    unit: str = ""
    share: float = 1.0

"""A change in its shortest form: a kind, what it is about, and how much weight it has."""

from enum import Enum
from typing import Literal, TypeAlias

from rooflint.records import NamedTuple

Severity: TypeAlias = Literal["error", "warning", "note", "hint"]
Confidence: TypeAlias = Literal["high", "medium", "low"]


class ActionKind(Enum):
    """A kind of change that advice proposes; ``OTHER`` is named by its subject, or its rule."""

    PARTIAL_SUMS = "partial sums"
    HOIST = "hoist"
    SWAP = "swap"
    FUSE = "fuse"
    BLOCK = "block"
    RESTRICT = "restrict"
    FLAG = "flag"
    THREADS = "threads"
    HUGE_PAGES = "huge pages"
    OTHER = "other"


class Action(NamedTuple):
    """A change; ``subject`` is the number, names, flag, line or code that it is about.

    Of partial sums it is their number, of fused loops the line of the second, of hoisting the code
    that moves, of ``OTHER`` a noun phrase: ``with SUBJECT``.
    """

    kind: ActionKind = ActionKind.OTHER
    subject: str = ""

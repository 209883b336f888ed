"""Limits of a child, and the failure of a question that exceeded them."""

from typing import Literal

from rooflint.records import NamedTuple


class Limits(NamedTuple):
    """Limits of one file.

    ``memory_mib`` is address space; its child's stack, and what a forked child inherits from the
    program that started it, are not counted.
    """

    seconds: float = 60
    memory_mib: int = 4096


class Failure(NamedTuple):
    """One file that could not be analysed, in a few words, and the last that was heard of it.

    ``refused`` is an error meant for people; ``internal`` is a bug of this program;
    ``interrupted`` is what Ctrl-C found unfinished. ``problem`` is the reason without the file's
    name, where the reason begins with it.
    """

    reason: str
    kind: Literal["crash", "timeout", "memory", "refused", "internal", "interrupted"]
    detail: str = ""
    problem: str = ""

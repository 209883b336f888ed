"""What goes to the front end's child process, and what comes back when it fails."""

from typing import Literal, NamedTuple

from rooflint.frontend.flags import Flags


class Request(NamedTuple):
    """One file to analyse.

    text      an unsaved buffer; None reads the file
    others    path and text of headers that are not saved
    straight  functions without loops are wanted too
    """

    path: str
    flags: Flags
    text: bytes | None = None
    others: tuple[tuple[str, bytes], ...] = ()
    straight: bool = False


class Limits(NamedTuple):
    """What one file may cost; ``memory_mib`` is address space, the stack not counted."""

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

"""Requests to the front end: a file and how to read it."""

from rooflint.compile_flags.flags import Flags
from rooflint.records import NamedTuple


class Request(NamedTuple):
    """One file to analyse.

    text      an unsaved buffer; None reads the file
    others    path and text of headers that are not saved
    straight  functions without loops are wanted too
    places    of loops and branches are wanted, for a profile that covers the file
    """

    path: str
    flags: Flags
    text: bytes | None = None
    others: tuple[tuple[str, bytes], ...] = ()
    straight: bool = False
    places: bool = False

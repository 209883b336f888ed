"""The function, nest or kernel that is measured, as its file declares it."""

from msgspec import Struct

from rooflint.compile_flags.flags import Flags
from rooflint.ir.signature import Signature
from rooflint.measure.program import MeasureMode
from rooflint.measure.refusals import MeasureRefusal


class Subject(Struct, frozen=True, kw_only=True):
    """``signature`` of the function to call; ``lines`` of the nest, first and last, in marks mode.

    ``expected_bytes`` are those that the analysis expects the loop to touch, where it knows them.
    """

    path: str
    flags: Flags
    mode: MeasureMode
    signature: Signature
    lines: tuple[int, int] | None = None
    expected_bytes: int | None = None


def find_subject(
    path: str, flags: Flags, function: str | None = None, line: int | None = None
) -> Subject | MeasureRefusal:
    """The subject of a file: its only function with loops, one by name, or the nest at a line."""
    raise NotImplementedError

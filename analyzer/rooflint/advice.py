"""What a rule says of a kernel, in the shape that the JSON contract fixes."""

from typing import Literal, NamedTuple


class Advice(NamedTuple):
    """A finding: its rule, what it says, and the predicted gain (time before / time after)."""

    code: str
    message: str
    gain: float | None
    confidence: Literal["high", "medium", "low"]
    fix: str | None = None

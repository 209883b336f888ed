"""Runs: how many bytes a stream walks in a row before it jumps."""

from collections.abc import Mapping, Sequence

from rooflint.facts.affine import number
from rooflint.facts.streams import Stream


def run_bytes(
    stream: Stream,
    trips: Sequence[float],
    values: Mapping[str, int],
    gap_bytes: int,
    side_by_side: float,
) -> float | None:
    """Bytes from where a stream begins to where it jumps, at these ``trips`` and sizes, outermost
    loop first; None where a stride is not known.

    What is left out between two steps is less than ``gap_bytes``, else they are a jump. A loop
    that jumps a few times makes that many runs, which grow with the loops around it: up to
    ``side_by_side`` of them.
    """
    length, beside = float(stream.element_bytes), 1.0
    for stride, trip in zip(reversed(stream.strides), reversed(trips), strict=True):
        step = None if stride is None else number(stride, values)
        if step is None:
            return None
        if step == 0 or trip <= 1:
            continue
        if abs(step) < length + gap_bytes:
            length = max(length, abs(step) * (trip - 1) + length)
            continue
        beside *= trip
        if beside > side_by_side:
            return length
    return length

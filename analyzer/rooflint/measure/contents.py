"""Contents of memory before and after one call, as the harness reports them."""

import msgspec
from msgspec import Struct

from rooflint.measure.records import ContentRecord, ProcessRun, RawRecord, Record, read_run


class MemoryContents(Struct, frozen=True, kw_only=True):
    """An array or a single object: its bytes from ``low`` on, and those before the call."""

    name: str
    low: int
    fresh: bytes
    after: bytes


class ResultRun(Struct, frozen=True, kw_only=True):
    """The process of a program in its results mode; ``contents`` are empty where it was ended."""

    run: ProcessRun
    contents: tuple[MemoryContents, ...] = ()


def read_results(report: bytes) -> ResultRun:
    """The results in a report; raises ``msgspec.DecodeError`` where a line is none."""
    lines: list[bytes] = []
    images: list[bytes] = []
    places: list[ContentRecord] = []
    decoder = msgspec.json.Decoder(Record)
    position = 0
    while (end := report.find(b"\n", position)) >= 0:
        record = decoder.decode(report[position:end])
        if isinstance(record, RawRecord):
            images.append(report[end + 1 : end + 1 + record.bytes])
            position = end + 1 + record.bytes
            continue
        if isinstance(record, ContentRecord):
            places.append(record)
        lines.append(report[position : end + 1])
        position = end + 1
    run = read_run(b"".join(lines))
    if run.completion is None or len(images) != 2:
        return ResultRun(run=run)
    return ResultRun(run=run, contents=_contents(places, images[0], images[1]))


def _contents(
    places: list[ContentRecord], fresh: bytes, after: bytes
) -> tuple[MemoryContents, ...]:
    contents: list[MemoryContents] = []
    start = 0
    for place in places:
        end = start + place.bytes
        contents.append(
            MemoryContents(
                name=place.name, low=place.low, fresh=fresh[start:end], after=after[start:end]
            )
        )
        start = end
    return tuple(contents)

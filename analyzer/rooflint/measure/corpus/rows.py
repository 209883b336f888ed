"""Outcomes of a corpus, one JSON line a function, so that a run goes on where it was ended."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from rooflint.measure.confrontation.comparison import ModelComparison
from rooflint.measure.protocol import MeasureVerdict
from rooflint.measure.refusals import MeasureRefusal, RefusalCode, refusal_text
from rooflint.measure.results import MeasurementReport, PointMeasurement


class ModelRow(Struct, frozen=True, kw_only=True):
    """A model at a point, its cycles per iteration; ``suspect`` of a ratio that is off."""

    model: str
    cycles: float
    suspect: str = ""


class PointRow(Struct, frozen=True, kw_only=True):
    """A function at one size.

    level     that held the data
    verdict, doubts  of the figure; empty verdict where there is none
    refusal   in place of a figure
    cycles    per iteration as measured; None where iterations are unknown
    models    that speak of the same level, in all loops of the function
    """

    level: str
    sizes: dict[str, int]
    verdict: MeasureVerdict
    doubts: tuple[str, ...] = ()
    refusal: RefusalCode | None = None
    cycles: float | None = None
    load: float = 0.0
    models: tuple[ModelRow, ...] = ()


class CorpusPlace(Struct, frozen=True, kw_only=True):
    """Name of a row, known before anything is built.

    setup  conditions that the figures depend on: machine file, compiler, flags, levels
    """

    corpus: str
    path: str
    function: str
    line: int
    setup: str

    @property
    def name(self) -> str:
        """``path:line function``."""
        return f"{self.path}:{self.line} {self.function}"


class CorpusRow(Struct, frozen=True, kw_only=True):
    """A function or nest of a corpus; ``refusal`` and ``reason`` where nothing was run."""

    place: CorpusPlace
    cpu: str = ""
    compiler: str = ""
    points: tuple[PointRow, ...] = ()
    refusal: RefusalCode | None = None
    reason: str = ""
    seconds: float = 0.0


def row_of(place: CorpusPlace, report: MeasurementReport) -> CorpusRow:
    """The parts of a measurement that the table needs."""
    return CorpusRow(
        place=place,
        cpu=report.build.cpu,
        compiler=report.build.compiler,
        points=tuple([_point(point) for point in report.points]),
        seconds=report.seconds,
    )


def refused_row(place: CorpusPlace, refusal: MeasureRefusal) -> CorpusRow:
    """A function that was not run."""
    return CorpusRow(
        place=place,
        refusal=refusal.code,
        reason=refusal_text(refusal),
    )


def _point(point: PointMeasurement) -> PointRow:
    measured = point.figure is not None and point.figure.is_of_loop
    return PointRow(
        level=point.level or point.target,
        sizes=dict(point.sizes),
        verdict=point.verdict,
        doubts=tuple([doubt.name for doubt in point.figure.doubts]) if point.figure else (),
        refusal=point.refusal.code if point.refusal is not None else None,
        cycles=point.cy_per_iteration if measured else None,
        load=point.conditions.load if point.conditions is not None else 0.0,
        models=tuple([_model(each, each.cycles) for each in point.models if _compares(each)]),
    )


def _compares(row: ModelComparison) -> bool:
    return row.obstacle is None and row.ratio is not None


def _model(row: ModelComparison, cycles: float | None) -> ModelRow:
    suspect = ""
    if row.suspect is not None:
        suspect = f"{row.suspect.term.value} {row.suspect.link}".strip()
    return ModelRow(model=row.model, cycles=cycles or 0.0, suspect=suspect)


def read_rows(path: Path) -> tuple[CorpusRow, ...]:
    """The rows of earlier runs; a line that was cut off, or is of another version, is no row."""
    decoder = msgspec.json.Decoder(CorpusRow)
    rows: dict[CorpusPlace, CorpusRow] = {}
    for line in _lines(path):
        try:
            row = decoder.decode(line)
        except msgspec.DecodeError:
            continue
        rows[row.place] = row
    return tuple(rows.values())


def _lines(path: Path) -> Iterable[bytes]:
    return path.read_bytes().splitlines() if path.is_file() else ()


def append_row(path: Path, row: CorpusRow) -> None:
    """Adds the line of a row; on one of its own after one that was cut off."""
    with path.open("ab+") as file:
        end = file.tell()
        file.seek(max(0, end - 1))
        cut = end > 0 and file.read(1) != b"\n"
        file.write((b"\n" if cut else b"") + msgspec.json.encode(row) + b"\n")

"""Rows of a corpus survive the end of a run."""

from pathlib import Path

from rooflint.measure.corpus.rows import (
    CorpusPlace,
    append_row,
    read_rows,
    refused_row,
)
from rooflint.measure.refusals import MeasureRefusal, RefusalCode

PLACE = CorpusPlace(corpus="a", path="f.c", function="f", line=3, setup="gcc")
ROW = refused_row(PLACE, MeasureRefusal(code=RefusalCode.FAULT, arguments=("f", "0x0")))


def test_rows_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    assert read_rows(path) == ()
    append_row(path, ROW)
    assert read_rows(path) == (ROW,)
    assert ROW.reason.startswith("f made a memory fault at 0x0")


def test_the_last_of_the_same_measurement_holds(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    append_row(path, ROW)
    again = refused_row(PLACE, MeasureRefusal(code=RefusalCode.GARBLED, arguments=("f",)))
    append_row(path, again)
    assert read_rows(path) == (again,)


def test_a_line_that_was_cut_off_costs_itself(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    append_row(path, ROW)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert read_rows(path) == ()
    append_row(path, ROW)
    assert read_rows(path) == (ROW,)

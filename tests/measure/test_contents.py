"""The report of a process in its results mode: records, and bytes between them."""

import msgspec
import pytest
from rooflint.measure.contents import MemoryContents, read_results

HEAD = (
    b'{"record":"content","name":"a","low":-8,"bytes":4}\n'
    b'{"record":"content","name":"b","low":0,"bytes":2}\n'
)
RAW = b'{"record":"raw","bytes":6}\n'
DONE = b'{"record":"done","late_pages":0,"ran_away":false}\n'


def test_contents_before_and_after() -> None:
    """Bytes may look like lines."""
    found = read_results(HEAD + RAW + b"ab\n{xy" + RAW + b"AB\n\nXY" + DONE)
    assert found.run.completion is not None
    assert found.contents == (
        MemoryContents(name="a", low=-8, fresh=b"ab\n{", after=b"AB\n\n"),
        MemoryContents(name="b", low=0, fresh=b"xy", after=b"XY"),
    )


def test_a_process_that_ended_in_the_call() -> None:
    stop = b'{"record":"stopped","why":"fault","detail":16}\n'
    found = read_results(HEAD + RAW + b"abcdef" + stop)
    assert found.contents == ()
    assert found.run.stop is not None
    assert found.run.stop.detail == 16


@pytest.mark.parametrize("kept", range(1, 12))
def test_a_report_that_breaks_off(kept: int) -> None:
    whole = HEAD + RAW + b"abcdef" + RAW + b"ABCDEF" + DONE
    assert read_results(whole[: len(whole) - kept]).contents == ()


def test_a_line_that_is_no_record() -> None:
    with pytest.raises(msgspec.DecodeError):
        read_results(HEAD + b"nonsense\n")

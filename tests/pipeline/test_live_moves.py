"""Buffers of an editor whose lines move: answered without a parse, like a parse."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.frontend.edited.recording import recorded_file
from rooflint.frontend.edited.records import RecordedFile
from rooflint.frontend.request import Request
from rooflint.pipeline.live import buffers, child
from rooflint.pipeline.live.messages import BufferRequest, BufferResult
from rooflint.pipeline.setup.options import Options

TEXT = b"""\
void scale(int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] *= 2;
}
"""
COMMENT = b"/* scales\n   an array */\n"
OTHER = TEXT.replace(b"2;", b"3;")


class Parses:
    """Counts the parses of whole files in a child."""

    def __init__(self, recorded: Callable[[Request], RecordedFile]) -> None:
        self.count = 0
        self._recorded = recorded

    def __call__(self, request: Request) -> RecordedFile:
        self.count += 1
        return self._recorded(request)


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> Parses:
    counted = Parses(recorded_file)
    monkeypatch.setattr(buffers, "recorded_file", counted)
    return counted


def answers(
    folder: Path, *texts: bytes, revisions: tuple[int, ...] = (), check_edits: bool = False
) -> list[BufferResult]:
    """Those of one child to the texts of one buffer."""
    answer = child.answerer(None, low_priority=False, check_edits=check_edits)
    options = Options(machines=("generic-2level",), models=("roofline", "ecm"), isolated=True)
    path = str(folder / "a.c")
    found = []
    for number, text in enumerate(texts):
        revision = revisions[number] if revisions else 0
        seen = answer(BufferRequest(options=options, path=path, text=text, revision=revision))
        assert seen is not None
        found.append(seen)
    return found


def test_a_comment_costs_no_parse_and_moves_the_answer(tmp_path: Path, parses: Parses) -> None:
    first, moved = answers(tmp_path, TEXT, COMMENT + TEXT)
    assert parses.count == 1
    assert moved.computed == 0
    (fresh,) = answers(tmp_path, COMMENT + TEXT)
    assert moved.result == fresh.result
    (before,), (after,) = (each.result.report.functions for each in (first, moved))
    assert after.line == before.line + 2


@pytest.mark.parametrize("text", [COMMENT + OTHER, TEXT + b"int b;\n"])
def test_other_code_is_parsed(text: bytes, tmp_path: Path, parses: Parses) -> None:
    answers(tmp_path, TEXT, text)
    assert parses.count == 2


def test_moves_go_on_from_the_last_text(tmp_path: Path, parses: Parses) -> None:
    *_, last = answers(tmp_path, TEXT, COMMENT + TEXT, OTHER, b"\n" + OTHER, COMMENT + OTHER)
    assert parses.count == 1
    (fresh,) = answers(tmp_path, COMMENT + OTHER)
    assert last.result == fresh.result


def test_one_body_is_read_again(tmp_path: Path, parses: Parses) -> None:
    _, edited = answers(tmp_path, TEXT, OTHER)
    assert parses.count == 1
    (fresh,) = answers(tmp_path, OTHER)
    assert edited.result == fresh.result


def test_what_is_typed_after_an_undo_is_an_edit_of_that_text(
    tmp_path: Path, parses: Parses
) -> None:
    two = TEXT + TEXT.replace(b"scale", b"other")
    first, second = two.replace(b"2;", b"3;", 1), two[::-1].replace(b";2", b";5", 1)[::-1]
    *_, last = answers(tmp_path, two, first, two, second)
    assert parses.count == 1
    (fresh,) = answers(tmp_path, second)
    assert last.result == fresh.result


CALLS = b"""\
static int width = 64;
static void callee(double *a) { for (int i = 0; i < width; i++) a[i] = 1.0; }
void caller(double *a, int m)
{
    for (int r = 0; r < m; r++) {
        callee(a);
        a[r] = 2.0;
    }
}
void alone(double *a, int m)
{
    for (int r = 0; r < m; r++)
        a[r] *= 3.0;
}
"""


@pytest.mark.parametrize(
    ("before", "after", "computed"),
    [
        (b"3.0", b"3.0 + a[r]", 1),
        (b"        a[r] *=", b"\n        a[r] *=", 0),
        (b"a[r] = 2.0;", b"a[r] = 2.0;  // two", 0),
        (b"= 1.0", b"= 1.0 / a[i]", 2),  # its callers take longer, too
        (b"void alone(", b"/* more */\nvoid alone(", 0),
    ],
)
def test_only_functions_that_an_edit_concerns_are_computed(
    before: bytes, after: bytes, computed: int, tmp_path: Path
) -> None:
    text = CALLS.replace(before, after)
    _, edited, back, again = answers(tmp_path, CALLS, text, CALLS, text)
    (fresh,), (whole,) = answers(tmp_path, text), answers(tmp_path, CALLS)
    assert edited.result == again.result == fresh.result
    assert back.result == whole.result
    assert (edited.computed, back.computed, again.computed) == (computed, 0, 0)


@pytest.mark.parametrize(
    ("before", "after"), [(b"= 64", b"= 32"), (b"width; i", b"width - 1; i"), (b"r < m", b"r < 9")]
)
def test_other_sizes_count_for_all_functions(before: bytes, after: bytes, tmp_path: Path) -> None:
    text = CALLS.replace(before, after)
    _, edited = answers(tmp_path, CALLS, text)
    (fresh,) = answers(tmp_path, text)
    assert edited.result == fresh.result


def test_another_revision_is_parsed(tmp_path: Path, parses: Parses) -> None:
    """Its headers may be others."""
    answers(tmp_path, TEXT, COMMENT + TEXT, revisions=(0, 1))
    assert parses.count == 2


def test_a_check_reads_the_whole_file_after_each_edit(tmp_path: Path, parses: Parses) -> None:
    results = answers(tmp_path, TEXT, COMMENT + TEXT, OTHER, check_edits=True)
    assert parses.count == 3
    assert [each.problems for each in results] == [(), (), ()]


def test_a_wrong_answer_to_an_edit_is_said_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buffers, "edited_file", lambda request, last, units: last)
    _, wrong = answers(tmp_path, TEXT, OTHER, check_edits=True)
    (fresh,) = answers(tmp_path, OTHER)
    assert wrong.result == fresh.result
    (problem,) = wrong.problems
    assert problem == (
        f"{tmp_path}/a.c: after an edit, function 'scale' differs from that of the whole file:"
        " at byte 79, '2' became '3'; please report it"
    )

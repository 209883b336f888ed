"""Edits that leave a function that does not compile, as most texts are while somebody types."""

import random
from pathlib import Path

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.options import Language
from rooflint.frontend.edited.body_edits import edited_file
from rooflint.frontend.edited.kept_units import KeptUnits
from rooflint.frontend.edited.recording import recorded_file
from rooflint.frontend.edited.records import RecordedFile
from rooflint.frontend.equations.extraction import extracted_file
from rooflint.frontend.extract import parsed_file
from rooflint.frontend.moved_lines import moved_file
from rooflint.frontend.request import Request

UNITS = KeptUnits()

SOURCE = b"""\
double root(double x);

static int rows = 40;

static double square(double x) { return x * x; }

void scale(double *a, int n, double by)
{
    int m = n / 2;
    for (int i = 0; i < m; i++)
        a[i] = by * a[i];
    for (int i = m; i < n; i++) {
        a[i] = root(a[i]);
    }
}

double sum(const double *a, int n)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += square(a[i]);
    return s;
}

void fill(double *a)
{
    for (int r = 0; r < rows; r++)
        a[r] = 1.0;
}
"""
LANGUAGES: tuple[tuple[str, Language], ...] = (("a.c", "c"), ("a.cpp", "c++"))
BREAKING = [
    b"a[i] = by * a[i] +;",
    b"a[i] = by * (a[i];",
    b"a[i] = by * nowhere;",
    b"a[i] = by * a[i]",
    b"a[i] = by * a[i;",
    b"nowhere_t t; t = 3; a[i] = by;",
    b"a[i] = by * a[i]; int q",
    b"a[i] = by.x;",
    b"n = ; m = n;",
    b"",
]
LINE = b"a[i] = by * a[i];"


def request_for(folder: Path, name: str, language: Language, text: bytes) -> Request:
    return Request(str(folder / name), Flags(language), text)


def assert_equal_to_whole(edited: RecordedFile, request: Request) -> None:
    whole = extracted_file(request)
    assert edited.found.unit == whole.unit
    assert edited.found.equations == whole.equations


@pytest.mark.parametrize(("name", "language"), LANGUAGES)
@pytest.mark.parametrize("line", BREAKING)
def test_a_function_that_does_not_compile_is_read_alone(
    name: str, language: Language, line: bytes, tmp_path: Path
) -> None:
    first = request_for(tmp_path, name, language, SOURCE)
    broken = first._replace(text=SOURCE.replace(LINE, line))
    edited = edited_file(broken, recorded_file(first), UNITS)
    assert edited is not None
    assert edited.found.unit.diagnostics or not line
    assert_equal_to_whole(edited, broken)
    # typing goes on: another error, and none
    further = first._replace(text=SOURCE.replace(LINE, line + b" a[i] = nobody;"))
    second = edited_file(further, edited, UNITS)
    if second is not None:
        assert_equal_to_whole(second, further)
    mended = edited_file(first, edited, UNITS)
    assert mended is not None
    assert_equal_to_whole(mended, first)


@pytest.mark.parametrize(("name", "language"), LANGUAGES)
def test_errors_of_other_functions_need_the_whole_file(
    name: str, language: Language, tmp_path: Path
) -> None:
    text = SOURCE.replace(b"s += square", b"s += nowhere + square")
    first = request_for(tmp_path, name, language, text)
    broken = first._replace(text=text.replace(LINE, b"a[i] = by +;"))
    assert edited_file(broken, recorded_file(first), UNITS) is None


def test_an_error_that_other_headers_may_cure_needs_the_whole_file(tmp_path: Path) -> None:
    """``eaccess`` is none of our own declarations."""
    text = b"#include <unistd.h>\n" + SOURCE
    first = request_for(tmp_path, "a.cpp", "c++", text)
    record = recorded_file(first)
    cured = first._replace(text=text.replace(LINE, b'a[i] = eaccess("a", 1) * by;'))
    edited = edited_file(cured, record, UNITS)
    if edited is not None:
        assert_equal_to_whole(edited, cured)


TWICE = b"struct { int m; } own = { 3 }; struct { int m; } own = { 3 };"


def test_a_message_with_a_place_is_right_after_lines_above(tmp_path: Path) -> None:
    text = SOURCE.replace(LINE, b"{ " + TWICE + b" a[i] = by; }")
    first = request_for(tmp_path, "a.c", "c", SOURCE)
    broken = edited_file(first._replace(text=text), recorded_file(first), UNITS)
    assert broken is not None
    assert "(unnamed struct at" in broken.found.unit.diagnostics[0].message
    for after in (text.replace(b"return x * x;", b"\n return x * x;"), b"\n" + text):
        request = first._replace(text=after)
        edited = edited_file(request, broken, UNITS)
        assert edited is None or edited.found.unit == extracted_file(request).unit
        assert moved_file(broken.found, text, after) is None


def test_an_error_is_that_function_s_alone(tmp_path: Path) -> None:
    first = request_for(tmp_path, "a.c", "c", SOURCE)
    broken = first._replace(text=SOURCE.replace(LINE, b"a[i] = nowhere;"))
    sound, found = extracted_file(first), extracted_file(broken)
    assert found.unit.diagnostics
    by_name = {each.function.name: each for each in found.unit.functions}
    for function in sound.unit.functions:
        if function.function.name != "scale":
            assert by_name[function.function.name] == function
    unmodelled = [each.unmodelled for each in found.equations.functions]
    assert unmodelled == [False, True, False, False]


@pytest.mark.parametrize(
    ("before", "after", "broken"),
    [
        (LINE, LINE, [False] * 5),
        (LINE, b"a[i] = nowhere;", [False, False, True, False, False]),
        (b"static int rows", b"static nowhere_t rows", [True] * 5),
    ],
)
def test_an_error_outside_of_functions_concerns_all(
    before: bytes, after: bytes, broken: list[bool], tmp_path: Path
) -> None:
    request = request_for(tmp_path, "a.cpp", "c++", SOURCE.replace(before, after))
    with parsed_file(request) as file:
        assert [file.shared.is_broken(each.cursor) for each in file.candidates] == broken


def breaking_edits(path: Path, language: Language, count: int, seed: int) -> int:
    """Random edits, half of them of a broken text, each compared with the whole."""
    pieces = (*b'+ ( ; ) { } = ] " *'.split(), b" nowhere ", b" 1 ", b"int q", b"for (", b"\n")
    chance = random.Random(seed)
    first = request_for(path, f"a.{'c' if language == 'c' else 'cpp'}", language, SOURCE)
    begin = recorded_file(first)
    text, last, answered = SOURCE, begin, 0
    for _ in range(count):
        place = chance.randrange(SOURCE.index(b"void scale"), len(text))
        gone = chance.choice((0, 0, 0, 1, 3))
        after = text[:place] + chance.choice(pieces) + text[place + gone :]
        request = first._replace(text=after)
        edited = edited_file(request, last, UNITS)
        if edited is not None:
            assert_equal_to_whole(edited, request)
            answered += bool(edited.found.unit.diagnostics)
        goes_on = edited is not None and edited.record is not None and chance.random() < 0.5
        text, last = (after, edited) if goes_on and edited is not None else (SOURCE, begin)
    return answered


@pytest.mark.parametrize("language", ["c", "c++"])
def test_random_edits_that_break_equal_a_whole_extraction(
    language: Language, tmp_path: Path
) -> None:
    assert breaking_edits(tmp_path, language, 10, 4) >= 2


@pytest.mark.long
@pytest.mark.parametrize("language", ["c", "c++"])
def test_five_hundred_edits_that_break_equal_a_whole_extraction(
    language: Language, tmp_path: Path
) -> None:
    assert breaking_edits(tmp_path, language, 500, 5) >= 100


@pytest.mark.parametrize(
    "line", [LINE, LINE + b" ", b"a[i] = 2 * by * a[i];", b"a[i] = by +;", b"a[i] = nowhere;"]
)
@pytest.mark.parametrize(("name", "language"), LANGUAGES)
def test_a_missing_header_that_nothing_needs_stays_said(
    name: str, language: Language, line: bytes, tmp_path: Path
) -> None:
    text = b'#include "not_there.h"\n' + SOURCE
    first = request_for(tmp_path, name, language, text)
    last = recorded_file(first)
    assert [each.kind for each in last.found.unit.diagnostics] == ["missing-header"]
    request = first._replace(text=text.replace(LINE, line))
    edited = edited_file(request, last, UNITS)
    assert edited is not None or b"+;" in line or b"nowhere" in line
    if edited is not None:
        assert_equal_to_whole(edited, request)

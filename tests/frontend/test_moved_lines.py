"""A file whose lines moved: the same as a parse of it, to the last bit."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.frontend.equations.extraction import ExtractedFile, extracted_file
from rooflint.frontend.moved_lines import moved_file, moved_lines
from rooflint.frontend.request import Request

CODE = b"int a;\nint f(int n) {\n  return n;\n}\n"


@pytest.mark.parametrize(
    ("after", "numbers"),
    [
        (CODE, {1: 1, 2: 2, 3: 3, 4: 4}),
        (b"// first\n" + CODE, {1: 2, 2: 3, 3: 4, 4: 5}),
        (b"/* two\nlines */\n" + CODE, {1: 3, 2: 4, 3: 5, 4: 6}),
        (b"\n\n" + CODE, {1: 3, 2: 4, 3: 5, 4: 6}),
        (CODE.replace(b"n;", b"n; // the end"), {1: 1, 2: 2, 3: 3, 4: 4}),
        (CODE.replace(b"int f", b"/* two\n   lines */\nint f"), {1: 1, 2: 4, 3: 5, 4: 6}),
        (CODE.replace(b"a;", b"a; /* two\n lines */"), None),  # a comment joins two lines
        (CODE.replace(b"a;", b"/* a */ a;"), None),  # other columns
        (CODE.replace(b"n;", b"m;"), None),
        (CODE.replace(b"int a;\n", b""), None),
        (CODE.replace(b"\n", b"\r\n"), {1: 1, 2: 2, 3: 3, 4: 4}),
    ],
)
def test_code_that_stays_the_same(after: bytes, numbers: dict[int, int] | None) -> None:
    assert moved_lines(CODE, after) == numbers


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"#define A 1 \\\n + 2\n", b"#define A 1 \\\n\n + 2\n"),
        (b"#define A 1 \\\n + 2\n", b"#define A 1 \\\n // c\n + 2\n"),
        (b"#define A 1 // c \\\n + 2\nint b;\n", b"#define A 1\n + 2\nint b;\n"),
        (b"#define A /* c\n */ 1\n", b"#define A\n    1\n"),
        (b"#define A \\\n/* c\n */ 1\n", b"#define A \\\n\n    1\n"),
        (b'auto s = R"(a\nb)";\n', b'auto s = R"(a\n\nb)";\n'),
        (b'auto s = R"(a\n// b\n)";\n', b'auto s = R"(a\n)";\n'),
        (b'char s[] = "a\\\nb";\n', b'char s[] = "a\\\n\nb";\n'),
        (b'char s[] = "// a";\n', b'char s[] = "// b";\n'),
        (b"int a; /* open\n", b"int a; /* other\n"),
    ],
    ids=[
        "blank in a macro",
        "comment in a macro",
        "backslash in a comment",
        "comment in a directive",
        "comment after a backslash",
        "blank in a raw string",
        "comment in a raw string",
        "blank in a string",
        "comment in a string",
        "open comment",
    ],
)
def test_lines_that_belong_together(before: bytes, after: bytes) -> None:
    """They move as one; lines between them are other code."""
    assert moved_lines(before, after) is None
    lines = moved_lines(before, b"// above\n" + before)
    assert lines is not None
    assert all(now == line + 1 for line, now in lines.items())


SOURCE = b"""\
#include <stdio.h>
#include <assert.h>
#define CHECK(x) if (!(x)) fail(__FILE__, __LINE__, #x)
#define REPEAT(i) for (int i = 0; i < 20; i++)
#define ADD(a, \\
            b) ((a) + \\
                (b))
void fail(const char *file, int line, const char *text);
struct { int n; double *at; } all;
static double sum(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) /* in order */
        s += a[i];
    return s;
}

static double below(const double *a, int n);
void f(int n, double *a, double (*b)[8]) {
    REPEAT(k) a[k] = k;
    struct { int m; } local = { 3 };
    for (int i = 0; i < n; i++) {
        CHECK(i < n);
        CHECK(a[i] <
              2);
        fail("f", __LINE__, "a \\
b");
        a[i] = ADD(a[i], 1) + local.m;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < 8; i++)
            b[j][i] = b[j][i] * 2 + sum(a, all.n);
    unknown(a);
    while (*a) { int i = 3; a += i; }
    { int i = 4; a[i] = 2; }
    assert(n > 0);
    for (int i = 0; i < n; i++)
        a[i] += below(a, i);
}

static double below(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
"""
TEXT_OF_COMMENT = (b"", b"// c", b"   /* one */", b"/* two\n   lines */", b"// rooflint: n = 5")


def found_in(path: str, text: bytes) -> ExtractedFile:
    flags = FlagFinder(extra=["gcc", "-O2"]).flags(path)
    return extracted_file(Request(path, flags, text=text))


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ExtractedFile]:
    path = tmp_path_factory.mktemp("moved") / "f.c"
    path.write_bytes(SOURCE)
    return str(path), found_in(str(path), SOURCE)


@settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(
            st.integers(0, SOURCE.count(b"\n")),
            st.sampled_from(TEXT_OF_COMMENT),
            st.booleans(),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_moved_lines_are_those_of_a_parse(
    first: tuple[str, ExtractedFile], edits: list[tuple[int, bytes, bool]]
) -> None:
    """Comments and blank lines anywhere, on lines of their own or at the end of one."""
    path, before = first
    lines = SOURCE.split(b"\n")
    for place, text, at_end in sorted(edits, reverse=True):
        if at_end:
            lines[place] += b" " + text
        else:
            lines.insert(place, text)
    after = b"\n".join(lines)
    moved = moved_file(before, SOURCE, after)
    if moved is not None:
        parsed = found_in(path, after)
        assert moved.unit == parsed.unit
        assert moved.equations == parsed.equations


def test_usual_comments_need_no_parse(first: tuple[str, ExtractedFile]) -> None:
    _, before = first
    for text in TEXT_OF_COMMENT:
        moved = moved_file(before, SOURCE, SOURCE.replace(b"void f(int", text + b"\nvoid f(int"))
        assert moved is not None
    assert moved is not None
    assert [comment.text for comment in moved.unit.comments] == ["n = 5"]


def test_a_constant_that_is_its_line_by_chance_stays(first: tuple[str, ExtractedFile]) -> None:
    """The 20 of a loop's bound on line 20."""
    line = SOURCE[: SOURCE.index(b"REPEAT(k)")].count(b"\n") + 1
    assert line == 20
    (f,) = [each.function for each in first[1].unit.functions if each.function.name == "f"]
    assert "20" in str(f.body)


def test_a_variable_named_after_its_line_needs_a_parse(tmp_path: Path) -> None:
    text = (
        b"#define PASTE(a, b) a##b\n#define NAME(a, b) PASTE(a, b)\n"
        b"void f(int n, double *a) {\n  double NAME(x, __LINE__) = 2;\n"
        b"  for (int i = 0; i < n; i++) a[i] *= 2;\n}\n"
    )
    path = str(tmp_path / "f.c")
    before = found_in(path, text)
    assert before.unit.functions != found_in(path, b"\n" + text).unit.functions
    assert moved_file(before, text, b"\n" + text) is None


@pytest.mark.parametrize(
    "declare",
    [
        lambda name: b"struct { int m; } " + name + b" = { 3 };",
        lambda name: b"auto " + name + b" = [&](int i) { return a[i]; };",
    ],
    ids=["record", "lambda"],
)
def test_types_without_a_name_do_not_tell_their_line(
    declare: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    text = (
        b"void f(int n, double *a) {\n  " + declare(b"x") + b"\n  " + declare(b"y") + b"\n"
        b"  for (int i = 0; i < n; i++) a[i] *= 2;\n}\n"
    )
    path = str(tmp_path / "f.cpp")
    before = found_in(path, text)
    after = found_in(path, b"\n\n" + text)
    assert [each.function for each in before.unit.functions] == [
        each.function for each in after.unit.functions
    ]
    assert before.equations.quantities == after.equations.quantities

"""An edit of one function's body: the same as a parse of the whole file, to the last bit."""

import random
from pathlib import Path

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.frontend.edited.body_edits import edited_file
from rooflint.frontend.edited.kept_units import KeptUnits
from rooflint.frontend.edited.recording import recorded_file
from rooflint.frontend.edited.records import RecordedFile
from rooflint.frontend.edited.text_edits import is_own_world, stands_alone, text_edit
from rooflint.frontend.equations.extraction import extracted_file
from rooflint.frontend.request import Request

UNITS = KeptUnits()

SOURCE = b"""\
#include <assert.h>
#include <math.h>
#define LAST(a, n) (a)[(n) - 1]
#define REPEAT(i, n) for (int i = 0; i < (n); i++)
int total, limit = 64;
static double table[16][16];
struct grid { int nx, ny; double *at; };

static double square(double x)
{
    return x * x;
}

static void scale(double *a, int n, double by)
{
    for (int i = 0; i < n; i++)
        a[i] *= by;
}

static void count(int n)
{
    total = n;
}

static int clamp(int n)
{
    if (n > limit)
        return limit;
    return n;
}

double sum(const struct grid *g, const double *w)
{
    double s = 0;
    for (int j = 0; j < g->ny; j++)
        for (int i = 0; i < g->nx; i++)
            s += g->at[j * g->nx + i] * w[i] + square(w[j]);
    return s;
}

void step(double *a, double *b, int n)
{
    int m = clamp(n);
    assert(n > 0);
    count(n);
#ifdef SLOW
    for (int i = 0; i < n; i++) b[i] = 0;
#else
    b[0] = 0;
#endif
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++) {
        a[i] = b[i - 1] + b[i + 1];
        b[i] = table[i % 16][2] + sqrt(a[i]);
    }
    REPEAT(k, m) {
        LAST(a, n) += k;
    }
    for (int t = 0; t < 4; t++) {
        scale(a, m, 0.5);
    }
}

int main(void)
{
    double a[100], b[100];
    step(a, b, 100);
    for (int i = 0; i < total; i++)
        a[i] = square(b[i]);
    while (limit > 3) {
        limit--;
        a[limit] += 2;
    }
    return 0;
}
"""
PIECES = (
    b"int extra = n_;", b"total++;", b"limit = 7;", b"count(3);",
    b"for (int q = 0; q < limit; q++) total += q;", b"if (total > 3) total = limit;",
    b"do { total--; } while (0);", b"{ int i = 5; total += i; }", b"while (limit) { limit -= 2; }",
    b"table[1][2] = 3;", b"// a remark", b"struct { int m; } own = { 3 }; total += own.m;",
    b"(void)clamp(total);", b"assert(limit < 9);", b"goto end; end: total = 1;", b"}", b"{", b"/*",
    b"#define LAST 3", b"typedef int word; word x9 = 2; total = x9;",
)  # fmt: skip
"""Statements that compile in every function of the source, and some that do not."""


def request_for(path: Path, text: bytes) -> Request:
    flags = FlagFinder(extra=["gcc", "-O2"]).flags(str(path))
    return Request(str(path), flags, text=text)


def assert_equal_to_whole(edited: RecordedFile, request: Request) -> None:
    whole = extracted_file(request)
    assert edited.found.unit == whole.unit
    assert edited.found.equations == whole.equations


def random_edit(text: bytes, chance: random.Random) -> bytes:
    """A line more, a line less, a line again, or another number."""
    lines = text.split(b"\n")
    place = chance.randrange(9, len(lines) - 1)
    kind = chance.randrange(4)
    if kind == 0:
        lines.insert(place, b"    " + chance.choice(PIECES))
    elif kind == 1:
        lines.insert(place, lines[chance.randrange(9, len(lines) - 1)])
    elif kind == 2:
        lines[place] = lines[place].replace(b"1", b"3").replace(b"i]", b"i + 1]")
    else:
        del lines[place]
    return b"\n".join(lines)


def edits_that_need_one_body(path: Path, count: int, seed: int) -> int:
    """Edits one after the other, each compared with the whole; those that break are undone."""
    chance = random.Random(seed)
    text, answered = SOURCE, 0
    last = recorded_file(request_for(path, text))
    for _ in range(count):
        after = random_edit(text, chance)
        request = request_for(path, after)
        edited = edited_file(request, last, UNITS)
        if edited is not None:
            answered += 1
            assert_equal_to_whole(edited, request)
        else:
            edited = recorded_file(request)
        if edited.record is not None:
            last, text = edited, after
        if len(text) > 2 * len(SOURCE):
            text, last = SOURCE, recorded_file(request_for(path, SOURCE))
    return answered


@pytest.mark.parametrize("name", ["f.c", "f.cpp"])
def test_random_edits_equal_a_whole_extraction(name: str, tmp_path: Path) -> None:
    assert edits_that_need_one_body(tmp_path / name, 25, 1) >= 5


@pytest.mark.long
@pytest.mark.parametrize("name", ["f.c", "f.cpp"])
def test_a_thousand_edits_equal_a_whole_extraction(name: str, tmp_path: Path) -> None:
    assert edits_that_need_one_body(tmp_path / name, 1000, 2) >= 100


@pytest.mark.parametrize(
    ("before", "after", "answered"),
    [
        (b"a[i] *= by;", b"a[i] *= by + 1;", True),  # stands in place of a call in step
        (b"s += g->at", b"s -= g->at", True),
        (b"b[0] = 0;", b"b[0] = 0; int more = n; total = more;", True),
        (b"return x * x;", b"return x * x + 1;", True),
        (b"b[0] = 0;", b"for (int z = 0; z < 9; z++) b[z] = 0;", True),
        (b"total = n;", b"limit = n;", False),  # callers know what it modifies
        (b"return x * x;", b"if (x < 0) return 0; return x * x;", False),  # no longer put in place
        (b"limit = 64", b"limit = 65", False),  # outside of functions
        (b"b[0] = 0;", b"b[0] = undeclared;", False),
        (b"b[0] = 0;", b"#define FROM_HERE 1\n", False),
        (b"b[0] = 0;", b"b[0] = 0; } void other(void) {", False),
    ],
)
def test_edits_that_one_body_answers(
    before: bytes, after: bytes, answered: bool, tmp_path: Path
) -> None:
    assert SOURCE.count(before) == 1
    last = recorded_file(request_for(tmp_path / "f.c", SOURCE))
    request = request_for(tmp_path / "f.c", SOURCE.replace(before, after))
    edited = edited_file(request, last, UNITS)
    assert (edited is not None) == answered
    if edited is not None:
        assert_equal_to_whole(edited, request)


CONTAINERS = b"""\
#include <vector>
struct mesh { std::vector<int> first; std::vector<double> x; };
mesh whole;
std::vector<int> counts;
double total;

static void fill(std::vector<int> &v)
{
    v.clear();
    for (int i = 0; i < 90; i++)
        v.push_back(i);
}

void scale(double by)
{
    for (std::size_t i = 0; i < whole.x.size(); i++)
        whole.x[i] *= by;
    for (int i = whole.first[0]; i < counts[2]; i++)
        total += whole.x[i];
}

int main()
{
    std::vector<double> own(30);
    whole.x.resize(50);
    fill(whole.first);
    for (double each : own)
        total += each;
    scale(own[3]);
    counts[1] = 4;
    return counts[1];
}
"""


@pytest.mark.parametrize(
    ("before", "after", "elements"),
    [
        (b"i < 90", b"i < 80", 2),
        (b"own(30)", b"own(40)", 2),
        (b"counts[1] = 4;", b"counts[2] = 4;", 2),  # sets another element
        (b"counts[1] = 4;", b"counts[1] = 4;\n    counts[2] = 5;", 1),  # a line and an element more
        (b"i < counts[2]", b"i < counts[5]", 2),
        (b"i < counts[2]", b"i < counts[5] + counts[6]", 3),
    ],
)
def test_elements_that_nothing_sets_are_no_part_of_a_function(
    before: bytes, after: bytes, elements: int, tmp_path: Path
) -> None:
    assert CONTAINERS.count(before) == 1
    last = recorded_file(request_for(tmp_path / "f.cpp", CONTAINERS))
    request = request_for(tmp_path / "f.cpp", CONTAINERS.replace(before, after))
    edited = edited_file(request, last, UNITS)
    assert edited is not None
    assert_equal_to_whole(edited, request)
    assert sum(each.line == 0 for each in edited.found.equations.equations) == elements
    undone = edited_file(request_for(tmp_path / "f.cpp", CONTAINERS), edited, UNITS)
    assert undone is not None
    assert undone.found.equations == last.found.equations


@pytest.mark.parametrize(
    ("body", "own"),
    [
        (b"{ a; }", True),
        (b"{ a; } b; {}", False),
        (b"{ { a; }", False),
        (b'{ f("}"); }', True),
        (b"{ /* }", False),
        (b"{\n#pragma omp parallel for\n}", True),
        (b"{\n#pragma pack(1)\n}", False),
        (b"{\n#if A\n b;\n#else\n c;\n#endif\n}", True),
        (b"{\n#if A\n b;\n}", False),
        (b"{\n#else\n b;\n#endif\n}", False),
        (b"{\n#define A\n}", False),
        (b"{ extern int a; }", False),
    ],
)
def test_bodies_that_other_code_does_not_see(body: bytes, own: bool) -> None:
    assert is_own_world(body) == own


def test_the_shortest_edit() -> None:
    assert text_edit(b"a b c\n", b"a x\ny c\n") == (2, 3, 2, 1)
    assert text_edit(b"aa", b"aaa") == (2, 2, 1, 0)
    assert text_edit(b"same", b"same") == (4, 4, 0, 0)


def test_code_beside_a_function() -> None:
    assert stands_alone(b"int a;\nvoid f() {} // c\n", 7, 18)
    assert not stands_alone(b"int a; void f() {}\n", 7, 18)
    assert not stands_alone(b"void f() {} int a;\n", 0, 11)


BROKEN = b"""\
#include "not_there.h"
#ifndef MODE
#error "MODE is not set"
#endif
double total;

static double square(double x) { return x * x; }

void lost(double *a, int n)
{
    total = undeclared;
}

void step(double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = square(b[i]);
}

struct grid_part {
    missing_t n;
};
"""


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize(
    ("before", "after", "answered"),
    [
        (b"square(b[i]);", b"square(b[i]) + 1;", True),
        (b"square(b[i]);", b"square(b[i]);\n        total += a[0];", True),
        (b"static double", b"#define EXTRA_FOR_STEP 4\nstatic double", True),
        (b"square(b[i]);", b"square(c[i]);", False),  # an error more
        (b"total = undeclared;", b"total = undeclared + 1;", False),
        (b"total = undeclared;", b"total = 1;", False),
        (b"struct grid_part {", b"struct grid_part { int more;", True),
        (b"static double", b"struct grid_cell { missing_t n; };\nstatic double", False),
    ],
)
def test_errors_elsewhere_stay_what_they_are(
    before: bytes, after: bytes, answered: bool, header: bool, tmp_path: Path
) -> None:
    text = BROKEN
    if not header:  # then an error outside of functions would make the machine's headers be tried
        text = text.replace(b'#include "not_there.h"\n', b"").replace(b"missing_t n", b"int n")
    assert text.count(before) == 1
    last = recorded_file(request_for(tmp_path / "f.c", text))
    assert last.found.unit.diagnostics
    assert last.record is not None
    request = request_for(tmp_path / "f.c", text.replace(before, after))
    edited = edited_file(request, last, UNITS)
    assert (edited is not None) == answered
    if edited is not None:
        assert_equal_to_whole(edited, request)
        assert request.text is not None
        further = request_for(tmp_path / "f.c", request.text.replace(b"i < n;", b"i < n - 1;"))
        again = edited_file(further, edited, UNITS)
        assert again is not None
        assert_equal_to_whole(again, further)


INSTANCES = b"""template <int N> void step(double *a) { a[N] *= 0.5; step<N - 1>(a); }
template <> inline void step<0>(double *a) { a[0] = 1; }
"""
STEPPING = b"""void steps(int n, double *a) {
    for (int i = 0; i < n; i++) {
        step<2>(a + i);
        a[i] += 1;
    }
}
"""


def test_instances_that_a_header_writes_out_cost_no_whole_file(tmp_path: Path) -> None:
    (tmp_path / "step.h").write_bytes(INSTANCES)
    text = b'#include "step.h"\n' + STEPPING
    last = recorded_file(request_for(tmp_path / "f.cpp", text))
    request = request_for(tmp_path / "f.cpp", text.replace(b"+= 1;", b"+= 2 * a[i + n];"))
    edited = edited_file(request, last, UNITS)
    assert edited is not None
    assert_equal_to_whole(edited, request)


def test_instances_that_the_file_writes_out_need_the_whole_file(tmp_path: Path) -> None:
    last = recorded_file(request_for(tmp_path / "f.cpp", INSTANCES + STEPPING))
    assert last.record is None

"""Macros and types that nothing speaks of: the same as a parse of the whole file."""

from pathlib import Path

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.frontend.edited.body_edits import edited_file
from rooflint.frontend.edited.declared_names import changed_declarations, is_spoken_of
from rooflint.frontend.edited.kept_units import KeptUnits
from rooflint.frontend.edited.recording import recorded_file
from rooflint.frontend.equations.extraction import extracted_file
from rooflint.frontend.request import Request

UNITS = KeptUnits()

SOURCE = b"""\
#include "sizes.h"
#define LENGTH 40
#define UNUSED 3
#define JOIN(a, b) a##b
typedef double real;
static real table[LENGTH];
int ab = 4;

static real square(real x) { return x * x; }

enum flavour { sweet, salty };

#if LENGTH > 50
struct pair { real first, second; };
#endif

void step(real *a, const real *b, int n)
{
    struct { int m; } own = { n };
    for (int i = 0; i < own.m; i++)
        a[i] = square(b[i]) + table[i % LENGTH] + JOIN(a, b) + HEADER_SIZE;
}
"""
HEADER = b"#define HEADER_SIZE 12\n#ifdef WITH_CHECKS\n#define HEADER_CHECKS 1\n#endif\n"
CASES: list[tuple[bytes, bytes, bool]] = [
    (b"typedef", b"#define MORE 7\ntypedef", True),
    (b"#define UNUSED 3", b"#define UNUSED 4", True),
    (b"#define UNUSED 3\n", b"", True),
    (b"enum flavour", b"struct part { real *at; int n[LENGTH]; };\nenum flavour", True),
    (b"enum flavour", b"typedef struct { int n; } part_t;\n\nenum flavour", True),
    (b"return x * x; }\n", b"return x * x; }\n// a remark\n", True),
    (b"return x * x; }\n", b"return x * x; }\n\n#define AFTER_IT 1\n", True),
    (b"return x * x; }\n", b"return x * x; } // a remark\n", True),
    (b"static real square", b"struct grid_cell { int n; };\nstatic real square", True),
    (b"enum flavour { sweet, salty };", b"enum flavour { sweet, salty, bitter };", True),
    (b"enum flavour { sweet, salty };", b"typedef int kind_t;", True),
    (b"#if LENGTH > 50", b"#if LENGTH > 50\n#define IN_THERE 1", True),
    (b"#define LENGTH 40", b"#define LENGTH 41", False),
    (b"typedef double real", b"typedef float real", False),
    (b"typedef", b"#define square(x) (x)\ntypedef", False),
    (b"typedef", b"#define ab 7\ntypedef", False),
    (b"typedef", b"#define WITH_CHECKS 1\ntypedef", False),  # a header asks for it
    (b"typedef", b"#define __FAST_MATH__ 1\ntypedef", False),
    (b"typedef", b"#define EXTRA(a) a##_x\ntypedef", False),
    (b"typedef", b"#undef UNUSED\ntypedef", False),
    (b"typedef", b"#pragma pack(1)\ntypedef", False),
    (b"typedef", b"#define BODY }; int z = 4; struct q {\ntypedef", True),
    (b"typedef", b"#define BODY }; int z = 4; struct q {\nstruct r { BODY };\ntypedef", False),
    (b"enum flavour", b"struct grid_cell { undeclared n; };\nenum flavour", False),
    (b"enum flavour", b"struct grid_cell { int n; } value;\nenum flavour", False),
    (b"int ab = 4;", b"int ab = 5;", False),
    (b"int ab = 4;", b"int ab = 4, more;", False),
    (b"LENGTH > 50", b"LENGTH > 30", False),
]  # fmt: skip


def request_for(path: Path, text: bytes) -> Request:
    (path.parent / "sizes.h").write_bytes(HEADER)
    return Request(str(path), FlagFinder(extra=["gcc", "-O2"]).flags(str(path)), text=text)


@pytest.mark.parametrize("name", ["f.c", "f.cpp"])
@pytest.mark.parametrize(("before", "after", "answered"), CASES)
def test_declarations_that_nothing_speaks_of(
    before: bytes, after: bytes, answered: bool, name: str, tmp_path: Path
) -> None:
    assert SOURCE.count(before) == 1
    path = tmp_path / name
    last = recorded_file(request_for(path, SOURCE))
    changed = request_for(path, SOURCE.replace(before, after))
    edited = edited_file(changed, last, UNITS)
    assert (edited is not None) == answered
    if edited is not None:
        whole = extracted_file(changed)
        assert edited.found.unit == whole.unit
        assert edited.found.equations == whole.equations
        further = request_for(
            path, (changed.text or b"").replace(b"square(b[i])", b"square(b[i] + 1)")
        )
        again = edited_file(further, edited, UNITS)
        assert again is not None
        assert again.found[:2] == extracted_file(further)[:2]


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        (b"", b"#define A 1\n", {b"A"}),
        (b"#define A 1\n", b"#define A 2\n", {b"A"}),
        (b"int x;\n", b"int x; // more\n", set()),
        (b'char *s = "a";', b'char *s = "b";', None),
        (b"int x;", b"int y;", None),
        (b"{", b"{{", None),
        (b"", b"struct a { struct b { int n; } c; };", None),
        (b"", b"enum { one, two = 2 };", {b"one", b"two"}),
    ],
)
def test_names_that_a_change_defines(before: bytes, after: bytes, names: set[bytes] | None) -> None:
    change = changed_declarations(before, after)
    assert (None if change is None else change.names) == names


def test_names_that_macros_paste_together() -> None:
    assert is_spoken_of(frozenset([b"ab"]), [b"x(a, b) a##b"])
    assert is_spoken_of(frozenset([b"abcd3"]), [b"##", b"a bc d 3"])
    assert not is_spoken_of(frozenset([b"abcd3"]), [b"##", b"a b c d 3"])  # five of them
    assert not is_spoken_of(frozenset([b"ab"]), [b"a b"])
    assert not is_spoken_of(frozenset([b"ab"]), [b"##", b"a c"])
    assert is_spoken_of(frozenset([b"ab"]), [b"cab ab"])

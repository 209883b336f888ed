"""Contents of functions: what makes a measurement of one old, and what does not."""

from pathlib import Path

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.declared.signatures import file_signatures
from rooflint.frontend.request import Request

CODE = """#include "types.h"
#define STEP 1
static double half(double x) { return x / 2; }
static double other(double x) { return x * 3; }
void scale(int n, double *a)
{
    for (int i = 0; i < n; i += STEP)
        a[i] = half(a[i]);
}
double sum(int n, const struct point *p)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += p[i].x;
    return s;
}
"""
HEADER = "struct point { double x, y; };\n"


def contents(
    folder: Path, text: str, header: str = HEADER, unsaved: str | None = None
) -> dict[str, str]:
    (folder / "types.h").write_text(header, encoding="utf-8")
    path = folder / "code.c"
    others = () if unsaved is None else ((str(folder / "types.h"), unsaved.encode()),)
    request = Request(str(path), Flags("c"), text.encode(), others=others)
    return {each.name: each.content for each in file_signatures(request).signatures}


def changed(folder: Path, old: str, new: str) -> set[str]:
    """The functions whose content an edit changes."""
    assert old in CODE
    before, after = contents(folder, CODE), contents(folder, CODE.replace(old, new, 1))
    assert set(before) == set(after) == {"half", "other", "scale", "sum"}
    return {name for name, digest in before.items() if after[name] != digest}


@pytest.mark.parametrize(
    ("old", "new", "functions"),
    [
        ("a[i] = half", "a[i] = 2 * half", {"scale"}),
        ("x / 2", "x / 4", {"half", "scale"}),
        ("x * 3", "x * 5", {"other"}),
        ("STEP 1", "STEP 2", {"half", "other", "scale", "sum"}),
        ("static double half", "/* a comment */\n\nstatic double half", set()),
        ("    double s = 0;", "\tdouble s  = 0;  // none yet", set()),
        ("    double s = 0;", '    double s = 0; const char *t = "/* no comment */";', {"sum"}),
    ],
)
def test_an_edit_concerns_those_who_rest_on_it(
    tmp_path: Path, old: str, new: str, functions: set[str]
) -> None:
    assert changed(tmp_path, old, new) == functions


def test_headers_of_the_project_count_whole(tmp_path: Path) -> None:
    before = contents(tmp_path, CODE)
    after = contents(tmp_path, CODE, HEADER.replace("double x", "float x"))
    assert not set(before.values()) & set(after.values())
    unsaved = contents(tmp_path, CODE, unsaved=HEADER.replace("double x", "float x"))
    assert unsaved == after


def test_the_same_code_elsewhere_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "near").mkdir()
    assert contents(tmp_path / "far", CODE) == contents(tmp_path / "near", CODE)

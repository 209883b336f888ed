"""Headers that are not found: only what needs their declarations is lost."""

from pathlib import Path

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.compile_flags.flags import Flags
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Unit

MADE = '#include "made_by_the_build.h"\n'


def unit_of(text: str) -> Unit:
    return extract(Request("/nowhere/a", Flags("c++"), text.encode()))


def loop_names(unit: Unit) -> list[str]:
    return [source.function.name for source in unit.functions]


def test_templates_work_behind_a_header_that_is_missing() -> None:
    text = (
        "template <typename T> T twice(T x) { return x + x; }\n"
        "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = twice(a[i]); }"
    )
    (source,) = unit_of(MADE + text).functions
    (whole,) = unit_of("\n" + text).functions
    assert source.function == whole.function


def test_statements_with_unknown_names_are_lost_and_no_others() -> None:
    unit = unit_of(
        MADE + "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2;\n"
        "  for (int i = 0; i < n; i++) { a[i] = 1; Table t; t.put(a[i]); } }\n"
        "void g(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 3; }"
    )
    assert loop_names(unit) == ["f", "g"]
    first, second = facts_of(unit.functions[0].function)
    assert first.not_covered == ()
    assert second.not_covered


def test_what_is_missing_stays_an_error_and_the_reason_of_what_is_lost() -> None:
    unit = unit_of(
        MADE + '#include "other.h"\nvoid f(Table t) { for (int i = 0; i < 9; i++) g(t, i); }'
    )
    missing = [d for d in unit.diagnostics if d.kind == "missing-header"]
    assert {d.subject for d in missing} == {"made_by_the_build.h", "other.h"}
    assert len(missing) == 2
    for refusal in unit.refusals:
        assert refusal.reason.subject == "'made_by_the_build.h' file not found"


def test_a_name_that_leads_upwards_is_no_empty_file() -> None:
    unit = unit_of('#include "../up.h"\nvoid f(int n, int *a) { while (n--) a[n] = 1; }')
    assert [d.kind for d in unit.diagnostics] == ["missing-header"]


def test_a_header_elsewhere_in_the_project_is_found(tmp_path: Path) -> None:
    (tmp_path / "LICENSE").write_text("free")
    for name, text in {
        "deep/api/shape.h": '#include "kind.h"\n',
        "other/kinds/kind.h": "typedef double real;\n",
        "other/stdio.h": "#error not for this system\n",
        "tools/use.c": '#include <stdio.h>\n#include "shape.h"\nvoid f(int n, real *a)'
        " { while (n--) a[n] = 1; }",
    }.items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    path = str(tmp_path / "tools/use.c")
    unit = extract(Request(path, FlagFinder().flags(path)))
    assert unit.diagnostics == ()
    assert [array.type for array in unit.functions[0].function.arrays] == ["f64"]


def test_the_nearest_of_several_headers_counts(tmp_path: Path) -> None:
    (tmp_path / "LICENSE").write_text("free")
    for name in ("one/parts/size.h", "two/parts/size.h"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("")
    use = tmp_path / "two/tests/use.c"
    use.parent.mkdir()
    use.write_text('#include "size.h"\n')
    options = FlagFinder().flags(str(use)).options
    assert str(tmp_path / "two/parts") in options
    assert str(tmp_path / "one/parts") not in options


@pytest.mark.parametrize("suffix", [".in", ".cmake", ".cmake.in"])
def test_a_template_is_read_in_place_of_the_header_that_a_build_makes_of_it(
    tmp_path: Path, suffix: str
) -> None:
    template = tmp_path / f"made_by_the_build.h{suffix}"
    template.write_text(
        "#cmakedefine HAVE_WIDE @HAVE_WIDE@\n#undef HAVE_REAL\n#mesondefine LONG\n"
        "#ifdef HAVE_WIDE\ntypedef long number;\n#else\ntypedef int number;\n#endif\n",
        encoding="utf-8",
    )
    text = MADE + "void f(number n, double *a) { for (number i = 0; i < n; i++) a[i] = 2; }"
    unit = extract(Request(str(tmp_path / "a.c"), Flags("c"), text.encode()))
    (source,) = unit.functions
    assert [d.subject for d in unit.diagnostics] == ["made_by_the_build.h"]
    assert (
        f"made_by_the_build.h is missing: read as {template.name}, with nothing configured"
        in unit.assumptions
    )
    assert facts_of(source.function)[0].not_covered == ()


def test_a_template_is_no_template_of_another_header(tmp_path: Path) -> None:
    (tmp_path / "other.h.in").write_text("typedef int number;", encoding="utf-8")
    text = MADE + "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2; }"
    unit = extract(Request(str(tmp_path / "a.c"), Flags("c"), text.encode()))
    assert not [each for each in unit.assumptions if "template" in each or ".in" in each]


def test_gathered_headers_are_read_and_are_not_missing(tmp_path: Path) -> None:
    for name, text in (
        ("lib_types.h", "typedef int number;\n"),
        ("lib_sum.h", "#include <lib/lib_types.h>\nnumber sum(number);\n"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    names = ("lib_types.h", "lib_sum.h")
    gathered = tuple((f"lib/{name}", str(tmp_path / name)) for name in names)
    text = "#include <lib/lib_sum.h>\nvoid f(number n, int *a) { while (n--) a[n] = 1; }"
    unit = extract(Request("/nowhere/a.c", Flags("c", gathered=gathered), text.encode()))
    assert unit.diagnostics == ()
    assert len(unit.functions) == 1

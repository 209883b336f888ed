"""Headers whose bodies wait for a macro."""

from pathlib import Path

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request

BODY = "static void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }\n"


def macros(folder: Path, text: str, *given: str, name: str = "one.h") -> list[str]:
    path = folder / name
    path.write_text(text)
    options = FlagFinder(extra=given).flags(str(path)).options
    return [each[2:] for each in options if each.startswith("-D")]


@pytest.mark.parametrize(
    ("test", "name"),
    [
        ("#ifdef ONE_IMPLEMENTATION", "ONE_IMPLEMENTATION"),
        ("  # if defined(ONE_IMPLEMENTATION) && !defined(X)", "ONE_IMPLEMENTATION"),
        ("#if !defined(ONE_H) || defined ONE_IMPL", "ONE_IMPL"),
    ],
)
def test_the_macro_of_the_bodies_is_defined_and_said(test: str, name: str, tmp_path: Path) -> None:
    assert macros(tmp_path, f"{test}\n{BODY}#endif\n") == [name]
    path = str(tmp_path / "one.h")
    flags = FlagFinder().flags(path)
    assert any(f"{name} defined" in each for each in flags.assumptions)
    (function,) = extract(Request(path, flags)).functions
    assert function.function.name == "f"


def test_comments_that_tell_users_to_define_it_do_not(tmp_path: Path) -> None:
    told = "/* Before you include it:\n   #define ONE_IMPLEMENTATION\n*/\n"
    example = "#if 0\n#define ONE_IMPLEMENTATION\n#endif\n"
    text = f"{told}{example}#ifdef ONE_IMPLEMENTATION\n#endif\n"
    assert macros(tmp_path, text) == ["ONE_IMPLEMENTATION"]


@pytest.mark.parametrize(
    "text",
    [
        "#ifndef ONE_IMPLEMENTATION\n#endif\n",
        "#if !defined(ONE_IMPLEMENTATION) || ! defined ONE_IMPL\n#endif\n",
        "#define ONE_IMPLEMENTATION\n#ifdef ONE_IMPLEMENTATION\n#endif\n",
        "#ifdef ONE_IMPLEMENTATION_H\n#endif\n",
        "// #ifdef\nint ONE_IMPLEMENTATION;\n",
        "#if 0\n#endif\n",
    ],
)
def test_other_macros_are_not(text: str, tmp_path: Path) -> None:
    assert macros(tmp_path, text) == []


def test_a_macro_that_the_flags_set_stays(tmp_path: Path) -> None:
    text = "#ifdef ONE_IMPLEMENTATION\n#endif\n#ifdef TWO_IMPL\n#endif\n"
    assert macros(tmp_path, text, "gcc", "-DTWO_IMPL=2", "-UONE_IMPLEMENTATION") == ["TWO_IMPL=2"]


def test_a_source_defines_it_itself(tmp_path: Path) -> None:
    assert macros(tmp_path, "#ifdef ONE_IMPLEMENTATION\n#endif\n", name="one.c") == []


def test_a_header_that_cannot_be_read_is_left_to_the_analysis(tmp_path: Path) -> None:
    assert FlagFinder().flags(str(tmp_path / "none.h")).options

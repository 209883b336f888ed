"""Errors of libclang have kinds, which notes and hints go by; the sentences are for people."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.parse.clang_messages import error_at
from rooflint.frontend.request import Request
from rooflint.ir import Diagnostic, Unit
from rooflint.lint import notes

LOOP = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = %s; }\n"


def unit_of(text: str) -> Unit:
    return extract(Request("/nowhere/a.c", Flags("c"), text.encode()))


@pytest.mark.parametrize(
    ("text", "kind", "subject"),
    [
        ('#include "lost/x.h"\n' + LOOP % "0", "missing-header", "lost/x.h"),
        (LOOP % "g(i)", "undeclared-function", ""),
        (LOOP % "b[i]", "other", ""),
    ],
)
def test_what_libclang_reports(text: str, kind: str, subject: str) -> None:
    first = unit_of(text).diagnostics[0]
    assert (first.severity, first.kind, first.subject) == ("error", kind, subject)


def test_a_missing_type_is_older_c() -> None:
    message = "type specifier missing, defaults to 'int'"
    assert error_at(1, 1, message).kind == "missing-type"
    assert unit_of("static x;\n" + LOOP % "0").headers == "gnu89 shims"


def test_notes_go_by_kinds() -> None:
    for text in ('#include "x.h"\n' + LOOP % "0", LOOP % "g(i)"):
        unit = unit_of(text)
        reworded = unit._replace(
            diagnostics=tuple(each._replace(message="anything") for each in unit.diagnostics)
        )
        assert list(notes.unit_notes(reworded, 1)) == list(notes.unit_notes(unit, 1))
    (found,) = notes.unit_notes(unit_of('#include "x.h"\n' + LOOP % "0"), 1)
    assert found.message == "x.h not found: 1 of 1 loops have a prediction"


def test_words_without_their_kind_say_nothing() -> None:
    unit = unit_of(LOOP % "0")
    error = Diagnostic(1, 1, "warning", "'x.h' file not found")
    assert not list(notes.unit_notes(unit._replace(diagnostics=(error,)), 1))

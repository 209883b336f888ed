"""How the source writes a loop and declares its variables: no text has to be searched for that."""

from typing import Literal

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Header, Loop, SourceFunction, Span, walk
from rooflint.workers.wire import Codec


def lowered(text: str) -> SourceFunction:
    [found] = extract(Request("/a.c", Flags("c"), text.encode())).functions
    return found


def header(before: str, loop: str) -> Header:
    source = lowered(
        f"struct s {{ int k; }};\nvoid f(int n, struct s *p, double *a) {{ {before}{loop} }}"
    )
    [found] = [node for node in walk(source.function.body) if isinstance(node, Loop)]
    return found.header


@pytest.mark.parametrize(
    ("before", "loop", "expected"),
    [
        (
            "",
            "for (long i = 0; i < n; i++) a[i] = 0;",
            Header("i64", sets_index=True, declares_index=True, keeps_index=True),
        ),
        (
            "int i, j; ",
            "for (j = 0, i = 1; i < n; i++) a[i] = 0;",
            Header("i32", sets_index=True, keeps_index=True),
        ),
        ("int i = 0; ", "for (; i < n; i++) a[i] = 0;", Header("i32", keeps_index=True)),
        ("int i = 0; ", "while (i < n) a[i++] = 0;", Header("i32", keeps_index=True)),
        # a member is no variable that a loop counts by
        ("", "for (p->k = 0; p->k < n; p->k++) a[p->k] = 0;", Header()),
        # the index of the IR counts iterations where the variable takes other values
        (
            "",
            "for (int i = 1; i < n; i *= 2) a[i] = 0;",
            Header("i32", sets_index=True, declares_index=True),
        ),
    ],
)
def test_a_header_says_by_what_it_counts(before: str, loop: str, expected: Header) -> None:
    assert header(before, loop) == expected


def test_variables_have_type_scope_and_declaration_in_one_record() -> None:
    source = lowered(
        "int limit;\n"
        "void f(double *a) {\n"
        "  static int count; int unused;\n"
        "  for (int i = 0; i < limit; i++) { float x = a[i]; count += i; a[i] = x; }\n"
        "}\n"
    )
    found = {each.name: each for each in source.variables if each.name}
    assert {name: (each.type, each.scope) for name, each in found.items()} == {
        "a": ("f64*", "own"),
        "count": ("i32", "file"),
        "i": ("i32", "own"),
        "limit": ("i32", "file"),
        "unused": ("i32", "own"),
        "x": ("f32", "own"),
    }
    assert found["limit"].declaration is None
    declared = source.declared_in(source.span)
    assert [each.spelling for _, each in declared] == ["a", "count", "unused", "i", "x"]
    assert [each.spelling for _, each in declared if each.static] == ["count"]
    assert [variable.name for variable, _ in declared] == ["a", "count", "unused", "i", "x"]
    [(variable, declaration)] = source.declared_in(Span(4, 35, 4, 60))
    assert (variable.name, declaration.span) == ("x", Span(4, 37, 4, 51))
    codec = Codec[SourceFunction](SourceFunction)
    assert codec.from_json(codec.to_json(source)) == source


MEMBERS = "struct s { int n, *x; };\nint rows;\n"
METHOD = "struct s { int n; int *x; int size() const { return n; } void f(); };\nvoid s::f() "


@pytest.mark.parametrize(
    ("language", "text", "read"),
    [
        ("c", "void f(struct s *p) { for (int i = 0; i < p->n; i++) p->x[i] = 0; }", ("p->n",)),
        ("c", "void f(int *x) { for (int i = 0; i < rows; i++) x[i] = 0; }", ("rows",)),
        ("c", "void f(struct s *p) { int i = 0; while (i + 2 < p->n) p->x[i++] = 0; }", ("p->n",)),
        # read before the loop, whatever the bound is called in closed form
        (
            "c",
            "void f(struct s *p) { int m = p->n; for (int i = 0; i < m; i++) p->x[i] = 0; }",
            set(),
        ),
        ("c", "void f(int *x) { int m = rows - 1; for (int i = 0; i < m; i++) x[i] = 0; }", ()),
        # in the first value alone
        ("c", "void f(struct s *p) { for (int i = p->n; i > 0; i--) p->x[i] = 0; }", ()),
        ("c++", METHOD + "{ for (int i = 0; i < n; i++) x[i] = 0; }", ("n",)),
        # through a function that is inlined
        ("c++", METHOD + "{ for (int i = 0; i < size(); i++) x[i] = 0; }", ("n",)),
        ("c++", METHOD + "{ const int m = size(); for (int i = 0; i < m; i++) x[i] = 0; }", ()),
    ],
)
def test_what_the_condition_reads_anew(
    language: Literal["c", "c++"], text: str, read: tuple[str, ...]
) -> None:
    before = MEMBERS if language == "c" else ""
    found = extract(Request("/a.c", Flags(language), (before + text).encode())).functions
    source = next(each for each in found if each.function.name in ("f", "s::f"))
    [loop] = [node for node in walk(source.function.body) if isinstance(node, Loop)]
    cells = {cell.name for cell in source.function.cells}
    assert cells.intersection(loop.condition_reads) == set(read)


@pytest.mark.parametrize(
    ("loop", "trips"),
    [
        ("for (; p != end; p++) *p = 1;", "(end - p)"),
        ("for (; end != p; ++p) *p = 1;", "(end - p)"),
        ("for (; p < end; p++) *p = 1;", "(end - p)"),
        ("while (end > p) *p++ = 1;", "(end - p)"),
        ("while (p > end) *--p = 1;", "(p - end)"),
        ("for (; p < end; p += 2) *p = 1;", "floor(8*(end - p) + 15, 16)"),
    ],
)
def test_elements_up_to_an_end_are_a_size(loop: str, trips: str) -> None:
    source = lowered(f"void f(double *p, const double *end) {{ {loop} }}")
    [found] = [node for node in walk(source.function.body) if isinstance(node, Loop)]
    assert str(found.trip_count) == trips
    assert not found.exits


@pytest.mark.parametrize(
    "loop",
    [
        # who knows whether it comes to the end, and from which side
        "for (; p != end; p--) *p = 1;",
        "for (; p == end; p++) *p = 1;",
        "for (; p != end; p = *(double **)p) *p = 1;",
    ],
)
def test_other_walks_are_uncounted(loop: str) -> None:
    source = lowered(f"void f(double *p, const double *end) {{ {loop} }}")
    [found] = [node for node in walk(source.function.body) if isinstance(node, Loop)]
    assert found.exits

"""What single constructs become in the IR: arrays, strides, trip counts, gaps, by hand."""

from pathlib import Path

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.options import Language
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Access, Function, Loop, Opaque, Poly, SourceFunction, Statement, Unit, walk


def unit_of(text: str, language: Language = "c") -> Unit:
    return extract(Request("/nowhere/a", Flags(language), text.encode()))


def only(text: str, language: Language = "c") -> Function:
    unit = unit_of(text, language)
    assert not unit.refusals
    (found,) = unit.functions
    return found.function


def accesses(function: Function) -> list[Access]:
    statements = [n for n in walk(function.body) if isinstance(n, Statement)]
    return [access for statement in statements for access in statement.accesses]


def loops(function: Function) -> list[Loop]:
    return [node for node in walk(function.body) if isinstance(node, Loop)]


def gaps(source: SourceFunction) -> list[tuple[int, str]]:
    nodes = walk(source.function.body)
    return [(source.spans[n.origin].line, str(n.reason)) for n in nodes if isinstance(n, Opaque)]


def symbol(name: str) -> Poly:
    return Poly.symbol(name)


RECORDS = """
struct vector { int n; double *values; };
struct data { struct vector r, z; struct vector *rc; struct data *next; double u[4], v[4]; };
"""


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("d->z.values[i]", "d->r.values[i]"),
        ("d->rc->values[i]", "d->z.values[i]"),
        ("d->next->r.values[i]", "d->r.values[i]"),
        ("d->next->rc->values[i]", "d->rc->values[i]"),
        ("d->u[i]", "d->v[i]"),
    ],
)
def test_two_member_paths_are_two_arrays(left: str, right: str) -> None:
    function = only(
        RECORDS
        + f"void f(struct data *d, int n) {{ for (int i = 0; i < n; i++) {left} = {right}; }}"
    )
    load, store = accesses(function)
    assert (load.write, store.write) == (False, True)
    assert store.array == left.removesuffix("[i]")
    assert load.array == right.removesuffix("[i]")
    assert load.offset == store.offset == symbol("i") * 8


@pytest.mark.parametrize(
    "same", ["d->z.values", "(*d).z.values", "d[0].z.values", "(&d->z)->values", "w->values"]
)
def test_one_member_path_is_one_array(same: str) -> None:
    function = only(
        RECORDS + "void f(struct data *d, int n) { struct vector *w = &d->z;\n"
        f"for (int i = 0; i < n; i++) d->z.values[i] = {same}[i + 1]; }}"
    )
    assert {access.array for access in accesses(function)} == {"d->z.values"}


def test_members_through_references_and_objects() -> None:
    function = only(
        RECORDS.replace("struct vector r", "vector r")
        + "struct matrix { data *mg; }; void f(const matrix &A, data &d, int n) {\n"
        "vector &r = d.r; for (int i = 0; i < n; i++) A.mg->rc->values[i] = r.values[i] + d.z.n; }",
        "c++",
    )
    load, store = accesses(function)
    assert (load.array, store.array) == ("d.r.values", "A.mg->rc->values")


def test_rows_of_two_members_are_two_arrays() -> None:
    function = only(
        RECORDS + "void f(struct data *d, int n, int j) {\n"
        "for (int i = 0; i < n; i++) d[j].z.values[i] = d[j].r.values[i]; }"
    )
    doubles = [access.array for access in accesses(function) if access.type == "f64"]
    assert doubles == ["*d.r.values", "*d.z.values"]


TILES = "struct range { int lo, hi; }; struct tile { struct range x, y; };\n"


def test_bounds_read_from_members_keep_the_member() -> None:
    # j = lo + 1, ..., hi + 1: hi + 2 - (lo + 1) = hi - lo + 1 iterations
    function = only(
        TILES + "void f(struct range *t, double *a, int n) { for (int k = 0; k < n; k++)\n"
        "for (int j = t[k].lo + 1; j < t[k].hi + 2; j++) a[j] = 0; }"
    )
    _, inner = loops(function)
    assert inner.trip_count == symbol("t[k].hi-t[k].lo+1")
    assert str(inner.lower) == "?t[k].lo + 1"


def test_bounds_of_two_members_of_one_record_differ() -> None:
    function = only(
        TILES + "void f(struct tile *t, double *a, int n) { for (int k = 0; k < n; k++)\n"
        "for (int j = t[k].x.lo; j < t[k].y.lo; j++) a[j] = 0; }"
    )
    assert loops(function)[1].trip_count == symbol("t[k].y.lo-t[k].x.lo")


def test_a_scaled_bound_keeps_its_factor_in_the_name() -> None:
    function = only(
        "void f(int *w, double *a, int n) { for (int k = 0; k < n; k++)\n"
        "for (int j = 3 * w[k]; j < 4 * w[k + 1]; j++) a[j] = 0; }"
    )
    assert loops(function)[1].trip_count == symbol("4*w[k+1]-3*w[k]")


def test_a_constant_is_no_size() -> None:
    # (int) 1.9 = 1, (int) 7.5f = 7
    function = only(
        "void f(double *a) { int s = (int)1.9; for (int j = s; j < (int)7.5f; j++) a[j] = 0; }"
    )
    (loop,) = loops(function)
    assert (loop.lower.value, loop.upper.value) == (1, 7)


def test_two_calls_may_give_two_values() -> None:
    function = only(
        "int draw(void); void f(double *a) { for (int k = 0; k < 9; k++) {\n"
        "int i = draw(), e = draw(); for (; i < e; i++) a[i] = 0; } }"
    )
    assert loops(function)[1].trip_count.value is None


def test_composed_values_keep_their_grouping() -> None:
    function = only(
        "void f(double *a, double *w, int n) { for (int i = 0; i < n; i++)\n"
        "for (int j = 0; j < (int)((w[i] + w[i + 1]) * 2.0); j++) a[j] = 0; }\n"
    )
    assert loops(function)[1].trip_count == symbol("(w[i]+w[i+1])*2.0")
    division = only(
        "void g(double *a, int n, int p, int np) {\n"
        "for (int i = 0; i < n; i++) a[(i + p) / np] = a[i + p / np]; }"
    )
    assert set(division.assumptions) == {
        "(i + p) / np has no negative operand",
        "p / np has no negative operand",
    }


def test_no_sentence_shows_the_mark_of_an_unknown_value() -> None:
    function = only(
        "void f(double *a, int *w, int n) {\n"
        "for (int i = 0; i < n; i++) { int k = w[i]; a[(i + k) / n] = a[(k - i) / 4]; } }"
    )
    assert function.assumptions
    assert not any("?" in sentence or "@" in sentence for sentence in function.assumptions)


VLA = (
    "for (int i = 0; i < l; i++) for (int j = 0; j < n; j++) for (int k = 0; k < m; k++) {} = 0; }"
)
HEAD = "void f(double *p, int l, int n, int m) { "


@pytest.mark.parametrize(
    ("declaration", "language"),
    [
        ("double (*z)[n][m] = (double (*)[n][m])p;", "c"),
        ("double (*z)[n][m]; z = (double (*)[n][m])p;", "c"),
        ("double (*z)[n][m]; z = (void *)p;", "c"),
        ("typedef double (*T)[n][m]; T z = (T)p;", "c"),
        ("typedef double T[n][m]; T *z = (T *)p;", "c"),
        ("typedef double row[m]; typedef row T[n]; T *z = (T *)p;", "c"),
        ("using T = double (*)[n][m]; T z = (T)p;", "c++"),
        ("auto z = (double (*)[n][m])p;", "c++"),
        ("double (*z)[n][m] = (double (*)[n][m])p;", "c++"),
    ],
)
def test_strides_of_pointers_to_variable_length_arrays(
    declaration: str, language: Language
) -> None:
    function = only(HEAD + declaration + VLA.replace("{}", "z[i][j][k]"), language)
    (store,) = accesses(function)
    i, j, k, n, m = map(symbol, "ijknm")
    assert store.offset == i * n * m * 8 + j * m * 8 + k * 8
    assert function.array(store.array).extents == (None, n, m)


def test_strides_of_a_cast_in_an_expression_and_of_a_local_array() -> None:
    i, j, k, n, m = map(symbol, "ijknm")
    (store,) = accesses(only(HEAD + VLA.replace("{}", "((double (*)[n][m])p)[i][j][k]")))
    assert store.offset == i * n * m * 8 + j * m * 8 + k * 8
    local = only(HEAD + "typedef double T[n][m]; T z;" + VLA.replace("{}", "z[j][k]"))
    assert accesses(local)[0].offset == j * m * 8 + k * 8
    assert local.array("z").extents == (n, m)


def test_a_typedef_keeps_the_extent_it_was_made_with() -> None:
    function = only(
        HEAD + "typedef double T[m]; m = 3; T *z = (T *)p;" + VLA.replace("{}", "z[j][k]")
    )
    assert accesses(function)[0].offset == symbol("j") * symbol("m") * 8 + symbol("k") * 8


def test_known_extents_of_a_pointers_type_are_on_the_array() -> None:
    function = only(
        HEAD.replace("double *p", "void *p")
        + "double (*z)[100][200] = (double (*)[100][200])p;"
        + VLA.replace("{}", "z[i][j][k]")
    )
    (array,) = function.arrays
    assert array.extents == (None, Poly.constant(100), Poly.constant(200))
    assert (array.type, array.element_bytes) == ("f64", 8)
    i, j, k = map(symbol, "ijk")
    assert accesses(function)[0].offset == i * 160000 + j * 1600 + k * 8


def test_an_access_that_is_no_array_is_a_gap_with_its_line() -> None:
    unit = unit_of('#include "no_such.h"\nvoid f(double *z, int n) { double r[M];\n'
                   "for (int i = 0; i < n; i++) {\n  r[i] = z[i];\n  z[i] = 1; } }")  # fmt: skip
    (found,) = unit.functions
    assert [line for line, _ in gaps(found)] == [4]


@pytest.mark.parametrize("header", ["", '#include "no_such.h"\n'], ids=["error", "silent"])
def test_a_statement_that_does_not_compile_is_a_gap(header: str) -> None:
    # behind a missing header libclang reports no error of its own for the statements it drops
    unit = unit_of(
        header + "void f(double *z, int n) {\nfor (int i = 0; i < n; i++) {\n  z[i] = 1;\n"
        "  zz[i] = z[i]; /* a; b; */\n  z[i] = 2;\n"
        "  if (n > i) { z1[i] = 0; }\n  z[i] = zz[i];\n} }"
    )
    (found,) = unit.functions
    first = 1 + header.count("\n")
    assert gaps(found) == [
        (first + 3, "does not compile: zz[i] = z[i]"),
        (first + 5, "does not compile: z1[i] = 0"),
        (first + 6, "does not compile: z[i] = zz[i]"),
    ]
    assert [access.write for access in accesses(found.function)] == [True, True]


def test_code_that_compiles_beside_an_error_has_no_gap() -> None:
    unit = unit_of(
        "int g(void) { return nowhere; }\n#define STORE(x) z[x] = 0\n"
        '#define SIMD(x) _Pragma("omp simd")\n'
        "void f(double *z, int n) { for (int i = 0; i < n; i++) {\n"
        "  STORE(i);\n  ;\n#if 0\n  z[i] = 1;\n#endif\n#pragma unroll\n  SIMD(1)\n"
        "  for (int j = 0; j < 3; j++) z[j] = i; // x; y;\n"
        "  do z[i] = 3; while (0);\n  if (i) z[i] = 4; else z[i] = 5;\n"
        "  switch (i) { case 1: z[1] = 0; break; default: z[2] = 0; }\n  z[i] = 6; } }"
    )
    (found,) = unit.functions
    assert gaps(found) == []


@pytest.mark.parametrize(
    ("declaration", "call", "language"),
    [("int *, int *", "span(&i, &e)", "c"), ("int &, int &", "span(i, e)", "c++")],
)
@pytest.mark.parametrize("start", ["", " = 0"], ids=["unset", "set"])
def test_bounds_set_by_a_call_give_one_named_trip_count(
    declaration: str, call: str, language: Language, start: str
) -> None:
    function = only(
        f"void span({declaration}); void f(double *a) {{ int i{start}, e{start}; {call};\n"
        "for (; i < e; ++i) a[i] = 0; }",
        language,
    )
    (loop,) = loops(function)
    assert loop.trip_count == symbol("e-i")
    assert loop.lower.value == 0
    (store,) = accesses(function)
    assert store.offset == symbol(loop.index) * 8 + symbol("i") * 8


def test_a_call_that_cannot_change_a_bound_leaves_it() -> None:
    function = only(
        "void look(const int &, int); void f(double *a, int n) { int i = 2; look(i, n);\n"
        "for (; i < n; ++i) a[i] = 0; }",
        "c++",
    )
    assert loops(function)[0].lower.value == 2


def test_how_often_a_loop_runs_may_be_known_when_it_ends_and_not_before() -> None:
    # the two conditions read alike and end at different places
    function = only(
        "extern unsigned char t[256];\n"
        "void f(char *p, char *b) { while (t[*p]) p++; p = b; while (t[*p]) p++; }"
    )
    one, two = loops(function)
    assert one.exits == two.exits == ("its condition",)
    assert one.trip_count == two.trip_count == symbol("trips(t[*p])")


def test_an_index_that_a_call_changes_is_not_counted() -> None:
    function = only(
        "void next(int &); void f(double *a, int n) {\n"
        "for (int i = 0; i < n; i++) { a[i] = 0; next(i); } }",
        "c++",
    )
    assert loops(function)[0].trip_count == symbol("trips(i < n)")


def test_a_loop_inlined_from_a_header_stands_at_the_call(tmp_path: Path) -> None:
    (tmp_path / "fill.h").write_text(
        "\nstatic inline void fill(double *p, int n) {\n"
        "  for (int i = 0; i < n; ++i) p[i] = 0;\n}\n"
    )
    path = tmp_path / "a.c"
    path.write_text(
        '#include "fill.h"\nvoid f(double *a, int n) {\n'
        "  for (int k = 0; k < 3; ++k)\n    fill(a, n);\n}\n"
    )
    unit = extract(Request(str(path), Flags("c")))
    (found,) = unit.functions
    outer, inner = loops(found.function)
    assert [found.spans[n.origin][:2] for n in (outer, inner)] == [(3, 3), (4, 5)]
    assert (outer.form, inner.form) == ("for", "inlined")
    assert found.function.assumptions == ("the loop over i is in fill.h:3",)
    assert unit.loops == 1


TEMPLATE = (
    "template <class T, int K> void z(T *a, int n) {\n  for (int i = 0; i < n; i++) a[i] = K; }\n"
)


def test_instances_of_a_template_are_capped_and_say_so() -> None:
    calls = "".join(f"z<double, {k}>(d, 3);" for k in range(50))
    unit = unit_of(TEMPLATE + "void use(double *d) {" + calls + "}", "c++")
    assert len(unit.functions) == 4
    sentence = "of 50 instances of the template, which differ in types, only a few are analysed"
    assert all(f.function.assumptions == (sentence,) for f in unit.functions)
    assert (unit.loops, unit.refusals) == (1, ())


def test_a_loop_that_only_a_late_instance_has_is_not_lost() -> None:
    text = (
        "template <int K> void z(double *a, int n) { if constexpr (K == 6) {\n"
        "  for (int j = 0; j < n; j++) a[j] = 1; }\n  for (int i = 0; i < n; i++) a[i] = K; }\n"
    )
    calls = "".join(f"z<{k}>(d, 3);" for k in range(8))
    unit = unit_of(text + "void use(double *d) {" + calls + "}", "c++")
    assert (unit.loops, unit.refusals) == (2, ())


def test_few_instances_are_all_analysed() -> None:
    calls = "".join(f"z<double, {k}>(d, 3);" for k in range(4))
    unit = unit_of(TEMPLATE + "void use(double *d) {" + calls + "}", "c++")
    assert [f.function.assumptions for f in unit.functions] == [()] * 4


def test_a_scalar_handed_over_by_address_is_no_array() -> None:
    function = only(
        "static void four(int *q) { *q = 4; }\n"
        "void f(double *a, int n) {\n"
        "for (int i = 0; i < n; i++) { int q = 0; four(&q); a[q] = i; } }"
    )
    (store,) = accesses(function)
    assert (store.array, store.offset.value) == ("a", 32)


def test_a_known_number_of_steps_from_an_unknown_start_is_that_number() -> None:
    # j = lo + 1, ..., lo + 29
    function = only(
        TILES + "void f(struct range *t, double *a, int n) { for (int k = 0; k < n; k++)\n"
        "for (int j = t[k].lo + 1; j < t[k].lo + 30; j++) a[j] = 0; }"
    )
    loop = loops(function)[1]
    assert (loop.lower.value, loop.upper.value) == (0, 29)
    assert str(accesses(function)[-1].offset) == "8*?t[k].lo + 8*j + 8"


def test_a_loop_counted_from_zero_keeps_where_its_variable_began() -> None:
    # i = 3, ..., n - 1
    function = only("void f(double *a, int n) { int i = 3; do { a[i] = 0; i++; } while (i < n); }")
    assert loops(function)[0].trip_count == symbol("n") - 3
    assert accesses(function)[0].offset == symbol("i") * 8 + 24


def test_of_an_access_through_several_subscripts_the_whole_is_one_gap() -> None:
    unit = unit_of('#include "no_such.h"\ndouble r[M][M];\nvoid f(double *z, int n) {\n'
                   "for (int i = 0; i < n; i++) {\n  z[i] = r[i][n];\n} }")  # fmt: skip
    assert gaps(unit.functions[0]) == [(5, "access r[i][n]")]

"""Calls of functions with data for every form of parameter: the bytes touched tell what arrived."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rooflint.measure.build import build_program
from rooflint.measure.process import run_program
from rooflint.measure.program import ArrayPlacement, MeasureMode, RunSettings
from rooflint.measure.refusals import MeasureRefusal, RefusalCode, refusal_text
from rooflint.measure.subject import Subject

pytestmark = pytest.mark.long

PAGE = 4096
COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=f"no {name}"))
    for name in ("gcc", "clang")
]
LOOP = "for (int i = 0; i < n; i++) "
FORMS = {
    "pointer": (".c", "void f(int n, double *a) { L a[i] = 1; }", "a", 8000),
    "restrict": (".c", "void f(long n, float *restrict a) { L a[i] += 1; }", "a", 4000),
    "rows": (".c", "void f(int n, int m, double a[n][m]) { L a[i][m - 1] = 1; }", "a", 8000000),
    "fixed rows": (".c", "void f(int n, double (*a)[50]) { L a[i][0] = 1; }", "a", 399608),
    "struct": (".c", "typedef struct { int n; double *v; } S; "
               "void f(S s) { int n = s.n; L s.v[i] = 1; }", "s.v", 8000),
    "struct by pointer": (".c", "struct s { int n; double *v; }; "
                          "void f(struct s *s) { int n = s->n; L s->v[i] = 1; }", "s.v", 8000),
    "records": (".c", "struct p { double x, y; float z[4]; }; "
                "void f(int n, struct p *p) { L p[i].z[3] += p[i].x; }", "p", 32000),
    "unnamed": (".c", "typedef struct { double x[2]; } P; "
                "void f(int n, P *p) { L p[i].x[1] = 1; }", "p", 16000),
    "static": (".c", "static void f(int n, double *a) { L a[i] = 1; } "
               "void (*use)(int, double *) = f;", "a", 8000),
    "indices": (".c", "void f(int n, const int *at, double *a) { L a[at[i]] += 1; }", "a", 8000),
    "complex": (".c", "void f(int n, double _Complex z, double _Complex *a) { L a[i] = z; }",
                "a", 16000),
    "variable": (".c", "double *a; int n; void f(void) { L a[i] = 1; }", "a", 8000),
    "outer variable": (".c", "extern double a[]; extern int n; void f(void) { L a[i] = 1; }",
                       "a", 8000),
    "outer variables of a block": (".c", "void f(void) { extern double a[], (*b)[3]; "
                                   "extern int n; L a[i] = b[i][1]; }", "a", 8000),
    "outer variables of a block in C++": (".cpp", "namespace x { void f() { extern double a[9000]; "
                                          "extern int n; extern const double c; L a[i] = c; } }",
                                          "x::a", 8000),
    "function pointer": (".c", "void f(int n, double *a, int (*g)(int)) { L a[i] = g(i); }",
                         "a", 8000),
    "list": (".c", "struct s { struct s *next; double v; }; "
             "void f(struct s *s) { for (; s; s = s->next) s->v = 1; }", "s", 16000),
    "vector": (".cpp", "#include <vector>\nvoid f(std::vector<double> &v) "
               "{ for (auto &x : v) x = 1; }", "v", 8000),
    "vectors": (".cpp", "#include <vector>\nvoid f(int n, std::vector<std::vector<double>> &v) "
                "{ L v[0][i] = 1; }", "v", 8000),
    "reference": (".cpp", "void f(const int &n, double *&a) { L a[i] = 1; }", "a", 8000),
    "namespace": (".cpp", "namespace x { namespace { void f(int n, double *a) { L a[i] = 1; } } "
                  "void g() { f(1, nullptr); } }", "a", 8000),
    "overload": (".cpp", "void f(int n, float *a) { L a[i] = 1; } void f(double *a) { a[0] = 1; }",
                 "a", 4000),
    "method": (".cpp", "class C { int n; double *a; public: void f() const { L a[i] = 1; } }; "
               "void g(C &c) { c.f(); }", "a", 8000),
    "no default constructor": (".cpp", "struct C { C(int k) : n(k) {} int n; double *a; "
                               "virtual void g() {} void f(double x) { L a[i] = x; } };",
                               "a", 8000),
    "template": (".cpp", "template <class T> void f(int n, T *a) { L a[i] = 1; } "
                 "void g(float *a) { f(3, a); }", "a", 4000),
    "enumeration": (".cpp", "enum class E { A, B }; void f(E e, int n, double *a) "
                    "{ L a[i] = (int)e; }", "a", 8000),
}  # fmt: skip


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("form", FORMS)
def test_a_function_runs_on_data_of_its_own(
    form: str, compiler: str, subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    suffix, text, array, bytes_touched = FORMS[form]
    if compiler == "clang" and suffix == ".cpp" and not shutil.which("clang++"):
        pytest.skip("no clang++")
    program = bench(subject_in(text.replace("L ", LOOP), suffix, "f"), compiler=compiler)
    touched = program.touched()
    assert bytes_touched <= touched[array] < bytes_touched + 2 * PAGE + 8000


SIZES = """
#ifndef M
#define M 10
#endif
struct inner { int k; };
struct s { struct inner in; double *v; };
int limit;
void f(int n, struct s *s, double *a, double *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < M; j++)
            a[i * M + j] = 1;
    for (int i = 0; i < s->in.k; i++)
        s->v[i] = 1;
    for (int i = 0; i < limit; i++)
        b[i] = 1;
}
"""


def test_sizes_are_set_at_build_and_at_run(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    given = (("n", 2000), ("s.in.k", 4000), ("limit", 6000), ("M", 3))
    program = bench(subject_in(SIZES), given)
    names = {size.name: size for size in program.program.sizes}
    assert {name: size.value for name, size in names.items()} == dict(given)
    assert names["M"].origin == "macro"
    assert not names["M"].settable
    touched = program.touched()
    assert 48000 <= touched["a"] < 48000 + 2 * PAGE
    assert 32000 <= touched["s.v"] < 32000 + 2 * PAGE
    assert 48000 <= touched["b"] < 48000 + 2 * PAGE
    again = program.touched(sizes=(("n", 1000), ("limit", 10)))
    assert 24000 <= again["a"] < 24000 + 2 * PAGE
    assert again["b"] <= 2 * PAGE
    assert again["s.v"] >= 32000


def test_a_size_that_is_none_is_refused(subject_in: Callable[..., Any], tmp_path: Path) -> None:
    refusal = build_program(subject_in(SIZES), str(tmp_path), (("s.x", 1),), "gcc")
    assert isinstance(refusal, MeasureRefusal)
    assert refusal.code is RefusalCode.UNKNOWN_SIZE
    assert "its sizes are: n, s.in.k, limit" in refusal_text(refusal)


def test_rows_have_the_length_that_is_given(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    text = """
    struct matrix { int n; char *count; double **value; int **index; };
    double f(struct matrix *m, double *x)
    {
        double sum = 0;
        for (int i = 0; i < m->n; i++)
            for (int j = 0; j < m->count[i]; j++)
                sum += m->value[i][j] * x[m->index[i][j]];
        return sum;
    }
    """
    touched = bench(subject_in(text), (("row", 27), ("m.n", 500))).touched()
    row_pitch = 256
    assert 500 * row_pitch - row_pitch < touched["m.value"] + 8 * PAGE
    assert touched["x"] <= 500 * 8 + 2 * PAGE


def test_missing_functions_are_stubs_by_name(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    text = """
    double far(double); void never(void); void unused(void) { never(); }
    #include <math.h>
    void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = far(a[i]) + sqrt(a[i]); }
    """
    program = bench(subject_in(text, function="f"))
    assert program.program.stubs == ("far",)
    assert program.program.loop_stubs == ("far",)
    assert program.touched()["a"] >= 8000


def test_a_stub_of_cxx_has_its_signature_and_the_file_its_main(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    text = """
    namespace x { double far(double); }
    int main() { return 7; }
    void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = x::far(a[i]); }
    """
    program = bench(subject_in(text, ".cpp", "f"))
    assert program.program.stubs == ("x::far(double)",)
    assert program.touched()["a"] >= 8000


def test_a_setup_brings_data(
    subject_in: Callable[..., Any], bench: Callable[..., Any], tmp_path: Path
) -> None:
    setup = tmp_path / "setup.c"
    setup.write_text("extern int count; void rooflint_setup(void) { count = 3000; }\n")
    text = "int count; void f(double *a) { for (int i = 0; i < count; i++) a[i] = 1; }"
    assert bench(subject_in(text), setup=str(setup)).touched()["a"] >= 24000


def test_marks_count_the_nest(subject_in: Callable[..., Any], bench: Callable[..., Any]) -> None:
    text = """#include "header.h"
    void f(int n, double *a)
    {
        for (int i = 0; i < n; i++) a[i] = 1;
        #pragma GCC ivdep
        for (int i = 0; i < n; i++)
            a[i] = a[i] / HALF;
        if (n > 3) for (int i = 0; i < n; i++) a[i] = 1; else a[0] = 1;
        do { n--; } while (n > 0);
    }
    """
    found = subject_in("", function="f")
    assert isinstance(found, MeasureRefusal)
    for line in (4, 6, 8, 9):
        subject = subject_in(text, line=line)
        assert isinstance(subject, Subject)
        assert subject.mode is MeasureMode.MARKS
        header = Path(subject.path).with_name("header.h")
        header.write_text("#define HALF 0.5\n")
        run = bench(subject).run(sizes=(("n", 20000),))
        assert run.completion is not None
        assert all(batch.mark_passes == batch.calls for batch in run.batches)
        assert all(0 < batch.mark_ticks < batch.ticks for batch in run.batches)


DRIVER = """
void other(void);
void f(int n, double *a)
{
    for (long times = 0; times < 1L << 40; times++) {
        for (int i = 0; i < n; i++)
            a[i] = 0.5 * a[i] + 1;
        other();
    }
}
"""


def test_a_driver_is_left_once_its_nest_was_timed(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    program = bench(subject_in(DRIVER, line=6))
    run = program.run(sizes=(("n", 20000),))
    assert run.completion is not None
    assert all(batch.mark_passes > 0 for batch in run.batches)
    single = RunSettings(sizes=(("n", 20000),), budget_s=0.002, batches=3, passes=1)
    run = run_program(program.program, single, 60.0)
    assert run.completion is not None
    assert all(batch.mark_passes == batch.calls for batch in run.batches)


def test_a_nest_is_measured_though_its_function_ends_the_program(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    text = """#include <stdlib.h>
    void f(int n, double *a)
    {
        for (int i = 0; i < n; i++) a[i] = 1 / a[i];
        if (a[0] > 0) exit(1);
    }
    """
    program = bench(subject_in(text, line=4))
    assert program.refusal().code is RefusalCode.ENDED_PROGRAM
    single = RunSettings(sizes=(("n", 20000),), budget_s=0.002, batches=3, passes=1)
    run = run_program(program.program, single, 60.0)
    assert run.completion is not None
    assert all(batch.mark_passes == batch.calls > 0 for batch in run.batches)


def test_a_container_may_grow(subject_in: Callable[..., Any], bench: Callable[..., Any]) -> None:
    text = """#include <vector>
    void f(std::vector<double> &v, int n)
    {
        v.resize(4 * n);
        for (int i = 0; i < 4 * n; i++) v[i] += 1;
    }
    """
    run = bench(subject_in(text, ".cpp")).run()
    assert run.completion is not None


def test_the_entry_behind_the_last_index_is_as_large_as_a_size(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    text = """void f(int n, const int *first, double *a)
    { for (int i = 0; i < n; i++) for (int j = 0; j < first[n]; j++) a[j] += first[i]; }"""
    made = bench(subject_in(text))
    assert 8 * 4080 <= made.touched((("n", 4096),))["a"] <= 8 * 4096 + 4096


CAST = """
struct exchange { int n; double *packed; };
struct mesh { int kind; void *parameters; };
void f(struct mesh *mesh, void *data)
{
    struct exchange *exchange = mesh->parameters;
    double *to = data;
    for (int i = 0; i < exchange->n; i++) to[i] = exchange->packed[i];
}
"""


def test_memory_behind_void_is_what_the_function_converts_it_to(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    touched = bench(subject_in(CAST)).touched((("mesh.parameters.n", 2000),))
    assert touched["mesh.parameters.packed"] >= 16000
    assert touched["data"] >= 16000


def test_a_short_nest_is_refused_between_marks(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    text = "void f(int n, double *a)\n{\n    for (int i = 0; i < n; i++)\n        a[i] = 1;\n}\n"
    refusal = bench(subject_in(text, line=4)).refusal(sizes=(("n", 4),))
    assert refusal is not None
    assert refusal.code is RefusalCode.NEST_TOO_SHORT


@pytest.mark.parametrize(
    ("text", "arguments", "code"),
    [
        ("int g; ", {}, RefusalCode.NOT_PARSED),
        ("void f(void) {}", {"function": "g"}, RefusalCode.NO_FUNCTION),
        ("void f(void) {}", {"line": 1}, RefusalCode.NO_LOOP),
        ("void f(int n) { while (n--) ; }\nvoid g(int n) { while (n--) ; }", {},
         RefusalCode.SEVERAL_FUNCTIONS),
        ("int MPI_Send(void *); void f(double *a) { MPI_Send(a); }", {}, RefusalCode.COMMUNICATES),
    ],
)  # fmt: skip
def test_subjects_that_are_none(
    text: str, arguments: dict[str, Any], code: RefusalCode, subject_in: Callable[..., Any]
) -> None:
    refusal = subject_in(text, **arguments)
    assert isinstance(refusal, MeasureRefusal)
    assert refusal.code is code
    assert "{}" not in refusal_text(refusal)


def test_templates_and_constructors_are_refused(subject_in: Callable[..., Any]) -> None:
    template = subject_in("template <class T> void f(T *a) { a[0] = 1; }", ".cpp")
    assert template.code is RefusalCode.DEPENDENT_TYPES
    made = subject_in("struct S { int n; S() { for (n = 0; n < 9; n++) ; } };", ".cpp")
    assert made.code is RefusalCode.CONSTRUCTOR


def test_the_compiler_says_why_it_refuses(subject_in: Callable[..., Any], tmp_path: Path) -> None:
    subject = subject_in("void f(int n, double *a) { while (n--) a[n] = 1; }")
    Path(subject.path).write_text("void f(int n, double *a) { a[n] = undeclared_name; }")
    refusal = build_program(subject, str(tmp_path), (), "gcc")
    assert isinstance(refusal, MeasureRefusal)
    assert refusal.code is RefusalCode.NOT_COMPILED
    assert "undeclared_name" in refusal_text(refusal)


def test_a_dry_run_writes_and_runs_nothing_else(
    subject_in: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "dry"
    folder.mkdir()
    text = "void f(int n, double *a) { while (n--) a[n] = 1; }"
    program = build_program(subject_in(text), str(folder), (), "gcc", dry_run=True)
    assert not isinstance(program, MeasureRefusal)
    assert len(program.commands) == 3
    assert [each.name for each in folder.iterdir()] == ["glue.c"]


def test_a_file_named_after_a_missing_function_takes_its_part(
    subject_in: Callable[..., Any], bench: Callable[..., Any], tmp_path: Path
) -> None:
    subject = subject_in(
        "void first(int n, double *a); void f(int n, double *a) { while (n > 0) first(n--, a); }",
        ".cpp",
    )
    (tmp_path / "first.cpp").write_text(
        "void second(double *); void third(double *);\n"
        "void first(int n, double *a) { second(a + n); third(a); }\n"
    )
    (tmp_path / "second.cpp").write_text("void second(double *a) { a[0] = 1; }\n")
    (tmp_path / "third.cpp").write_text("no C++\n")
    program = bench(subject)
    assert program.program.loop_stubs == ()
    names = {Path(word).name for command in program.program.commands for word in command}
    assert {"first.cpp", "second.cpp"} <= names
    assert "third.cpp" not in names
    assert program.touched()["a"] >= 8000


def test_extents_of_an_earlier_process_are_mapped_at_once(
    bench: Callable[..., Any], subject_in: Callable[..., Any]
) -> None:
    made = bench(subject_in("void f(int n, double *a, double *b) { " + LOOP + "a[i] = b[i]; }"))
    n = 1 << 20
    settings = RunSettings(
        sizes=(("n", n),), budget_s=0.002, batches=3, placement=ArrayPlacement(offset=1088)
    )
    first = run_program(made.program, settings, 60.0)
    known = tuple([(each.low, each.high) for each in first.extents])
    again = run_program(
        made.program, replace(settings, extents=known, placement=ArrayPlacement(offset=64)), 60.0
    )
    assert again.completion is not None
    for each, (low, high) in zip(again.extents, known, strict=True):
        assert each.low <= 0 < 8 * n <= each.high
        assert each.high - each.low <= high - low + PAGE
    less = run_program(made.program, replace(settings, extents=((0, PAGE), (0, PAGE))), 60.0)
    assert less.completion is not None
    assert [each.high >= 8 * n for each in less.extents] == [True, True]

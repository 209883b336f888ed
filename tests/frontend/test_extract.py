"""What becomes of a file as a whole: every loop is analysed or refused, whatever the bytes."""

from pathlib import Path

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.options import Language
from rooflint.errors import AnalysisError
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.frontend.service import Frontend
from rooflint.ir import Call, Loop, Reason, Statement, Unit, walk
from rooflint.workers.limits import Failure, Limits

FILL = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }\n"


def unit_of(text: str | bytes, language: Language = "c", path: str = "/nowhere/a") -> Unit:
    data = text.encode() if isinstance(text, str) else text
    return extract(Request(path, Flags(language), data))


def loops(unit: Unit) -> list[Loop]:
    return [n for f in unit.functions for n in walk(f.function.body) if isinstance(n, Loop)]


def test_names_places_and_parameters() -> None:
    unit = unit_of("\n\n" + FILL)
    (found,) = unit.functions
    assert found.function.name == "f"
    assert [(p.name, p.type) for p in found.function.parameters] == [("a", "f64*"), ("n", "i32")]
    assert found.span[:2] == (3, 1)
    (loop,) = loops(unit)
    assert found.spans[loop.origin] == (3, 28, 3, 64)


def test_inactive_code_is_neither_analysed_nor_refused() -> None:
    unit = unit_of("#if 0\n" + FILL + "#endif\n" + FILL)
    assert (unit.loops, unit.refusals, len(loops(unit))) == (1, (), 1)


def test_keywords_in_comments_strings_and_directives_are_no_loops() -> None:
    text = '// for (;;)\n/* while (1) */\nconst char *s = "do { for";\n#define L for (;;)\n' + FILL
    assert (unit_of(text).loops, unit_of(text).refusals) == (1, ())


def test_keywords_in_raw_strings_are_no_loops() -> None:
    text = 'const char *k = R"x(\n  "for (;;) { }\n  for (i = 0; i < n; i++)\n)x";\n' + FILL
    unit = unit_of(text, "c++")
    assert (unit.loops, unit.refusals) == (1, ())


def test_the_while_of_a_do_is_not_a_second_loop() -> None:
    text = "void f(double *a, int n) { do { while (n > 3) a[n--] = 0; } while (--n); }"
    unit = unit_of(text)
    assert (unit.loops, unit.refusals) == (2, ())


def test_a_macro_that_loops_is_analysed_where_it_is_used() -> None:
    text = "#define EACH(i) for (int i = 0; i < 9; i++)\nvoid f(int *a) { EACH(k) a[k] = 0; }"
    unit = unit_of(text)
    assert [loop.index for loop in loops(unit)] == ["k"]
    assert (unit.loops, unit.refusals) == (1, ())


def test_a_loop_of_an_included_header_is_not_the_files_own(tmp_path: Path) -> None:
    header = "static inline void fill(double *p, int n) { for (int i = 0; i < n; ++i) p[i] = 0; }"
    (tmp_path / "h.h").write_text(header)
    source = '#include "h.h"\nvoid f(double *a, int n) { for (int k = 0; k < 3; ++k) fill(a, n); }'
    (tmp_path / "a.c").write_text(source)
    unit = extract(Request(str(tmp_path / "a.c"), Flags("c")))
    assert unit.loops == 1


def test_a_template_is_analysed_per_instance_and_its_loop_counted_once() -> None:
    text = (
        "template <class T> void z(T *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }\n"
        "void use(float *f, double *d) { z(f, 3); z(d, 4); }"
    )
    unit = unit_of(text, "c++")
    assert [f.function.arrays[0].type for f in unit.functions] == ["f32", "f64"]
    assert unit.loops == 1


def test_a_goto_loop_is_refused_with_its_place() -> None:
    unit = unit_of("void f(int *a, int n) {\nagain: a[n] = 0;\n  if (--n) goto again;\n}\n" + FILL)
    assert [(r.line, r.reason) for r in unit.refusals] == [(3, Reason("goto-loop"))]
    assert unit.loops == 2


def test_a_loop_that_does_not_compile_is_refused_with_the_compilers_reason() -> None:
    unit = unit_of(
        FILL + "void g(int n) { for (int i = 0; i < n; i++ }\n" + FILL.replace(" f(", " h(")
    )
    assert [r.line for r in unit.refusals] == [2]
    assert unit.refusals[0].reason.kind == "uncompiled-here"
    assert len(loops(unit)) == 2


def test_a_missing_header_is_named() -> None:
    unit = unit_of('#include "no_such.h"\nDECLARE(x) { for (;;) ; }\n' + FILL, "c++")
    assert unit.diagnostics[0].line == 1
    assert "'no_such.h' file not found" in unit.diagnostics[0].message
    assert len(loops(unit)) == 1
    assert unit.loops == 1 + len(unit.refusals)


def test_an_unknown_condition_keeps_both_arms() -> None:
    text = (
        '#include "no_such.h"\nvoid f(double *a, int n) {\n  if (fields[density] == 1) {\n'
        "    for (int i = 0; i < n; i++) a[i] = 0;\n  } else {\n"
        "    for (int i = 0; i < n; i++) a[i] = 1;\n  }\n}\n"
    )
    unit = unit_of(text, "c++")
    assert (len(loops(unit)), unit.refusals) == (2, ())


def test_recursion_is_an_opaque_call() -> None:
    text = (
        "#include <string>\nstruct E { E *c; std::string print(std::string s); };\n"
        "std::string E::print(std::string s) {\n"
        "  for (int i = 0; i < 4; i++) s = c->print(s);\n  return s;\n}\n"
    )
    unit = unit_of(text, "c++")
    assert len(loops(unit)) == 1
    assert not unit.diagnostics


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + FILL.encode(),
        FILL.encode("utf-16"),
        b"/* \xe9t\xe9 */ " + FILL.encode(),
        FILL.encode().replace(b" ", b"\r\n"),
        b"\f" + FILL.encode(),
    ],
    ids=["bom", "utf-16", "latin-1", "crlf", "form feed"],
)
def test_odd_bytes(data: bytes) -> None:
    unit = unit_of(data)
    assert (len(loops(unit)), unit.refusals) == (1, ())


@pytest.mark.parametrize("text", ["", "// nothing", "int x;"])
def test_files_without_loops(text: str) -> None:
    unit = unit_of(text)
    assert (unit.functions, unit.loops, unit.diagnostics) == ((), 0, ())


def test_old_c_is_parsed_as_old_c() -> None:
    unit = unit_of("f(a, n) double *a; { int i; for (i = 0; i < n; i++) a[i] = 0; }")
    assert len(loops(unit)) == 1
    assert any("gnu89" in sentence for sentence in unit.assumptions)
    assert not unit.diagnostics


def test_a_file_that_cannot_be_read() -> None:
    with pytest.raises(AnalysisError, match=r"/nowhere/b\.c: No such file"):
        extract(Request("/nowhere/b.c", Flags("c")))


def test_comments_are_handed_over() -> None:
    unit = unit_of("// rooflint: N=4096\n" + FILL + "/* rooflint: off */ int x; // NOLINT(RL101)\n")
    assert [(c.line, c.text) for c in unit.comments] == [
        (1, "N=4096"),
        (3, "off"),
        (3, "NOLINT(RL101)"),
    ]


def test_the_same_file_gives_the_same_unit() -> None:
    text = (Path(__file__).parents[1] / "kernels" / "variables.c").read_bytes()
    assert unit_of(text) == unit_of(text)


def test_deep_nesting_costs_no_crash() -> None:
    depth = 400
    nest = "".join(f"for (int i{d} = 0; i{d} < n; i{d}++) " for d in range(depth))
    terms = " + ".join(f"a[i0 + {k}]" for k in range(3000))
    texts = [
        f"void f(double *a, int n) {{ {nest} a[i0] = 0; }}",
        f"void f(double *a, int n) {{ for (int i0 = 0; i0 < n; i0++) a[i0] = {terms}; }}",
    ]
    with Frontend(Limits(seconds=60)) as frontend:
        for text, count in zip(texts, (depth, 1), strict=True):
            answer = frontend.analyse(Request("/nowhere/deep.c", Flags("c"), text.encode()))
            assert not isinstance(answer, Failure), answer
            assert (answer.loops, answer.refusals, answer.diagnostics) == (count, (), ())


def test_a_range_of_structured_bindings_is_a_loop() -> None:
    text = (
        "#include <map>\nvoid f(std::map<int, double> &m, double *a) {\n"
        "  for (auto &[key, value] : m)\n    for (int i = 0; i < 4; i++) a[i] = 0;\n}\n"
    )
    unit = unit_of(text, "c++")
    assert [loop.form for loop in loops(unit)] == ["range-for", "for"]
    assert (unit.loops, unit.refusals) == (2, ())


def test_an_error_that_the_project_asks_for_costs_no_second_parse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_second_parse(language: Language) -> None:
        raise AssertionError(f"real headers of {language} were asked for")

    monkeypatch.setattr("rooflint.frontend.extract.real_tier", no_second_parse)
    unit = unit_of('#ifndef USE_MPI\n#error "set USE_MPI"\n#endif\n' + FILL)
    assert [(d.line, d.message) for d in unit.diagnostics] == [(2, '"set USE_MPI"')]
    assert (unit.headers, len(loops(unit))) == ("shims", 1)
    with pytest.raises(AssertionError, match="real headers of c"):
        unit_of("#error one\n" + FILL.replace("a[i]", "b[i]"))


def test_what_is_inactive_is_asked_of_the_parse_that_was_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # only the second tier of headers defines GIVEN: its #else is inactive, whatever the first says
    monkeypatch.setattr(
        "rooflint.frontend.extract.real_tier", lambda language: (("-DGIVEN=double",), ())
    )
    text = (
        "#ifdef GIVEN\nGIVEN x;\n#else\nWANTED x;\n"
        "void g(int *a) { for (int i = 0; i < 9; i++) a[i] = 0; }\n#endif\n"
    )
    unit = unit_of(text + FILL)
    assert (unit.headers, unit.diagnostics) == ("real", ())
    assert (unit.loops, unit.refusals, len(loops(unit))) == (1, (), 1)


def test_loops_of_classes_inside_functions_are_analysed() -> None:
    unit = unit_of(
        "void f(double *a, int n) { struct L {\n"
        "  static void go(double *b, int m) { for (int i = 0; i < m; i++) b[i] = 0; }\n"
        "}; L::go(a, n); for (int k = 0; k < n; k++) a[k] = 1; }",
        "c++",
    )
    assert (unit.loops, unit.refusals) == (2, ())
    assert {f.function.name for f in unit.functions} == {"f", "L::go"}


@pytest.mark.parametrize(
    ("use", "form"),
    [("s(3);", "for"), ("parallel_for(n, s);", "lambda"), ("", "for"), ("run(s);", "for")],
    ids=["called", "handed over", "unused", "handed on"],
)
def test_the_loop_of_a_lambda_in_a_variable_is_analysed_once(use: str, form: str) -> None:
    unit = unit_of(
        "template <class F> void parallel_for(int n, F f);\nint other();\n"
        "template <class F> int run(F f) { return other(); }\nvoid f(double *a, int n) {\n"
        "  auto s = [=](int k) {\n    for (int i = 0; i < n; i++) a[i + k] = 0; };\n" + use + " }",
        "c++",
    )
    assert (unit.loops, unit.refusals) == (1, ())
    found = loops(unit)
    assert found[0].form == form
    assert [loop.index for loop in found] == (["k", "i"] if form == "lambda" else ["i"])


def test_the_loop_of_a_lambda_that_an_inlined_function_drops_is_analysed() -> None:
    unit = unit_of(
        "int other();\ntemplate <class F> int run(int, F f) { return other(); }\n"
        "void f(double *a, int n) { for (int k = 0; k < n; k++)\n"
        "  n = run(k, [=](int m) { for (int i = 0; i < m; i++) a[i] = 0; }); }",
        "c++",
    )
    assert (unit.loops, unit.refusals) == (2, ())


def test_functions_without_loops_where_they_are_wanted() -> None:
    text = b"float f(float a, float b) { return a / b / 2; }\nint g(void) { return 1; }\n"
    request = Request("/nowhere/a", Flags("c"), text)
    assert extract(request).functions == ()
    f, g = extract(request._replace(straight=True)).functions
    assert (f.function.name, g.function.name) == ("f", "g")
    [divisions, _] = f.function.body
    assert isinstance(divisions, Statement)
    assert [value.op for value in divisions.values].count("div") == 2
    widened = b"float f(float a) { return a * 2.2; }"
    [f] = extract(request._replace(text=widened, straight=True)).functions
    [product, _] = f.function.body
    assert isinstance(product, Statement)
    # the float that is returned is made of a product in double
    assert [v.type for v in product.values if v.op in ("mul", "convert")] == ["f64", "f64", "f32"]


def test_a_function_that_is_declared_const_has_no_effects() -> None:
    text = b"""
    double c(double) __attribute__((const));
    double u(double);
    void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = c(a[i]) + u(2.0); }"""
    [f] = extract(Request("/nowhere/a", Flags("c"), text)).functions
    calls = [node for node in walk(f.function.body) if isinstance(node, Call)]
    assert [(call.name, call.effects) for call in calls] == [("c", "none"), ("u", "unknown")]

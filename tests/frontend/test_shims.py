"""Our own headers: they parse alone in every standard, and calls through them have C's types."""

import os
import string
from collections.abc import Iterator

import pytest
from clang import cindex
from clang.cindex import CursorKind
from rooflint.frontend.parse.shims import SHIM_ROOT, Language, shim_arguments, shim_files

C_STANDARDS = ("gnu89", "c99", "gnu11", "gnu17", "c23")
CPP_STANDARDS = ("gnu++11", "c++14", "gnu++17", "c++20", "gnu++23")
LOOPS = (
    CursorKind.FOR_STMT,
    CursorKind.WHILE_STMT,
    CursorKind.DO_STMT,
    CursorKind.CXX_FOR_RANGE_STMT,
)
INDEX = cindex.Index.create()


def parse(language: Language, code: str, *arguments: str) -> cindex.TranslationUnit:
    main = "/main.c" if language == "c" else "/main.cpp"
    return INDEX.parse(
        main,
        args=[*arguments, *shim_arguments(language), "-D_OPENMP=202011"],
        unsaved_files=[(main, code), *shim_files(language)],
        options=0,
    )


def complaints(unit: cindex.TranslationUnit) -> list[str]:
    return [str(diagnostic) for diagnostic in unit.diagnostics]


def public_names(language: Language) -> list[str]:
    """Every name a program may include; C++ reaches ``stdatomic.h`` and its kin in both folders."""
    folder = f"{SHIM_ROOT}/{'c' if language == 'c' else 'cpp'}/"
    names = [path.removeprefix(folder) for path, _ in shim_files(language)]
    return sorted(name for name in names if not name.startswith(("/", "__rooflint")))


def calls(unit: cindex.TranslationUnit) -> Iterator[cindex.Cursor]:
    """Calls in the main file, in its order."""
    for cursor in unit.cursor.get_children():
        if cursor.location.file and cursor.location.file.name == unit.spelling:
            for inside in cursor.walk_preorder():
                if inside.kind == CursorKind.CALL_EXPR:
                    yield inside


def call_types(unit: cindex.TranslationUnit) -> list[str]:
    return [call.type.get_canonical().spelling for call in calls(unit)]


def test_nothing_is_on_disk_and_names_are_unique() -> None:
    assert not os.path.exists(SHIM_ROOT)
    for language in ("c", "c++"):
        paths = [path for path, _ in shim_files(language)]
        assert len(paths) == len(set(paths)) > 100


@pytest.mark.parametrize(("language", "standard"), [("c", "gnu11"), ("c++", "gnu++17")])
def test_each_header_parses_alone_and_twice(language: Language, standard: str) -> None:
    bad = {
        name: complaints(parse(language, f"#include <{name}>\n" * 2, f"-std={standard}"))
        for name in public_names(language)
    }
    assert {name: found for name, found in bad.items() if found} == {}


@pytest.mark.parametrize("standard", C_STANDARDS)
def test_all_c_headers_together_in_each_standard(standard: str) -> None:
    code = "".join(f"#include <{name}>\n" for name in public_names("c"))
    assert complaints(parse("c", code, f"-std={standard}")) == []


@pytest.mark.parametrize("standard", CPP_STANDARDS)
def test_all_cpp_headers_together_in_each_standard(standard: str) -> None:
    code = "".join(f"#include <{name}>\n" for name in public_names("c++"))
    assert complaints(parse("c++", code, f"-std={standard}")) == []


@pytest.mark.parametrize("language", ["c", "c++"])
def test_prototypes_are_those_the_compiler_knows(language: Language) -> None:
    names = [n for n in public_names("c") if language == "c" or n not in ("stdatomic.h",)]
    code = "".join(f"#include <{name}>\n" for name in names)
    found = complaints(parse(language, code, "-Wsystem-headers"))
    assert [line for line in found if "incompatible redeclaration" in line] == []


def test_only_reserved_names_are_used_inside() -> None:
    """A program's macros of one letter (``#define N 100``) must not reach into the headers."""
    # Lanes of CUDA's vectors are x, y, z, w; <complex.h> itself defines I, as C says.
    letters = [c for c in string.ascii_letters if c not in "xyzwI"]
    macros = "".join(f"#define {letter} @\n" for letter in letters)
    for language in ("c", "c++"):
        names = [n for n in public_names(language) if n not in ("random", "numbers")]
        code = macros + "".join(f"#include <{name}>\n" for name in names)
        assert complaints(parse(language, code)) == []


def test_sizes_are_those_of_lp64() -> None:
    checks = {
        "__builtin_types_compatible_p(size_t, unsigned long)": True,
        "__builtin_types_compatible_p(ptrdiff_t, long)": True,
        "__builtin_types_compatible_p(int64_t, long)": True,
        "__builtin_types_compatible_p(uint32_t, unsigned)": True,
        "__builtin_types_compatible_p(int_fast32_t, long)": True,
        "__builtin_types_compatible_p(off_t, long)": True,
        "sizeof(wchar_t) == 4": True,
        "sizeof(max_align_t) == 32": True,
        "INT64_MAX == 9223372036854775807": True,
        "UINT8_C(200) == 200": True,
        "DBL_MANT_DIG == 53 && FLT_DIG == 6 && CHAR_BIT == 8": True,
        "LONG_MIN + LONG_MAX == -1": True,
    }
    code = "#include <stddef.h>\n#include <stdint.h>\n#include <sys/types.h>\n#include <float.h>\n"
    code += "#include <limits.h>\n#include <assert.h>\n"
    code += "".join(f'static_assert({check}, "");\n' for check in checks)
    assert complaints(parse("c", code, "--target=x86_64-linux-gnu")) == []


def test_numeric_limits() -> None:
    code = """
    #include <limits>
    template <class T> using L = std::numeric_limits<T>;
    static_assert(L<int>::max() == 2147483647 && L<int>::min() == -2147483647 - 1, "");
    static_assert(L<unsigned long>::max() == 18446744073709551615ul && L<unsigned>::min() == 0, "");
    static_assert(L<long long>::min() + L<long long>::max() == -1, "");
    static_assert(L<signed char>::lowest() == -128 && L<char>::digits == 7, "");
    static_assert(L<short>::digits10 == 4 && L<unsigned short>::max() == 65535, "");
    static_assert(L<bool>::max() && L<bool>::digits == 1, "");
    static_assert(L<double>::lowest() == -L<double>::max() && L<double>::digits == 53, "");
    static_assert(L<float>::epsilon() == 1.0f / 8388608 && L<float>::max_digits10 == 9, "");
    static_assert(L<double>::infinity() > L<double>::max() && !L<int>::has_infinity, "");
    struct S {};
    static_assert(!L<S>::is_specialized, "");
    """
    for standard in CPP_STANDARDS:
        assert complaints(parse("c++", code, f"-std={standard}")) == []


def test_c_math_has_one_type_per_name() -> None:
    code = """
    #include <math.h>
    void f(float x)
    { sqrt(x); sqrtf(x); sqrtl(x); fabs(2.0); powf(x, 2); fmaf(x, x, x); lround(x); }
    """
    unit = parse("c", code, "-Wno-unused-value")
    assert complaints(unit) == []
    # sqrt of a float is a double in C: only the suffix chooses.
    assert call_types(unit) == "double|float|long double|double|float|float|long".split("|")


def test_type_generic_math_keeps_names_and_types() -> None:
    code = """
    #include <tgmath.h>
    void f(float x, double y, int i, double complex z)
    { sqrt(x); sqrt(y); sqrt(i); sqrt(z); pow(x, x); pow(x, y); fabs(z); creal(z); }
    """
    unit = parse("c", code, "-Wno-unused-value")
    assert complaints(unit) == []
    assert [(call.spelling, call.type.spelling) for call in calls(unit)] == [
        ("sqrt", "float"),
        ("sqrt", "double"),
        ("sqrt", "double"),
        ("sqrt", "_Complex double"),
        ("pow", "float"),
        ("pow", "double"),
        ("fabs", "double"),
        ("creal", "double"),
    ]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("std::sqrt(x)", "float"),
        ("std::sqrt(y)", "double"),
        ("std::sqrt(w)", "long double"),
        ("std::sqrt(i)", "double"),
        ("std::pow(x, x)", "float"),
        ("std::pow(x, i)", "double"),
        ("std::pow(x, y)", "double"),
        ("std::pow(i, w)", "long double"),
        ("std::abs(x)", "float"),
        ("std::abs(i)", "int"),
        ("std::abs(n)", "long"),
        ("std::fmax(x, x)", "float"),
        ("std::fma(x, x, x)", "float"),
        ("std::max(i, 2)", "int"),
        ("std::min(x, 2.0f)", "float"),
        ("std::max({x, x, 1.0f})", "float"),
        ("std::isnan(x)", "bool"),
        ("std::lround(x)", "long"),
        ("std::abs(z)", "double"),
        ("z * z", "std::complex<double>"),
    ],
)
def test_cpp_math_overloads(call: str, expected: str) -> None:
    code = f"""
    #include <algorithm>
    #include <cmath>
    #include <complex>
    void f(float x, double y, long double w, int i, long n, std::complex<double> z) {{ {call}; }}
    """
    unit = parse("c++", code, "-std=gnu++11", "-Wno-unused-value")
    assert complaints(unit) == []
    first = next(calls(unit)).type.get_canonical().spelling
    assert first.removeprefix("const ").removesuffix(" &") == expected


def test_global_overloads_come_with_math_h_only() -> None:
    body = "void f(float x) { sqrt(x); abs(x); }"
    assert call_types(parse("c++", f"#include <math.h>\n{body}")) == ["float", "float"]
    # <cmath> puts C's own functions into the global namespace and the overloads into std.
    assert call_types(parse("c++", f"#include <cmath>\n{body}")) == ["double", "int"]


CONTAINERS = """
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <valarray>
#include <vector>
double f(std::vector<double> &v, const std::array<double, 4> &a, std::span<float> s,
         std::valarray<double> &w, std::map<int, double> &m, const std::vector<bool> &b) {
  double sum = 0;
  for (double x : v) sum += x;
  for (auto x : a) sum += x;
  for (float &x : s) x *= 2;
  for (double x : w) sum += x;
  for (auto x : {1.0, 2.0}) sum += x;
  for (const auto &[key, value] : m) sum += value;
  for (auto it = v.begin(); it != v.end(); ++it) sum += *it;
  for (unsigned i = 0; i < v.size(); ++i) sum += v[i] * a[i] * s[i] * w[i] * v.at(i) + b[i];
  return sum + std::accumulate(v.begin(), v.end(), 0.0) + v.data()[0] + m[3];
}
"""


@pytest.mark.parametrize("standard", ["gnu++17", "c++20", "gnu++23"])
def test_loops_over_containers(standard: str) -> None:
    unit = parse("c++", CONTAINERS, f"-std={standard}")
    assert complaints(unit) == []
    function = [c for c in unit.cursor.get_children() if c.spelling == "f"][-1]
    assert sum(cursor.kind in LOOPS for cursor in function.walk_preorder()) == 8
    types = {(c.spelling, c.type.get_canonical().spelling) for c in calls(unit)}
    assert {
        ("operator[]", "double"),
        ("operator[]", "const double"),
        ("operator[]", "float"),
        ("size", "unsigned long"),
        ("at", "double"),
        ("data", "double *"),
        ("accumulate", "double"),
    } <= types


@pytest.mark.parametrize(
    ("call", "header"),
    [
        ("std::for_each(p, p + n, [](double &x) { x *= 2; })", "algorithm"),
        ("std::transform(p, p + n, p, [](double x) { return x * 2; })", "algorithm"),
        ("std::inner_product(p, p + n, p, 0.0)", "numeric"),
        ("std::reduce(p, p + n)", "numeric"),
        ("std::transform_reduce(p, p + n, p, 0.0)", "numeric"),
        ("std::fill(p, p + n, 0.0)", "vector"),
    ],
)
def test_algorithms_have_bodies_with_a_loop(call: str, header: str) -> None:
    unit = parse("c++", f"#include <{header}>\nvoid f(double *p, int n) {{ {call}; }}")
    assert complaints(unit) == []
    body = next(calls(unit)).referenced.get_definition()
    assert sum(cursor.kind in LOOPS for cursor in body.walk_preorder()) == 1


def test_a_policy_forwards_to_the_plain_algorithm() -> None:
    code = """
    #include <execution>
    #include <vector>
    double f(std::vector<double> &v) {
      std::for_each(std::execution::par_unseq, v.begin(), v.end(), [](double &x) { x = x * x; });
      return std::transform_reduce(std::execution::par, v.begin(), v.end(), v.begin(), 0.0);
    }
    """
    unit = parse("c++", code, "-std=gnu++17")
    assert complaints(unit) == []
    outer = next(calls(unit)).referenced.get_definition()
    inner = [c for c in outer.walk_preorder() if c.kind == CursorKind.CALL_EXPR]
    assert inner[0].referenced.spelling == "for_each"
    assert any(c.kind in LOOPS for c in inner[0].referenced.get_definition().walk_preorder())

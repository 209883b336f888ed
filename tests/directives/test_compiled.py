"""Every directive that is offered compiles, with every form of declaration around and in a loop."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.lint.fixing import apply_fixes
from rooflint.plugin_api.advice import Advice, Fix

Lint = Callable[..., list[Advice]]
FLAGS = ("-fopenmp", "-Wall", "-Werror", "-fsyntax-only")
COMPILERS = {"c": ("gcc", "clang"), "c++": ("g++", "clang++")}
STANDARDS = {"c": "-std=gnu17", "c++": "-std=c++17"}
SUFFIXES = {"c": ".c", "c++": ".cpp"}


def compiled(language: str, text: str, folder: Path) -> None:
    """Compiles with gcc, and with clang where it is installed."""
    source = folder / f"k{SUFFIXES[language]}"
    source.write_text(text, encoding="utf-8")
    required, other = COMPILERS[language]
    if shutil.which(required) is None:
        pytest.skip(f"needs {required}")
    for compiler in filter(shutil.which, (required, other)):
        command = [compiler, STANDARDS[language], *FLAGS, str(source)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"{done.stderr}\n{text}"


_IN_PLACE = re.compile(r"// in place of lines? (\d+)(?: to (\d+))?, without comments\n")


def applied(text: str, fix: Fix) -> str | None:
    """The text with a fix made, or with its sketch in place of the lines that it names."""
    if fix.edits:
        finding = [_advice(fix._replace(safety="safe"))]
        return apply_fixes(text.encode(), finding).text.decode()
    begin = _IN_PLACE.match(fix.sketch)
    if begin is None:
        return None
    first, last = int(begin[1]), int(begin[2] or begin[1])
    lines = text.splitlines()
    new = fix.sketch[begin.end() :].splitlines()
    return "\n".join((*lines[: first - 1], *new, *lines[last:], ""))


def _advice(fix: Fix) -> Advice:
    return Advice(
        code="RL000", slug="", message="", severity="note", span=(1, 1, 1, 1), function="",  # type: ignore[arg-type]
        loop="", fingerprint="", fix=fix,
    )  # fmt: skip


IN_C = {
    "initialiser with a comma": ("double u = fmax(b[j], 0.0), t;", "t = u;"),
    "plain": ("double t;", "t = b[j];"),
    "several": ("double u, t, v;", "u = b[j]; v = u; t = v;"),
    "braces": ("double w[2] = {1, 2}, t;", "t = w[0] + b[j];"),
    "pointer to an array": ("const double (*p)[4] = (const double (*)[4])b, t = 1;", "(void)p;"),
    "array of pointers": ("const double *p[2] = {b, b}; double t;", "t = *p[0] + b[j];"),
    "typeof": ("__typeof__(b[0] + 0) t;", "t = b[j];"),
    "pointers and a value": ("const double *q = b, *r = q; double t;", "t = r[j];"),
    "several words": ("unsigned long long k = 3; const double t = b[j];", "(void)k;"),
    "function type": ("double (*g)(double), t;", "(void)sizeof g; t = b[j];"),
    "attribute": ("double t __attribute__((aligned(16)));", "t = b[j];"),
}
IN_CPP = {
    "template": ("std::pair<double, int>::first_type u = 1, t;", "t = u + b[j];"),
    "structured binding": ("auto [x, t] = std::pair<double, double>(b[j], 2 * b[j]);", "(void)x;"),
    "auto": ("auto t = 2 * b[j];", ""),
    "decltype": ("decltype(b[0] + 0) t;", "t = b[j];"),
    "braced values": ("double u{1.5}, t{b[j]};", "t += u;"),
    "a reference": ("const double &r = b[j]; double t;", "t = r;"),
    "nested template": ("std::tuple_element_t<0, std::pair<double, int>> t;", "t = b[j];"),
}
RECORD = (
    "struct { double x, y; } s, z; double t;",
    "(void)sizeof s; (void)sizeof z; t = b[j];",
)
NEST = """#include <math.h>
{headers}
void f(double (*{restrict} a)[5000], const double *{restrict} b) {{
  {outside}
  for (int i = 0; i < 5000; i++)
    for (int j = 0; j < 5000; j++) {{
      {inside}
      {uses}
      a[i][j] = t * 2.0;
    }}
}}
"""


def nest(language: str, inside: str, uses: str, outside: str = "") -> str:
    cpp = language == "c++"
    return NEST.format(
        headers="#include <array>\n#include <utility>" if cpp else "",
        restrict="__restrict" if cpp else "restrict",
        outside=outside,
        inside=inside,
        uses=uses,
    )


@pytest.fixture
def offered(lint: Lint) -> Callable[[str, str, str], list[Fix]]:
    """Fixes that a rule offers for a text."""

    def found(code: str, language: str, text: str) -> list[Fix]:
        flags = "-O3 -march=icelake-server -fopenmp"
        return [each.fix for each in lint(code, language, text, flags) if each.fix is not None]

    return found


FORMS = [
    *[("c", name, *each) for name, each in {**IN_C, "a record": RECORD}.items()],
    *[("c++", name, *each) for name, each in {**IN_C, **IN_CPP}.items()],
]


@pytest.mark.parametrize(("language", "name", "inside", "uses"), FORMS)
def test_what_a_loop_declares_is_named_in_no_clause(
    offered: Callable[..., list[Fix]],
    tmp_path: Path,
    language: str,
    name: str,
    inside: str,
    uses: str,
) -> None:
    text = nest(language, inside, uses)
    [fix] = offered("RL401", language, text)
    assert fix.edits
    assert "private" not in fix.title
    changed = applied(text, fix)
    assert changed is not None
    compiled(language, changed, tmp_path)


@pytest.mark.parametrize(("language", "name", "outside", "uses"), [
    form for form in FORMS if not re.search(r"b\[j\]|const|\br\b", form[2])
])  # fmt: skip
def test_what_is_declared_around_it_is_private(
    offered: Callable[..., list[Fix]],
    tmp_path: Path,
    language: str,
    name: str,
    outside: str,
    uses: str,
) -> None:
    text = nest(language, "", f"{uses or ';'} t = b[j] + 1;", outside)
    [fix] = offered("RL401", language, text)
    if fix.edits:
        assert re.search(r"\bprivate\([^)]*\bt\b", fix.title), fix.title
    changed = applied(text, fix)
    if changed is not None:
        compiled(language, changed, tmp_path)


def test_an_inner_variable_of_the_same_name_is_another(
    offered: Callable[..., list[Fix]], tmp_path: Path
) -> None:
    text = nest("c", "", "t = b[j]; { double t = 3; a[i][j] = t; }", "double t;")
    [fix] = offered("RL401", "c", text)
    assert fix.title == "#pragma omp parallel for private(t)"
    changed = applied(text, fix)
    assert changed is not None
    compiled("c", changed, tmp_path)


def test_a_static_variable_is_shared_by_all_threads(offered: Callable[..., list[Fix]]) -> None:
    text = nest("c", "static double t;", "t = b[j];")
    assert all(fix.safety == "sketch" and not fix.edits for fix in offered("RL401", "c", text))


REDUCED = {
    "a sum": ("double s = 0;", "s += b[i];", "reduction(+: s)"),
    "a maximum": ("double s = 0;", "if (b[i] > s) s = b[i];", "reduction(max: s)"),
    "an integer": ("long s = 0;", "s += c[i];", "reduction(+: s)"),
    "two sums": ("double s = 0, r = 0;", "s += b[i]; r += 2 * b[i];", "reduction(+"),
}


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("rule", ["RL201", "RL401"])
@pytest.mark.parametrize("name", REDUCED)
def test_sums_get_reductions(
    offered: Callable[..., list[Fix]], tmp_path: Path, language: str, rule: str, name: str
) -> None:
    outside, body, clause = REDUCED[name]
    text = f"""double f(int n, const double *b, const int *c) {{
  // rooflint: n=20000000
  {outside}
  (void)c;
  for (int i = 0; i < n; i++) {{
    {body}
  }}
  return s;
}}
"""
    changed = [each for fix in offered(rule, language, text) if (each := applied(text, fix))]
    for each in changed:
        compiled(language, each, tmp_path)
    if rule == "RL401":
        assert any(clause in each for each in changed), changed


OTHERS = {
    "a sum of complex numbers": (
        "c", "RL401",
        """double _Complex f(int n, const double _Complex *b) {
  // rooflint: n=20000000
  double _Complex s = 0;
  for (int i = 0; i < n; i++)
    s += b[i];
  return s;
}
""",
    ),
    "a sum in a reference": (
        "c++", "RL401",
        """void f(int n, const double *b, double &s) {
  // rooflint: n=20000000
  for (int i = 0; i < n; i++)
    s += b[i];
}
""",
    ),
    "a sum in a member": (
        "c", "RL401",
        """struct sums { double s; };
void f(int n, const double *b, struct sums *p) {
  // rooflint: n=20000000
  for (int i = 0; i < n; i++)
    p->s += b[i];
}
""",
    ),
    "a sum of the file": (
        "c", "RL401",
        """double s;
void f(int n, const double *b) {
  // rooflint: n=20000000
  for (int i = 0; i < n; i++)
    s += b[i];
}
""",
    ),
    "a loop behind an if": (
        "c", "RL401",
        """void f(int n, double *restrict a, const double *restrict b) {
  // rooflint: n=20000000
  if (n > 3) for (int i = 0; i < n; i++)
    a[i] = b[i];
  else for (int i = 0; i < n; i++)
    a[i] = 2 * b[i];
}
""",
    ),
    "a loop over a range": (
        "c++", "RL401",
        """#include <vector>
void f(std::vector<double> &v) {
  // rooflint: v.size()=20000000
  for (auto &x : v)
    x = 2 * x;
}
""",
    ),
    "the last value of a variable": (
        "c", "RL401",
        """double f(int n, double *restrict a, const double *restrict b) {
  // rooflint: n=20000000
  double t = 0;
  for (int i = 0; i < n; i++) {
    t = b[i];
    a[i] = t * t;
  }
  return t;
}
""",
    ),
    "a schedule": (
        "c", "RL407",
        """void f(int n, double (*restrict a)[n], const double *restrict b) {
  // rooflint: n=4000
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      a[i][j] = 2.0 * b[j];
}
""",
    ),
    "a schedule where there is one": (
        "c", "RL407",
        """void f(int n, double (*restrict a)[n], const double *restrict b) {
  // rooflint: n=4000
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      a[i][j] = 2.0 * b[j];
}
""",
    ),
    "memory first touched": (
        "c", "RL403",
        """#include <stdlib.h>
double f(int n) {
  // rooflint: n=20000000
  double s = 0, *a = malloc(n * sizeof *a), t;
  for (int i = 0; i < n; i++) {
    t = i;
    a[i] = t;
  }
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += a[i];
  free(a);
  return s;
}
""",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", ["c", "c++"])
def test_promises_compile(offered: Callable[..., list[Fix]], tmp_path: Path, language: str) -> None:
    text = """void f(double *a, double *b, double *c, double *d, const double *w, const double *x,
       const double *y, const double *z, int n) {
  // rooflint: n=1000
  for (int i = 0; i < n; i++) {
    a[i] = w[i] + x[i];
    b[i] = y[i] + z[i];
    c[i] = w[i] * y[i];
    d[i] = x[i] * z[i];
  }
}
"""
    [fix] = offered("RL301", language, text)
    changed = applied(text, fix)
    assert changed is not None
    assert "restrict" in changed
    compiled(language, changed, tmp_path)


@pytest.mark.parametrize("name", OTHERS)
def test_directives_of_all_rules(
    offered: Callable[..., list[Fix]], tmp_path: Path, name: str
) -> None:
    language, rule, text = OTHERS[name]
    fixes = offered(rule, language, text)
    assert fixes, name
    for fix in fixes:
        changed = applied(text, fix)
        if changed is not None:
            compiled(language, changed, tmp_path)

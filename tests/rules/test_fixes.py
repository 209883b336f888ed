"""Fixes that change the text: what comes out, and where they are left to people."""

from collections.abc import Callable

import pytest
from rooflint.lint.fixing import apply_fixes
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
ARRAYS = "static double a[20000000], b[20000000], c[20000000];\nvoid f(void) {\n"
HEADER = "  for (int i = 0; i < 20000000; i++)"


GCC = "gcc -O3 -march=icelake-server"


def after(lint: Lint, code: str, text: str, command: str = GCC) -> str:
    findings = lint(code, text, command).findings
    assert len(findings) == 1
    changed, _ = apply_fixes(text.encode(), findings)
    return changed.decode()


@pytest.mark.long
@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (
            f"{HEADER}\n    a[i] = c[i] * 2.0;\n{HEADER}\n    b[i] += a[i] * c[i];\n",
            f"{HEADER} {{\n    a[i] = c[i] * 2.0;\n    b[i] += a[i] * c[i];\n  }}\n",
        ),
        (
            f"{HEADER} {{\n    a[i] = c[i] * 2.0;\n  }}\n\n{HEADER} {{\n    double t = a[i];\n"
            "    b[i] += t * c[i];\n  }\n",
            f"{HEADER} {{\n    a[i] = c[i] * 2.0;\n    double t = a[i];\n"
            "    b[i] += t * c[i];\n  }\n",
        ),
        (
            f"{HEADER} {{ a[i] = c[i] * 2.0; }}\n{HEADER} b[i] += a[i] * c[i];\n",
            f"{HEADER} {{ a[i] = c[i] * 2.0;\n    b[i] += a[i] * c[i];\n  }}\n",
        ),
        (
            f"{HEADER} a[i] = c[i] * 2.0; // twice\n  // then b\n{HEADER}\n  {{\n"
            "    b[i] += a[i] * c[i]; // more\n  } // done\n",
            f"{HEADER} {{ a[i] = c[i] * 2.0;\n    // twice\n  // then b\n"
            "    b[i] += a[i] * c[i]; // more\n  } // done\n",
        ),
        # a comment that says the name of the first loop's variable uses no variable
        (
            f"{HEADER} {{\n    double t = c[i];\n    a[i] = t * 2.0;\n  }}\n"
            f"{HEADER} {{\n    b[i] += a[i] * c[i]; // not t\n  }}\n",
            f"{HEADER} {{\n    double t = c[i];\n    a[i] = t * 2.0;\n"
            "    b[i] += a[i] * c[i]; // not t\n  }\n",
        ),
    ],
)
def test_two_loops_become_one(lint: Lint, before: str, expected: str) -> None:
    assert after(lint, "RL104", f"{ARRAYS}{before}}}\n") == f"{ARRAYS}{expected}}}\n"


def test_nests_fuse_all_the_way_down(lint: Lint) -> None:
    arrays = "static double a[4000][4000], b[4000][4000], c[4000][4000];\nvoid f(void) {\n"
    outer, inner = "  for (int i = 0; i < 4000; i++)", "    for (int j = 0; j < 4000; j++)"
    before = f"{outer}\n{inner}\n      a[i][j] = c[i][j] * 2.0;\n"
    before += f"{outer} {{\n{inner}\n      b[i][j] += a[i][j] * c[i][j];\n  }}\n}}\n"
    text = after(lint, "RL104", arrays + before)
    assert text == (
        f"{arrays}{outer}\n{inner} {{\n      a[i][j] = c[i][j] * 2.0;\n"
        "      b[i][j] += a[i][j] * c[i][j];\n    }\n}\n"
    )


FIRST, SECOND = "a[i] = c[i] * 2.0;", "b[i] += a[i] * c[i];"


@pytest.mark.long
@pytest.mark.parametrize(
    "code",
    [
        # the name would be declared twice, or mean another variable
        f"{HEADER} {{ double t = c[i]; a[i] = t; }}\n"
        f"{HEADER} {{ double t = a[i]; b[i] += t * c[i]; }}",
        # written otherwise
        f"{HEADER} {FIRST}\n  for (int k = 0; k < 20000000; k++) b[k] += a[k] * c[k];",
        # what the IR has in closed form is code all the same
        f"  int n = 3;\n{HEADER} {FIRST}\n  n = n + 1;\n{HEADER} b[i] += a[i] * c[i] * n;",
        f"{HEADER} {FIRST}\n#ifndef NONE\n{HEADER} {SECOND}\n#endif",
        f"{HEADER} {FIRST}\n{HEADER} /* lost */ {{ {SECOND} }}",
    ],
)
def test_loops_that_people_have_to_fuse(lint: Lint, code: str) -> None:
    [finding] = lint("RL104", f"{ARRAYS}{code}\n}}\n", "gcc -O3 -march=icelake-server").findings
    assert finding.fix is not None
    assert (finding.fix.safety, finding.fix.edits) == ("sketch", ())


ROWS = """#define N 4096
static double g[32][ROW];
static double h[32];
void sums(int times) {
  // rooflint: times=1000
  for (int t = 0; t < times; t++)
    for (int i = 0; i < 32; i++)
      h[i] += g[i][0];
}
"""


@pytest.mark.parametrize(("row", "padded"), [("4096", "4104"), ("N", "N + 8"), ("(N)", "")])
def test_rows_of_a_static_array_get_longer(lint: Lint, row: str, padded: str) -> None:
    text = ROWS.replace("ROW", row)
    [finding] = lint("RL107", text, "gcc -O3 -march=icelake-server").findings
    assert finding.fix is not None
    assert finding.fix.safety == ("safe" if padded else "sketch")
    assert after(lint, "RL107", text) == text.replace(f"][{row}]", f"][{padded or row}]")


@pytest.mark.parametrize(
    "use",
    [
        "void fill(double (*)[4096]); void more(void) { fill(g); }",
        "double *first(void) { return &g[0][0]; }",
        "double *row(int i) { return g[i]; }",
        "unsigned long size(void) { return sizeof g[0][0]; }",
        "double (*rows)[4096] = g;",
    ],
)
def test_rows_that_others_see_are_left_to_people(lint: Lint, use: str) -> None:
    text = f"{ROWS.replace('ROW', '4096')}{use}\n"
    [finding] = lint("RL107", text, "gcc -O3 -march=icelake-server").findings
    assert finding.fix is not None
    assert (finding.fix.safety, finding.fix.edits) == ("sketch", ())
    public = ROWS.replace("ROW", "4096").replace("static double g", "double g")
    [finding] = lint("RL107", public, "gcc -O3 -march=icelake-server").findings
    assert finding.fix is not None
    assert finding.fix.safety == "sketch"


@pytest.mark.parametrize(
    ("use", "compiler"),
    [
        ("double *first(void) { return &(g[0][0]); }", "gcc"),
        ("#define FIRST g[0][0]\ndouble *first(void) { return &FIRST; }", "gcc"),
        ("double *first = &(g[0][0]);", "gcc"),
        ("void fill(double &); void more() { fill(g[0][0]); }", "g++ -x c++"),
        ("double &first() { return g[0][0]; }", "g++ -x c++"),
        ("auto first = []() -> double & { return g[0][0]; };", "g++ -x c++"),
        ("struct Grid { operator double &() { return g[0][0]; } };", "g++ -x c++"),
        ("template <class T> T &at(int i) { return g[0][i]; }", "g++ -x c++"),
        ("namespace inner { double &first = g[0][0]; }", "g++ -x c++"),
    ],
)
def test_rows_whose_address_leaves_unseen_by_the_text(lint: Lint, use: str, compiler: str) -> None:
    """Code that walks on from there counts on the length of a row."""
    text = f"{ROWS.replace('ROW', '4096')}{use}\n"
    [finding] = lint("RL107", text, f"{compiler} -O3 -march=icelake-server").findings
    assert finding.fix is not None
    assert (finding.fix.safety, finding.fix.edits) == ("sketch", ())


def test_rows_of_a_class_are_seen_by_others(lint: Lint) -> None:
    text = ROWS.replace("ROW", "4096").replace(
        "static double g[32][4096];", "struct S { static double g[32][4096]; void sums(int); };"
    )
    text = text.replace("void sums(int times) {", "void S::sums(int times) {")
    [finding] = lint("RL107", text, "g++ -x c++ -O3 -march=icelake-server").findings
    assert finding.fix is not None
    assert finding.fix.safety == "sketch"


@pytest.mark.parametrize("use", ["double at(int i) { return g[i][0]; }", "void no(void) {}"])
def test_elements_that_are_read_keep_rows_private(lint: Lint, use: str) -> None:
    for compiler in ("gcc", "g++ -x c++"):
        text = f"{ROWS.replace('ROW', '4096')}{use}\n"
        [finding] = lint("RL107", text, f"{compiler} -O3 -march=icelake-server").findings
        assert finding.fix is not None
        assert finding.fix.safety == "safe"


SHORT = """static float a[40][10000], b[40][10000];
void add(int m) {
  // rooflint: m=10
  for (int i = 0; i < 10000; i++)
    for (int j = 0; j < m; j++) a[j][i] += b[j][i];
}
"""


def test_a_short_loop_goes_outside(lint: Lint) -> None:
    [finding] = lint("RL306", SHORT, "gcc -O3 -march=icelake-server").findings
    assert finding.fix is not None
    assert finding.fix.safety == "safe"
    changed, made = apply_fixes(SHORT.encode(), (finding,))
    assert made
    lines = changed.decode().splitlines()
    assert lines[3] == "  for (int j = 0; j < m; j++)"
    assert lines[4] == "    for (int i = 0; i < 10000; i++) a[j][i] += b[j][i];"
    outside = SHORT.replace("(int j = 0", "(j = 0").replace("(int m) {", "(int m) {\n  int j;")
    [finding] = lint("RL306", outside, "gcc -O3 -march=icelake-server").findings
    assert finding.fix is not None
    assert finding.fix.safety == "unsafe"


MATRICES = "static double A[500][500], B[500][500], C[500][500], s[500];\nvoid f(void) {\n"
IN_SCALAR = """  for (int j = 0; j < 500; j++) {
    double t = 0.0;
    for (int i = 0; i < 500; i++) {
      t += A[i][j];
    }
    s[j] = t;
  }
"""
PRODUCT = """  for (int i = 0; i < 500; i++)
    for (int j = 0; j < 500; j++) {
      C[i][j] = 0.0; // from nothing
      for (int k = 0; k < 500; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
"""
SUMS = """  for (int j = 0; j < 500; j++) {
    s[j] = 0.0;
    for (int i = 0; i < 500; i++) {
      s[j] += A[i][j];
    }
    s[j] *= 0.1;
  }
"""


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (
            PRODUCT,
            """  for (int i = 0; i < 500; i++) {
    for (int j = 0; j < 500; j++) {
      C[i][j] = 0.0; // from nothing
    }
    for (int k = 0; k < 500; k++)
      for (int j = 0; j < 500; j++)
        C[i][j] += A[i][k] * B[k][j];
  }
""",
        ),
        (
            SUMS,
            """  for (int j = 0; j < 500; j++) {
    s[j] = 0.0;
  }
  for (int i = 0; i < 500; i++)
    for (int j = 0; j < 500; j++) {
      s[j] += A[i][j];
    }
  for (int j = 0; j < 500; j++) {
    s[j] *= 0.1;
  }
""",
        ),
    ],
)
def test_a_nest_of_its_own_in_the_other_order(lint: Lint, before: str, expected: str) -> None:
    text = after(lint, "RL102", f"{MATRICES}{before}}}\n", GCC.replace("gcc", "clang"))
    assert text == f"{MATRICES}{expected}}}\n"


@pytest.mark.parametrize(
    "code",
    [
        # a scalar goes from part to part: it has to become an array
        IN_SCALAR.replace("= t;", "= 0.1 * t;"),
        # what else the text has would be lost
        IN_SCALAR.replace("t = 0.0;", "t = 0.0, u;"),
        IN_SCALAR.replace("t += A", "t += /* all */ A"),
        IN_SCALAR.replace("    s[j] = t;", "#if 1\n    s[j] = t;\n#endif"),
        # an index in closed form, which the text sets in one part and uses in the next
        SUMS.replace("s[j] = 0.0;", "int m = 2 * j;\n    s[m] = 0.0;").replace(
            "s[j] +=", "s[m] +="
        ),
        SUMS.replace("{\n      s", "/* lost */ {\n      s"),
        SUMS.replace("    s[j] *= 0.1;", "#if 1\n    s[j] *= 0.1;\n#endif"),
    ],
)
def test_nests_that_people_have_to_cut(lint: Lint, code: str) -> None:
    outcome = lint("RL102", f"{MATRICES}{code}}}\n", "clang -O3 -march=icelake-server")
    assert all(each.fix is not None and not each.fix.edits for each in outcome.findings)
    assert outcome.findings or "int m" in code


BESIDE = """void f(int n, double a[restrict n][n], const double b[restrict n][n], int *count) {
  // rooflint: n=1900
  for (int j = 0; j < n - 1; j++) {
    BEFORE
    for (int i = 0; i < n; i++)
      a[i][AT] = b[i][AT] * 2.0;
    BEHIND
  }
}
"""


@pytest.mark.parametrize(
    ("before", "at", "behind", "swapped"),
    [
        ("// the next column", "j", "", True),
        ("int t = j + 1;", "t", "", False),
        ("const int t = j;", "t", "", False),
        ("", "j", "int unused = j;", False),
    ],
)
def test_headers_change_places_where_nothing_stands_between_them(
    lint: Lint, before: str, at: str, behind: str, swapped: bool
) -> None:
    text = BESIDE.replace("BEFORE", before).replace("AT", at).replace("BEHIND", behind)
    [finding] = lint("RL101", text, "gcc -O3").findings
    assert finding.fix is not None
    assert (finding.fix.safety, bool(finding.fix.edits)) == (
        ("safe", True) if swapped else ("sketch", False)
    )

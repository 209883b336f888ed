"""RL411: what threads of a shared loop do to each other, and what keeps them apart."""

from collections.abc import Callable

import pytest
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
LOOP = """
extern int omp_get_thread_num(void), pick(int);
static double table[100][64];
static int seen[64];
struct best {{ double value; int at; }};
void f(int n, int m, int k, double *a, const double *b, const int *at, struct best *p,
       struct best o) {{
  int i, j, last = 0;
  double s = 0, t = 0;
{body}
  a[0] += s + t + last;
}}
"""


def races(lint: Lint, body: str) -> LintOutcome:
    return lint("RL411", LOOP.format(body=body), "gcc -O2 -fopenmp")


@pytest.mark.parametrize(
    ("body", "names"),
    [
        # scalars: accumulated, scratch, handed on, a member, a counter, an index
        ("#pragma omp parallel for\n for (i = 0; i < n; i++) s += b[i];", "s"),
        ("#pragma omp parallel for\n for (i = 0; i < n; i++) { t = b[i]; a[i] = t * t; }", "t"),
        ("#pragma omp parallel for\n for (i = 0; i < n; i++) if (b[i] > s) s = b[i];", "s"),
        ("#pragma omp parallel for\n for (i = 0; i < n; i++) p->value += b[i];", "p->value"),
        ("#pragma omp parallel for\n for (i = 0; i < n; i++) if (b[i] > 0) last = i;", "last"),
        (
            "#pragma omp parallel for\n for (i = 0; i < n; i++)"
            " for (j = 0; j < 9; j++) a[9*i+j] = j;",
            "j",
        ),
        (
            "#pragma omp parallel for\n for (i = 0; i < n; i++)"
            " for (j = 0; j < 9; j++) for (last = 0; last < 9; last++) a[9*i+j] = last;",
            "all threads set j, last: they are not private",
        ),
        # elements: the neighbour, one place for all, more iterations than places, another row
        ("#pragma omp parallel for\n for (i = 1; i < n; i++) a[i] += a[i - 1];", "a"),
        ("#pragma omp parallel for\n for (i = 0; i < n; i++) a[k] += b[i];", "a"),
        ("#pragma omp parallel for\n for (i = 0; i < 65; i++) seen[at[i]]++;", "seen"),
        (
            "#pragma omp parallel for\n for (i = 1; i < 99; i++) for (int l = 0; l < 64; l++)"
            " table[i][l] += table[i][l - 1];",
            "table",
        ),
        # a directive that protects the store alone, and two directives
        (
            "#pragma omp parallel for\n for (i = 0; i < n; i++) {\n a[i] = s;\n"
            "#pragma omp critical\n s += b[i]; }",
            "s",
        ),
        (
            "#pragma omp parallel for\n for (i = 0; i < n; i++) {\n#pragma omp critical(one)\n"
            " s += b[i];\n#pragma omp critical(two)\n s -= 1; }",
            "s",
        ),
        # shared out in the second dimension as well
        (
            "#pragma omp parallel for collapse(2)\n for (i = 0; i < 100; i++)"
            " for (j = 1; j < 64; j++) table[i][j] += table[i][j - 1];",
            "table",
        ),
    ],
)
def test_threads_meet(lint: Lint, body: str, names: str) -> None:
    [finding] = races(lint, body).findings
    assert finding.severity == "error"
    assert names in finding.message


@pytest.mark.parametrize(
    "body",
    [
        "#pragma omp parallel for reduction(+: s)\n for (i = 0; i < n; i++) s += b[i];",
        "#pragma omp parallel for private(t)\n for (i = 0; i < n; i++) { t = b[i]; a[i] = t; }",
        "#pragma omp parallel for\n for (i = 0; i < n; i++) { double u = b[i]; a[i] = u * u; }",
        "#pragma omp parallel for private(j)\n for (i = 0; i < n; i++)"
        " for (j = 0; j < 9; j++) a[9*i+j] = j;",
        "#pragma omp parallel for collapse(2)\n for (i = 0; i < n; i++)"
        " for (j = 0; j < 9; j++) a[9*i+j] = j;",
        "#pragma omp parallel for\n for (i = 0; i < n; i++) {\n#pragma omp atomic\n s += b[i]; }",
        # the recurrence is within an iteration
        "#pragma omp parallel for\n for (i = 0; i < 100; i++)"
        " for (int l = 1; l < 64; l++) table[i][l] += table[i][l - 1];",
        # red and black: distances that are no multiple of the step
        "#pragma omp parallel for\n for (i = 1; i < 1001; i += 2) a[i] = a[i - 1] + a[i + 1];",
        # a member of an argument that is only read, whatever is stored to others of its type
        "#pragma omp parallel for\n for (i = 0; i < n; i++) { struct best c; c.at = pick(i);"
        " p[i] = c; a[i] = o.at; }",
        # nobody knows
        "#pragma omp parallel for\n for (i = 0; i < n; i++) a[i] = a[i + m];",
        "#pragma omp parallel for\n for (i = 0; i < 64; i++) seen[at[i]]++;",
        "#pragma omp parallel for\n for (i = 1; i < n; i++) if (at[i]) a[i] += a[i - 1];",
        # a function of a team has variables of its own in each thread
        "#pragma omp for\n for (i = 0; i < n; i++) { t = b[i]; a[i] = t * t; }",
        # rows of a sparse matrix; a condition that holds for one thread, perhaps
        "#pragma omp parallel for\n for (i = 0; i < n; i++)"
        " for (int l = at[i]; l < at[i + 1]; l++) a[l] += 1;",
        "#pragma omp parallel for\n for (i = 0; i < n; i++) if (k == 1) a[0] += b[i];",
        # the inner loop may end before the next row
        "#pragma omp parallel for\n for (i = 0; i < n; i++)"
        " for (int l = 0; l < at[i]; l++) a[64 * i + l] += 1;",
        # one thread, and what belongs to one
        "#pragma omp simd\n for (i = 1; i < n; i++) t += b[i];",
        "#pragma omp parallel for\n for (i = 0; i < n; i++) seen[omp_get_thread_num()]++;",
    ],
)
def test_threads_keep_apart_or_nobody_knows(lint: Lint, body: str) -> None:
    assert races(lint, body).findings == ()


def test_a_sum_of_integers_begins_in_front_of_the_directive(lint: Lint) -> None:
    text = (
        "int f(const int *a) {\n  int sum = 0;\n#pragma omp parallel for\n"
        "  for (int i = 0; i < 10; i++) sum += a[i];\n  return sum;\n}\n"
    )
    [finding] = lint("RL411", text, "gcc -O2 -fopenmp").findings
    assert "add to sum" in finding.message


TWO = """static int a[1001], b[1001];
void f(void) {{
#pragma omp parallel
  {{
#pragma omp for {first}
    for (int i = 0; i < 1000; i++) a[i] = i;
#pragma omp for {second}
    for (int i = 0; i < 1000; i++) b[i] = a[{index}];
  }}
}}
"""


@pytest.mark.parametrize(
    ("first", "second", "index", "is_race"),
    [
        ("schedule(static) nowait", "schedule(static)", "i", False),
        ("nowait", "", "i", False),
        ("schedule(static) nowait", "schedule(static)", "i + 1", True),
        ("schedule(static) nowait", "schedule(static, 4)", "i", True),
        ("schedule(dynamic) nowait", "schedule(dynamic)", "i", True),
        ("schedule(dynamic)", "schedule(dynamic)", "i + 1", False),
    ],
)
def test_a_loop_that_nobody_waits_for(
    lint: Lint, first: str, second: str, index: str, is_race: bool
) -> None:
    text = TWO.format(first=first, second=second, index=index)
    assert len(lint("RL411", text, "gcc -O2 -fopenmp").findings) == is_race


@pytest.mark.parametrize(
    ("declaration", "names"),
    [
        ("static int LOCAL length;\nstatic double LOCAL *buffer;", ""),
        ("static int length;\nstatic double *buffer;", "length, buffer"),
        ("static __thread int length;\nstatic _Thread_local double *buffer;", ""),
        ("static int length;\nstatic __thread double *buffer;", "length"),
    ],
    ids=["behind a macro", "shared", "by both words", "one of them"],
)
def test_variables_of_threads_are_not_shared(lint: Lint, declaration: str, names: str) -> None:
    text = f"""
#define LOCAL _Thread_local
{declaration}
void *realloc(void *, unsigned long);
static double *fitting(int n) {{
  buffer = (double *)realloc(buffer, n * 8ul);
  length = n;
  return buffer;
}}
void f(int m, int n, double *a) {{
#pragma omp parallel for
  for (int i = 0; i < m; i++) a[i] = fitting(n)[0];
}}
"""
    found = lint("RL411", text, "gcc -O2 -fopenmp").findings
    assert [f"set {names}:" in each.message for each in found] == ([True] if names else [])

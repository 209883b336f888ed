"""RL219, RL316 and RL317: branches and tables that data decide on, and counts of conditions."""

from collections.abc import Callable

import pytest
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
ZEN4 = "zen4-9654"
TABLES = """void k(int n, const unsigned char *p, const int *q, const float *w, unsigned *h,
       float *g) {{
  // rooflint: n={n}
  for (int i = 0; i < n; i++)
    {body}
}}
"""


@pytest.mark.parametrize(
    "body",
    [
        "h[p[i]]++;",
        "h[p[i] >> 4] += 2;",
        "h[q[i] & 63]++;",
        "h[2 * (p[i] & 15) + 1]++;",
        "g[p[i]] += w[i];",
        "g[p[i] >> 2] -= w[i];",
    ],
)
def test_a_table_that_neighbours_share(lint: Lint, body: str) -> None:
    [finding] = lint("RL219", TABLES.format(n=20000, body=body), "gcc -O3", ZEN4).findings
    assert (finding.severity, finding.confidence) == ("note", "medium")


@pytest.mark.parametrize(
    ("n", "body", "guard"),
    [
        (20000, "h[q[i]]++;", "many-bins"),
        (20000, "h[q[i] & 511]++;", "many-bins"),
        # 16 elements a bin, to the element
        (4095, "h[p[i]]++;", "few-elements"),
        (4096, "h[p[i]]++;", "min-gain"),
        (20000, "h[p[i]]++;", ""),
    ],
)
def test_tables_with_the_reason(lint: Lint, n: int, body: str, guard: str) -> None:
    outcome = lint("RL219", TABLES.format(n=n, body=body), "gcc -O3", ZEN4)
    assert [each.guard for each in outcome.silent] == ([guard] if guard else [])
    assert len(outcome.findings) == (not guard)


def test_a_switch_has_arms_without_values(lint: Lint) -> None:
    text = """double k(int n, const int *which, const double *v, int kind) {
  double s = 0;
  for (int i = 0; i < n; i++)
    switch (kind) {
      case 1: s += v[which[i]]; break;
      case 2: s -= v[which[i]]; break;
      default: break;
    }
  return s;
}
"""
    assert lint("RL219", text, "gcc -O3", ZEN4) == LintOutcome((), ())


@pytest.mark.parametrize("body", ["h[p[i]] = i;", "h[i] += p[i];", "h[p[i]] = h[i] + 1;"])
def test_no_sum_in_a_bin(lint: Lint, body: str) -> None:
    outcome = lint("RL219", TABLES.format(n=20000, body=body), "gcc -O3", ZEN4)
    assert outcome == LintOutcome((), ())


STORES = """float sinf(float); void g(void);
void k(int n, float *v, const float *restrict w, int *restrict ix, float t) {{
  // rooflint: n=3000
  for (int i = 0; i < n; i++) {{
    {body}
  }}
}}
"""


@pytest.mark.parametrize(
    "body",
    [
        "if (v[i] < t) v[i] = t;",
        "if (ix[i] > 7) ix[i] = ix[i] & 3;",
        "if (w[i] > v[i] && w[i] < 9) v[i] = w[i];",
    ],
)
def test_a_branch_stores(lint: Lint, body: str) -> None:
    [finding] = lint("RL316", STORES.format(body=body), "gcc -O2", ZEN4).findings
    assert (finding.severity, finding.confidence) == ("note", "medium")
    assert any("no other thread" in doubt for doubt in finding.doubts)


@pytest.mark.parametrize(
    ("body", "flags", "machine", "guard"),
    [
        ("if (v[i] < t) v[i] = sinf(t);", "gcc -O2", ZEN4, "costly-arm"),
        ("if (v[i] < t) v[i] = 1 / w[i];", "gcc -O2", ZEN4, "costly-arm"),
        # five operations, one more than four
        ("if (w[i] < t) v[i] = w[i]*w[i] + (w[i]-t)*(w[i]+t);", "gcc -O2", ZEN4, "costly-arm"),
        ("if (v[i] < t) v[i] = w[i]*w[i] + t*(w[i]-t);", "clang -O2", ZEN4, ""),
        # compiled, and the jumps counted: gcc 12.2 and clang 19
        ("if (w[i] < t) v[i] = t;", "gcc -O2", ZEN4, "branch-again"),
        ("if (w[i] < t) v[i] = t;", "clang -O2", ZEN4, "branch-again"),
        ("if (w[i] < t) v[i] = v[i] + t;", "gcc -O2", ZEN4, "branch-again"),
        ("if (w[i] < t) v[i] = v[i] + t;", "clang -O2", ZEN4, ""),
        ("if (v[i] < t) v[i] = v[i] + t;", "gcc -O2", ZEN4, "branch-again"),
        ("if (ix[i] < 3) ix[i] = ix[i] + 1;", "gcc -O2", ZEN4, ""),
        ("if (v[i] < t) v[i] = t;", "gcc -O3 -march=znver4", ZEN4, "no-branch"),
        ("if (v[i] < t) v[i] = t;", "clang -O3 -march=znver4", ZEN4, "no-branch"),
        ("if (v[i] < t) v[i] = t;", "clang -O2", ZEN4, ""),
        ("if (v[i] < t) v[i] = t;", "gcc -O2", "generic-avx2", "penalty-unknown"),
        ("if (__builtin_expect(v[i] < t, 0)) v[i] = t;", "gcc -O2", ZEN4, "expected"),
    ],
)
def test_stores_with_the_reason(
    lint: Lint, body: str, flags: str, machine: str, guard: str
) -> None:
    outcome = lint("RL316", STORES.format(body=body), flags, machine)
    assert [each.guard for each in outcome.silent] == ([guard] if guard else [])
    assert len(outcome.findings) == (not guard)


@pytest.mark.parametrize(
    "body",
    [
        "if (i > 5) v[i] = t;",
        "if (w[i] < t) v[i] = t; else v[i] = 0;",
        "if (w[i] < t) { v[i] = t; ix[i] = i; }",
        "if (w[i] < t) v[ix[i]] = t;",
        "if (w[i] < t) v[3] = t;",
        "if (w[i] < t) { v[i] = t; break; }",
        "v[i] = v[i] < t ? t : v[i];",
    ],
)
def test_another_branch(lint: Lint, body: str) -> None:
    outcome = lint("RL316", STORES.format(body=body), "gcc -O2", ZEN4)
    assert outcome == LintOutcome((), ())


SEARCH = """int k(const {type} *a, int n, {type} x) {{
  // rooflint: n={n}
  int lo = 0, hi = n;
  while ({condition}) {{
    int mid = {middle};
    if (a[mid] {test} x) {one} else {other}
  }}
  return lo;
}}
"""


def searched(lint: Lint, **parts: object) -> LintOutcome:
    usual = {
        "type": "int", "n": 4000, "condition": "lo < hi", "middle": "(lo + hi) / 2",
        "test": "<", "one": "lo = mid + 1;", "other": "hi = mid;",
    }  # fmt: skip
    return lint("RL317", SEARCH.format(**{**usual, **parts}), "gcc -O2", ZEN4)


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"middle": "lo + (hi - lo) / 2"},
        {"middle": "(lo + hi) >> 1", "condition": "hi - lo > 1", "one": "lo = mid;"},
        {"test": ">", "one": "hi = mid;", "other": "lo = mid + 1;"},
        {"type": "double"},
        # 1 MiB, to the element
        {"n": 262144},
    ],
)
def test_a_search_branches(lint: Lint, parts: dict[str, object]) -> None:
    [finding] = searched(lint, **parts).findings
    assert finding.severity == "note"
    assert finding.fix is not None
    assert "start += a[start + half - 1] < key ? half : 0;" in finding.fix.sketch


def test_a_search_beyond_the_second_cache(lint: Lint) -> None:
    outcome = searched(lint, n=262145)
    assert outcome.findings == ()
    assert [each.guard for each in outcome.silent] == ["beyond-cache"]


@pytest.mark.parametrize(
    "parts",
    [
        # no halves, or only one end moves
        {"middle": "(lo + hi) / 3"},
        {"middle": "lo + 1"},
        {"other": "return mid;"},
    ],
)
def test_no_range_is_halved(lint: Lint, parts: dict[str, object]) -> None:
    assert searched(lint, **parts) == LintOutcome((), ())


WRAPPING = """struct grid {{ unsigned w, h, pitch; }};
static inline float at(const struct grid *g, const float *v, unsigned y, unsigned x) {{
  return v[y * g->pitch + x];
}}
int k(unsigned n, unsigned off, int j, const int *restrict v, float *restrict out,
      const float *restrict in, const struct grid *g, size_t wide) {{
  // rooflint: n=4000
  int s = 0;
  for (unsigned i = 0; i < n; i++) {{
    {body}
  }}
  return s;
}}
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("s += v[off + i];", True),
        ("out[off + i] = in[i];", True),
        ("out[off * g->pitch + i] = at(g, in, off, i);", True),
        ("s += v[i];", False),
        ("s += v[i + 1];", False),
        ("s += v[wide + i];", False),
        ("s += v[j + (int)i];", False),
    ],
)
def test_a_sum_that_may_wrap(lint: Lint, body: str, found: bool) -> None:
    text = "typedef unsigned long size_t;\n" + WRAPPING.format(body=body)
    outcome = lint("RL315", text, "gcc -O3 -march=znver4", ZEN4)
    assert len(outcome.findings) == found
    assert not found or any("below 2^32" in doubt for doubt in outcome.findings[0].doubts)


@pytest.mark.parametrize("flags", ["clang -O3 -march=znver4", "gcc -O1"])
def test_who_makes_vectors_of_it_or_none_at_all(lint: Lint, flags: str) -> None:
    outcome = lint(
        "RL315",
        "typedef unsigned long size_t;\n" + WRAPPING.format(body="s += v[off + i];"),
        flags,
        ZEN4,
    )
    assert outcome.findings == ()
    assert [each.guard for each in outcome.silent] == ["vectorised"]


MEMBERS = """struct totals {{ int sum, count; float mean; }};
void k(int n, const int *v, const float *w, struct totals *t) {{
  // rooflint: n=3000
  for (int i = 0; i < n; i++)
    {body}
}}
"""


@pytest.mark.parametrize(
    ("body", "flags", "guard"),
    [
        ("t->sum += v[i];", "gcc -O3 -march=znver4", ""),
        ("t->count += v[i] > 3;", "gcc -O3 -march=znver4", ""),
        ("t->sum += v[i];", "clang -O3 -march=znver4", "kept"),
        # a float is none of the integers
        ("t->sum += w[i] > 0;", "gcc -O3 -march=znver4", "kept"),
    ],
)
def test_a_sum_in_a_member(lint: Lint, body: str, flags: str, guard: str) -> None:
    outcome = lint("RL220", MEMBERS.format(body=body), flags, ZEN4)
    assert [each.guard for each in outcome.silent] == ([guard] if guard else [])
    assert len(outcome.findings) == (not guard)
    assert not guard or outcome.findings == ()

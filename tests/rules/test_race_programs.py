"""Programs whose races a detector has told, and directives that the rules themselves propose."""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest
from rooflint.lint.fixing import apply_fixes
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
PROGRAMS = Path(__file__).parents[2] / "benchmarks" / "races"
FLAGS = "gcc -O2 -fopenmp"


def programs(kind: str) -> list[str]:
    """The programs that ``benchmarks/races.py`` confirms to be of a kind."""
    return sorted(path.stem for path in PROGRAMS.glob(f"{kind}_*.c"))


@pytest.mark.parametrize("program", programs("race"))
def test_a_race_is_named(lint: Lint, program: str) -> None:
    findings = lint("RL411", (PROGRAMS / f"{program}.c").read_text(), FLAGS).findings
    assert findings
    assert {each.severity for each in findings} == {"error"}


@pytest.mark.parametrize("program", [*programs("clean"), *programs("unproven")])
def test_nothing_else_is(lint: Lint, program: str) -> None:
    assert lint("RL411", (PROGRAMS / f"{program}.c").read_text(), FLAGS).findings == ()


NEST = """
static double grid[3000][400], row[400], total;
static int bin[64];
void f(const double *restrict b, const int *restrict at, double *restrict out) {{
  double s = 0, t = 0;
  int i, j, m = 0;
  for ({index} = 0; i < 2990; i++) {{
    {before}
    for ({inner} = 0; j < 399; j++) {{
      {body}
    }}
    {behind}
  }}
  out[2999] = s + t + m + total;
}}
"""
BODIES = (
    "grid[i][j] = b[j] * 2;",
    "grid[i][j] = grid[i][j + 1] + 1;",
    "grid[i][j] = grid[i + 1][j] + 1;",
    "grid[i][j] = grid[i + 10][j] * t;",
    "s += b[j] * i;",
    "t = b[j] * i; grid[i][j] = t * t;",
    "if (b[j] > s) s = b[j];",
    "if (b[j] > i) m++;",
    "if (b[j] > i) m = j;",
    "row[j] += b[j] + i;",
    "row[j] = i; grid[i][j] = row[j];",
    "total += b[j] * i;",
    "bin[at[j] & 63]++;",
    "out[i] += grid[i][j] * b[j];",
    "out[i] = out[i] + out[i + 1];",
    "static double kept; kept = b[j]; grid[i][j] = kept * i;",
)
AROUND = (
    ("", ""),
    ("t = b[i];", "out[i] = t;"),
    ("double u = 0;", "out[i] = u + i;"),
    ("", "s = s + out[i];"),
    ("m = i;", "out[i] = m;"),
)


def nests() -> Iterator[str]:
    for body, (before, behind), (index, inner) in product(
        BODIES, AROUND, (("i", "j"), ("i", "int j"))
    ):
        yield NEST.format(body=body, before=before, behind=behind, index=index, inner=inner)


def test_a_proposed_directive_makes_no_race(lint: Lint) -> None:
    proposed = 0
    for text in nests():
        for finding in lint("RL401", text, "gcc -O3 -fopenmp").findings:
            if finding.fix is None or not finding.fix.edits:
                continue
            proposed += 1
            chosen = finding._replace(fix=finding.fix._replace(safety="safe"))
            changed = apply_fixes(text.encode(), [chosen]).text.decode()
            assert "#pragma omp parallel for" in changed
            assert lint("RL411", changed, FLAGS).findings == (), changed
    assert proposed > 20

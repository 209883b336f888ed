"""Instructions that the analysis takes, in ratios to plain Python: ``instructions.py [--record]``.

Valgrind counts them: the same number on every machine, whatever else runs there. A count divided by
that of a loop of plain Python in the same run depends little on how the interpreter was built. The
ratios are compared with ``instructions.json``, which ``--record`` writes; exits with 1 where a case
takes a tenth more than recorded, or where nothing is recorded for this version of Python.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

RECORDED: Final = Path(__file__).with_name("instructions.json")
ALLOWED: Final = 1.1
"""Of the recorded ratio. Runs of one build differ by less than a percent, builds of one version of
Python by some."""
COUNTED: Final = re.compile(r"I +refs: +([\d,]+)")
VERSION: Final = f"{sys.version_info.major}.{sys.version_info.minor}"

PLAIN: Final = """
numbers, texts = {}, []
for number in range(200_000):
    numbers[number % 1009, number % 13] = number
    texts.append(str(number)[:3])
print(len(numbers), len(set(texts)))
"""
START: Final = """
import sys
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.pipeline import Options
from rooflint.pipeline.files import analyse_unit
from rooflint.config.configured_flags import ConfiguredFlags
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.registry import load_registry
path = sys.argv[1]


def resolved(options, registry):
    options = options._replace(flags=("gcc", "-O3"), isolated=True)
    setups = SetupResolver(options, registry)
    flags = ConfiguredFlags(options, setups.configs).flags(path)
    compiler = setups.compiler(path, flags.code)
    return Request(path, flags), setups.setup_for(path)._replace(compiler=compiler)
"""
ANALYZE: Final = (
    START
    + """
request, setup = resolved(Options(), load_registry())
assert analyse_unit(path, extract(request), setup).report.functions
"""
)
LINT: Final = (
    START
    + """
from rooflint.config.lint_settings import LintOverrides
from rooflint.lint import lint_file
from rooflint.registry import with_rules
request, setup = resolved(Options(lint=LintOverrides()), with_rules(load_registry()))
assert lint_file(path, extract(request), setup).report.status == "ok"
"""
)
SCRIPTS: Final = {"start": START, "analyze": ANALYZE, "lint": LINT}


def source() -> str:
    """Streams, a stencil, a triangle, a reduction, and a loop of 60 statements on 6 arrays."""
    arrays = "".join([f"static double a{number}[20000];\n" for number in range(6)])
    statements = "".join([
        f"    a{n % 6}[i + {n // 6}] = a{(n + 1) % 6}[i - {n % 7}] * 2.5 + a{(n + 3) % 6}[i];\n"
        for n in range(60)
    ])  # fmt: skip
    return f"""{arrays}
void many(void) {{
  for (int i = 8; i < 19000; i++) {{
{statements}  }}
}}
double dot(int n, const double *x, const double *y) {{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}}
void stencil(int n, int m, double a[n][m], double b[n][m]) {{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      b[i][j] = 0.25 * (a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
}}
void triangle(int n, int m, double a[n][m], double *y, const double *x) {{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      y[i] += a[j][i] * x[j];
}}
"""


def instructions(script: str, path: str) -> int:
    """The instructions of a process that runs ``script`` on the source at ``path``."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    python = [sys.executable, "-P", "-c", script, path]
    # the first run compiles what the other one loads
    subprocess.run(python, env=environment, stdout=subprocess.DEVNULL, check=True)
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    done = subprocess.run(
        [*tool, *python], env=environment, capture_output=True, text=True, check=False
    )
    counted = COUNTED.search(done.stderr)
    if done.returncode or counted is None:
        sys.exit(f"{' '.join(tool)}: {done.stderr[-500:]}")
    return int(counted[1].replace(",", ""))


def ratios() -> dict[str, float]:
    """Instructions by case, as multiples of those of plain Python; work without the start."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "k.c"))
        Path(path).write_text(source(), encoding="utf-8")
        bare = instructions("", path)
        plain = instructions(PLAIN, path) - bare
        counts = {name: instructions(script, path) for name, script in SCRIPTS.items()}
    start = counts["start"]
    work = {name: count - start for name, count in counts.items() if name != "start"}
    return {name: count / plain for name, count in {"start": start - bare, **work}.items()}


def beyond(found: Mapping[str, float], recorded: Mapping[str, float]) -> list[str]:
    """A line for each case that takes too much, or that has no record."""
    lines = []
    for name, ratio in found.items():
        if name not in recorded:
            lines.append(f"{name}: nothing recorded for Python {VERSION}; --record writes it")
        elif ratio > ALLOWED * recorded[name]:
            lines.append(f"{name}: {ratio:.3f} times plain Python, recorded {recorded[name]:.3f}")
    return lines


def main() -> None:
    """Counts, prints and compares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write instructions.json")
    given = parser.parse_args()
    found = ratios()
    records = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    for name, ratio in found.items():
        old = records.get(VERSION, {}).get(name)
        print(f"{name:8} {ratio:8.3f}" + (f"  {ratio / old:.3f} of the record" if old else ""))
    if given.record:
        records[VERSION] = {name: round(ratio, 4) for name, ratio in found.items()}
        RECORDED.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")
    elif too_many := beyond(found, records.get(VERSION, {})):
        sys.exit("\n".join(too_many))


if __name__ == "__main__":
    main()

"""Changed kernels of PolyBench/C against the originals: ``transformed_polybench.py POLYBENCH``.

Each change that a rule proposes, alone and in chains of two, is written as C from the transformed
nest, compiled with gcc, run at MINI sizes, and what it prints compared: the same bits, or, for
changes that say so, the same within rounding. With ``--all`` every change of every loop
that its test of legality allows, whether it pays or not. As a control the nest is also written
unchanged.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path

from changed_code import Refusal, Variant, parsed
from changed_runs import Bench, Subject, Verdict, arguments, changes, checked, report

EXACT_PRINT = """#include <stdarg.h>
#include <stdio.h>
#include <string.h>
int __wrap_fprintf(FILE *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (strncmp(format, "%0.2", 4) == 0)
    format = "%a ";
  int written = vfprintf(to, format, list);
  va_end(list);
  return written;
}
"""
"""PolyBench prints two digits; all bits are compared."""
SIZES = {"gramschmidt": ("-DM=40", "-DN=30")}
DATA = {"gramschmidt": (")*100) + 10;", ")*100) + 10 + 500 * (i == j);")}
"""Its columns depend on each other, so the last results are rounding alone: here they do not."""
ROUNDING = {"deriche": 2e-4}
"""It computes with floats."""


def kernel(path: str, given: argparse.Namespace, folder: str) -> list[Verdict]:
    """All verdicts on one kernel; rules are asked at two sizes, kernels run at the small one."""
    name = Path(path).stem
    function = f"kernel_{name.replace('-', '_')}"
    found: dict[str, Variant] = {}
    verdicts: list[Verdict] = []
    for size in ("MINI",) if given.all or given.chains else ("MINI", "LARGE"):
        flags = [f"-I{given.root}/utilities", "-O3", f"-D{size}_DATASET"]
        unit = parsed(path, flags)
        for each in changes(path, unit, flags, given, frozenset((function,))):
            if isinstance(each, Refusal):
                verdicts.append(Verdict(f"not written: {each.reason}", each.title))
            else:
                found.setdefault(each.text, each)
    sources = (
        "-fno-builtin-fprintf", *SIZES.get(name, ("-DMINI_DATASET",)), "-DPOLYBENCH_DUMP_ARRAYS",
        f"-I{given.root}/utilities", f"-I{os.path.dirname(path)}", "-Wl,--wrap=fprintf",
        f"{given.root}/utilities/polybench.c", f"{folder}/exact.c",
    )  # fmt: skip
    old, new = DATA.get(name, ("", ""))
    subject = Subject(
        unit, function, lambda text: text.replace(old, new), sources, ROUNDING.get(name, 1e-8)
    )
    verdicts += checked(Bench(subject, folder, given.gcc), list(found.values()), given.checks)
    return verdicts


def main() -> None:
    """Prints what differs, and counts."""
    parser = arguments(__doc__)
    parser.add_argument("root")
    given = parser.parse_args()
    listed = Path(given.root, "utilities", "benchmark_list").read_text(encoding="utf-8").split()
    paths = [os.path.join(given.root, name) for name in listed if given.only in name]
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(given.jobs) as pool:
        Path(folder, "exact.c").write_text(EXACT_PRINT, encoding="utf-8")
        work = partial(kernel, given=given, folder=folder)
        verdicts: Iterator[Verdict] = chain.from_iterable(pool.map(work, paths))
        report(verdicts, given.show)


if __name__ == "__main__":
    main()

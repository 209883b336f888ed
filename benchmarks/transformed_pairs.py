"""Changes that rules propose for the functions of ``micro_pairs/``: ``transformed_pairs.py``.

As ``transformed_polybench.py`` does it, with the sizes that follow; all arrays are printed.
"""

import argparse
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path

from changed_code import Refusal, Variant, parsed
from changed_runs import Bench, Subject, Verdict, arguments, changes, checked, report
from micro_pairs import GLOBALS, SETUP, Pair, pairs

SIZE = 37
MAIN = """
#include <stdio.h>
int main(void) {
  n = %d;
%s
  before(%s);
  for (int k = 0; k < ARRAYS; k++)
    for (size_t i = 0; i < count; i++) fprintf(stderr, "%%a ", (double)((REAL *)*arrays[k])[i]);
}
"""


def verdicts(pair: Pair, given: argparse.Namespace, folder: str) -> list[Verdict]:
    """All verdicts on one function, for each of its types."""
    found: list[Verdict] = []
    for kind in pair.types:
        path = Path(folder, f"{pair.name}_{kind}.c")
        path.write_text(pair.text.partition("void after(")[0], encoding="utf-8")
        flags = ["-O3", "-fopenmp", f"-DREAL={kind}"]
        unit = parsed(str(path), flags)
        variants: list[Variant] = []
        for each in changes(str(path), unit, flags, given, frozenset(("before",))):
            if isinstance(each, Refusal):
                found.append(Verdict(f"not written: {each.reason}", each.title))
            else:
                variants.append(each)
        letters = pair.call.replace(" ", "").split(",")
        arrays = sum(letter in letters for letter in "ABCDEFGH")
        sources = (f"-DREAL={kind}", f"-DELEMENTS={pair.elements}", f"-DARRAYS={arrays}")
        main = GLOBALS.replace("void *A", "#include <stdlib.h>\nvoid *A")
        n = SIZE if "n" in letters else pair.sizes[0][1]["n"]
        end = MAIN % (n, SETUP, pair.call)
        rounding = 1e-8 if kind == "double" else 2e-4
        subject = Subject(unit, "before", partial(_whole, main, end), sources, rounding)
        if variants:
            found += checked(Bench(subject, folder, given.gcc), variants, given.checks)
    return found


def _whole(main: str, end: str, text: str) -> str:
    return f"#include <math.h>\n{main}{text}{end}"


def main() -> None:
    """Prints what differs, and counts."""
    given = arguments(__doc__).parse_args()
    wanted = [pair for pair in pairs(()) if given.only in pair.name]
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(given.jobs) as pool:
        work = partial(verdicts, given=given, folder=folder)
        every: Iterator[Verdict] = chain.from_iterable(pool.map(work, wanted))
        report(every, given.show)


if __name__ == "__main__":
    main()

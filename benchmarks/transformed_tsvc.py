"""Changed loops of TSVC_2 against the originals: ``transformed_tsvc.py TSVC_2``.

As ``transformed_polybench.py`` does it, with arrays of 160 and 16 x 16 elements and all arrays
printed behind each loop.
"""

import argparse
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path

from changed_code import Refusal, Variant, parsed
from changed_runs import Bench, Subject, Verdict, arguments, changes, checked, report
from rooflint.ir import Unit

SIZES = {"iterations": 48, "LEN_1D": 160, "LEN_2D": 16}
MAIN = """
static void all(const char *name, const real_t *from, int count) {
  fprintf(stderr, "%%s\\n", name);
  for (int i = 0; i < count; i++) fprintf(stderr, "%%a ", from[i]);
}
int main(void) {
  int n1 = 1, n3 = 1, *ip;
  real_t s1, s2;
  init(&ip, &s1, &s2);
  struct args_t given = {.arg_info = %s};
  fprintf(stderr, "%%a\\n", (double)%s(&given));
  all("a", a, LEN_1D); all("b", b, LEN_1D); all("c", c, LEN_1D); all("d", d, LEN_1D);
  all("e", e, LEN_1D); all("x", x, LEN_1D); all("flat", flat_2d_array, LEN_2D * LEN_2D);
  all("aa", aa[0], LEN_2D * LEN_2D); all("bb", bb[0], LEN_2D * LEN_2D);
  all("cc", cc[0], LEN_2D * LEN_2D); all("tt", tt[0], LEN_2D * LEN_2D);
}
"""
ROUNDING = 2e-3
"""Of floats; some loops repeat their sums a thousand times."""


def sources(root: str, folder: str) -> str:
    """A copy of the sources with small sizes; returns its folder."""
    copy = Path(folder, "src")
    shutil.copytree(Path(root, "src"), copy)
    header = Path(copy, "common.h")
    text = header.read_text(encoding="utf-8")
    for name, value in SIZES.items():
        text = re.sub(rf"#define {name} \d+", f"#define {name} {value}", text)
    header.write_text(text, encoding="utf-8")
    return str(copy)


def only(unit: Unit, function: str, kernels: dict[str, str], text: str) -> str:
    """A file with one kernel in its forms, called by a ``main`` of its own."""
    text = text[: text.index("\nvoid time_function(")]
    # what a kernel is called decides what its arrays begin with
    forms = re.compile(rf"\b{function}_\d+\b(?=\s*\()")
    first = forms.search(text)
    assert first is not None
    begin = first.start()
    return (
        text[:begin]
        + text[begin:].replace("__func__", f'"{function}"')
        + MAIN
        % (
            kernels[function],
            function,
        )
    )


def kernel(function: str, given: argparse.Namespace, folder: str, copy: str) -> list[Verdict]:
    """All verdicts on one kernel."""
    path = f"{copy}/tsvc.c"
    flags = ["-O3", f"-I{copy}"]
    whole = Path(path).read_text(encoding="utf-8")
    kernels = calls(whole)
    own = f"{copy}/{function}.c"
    Path(own).write_text(alone(whole, function, kernels), encoding="utf-8")
    unit = parsed(own, flags)
    found: list[Variant] = []
    verdicts: list[Verdict] = []
    for each in changes(own, unit, flags, given, frozenset((function,))):
        if isinstance(each, Refusal):
            verdicts.append(Verdict(f"not written: {each.reason}", each.title))
        else:
            found.append(each)
    if not found:
        return verdicts
    subject = Subject(
        unit,
        function,
        lambda text: only(unit, function, kernels, text),
        (f"-I{copy}", f"{copy}/common.o", f"{copy}/dummy.o"),
        ROUNDING,
    )
    verdicts += checked(Bench(subject, folder, given.gcc), found, given.checks)
    return verdicts


def calls(text: str) -> dict[str, str]:
    """The kernels that ``main`` calls, and the argument that each gets."""
    return dict(re.findall(r"^\s*time_function\(&(\w+), (.*)\);", text, re.MULTILINE))


def alone(text: str, function: str, kernels: dict[str, str]) -> str:
    """The file without the other kernels."""
    pieces = re.split(r"(?m)^(?=real_t \w+\(struct args_t)", text)
    last, end = pieces[-1], pieces[-1].index("\n}\n") + 3
    kept = [pieces[0]]
    for piece in (*pieces[1:-1], last[:end]):
        name = piece.split("(")[0].split()[-1]
        body_end = piece.index("\n}\n") + 3
        kept.append(piece if name == function else piece[body_end:])
    kept.append(last[end:])
    assert function in kernels
    return "".join(kept)


def main() -> None:
    """Prints what differs, and counts."""
    parser = arguments(__doc__)
    parser.add_argument("root")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(given.jobs) as pool:
        copy = sources(given.root, folder)
        helpers = [f"{copy}/common.c", f"{copy}/dummy.c"]
        subprocess.run([given.gcc, "-O1", "-w", "-c", *helpers], check=True, cwd=copy)
        names = calls(Path(copy, "tsvc.c").read_text(encoding="utf-8"))
        wanted = [name for name in names if given.only in name]
        work = partial(kernel, given=given, folder=folder, copy=copy)
        verdicts: Iterator[Verdict] = chain.from_iterable(pool.map(work, wanted))
        report(verdicts, given.show)


if __name__ == "__main__":
    main()

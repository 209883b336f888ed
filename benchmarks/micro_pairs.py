"""Does the edit pay? ``micro_pairs.py MACHINE.yaml`` on the machine that the file describes.

Each file in ``micro_pairs/`` holds a function before and after the change of one rule. Both are
compiled under five sets of flags and timed against each other, interleaved, the least of many
repetitions; beside the ratio stands what the rule says of the function before, from the same
source, flags and machine file. The file comes from ``rooflint machine probe``. One core.

    // rule: RL202 [words of the change that the pair makes]
    // call: A, B, h, n        arguments: arrays A to H, X of indices, h a number, one
    // size: cache n=2000      where the data is, and sizes; ``type:`` and ``flags:`` may follow
"""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pair_gains import compare, options
from pair_times import FLAGS, Job, Question, compiled, timer

HERE = Path(__file__).with_suffix("")
GLOBALS = "void *A, *B, *C, *D, *E, *F, *G, *H; int *X, n, one = 1; double h = 1.7;\n"
SETUP = """
  size_t count = (size_t)(ELEMENTS) + 64;
  void **arrays[] = {&A, &B, &C, &D, &E, &F, &G, &H};
  for (int k = 0; k < ARRAYS; k++) {
    /* not at the same place in their pages, where stores look like the loads of other arrays */
    char *room = aligned_alloc(4096, (count * sizeof(REAL) + 4095) / 4096 * 4096 + 16384);
    REAL *p = *arrays[k] = (REAL *)(room + k * 1088);
    for (size_t i = 0; i < count; i++) p[i] = (REAL)(1 + (i * 7 % 11) / 16.0);
  }
  X = aligned_alloc(4096, (count * sizeof(int) + 4095) / 4096 * 4096);
  for (size_t i = 0; i < count; i++) X[i] = (int)((i * 7919u) % (unsigned)n);
"""


class Pair(NamedTuple):
    """One file: what stands in the comments of its head, and its text."""

    name: str
    text: str
    rule: str
    change: str
    call: str
    sizes: tuple[tuple[str, dict[str, int]], ...]
    types: tuple[str, ...]
    flags: tuple[str, ...]
    elements: str


def pairs(names: Iterable[str]) -> Iterator[Pair]:
    """The files, or those of them with such names."""
    wanted = set(names)
    for path in sorted(HERE.glob("*.c")):
        if wanted and path.stem not in wanted:
            continue
        text = path.read_text(encoding="utf-8")
        found: dict[str, list[str]] = {}
        for line in text.splitlines():
            if line.startswith("// ") and ": " in line:
                key, _, value = line[3:].partition(": ")
                found.setdefault(key, []).append(value)
        rule, _, change = found["rule"][0].partition(" ")
        sizes = []
        for size in found["size"]:
            place, *values = size.split()
            split = [value.split("=") for value in values]
            sizes.append((place, {name: int(number) for name, number in split}))
        yield Pair(
            path.stem,
            text,
            rule,
            change,
            found["call"][0],
            tuple(sizes),
            tuple(found.get("type", ["double"])),
            tuple(found.get("flags", [""])[0].split()),
            found.get("elements", ["n"])[0],
        )


def built(pair: Pair, kind: str, label: str, folder: Path) -> Path:
    """The program that times a pair."""
    arrays = sum(letter in pair.call.replace(" ", "").split(",") for letter in "ABCDEFGH")
    source = folder / f"{pair.name}.c"
    source.write_text(GLOBALS + pair.text + timer(pair.call, "n", SETUP), encoding="utf-8")
    defines = {"REAL": kind, "ELEMENTS": pair.elements, "ARRAYS": arrays}
    options = [f"-D{key}={value}" for key, value in defines.items()]
    return compiled((*FLAGS[label], *pair.flags, *options), (source,), folder / pair.name)


def jobs(names: Iterable[str]) -> Iterator[Job]:
    """Every pair of each type under every set of flags."""
    for pair in pairs(names):
        for kind in pair.types:
            title = pair.name if len(pair.types) == 1 else f"{pair.name} {kind}"
            sizes = tuple([(f"{place} {given['n']}", given) for place, given in pair.sizes])
            text = pair.text.partition("void after(")[0]
            for label, flags in FLAGS.items():
                command = (*flags, *pair.flags, f"-DREAL={kind}")
                question = Question(pair.rule, pair.change, "/pair.c", text, command)
                yield Job(title, label, sizes, question, partial(built, pair, kind, label))


def main() -> None:
    """Runs everything and prints the table and the figures."""
    parser = options(__doc__.splitlines()[0])
    parser.add_argument("pairs", nargs="*", help="names of files without .c; all unless given")
    given = parser.parse_args()
    compare(given, list(jobs(given.pairs)))


if __name__ == "__main__":
    main()

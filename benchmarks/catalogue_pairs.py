"""The Open Catalog's own benchmark pairs, timed: ``catalogue_pairs.py MACHINE.yaml [CHECKOUT]``.

Example and solution of the checks that the catalogue has drivers for, at the sizes and with arrays
as there, by the harness of ``micro_pairs.py`` and under its sets of flags; beside the ratio stands
what the rule says of the example. The catalogue is fetched as ``catalogue.py`` does.
``--with rows.json``, from ``micro_pairs.py --json``, adds the figures of all pairs together.
"""

import re
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from catalogue import DRIVERS, driver_file, fetched
from pair_gains import compare, options
from pair_times import FLAGS, Job, Question, compiled, timer
from rooflint.machine import Machine

FILLED: Final = """
#include <stdlib.h>
static void *filled(size_t count, size_t bytes, double low, double high) {
  static unsigned random = 1;
  char *room = aligned_alloc(4096, (count * bytes + 4095) / 4096 * 4096);
  for (size_t k = 0; k < count; k++) {
    random = random * 1664525u + 1013904223u;
    double value = low + (high - low) * (random >> 8) / (1 << 24);
    if (bytes == 4) ((float *)room)[k] = value; else ((double *)room)[k] = value;
  }
  return room;
}
"""
_FUNCTION: Final = re.compile(r"^(\w[\w\s]*?[\s*])(\w+)\(([^()]*)\)\s*\{", re.M)
_NOISE: Final = re.compile(r"//[^\n]*|/\*.*?\*/|#[^\n]*|__attribute__\(\(\w+\)\)\s*", re.S)


class Room(NamedTuple):
    """An array of a driver: elements in the names of sizes, random ones between two values."""

    elements: str
    low: float = 1.0
    high: float = 128.0
    type: str = "double"
    behind: str = ""


class Call(NamedTuple):
    """How a driver calls both functions; ``sources``: files of both besides themselves."""

    arguments: tuple[str | Room, ...]
    sources: tuple[str, ...] = ()


def _single(elements: str, behind: str = "") -> Room:
    return Room(elements, type="float", behind=behind)


def _empty(elements: str, kind: str = "double") -> Room:
    return Room(elements, 0.0, 0.0, kind)


_MATRICES: Final = (Room("n * n"), Room("n * n"), _empty("n * n"))
CALLS: Final = {
    "PWR003": Call(("N", Room("N"), _empty("N")), ("gravity.c",)),
    "PWR022": Call(("n", Room("n"), Room("n * n"), Room("n * n * n"), _empty("n * n"))),
    "PWR031": Call(("20.0", "30.0", "n")),
    "PWR032": Call(("N", *[_single("N")] * 4, _empty("N", "float"))),
    "PWR037": Call(("n", Room("n", 0.0, 10.0), "1.0", "2.0", "0.5", "0.785398", _empty("n"))),
    "PWR039": Call(("n", *_MATRICES)),
    "PWR043": Call(("n", *_MATRICES)),
    "PWR046": Call(("n", Room("n"), Room("n"), _empty("n"))),
    "PWR062": Call(("n", *_MATRICES)),
    "PWR086": Call(
        (_single("size"), _single("size", "+ size - 1"), _empty("1", "float"), "size", "1")
    ),
}


def jobs(catalogue: Path, machine: Machine) -> Iterator[Job]:
    """Every pair under every set of flags."""
    last = machine.caches[-1].size_bytes if machine.caches else 0
    for check, driver in DRIVERS.items():
        name, _, number = driver.size.partition("=")
        sizes = {name: int(number)}
        place = "cache" if _bytes(CALLS[check], sizes) < last else "memory"
        example = driver_file(catalogue, check, "example.c")
        text = example.read_text(encoding="utf-8")
        for label, command in FLAGS.items():
            question = Question(driver.rule, "", str(example), text, command)
            build = partial(built, catalogue, check, label)
            yield Job(check, label, ((f"{place} {number}", sizes),), question, build)


def built(catalogue: Path, check: str, label: str, folder: Path) -> Path:
    """The program that times a pair: the catalogue's files as they are, called by ours."""
    call, size = CALLS[check], DRIVERS[check].size.partition("=")[0]
    files = [driver_file(catalogue, check, each) for each in ("example.c", "solution.c")]
    setup, arguments = [], []
    for number, given in enumerate(call.arguments):
        if isinstance(given, Room):
            width = f"sizeof({given.type})"
            setup.append(
                f"a{number} = filled({given.elements}, {width}, {given.low}, {given.high});"
            )
            arguments.append(f"({given.type} *)a{number} {given.behind}".strip())
        else:
            arguments.append(given)
    arrays = "".join([f"static void *a{k};\n" for k in range(len(call.arguments))])
    lines = [prototype(file, new) for file, new in zip(files, ("before", "after"), strict=True)]
    head = f"{FILLED}static int {size};\n{arrays}{''.join(lines)}"
    source = folder / "timer.c"
    text = head + timer(", ".join(arguments), size, "\n  ".join(setup))
    source.write_text(text, encoding="utf-8")
    more = [driver_file(catalogue, check, each) for each in call.sources]
    return compiled(FLAGS[label], (source, *files, *more), folder / "timer")


def prototype(file: Path, name: str) -> str:
    """A declaration of the function in a file, and ``name`` for it."""
    found = _FUNCTION.search(_NOISE.sub("", file.read_text(encoding="utf-8")))
    if found is None:
        raise SystemExit(f"{file}: no function")
    result, called, parameters = found.groups()
    return f"{result}{called}({parameters});\n#define {name} {called}\n"


def _bytes(call: Call, sizes: dict[str, int]) -> int:
    """Of all arrays of a call."""
    total = 0
    for given in call.arguments:
        if isinstance(given, Room):
            size = 4 if given.type == "float" else 8
            for factor in given.elements.split(" * "):
                size *= sizes.get(factor) or int(factor)
            total += size
    return total


def main() -> None:
    """Runs everything and prints the table and the figures."""
    parser = options(__doc__.splitlines()[0])
    parser.add_argument("checkout", nargs="?", type=Path, help="a checkout of the catalogue")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        catalogue = given.checkout or fetched(Path(scratch) / "open-catalog")
        compare(given, list(jobs(catalogue, given.machine)))


if __name__ == "__main__":
    main()

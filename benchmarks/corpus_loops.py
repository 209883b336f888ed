"""The loops in ``gains/``: where each comes from, how it is built, and what it was measured at.

Each section of a file is a loop of a project, written anew: own names and text, with the accesses,
types, trip counts, strides and rates of branches of the function that its head names.

    // loop: NAME
    // source: PROJECT, FILE, FUNCTION
    // rule: RL201 [words of the change]
    // data: double *x = doubles(n)     arrays of the program, by functions of ``data.h``
    // call: n, x                       arguments of ``before`` and ``after``
    // size: L1 n=1500                  where the data is, and the sizes; several lines
    // after: -fno-math-errno           flags of the changed function, if they are the change
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pair_times import FLAGS as PAIR_FLAGS
from pair_times import compiled, timer

HERE: Final = Path(__file__).with_name("gains")
MEASURED: Final = HERE / "measured.json"
FLAGS: Final = {
    "gcc -O2": PAIR_FLAGS["gcc -O2"],
    "gcc -O3": PAIR_FLAGS["gcc -O3"],
    "clang -O2": ("clang", "-O2"),
    "clang -O3": PAIR_FLAGS["clang -O3"],
}
PRAGMAS: Final = "-fopenmp-simd"
_HEAD: Final = re.compile(r"^// (\w+): (.*)$", re.M)
_AFTER: Final = re.compile(r"^(?:extern .*\n)?(?:// data.*\n)*\w[\w *]*\bafter\(", re.M)
_BEFORE: Final = re.compile(r"^\w[\w *]*\bbefore\(", re.M)
_BEFORE_HEAD: Final = re.compile(r"\bbefore\((.*?)\)\s*\{", re.S)
_DATA: Final = re.compile(r"(.*[ *])(\w+) = (.*)")
_SIZED: Final = re.compile(r"(\w+)=(\d+)")


@dataclass(frozen=True)
class CorpusLoop:
    """One section of a file.

    sizes        what the table calls the data, and sizes by name
    after_flags  what the changed function is compiled with, besides the flags of both
    """

    name: str
    kind: str
    source: tuple[str, str, str]
    rule: str
    change: str
    data: tuple[str, ...]
    call: str
    sizes: tuple[tuple[str, dict[str, int]], ...]
    after_flags: tuple[str, ...]
    text: str

    @property
    def before(self) -> str:
        """The text of the function before its change, and of what it needs."""
        found = _AFTER.search(self.text)
        if found is None:
            raise SystemExit(f"{self.kind}.c: {self.name}: no function after the change")
        return self.text[: found.start()]

    @property
    def after(self) -> str:
        """The text of the changed function, and of what it needs."""
        found = _AFTER.search(self.text)
        start = _BEFORE.search(self.text)
        if found is None or start is None:
            raise SystemExit(f"{self.kind}.c: {self.name}: no function after the change")
        return self.text[: start.start()] + self.text[found.start() :]

    def by_parameter(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """Sizes by the parameters that take them: those are what the lint is told."""
        found = _BEFORE_HEAD.search(self.text)
        if found is None:
            raise SystemExit(f"{self.kind}.c: {self.name}: no parameters before the change")
        given = dict(zip(_names(found[1]), _parts(self.call), strict=True))
        told = {name: sizes[value] for name, value in given.items() if value in sizes}
        return {**sizes, **told}

    @property
    def judges(self) -> bool:
        """Whether the loop is of the half that nothing was built on."""
        return bool(hashlib.sha256(self.name.encode()).digest()[0] & 1)


def corpus(names: Sequence[str] = ()) -> Iterator[CorpusLoop]:
    """The loops, or those with such names or in such files."""
    for path in sorted(HERE.glob("*.c")):
        _, *sections = re.split(r"(?m)^(?=// loop: )", path.read_text(encoding="utf-8"))
        for section in sections:
            loop = _loop(path.stem, section)
            if not names or loop.name in names or loop.kind in names:
                yield loop


def _loop(kind: str, section: str) -> CorpusLoop:
    head: dict[str, list[str]] = {}
    for key, value in _HEAD.findall(section):
        head.setdefault(key, []).append(value)
    project, file, function = head["source"][0].split(", ")
    rule, _, change = head["rule"][0].partition(" ")
    sizes = []
    for line in head["size"]:
        place, _, rest = line.partition(" ")
        values = {name: int(number) for name, number in _SIZED.findall(rest)}
        sizes.append((f"{place} {' '.join(map(str, values.values()))}", values))
    return CorpusLoop(
        name=head["loop"][0],
        kind=kind,
        source=(project, file, function),
        rule=rule,
        change=change,
        data=tuple(head["data"]),
        call=head["call"][0],
        sizes=tuple(sizes),
        after_flags=tuple(head.get("after", [""])[0].split()),
        text=_HEAD.sub("", section),
    )


def _names(parameters: str) -> list[str]:
    """Of a function's parameters, extents of arrays left out."""
    return [re.findall(r"\w+", each.partition("[")[0])[-1] for each in _parts(parameters)]


def _parts(listed: str) -> list[str]:
    """What commas separate outside brackets."""
    return [each.strip() for each in re.findall(r"(?:[^,()]|\([^()]*\))+", listed)]


def build(loop: CorpusLoop, label: str, folder: Path) -> Path:
    """The program that times a loop before and after its change."""
    names = list(loop.sizes[0][1])
    arrays, setup = [], []
    for at, name in enumerate(names[1:], 2):
        setup.append(f"{name} = atoi(argv[{at}]);")
    for line in loop.data:
        kind, name, value = _DATA.fullmatch(line).groups()  # type: ignore[union-attr]
        arrays.append(f"{kind}{name};\n")
        setup.append(f"{name} = {value};")
    flags = (*FLAGS[label], PRAGMAS)
    sources = [folder / f"{loop.name}.c"]
    flagged = ""
    if loop.after_flags:
        other = folder / "after.c"
        other.write_text(loop.text, encoding="utf-8")
        names_of_both = ("-Dbefore=unused", "-Dafter=flagged", "-c")
        sources.append(
            compiled((*flags, *loop.after_flags, *names_of_both), (other,), folder / "after.o")
        )
        flagged = "extern __typeof__(after) flagged;\n#define after flagged\n"
    data = f'#include "{HERE / "data.h"}"\nstatic int {", ".join(names)};\n{"".join(arrays)}'
    text = loop.text + data + flagged + timer(loop.call, names[0], "\n  ".join(setup))
    sources[0].write_text(text, encoding="utf-8")
    return compiled(flags, sources, folder / loop.name)


def recorded() -> dict[str, dict[str, dict[str, list[float]]]]:
    """Nanoseconds of a call before and after, by loop, data and flags."""
    rows: dict[str, dict[str, dict[str, list[float]]]] = json.loads(MEASURED.read_text())["rows"]
    return rows

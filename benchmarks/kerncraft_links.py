"""ECM transfers against kerncraft, from source: ``kerncraft_links.py KERNCRAFT/examples/kernels``.

kerncraft's example kernels on the machines that come along, cycles per line of work on every link,
against those of its layer-condition predictor (tests/models/kerncraft_ecm.json). Its caches are
warm: each kernel runs over and over here too, in a loop around it. Its lines are those of endless
rows: where rows and planes are short, the line that both ends of a row need makes ours larger.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

VECTORS = Path(__file__).parents[1] / "tests" / "models" / "kerncraft_ecm.json"
LINKS = ("L1-L2", "L2-L3", "L3-MEM")
REPEATS = 10_000
NEAR = 0.03


class Row(NamedTuple):
    """Cycles per line of work on each link."""

    name: str
    machine: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def equal(self) -> bool:
        """Whether all links agree, to NEAR or a tenth of a cycle."""
        pairs = zip(self.ours, self.theirs, strict=True)
        return all(abs(a - b) <= max(0.1, NEAR * b) for a, b in pairs)


def repeated(fragment: str) -> str:
    """A kernel, which has no function around it, as one that runs it over and over."""
    declarations, loop, body = fragment.partition("for")
    again = f"for (int again = 0; again < {REPEATS}; again++) {{\n"
    return f"void kernel(int L, int M, int N)\n{{\n{declarations}{again}{loop}{body}\n}}\n}}\n"


def compared(kernels: Path, folder: Path) -> list[Row]:
    """Every row of kerncraft's."""
    given: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in json.loads(VECTORS.read_text(encoding="utf-8"))["transfers"]:
        given[row["kernel"], json.dumps(row["sizes"])].append(row)
    rows = []
    for (kernel, sizes), theirs in given.items():
        file = folder / f"{kernel}.c"
        text = (kernels / f"{kernel}.c").read_text(encoding="utf-8")
        file.write_text(repeated(text), encoding="utf-8")
        command = [str(Path(sys.executable).with_name("analyze")), str(file), "--cores", "1"]
        command += ["--model", "ecm-data", "--format", "json"]
        for row in theirs:
            command += ["--machine", row["machine"]]
        for name, value in json.loads(sizes).items():
            command += ["-D", f"{name}={value}"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        [nest] = json.loads(done.stdout)["files"][0]["functions"][0]["nests"]
        found = nest["kernels"][-1]["results"]
        for row, result in zip(theirs, found, strict=True):
            links = result["predictions"][0]["data"]["links"] if result["predictions"] else {}
            near, middle, far = row["cycles"]
            wanted = (near, middle, far + row["penalty_cycles"])
            ours = tuple(links.get(link, 0.0) for link in LINKS)
            rows.append(Row(f"{kernel} {sizes}", row["machine"], ours, wanted))
    return rows


def main() -> int:
    """Prints what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", type=Path, metavar="DIR")
    with tempfile.TemporaryDirectory() as folder:
        rows = compared(parser.parse_args().kernels, Path(folder))
    print("| kernel | machine | ours | kerncraft |\n| --- | --- | --: | --: |")
    for row in rows:
        if not row.equal:
            cells = [" / ".join([f"{c:.1f}" for c in each]) for each in (row.ours, row.theirs)]
            print(f"| {row.name} | {row.machine} | {' | '.join(cells)} |")
    print(f"\n{sum(row.equal for row in rows)} of {len(rows)} rows equal on every link")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The lint on PolyBench/C 4.2.1: ``lint_polybench.py POLYBENCH [--gcc gcc]``.

RL101 in the 30 kernels before legality is asked, against the 17 that walk down columns
in an innermost loop; and every fix that can be applied, compiled with gcc at MINI sizes: the kernel
with the fix must print what the original prints. Rounding may differ where a sum is reordered.
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from rooflint.source_edit.edits import EditableSource

WALKS = frozenset(
    "correlation covariance gemver symm syrk syr2k trmm 2mm 3mm doitgen mvt gramschmidt lu ludcmp"
    " deriche nussinov adi".split()
)


def linted(files: list[str], root: str, *options: str) -> list[Any]:
    """The files of a JSON report."""
    command = ["rooflint", "lint", *files, *options, "--min-time", "0us", "--format", "json", "--",
               "-O3", "-march=native", f"-I{root}/utilities", "-DLARGE_DATASET"]  # fmt: skip
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    found: list[Any] = json.loads(done.stdout)["files"]
    return found


def walks(reports: list[Any]) -> set[str]:
    """Kernels in which RL101 matches, whatever a guard says then."""
    found = set()
    for report in reports:
        name = Path(report["path"]).stem
        function = f"kernel_{name.replace('-', '_')}"
        if any(m["function"] == function for m in (*report["findings"], *report["silent"])):
            found.add(name)
    return found


def printed(source: str, original: str, root: str, gcc: str, folder: str) -> bytes:
    """What a kernel prints at MINI sizes."""
    program = os.path.join(folder, "kernel")
    includes = [f"-I{root}/utilities", f"-I{os.path.dirname(original)}"]
    flags = ["-O1", "-fopenmp", "-ffp-contract=off", "-DMINI_DATASET", "-DPOLYBENCH_DUMP_ARRAYS"]
    files = [source, f"{root}/utilities/polybench.c"]
    subprocess.run([gcc, *flags, *includes, *files, "-lm", "-o", program], check=True)
    return subprocess.run([program], check=True, capture_output=True, timeout=60).stderr


def edited(content: bytes, edits: list[Any]) -> bytes:
    """``content`` with the edits of one fix."""
    text = EditableSource(content.decode("utf-8", "surrogateescape"))
    placed = [
        (
            text.offset(e["line"], e["column"]),
            text.offset(e["end_line"], e["end_column"]),
            e["text"],
        )
        for e in edits
    ]
    result = text.bytes
    for start, end, new in sorted(placed, reverse=True):
        result = result[:start] + new.encode() + result[end:]
    return result


def main() -> None:
    """Prints what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--gcc", default="gcc")
    given = parser.parse_args()
    listed = Path(given.root, "utilities", "benchmark_list").read_text(encoding="utf-8").split()
    files = [os.path.join(given.root, name) for name in listed]
    found = walks(linted(files, given.root, "--select", "RL101"))
    print(f"RL101 before legality: {len(found)} of {len(files)} kernels")
    print(f"  missed: {sorted(WALKS - found)}, not expected: {sorted(found - WALKS)}")
    same = differ = 0
    options = ("--select", "RL1,RL2,RL3,RL401", "--min-gain", "1")
    with tempfile.TemporaryDirectory() as folder:
        for report in linted(files, given.root, *options):
            original = report["path"]
            fixes = [a for a in report["findings"] if a["fix"] and a["fix"].get("edits")]
            before = printed(original, original, given.root, given.gcc, folder) if fixes else b""
            for advice in fixes:
                source = os.path.join(folder, "fixed.c")
                content = edited(Path(original).read_bytes(), advice["fix"]["edits"])
                Path(source).write_bytes(content)
                if printed(source, original, given.root, given.gcc, folder) == before:
                    same += 1
                    continue
                differ += 1
                title = f"{advice['fix']['title']} ({advice['fix']['safety']})"
                print(f"  differs: {Path(original).stem}:{advice['line']} {advice['code']} {title}")
    print(f"fixes applied: {same} print the same, {differ} do not")


if __name__ == "__main__":
    main()

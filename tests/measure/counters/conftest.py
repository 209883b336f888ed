"""Tools that are made up: they run the program and print counts in their tool's format."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PERF = """\
#!{python}
import subprocess, sys
arguments = sys.argv[1:]
at = arguments.index("--")
output = arguments[arguments.index("-o") + 1]
events = [arguments[n + 1] for n in range(at) if arguments[n] == "-e"]
code = subprocess.call(arguments[at + 1:], close_fds=False)
given = dict(part.split("=", 1) for part in arguments[at + 2:] if "=" in part)
calls = int(given.get("calls", 0)) * int(given.get("batches", 0))
rates = {rates}
with open(output, "w") as file:
    file.write("# started on Mon Mar  3 10:12:45 2025\\n\\n")
    for event in events:
        rate = rates.get(event)
        value = "<not supported>" if rate is None else str(1000003 + round(rate * calls))
        file.write(f"{{value}};;{{event}};52113401;{share};;\\n")
sys.exit(code)
"""
LIKWID = """\
#!{python}
import subprocess, sys
arguments = sys.argv[1:]
output = arguments[arguments.index("-o") + 1]
group = arguments[arguments.index("-g") + 1]
program = arguments[arguments.index("-o") + 2:]
code = subprocess.call(program, close_fds=False)
given = dict(part.split("=", 1) for part in program[1:] if "=" in part)
calls = int(given.get("calls", 0)) * int(given.get("batches", 0))
rates = {rates}
names = ["CAS_COUNT_RD:MBOX0C0", "CAS_COUNT_RD:MBOX1C0", "CAS_COUNT_WR:MBOX0C1"]
listed = names if group == "MEM" else group.split(",")
with open(output, "w") as file:
    file.write("STRUCT,Info,3\\nTABLE,Group 1 Raw,X,9\\nEvent,Counter,HWThread 0\\n")
    for each in listed:
        name, _, counter = each.partition(":")
        rate = rates.get(name)
        value = "-" if rate is None else str(1000003 + round(rate * calls))
        file.write(f"{{name}},{{counter}},{{value}}\\n")
sys.exit(code)
"""


def _program(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def fake_perf(tmp_path: Path) -> Callable[..., str]:
    """``fake_perf({"cycles:u": 9.0})``: a perf that counts so many a call of each event."""

    def make(rates: dict[str, float], share: float = 100.0) -> str:
        text = PERF.format(python=sys.executable, rates=rates, share=f"{share:.2f}")
        return _program(tmp_path, "perf", text)

    return make


@pytest.fixture
def fake_likwid(tmp_path: Path) -> Callable[[dict[str, float]], str]:
    """The same for ``likwid-perfctr``."""

    def make(rates: dict[str, float]) -> str:
        text = LIKWID.format(python=sys.executable, rates=rates)
        return _program(tmp_path, "likwid-perfctr", text)

    return make

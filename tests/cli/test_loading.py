"""``analyze`` and ``lint`` load their modules from one file, and print what they print without."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rooflint.startup import own_modules

SMALL = str(Path(__file__).parents[2] / "examples" / "triad.c")
MODULES = {"analyze": 9, "lint": 51}
"""At most so many modules of the product come from files of their own, before the bundle is read
or after it."""
PROGRAM = """
import sys
from rooflint.cli import main
from rooflint.startup.own_modules import CompiledLoader, own_finder

main._prepare()
code = main.run([sys.argv[1], sys.argv[2], "--no-cache"])
finder = own_finder()
own = [name for name, module in sys.modules.items() if name.partition(".")[0] in finder.packages]
single = [name for name in own if type(sys.modules[name].__loader__) is CompiledLoader]
print(finder.bundle is not None, len(own), len(single), file=sys.stderr)
sys.exit(code)
"""


def run(command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """The command in a process of its own, which then says how it loaded its modules."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, command, SMALL],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **variables},
    )


@pytest.mark.long
@pytest.mark.parametrize("command", MODULES)
def test_a_command_prints_the_same_with_a_bundle_and_without(command: str) -> None:
    folder = Path(own_modules.__file__).parent / "__pycache__"
    for path in folder.glob(f"{command}.*.bundle"):
        path.unlink()
    without = run(command, PYTHONDONTWRITEBYTECODE="1")
    assert without.stderr.splitlines()[-1].startswith("False")
    run(command)  # modules that had no compiled file have one now
    run(command)
    assert [*folder.glob(f"{command}.*.bundle")]
    bundled = run(command)
    assert bundled.stdout == without.stdout
    *said, counts = bundled.stderr.splitlines()
    assert said == without.stderr.splitlines()[:-1]
    used, own, single = counts.split()
    assert used == "True"
    assert int(own) > 200
    assert int(single) <= MODULES[command]


@pytest.mark.long
def test_nothing_is_left_of_the_writing() -> None:
    run("analyze")
    names = {path.name for path in (Path(own_modules.__file__).parent / "__pycache__").iterdir()}
    assert not [name for name in names if not name.endswith((".pyc", ".bundle"))]

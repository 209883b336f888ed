"""The replay against cachegrind's counts of compiled code: arrays where the programs put them."""

import json
from pathlib import Path
from typing import Any

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.replay import ReplayLevel, ReplaySettings, ReplayStatus, native
from rooflint.replay.lowering import lower_function

DATA = json.loads((Path(__file__).parent / "cachegrind.json").read_text(encoding="utf-8"))
BASE = 1 << 30
STACK_LINES = 16
"""Lines of stack and code that a call leaves beside its data."""
WITHIN = 0.005
# with two ways, the order of accesses in compiled code decides
KNOWN = {
    ("diagonals", "8K2_64K4", "L1"): 0.18,
    ("rows and columns", "8K2_64K4", "L1"): 0.09,
    ("convolution", "8K2_64K4", "L1"): 0.06,
    ("tiled product", "8K2_64K4", "L1"): 0.008,
}


@pytest.mark.long
@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["family"])
def test_lines_over_each_link(case: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "k.c"
    file.write_text(case["source"], encoding="utf-8")
    functions = [
        each.function for each in extract(Request(str(file), Flags("c", None, ()))).functions
    ]
    [function] = [each for each in functions if each.name == case["id"]]
    layout = {name: BASE + offset for name, offset in case["layout"].items()}
    program = lower_function(function, layout, {})
    assert program.left_out == ()
    kernel = native.library()
    if kernel is None:
        pytest.skip("the package was installed without a C compiler")
    for name, shapes in DATA["hierarchies"].items():
        levels = [ReplayLevel(s["bytes"] // 64 // s["ways"], s["ways"]) for s in shapes]
        counts = native.replay(program, levels, ReplaySettings(), kernel)
        assert counts.status is ReplayStatus.OK
        for number, shape in enumerate(shapes):
            lines = sum(
                counts.lines(0, number, each).misses for each in range(len(program.references))
            )
            expected = sum(case["lines"][name][shape["level"]].values())
            within = KNOWN.get((case["family"], name, shape["level"]), WITHIN)
            assert abs(lines - expected) <= max(within * expected, STACK_LINES)

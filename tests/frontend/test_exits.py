"""How control leaves loops: which loop or switch a jump belongs to."""

from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Loop, walk


def test_a_break_in_a_range_for_inside_a_switch_leaves_the_loop() -> None:
    text = (
        "#include <vector>\n"
        "double f(std::vector<double> &v, int k) { double s = 0;\n"
        "  switch (k) { case 1: for (double x : v) { if (x < 0) break; s += x; } break; }\n"
        "  return s; }"
    )
    (source,) = extract(Request("/nowhere/a", Flags("c++"), text.encode())).functions
    (loop,) = [node for node in walk(source.function.body) if isinstance(node, Loop)]
    assert loop.exits == ("break",)

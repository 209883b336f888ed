"""Values that are the same in every iteration of a loop."""

from types import ModuleType

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Loop, Node, ScalarRead, Statement
from rooflint.transform.nest.graph import invariant_values


def invariants(nest: Node) -> list[list[str]]:
    """The invariant values of each of the loop's statements, by name or operation."""
    found = []
    assert isinstance(nest, Loop)
    for statement in nest.body:
        if not isinstance(statement, Statement):
            continue  # calls
        numbers = sorted(invariant_values(nest, statement))
        values = [statement.values[number] for number in numbers]
        found.append([v.name if isinstance(v, ScalarRead) else v.op for v in values])
    return found


def test_what_the_loop_sets_varies(build: ModuleType) -> None:
    a, b = (build.array(name, "f64", "n") for name in "ab")
    nest = build.loop(
        "i", 0, "n",
        build.assign("s", build.carried("s") + a["i"]),
        b["i"].set(build.carried("s") * build.scalar("c")),
        build.assign("t", build.scalar("c") * build.scalar("d")),
        b["i"].set(build.scalar("t") + build.scalar("c")),
    )  # fmt: skip
    (loop,) = build.function("f", [a, b], nest).body
    # s and t are set in the loop; c and d are not, nor is their product
    assert invariants(loop) == [[], ["c"], ["c", "d", "mul"], ["c"]]


RECORDS = """
struct m { double off; int n; }; struct big { struct m m; double x[20]; double off; };
struct m next(int i); struct big far(int i);
"""


@pytest.mark.parametrize(
    ("before", "statement"),
    [
        ("struct m s = {1, 2};", "a[i] = b[i] / s.off; s = next(i);"),
        ("struct m s = {1, 2};", "s = next(i); a[i] = b[i] / s.off;"),
        ("struct big s = far(0);", "a[i] = b[i] / s.off; s = far(i);"),
        ("struct big *p = q;", "a[i] = b[i] / p->off; *p = far(i);"),
    ],
)
def test_a_record_that_is_set_as_a_whole_changes_its_members(before: str, statement: str) -> None:
    loop = f"for (int i = 0; i < n; i++) {{ {statement} }}"
    text = f"{RECORDS} void f(int n, double *a, double *b, struct big *q) {{ {before} {loop} }}"
    (source,) = extract(Request("/t.c", Flags("c"), text.encode())).functions
    (nest,) = [each for each in source.function.body if isinstance(each, Loop)]
    assert not any("off" in name for found in invariants(nest) for name in found)

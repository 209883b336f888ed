"""Values that are the same in every iteration of a loop."""

from types import ModuleType

from rooflint.ir import Loop, Node, ScalarRead, Statement
from rooflint.transform.nest.graph import invariant_values


def invariants(nest: Node) -> list[list[str]]:
    """The invariant values of each of the loop's statements, by name or operation."""
    found = []
    assert isinstance(nest, Loop)
    for statement in nest.body:
        assert isinstance(statement, Statement)
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

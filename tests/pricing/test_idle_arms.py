"""Arms of branches that do not run with a change take no part in its price, and no other code is
left out."""

from types import ModuleType

from rooflint.ir import Branch, Function, Loop, Node, walk
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction
from rooflint.pricing.nests import IDLE, ChangedNodes, without_idle_arms


def loop(build: ModuleType, index: str, target: str, trips: int = 100) -> Loop:
    a, b = build.array(target, "f64", "n"), build.array("b", "f64", "n")
    found = build.loop(index, 0, trips, a[index].set(b[index] * 2.0))
    assert isinstance(found, Loop)
    return found


def function(build: ModuleType, *nodes: Node) -> Function:
    arrays = [build.array(name, "f64", "n") for name in ("a", "b", "c", "d")]
    made = build.function("f", arrays, *nodes)
    assert isinstance(made, Function)
    return made


def arms(build: ModuleType, then: tuple[Node, ...], orelse: tuple[Node, ...]) -> Branch:
    condition = build.condition(build.scalar("x"))
    return Branch(condition=condition, then=then, orelse=orelse)


def unrolled(made: Function, place: str) -> Function:
    result = transform.unroll(made, place, 4)
    assert isinstance(result, ChangedFunction), result
    return result.function


def lean(made: Function, changed: Function, *names: str) -> ChangedNodes:
    return without_idle_arms(ChangedNodes(made.body, changed.body), set(names))


def loops(nodes: tuple[Node, ...]) -> list[str]:
    found = [node.index for node in walk(nodes) if isinstance(node, Loop)]
    return [index for index in found if index != IDLE.index]


def test_the_other_arm_is_left_out(build: ModuleType) -> None:
    made = function(build, arms(build, (loop(build, "i", "a"),), (loop(build, "j", "c"),)))
    own = lean(made, unrolled(made, "i"))
    assert loops(own.before) == ["i"]
    assert "j" not in loops(own.after)


def test_code_that_runs_with_the_change_stays(build: ModuleType) -> None:
    then = (loop(build, "i", "a"), loop(build, "k", "a"))
    made = function(build, arms(build, then, ()), loop(build, "j", "c"))
    whole = ChangedNodes(made.body, unrolled(made, "i").body)
    assert without_idle_arms(whole, set()) is whole


def test_an_arm_with_an_array_that_changes_stays(build: ModuleType) -> None:
    made = function(build, arms(build, (loop(build, "i", "a"),), (loop(build, "j", "c"),)))
    changed = unrolled(made, "i")
    assert loops(lean(made, changed, "d").before) == ["i"]
    assert loops(lean(made, changed, "c").before) == ["i", "j"]


def test_arms_that_both_change_stay(build: ModuleType) -> None:
    made = function(build, arms(build, (loop(build, "i", "a"),), (loop(build, "j", "c"),)))
    both = unrolled(unrolled(made, "i"), "j")
    assert loops(lean(made, both).before) == ["i", "j"]


def test_straight_code_stays(build: ModuleType) -> None:
    # without loops, the more expensive arm counts
    other = build.assign("t", build.scalar("u") + 1.0)
    made = function(build, arms(build, (loop(build, "i", "a"),), (other,)))
    whole = ChangedNodes(made.body, unrolled(made, "i").body)
    assert without_idle_arms(whole, set()) is whole

"""Branches of a loop that compiled code keeps, and whose outcomes data decide.

Where no form of a branch tells how often it is taken, both outcomes are taken to be as likely.
Branches on indices repeat and are learned, and those that leave the loop do so once.
"""

from collections.abc import Iterable, Iterator

from rooflint.core.code import Code, CorePlan
from rooflint.core.graph.simplify import convert_branches
from rooflint.core.mispredictions import wrong_share
from rooflint.facts import Kernel
from rooflint.facts.guards import arms_of
from rooflint.ir import Branch, Loop, Node, Region, Statement, Value, walk
from rooflint.records import NamedTuple
from rooflint.transform.nest.graph import invariant_values


class DataBranch(NamedTuple):
    """A branch of a loop whose outcome data decide.

    origin  of the branch
    wrong   of the iterations, the share in which its outcome is guessed wrong at most
    """

    origin: int
    wrong: float


def wrong_guesses(kernel: Kernel, plan: CorePlan, code: Code) -> float:
    """Branches of an iteration of the plan's ``code`` that are guessed wrong, at most: vectors have
    none, and scalar code keeps those that it does not turn into selections."""
    if code.vector.width > 1 or not any(isinstance(n, Branch) for n in kernel.loops[-1].body):
        return 0.0
    kept = convert_branches(kernel) if plan.compiler.level else kernel
    return sum([each.wrong for each in data_branches(kept.loops[-1])])


def data_branches(own: Loop) -> tuple[DataBranch, ...]:
    """The branches in a loop's body, loops inside left out, whose outcomes data decide."""
    return tuple(_branches(own, own.body, 1.0, _data_scalars(own)))


def _branches(
    own: Loop, nodes: Iterable[Node], share: float, names: frozenset[str]
) -> Iterator[DataBranch]:
    for node in nodes:
        if isinstance(node, Region):
            yield from _branches(own, node.body, share, names)
        if isinstance(node, Branch):
            then, orelse = arms_of(node)
            if not any(node.exit_paths) and _depends_on_data(own, node, names):
                yield DataBranch(node.origin, share * wrong_share(then.share))
            yield from _branches(own, node.then, share * then.share, names)
            yield from _branches(own, node.orelse, share * orelse.share, names)


def _depends_on_data(own: Loop, branch: Branch, names: frozenset[str]) -> bool:
    condition = branch.condition
    steady = invariant_values(own, condition)
    moving = [value for place, value in enumerate(condition.values) if place not in steady]
    return any(_is_data(value, names) for value in moving)


def _data_scalars(own: Loop) -> frozenset[str]:
    """Scalars that an iteration computes from elements of arrays."""
    found: frozenset[str] = frozenset()
    for node in walk(own.body):
        if isinstance(node, Statement) and any(_is_data(value, found) for value in node.values):
            found |= {value.name for value in node.values if value.op == "assign"}
    return found


def _is_data(value: Value, names: frozenset[str]) -> bool:
    if value.op in ("scalar", "carried"):
        return value.name in names
    poly = value.closed_form
    return value.op == "load" or (poly is not None and not names.isdisjoint(poly.names()))

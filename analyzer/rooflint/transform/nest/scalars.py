"""Scalars in the body of a loop: set anew in each iteration, accumulated, or carried."""

from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from rooflint import ir
from rooflint.ir.identity import kept_with_part
from rooflint.ir.values import ArithmeticOp
from rooflint.records import NamedTuple
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.tree import Nodes

Role: TypeAlias = Literal["private", "reduction", "recurrence"]
Reduction: TypeAlias = ArithmeticOp | Literal[""]
"""The operation of a reduction; empty for what is none."""
ACCUMULATES: Final[dict[str, ArithmeticOp]] = {
    "add": "add", "sub": "add", "fma": "add", "mul": "mul", "min": "min", "max": "max",
}  # fmt: skip
IDENTITY: Final[dict[str, int]] = {"add": 0, "mul": 1}


class Scalar(NamedTuple):
    """A scalar that a loop assigns.

    operation  of a reduction: ``add``, ``mul``, ``min``, ``max``; else empty
    """

    name: str
    type: str
    role: Role
    operation: Reduction = ""


def assigned_scalars(nodes: Iterable[ir.Node]) -> dict[str, str]:
    """The scalars assigned at or below ``nodes`` and their types, in program order."""
    return {v.name: v.type for s in statements_in(nodes) for v in s.values if v.op == "assign"}


def whole_records(nodes: Iterable[ir.Node]) -> frozenset[str]:
    """The records that code at or below ``nodes`` sets as a whole: ``s`` of ``s = next()``."""
    accesses = (access for s in statements_in(nodes) for access in s.accesses)
    return frozenset([each.array for each in accesses if each.write and each.type == "record"])


def is_member(name: str, records: Iterable[str]) -> bool:
    """Whether a scalar is a member of one of the records: ``s.n`` and ``p->n``."""
    return any(name.startswith((f"{each}.", f"{each}->", f"{each}[")) for each in records)


def read_scalars(nodes: Iterable[ir.Node]) -> set[str]:
    """The scalars read at or below ``nodes``."""
    values = (value for statement in statements_in(nodes) for value in statement.values)
    return {v.name for v in values if v.op in ("scalar", "carried")}


class ScalarUse(NamedTuple):
    """The scalars that code reads before it surely sets them, and those that it surely sets."""

    read_first: frozenset[str] = frozenset()
    surely_set: frozenset[str] = frozenset()


def exposed_scalars(nodes: Iterable[ir.Node]) -> frozenset[str]:
    """The scalars that ``nodes`` read before they surely set them."""
    return _use_in(nodes).read_first


def _use_in(nodes: Iterable[ir.Node]) -> ScalarUse:
    """That of nodes that execute one after the other."""
    exposed: set[str] = set()
    known: set[str] = set()
    for node in nodes:
        own = _use_in_body(node) if isinstance(node, ir.BodyNode) else _use_in_code(node)
        exposed |= own.read_first - known
        known |= own.surely_set
    return ScalarUse(frozenset(exposed), frozenset(known))


def _use_in_code(node: ir.Node) -> ScalarUse:
    exposed: set[str] = set()
    known: set[str] = set()
    for value in node.values if isinstance(node, ir.Statement) else ():
        if value.op in ("scalar", "carried") and value.name not in known:
            exposed.add(value.name)
        elif value.op == "assign":
            known.add(value.name)
    return ScalarUse(frozenset(exposed), frozenset(known))


@kept_with_part
def _use_in_body(node: ir.Node) -> ScalarUse:
    if not isinstance(node, ir.Branch):
        inside = _use_in(ir.children(node))
        # a loop may not run at all
        return inside._replace(surely_set=frozenset()) if isinstance(node, ir.Loop) else inside
    tested, then, orelse = (_use_in(each) for each in ((node.condition,), node.then, node.orelse))
    return ScalarUse(
        read_first=tested.read_first | ((then.read_first | orelse.read_first) - tested.surely_set),
        surely_set=tested.surely_set | (then.surely_set & orelse.surely_set),
    )


def scalars_of(body: Nodes) -> dict[str, Scalar]:
    """The scalars that a loop with this body assigns, by name."""
    kinds = assigned_scalars(body)
    if not kinds:
        return {}
    from_before = exposed_scalars(body)
    found: dict[str, Scalar] = {}
    for name, kind in kinds.items():
        if name not in from_before:
            found[name] = Scalar(name, kind, "private")
            continue
        operation = _accumulates(name, body)
        role: Role = "reduction" if operation else "recurrence"
        found[name] = Scalar(name=name, type=kind, role=role, operation=operation)
    return found


def _accumulates(name: str, body: Nodes) -> Reduction:
    """The operation when each use of ``name`` adds to it and nothing else; else empty."""
    operations = set(_operations(name, body))
    return operations.pop() if len(operations) == 1 else ""


def _operations(name: str, body: Nodes) -> Iterator[Reduction]:
    for node in _parts(body):
        if isinstance(node, ir.Statement):
            if _uses(node, name):
                yield _chain(name, node)
            continue
        extreme = branch_extreme(name, node)
        if extreme:
            yield extreme
            continue
        if _uses(node.condition, name):
            yield _chain(name, node.condition)
        for arm in (node.then, node.orelse):
            if name in assigned_scalars(arm) or name in read_scalars(arm):
                yield _accumulates(name, arm)


def _uses(statement: ir.Statement, name: str) -> bool:
    return any(_reads(v, name) or _sets(v, name) for v in statement.values)


def _parts(nodes: Iterable[ir.Node]) -> Iterator[ir.Statement | ir.Branch]:
    """Statements and branches of ``nodes``, those inside loops and directives too."""
    for node in nodes:
        if isinstance(node, ir.Statement | ir.Branch):
            yield node
        else:
            yield from _parts(ir.children(node))


def branch_extreme(name: str, branch: ir.Branch) -> Reduction:
    """``if (x > s) s = x``: ``max`` or ``min``; empty when the branch is nothing of the kind."""
    test = branch.condition
    if branch.orelse or len(branch.then) != 1 or not test.values:
        return ""
    [then] = branch.then
    compare = test.values[-1]
    if (
        not isinstance(then, ir.Statement)
        or compare.op != "compare"
        or compare.operator not in _LARGER
    ):
        return ""
    sides = [_reads(test.values[argument], name) for argument in compare.args]
    if sides.count(True) != 1 or not _sets_only(then, name):
        return ""
    other = compare.args[1 - sides.index(True)]
    if _tree(test, other) != _tree(then, then.values[-1].args[0]):
        return ""
    if sum(_reads(value, name) for value in (*test.values, *then.values)) != 1:
        return ""
    return "min" if _LARGER[compare.operator] == sides[1] else "max"


def _sets_only(statement: ir.Statement, name: str) -> bool:
    """Whether a statement ends in an assignment to the scalar and changes nothing else."""
    changes = [value for value in statement.values if value.op in ("assign", "store")]
    return len(changes) == 1 and _sets(statement.values[-1], name)


_LARGER: Final = {">": False, ">=": False, "<": True, "<=": True}
"""Whether the right side of a comparison that holds is the larger one."""


def _tree(statement: ir.Statement, number: int) -> object:
    """A value with all it takes, comparable with one of another statement."""
    value = ir.without_carry(statement.values[number])
    args = tuple([_tree(statement, argument) for argument in value.args])
    access = None
    if isinstance(value, ir.Load | ir.Store):
        access, value = statement.accesses[value.access], replace(value, access=0)
    return (ir.with_operands(value, (0,) * len(args)), access, args)


def _reads(value: ir.Value, name: str) -> bool:
    return value.op in ("scalar", "carried") and value.name == name


def _sets(value: ir.Value, name: str) -> bool:
    return value.op == "assign" and value.name == name


def _chain(name: str, statement: ir.Statement) -> Reduction:
    """``s = s + a + b``: the one kind of operation from the only read to the only assignment."""
    values = statement.values
    reads = [n for n, v in enumerate(values) if _reads(v, name)]
    writes = [n for n, v in enumerate(values) if _sets(v, name)]
    if len(reads) != 1 or len(writes) != 1 or writes[0] < reads[0]:
        return ""
    current = reads[0]
    kinds: set[Reduction] = set()
    while current != writes[0]:
        users = [n for n, v in enumerate(values) for argument in v.args if argument == current]
        if len(users) != 1:
            return ""
        if users != writes:
            kinds.add(_accumulation(values[users[0]], current))
        [current] = users
    return kinds.pop() if len(kinds) == 1 else ""


def _accumulation(value: ir.Value, argument: int) -> Reduction:
    """The operation that adds others to an argument of a value; empty where it does not."""
    place = value.args.index(argument)
    if place != {"sub": 0, "fma": 2}.get(value.op, place):
        return ""
    return ACCUMULATES.get(value.op, "")

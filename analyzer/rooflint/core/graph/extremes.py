"""Branches that keep the least or the most so far, as compilers make one minimum of them."""

from typing import Final

from msgspec import structs

from rooflint.ir import Branch, Loop, Poly, Statement, Value, with_operands
from rooflint.ir.values import (
    Assignment,
    CarriedRead,
    IndexValue,
    Load,
    Relation,
    ScalarRead,
    Selection,
)
from rooflint.transform.nest.scalars import branch_extreme

ORDERED: Final = ("<", "<=", ">", ">=")
"""Comparisons that tell which of two values is the larger."""
STRICT: Final = ("<", ">")


def extreme_so_far(branch: Branch, own: Loop) -> Statement | None:
    """The number that is the least or most so far, replaced by one that exceeds it, as one minimum
    or maximum (gcc's phiopt, LLVM's InstCombine); None where the branch is anything else.

    Floating-point numbers only where they are less or greater: ``minsd`` and its like keep the
    second operand where both are equal or one is no number, so ``<=`` needs another sequence. And
    only where no branch of the loop ``own`` sets an integer beside them, such as their place.
    """
    then, condition = _only_arm(branch), branch.condition.values
    if then is None or not condition:
        return None
    target, compared = then.values[-1], condition[-1]
    if not isinstance(target, Assignment) or not isinstance(compared, Relation):
        return None
    if target.type[:1] in ("i", "u"):
        return _integer_so_far(branch, then, target, compared)
    keeps_places = any(each.condition == "branch" for each in own.definitions)
    if keeps_places or compared.operator not in STRICT or not branch_extreme(target.name, branch):
        return None
    return _float_so_far(branch, target, compared)


def _only_arm(branch: Branch) -> Statement | None:
    """The one statement of a branch that has no other way and does not leave the loop."""
    if branch.orelse or len(branch.then) != 1 or any(branch.exit_paths):
        return None
    [then] = branch.then
    return then if isinstance(then, Statement) and then.values else None


def _float_so_far(branch: Branch, target: Assignment, relation: Relation) -> Statement | None:
    """The condition's own values with a selection between them."""
    values = branch.condition.values
    best = next((n for n in relation.args if _is_read_of(values[n], target.name)), None)
    if best is None:
        return None
    exceeding = next(n for n in relation.args if n != best)
    chosen = Selection(type=target.type, args=(len(values) - 1, exceeding, best))
    return Statement(
        values=(*values, chosen, with_operands(target, (len(values),))),
        accesses=branch.condition.accesses,
        origin=branch.origin,
    )


def _is_read_of(value: Value, name: str) -> bool:
    return isinstance(value, CarriedRead | ScalarRead) and value.name == name


def _integer_so_far(
    branch: Branch, then: Statement, target: Assignment, relation: Relation
) -> Statement | None:
    element = _compared_element(branch.condition, relation, target.name)
    if element is None or not _is_element(then, branch.condition, element):
        return None
    best = CarriedRead(type=target.type, name=target.name)
    chosen = Selection(type=target.type, args=(2, 0, 1))
    compared = structs.replace(relation, args=(0, 1))
    return Statement(
        values=(element, best, compared, chosen, with_operands(target, (3,))),
        accesses=branch.condition.accesses,
        origin=branch.origin,
    )


def _compared_element(condition: Statement, relation: Relation, name: str) -> Load | None:
    """The element that a condition compares with the scalar ``name``, and with nothing else."""
    if relation.operator not in ORDERED or len(condition.values) != 3:
        return None
    first, second = [condition.values[each] for each in relation.args]
    loaded, other = (first, second) if isinstance(first, Load) else (second, first)
    if not isinstance(loaded, Load) or not isinstance(other, IndexValue):
        return None
    return loaded if _is_value_of(other, name) else None


def _is_value_of(value: IndexValue, name: str) -> bool:
    """Whether an integer is what a variable without closed form holds."""
    unknowns = value.poly.unknowns()
    if len(unknowns) != 1 or unknowns[0].variable != name:
        return False
    return value.poly == Poly.symbol(unknowns[0])


def _is_element(then: Statement, condition: Statement, compared: Load) -> bool:
    """Whether a way takes the element compared and no more."""
    if len(then.values) != 2 or not isinstance(then.values[0], Load):
        return False
    own = then.values[0]
    return then.accesses[own.access] == condition.accesses[compared.access]

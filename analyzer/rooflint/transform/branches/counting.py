"""Counts of what a condition holds for: a branch that does no more than to add a number."""

from typing import Final

from msgspec.structs import replace

from rooflint.ir import (
    Arithmetic,
    Assignment,
    CarriedRead,
    Definition,
    Induction,
    Loop,
    Poly,
    Statement,
    Value,
    whole_number,
)

_CONDITIONS: Final = frozenset(("compare", "and", "or", "not"))


def count_condition(loop: Loop) -> Loop:
    """The loop with its count as a sum of conditions, as compilers write it: ``count += x > t`` for
    ``if (x > t) count++``. The same loop where it does anything else, or more than that.

    No node of the IR holds such a branch, whose variable has a definition on a branch.
    """
    statement = None if loop.exits else _condition_of(loop)
    moved = [each for each in loop.definitions if each.condition != "none"]
    step = _step(moved[0]) if len(moved) == 1 else 0
    if statement is None or not step:
        return loop
    [count] = moved
    return replace(
        loop,
        body=(_added(statement, count, step),),
        definitions=tuple([each for each in loop.definitions if each is not count]),
        extra_inductions=_others(loop, count),
    )


def _others(loop: Loop, count: Definition) -> tuple[Induction, ...]:
    return tuple([each for each in loop.extra_inductions if each.name != count.variable])


def _condition_of(loop: Loop) -> Statement | None:
    """The statement that a loop consists of, if it only evaluates a condition."""
    statement = loop.body[0] if len(loop.body) == 1 else None
    if not isinstance(statement, Statement) or not statement.values:
        return None
    return statement if statement.values[-1].op in _CONDITIONS else None


def _step(definition: Definition) -> int:
    """The number that a branch adds to its variable; 0 where it does something else."""
    unknowns = () if definition.value is None else definition.value.unknowns()
    if definition.condition != "branch" or definition.own or len(unknowns) != 1:
        return 0
    if unknowns[0].variable != definition.variable or definition.value is None:
        return 0
    step = (definition.value - Poly.symbol(unknowns[0])).value
    return step if isinstance(step, int) else 0


def _added(statement: Statement, count: Definition, step: int) -> Statement:
    term = len(statement.values) - 1
    values: tuple[Value, ...] = statement.values
    if step != 1:
        scaled = Arithmetic(op="mul", type=count.type, args=(term, term + 1))
        values = (*values, whole_number(count.type, step), scaled)
        term += 2
    added = (
        CarriedRead(type=count.type, name=count.variable),
        Arithmetic(op="add", type=count.type, args=(term + 1, term)),
        Assignment(type=count.type, args=(term + 2,), name=count.variable),
    )
    return replace(statement, values=(*values, *added))

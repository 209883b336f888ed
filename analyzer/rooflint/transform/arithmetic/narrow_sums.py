"""Sums of small integers: how many of them a narrower type holds."""

from typing import Final

from msgspec.structs import replace

from rooflint.ir import (
    Assignment,
    CarriedRead,
    Function,
    Loop,
    ScalarRead,
    Statement,
    Value,
    literal_number,
    whole_number,
)
from rooflint.records import NamedTuple
from rooflint.transform.branches.counting import count_condition
from rooflint.transform.nest.rewrite import fresh
from rooflint.transform.nest.tree import replace_nodes, site_of
from rooflint.transform.result import ChangedFunction, RefusalError, change, done
from rooflint.transform.strips import whole_blocks

LEAST_TERMS: Final = 64
"""In a block, or a multiple of it: whole vectors of bytes, up to 512 bits."""
_NARROW: Final = (("u8", 255, 0), ("u16", 65535, 0), ("i16", 32767, -32768))
"""Types of sums of a block, the largest and the smallest number that each holds."""
_BYTES: Final = {"i8": (-128, 127), "u8": (0, 255)}


class NarrowSum(NamedTuple):
    """A sum of an innermost loop whose terms are small.

    statement  in the loop's body, which ends in the assignment
    name       of the sum
    type       of a block's sum
    terms      that the type holds in any case
    """

    statement: Statement
    name: str
    type: str
    terms: int


def narrow_sum(loop: Loop) -> NarrowSum | None:
    """The only sum of a loop, of terms made of bytes, in an integer that is wider than it needs; a
    count of those that a condition holds for is one."""
    counted = count_condition(loop)
    statement = counted.body[0] if len(counted.body) == 1 else None
    if not isinstance(statement, Statement) or loop.exits:
        return None
    name = _summed(statement)
    if not name:
        return None
    if not statement.accesses or any(access.bytes > 1 for access in statement.accesses):
        return None
    limits = _limits(statement.values, len(statement.values) - 4)
    return None if limits is None else _narrowest(statement, name, *limits)


def compares_widely(found: NarrowSum) -> bool:
    """Whether a term compares what may be no byte: its operands are widened, block or not."""
    values = found.statement.values
    compared = [n for value in values if value.op == "compare" for n in value.args]
    limits = [_limits(values, number) for number in compared]
    return any(each is None or each[0] < -128 or each[1] > 255 for each in limits)


def _summed(statement: Statement) -> str:
    """The scalar of 4 or 8 bytes that the last value of straight code is added to, if one is."""
    count = len(statement.values)
    if count < 4:
        return ""
    carried, added, assigned = statement.values[-3:]
    if carried.op != "carried" or added.op != "add" or assigned.op != "assign":
        return ""
    wide = assigned.type in ("i32", "u32", "i64", "u64")
    sums = wide and sorted(added.args) == [count - 4, count - 3]
    return carried.name if sums and carried.name == assigned.name else ""


def _narrowest(statement: Statement, name: str, low: int, high: int) -> NarrowSum | None:
    for type_, most, least in _NARROW:
        if low < 0 <= least:
            continue
        terms = min(most // high if high > 0 else most, least // low if low < 0 else most)
        terms -= terms % LEAST_TERMS
        if terms:
            return NarrowSum(statement=statement, name=name, type=type_, terms=terms)
    return None


def _limits(values: tuple[Value, ...], number: int) -> tuple[int, int] | None:
    """The smallest and the largest number that a value may be; None where nothing bounds it."""
    value = values[number]
    if value.op == "load":
        return _BYTES.get(value.type)
    if value.op == "compare":
        return 0, 1
    literal = literal_number(value)
    if isinstance(literal, int):
        return literal, literal
    used = value.args[1:] if value.op == "select" else value.args
    parts = [_limits(values, argument) for argument in used]
    known = [part for part in parts if part is not None]
    return _of_operation(value.op, known) if len(known) == len(parts) else None


def _of_operation(operation: str, parts: list[tuple[int, int]]) -> tuple[int, int] | None:
    if not parts:
        return None
    lows, highs = [low for low, _ in parts], [high for _, high in parts]
    if operation in ("select", "min", "max"):
        return min(lows), max(highs)
    if operation == "neg":
        return -highs[0], -lows[0]
    if operation == "abs":
        return 0, max(-lows[0], highs[0])
    if operation == "add":
        return sum(lows), sum(highs)
    if operation == "sub":
        return lows[0] - highs[1], highs[0] - lows[1]
    return (lows[0], highs[0]) if operation == "convert" else None


@change
def sum_narrowly(function: Function, loop: str) -> ChangedFunction:
    """Blocks summed in a narrow type, whose sums are added to the whole one, and the rest."""
    site = site_of(function, loop)
    own = count_condition(site.loop)
    found = narrow_sum(own)
    if found is None:
        raise RefusalError(f"no sum of {loop} fits a narrower type")
    part = fresh(function, "part")
    parts = whole_blocks(own, found.terms, fresh(function, f"{own.index}_block"))
    *terms, carried, added, assigned = found.statement.values
    assert added.op == "add"
    assert assigned.op == "assign"
    narrow = (
        *terms,
        CarriedRead(type="i32", name=part),
        replace(added, type="i32"),
        Assignment(type=found.type, args=assigned.args, name=part),
    )
    cleared = (whole_number("i32", 0), Assignment(type=found.type, args=(0,), name=part))
    whole = (
        carried,
        ScalarRead(type=found.type, name=part),
        replace(added, args=(0, 1)),
        replace(assigned, args=(2,)),
    )
    body = (
        _statement(found, cleared),
        replace(parts.within, body=(replace(found.statement, values=narrow),)),
        _statement(found, whole),
    )
    new = replace_nodes(function, site.path, replace(parts.blocks, body=body), parts.rest)
    return done(new, "sum_narrowly", loop)


def _statement(found: NarrowSum, values: tuple[Value, ...]) -> Statement:
    return Statement(values=values, accesses=(), origin=found.statement.origin)

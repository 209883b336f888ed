"""Searches: loops that data end early, and what they compare before they do."""

from typing import Final

from msgspec.structs import replace

from rooflint.ir import (
    Arithmetic,
    Assignment,
    Branch,
    CarriedRead,
    Exit,
    Function,
    Loop,
    Node,
    Statement,
    Value,
    whole_number,
)
from rooflint.records import NamedTuple
from rooflint.transform.nest.rewrite import fresh
from rooflint.transform.nest.tree import replace_nodes, site_of
from rooflint.transform.result import ChangedFunction, RefusalError, change, done
from rooflint.transform.strips import whole_blocks

EXITS: Final = (("condition",), ("break",), ("return",))
"""The ways out of a loop that one test of data decides on, beside its bound."""
TEST_STEPS: Final = frozenset(
    "load const scalar index convert compare and or xor add sub mul neg abs min max".split()
)
"""Operations of a test that has no effect and may be done too often."""


class SearchTest(NamedTuple):
    """The test that ends a search.

    ends  whether the search ends where the condition holds; else where it does not
    """

    condition: Statement
    ends: bool


def search_test(loop: Loop) -> SearchTest | None:
    """The test of a loop that does no more than to look at elements until one is found.

    Elements behind the one that is found may be read up to the loop's bound, so all of them are
    found without another element, and the bound is known before the loop.
    """
    counted = not loop.trip_count.unknowns() and not loop.extra_inductions
    if loop.exits not in EXITS or len(loop.body) != 1 or not counted:
        return None
    found = _test_of(loop.body[0])
    return found if found is not None and _only_tests(found.condition) else None


def _test_of(node: Node) -> SearchTest | None:
    if isinstance(node, Statement):
        return SearchTest(node, ends=False)
    leaves = isinstance(node, Branch) and not node.orelse and len(node.then) == 1
    if not leaves or not isinstance(node, Branch) or not isinstance(node.then[0], Exit):
        return None
    return SearchTest(node.condition, ends=True)


def _only_tests(condition: Statement) -> bool:
    operations = {value.op for value in condition.values}
    closed = not any(access.offset.unknowns() for access in condition.accesses)
    tests = condition.values[-1].op in ("compare", "and", "or")
    return tests and closed and operations <= TEST_STEPS and "load" in operations


@change
def search_in_blocks(function: Function, loop: str, size: int) -> ChangedFunction:
    """Blocks of ``size`` elements that are all tested, with one exit behind each of them.

    The search within the block that is left is not part of the result, which no code is made of.
    """
    site = site_of(function, loop)
    own = site.loop
    found = search_test(own)
    if found is None:
        raise RefusalError(f"{loop} does more than to search")
    name = fresh(function, "found")
    type_ = f"i{8 * element_bytes(found.condition)}"
    parts = whole_blocks(own, size, fresh(function, f"{own.index}_block"))
    start = Statement(
        values=(
            whole_number("i32", 0),
            Assignment(type=type_, args=(0,), name=name),
        ),
        accesses=(),
        origin=own.origin,
    )
    tests = replace(parts.within, body=(_collected(found.condition, name, type_),), exits=())
    new = replace_nodes(function, site.path, replace(parts.blocks, body=(start, tests), exits=()))
    return done(
        new,
        "search_in_blocks",
        loop,
        assumes=("all elements up to the bound may be read",),
        size=size,
    )


def element_bytes(condition: Statement) -> int:
    """Of the largest element that the test reads: the test's result need not be larger."""
    return max(access.bytes for access in condition.accesses)


def _collected(condition: Statement, name: str, type_: str) -> Statement:
    """The test, with a scalar that is no longer 0 where one of them has held."""
    last = len(condition.values) - 1
    computed = "i64" if type_ == "i64" else "i32"
    values: tuple[Value, ...] = (
        *condition.values,
        CarriedRead(type=computed, name=name),
        Arithmetic(op="or", type=computed, args=(last + 1, last)),
        Assignment(type=type_, args=(last + 2,), name=name),
    )
    return replace(condition, values=values)

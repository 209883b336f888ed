"""Loops over time steps, and iterations until a result is good enough, that nothing counts.

Such a loop does the work of a run again and again: loops lie in it or in functions that it calls.
The condition of one over steps orders floating values, a time and its end or an error and its
limit, or it holds an integer that is named for steps against their largest number.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from rooflint.ir.equations import BoundedLoop, BranchTest, Equations, Quantity, QuantityTerm, Term
from rooflint.records import NamedTuple
from rooflint.scenario.roles import SizeRole, role_of_name

_ORDERS = frozenset(("<", "<=", ">", ">="))


class _BodyPart(NamedTuple):
    """A call or a loop in the body of the loop at a position of its file; -1 for none."""

    loop: int
    callee: str


def loops_over_steps(files: Sequence[Equations]) -> list[frozenset[int]]:
    """Of each file, the positions of these loops."""
    if not any(map(_may_step, chain.from_iterable([file.loops for file in files]))):
        return [frozenset() for _ in files]
    with_loops = functions_with_loops(files)
    return [frozenset(_steps_of(file, with_loops)) for file in files]


def step_limits(file: Equations, loop: BoundedLoop) -> Iterator[Term]:
    """The terms of the file that a number of steps is held against."""
    for test in loop.tests:
        if test.relation in ("<", "<=") and _counts_steps(file.quantities, test.left):
            yield test.right
        elif test.relation in (">", ">=") and _counts_steps(file.quantities, test.right):
            yield test.left


def _may_step(loop: BoundedLoop) -> bool:
    return loop.floating or bool(loop.tests)


def _steps_of(file: Equations, with_loops: set[str]) -> Iterator[int]:
    working = working_loops(file, with_loops)
    for position, loop in enumerate(file.loops):
        if position in working and (loop.floating or _names_steps(file, loop)):
            yield position


def working_loops(file: Equations, with_loops: set[str]) -> set[int]:
    """Those with a loop inside, or with a call of one of the functions ``with_loops``."""
    return {each for each, callee in _parts(file) if not callee or callee in with_loops}


def _names_steps(file: Equations, loop: BoundedLoop) -> bool:
    tests = [test for test in loop.tests if test.relation in _ORDERS]
    return any(_counts_steps(file.quantities, each) for test in tests for each in _sides(test))


def _sides(test: BranchTest) -> tuple[Term, Term]:
    return test.left, test.right


def _counts_steps(quantities: Sequence[Quantity], term: Term) -> bool:
    if not isinstance(term, QuantityTerm):
        return False
    return role_of_name(quantities[term.position].name, "local") is SizeRole.TIME_STEPS


def _parts(file: Equations) -> Iterator[_BodyPart]:
    """Loops inside of loops, and calls in them by the keys of their results."""
    for loop in file.loops:
        if loop.parent >= 0:
            yield _BodyPart(loop.parent, "")
    for call in file.calls:
        if call.loop >= 0:
            yield _BodyPart(call.loop, file.quantities[call.callee].key)


def functions_with_loops(files: Iterable[Equations]) -> set[str]:
    """Keys of the results of functions that run a loop, be it in one that they call."""
    callers: dict[str, list[str]] = {}
    found: set[str] = set()
    for file in files:
        found.update(
            file.quantities[loop.function].key for loop in file.loops if loop.function >= 0
        )
        for call in file.calls:
            if call.caller >= 0:
                caller = file.quantities[call.caller].key
                callers.setdefault(file.quantities[call.callee].key, []).append(caller)
    waiting = list(found)
    while waiting:
        fresh = {each for each in callers.get(waiting.pop(), ()) if each not in found}
        found |= fresh
        waiting += fresh
    return found

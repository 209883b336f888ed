"""Paths that end a run by way of another file: they call functions that never return.

The front end finds such functions in one file; ``die`` in a second one that calls ``exit`` by way
of a third is found here.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import chain

from msgspec.structs import replace

from rooflint.ir.equations import BranchSite
from rooflint.library.calls import NEVER_RETURNING
from rooflint.program.linking import LinkedFile, ProgramEquations


def ended_branches(program: ProgramEquations) -> list[tuple[BranchSite, ...]]:
    """The branches of each file, with the paths marked that call what never returns."""
    never = _never_returning(program)
    return [_marked(file, never) if never else file.equations.branches for file in program.files]


def _never_returning(program: ProgramEquations) -> frozenset[int]:
    """Positions of the results of the program's own functions that never return.

    Each calls one of the library, or another one of them, whatever its arguments are.
    """
    own = frozenset(chain.from_iterable(map(_functions, program.files)))
    straight = own.difference(*map(_left_early, program.files))
    callers: defaultdict[int, set[int]] = defaultdict(set)
    for caller, callee in chain.from_iterable(map(_certain_calls, program.files)):
        if caller in straight:
            callers[callee].add(caller)
    names = program.quantities
    nearest = {each for each in callers.keys() - own if names[each].name in NEVER_RETURNING}
    found = set[int]()
    while nearest := {each for callee in nearest for each in callers[callee]} - found:
        found |= nearest
    return frozenset(found)


def _functions(file: LinkedFile) -> Iterator[int]:
    """The functions that a file defines, by their results."""
    return (file.positions[each.result] for each in file.equations.functions)


def _left_early(file: LinkedFile) -> Iterator[int]:
    """Functions that a branch returns from."""
    for branch in file.equations.branches:
        if branch.function >= 0 and "return" in (branch.then, branch.orelse):
            yield file.positions[branch.function]


def _certain_calls(file: LinkedFile) -> Iterator[tuple[int, int]]:
    """Results of callers and callees of the calls that no branch and no loop decides on."""
    for call in file.equations.calls:
        if call.arm < 0 and call.loop < 0 and call.caller >= 0:
            yield file.positions[call.caller], file.positions[call.callee]


def _marked(file: LinkedFile, never: Collection[int]) -> tuple[BranchSite, ...]:
    ends = frozenset(
        call.arm for call in file.equations.calls if file.positions[call.callee] in never
    )
    branches = enumerate(file.equations.branches)
    return tuple([_with_ends(each, 2 * n in ends, 2 * n + 1 in ends) for n, each in branches])


def _with_ends(branch: BranchSite, then: bool, orelse: bool) -> BranchSite:
    """The branch with those of its paths marked that end the run."""
    if then:
        branch = replace(branch, then="no-return")
    if orelse and branch.orelse is not None:
        branch = replace(branch, orelse="no-return")
    return branch

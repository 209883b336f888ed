"""How many arguments a run has: none, unless the program then says how it is called, and ends."""

from collections.abc import Iterator, Mapping
from typing import Final

from rooflint.facts.guards import relation_holds
from rooflint.ir.control_flow import PathPattern
from rooflint.ir.equations import BranchSite, BranchTest, DefinedFunction, IntegerTerm, QuantityTerm
from rooflint.program.linking import LinkedFile, ProgramEquations
from rooflint.records import NamedTuple

_ENDS: Final[frozenset[PathPattern]] = frozenset(("no-return", "return", "reports-error"))
_ALONE: Final = 1
"""``argc`` of a run without arguments."""


class _CountTest(NamedTuple):
    """The tests of ``argc`` in a branch of ``main``, all of which hold on its first path."""

    branch: BranchSite
    tests: tuple[tuple[BranchTest, int], ...]

    def ends(self, arguments: int) -> bool:
        """Whether a run with so many arguments ends here."""
        holds = all(relation_holds(test.relation, arguments, end) for test, end in self.tests)
        path = self.branch.then if holds else self.branch.orelse
        # of several conditions, others may fail
        certain = not holds or len(self.tests) == len(self.branch.tests)
        return certain and path in _ENDS


def argument_counts(program: ProgramEquations) -> Mapping[int, int]:
    """``argc`` of an ordinary run, by its position, for each ``main`` that has one.

    One that a comparison names, as in ``if (argc == 4)``, is likelier than others that are allowed.
    """
    return {
        file.positions[function.parameters[0]]: count
        for file in program.files
        for function in file.equations.functions
        if function.entry and function.parameters
        for count in [_ordinary(list(_tests(file, function)))]
        if count is not None
    }


def _tests(file: LinkedFile, function: DefinedFunction) -> Iterator[_CountTest]:
    count = QuantityTerm(function.parameters[0])
    for branch in file.equations.branches:
        if branch.function == function.result and branch.loop < 0:
            tests = tuple(
                [
                    (test, test.right.value)
                    for test in branch.tests
                    if test.left == count and isinstance(test.right, IntegerTerm)
                ]
            )
            if tests:
                yield _CountTest(branch, tests)


def _ordinary(branches: list[_CountTest]) -> int | None:
    allowed = [
        each for each in _tried(branches) if not any(branch.ends(each) for branch in branches)
    ]
    if _ALONE in allowed:
        return _ALONE
    named = _named(branches)
    return next((each for each in allowed if each in named), allowed[0] if allowed else None)


def _named(branches: list[_CountTest]) -> set[int]:
    """The numbers that a comparison asks for."""
    return {end for each in branches for test, end in each.tests if test.relation == "=="}


def _tried(branches: list[_CountTest]) -> list[int]:
    """The numbers that comparisons tell apart, from that of a run without arguments on."""
    ends = [end for each in branches for _, end in each.tests]
    near = {end + more for end in ends for more in (-1, 0, 1)}
    return [_ALONE, *sorted(each for each in near if each > _ALONE)]

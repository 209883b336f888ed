"""Roles of quantities: by what they do to loops and what they are set to, else by their names."""

from collections.abc import Mapping

from rooflint.ir.equations import Quantity
from rooflint.program.linking import ProgramEquations
from rooflint.program.relations.arguments import argument_counts
from rooflint.program.relations.shortening import shortening_sizes
from rooflint.program.terms import is_row_length
from rooflint.records import NamedTuple
from rooflint.scenario.roles import NamedKind, SizeRole, role_of_name


class MarkedSizes(NamedTuple):
    """Sizes that make loops shorter as they grow, and numbers of arguments of ordinary runs."""

    shortening: frozenset[int]
    arguments: Mapping[int, int]

    def role(self, program: ProgramEquations, place: int) -> SizeRole:
        """The role of a quantity of the program."""
        if place in self.shortening:
            return SizeRole.LOWER_BOUND
        if any(map(is_row_length, program.definitions[place])):
            return SizeRole.ROW
        quantity = program.quantities[place]
        if quantity.kind == "length":
            return SizeRole.CONTAINER
        return role_of_name(quantity.name, _named_kind(quantity))


def marked_sizes(program: ProgramEquations) -> MarkedSizes:
    """Those of a program."""
    return MarkedSizes(shortening=shortening_sizes(program), arguments=argument_counts(program))


def _named_kind(quantity: Quantity) -> NamedKind:
    if quantity.kind in ("parameter", "target", "written-target"):
        return "parameter"
    if quantity.kind in ("member", "element", "result"):
        return quantity.kind
    return "local" if quantity.scope else "global"

"""How many cores a kernel runs on, and who says so."""

from collections.abc import Sequence

from rooflint.errors import UsageError
from rooflint.facts import KernelFacts
from rooflint.ir import Region
from rooflint.machine import Machine
from rooflint.records import NamedTuple

SHARING = frozenset(("parallel", "for", "sections", "distribute", "taskloop", "loop"))
"""Directives whose body all threads work on; an ``omp for`` without its ``parallel`` in sight is
taken to be called from one."""
ALONE = frozenset(("single", "master", "masked", "critical", "ordered", "task", "section"))
"""Directives whose body one thread executes, whatever lies around it."""


class Cores(NamedTuple):
    """A number of active cores and its origin in words."""

    number: int
    origin: str


SERIAL = Cores(1, "serial code")
NO_OPENMP = Cores(1, "built without OpenMP, such as -fopenmp")
SOCKET = "one socket: inside an OpenMP parallel region"
CALLED = "one socket: called from an OpenMP parallel region"


def is_parallel(regions: Sequence[Region]) -> bool:
    """Whether code inside ``regions`` (outermost first) runs on all threads at once."""
    parallel = False
    for region in regions:
        words = set(region.kind.split())
        if words & SHARING:
            parallel = True
        elif words & ALONE:
            parallel = False
    return parallel


def default_cores(
    regions: Sequence[Region], machine: Machine, *, in_team: bool = False, openmp: bool = True
) -> Cores:
    """One core for serial code; inside an OpenMP parallel region one socket, or what it says.

    ``in_team``: the function is called from such a region, on whose threads its own code runs too;
    ``openmp``: the build obeys OpenMP's directives.
    """
    if in_team:
        return Cores(machine.cores_per_socket, CALLED)
    if not regions or not is_parallel(regions):
        return SERIAL
    if not openmp:
        return NO_OPENMP
    for region in reversed(regions):
        for clause in region.clauses:
            if clause.name == "num_threads" and clause.value.strip().isdecimal():
                threads = int(clause.value)
                if 1 <= threads <= machine.cores_total:
                    return Cores(threads, "num_threads clause")
    return Cores(machine.cores_per_socket, SOCKET)


def team_of_calls(facts: KernelFacts, machine: Machine, cores: Cores) -> KernelFacts:
    """A serial loop whose calls run their parallel regions on the cores of a team.

    A loop that itself runs on several ``cores`` has no more for the regions of what it calls.
    """
    calls = facts.kernel.priced
    if cores != SERIAL or not any(call.shared for call in calls):
        return facts
    priced = tuple([call.with_team(machine.cores_per_socket) for call in calls])
    return facts._replace(kernel=facts.kernel._replace(priced=priced))


def chosen_cores(
    machine: Machine, command_line: str | None, comment: int | None, configuration: str | None
) -> Cores | None:
    """The number somebody set, the first in this order; None when nobody did.

    Raises UsageError for a number the machine does not have, naming who set it.
    """
    comment_text = None if comment is None else str(comment)
    for text, origin in (
        (command_line, "command line"),
        (comment_text, "comment"),
        (configuration, "configuration"),
    ):
        if text is not None:
            try:
                return Cores(machine.resolve_cores(text), origin)
            except UsageError as error:
                if origin == "command line":
                    raise
                raise UsageError(f"{origin}: {str(error).removeprefix('--')}") from None
    return None

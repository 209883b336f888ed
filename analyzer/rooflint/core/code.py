"""Records of a core plan: one way to run a loop, with the cycles of each limit."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from rooflint.core.compiler import Compiler
from rooflint.core.issue.micro_ops import ADDRESS, TAKEN, MicroOp, port_work
from rooflint.core.issue.ports import level_load
from rooflint.ir import Reason
from rooflint.machine import Machine
from rooflint.records import NamedTuple

CoreBound: TypeAlias = Literal["loads", "latency", "calls", "issue", "branches", "ports"]
_LIMITS: Final[Mapping[CoreBound, str]] = {
    "loads": "load ports",
    "latency": "latency of the loop-carried path",
    "calls": "library calls",
    "issue": "issue width",
    "branches": "one taken branch per cycle",
}


class VectorPlan(NamedTuple):
    """``width`` iterations at once, ``unroll`` such bodies between two branches.

    reason    why the loop is not vectorised; None where it is
    checks    address ranges compared at run time before the vector code is entered
    library   the function that the compiler calls instead; the plan stands for its code
    """

    width: int
    unroll: int
    register_bytes: int | None
    reason: Reason | None = None
    checks: int = 0
    library: str | None = None


class Code(NamedTuple):
    """One way to run the loop; cycles are per iteration of the source's loop.

    overlapping_cy      the busiest ports, work of the non-overlapping classes left out
    non_overlapping_cy  the ports of the non-overlapping classes (loads), by themselves
    issue_cy            micro-operations over the issue width
    recurrence_cy       the longest loop-carried path
    call_cy             in library functions
    busiest             the ports that bound ``overlapping_cy``
    """

    vector: VectorPlan
    operations: tuple[MicroOp, ...]
    overlapping_cy: float
    non_overlapping_cy: float
    issue_cy: float
    recurrence_cy: float
    call_cy: float
    critical_path_cy: float
    busiest: frozenset[str]

    @property
    def ports(self) -> dict[str, float]:
        """How busy each port is, the load levelled as far as can be."""
        busy = level_load(port_work(self.operations))
        return {port: cycles / self.vector.width for port, cycles in busy.items()}

    @property
    def t_ol_cy(self) -> float:
        """Cycles that overlap with transfers: ports, issue and latency, whichever is most."""
        busy = max(self.overlapping_cy, self.issue_cy) + self.call_cy
        return max(busy, self.recurrence_cy)

    @property
    def t_core_cy(self) -> float:
        """Cycles with all data in the nearest level."""
        return max(self.t_ol_cy, self.non_overlapping_cy)

    @property
    def bound(self) -> CoreBound:
        """The limit with the most cycles."""
        if self.non_overlapping_cy >= self.t_ol_cy * (1 + 1e-9):
            return "loads"
        if self.recurrence_cy >= self.t_ol_cy * (1 - 1e-9) and self.recurrence_cy > 0:
            return "latency"
        if self.call_cy > max(self.overlapping_cy, self.issue_cy):
            return "calls"
        if self.issue_cy > self.overlapping_cy:
            return "issue"
        return "branches" if TAKEN in self.busiest else "ports"

    @property
    def limit(self) -> str:
        """The name of the limit with the most cycles."""
        if self.bound != "ports":
            return _LIMITS[self.bound]
        ports = sorted(port.removesuffix(ADDRESS) for port in self.busiest)
        units = "address port" if all(p.endswith(ADDRESS) for p in self.busiest) else "port"
        return f"{units}{'s' if len(ports) > 1 else ''} {', '.join(ports)}"


class CorePlan(NamedTuple):
    """``code`` is what runs; ``scalar`` the same loop without vectors (short trips, remainders)."""

    code: Code
    scalar: Code
    compiler: Compiler
    assumptions: tuple[str, ...]

    def code_for(self, trips: float) -> tuple[Code, tuple[str, ...]]:
        """The code for loops of ``trips`` iterations (0: unknown) and its assumptions."""
        if 0 < trips < self.code.vector.width:
            few = f"{trips:g} iterations are too few for the vector code"
            return self.scalar, (*self.assumptions, few)
        return self.code, self.assumptions


def clock_of(machine: Machine, code: Code | None) -> float:
    """The clock in GHz while the code runs."""
    if code is not None and code.vector.width > 1 and machine.simd_clock_ghz:
        return machine.simd_clock_ghz
    return machine.clock_ghz

"""The code of a kernel that the core runs, and its clock: shared by the models of the core."""

from rooflint.core.code import Code, CorePlan
from rooflint.machine import Machine


def code_for(plan: CorePlan, trips: float) -> tuple[Code, tuple[str, ...]]:
    """The code for loops of ``trips`` iterations (0: unknown) and its assumptions."""
    if 0 < trips < plan.code.vector.width:
        few = f"{trips:g} iterations are too few for the vector code"
        return plan.scalar, (*plan.assumptions, few)
    return plan.code, plan.assumptions


def clock_of(machine: Machine, code: Code | None) -> float:
    """The clock in GHz while the code runs."""
    if code is not None and code.vector.width > 1 and machine.simd_clock_ghz:
        return machine.simd_clock_ghz
    return machine.clock_ghz

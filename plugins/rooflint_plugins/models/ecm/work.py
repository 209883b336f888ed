"""Shared by all views of the model: the unit of work, the core plan, the contributions."""

from rooflint.core import LazyPlan
from rooflint.core.code import Code, CorePlan, clock_of
from rooflint.facts import KernelFacts, Stream
from rooflint.machine import Machine
from rooflint.plugin_api.hookspecs import Context
from rooflint.records import NamedTuple

from rooflint_plugins.models.ecm.composition import Contributions, number
from rooflint_plugins.models.ecm.transfers import Transfers, transfers


class WorkUnit(NamedTuple):
    """``iterations`` of the kernel's own loop are one line of work; ``of`` is whose line."""

    iterations: float
    of: str


class CoreWork(NamedTuple):
    """The core's part of one line of work, in cycles; ``source`` says by whose account."""

    t_ol_cy: float
    t_nol_cy: float
    code: Code
    plan: CorePlan
    assumptions: tuple[str, ...]
    source: str = "model"


def unit_of(facts: KernelFacts, line_bytes: int) -> WorkUnit:
    """As many iterations as fill a line of the first array stored, else of the first one loaded."""
    moving = [stream for stream in facts.streams if stream.pattern != "invariant"]
    for streams in ([s for s in moving if s.writes], moving):
        for stream in streams:
            step = _step_bytes(stream)
            if step:
                return WorkUnit(max(1.0, line_bytes / step), stream.array)
    return WorkUnit(line_bytes / 8, "")


def _step_bytes(stream: Stream) -> float | None:
    own = stream.strides[-1]
    if own is None:
        return stream.element_bytes
    step = own.value
    return abs(step) if step else None


def core_of(context: Context, unit: WorkUnit) -> CoreWork:
    """The core's cycles; loops shorter than a vector run the scalar code."""
    lazy = context.core or LazyPlan(context.function, context.facts, context.machine)
    plan = lazy.plan
    code, notes = plan.code_for(context.traffic.space.trips[-1])
    iterations = unit.iterations
    t_ol, t_nol = code.t_ol_cy * iterations, code.non_overlapping_cy * iterations
    external = context.core.external if context.core is not None else None
    by_plan = CoreWork(t_ol_cy=t_ol, t_nol_cy=t_nol, code=code, plan=plan, assumptions=notes)
    if external is None:
        return by_plan
    if external.reason is not None:
        missing = f"no cycles by {external.source}: {external.reason}"
        return by_plan._replace(assumptions=(*notes, missing))
    origin, modelled = external.origin, number(t_ol)
    note = f"T_OL by {origin}, where the model says {modelled}; T_nOL by the model"
    if external.t_nol_cy is not None:
        note = f"T_OL and T_nOL by {origin}; the model says {modelled} and {number(t_nol)}"
        t_nol = external.t_nol_cy * iterations
    return by_plan._replace(
        t_ol_cy=external.t_ol_cy * iterations,
        t_nol_cy=t_nol,
        assumptions=(*notes, note),
        source=external.source,
    )


def contributions(core: CoreWork | None, moved: Transfers, machine: Machine) -> Contributions:
    """Core and links together; a view without a core has zeros there."""
    overlap = machine.core.overlap if machine.core else None
    overlapping = frozenset([link for link in moved.cycles if overlap and overlap.overlaps(link)])
    t_ol, t_nol = (core.t_ol_cy, core.t_nol_cy) if core else (0.0, 0.0)
    return Contributions(
        t_ol_cy=t_ol,
        t_nol_cy=t_nol,
        links=moved.cycles,
        overlapping=overlapping,
        memory_cy=moved.memory_cy,
        walks_cy=moved.walks_cy,
    )


def links_of(context: Context, unit: WorkUnit, code: Code | None) -> Transfers:
    """Cycles on the links at the clock that the code runs with."""
    moved, machine = context.traffic, context.machine
    clock_ghz = clock_of(machine, code)
    found = transfers(moved.links[1:], moved.pattern, machine, unit.iterations, clock_ghz)
    if machine.tlb is None:
        return found
    walks = sum(moved.page_walks.values())
    return found._replace(walks_cy=walks * machine.tlb.walk_cy * unit.iterations)

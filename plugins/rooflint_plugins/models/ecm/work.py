"""Shared by all views of the model: unit of work, core plan, contributions, terms of a verdict."""

from collections.abc import Iterable, Iterator
from typing import Final

from rooflint.core import LazyPlan
from rooflint.core.code import Code, CorePlan, RowSpace, clock_of
from rooflint.core.issue.micro_ops import TAKEN, MicroOp
from rooflint.core.issue.operations import element_bytes
from rooflint.core.mispredictions import guess_words, misprediction_cy
from rooflint.facts import KernelFacts, Stream
from rooflint.machine import CoreOperation, Machine
from rooflint.plugin_api.hookspecs import Context
from rooflint.plugin_api.terms import (
    CoreUnit,
    Limiter,
    LimiterKind,
    TimeTerm,
    TimeTerms,
    link_resource,
)
from rooflint.records import NamedTuple

from rooflint_plugins.models.ecm.composition import Contributions, number
from rooflint_plugins.models.ecm.transfers import (
    Transfers,
    cycles_of_sets,
    scattered_cy,
    set_walks,
    transfers,
)

UNIT_OF_CLASS: Final = {
    "div": CoreUnit.DIVIDER, "sqrt": CoreUnit.DIVIDER, "rem": CoreUnit.DIVIDER,
    "load": CoreUnit.LOAD, "gather": CoreUnit.LOAD, "store": CoreUnit.STORE,
    "scatter": CoreUnit.STORE, "shuffle": CoreUnit.SHUFFLE,
    "add": CoreUnit.MULTIPLY_ADD, "mul": CoreUnit.MULTIPLY_ADD, "fma": CoreUnit.MULTIPLY_ADD,
    "max": CoreUnit.MULTIPLY_ADD, "compare": CoreUnit.MULTIPLY_ADD,
    "convert": CoreUnit.MULTIPLY_ADD, "round": CoreUnit.MULTIPLY_ADD,
    "select": CoreUnit.MULTIPLY_ADD, "logic": CoreUnit.MULTIPLY_ADD, "move": CoreUnit.MULTIPLY_ADD,
    "branch": CoreUnit.BRANCH, "shift": CoreUnit.INTEGER,
}  # fmt: skip
"""Classes of the machine file; those on integers belong to the integer units."""
STORE_ADDRESS: Final = "address.store"
WIDTHS: Final = (None, 16, 32, 64)
"""Bytes of registers; None: scalar."""


class WorkUnit(NamedTuple):
    """``iterations`` of the kernel's own loop are one line of work; ``of`` is whose line."""

    iterations: float
    of: str


class CoreWork(NamedTuple):
    """The core's part of one line of work, in cycles; ``source`` says by whose account.

    ``wrong_cy``: of wrong guesses of branches on data, at most, per iteration; in no other figure.
    """

    t_ol_cy: float
    t_nol_cy: float
    code: Code
    plan: CorePlan
    assumptions: tuple[str, ...]
    source: str = "model"
    wrong_cy: float = 0.0


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
    plan, space = lazy.plan, context.traffic.space
    trips = space.trips[-1]
    rows = RowSpace(space, context.sizes.values, context.machine.line_bytes)
    chained, notes = lazy.code_for(rows)
    code = lazy.with_overlap(chained, rows)
    if code.t_ol_cy < chained.t_ol_cy:
        notes = (*notes, _overlap_text(chained, code, trips))
    iterations = unit.iterations
    t_ol, t_nol = code.t_ol_cy * iterations, code.non_overlapping_cy * iterations
    external = context.core.external if context.core is not None else None
    wrong = lazy.wrong_guesses(code)
    wrong_cy = wrong * (misprediction_cy(context.machine) or 0.0)
    by_plan = CoreWork(
        t_ol_cy=t_ol,
        t_nol_cy=t_nol,
        code=code,
        plan=plan,
        assumptions=(*notes, *guess_words(wrong, wrong_cy)),
        wrong_cy=wrong_cy,
    )
    if external is None:
        return by_plan
    if external.reason is not None:
        missing = f"no cycles by {external.source}: {external.reason}"
        return by_plan._replace(assumptions=(*by_plan.assumptions, missing))
    origin, modelled = external.origin, number(t_ol)
    note = f"T_OL by {origin}, where the model says {modelled}; T_nOL by the model"
    if external.t_nol_cy is not None:
        note = f"T_OL and T_nOL by {origin}; the model says {modelled} and {number(t_nol)}"
        t_nol = external.t_nol_cy * iterations
    return by_plan._replace(
        t_ol_cy=external.t_ol_cy * iterations,
        t_nol_cy=t_nol,
        assumptions=(*by_plan.assumptions, note),
        source=external.source,
    )


def _overlap_text(chained: Code, code: Code, trips: float) -> str:
    return (
        f"a chain of {number(chained.recurrence_cy)} cy/it begins anew every {trips:g} iterations, "
        f"executions overlap in the reorder buffer: {number(code.recurrence_cy)} cy/it remain"
    )


def contributions(core: CoreWork | None, moved: Transfers, machine: Machine) -> Contributions:
    """Core and links together; a view without a core has zeros there."""
    overlap = machine.core.overlap if machine.core else None
    overlapping = {link for link in moved.cycles if overlap and overlap.overlaps(link)}
    if moved.memory_cy is None:
        # the rate of one core includes the nearer links, so their time is not added to it
        overlapping.add(machine.links[-1])
    t_ol, t_nol = (core.t_ol_cy, core.t_nol_cy) if core else (0.0, 0.0)
    return Contributions(
        t_ol_cy=t_ol,
        t_nol_cy=t_nol,
        links=moved.cycles,
        overlapping=frozenset(overlapping),
        memory_cy=moved.memory_cy,
        drawn_cy=moved.drawn_cy,
        walks_cy=moved.walks_cy,
    )


def links_of(context: Context, unit: WorkUnit, code: Code | None) -> Transfers:
    """Cycles on the links at the clock that the code runs with."""
    moved, machine = context.traffic, context.machine
    clock_ghz = clock_of(machine, code)
    one_core = context.rates.with_cores(1)
    found = transfers(moved.links[1:], moved.pattern, one_core, unit.iterations, clock_ghz)
    found = found._replace(cycles=_with_sets(found.cycles, context, unit))
    scattered, memory = scattered_cy(context, one_core, clock_ghz), moved.links[-1].link
    if scattered * unit.iterations > found.drawn_cy.get(memory, 0.0):
        drawn = {**found.drawn_cy, memory: scattered * unit.iterations}
        found = found._replace(drawn_cy=drawn, scattered=memory)
    if machine.tlb is None:
        return found
    walks = sum(moved.page_walks.values())
    return found._replace(walks_cy=walks * machine.tlb.walk_cy * unit.iterations)


def _with_sets(cycles: dict[str, float], context: Context, unit: WorkUnit) -> dict[str, float]:
    """The cycles of the links, with those of the sets of the nearest level that few lines meet."""
    machine, far = context.machine, context.traffic.links[1:]
    if machine.core is None or not machine.core.set_fill_cy or not far:
        return cycles
    walks = set_walks(context.facts.streams, machine, context.sizes.values)
    least = cycles_of_sets(walks, far[0], machine.line_bytes, machine.core) * unit.iterations
    return {link: max(own, least if link == far[0].link else 0.0) for link, own in cycles.items()}


def terms_of(
    core: CoreWork,
    moved: Transfers,
    parts: Contributions,
    unit: WorkUnit,
    context: Context,
    clock_ghz: float,
    saturated_cy: float,
) -> TimeTerms:
    """The terms whose estimate is T_ECM; floors are the sustained rates and the divider.

    ``saturated_cy``: of a line of work, what the memory of all active cores together takes at
    least; 0 where it does not saturate.
    """
    per_iteration = 1.0 / (unit.iterations * context.cores)
    most = _with_all_misses(context, unit, clock_ghz)
    data = [
        TimeTerm(link_resource(context.machine.links[0]), parts.t_nol_cy),
        TimeTerm(Limiter(LimiterKind.PAGE_WALKS), parts.walks_cy),
    ]
    for link, cycles in parts.links.items():
        data.append(
            TimeTerm(
                resource=link_resource(link),
                cycles=cycles,
                high=None if most is None else most.cycles.get(link),
                overlaps=link in parts.overlapping,
            )
        )
    floors = [
        TimeTerm(link_resource(link), cycles, None if most is None else most.drawn_cy.get(link))
        for link, cycles in moved.drawn_cy.items()
    ]
    of_core = [each for each in _core_terms(core) if each.cycles > 0 or each.high]
    memory = link_resource(context.machine.links[-1])
    return TimeTerms(
        clock_ghz=clock_ghz,
        terms=(*_scaled(of_core, 1 / context.cores), *_scaled(data, per_iteration)),
        floors=(
            *_scaled(floors, per_iteration),
            *_scaled([TimeTerm(memory, saturated_cy)], 1 / unit.iterations),
            *_scaled(_divider_floor(core.code, context), 1 / context.cores),
        ),
    )


def _scaled(terms: Iterable[TimeTerm], factor: float) -> Iterator[TimeTerm]:
    """The terms that take any time, times ``factor``."""
    for term in terms:
        if term.cycles > 0 or term.high:
            high = None if term.high is None else term.high * factor
            yield term._replace(cycles=term.cycles * factor, high=high)


def _core_terms(core: CoreWork) -> Iterator[TimeTerm]:
    """The parts of T_OL per iteration; cycles by another tool are one part."""
    code = core.code
    if core.source != "model":
        yield TimeTerm(Limiter(LimiterKind.PORT, unit=CoreUnit.OTHER), core.t_ol_cy)
        return
    yield TimeTerm(Limiter(LimiterKind.CHAIN), code.recurrence_cy)
    if TAKEN in code.busiest:
        # the front end finds one new place a cycle: no unit that computes
        yield TimeTerm(Limiter(LimiterKind.ISSUE), code.overlapping_cy + code.ends_cy)
    else:
        unit = _busiest_unit(code)
        yield TimeTerm(Limiter(LimiterKind.PORT, unit=unit), code.overlapping_cy + code.ends_cy)
    yield TimeTerm(Limiter(LimiterKind.ISSUE), code.issue_cy + code.ends_cy)
    yield TimeTerm(Limiter(LimiterKind.CALL), code.call_cy)
    yield TimeTerm(Limiter(LimiterKind.MISPREDICTIONS), 0.0, core.wrong_cy)


def _busiest_unit(code: Code) -> CoreUnit:
    """The unit that does most of the work on the ports that limit."""
    work: dict[CoreUnit, float] = {}
    for op in code.operations:
        cycles = sum([use.cy for use in op.uses if code.busiest.issuperset(use.ports)])
        if cycles:
            unit = _unit_of(op)
            work[unit] = work.get(unit, 0.0) + op.times * cycles
    return max(work, key=lambda unit: work[unit], default=CoreUnit.OTHER)


def _unit_of(op: MicroOp) -> CoreUnit:
    if op.role == "address":
        return CoreUnit.STORE if op.kind == STORE_ADDRESS else CoreUnit.LOAD
    name, _, kind = op.kind.partition(".")
    unit = UNIT_OF_CLASS.get(name, CoreUnit.OTHER)
    return CoreUnit.INTEGER if unit is CoreUnit.MULTIPLY_ADD and kind[:1] in "iu" else unit


def _with_all_misses(context: Context, unit: WorkUnit, clock_ghz: float) -> Transfers | None:
    """The links where each access to an unknown address takes a line; None without any."""
    traffic = context.traffic
    if not any(moved.bounds for moved in traffic.links):
        return None
    links = [
        moved
        if moved.bounds is None
        else moved._replace(load_bytes=moved.load_bytes + moved.bounds[1] - moved.total_bytes)
        for moved in traffic.links[1:]
    ]
    one_core = context.rates.with_cores(1)
    return transfers(links, traffic.pattern, one_core, unit.iterations, clock_ghz)


def _divider_floor(code: Code, context: Context) -> Iterator[TimeTerm]:
    """The divisions and roots of the code, in the registers in which they take the least time."""
    cycles = 0.0
    for op in code.operations:
        if _unit_of(op) is CoreUnit.DIVIDER and op.role == "arithmetic":
            name, _, kind = op.kind.partition(".")
            elements = op.times * _lanes(code, element_bytes(kind))
            cycles += elements * _least_cy(name, kind, context) / code.vector.width
    yield TimeTerm(Limiter(LimiterKind.PORT, unit=CoreUnit.DIVIDER), cycles)


def _least_cy(name: str, kind: str, context: Context) -> float:
    """Cycles of one element of an operation in the registers that suit it best."""
    core, simd = context.machine.core, context.machine.simd
    assert core is not None
    size, costs = element_bytes(kind), []
    for width in WIDTHS if simd is not None else (None,):
        fits = width is None or (simd is not None and width <= simd.register_bytes)
        operation = core.operation(name, kind, width) if fits else None
        if operation is not None:
            costs.append(_held_cy(operation) * (size / width if width else 1.0))
    return min(costs, default=0.0)


def _held_cy(operation: CoreOperation) -> float:
    """Cycles for which an instruction keeps the busiest of its units, all alike sharing them."""
    return max([use.cy / len(use.ports) for use in operation.uses if use.ports], default=0.0)


def _lanes(code: Code, element: int) -> float:
    """Elements of one instruction of the code."""
    vector = code.vector
    if vector.width == 1 or not vector.register_bytes:
        return 1.0
    return min(vector.width, max(1, vector.register_bytes // element))

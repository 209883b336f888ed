"""ECM: cycles a core needs for one cache line of work, and how many cores saturate the memory.

    {T_OL || T_nOL | L1-L2 | L2-L3 | L3-MEM}        cycles per line (cy/CL)
    T_ECM = max(T_OL, T_nOL + L1-L2 + ... )         up to the level that holds the data
            and no faster than one core draws the bytes of a link
    n_S   = ceil(T_ECM / L3-MEM)                    cores that saturate a memory domain

T_OL are the core's cycles that overlap with transfers (arithmetic, stores, issue, latency), T_nOL
those that do not (loads, on Intel). On machines whose hierarchy overlaps, the largest contribution
counts instead of the sum. One line of work is as many iterations as fill a line of the array that
is stored. ecm-data shows the transfers alone, ecm-cpu the core alone, roofline-core the Roofline
model under the roof that the loop's own instructions allow.

J. Treibig, G. Hager: Introducing a performance model for bandwidth-limited loop kernels, PPAM 2009;
H. Stengel, J. Treibig, G. Hager, G. Wellein, ICS 2015.
"""

from collections.abc import Sequence
from typing import Final

from rooflint.core.code import clock_of
from rooflint.facts import Kernel
from rooflint.plugin_api.drawing import PlotData, TimePlot, TimeShare
from rooflint.plugin_api.hookspecs import Context, Needs
from rooflint.plugin_api.prediction import DataField, Json, NotApplicable, Prediction
from rooflint.plugin_api.terms import TimeTerms
from rooflint.records import NamedTuple

from rooflint_plugins.models.ecm.composition import (
    WALKS,
    Contributions,
    largest,
    number,
    predictions,
)
from rooflint_plugins.models.ecm.scaling import saturation, saturation_by_utilisation, time_cy
from rooflint_plugins.models.ecm.transfers import (
    OneCore,
    Transfers,
    drawn_bytes,
    drawn_cy,
    drawn_words,
)
from rooflint_plugins.models.ecm.work import (
    CoreWork,
    WorkUnit,
    contributions,
    core_of,
    links_of,
    terms_of,
    unit_of,
)

UNIT = "cy/CL"
PERFECT = "prefetching hides all latency; the lines of a level are found there"


class EcmAnswer(NamedTuple):
    """Everything of one prediction; ``core`` is None in the view of traffic alone.

    total_cy   one core, data where the sizes put it;  cores_cy  the same with all active cores,
               None where the machine does not say what they draw from memory together
    """

    unit: WorkUnit
    core: CoreWork | None
    moved: Transfers
    parts: Contributions
    levels: dict[str, float]
    total_cy: float
    cores_cy: float | None
    n_s: int | None
    n_s_utilisation: int | None
    clock_ghz: float
    one: OneCore


FIELDS: Final = (
    DataField("unit", "unit of work of the cycles"),
    DataField("iterations_per_line", "iterations that make one line of work"),
    DataField("T_OL", "core time that overlaps with transfers", "cy/CL"),
    DataField("T_nOL", "core time that does not overlap with transfers", "cy/CL"),
    DataField("links", "transfer time of each link", "cy/CL"),
    DataField("sustained", "time of each link at the rate one core sustains", "cy/CL"),
    DataField("T_ECM", "time with the data in each level", "cy/CL"),
    DataField("shorthand", "the contributions in the notation of the papers"),
    DataField("n_S", "cores that saturate the memory of their domain"),
    DataField("core_source", "who computed the core time: the model or an external tool"),
)


class Ecm:
    """Cycles per cache line of work, from the core's part and the transfers."""

    name = "ecm"
    title = "ECM"
    fields = FIELDS
    needs = Needs(machine=("core.operations",))

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """{T_OL || T_nOL | links}, T_ECM by level, n_S and the time of all active cores."""
        unit = unit_of(context.facts, context.machine.line_bytes)
        core = core_of(context, unit)
        moved = links_of(context, unit, core.code)
        if moved.missing:
            return NotApplicable(missing_rate(context, moved))
        answer = answer_of(context, unit, core, moved)
        if answer.cores_cy is None:
            return NotApplicable(unknown_limit(context))
        headline, cycles = f"{number(answer.cores_cy)} {UNIT}", answer.cores_cy / unit.iterations
        terms = _terms(answer, answer.cores_cy, core, context)
        if context.brief:
            found = Prediction(model=self.name, bottleneck="", sentence="", headline=headline)
            return found._replace(cycles_per_iteration=cycles, terms=terms)
        by_cores = _by_cores(answer, context)
        return Prediction(
            model=self.name,
            bottleneck=_bottleneck(answer, context),
            sentence=_sentence(answer, answer.cores_cy, context),
            headline=headline,
            cycles_per_iteration=cycles,
            assumptions=_assumptions(answer, context),
            data={**_traffic_data(answer), **_core_data(core), **_whole_data(answer, by_cores)},
            plot=PlotData(times=_times(answer, by_cores)),
            terms=terms,
        )


class EcmData:
    """The transfers alone: what moves between the levels, the core's work left out."""

    name = "ecm-data"
    title = "ECM data"
    fields: tuple[DataField, ...] = ()
    needs = Needs()

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """Cycles on every link but that to the registers."""
        if len(context.traffic.links) < 2:
            return NotApplicable("the machine has one level only")
        unit = unit_of(context.facts, context.machine.line_bytes)
        moved = links_of(context, unit, None)
        if moved.missing:
            return NotApplicable(missing_rate(context, moved))
        if not any(moved.cycles.values()):
            return NotApplicable(f"nothing leaves {context.machine.levels[0]}")
        answer = answer_of(context, unit, None, moved)
        if answer.cores_cy is None:
            return NotApplicable(unknown_limit(context))
        links = " | ".join([number(cycles) for cycles in moved.cycles.values()])
        walks = f" and page walks {number(moved.walks_cy)}" if moved.walks_cy else ""
        return Prediction(
            model=self.name,
            bottleneck=_bottleneck(answer, context),
            sentence=f"transfers of a line of {unit.of} take {{{links}}} {UNIT} on"
            f" {', '.join(moved.cycles)}{walks}: {number(answer.total_cy)} {UNIT} without the core",
            headline=f"{number(answer.cores_cy)} {UNIT}",
            cycles_per_iteration=answer.cores_cy / unit.iterations,
            assumptions=_assumptions(answer, context),
            data=_traffic_data(answer),
        )


class EcmCpu:
    """The core alone: all data in the nearest level."""

    name = "ecm-cpu"
    title = "ECM core"
    fields: tuple[DataField, ...] = ()
    needs = Needs(machine=("core.operations",))

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """T_OL and T_nOL, and which of ports, issue and latency decides."""
        unit = unit_of(context.facts, context.machine.line_bytes)
        core = core_of(context, unit)
        total = max(core.t_ol_cy, core.t_nol_cy)
        if total <= 0:
            return NotApplicable("nothing is left to execute once invariant values are known")
        time = f"{number(total)} {UNIT}"
        where = f"in {context.machine.levels[0]}: {time} by the {core.code.limit}"
        return Prediction(
            model=self.name,
            bottleneck="core",
            sentence=f"{where}; {vector_text(core)}",
            headline=time,
            cycles_per_iteration=total / unit.iterations / context.cores,
            assumptions=core.assumptions,
            data={"unit": UNIT, "iterations_per_line": unit.iterations, **_core_data(core)},
        )


def answer_of(
    context: Context, unit: WorkUnit, core: CoreWork | None, moved: Transfers
) -> EcmAnswer:
    """The contributions composed, and scaled to the active cores."""
    machine = context.machine
    parts = contributions(core, moved, machine)
    nearest = machine.levels[0]
    levels = predictions(parts, nearest)
    total = max(levels.values())
    domain = machine.domain_cores("MEM")
    clock_ghz = clock_of(machine, core.code if core else None)
    traffic = context.traffic
    one = OneCore(
        total_cy=total,
        memory_cy=parts.memory_cy,
        scale=unit.iterations * clock_ghz,
        drawn=drawn_bytes(traffic.links[1:], traffic.pattern, machine),
    )
    return EcmAnswer(
        unit=unit,
        core=core,
        moved=moved,
        parts=parts,
        levels=levels,
        total_cy=total,
        cores_cy=_cores_cy(one, context, context.cores),
        n_s=saturation(total, parts.memory_cy),
        n_s_utilisation=saturation_by_utilisation(total, parts.memory_cy, domain),
        clock_ghz=clock_ghz,
        one=one,
    )


def _terms(answer: EcmAnswer, cores_cy: float, core: CoreWork, context: Context) -> TimeTerms:
    scales = cores_cy <= answer.total_cy / context.cores * (1 + 1e-9)
    own = answer.moved, answer.parts, answer.unit
    terms = terms_of(core, *own, context, answer.clock_ghz, 0.0 if scales else cores_cy)
    return terms._replace(saturation_cores=answer.n_s)


def _cores_cy(one: OneCore, context: Context, cores: int) -> float | None:
    """Cycles of ``cores`` together; None where their common rate from memory is unknown."""
    if cores == 1:
        return one.total_cy
    machine = context.machine
    cycles = drawn_cy(one.drawn, context.rates.with_cores(cores), one.scale)
    if one.memory_cy is None and machine.links[-1] not in cycles:
        return None
    domain, slowest = machine.domain_cores("MEM"), max(cycles.values(), default=0.0)
    return time_cy(one.total_cy, one.memory_cy or 0.0, cores, domain, slowest)


def unknown_limit(context: Context) -> str:
    """Why there is no prediction for several cores."""
    return (
        f"machine {context.machine.name} gives no memory rate of several cores"
        " (memory.bandwidth): the saturation limit is unknown"
    )


def missing_rate(context: Context, moved: Transfers) -> str:
    """Why there is no prediction."""
    key = "memory.bandwidth" if moved.missing.endswith("MEM") else "caches.cy_per_line_up"
    return f"machine {context.machine.name} gives no rate of {moved.missing} ({key})"


def vector_text(core: CoreWork) -> str:
    """``4 iterations a vector`` or why there is no vector."""
    vector = core.code.vector
    if vector.library:
        return f"a call of {vector.library}"
    if vector.width > 1:
        unrolled = f", {vector.unroll} vectors per pass" if vector.unroll > 1 else ""
        return f"{vector.width} iterations per vector{unrolled}"
    return f"not vectorised: {vector.reason}" if vector.reason else "scalar code"


def saturation_text(n_s: int, domain_cores: int) -> str:
    """How many cores of a NUMA domain saturate its memory: no more than it has."""
    if n_s > domain_cores:
        cores = f"{domain_cores} core{'s' * (domain_cores != 1)}"
        return f"memory does not saturate on {cores}"
    return f"memory saturates at {n_s} cores" if n_s > 1 else "one core saturates memory"


def _saturated(answer: EcmAnswer, context: Context) -> bool:
    machine = context.machine
    return answer.n_s is not None and min(context.cores, machine.domain_cores("MEM")) >= answer.n_s


def _bottleneck(answer: EcmAnswer, context: Context) -> str:
    if _saturated(answer, context):
        return list(answer.moved.cycles)[-1]
    return largest(answer.parts, answer.total_cy, context.machine.levels[0])


def _sentence(answer: EcmAnswer, cores_cy: float, context: Context) -> str:
    core = answer.core
    assert core is not None
    bottleneck = _bottleneck(answer, context)
    rate = answer.clock_ghz * answer.unit.iterations / cores_cy if cores_cy else 0.0
    text = f"{answer.parts.shorthand} {UNIT}: {number(answer.total_cy)} on one core"
    if bottleneck == "core":
        text += f", limited by the {core.code.limit}"
    else:
        text += f", most of it on {bottleneck}" if context.cores == 1 else ""
    if context.cores > 1:
        full = f", {bottleneck} saturated" if _saturated(answer, context) else ""
        text += f", {number(cores_cy)} on {context.cores} together{full}"
    text += f"; {number(rate * 1000)} million iterations/s"
    if answer.n_s is not None:
        text += f"; {saturation_text(answer.n_s, context.machine.domain_cores('MEM'))}"
    elif answer.moved.memory_cy is None:
        text += "; n_S unknown"
    return f"{text}; {vector_text(core)}"


def _assumptions(answer: EcmAnswer, context: Context) -> tuple[str, ...]:
    found = [PERFECT, *context.traffic.assumptions]
    bandwidth = answer.moved.bandwidth
    if bandwidth is not None:
        found.append(
            f"memory of a NUMA domain delivers {number(bandwidth.gb_s)} GB/s ({bandwidth.how})"
        )
    elif answer.moved.memory_cy is None:
        found.append(f"n_S unknown: {context.machine.name} gives no memory rate of several cores")
    rates = context.rates.with_cores(1).of(context.traffic)
    found += drawn_words(answer.moved, _bottleneck(answer, context), answer.total_cy, rates)
    if answer.core is not None:
        found += answer.core.assumptions
    return tuple(found)


def _traffic_data(answer: EcmAnswer) -> dict[str, Json]:
    links: dict[str, Json] = dict(answer.moved.cycles)
    bandwidth = answer.moved.bandwidth
    return {
        "unit": UNIT,
        "iterations_per_line": answer.unit.iterations,
        "links": links,
        "sustained": dict(answer.parts.drawn_cy),
        "page_walks": answer.moved.walks_cy,
        "bandwidth_gb_s": None if bandwidth is None else bandwidth.gb_s,
        "clock_ghz": answer.clock_ghz,
    }


def _core_data(core: CoreWork) -> dict[str, Json]:
    code = core.code
    return {
        "T_OL": core.t_ol_cy,
        "T_nOL": core.t_nol_cy,
        "core_source": core.source,
        "core": {
            "T_OL_model_per_iteration": code.t_ol_cy,
            "T_nOL_model_per_iteration": code.non_overlapping_cy,
            "limit": code.limit,
            "compiler": str(core.plan.compiler),
            "vector_width": code.vector.width,
            "unroll": code.vector.unroll,
            "not_vectorised": str(code.vector.reason) if code.vector.reason else None,
            "issue_cy_per_iteration": code.issue_cy,
            "recurrence_cy_per_iteration": code.recurrence_cy,
            "misprediction_cy_per_iteration": core.wrong_cy,
            "critical_path_cy": code.critical_path_cy,
            "port_cy_per_iteration": {**code.ports},
        },
    }


def _whole_data(answer: EcmAnswer, by_cores: Sequence[float | None]) -> dict[str, Json]:
    levels: dict[str, Json] = dict(answer.levels)
    scaling: list[Json] = [*by_cores]
    return {
        "T_ECM": levels,
        "shorthand": answer.parts.shorthand,
        "n_S": answer.n_s,
        "n_S_utilisation": answer.n_s_utilisation,
        "cy_per_line_by_cores": scaling,
    }


def _by_cores(answer: EcmAnswer, context: Context) -> list[float | None]:
    every = range(1, context.machine.cores_total + 1)
    return [_cores_cy(answer.one, context, cores) for cores in every]


def _times(answer: EcmAnswer, by_cores: Sequence[float | None]) -> TimePlot:
    """The contributions to one iteration; what takes no time is there too."""
    parts, unit = answer.parts, answer.unit.iterations
    shares = [
        TimeShare("T_OL", parts.t_ol_cy / unit, overlaps=True),
        TimeShare("T_nOL", parts.t_nol_cy / unit),
    ]
    if parts.walks_cy:
        shares.append(TimeShare(WALKS, parts.walks_cy / unit))
    for link, cycles in parts.links.items():
        shares.append(TimeShare(link, cycles / unit, overlaps=link in parts.overlapping))
    per_iteration = [cycles and cycles / unit for cycles in by_cores]
    return TimePlot(
        cycles=answer.total_cy / unit,
        shares=tuple(shares),
        iterations_per_line=unit,
        by_cores=tuple(per_iteration) if answer.total_cy else (),
        saturation_cores=answer.n_s,
    )

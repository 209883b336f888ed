"""The figures that users see first, against each other and against the machine.

``figure_laws.py POLYBENCH``: every kernel of PolyBench/C 4.2.1 on four machines; a line for each
law that is broken, exit code 1. ``tests/models/test_figure_laws.py`` holds the same laws over
kernels of its own.

    roofs      no line of a plot, and no figure of the roofline, lies above the machine's own
    points     no kernel lies above the roof of its link, or above the peak of its type
    bounds     ceilings promise no more than the roofline, nor does ECM over the links beyond the
               nearest level
    hint       the editor's hint says the number of the report
    compare    a tree compared with itself takes 1.00 times as long, in the report's own seconds
"""

import argparse
import math
import os
import sys
from collections.abc import Iterable, Iterator, Sequence

from rooflint.compare.comparison import Side, compare, sizes_by_function
from rooflint.machine import (
    PATTERNS,
    LineTransfers,
    Machine,
    Pattern,
    builtin_dir,
    find_machine,
)
from rooflint.memory import LinkTraffic, Rates
from rooflint.memory.rates import COUNTED_AS, stream_of
from rooflint.pipeline import Options, Source, analyse
from rooflint.pipeline.ranking import iterations_of
from rooflint.plot.from_report import AXES, Axis, kernels_of, placed_drawing
from rooflint.plot.overview import overview_scenes
from rooflint.plot.scene import ScenePoint, SceneRoof
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import KernelReport, MachineResult, Report
from rooflint.plugin_api.verdict import Verdict
from rooflint.registry import Registry, load_registry, with_requested
from rooflint.verdict.by_loop import VerdictsByLoop, by_loop
from rooflint.verdict.choose import all_hints
from rooflint.verdict.sentences import chosen_hint
from rooflint.verdict.steps import with_verdicts
from rooflint.verdict.words import LONGEST_HINT

MACHINES = ("skylake-sp-6148", "zen3-7763", "a64fx-fx700", "haswell-ep-e5-2695v3")
MODELS = ("roofline", "ecm", "ceilings")
ROUNDING = 1e-6
"""Relative; figures of reports are not rounded, but some are products of factors."""


def above(value: float | None, limit: float | None) -> bool:
    """Whether a figure lies above its limit by more than rounding."""
    if value is None:
        return False
    return limit is None or value > limit * (1 + ROUNDING)


def analysed(
    paths: Sequence[str], registry: Registry, machines: Sequence[str], options: Options
) -> Report:
    """The report of all models on all machines."""
    options = options._replace(machines=tuple(machines), models=MODELS)
    return with_verdicts(analyse([Source(path) for path in paths], options, registry))


def violations(report: Report, machines: Sequence[Machine]) -> Iterator[str]:
    """What breaks a law, a line each."""
    by_name = {machine.name: machine for machine in machines}
    verdicts = by_loop(report.verdicts)
    for _, function, kernel in kernels_of(report):
        for result in kernel.results:
            where = f"{kernel.id} on {result.machine}, {result.cores} cores"
            for broken in (
                *roofline_laws(kernel, result, by_name[result.machine]),
                *bound_laws(result, by_name[result.machine]),
                *plot_laws(kernel, result, by_name[result.machine], verdicts),
            ):
                yield f"{where}: {broken} ({function.name})"
    yield from hint_laws(report)
    yield from machine_laws(report, by_name)
    yield from overview_laws(report, by_name)
    for place, machine in enumerate(report.machines):
        yield from compare_laws(report, place, by_name[machine.name].clock_ghz)


def highest(machine: Machine, link: str, cores: int) -> float | None:
    """The highest rate of a link that the machine has for any access pattern."""
    rates = [machine.bandwidth_gb_s(link, pattern, cores) for pattern in PATTERNS]
    return max([rate.gb_s for rate in rates if rate is not None], default=None)


def peak_of(machine: Machine, element_type: str, cores: int, metric: str) -> float | None:
    """The machine's own peak."""
    counted = COUNTED_AS.get(element_type, element_type)
    peak = machine.peak_gops(counted, cores, metric)
    return None if peak is None else peak.value_g_per_s


def figure(prediction: Prediction, key: str) -> float | None:
    """A number of a prediction's data."""
    value = prediction.data.get(key)
    return float(value) if isinstance(value, int | float) else None


def prediction_of(result: MachineResult, model: str) -> Prediction | None:
    """The prediction of a model."""
    return next((each for each in result.predictions if each.model == model), None)


def roofline_laws(kernel: KernelReport, result: MachineResult, machine: Machine) -> Iterator[str]:
    """Attainable is the least of the peak and of bandwidth times intensity; both the machine's."""
    said = prediction_of(result, "roofline")
    if said is None or result.pattern is None:
        return
    metric = str(said.data["metric"])
    peak = figure(said, "peak_g_per_s")
    if peak is not None and peak != peak_of(machine, kernel.work.type, result.cores, metric):
        yield f"peak {peak} is not the machine's"
    limits = [math.inf if peak is None else peak]
    rates = Rates(machine, result.cores).of_links(result.traffic, result.pattern)
    levels = said.data["levels"]
    assert isinstance(levels, list)
    for level in levels:
        assert isinstance(level, dict)
        own = rates.get(str(level["link"]))
        if own is None or level["bandwidth_gb_s"] != own.gb_s:
            yield f"{level['link']} at {level['bandwidth_gb_s']} GB/s is not the machine's rate"
        elif metric != "byte":
            limits.append(own.gb_s * float(str(level["intensity_per_byte"])))
    attained = figure(said, "attainable_g_per_s") or 0.0
    if metric != "byte" and not math.isclose(attained, min(limits), rel_tol=ROUNDING):
        yield f"attainable {attained} is not the least of {limits}"


def bound_laws(result: MachineResult, machine: Machine) -> Iterator[str]:
    """The ceilings and the ECM model stay under the roofline."""
    roofline = prediction_of(result, "roofline")
    ceilings = prediction_of(result, "ceilings")
    if roofline is not None and ceilings is not None:
        base, roof = figure(ceilings, "base_g_per_s"), figure(roofline, "attainable_g_per_s")
        if above(base, roof):
            yield f"ceilings attain {base}, the roofline {roof}"
    ecm = prediction_of(result, "ecm")
    if ecm is not None and ecm.cycles_per_iteration is not None and result.pattern is not None:
        clock_ghz = figure(ecm, "clock_ghz") or machine.clock_ghz
        least = least_cycles(result, machine, clock_ghz)
        if above(least, ecm.cycles_per_iteration):
            yield f"ecm takes {ecm.cycles_per_iteration} cy, the roofline's links at least {least}"


def least_cycles(result: MachineResult, machine: Machine, clock_ghz: float) -> float:
    """The Roofline model's bound by the links beyond the nearest level, at the same cores.

    The link to registers is left out: it carries what the source requests, of which compilers keep
    a part in registers from one iteration to the next.
    """
    assert result.pattern is not None
    rates = Rates(machine, result.cores).of_links(result.traffic, result.pattern)
    times = [
        moved.total_bytes / rates[moved.link].gb_s
        for moved in result.traffic[1:]
        if moved.link in rates
    ]
    return max(times, default=0.0) * clock_ghz


def plot_laws(
    kernel: KernelReport, result: MachineResult, machine: Machine, verdicts: VerdictsByLoop
) -> Iterator[str]:
    """The kernel's own picture, at the time of its verdict."""
    now = verdicts[kernel.id, result.machine].time.now_cy
    for axis in AXES:
        drawn = placed_drawing(kernel, result, verdicts, axis)
        if drawn is not None:
            types = {kernel.work.type}
            yield from roof_laws(drawn.roof, machine, drawn.cores, drawn.work, types)
            yield from point_laws(drawn.point, drawn.roof, axis)
            if now and drawn.work == "flop" and kernel.work.flops:
                cycles = kernel.work.flops * machine.clock_ghz / drawn.point.g_per_s
                if not math.isclose(cycles, now, rel_tol=ROUNDING):
                    yield f"drawn at {cycles} cy, {axis}, of a verdict of {now} cy"


def roof_laws(
    roof: SceneRoof, machine: Machine, cores: int, metric: str, types: Iterable[str]
) -> Iterator[str]:
    """No line above the machine's own for so many cores."""
    peaks = [peak_of(machine, each, cores, metric) for each in types]
    best = max([peak for peak in peaks if peak is not None], default=None)
    for rate in (roof.peak_g_per_s, *[peak.g_per_s for peak in roof.peaks]):
        if above(rate, best):
            yield f"a peak of {rate} is drawn, the machine has {best}"
    lines = [(roof.link, roof.bandwidth_gb_s), *[(each.link, each.gb_s) for each in roof.levels]]
    for link, drawn in lines:
        if drawn is not None and above(drawn, highest(machine, link, cores) if link else None):
            yield f"{drawn} GB/s is drawn for {link}"


def point_laws(point: ScenePoint, roof: SceneRoof, axis: Axis) -> Iterator[str]:
    """No kernel above the roof of the link that its intensity is over."""
    links = {roof.link: roof.bandwidth_gb_s, **{each.link: each.gb_s for each in roof.levels}}
    rate = links.get(point.link)
    limits = [roof.peak_g_per_s, None if rate is None else rate * point.intensity_per_byte]
    for limit in limits:
        if limit is not None and above(point.g_per_s, limit):
            yield f"drawn at {point.g_per_s}, {axis}, above {limit}"
    for step in point.steps:
        if roof.peak_g_per_s is not None and above(step.g_per_s, roof.peak_g_per_s):
            yield f"the step {step.name} leads to {step.g_per_s}, above the peak"


def hint_laws(report: Report) -> Iterator[str]:
    """No hint is longer than a line has room for, and no limit is passed."""
    by_place: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in report.verdicts:
        by_place.setdefault((verdict.place.path, verdict.machine), []).append(verdict)
        if verdict.floor is not None and above(verdict.floor.cycles, verdict.time.now_cy):
            yield f"{verdict.id}: {verdict.time.now_cy} cy, below the floor {verdict.floor.cycles}"
    for verdicts in by_place.values():
        for chosen in all_hints(verdicts):
            text = chosen_hint(chosen)
            if len(text) > LONGEST_HINT:
                yield f"{chosen.verdicts[0].id}: the hint {text} is too long"


def stream_rates(report: Report, machine: Machine) -> dict[tuple[int, str, Pattern], float]:
    """What the machine gives for the results of a report, by cores, link and measured stream.

    Of a link that is known by its cycles per line, the mix of lines that is moved fastest.
    """
    found: dict[tuple[int, str, Pattern], float] = {}
    for _, _, kernel in kernels_of(report):
        for result in kernel.results:
            if result.machine != machine.name or result.pattern is None:
                continue
            for moved in result.traffic:
                stream = stream_of(moved, result.pattern)
                rate = machine.bandwidth_gb_s(
                    moved.link, stream, result.cores, lines_of(moved, machine)
                )
                if rate is not None:
                    key = (result.cores, moved.link, stream)
                    found[key] = max(rate.gb_s, found.get(key, 0.0))
    return found


def lines_of(moved: LinkTraffic, machine: Machine) -> LineTransfers | None:
    """The lines that cross a link; None where they do not decide its rate."""
    down = moved.evict_bytes / machine.line_bytes
    up = moved.total_bytes / machine.line_bytes - down
    decide = machine.cache(moved.link.rpartition("-")[2]) is not None and moved.total_bytes > 0
    return LineTransfers(up, down) if decide else None


def machine_laws(report: Report, machines: dict[str, Machine]) -> Iterator[str]:
    """The report's roofs are those of the machine's description."""
    for listed in report.machines:
        machine = machines[listed.name]
        own = stream_rates(report, machine)
        for roof in listed.bandwidths:
            rate = own.pop((roof.cores, roof.link, roof.pattern), 0.0)
            if not math.isclose(rate, roof.gb_s, rel_tol=ROUNDING):
                yield f"{listed.name}: {roof} is not the machine's"
        for cores, link, pattern in own:
            yield f"{listed.name}: no roof of {link} for {pattern}, {cores} cores"
        for peak in listed.peaks:
            if peak.g_per_s != peak_of(machine, peak.type, peak.cores, peak.metric):
                yield f"{listed.name}: {peak} is not the machine's"


def overview_laws(report: Report, machines: dict[str, Machine]) -> Iterator[str]:
    """The picture of all kernels."""
    types = {kernel.work.type for _, _, kernel in kernels_of(report)}
    for axis in AXES:
        for scene in overview_scenes(report, axis):
            for roof in scene.roofs:
                name, _, cores = roof.name.rpartition(", ")
                number = int(cores.partition(" ")[0])
                broken = roof_laws(roof, machines[name], number, scene.work, types)
                yield from [f"overview, {roof.name}: {each}" for each in broken]
            for point in scene.points:
                broken = point_laws(point, scene.roofs[point.roof], axis)
                yield from [f"overview, {point.name}: {each}" for each in broken]


def compare_laws(report: Report, place: int, clock_ghz: float) -> Iterator[str]:
    """Compared with itself, a tree changes nothing, and takes the time that the verdicts say."""
    verdicts = by_loop(report.verdicts)
    side = Side(report, place, str, verdicts)
    comparison = compare(side, side, sizes_by_function(side)[0])
    seconds: dict[str, list[float]] = {}
    for file, function, kernel in kernels_of(report):
        result = kernel.results[place]
        now = verdicts[kernel.id, result.machine].time.now_cy
        if now is not None:
            time = now * iterations_of(result) / (clock_ghz * 1e9)
            seconds.setdefault(f"{file.path}:{function.name}:{function.line}", []).append(time)
    for change in comparison.changes:
        where = f"{change.path}:{change.function}:{change.line}"
        if change.ratio != 1.0:
            yield f"{where}: compared with itself {change.ratio}"
        own = sum(seconds.get(where, []))
        if change.after_s is not None and not math.isclose(change.after_s, own, rel_tol=ROUNDING):
            yield f"{where}: compare says {change.after_s} s, the report {own} s"
    if comparison.added or comparison.removed:
        yield f"compared with itself: {comparison.added} added, {comparison.removed} removed"


def main() -> int:
    """The laws over PolyBench; 1 where one is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="PolyBench/C 4.2.1")
    folder = parser.parse_args().folder
    paths = sorted(
        os.path.join(where, name)
        for where, _, names in os.walk(folder)
        for name in names
        if name == f"{os.path.basename(where)}.c"
    )
    registry = with_requested(load_registry(), MODELS)
    machines = [find_machine(name, (builtin_dir(),)) for name in MACHINES]
    broken: list[str] = []
    kernels = 0
    for dataset in ("LARGE_DATASET", "MINI_DATASET"):
        flags = (f"-I{folder}/utilities", f"-D{dataset}", "-DPOLYBENCH_USE_C99_PROTO")
        for cores in (None, "socket"):
            options = Options(flags=flags, cores=cores, isolated=True)
            report = analysed(paths, registry, MACHINES, options)
            kernels += sum(1 for _ in kernels_of(report))
            broken += [f"{dataset}, {cores}: {each}" for each in violations(report, machines)]
    print("\n".join(broken))
    print(f"{kernels} kernels on {len(MACHINES)} machines, {len(broken)} laws broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

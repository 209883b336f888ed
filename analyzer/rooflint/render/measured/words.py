"""Words and figures of a measurement, the same for text and page."""

from collections.abc import Iterator, Mapping
from typing import Final

from rooflint.measure.confrontation.comparison import ModelComparison, Obstacle
from rooflint.measure.confrontation.suspects import Suspect, SuspectTerm
from rooflint.measure.program import IndexFill
from rooflint.measure.protocol import Doubt, Figure, MeasureVerdict
from rooflint.measure.refusals import refusal_text
from rooflint.measure.results import (
    BuildFacts,
    CoreScaling,
    ModelScaling,
    PointMeasurement,
    RunConditions,
)
from rooflint.render import phrases
from rooflint.render.layout import plural

VERDICTS: Final = {
    MeasureVerdict.STABLE: "stable",
    MeasureVerdict.DISTURBED: "disturbed",
    MeasureVerdict.NOT_THE_LOOP: "not the loop",
    MeasureVerdict.REFUSED: "refused",
}
DOUBTS: Final = {
    Doubt.PROCESSES_DIFFER: "the two lowest processes differ",
    Doubt.INTERRUPTED: "other jobs interrupted most batches",
    Doubt.EXECUTION_UNITS_SHARED: "another thread shared the core's execution units",
    Doubt.MEMORY_SHARED: "other jobs used the memory",
    Doubt.TOO_SHORT: "a call returns at once, so the loop did not run",
    Doubt.TOUCHED_LITTLE: "a call touches less than half of the expected bytes",
    Doubt.TOUCHED_MUCH: "a call touches more than twice the expected bytes",
    Doubt.FEWER_ITERATIONS: "a call is too short for the iterations that the sizes give",
    Doubt.STUB_IN_LOOP: "the loop calls a function of another file, which a stub replaces",
    Doubt.MARKS_NOT_REACHED: "the nest did not run",
    Doubt.MAPPED_LATE: "pages became memory while batches ran",
    Doubt.START_OF_CALL: "iterations take less than half of a call: larger sizes tell more",
    Doubt.UNEVEN_SIZES: "calls at sizes in a row do not grow evenly",
    Doubt.UNSURE_SLOPE: "the processes differ too much for the slope between sizes",
    Doubt.FEW_PROCESSES: "the budget ended before three processes; --budget gives more time",
}
SUSPECTS: Final = {
    SuspectTerm.CORE: "the core (the same gap with data in L1)",
    SuspectTerm.LINK: "the link",
    SuspectTerm.LAYER_CONDITION: "the layer condition (only sizes near its limit are off)",
    SuspectTerm.CONFLICTS: "conflict misses (only powers of two are off)",
    SuspectTerm.MEASUREMENT: "the measurement (a reference ran below its figure)",
    SuspectTerm.UNDECIDED: "undecided: measure with --sizes L1 as well",
}
OBSTACLES: Final = {
    Obstacle.PARTLY_PREDICTED: "does not cover every loop: not comparable",
    Obstacle.CODE_NOT_COUNTED: "leaves code of a loop out, such as a call: not comparable",
    Obstacle.NOT_MEASURED: "",
    Obstacle.BRANCHES_LEFT_OUT: "prices branches that the data do not take: not comparable",
}
INDICES: Final[Mapping[IndexFill, str]] = {
    "near": "integers in arrays are near the numbers of their elements",
    "random": "integers in arrays are random",
    "identity": "integers in arrays are the numbers of their elements",
}


def cycles(value: float | None) -> str:
    """Three significant digits; unknown is a dash."""
    if value is None:
        return "–"
    return f"{value:.3g}" if value < 999.5 else f"{value:.0f}"


def data_size(amount: float) -> str:
    """``126 KB``, in powers of 1000 as the product writes bytes."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if amount >= factor:
            return f"{amount / factor:.3g} {unit}"
    return f"{amount:.0f} B"


def head_text(point: PointMeasurement, build: BuildFacts) -> str:
    """Sizes, data, compiler and state of a point."""
    parts = [f"{sizes_text(point.sizes)} {data_text(point)}".strip(), compiler_text(build)]
    return comma_list(*parts, plural(point.cores, "core"), point.state)


def sizes_text(sizes: Mapping[str, int]) -> str:
    """``m=200 n=100``."""
    return " ".join([f"{name}={value}" for name, value in sizes.items()])


def compiler_text(build: BuildFacts) -> str:
    """The compiler and its flags."""
    return " ".join([build.compiler, *build.flags])


def comma_list(*parts: str) -> str:
    """The parts that are not empty, with commas."""
    return ", ".join(filter(None, parts))


def data_text(point: PointMeasurement) -> str:
    """How much data, and where: ``(126 KB, L2)``."""
    if not point.level:
        return f"(for {point.target})" if point.target else ""
    limit = ", as much as memory and time allow" if point.limited else ""
    return f"({data_size(point.touched_bytes)}, {point.level}{limit})"


def verdict_text(point: PointMeasurement) -> str:
    """The verdict with its reasons."""
    if point.refusal is not None:
        return f"refused: {refusal_text(point.refusal)}"
    found = point.figure
    if found is None:
        return "refused: no batch was timed; --budget gives more time"
    if found.verdict is not MeasureVerdict.STABLE:
        return figure_text(found) + range_text(point, found)
    if point.spread is not None:
        return f"stable, slope of {len(found.processes)} processes within {point.spread:.1%}"
    return figure_text(found)


def figure_text(found: Figure) -> str:
    """The verdict on a figure with its reasons."""
    if found.verdict is MeasureVerdict.STABLE:
        lowest = f"two lowest of {len(found.processes)} processes within {found.spread:.1%}"
        return f"stable, {lowest}"
    reasons = "; ".join([DOUBTS[doubt] for doubt in found.doubts])
    return f"{VERDICTS[found.verdict]}: {reasons}"


def range_text(point: PointMeasurement, found: Figure) -> str:
    """The range of a disturbed figure, which is an upper bound."""
    if found.verdict is not MeasureVerdict.DISTURBED or not point.cy_per_iteration:
        return ""
    scale = point.cy_per_iteration / found.cycles.p10
    low, high = min(found.processes) * scale, max(found.processes) * scale
    if cycles(low) == cycles(high):
        return "; an upper bound"
    return f"; processes from {cycles(low)} to {cycles(high)}, an upper bound"


def measured_text(point: PointMeasurement) -> str:
    """The figure with its unit; per call where iterations are unknown."""
    if point.cy_per_iteration is not None:
        return f"{cycles(point.cy_per_iteration)} cy/it"
    if point.figure is not None:
        return f"{cycles(point.figure.cycles.p10)} cy/call"
    return "–"


def ratio_text(row: ModelComparison) -> str:
    """Predicted over measured: ``0.55 x``."""
    return "" if row.ratio is None else f"{row.ratio:.2f} x"


def model_text(row: ModelComparison, point: PointMeasurement) -> str:
    """Why a prediction does not compare, or which term is suspected."""
    if row.obstacle is Obstacle.PRICES_FARTHER:
        place = "memory" if row.prices == "MEM" else row.prices
        return f"prices {place}, the data are in {point.level}: not comparable"
    if row.obstacle is Obstacle.GUESSED_TRIPS:
        return f"data decide how often a loop runs ({', '.join(row.guessed)}): not comparable"
    if row.obstacle is not None:
        return OBSTACLES[row.obstacle]
    return "" if row.suspect is None else f"suspect: {suspect_text(row.suspect)}"


def suspect_text(suspect: Suspect) -> str:
    """The term in words, with the link where one is meant."""
    if suspect.term is SuspectTerm.LINK:
        return f"the link {suspect.link} (bandwidth or overlap; the gap appears there)"
    return SUSPECTS[suspect.term]


def scaling_text(scaling: CoreScaling) -> str:
    """Performance of several cores over that of one, as the models say it."""
    return "; ".join(["of one core's performance", *map(_model_scaling, scaling.models)])


def _model_scaling(model: ModelScaling) -> str:
    speedup = "no prediction" if model.speedup is None else f"{model.speedup:.2f} x"
    if model.saturation_cores is None:
        return f"{model.model} {speedup}"
    return f"{model.model} {speedup}, memory saturates at n_S = {model.saturation_cores}"


def conditions_text(found: RunConditions, figure: Figure | None = None) -> str:
    """State of the computer meanwhile, and the clock whose cycles the figure has."""
    parts = [f"load {found.load:.1f}"]
    if found.clock_ghz is not None:
        parts.append(f"clock {found.clock_ghz:.2f} GHz")
    if figure is not None and figure.is_far:
        parts.append(f"cycles of {figure.clock_ghz:g} GHz, the machine's")
    if found.adds_per_cy is not None:
        parts.append(f"{found.adds_per_cy:.2f} additions a cycle")
    if found.stream_gb_s is not None:
        parts.append(f"memory {found.stream_gb_s:.1f} GB/s")
    parts.append(f"waited {found.waited_s * 1000:.0f} ms")
    if found.steal_s:
        parts.append(f"stolen {found.steal_s:.2f} s")
    return ", ".join(parts)


def notes(build: BuildFacts) -> Iterator[str]:
    """Sentences about the machine of the predictions, and about the program."""
    if not build.is_host:
        yield (
            f"predictions are for {build.machine}, which is not known to be this computer"
            f" ({build.cpu}); 'rooflint machine probe' describes it"
        )
    doubt = phrases.doubt_words(build.machine, build.doubtful)
    if doubt:
        yield doubt
    if build.stubs:
        yield f"replaced by stubs that return 0: {', '.join(build.stubs)}"
    if build.indices != "near":
        yield INDICES[build.indices]
    yield from build.notes

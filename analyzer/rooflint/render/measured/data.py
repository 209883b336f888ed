"""Measurements as JSON values: one object a point, as docs/measure.md describes them."""

from collections.abc import Mapping, Sequence
from typing import Final

import rooflint
from rooflint.escaping import json_text
from rooflint.measure.confrontation.comparison import ModelComparison
from rooflint.measure.counters.tools import CounterAbsence
from rooflint.measure.protocol import Figure
from rooflint.measure.refusals import MeasureRefusal, refusal_text
from rooflint.measure.results import (
    BuildFacts,
    CoreScaling,
    MeasurementReport,
    PointMeasurement,
    RunConditions,
)
from rooflint.plugin_api.prediction import Json
from rooflint.render.measured import words
from rooflint.render.measured.counted import counted_data, no_counts_text

SCHEMA_VERSION: Final = 1


def render_json(measurements: Sequence[MeasurementReport]) -> str:
    """The document; ends with a newline."""
    document: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "rooflint": rooflint.__version__,
        "results": [
            point_data(measurement, point)
            for measurement in measurements
            for point in measurement.points
        ],
    }
    return json_text(document) + "\n"


def point_data(measurement: MeasurementReport, point: PointMeasurement) -> dict[str, Json]:
    """One function or nest at one point."""
    forecast = point.forecast
    return {
        "schema_version": SCHEMA_VERSION,
        "id": measurement.id,
        "path": measurement.path,
        "line": measurement.line,
        "function": measurement.function,
        "mode": measurement.mode.value,
        "sizes": _numbers(point.sizes),
        "cores": point.cores,
        "state": point.state,
        "target": point.target or None,
        "limited": point.limited,
        "residency": point.level or None,
        "touched_bytes": point.touched_bytes,
        "expected_bytes": None if forecast is None else forecast.expected_bytes,
        "iterations": point.iterations,
        "verdict": point.verdict.value,
        "measured": None
        if point.figure is None
        else _measured(point, point.figure, measurement.build.no_counters),
        "refusal": refusal_data(point.refusal),
        "conditions": conditions_data(measurement.build, point.conditions),
        "machine": measurement.build.machine,
        "machine_is_host": measurement.build.is_host,
        "predictions": [_prediction(row) for row in point.models],
        "scaling": None if point.scaling is None else _scaling(point.scaling),
    }


def _scaling(scaling: CoreScaling) -> dict[str, Json]:
    models: list[Json] = [
        {
            "model": each.model,
            "speedup": each.speedup,
            "saturation_cores": each.saturation_cores,
        }
        for each in scaling.models
    ]
    return {"speedup": scaling.speedup, "models": models}


def _numbers(values: Mapping[str, int]) -> dict[str, Json]:
    return dict(values)


def _measured(point: PointMeasurement, found: Figure, absence: CounterAbsence) -> dict[str, Json]:
    """Quantiles are per iteration where those are known, else per call."""
    unit = found.cycles.p10
    scale = point.cy_per_iteration / unit if point.cy_per_iteration and unit else 1.0
    quantiles = found.cycles
    return {
        "cy_per_call": quantiles.p10,
        "cy_per_iteration": point.cy_per_iteration,
        "per_iteration": point.per_iteration if point.cy_per_iteration is not None else None,
        "ns_per_call": found.seconds * 1e9,
        "clock_ghz": found.clock_ghz,
        "p10": quantiles.p10 * scale,
        "min": quantiles.least * scale,
        "median": quantiles.median * scale,
        "p90": quantiles.p90 * scale,
        "batches": found.batches,
        "clean": found.clean,
        "spread": found.spread if point.spread is None else point.spread,
        "processes": [each * scale for each in found.processes],
        "verdict": found.verdict.value,
        "reasons": [words.DOUBTS[doubt] for doubt in found.doubts],
        "counters": counted_data(point),
        "no_counters": no_counts_text(point, absence),
    }


def refusal_data(refusal: MeasureRefusal | None) -> Json:
    """Code and sentence; null where nothing was refused."""
    if refusal is None:
        return None
    return {"code": refusal.code.value, "reason": refusal_text(refusal)}


def conditions_data(build: BuildFacts, found: RunConditions | None) -> dict[str, Json]:
    """Computer, build and disturbances."""
    data: dict[str, Json] = {
        "cpu": build.cpu,
        "compiler": build.compiler,
        "flags": list(build.flags),
        "stubs": list(build.stubs),
        "values": "default",
        "indices": build.indices,
        "notes": list(build.notes),
        "doubtful": list(build.doubtful),
    }
    if found is None:
        return data
    data |= {
        "load": found.load,
        "steal_s": found.steal_s,
        "waited_s": found.waited_s,
        "switches": found.switches,
        "sandbox": _sandbox(found),
        "sentinels": {
            "clock_ghz": found.clock_ghz,
            "adds_per_cy": found.adds_per_cy,
            "stream_gb_s": found.stream_gb_s,
        },
    }
    return data


def _sandbox(found: RunConditions) -> list[Json]:
    record = found.sandbox
    if record is None:
        return []
    means = {"seccomp": record.seccomp, "network": record.network}
    return [name for name, is_there in means.items() if is_there]


def _prediction(row: ModelComparison) -> dict[str, Json]:
    suspect: Json = None
    if row.suspect is not None:
        suspect = {
            "term": row.suspect.term.value,
            "link": row.suspect.link or None,
            "why": words.suspect_text(row.suspect),
        }
    return {
        "model": row.model,
        "cycles_per_iteration": row.cycles,
        "ratio": row.ratio,
        "bottleneck": row.bottleneck,
        "comparable": row.obstacle is None,
        "obstacle": None if row.obstacle is None else row.obstacle.value,
        "suspect": suspect,
    }

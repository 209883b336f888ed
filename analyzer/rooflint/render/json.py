"""``--format json``: the contract for editors and scripts; its schema lies beside this file.

Numbers are finite or null. The same report gives the same bytes: keys keep the order of the
contract, and maps that have no order of their own are sorted.
"""

import math
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final

from rooflint.escaping import json_text
from rooflint.ir import Diagnostic, Reason, Refusal, Span
from rooflint.ir.reasons import heading
from rooflint.plugin_api import report
from rooflint.plugin_api.advice import (
    Advice,
    Edit,
    Fix,
    Gain,
    MachineGain,
    Numbers,
    RelatedPlace,
    Silence,
)
from rooflint.plugin_api.prediction import DataField, Json, LimitShare, Prediction
from rooflint.plugin_api.program_report import BreakPoint
from rooflint.render.verdicts import JsonObject, advised_to_json, time_summary, verdict_to_json
from rooflint.verdict.totals import budget_used

SCHEMA_VERSION = 1

Object = dict[str, Json]

KEYS: Final[Mapping[type, tuple[str, ...]]] = {
    report.ModelText: ("name", "title", "fields"),
    DataField: ("name", "unit", "sentence", "schema"),
    report.MachineReport: ("name", "file", "note", "doubtful", "bandwidths", "peaks"),
    report.DoubtfulFigure: ("figure", "rounds", "spread", "clean"),
    report.BandwidthRoof: ("cores", "link", "pattern", "gb_s", "origin"),
    report.ComputeRoof: ("cores", "type", "metric", "g_per_s", "origin"),
    report.FileReport: tuple(
        "path status diagnostics refusals assumptions counts functions findings silent".split()
    ),
    Diagnostic: ("line", "column", "severity", "message"),
    Refusal: ("line", "column", "reason"),
    report.FunctionReport: tuple("name line column time assumptions totals nests measured".split()),
    report.MeasuredLoop: report.MeasuredLoop._fields,
    report.MeasuredPrediction: report.MeasuredPrediction._fields,
    report.Totals: ("machine", "cores", "flops", "traffic"),
    report.LineTotals: ("link", "load_lines", "write_allocate_lines", "evict_lines"),
    report.NestReport: ("line", "end_line", "kernels"),
    report.KernelReport: tuple(
        "id line column innermost weight loops work streams not_covered results".split()
    ),
    report.LoopHeader: ("index", "line", "trip_count", "step"),
    report.WorkReport: ("type", "flops", "operations", "loads", "stores"),
    report.StreamReport: ("array", "stride_bytes", "pattern"),
    report.CoverageGap: ("line", "reason"),
    report.MachineResult: tuple(
        "machine cores cores_origin pattern sizes trips entry assumptions vector traffic regimes"
        " layer_conditions blocking misses padding predictions stability sensitivity skipped"
        " limits advice doubtful".split()
    ),
    report.LoopWeight: ("executions", "iterations", "origin", "share", "share_origin", "of_entry"),
    report.FileCountsReport: report.FileCountsReport._fields,
    report.LoopCountsReport: report.LoopCountsReport._fields,
    report.CountGapReport: report.CountGapReport._fields,
    report.BranchCountsReport: report.BranchCountsReport._fields,
    LimitShare: LimitShare._fields,
    report.SizeDoubt: report.SizeDoubt._fields,
    report.SizeValue: ("value", "origin"),
    report.EntryReport: report.EntryReport._fields,
    report.EntryPrediction: report.EntryPrediction._fields,
    report.VectorReport: ("width", "reason"),
    report.LinkTraffic: tuple(
        "link load_bytes write_allocate_bytes evict_bytes bounds method interval".split()
    ),
    report.Regime: ("condition", "resides", "traffic", "now", "method"),
    report.CountedLink: ("link", "misses", "evicts"),
    report.Condition: ("layer", "level", "holds"),
    report.Block: ("loop", "iterations", "layer", "level", "share_left", "method"),
    report.MissKinds: ("level", "compulsory", "capacity", "conflict", "conflicts"),
    report.ArrayConflict: ("array", "others", "lines"),
    report.PaddingReport: ("array", "row_bytes", "more_bytes", "level", "misses"),
    Prediction: tuple(
        "model bottleneck sentence headline cycles_per_iteration lower_bound assumptions"
        " data".split()
    ),
    report.SkippedModel: ("model", "reason", "failed"),
    Advice: tuple(
        "code slug message severity span function loop fingerprint machine cores gain gain_high"
        " confidence doubts sensitivity numbers related assumptions fix chain machines"
        " verdict".split()
    ),
    BreakPoint: BreakPoint._fields,
    MachineGain: ("machine", "gain", "gain_high"),
    Numbers: Numbers._fields,
    RelatedPlace: ("span", "message"),
    Fix: ("safety", "title", "edits", "sketch"),
    Edit: Edit._fields,
    Silence: tuple("code slug span function loop evidence guard reason machine".split()),
}
"""The keys of each record, in the order of the contract; those of a span stand in their place."""


def render_json(run: report.Report) -> str:
    """The report as one JSON document with a newline at its end."""
    return json_text(report_to_json(run)) + "\n"


def report_to_json(run: report.Report) -> Object:
    """The report as JSON values."""
    refused = {heading(kind): count for kind, count in run.summary.refused.items()}
    return {
        "schema_version": SCHEMA_VERSION,
        "rooflint": run.version,
        "machines": _json(run.machines),
        "files": _json(run.files),
        "summary": {
            "loops": run.summary.loops,
            "analysed": run.summary.analysed,
            "refused": dict(sorted(refused.items())),
            "doubts": _json(run.doubts),
            **time_summary(run.verdicts),
        },
        "plugin_failures": list(run.plugin_failures),
        "models": _json(run.models),
        "scenario": {
            "name": run.scenario or None,
            "budget_used": budget_used(run),
            "values": _values(run),
        },
        "verdicts": list(map(verdict_to_json, run.verdicts)),
    }


def _values(run: report.Report) -> list[Object]:
    """The values of all names, each name of a scope once unless its nests differ."""
    values: dict[report.SizeRange, None] = {}
    for file in run.files:
        for function in file.functions:
            values.update(dict.fromkeys(each._replace(size="") for each in function.values))
    return [
        {
            "scope": each.scope,
            "name": each.name,
            "low": each.low,
            "typical": each.typical,
            "high": each.high,
            "origin": each.origin,
            "chain": list(map(str, each.chain)),
            **({"role": each.role, "programs": each.programs} if each.role else {}),
        }
        for each in values
    ]


def _json(value: Any) -> Any:  # noqa: ANN401  (anything that a report holds)
    kind = type(value)
    if kind in KEYS:
        return _object(value, COMPUTED[kind](value) if kind in COMPUTED else {})
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: _json(inner) for key, inner in value.items()}
    if kind is Reason:
        return str(value)
    return [_json(inner) for inner in value] if isinstance(value, list | tuple) else value


def _object(record: object, computed: dict[str, Any]) -> Object:
    values: Object = {}
    for key in KEYS[type(record)]:
        value = computed[key] if key in computed else getattr(record, key)
        if isinstance(value, Span):
            values |= value._asdict()
        else:
            values[key] = _json(value)
    return values


def _step(text: str) -> Json:
    """A number where it is one: most steps are, and a reader should not have to parse them."""
    try:
        return int(text)
    except ValueError:
        return text


def _result(result: report.MachineResult) -> dict[str, Any]:
    reuse = result.reuse
    limiter = result.limiter
    return {
        "stability": limiter and limiter.stability,
        "sensitivity": limiter.breaks if limiter is not None else [],
        "sizes": dict(sorted(result.sizes.items())),
        "regimes": reuse.regimes,
        "layer_conditions": reuse.conditions,
        "blocking": reuse.blocks,
        "misses": reuse.misses,
        "padding": reuse.padding,
    }


def _gain(gain: Gain | None) -> Object:
    return {"gain": gain and gain.low, "gain_high": gain and gain.high}


def _advised(advice: Advice) -> JsonObject | None:
    return None if advice.about is None else advised_to_json(advice, advice.about)


COMPUTED: Final[Mapping[type, Callable[[Any], dict[str, Any]]]] = {
    report.FunctionReport: lambda function: {"time": function.weight},
    report.LoopHeader: lambda loop: {"step": _step(loop.step)},
    report.WorkReport: lambda work: {"operations": dict(sorted(work.operations.items()))},
    report.StreamReport: lambda stream: {"stride_bytes": stream.stride and _step(stream.stride)},
    report.MachineResult: _result,
    report.MeasuredLoop: lambda measured: {"sizes": dict(sorted(measured.sizes.items()))},
    Advice: lambda advice: {**_gain(advice.gain), "verdict": _advised(advice)},
    MachineGain: lambda machine: _gain(machine.gain),
}
"""Values of keys that are no fields, or not as the record has them."""


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None

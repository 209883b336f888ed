"""``--format json``: the contract for editors and scripts; its schema lies beside this file.

Numbers are finite or null. The same report gives the same bytes: keys keep the order of the
contract, and maps that have no order of their own are sorted.
"""

import math
from collections.abc import Mapping

from rooflint.escaping import json_text
from rooflint.ir import Span
from rooflint.ir.reasons import heading
from rooflint.plugin_api.advice import Advice, Fix, Silence
from rooflint.plugin_api.prediction import Json, Prediction
from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    LinkTraffic,
    MachineReport,
    MachineResult,
    ModelText,
    NestReport,
    Report,
    ReuseReport,
    Totals,
)

SCHEMA_VERSION = 1

Object = dict[str, Json]


def render_json(report: Report) -> str:
    """The report as one JSON document with a newline at its end."""
    return json_text(report_to_json(report)) + "\n"


def report_to_json(report: Report) -> Object:
    """The report as JSON values."""
    return {
        "schema_version": SCHEMA_VERSION,
        "rooflint": report.version,
        "machines": [_machine(machine) for machine in report.machines],
        "files": [_file(file) for file in report.files],
        "summary": {
            "loops": report.summary.loops,
            "analysed": report.summary.analysed,
            "refused": dict(
                sorted((heading(kind), n) for kind, n in report.summary.refused.items())
            ),
        },
        "plugin_failures": list(report.plugin_failures),
        "models": [_model(model) for model in report.models],
    }


def _model(model: ModelText) -> Object:
    return {
        "name": model.name,
        "title": model.title,
        "fields": [
            {
                "name": field.name,
                "unit": field.unit,
                "sentence": field.sentence,
                "schema": _object(field.schema),
            }
            for field in model.fields
        ],
    }


def _machine(machine: MachineReport) -> Object:
    return {
        "name": machine.name,
        "file": machine.file,
        "note": machine.note,
        "bandwidths": [
            {
                "cores": roof.cores,
                "link": roof.link,
                "pattern": roof.pattern,
                "gb_s": _number(roof.gb_s),
                "origin": roof.origin,
            }
            for roof in machine.bandwidths
        ],
        "peaks": [
            {
                "cores": roof.cores,
                "type": roof.type,
                "metric": roof.metric,
                "g_per_s": _number(roof.g_per_s),
                "origin": roof.origin,
            }
            for roof in machine.peaks
        ],
    }


def _file(file: FileReport) -> Object:
    return {
        "path": file.path,
        "status": file.status,
        "diagnostics": [
            {"line": d.line, "column": d.column, "severity": d.severity, "message": d.message}
            for d in file.diagnostics
        ],
        "refusals": [
            {"line": r.line, "column": r.column, "reason": str(r.reason)} for r in file.refusals
        ],
        "assumptions": list(file.assumptions),
        "functions": [_function(function) for function in file.functions],
        "findings": [_advice(advice) for advice in file.findings],
        "silent": [_silence(silence) for silence in file.silent],
    }


def _function(function: FunctionReport) -> Object:
    return {
        "name": function.name,
        "line": function.line,
        "column": function.column,
        "assumptions": list(function.assumptions),
        "totals": [_totals(totals) for totals in function.totals],
        "nests": [_nest(nest) for nest in function.nests],
    }


def _totals(totals: Totals) -> Object:
    return {
        "machine": totals.machine,
        "cores": totals.cores,
        "flops": totals.flops,
        "traffic": [
            {
                "link": lines.link,
                "load_lines": lines.load_lines,
                "write_allocate_lines": lines.write_allocate_lines,
                "evict_lines": lines.evict_lines,
            }
            for lines in totals.traffic
        ],
    }


def _nest(nest: NestReport) -> Object:
    return {
        "line": nest.line,
        "end_line": nest.end_line,
        "kernels": [_kernel(kernel) for kernel in nest.kernels],
    }


def _kernel(kernel: KernelReport) -> Object:
    work = kernel.work
    return {
        "id": kernel.id,
        "line": kernel.line,
        "column": kernel.column,
        "innermost": kernel.innermost,
        "loops": [
            {
                "index": loop.index,
                "line": loop.line,
                "trip_count": loop.trip_count,
                "step": _step(loop.step),
            }
            for loop in kernel.loops
        ],
        "work": {
            "type": work.type,
            "flops": _number(work.flops),
            "operations": {name: _number(count) for name, count in sorted(work.operations.items())},
            "loads": _number(work.loads),
            "stores": _number(work.stores),
        },
        "streams": [
            {"array": s.array, "stride_bytes": s.stride and _step(s.stride), "pattern": s.pattern}
            for s in kernel.streams
        ],
        "not_covered": [{"line": n.line, "reason": str(n.reason)} for n in kernel.not_covered],
        "results": [_result(result) for result in kernel.results],
    }


def _step(text: str) -> Json:
    """A number where it is one: most steps are, and a reader should not have to parse them."""
    try:
        return int(text)
    except ValueError:
        return text


def _result(result: MachineResult) -> Object:
    return {
        "machine": result.machine,
        "cores": result.cores,
        "cores_origin": result.cores_origin,
        "pattern": result.pattern,
        "sizes": {
            name: {"value": size.value, "origin": size.origin}
            for name, size in sorted(result.sizes.items())
        },
        "trips": [_number(trip) for trip in result.trips],
        "assumptions": list(result.assumptions),
        "vector": result.vector and result.vector._asdict(),
        "traffic": [_traffic(traffic) for traffic in result.traffic],
        **_reuse(result.reuse),
        "predictions": [_prediction(prediction) for prediction in result.predictions],
        "skipped": [
            {"model": s.model, "reason": s.reason, "failed": s.failed} for s in result.skipped
        ],
        "advice": [_advice(advice) for advice in result.advice],
    }


def _reuse(reuse: ReuseReport) -> Object:
    return {
        "regimes": [
            {
                "condition": regime.condition,
                "resides": dict(regime.resides),
                "traffic": [link._asdict() for link in regime.traffic],
                "now": regime.now,
            }
            for regime in reuse.regimes
        ],
        "layer_conditions": [condition._asdict() for condition in reuse.conditions],
        "blocking": [block._asdict() for block in reuse.blocks],
        "misses": [
            {
                "level": kinds.level,
                "compulsory": _number(kinds.compulsory),
                "capacity": _number(kinds.capacity),
                "conflict": _number(kinds.conflict),
            }
            for kinds in reuse.misses
        ],
        "padding": reuse.padding and reuse.padding._asdict(),
    }


def _traffic(traffic: LinkTraffic) -> Object:
    bounds: Json = None
    if traffic.bounds is not None:
        bounds = [_number(bound) for bound in traffic.bounds]
    return {
        "link": traffic.link,
        "load_bytes": _number(traffic.load_bytes),
        "write_allocate_bytes": _number(traffic.write_allocate_bytes),
        "evict_bytes": _number(traffic.evict_bytes),
        "bounds": bounds,
    }


def _prediction(prediction: Prediction) -> Object:
    return {
        "model": prediction.model,
        "bottleneck": prediction.bottleneck,
        "sentence": prediction.sentence,
        "headline": prediction.headline,
        "cycles_per_iteration": _number(prediction.cycles_per_iteration),
        "assumptions": list(prediction.assumptions),
        "data": _object(prediction.data),
    }


def _advice(advice: Advice) -> Object:
    gain, numbers, fix = advice.gain, advice.numbers, advice.fix
    return {
        "code": advice.code,
        "slug": advice.slug,
        "message": advice.message,
        "severity": advice.severity,
        **_span(advice.span),
        "function": advice.function,
        "loop": advice.loop,
        "fingerprint": advice.fingerprint,
        "machine": advice.machine,
        "cores": advice.cores,
        "gain": gain and _number(gain.low),
        "gain_high": gain and _number(gain.high),
        "confidence": advice.confidence,
        "doubts": list(advice.doubts),
        "numbers": numbers and _object(numbers._asdict()),
        "related": [{**_span(each.span), "message": each.message} for each in advice.related],
        "assumptions": list(advice.assumptions),
        "fix": fix and _fix(fix),
        "chain": list(advice.chain),
        "machines": [
            {
                "machine": name,
                "gain": each and _number(each.low),
                "gain_high": each and _number(each.high),
            }
            for name, each in advice.machines
        ],
    }


def _silence(silence: Silence) -> Object:
    return {
        "code": silence.code,
        "slug": silence.slug,
        **_span(silence.span),
        "function": silence.function,
        "loop": silence.loop,
        "evidence": silence.evidence,
        "guard": silence.guard,
        "reason": silence.reason,
        "machine": silence.machine,
    }


def _fix(fix: Fix) -> Object:
    return {
        "safety": fix.safety,
        "title": fix.title,
        "edits": [dict(edit._asdict()) for edit in fix.edits],
        "sketch": fix.sketch,
    }


def _span(span: Span) -> Object:
    return dict(span._asdict())


def _object(data: Mapping[str, Json]) -> Object:
    return {key: _finite(value) for key, value in data.items()}


def _finite(value: Json) -> Json:
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return value


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None

"""An estimate as JSON values: the keys of the specification's report."""

from collections.abc import Mapping, Sequence

from rooflint.plugin_api.prediction import Json

from rooflint_plugins.models.hybrid.answers import ProcedureAnswer
from rooflint_plugins.models.hybrid.derive.choice import CLASSES, TriedClass, reasons
from rooflint_plugins.models.hybrid.derive.host_comparison import HostComparison
from rooflint_plugins.models.hybrid.derive.host_only import HostTime
from rooflint_plugins.models.hybrid.derive.offload import DeviceTime
from rooflint_plugins.models.hybrid.evaluate.assumptions import PRACTICE, assumptions_of, caveats
from rooflint_plugins.models.hybrid.evaluate.balance import Balance, WhatIf
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate, StageTime
from rooflint_plugins.models.hybrid.procedure.load import texts
from rooflint_plugins.models.hybrid.procedure.writer import procedure_yaml
from rooflint_plugins.models.hybrid.text.text_host import moved_bytes

GIGA = 1e9


def estimate_data(
    found: ProcedureEstimate, balanced: Balance, changes: tuple[WhatIf, ...]
) -> dict[str, Json]:
    """The estimate as ``rooflint estimate --format json`` prints it."""
    system = found.system
    params: dict[str, Json] = {name: found.symbols[name] for name in found.procedure.params}
    return {
        "procedure": found.procedure.name,
        "machine": system.name,
        "class": found.procedure.shape or None,
        "feasible": found.feasible,
        "params": params,
        "T_s": found.seconds,
        "ops": found.ops * found.repeat,
        "g_per_s": found.perf_op_s / GIGA,
        "limited_by": found.limited_by,
        "beta": found.beta,
        "balanced": balanced.balanced,
        "balance": balance_data(found, balanced),
        "upper_bounds": {name: value / GIGA for name, value in found.bounds_op_s.items()},
        "kernels": [
            {
                "name": rate.name,
                "ops": rate.ops,
                "g_per_s": rate.perf_op_s / GIGA,
                "origin": rate.source.origin,
                "how": rate.how,
            }
            for rate in found.kernels.values()
        ],
        "stages": [_stage(stage) for stage in found.stages],
        "fits": [
            {
                "why": fit.why,
                "bytes": fit.bytes,
                "le": fit.le,
                "ok": fit.ok,
                "over_bytes": fit.over_bytes,
            }
            for fit in found.fits
        ],
        "what_if": [
            {
                "parameter": c.parameter,
                "change": c.words,
                "g_per_s": c.perf_op_s / GIGA,
                "gain": c.gain,
            }
            for c in changes
        ],
        "refined": found.refined,
        "assumptions": list(assumptions_of(found)),
        "caveats": list(caveats(found)),
        "practice": PRACTICE,
        "provenance": provenance(found),
    }


def balance_data(found: ProcedureEstimate, balanced: Balance) -> dict[str, Json]:
    """Parameters that would balance: BW in GB/s, K, Perf as a factor on all kernels."""
    rate = balanced.bandwidth_b_s
    return {
        "stage": balanced.stage,
        "BW": None if rate is None else rate / GIGA,
        "K": balanced.coprocessors,
        "Perf": balanced.perf_factor,
        "BW_now": found.system.bandwidth_b_s / GIGA,
        "K_now": found.system.coprocessors,
    }


def provenance(found: ProcedureEstimate) -> dict[str, Json]:
    """Where each field of the procedure comes from: derived, sidecar or default."""
    return {text.path: text.origin for text in texts(found.procedure)}


def _stage(stage: StageTime) -> dict[str, Json]:
    channels: Mapping[str, Json] = {
        name: {"load_s": time.load_s, "store_s": time.store_s, "busy_s": time.busy_s}
        for name, time in stage.channels.items()
    }
    return {
        "name": stage.name,
        "iterations": stage.iterations,
        "T_C": stage.t_cp_s,
        "T_tr": stage.t_tr_s,
        "T_host": stage.t_host_s,
        "T_nov": stage.t_serial_s,
        "T_prologue": stage.prologue_s,
        "T_epilogue": stage.epilogue_s,
        "T": stage.total_s,
        "beta": stage.beta,
        "bound": stage.bound,
        "channel_bytes": stage.channel_bytes,
        "channels": dict(channels),
        "utilisation": {
            "coprocessors": None if stage.beta is None else min(1.0, stage.beta),
            "channel": None if not stage.beta else min(1.0, 1 / stage.beta),
        },
    }


def comparison_data(compared: HostComparison, function: str) -> dict[str, Json]:
    """The verdict as JSON values; all are there, None where nothing is known."""
    host, crossing = compared.host, compared.crossover
    return {
        "alternatives": _alternatives(compared.choice.others),
        "host": None if host is None else {
            "T_s": host.seconds, "cores": host.cores, "by": host.by, "limit": host.limit,
            "at_best_s": host.at_best_s,
        },
        "speedup": compared.speedup,
        "crossover": None if crossing is None else {
            "pays": crossing.pays,
            "sizes": dict(crossing.sizes),
            "words": crossing.words,
        },
        "break_even_steps": compared.break_even_steps,
        "transfer_share": compared.transfer_share,
        "devices": [_device(each, host) for each in compared.devices],
        "arrays": [
            {
                "array": transfer.array,
                "role": transfer.kind,
                "bytes": moved_bytes(transfer, size),
                "loaded": transfer.loaded,
                "stored": transfer.stored,
                "origin": "derived" if transfer.mapped is None else "source (map clause)",
                "clause": None if transfer.mapped is None else transfer.mapped.clause,
                "note": transfer.note or None,
            }
            for transfer, size in compared.transfers
        ],
        "contradictions": list(compared.contradictions),
        "source": procedure_yaml(compared.best.procedure, function=function),
    }  # fmt: skip


def _alternatives(others: Sequence[TriedClass]) -> list[Json]:
    return [
        {
            "class": other.shape,
            "words": CLASSES[other.shape],
            "T_s": None if other.found is None else other.found.seconds,
            "reason": other.reason or None,
            "sentence": words,
        }
        for other, words in zip(others, reasons(others), strict=True)
    ]


def _device(each: DeviceTime, host: HostTime | None) -> Json:
    best = each.best
    if best is None:
        return {"count": each.coprocessors, "class": None, "T_s": None, "speedup": None}
    gain = None if host is None else host.seconds / best.seconds
    return {
        "count": each.coprocessors,
        "class": best.procedure.shape,
        "T_s": best.seconds,
        "speedup": gain,
    }


def answer_data(answer: ProcedureAnswer) -> dict[str, Json]:
    """An answer as JSON values."""
    entry = estimate_data(answer.estimate, answer.balanced, answer.changes)
    entry["formula"] = answer.formula or None
    if answer.compared is not None:
        entry["function"] = answer.function
        entry["sizes"] = {
            name: {"value": size.value, "origin": size.origin}
            for name, size in answer.sizes.by_name.items()
        }
        entry["beside"] = list(answer.beside)
        entry |= comparison_data(answer.compared, answer.function)
    return entry

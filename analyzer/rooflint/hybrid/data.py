"""An estimate as JSON values: the keys of the specification's report."""

from collections.abc import Mapping

from rooflint.hybrid.assumptions import PRACTICE, applied, caveats
from rooflint.hybrid.balance import Balance, Change
from rooflint.hybrid.load import texts
from rooflint.hybrid.results import Estimate, StageTime
from rooflint.plugin_api.prediction import Json

GIGA = 1e9


def estimate_data(
    found: Estimate, balanced: Balance, changes: tuple[Change, ...]
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
                "origin": rate.origin,
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
        "assumptions": list(applied(found)),
        "caveats": list(caveats(found)),
        "practice": PRACTICE,
        "provenance": provenance(found),
    }


def balance_data(found: Estimate, balanced: Balance) -> dict[str, Json]:
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


def provenance(found: Estimate) -> dict[str, Json]:
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

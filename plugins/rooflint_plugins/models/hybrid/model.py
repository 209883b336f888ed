"""Hybrid: the nest as a procedure of loads, kernels and stores, against the host alone.

Every class that fits (streamed, resident on one or on all) is derived from the accesses and
evaluated; T = sum over stages of iterations x max(T_C, T_tr) + what does not overlap. Figures bound
from above. Source: Sudareva, candidate thesis, NIISI RAN 2018.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rooflint.facts import Kernel, KernelFacts, facts_of, space_of
from rooflint.hookspecs import Context, Needs
from rooflint.hybrid.assumptions import TEXTS, applied, caveats
from rooflint.hybrid.balance import balance, what_if
from rooflint.hybrid.choice import CLASSES, Choice, break_even, choose, reasons
from rooflint.hybrid.data import estimate_data
from rooflint.hybrid.pages import Cut, cut
from rooflint.hybrid.results import Estimate
from rooflint.hybrid.system import system_of
from rooflint.hybrid.words import balance_words, beta_words
from rooflint.memory import Rates
from rooflint.prediction import Json, NotApplicable, Prediction

GIGA = 1e9
OVERLAPPING = "arrays of different names do not overlap"


class HostTime(NamedTuple):
    """The nest on the host: time of all iterations, by peak and bandwidth of its ``cores``."""

    seconds: float
    cores: int
    by: str


class Hybrid:
    """The model as a plugin."""

    name = "hybrid"
    needs = Needs(machine=("coprocessors",))

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """The fastest class for the kernel's nest; its other kernels are part of that answer."""
        if not context.facts.work.flops:
            return NotApplicable(
                "no floating-point operations: at most part of another's procedure"
            )
        nest = _nest(kernel, context)
        heaviest = max(nest, key=lambda f: _flops(f, context))
        if heaviest.kernel.loops[-1] is not kernel.loops[-1]:
            loops = ".".join([loop.index for loop in heaviest.kernel.loops])
            return NotApplicable(f"part of the procedure of the nest's heavier loops {loops}")
        system = system_of(context.machine)
        arrays = {array.name: array for array in context.function.arrays}
        align = system.channels["main"].align_bytes
        found = cut(nest, context.sizes.values, arrays, {}, align)
        if found.refused:
            return NotApplicable(f"cannot be cut into pages: {found.refused}")
        missing = [str(lack) for page in found.pages for lack in page.missing]
        if missing:
            advice = "bind one with 'rooflint estimate SIDECAR.yaml --source FILE'"
            return NotApplicable(f"{'; '.join(missing)} ({advice})")
        choice = choose(_plain(context.function.name), found, system)
        if choice.best is None:
            return NotApplicable(f"does not fit {system.name}: {'; '.join(reasons(choice.others))}")
        return self._answer(context, found, choice, choice.best)

    def _answer(self, context: Context, found: Cut, choice: Choice, best: Estimate) -> Prediction:
        balanced, changes = balance(best), what_if(best)
        host = _host(context, best.ops * best.repeat)
        perf = best.perf_op_s / GIGA
        count = 1.0 if best.procedure.shape == "C1" else best.system.coprocessors
        many = "1 coprocessor" if count == 1 else f"{count:g} coprocessors"
        words = [f"{CLASSES[best.procedure.shape]}: {perf:.4g} GFLOP/s at most on {many}"]
        if host is not None:
            words.append(_against(best, host))
        words.append(beta_words(best.beta))
        balancing = balance_words(best, balanced)
        if balancing:
            words.append(f"balanced by {balancing}")
        iterations = sum([_executions(f, context) for f in [context.facts]])
        data = estimate_data(best, balanced, changes)
        data |= _verdict(choice, best, host, context.function.name)
        return Prediction(
            model=self.name,
            bottleneck=best.limited_by,
            sentence="; ".join(words),
            headline=f"{perf:.4g} GFLOP/s",
            cycles_per_iteration=best.seconds * context.machine.clock_ghz * GIGA / iterations,
            assumptions=(
                OVERLAPPING,
                *[TEXTS[name] for name in applied(best)],
                *caveats(best),
                *_summed(found),
            ),
            data=data,
        )


def _verdict(
    choice: Choice, best: Estimate, host: HostTime | None, function: str
) -> dict[str, Json]:
    alternatives: list[Json] = []
    for other in choice.others:
        seconds = None if other.found is None or other.reason else other.found.seconds
        alternatives.append({
            "class": other.shape,
            "words": CLASSES[other.shape],
            "T_s": seconds,
            "reason": other.reason or None,
        })  # fmt: skip
    serial = best.repeat * sum([s.iterations * s.transfer_s for s in best.stages])
    once = best.repeat * sum([s.prologue_s + s.epilogue_s for s in best.stages])
    return {
        "alternatives": alternatives,
        "host": None if host is None else {"T_s": host.seconds, "cores": host.cores, "by": host.by},
        "speedup": None if host is None else host.seconds / best.seconds,
        "break_even_steps": None if host is None else break_even(best, host.seconds),
        "transfer_share": min(1.0, (serial + once) / best.seconds),
        "source": choice.written.yaml({"function": function}) if choice.written else None,
    }


def _against(best: Estimate, host: HostTime) -> str:
    ratio = host.seconds / best.seconds
    if ratio >= 1:
        return f"{ratio:.3g} times as fast as the host's {host.cores} cores ({host.by})"
    return f"the host's {host.cores} cores are {1 / ratio:.3g} times as fast ({host.by})"


def _host(context: Context, flops: float) -> HostTime | None:
    """The nest by the host's roofline, with all of its cores: coprocessors serve the whole node."""
    machine = context.machine
    rates = Rates(machine, machine.cores_total)
    peak = rates.peak(context.facts.work.type or "f64")
    per_flop = context.traffic.links[-1].total_bytes / max(1, context.facts.work.flops)
    bandwidth = rates.bandwidths(context.traffic.pattern).get(context.traffic.links[-1].link)
    times = []
    if peak is not None:
        times.append((flops / (peak.value_g_per_s * GIGA), "its peak"))
    elif machine.host is not None and machine.host.peak_gop_s:
        times.append((flops / (machine.host.peak_gop_s * GIGA), "its peak"))
    if bandwidth is not None:
        times.append((flops * per_flop / (bandwidth.gb_s * GIGA), "its memory bandwidth"))
    if not times:
        return None
    seconds, by = max(times)
    return HostTime(seconds, machine.cores_total, f"by {by}")


def _nest(kernel: Kernel, context: Context) -> tuple[KernelFacts, ...]:
    """The kernels that share the outermost loop; the rest of the function is not looked at."""
    function = context.function
    return facts_of(replace(function, body=(kernel.loops[0],)))


def _flops(facts: KernelFacts, context: Context) -> float:
    return facts.work.flops * _executions(facts, context) if facts.work.flops else 0.0


def _executions(facts: KernelFacts, context: Context) -> float:
    return max(1.0, float(space_of(facts.kernel.loops, context.sizes.values).executions))


def _summed(found: Cut) -> Sequence[str]:
    names = [name for page in found.pages for name in page.sums]
    return [f"{', '.join(names)}: each coprocessor sums its part"] if names else []


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name) or "nest"

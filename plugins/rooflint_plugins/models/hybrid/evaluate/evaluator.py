"""The evaluator: a procedure on a system gives the time of every stage, T and PERF.

Sudareva, candidate thesis, NIISI RAN 2018, section 1.5 (ten steps): per iteration the largest of
computing, transfer and host work that overlap, plus all that does not; times the iterations, plus
what happens once. Stages follow one another without overlap.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from rooflint.errors import ConfigurationError, UsageError, near_miss
from rooflint.records import NamedTuple

from rooflint_plugins.models.hybrid.evaluate import results
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure import records
from rooflint_plugins.models.hybrid.procedure.expression import ExpressionError, UnboundError

PERF = "perf."
"""``perf.KERNEL`` among the values sets the performance of a kernel."""
PEAK_TOLERANCE = 1 + 1e-9
SCALED: Final = {
    "K": "coprocessors",
    "DMEM": "memory_bytes",
    "DPEAK": "peak_op_s",
    "bw_cp": "device_b_s",
    "BW": "bandwidth_b_s",
    "HMEM": "host_bytes",
    "HPEAK": "host_op_s",
    "F": "clock_hz",
}
"""Symbols of the machine that a value may replace, and the field of the system each is."""


class EstimateOptions(NamedTuple):
    """How to evaluate.

    refined      transfers at the rates measured for their pattern, with latencies, and with the
                 operations that only the refined estimate counts
    perf_factor  multiplies every kernel's performance (what if kernels were faster?)
    """

    refined: bool = False
    perf_factor: float = 1.0


PLAIN = EstimateOptions()


def estimate(
    procedure: records.Procedure,
    system: System,
    values: Mapping[str, float] | None = None,
    options: EstimateOptions = PLAIN,
) -> results.ProcedureEstimate:
    """Evaluate ``procedure``; ``values`` override its params, the system's symbols, ``perf.NAME``.

    Raises UsageError for a value that nothing takes, ConfigurationError (``file:line``) for an
    unknown symbol, a negative volume, a kernel without performance or above the peak.
    """
    given = dict(values or {})
    system = given_system(system, given)
    perfs = {
        name.removeprefix(PERF): given.pop(name) for name in list(given) if name.startswith(PERF)
    }
    _check_known(procedure, given, perfs)
    symbols = symbols_of(procedure, system, given)
    if procedure.ops_total is None:
        message = f"{procedure.file}: procedure '{procedure.name}' has no ops_total and no stages"
        raise ConfigurationError(f"{message}: a sidecar completes a derivation; name its source")
    evaluation = _Evaluation(procedure, system, symbols, perfs, options)
    repeat = 1.0 if procedure.repeat is None else positive(procedure.repeat, symbols)
    found = results.ProcedureEstimate(
        procedure=procedure,
        system=system,
        symbols=symbols,
        kernels=evaluation.rates,
        stages=tuple([evaluation.stage(stage) for stage in procedure.stages]),
        fits=fit_checks(procedure, symbols),
        ops=positive(procedure.ops_total, symbols),
        repeat=repeat,
        refined=options.refined,
    )
    if not found.seconds > 0:
        raise ConfigurationError(f"{procedure.file}: procedure '{procedure.name}' takes no time")
    return found


def fit_checks(
    procedure: records.Procedure, symbols: Mapping[str, float]
) -> tuple[results.FitCheck, ...]:
    """The capacity conditions in numbers."""
    return tuple(
        [
            results.FitCheck(fit.why, number(fit.bytes, symbols), number(fit.le, symbols))
            for fit in procedure.fits
        ]
    )


def given_system(system: System, given: dict[str, float]) -> System:
    """``system`` with the symbols in ``given`` replaced; they are taken out of ``given``."""
    for symbol, field in SCALED.items():
        if symbol in given:
            value = given.pop(symbol)
            if not value > 0:
                raise UsageError(f"-D {symbol}={value:g}: expected a number above 0")
            # every field named in the table is a float
            system = system._replace(**{field: value})  # type: ignore[arg-type]
    return system


def symbols_of(
    procedure: records.Procedure, system: System, given: Mapping[str, float]
) -> dict[str, float]:
    """Values of all symbols in scope: the machine's, params, then ``let`` in order."""
    symbols = system.symbols
    for name, text in procedure.params.items():
        symbols[name] = given[name] if name in given else number(text, symbols)
    for name, text in procedure.let.items():
        symbols[name] = number(text, symbols)
    return symbols


def number(text: records.SourcedExpression, symbols: Mapping[str, float]) -> float:
    """The value of an expression; raises ConfigurationError with its place."""
    try:
        return text.expression.value(symbols)
    except UnboundError as error:
        hint = near_miss(error.name, symbols)
        raise ConfigurationError(f"{text.place}: {text.path}: {error}{hint}") from None
    except ExpressionError as error:
        raise ConfigurationError(f"{text.place}: {text.path}: {error}") from None


def positive(
    text: records.SourcedExpression, symbols: Mapping[str, float], *, zero: bool = False
) -> float:
    """As ``number``, refusing what is below zero, or zero."""
    value = number(text, symbols)
    if value < 0 or (value == 0 and not zero):
        least = "at least 0" if zero else "above 0"
        raise ConfigurationError(
            f"{text.place}: {text.path}: {text.expression.text} is {value:g}, expected {least}"
        )
    return value


def _check_known(
    procedure: records.Procedure, given: Mapping[str, float], perfs: Mapping[str, float]
) -> None:
    for name in given:
        if name not in procedure.params:
            known = [*procedure.params, *SCALED, *[f"{PERF}{k}" for k in procedure.kernels]]
            hint = near_miss(name, known)
            expected = f", expected one of {', '.join(procedure.params)}" if not hint else ""
            raise UsageError(
                f"-D {name}: procedure '{procedure.name}' has no such parameter{expected}{hint}"
            )
    for name in perfs:
        if name not in procedure.kernels:
            hint = near_miss(name, procedure.kernels)
            raise UsageError(
                f"-D {PERF}{name}: procedure '{procedure.name}' has no kernel '{name}'{hint}"
            )


class _Evaluation:
    """One procedure with numbers for all its symbols."""

    def __init__(
        self,
        procedure: records.Procedure,
        system: System,
        symbols: Mapping[str, float],
        perfs: Mapping[str, float],
        options: EstimateOptions,
    ) -> None:
        self.system, self.symbols, self.options = system, symbols, options
        pad = procedure.pad_factor
        self.pad = 1.0 if pad is None else number(pad, symbols)
        if pad is not None and self.pad < 1:
            message = f"pad_factor is {self.pad:g}, expected packed / useful length, at least 1"
            raise ConfigurationError(f"{pad.place}: {message}")
        self.rates = {
            kernel.name: self.rate(kernel, perfs.get(kernel.name))
            for kernel in procedure.kernels.values()
        }

    def rate(self, kernel: records.ProcedureKernel, given: float | None) -> results.KernelRate:
        """Perf_kern by the first of: given, perf, isa, the coprocessor's roofline."""
        rate = self._unscaled_rate(kernel, given)
        if rate.source is results.RateSource.MOVING:
            return rate
        place = kernel.ops.place
        if kernel.perf is not None and given is None:
            place = kernel.perf.place
        if rate.perf_op_s <= 0:
            raise ConfigurationError(f"{place}: kernel '{kernel.name}': expected perf above 0")
        peak = self.system.peak_op_s
        if rate.perf_op_s > peak * PEAK_TOLERANCE:
            message = f"{rate.perf_op_s:.6g} op/s is above the peak {peak:.6g}"
            raise ConfigurationError(
                f"{place}: kernel '{kernel.name}': {message} of {self.system.name}"
            )
        return rate._replace(perf_op_s=rate.perf_op_s * self.options.perf_factor)

    def _unscaled_rate(
        self, kernel: records.ProcedureKernel, given: float | None
    ) -> results.KernelRate:
        ops = positive(kernel.ops, self.symbols, zero=True) * self.pad
        if given is not None:
            return results.KernelRate(
                name=kernel.name, ops=ops, perf_op_s=given, source=results.RateSource.COMMAND_LINE
            )
        if kernel.perf is not None:
            perf = positive(kernel.perf, self.symbols)
            source = results.RateSource.MEASURED if kernel.measured else results.RateSource.STATED
            return results.KernelRate(
                name=kernel.name,
                ops=ops,
                perf_op_s=perf,
                source=source,
                detail=kernel.perf.expression.text,
            )
        if kernel.isa:
            return self._issue(kernel, ops)
        if kernel.dev_bytes is not None:
            moved = positive(kernel.dev_bytes, self.symbols, zero=True) * self.pad
            return self._roofline(kernel.name, ops, moved)
        message = f"kernel '{kernel.name}' has no perf, isa or dev_bytes to determine its speed"
        raise ConfigurationError(f"{kernel.ops.place}: {message}; or -D {PERF}{kernel.name}=...")

    def _roofline(self, name: str, ops: float, moved_bytes: float) -> results.KernelRate:
        system = self.system
        if not ops:
            seconds = moved_bytes / system.device_b_s / self.options.perf_factor
            return results.KernelRate(
                name=name,
                ops=0.0,
                perf_op_s=0.0,
                source=results.RateSource.MOVING,
                moving_s=seconds,
            )
        fed = system.device_b_s * ops / moved_bytes if moved_bytes else system.peak_op_s
        if fed >= system.peak_op_s:
            return results.KernelRate(name, ops, system.peak_op_s, source=results.RateSource.PEAK)
        return results.KernelRate(name, ops=ops, perf_op_s=fed, source=results.RateSource.MEMORY)

    def _issue(self, kernel: records.ProcedureKernel, ops: float) -> results.KernelRate:
        """Commands of different pipelines issue together: the longest pipeline decides (3.1)."""
        system = self.system
        cycles = {}
        for pipeline, commands in kernel.isa.items():
            if pipeline not in system.issue:
                known = ", ".join(system.issue) or "none"
                message = f"{system.name} has no pipeline '{pipeline}' under issue, it has {known}"
                raise ConfigurationError(f"{commands.place}: {message}")
            width = system.issue[pipeline]
            cycles[pipeline] = positive(commands, self.symbols, zero=True) / width
        longest = max(cycles, key=lambda name: cycles[name])
        if not cycles[longest] or not system.clock_hz:
            lacking = "coprocessors.clock_ghz" if cycles[longest] else "commands"
            raise ConfigurationError(
                f"{kernel.ops.place}: kernel '{kernel.name}': isa needs {lacking}"
            )
        perf = ops / self.pad * system.clock_hz / cycles[longest]
        return results.KernelRate(
            name=kernel.name,
            ops=ops,
            perf_op_s=perf,
            source=results.RateSource.ISSUE,
            detail=longest,
        )

    def stage(self, stage: records.ProcedureStage) -> results.StageTime:
        """Times of one stage."""
        overlapped: dict[str, list[float]] = {}
        kernel = host = serial = kernels = transfers = moved = 0.0
        for op in self._counted(stage.ops):
            seconds = self._seconds(op)
            if op.kind == "kernel":
                kernels += seconds
            elif op.kind != "host":
                transfers += seconds
            if not op.overlap:
                serial += seconds
            elif op.kind == "kernel":
                kernel += seconds
            elif op.kind == "host":
                host += seconds
            else:
                name, sides = self._sides(op)
                times = overlapped.setdefault(name, [0.0, 0.0])
                for side in sides:
                    times[side] += seconds / len(sides)
                moved += self._volume(op)
        channels = {name: self._busy(name, *times) for name, times in overlapped.items()}
        iterations = 1.0 if stage.iterations is None else positive(stage.iterations, self.symbols)
        return results.StageTime(
            name=stage.name,
            iterations=float(math.ceil(iterations)) if stage.ceil else iterations,
            t_cp_s=kernel,
            t_tr_s=max([time.busy_s for time in channels.values()], default=0.0),
            t_host_s=host,
            t_serial_s=serial,
            prologue_s=sum([self._seconds(op) for op in self._counted(stage.prologue)]),
            epilogue_s=sum([self._seconds(op) for op in self._counted(stage.epilogue)]),
            channels=channels,
            channel_bytes=moved,
            kernel_s=kernels,
            transfer_s=transfers,
        )

    def _counted(self, ops: Sequence[records.StageOperation]) -> list[records.StageOperation]:
        return [op for op in ops if self.options.refined or not op.refined]

    def _busy(self, name: str, load: float, store: float) -> results.ChannelTime:
        full = self.system.channels[name].duplex == "full"
        return results.ChannelTime(load, store, max(load, store) if full else load + store)

    def _sides(self, op: records.StageOperation) -> tuple[str, tuple[int, ...]]:
        """The channel, and whether its loads (0), its stores (1) or both sides are busy."""
        if op.kind == "peer":
            return (self.system.peer, (0,)) if self.system.peer else (op.channel, (0, 1))
        return op.channel, ((1,) if op.kind == "store" else (0,))

    def _volume(self, op: records.StageOperation) -> float:
        """Bytes of all coprocessors; without a direct link a peer transfer goes out and back in."""
        assert op.bytes is not None
        one = positive(op.bytes, self.symbols, zero=True)
        if op.kind == "load":
            one *= self.pad
        if op.kind == "peer" and not self.system.peer:
            one *= 2
        return one * self.system.coprocessors if op.per == "coprocessor" else one

    def _seconds(self, op: records.StageOperation) -> float:
        if op.kind == "kernel":
            return self.rates[op.kernel].seconds
        if op.kind == "host":
            return self._host(op)
        name = self._sides(op)[0]
        system = self.system
        channel = system.channels.get(name)
        if channel is None:
            known = ", ".join(system.channels)
            hint = near_miss(name, system.channels)
            message = f"{system.name} has no channel '{name}', it has {known}{hint}"
            raise ConfigurationError(f"{op.place}: {message}")
        rate, latency = system.rate_b_s(name), 0.0
        if self.options.refined:
            latency = channel.latency_us * 1e-6
            if op.pattern is not None:
                run = positive(op.pattern.run_bytes, self.symbols)
                stride = positive(op.pattern.stride_bytes, self.symbols)
                rate = system.pattern_rate_b_s(name, op.kind, run, stride)
        volume = self._volume(op)
        links = 1.0 if channel.shared or op.per == "one" else system.coprocessors
        return volume / links / rate + latency

    def _host(self, op: records.StageOperation) -> float:
        if op.seconds is not None:
            return positive(op.seconds, self.symbols, zero=True)
        assert op.ops is not None
        ops = positive(op.ops, self.symbols, zero=True)
        perf = positive(op.perf, self.symbols) if op.perf else self.system.host_op_s
        if not perf:
            message = "a host operation needs perf, or the machine host.peak_gop_s"
            raise ConfigurationError(f"{op.place}: {message}")
        return ops / perf

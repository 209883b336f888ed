"""T_C = T_tr solved for a symbol, as a formula.

(4.1)-(4.3) of Sudareva, candidate thesis, NIISI RAN 2018: ``BW = 32 K F / log2 N`` for short FFTs.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from rooflint.errors import UsageError, near_miss

from rooflint_plugins.models.hybrid.evaluate.algebra import (
    constant,
    equal,
    formula,
    quotient,
    symbol,
)
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate, RateSource
from rooflint_plugins.models.hybrid.procedure import records
from rooflint_plugins.models.hybrid.procedure.expression import ExpressionError

if TYPE_CHECKING:
    from sympy import Expr


def balance_equation(found: ProcedureEstimate, wanted: str) -> str:
    """``BW = 4*F*K*e/log2(N)`` for the longest stage, every parameter kept as a symbol.

    Raises UsageError for an unknown symbol.
    """
    known = [*found.system.symbols, *found.procedure.params]
    if wanted not in known:
        raise UsageError(f"--balance: no symbol '{wanted}'{near_miss(wanted, known)}")
    try:
        solution = balance_formula(found, wanted)
    except ExpressionError as error:
        return f"no formula for {wanted} in stage {found.main.name}: {error}"
    rates = " at peak rates" if found.refined else ""
    return f"{wanted} = {solution} balances stage {found.main.name}{rates}"


def balance_formula(
    found: ProcedureEstimate, wanted: str, keep: Collection[str] | None = None
) -> Expr:
    """The formula of ``wanted`` at which T_C = T_tr in the longest stage.

    ``keep``: symbols left in the formula, other params get their values; unless given all are left
    that are not zero. Raises ExpressionError where there is no closed form.
    """
    algebra = _Algebra(found, wanted, keep)
    chosen = next(s for s in found.procedure.stages if s.name == found.main.name)
    computing, transfer = algebra.computing(chosen), algebra.transfer(chosen)
    if not computing or not transfer:
        raise ExpressionError("nothing is computed or nothing transferred in its main loop")
    return equal(computing, transfer, wanted)


class _Algebra:
    """The expressions of a procedure with what is to stay a symbol."""

    def __init__(self, found: ProcedureEstimate, wanted: str, keep: Collection[str] | None) -> None:
        self.found = found
        procedure, system = found.procedure, found.system
        if keep is None:
            keep = [n for n in (*procedure.params, *system.symbols) if found.symbols.get(n)]
        kept = {*keep, wanted}
        self.symbols: dict[str, Expr] = {}
        for name, value in system.symbols.items():
            if name not in kept:
                self.symbols[name] = constant(value)
        for name in procedure.params:
            if name not in kept:
                self.symbols[name] = constant(found.symbols[name])
        for name, text in procedure.let.items():
            self.symbols[name] = self.of(text)
        self.pad = self.of(procedure.pad_factor) if procedure.pad_factor else constant(1)

    def of(self, text: records.SourcedExpression) -> Expr:
        return formula(text.expression.tree, self.symbols)

    def machine(self, name: str) -> Expr:
        return self.symbols[name] if name in self.symbols else symbol(name)

    def computing(self, stage: records.ProcedureStage) -> Expr:
        """T_C of an iteration."""
        kernels = self.found.procedure.kernels
        calls = [kernels[op.kernel] for op in stage.ops if op.kind == "kernel" and op.overlap]
        return sum([self.kernel(kernel) for kernel in calls], constant(0))

    def kernel(self, kernel: records.ProcedureKernel) -> Expr:
        """Time of one call, by the source of its performance that the estimate used."""
        rate, ops = self.found.kernels[kernel.name], self.of(kernel.ops) * self.pad
        match rate.source:
            case RateSource.COMMAND_LINE:
                return quotient(ops, constant(rate.perf_op_s))
            case RateSource.STATED | RateSource.MEASURED:
                assert kernel.perf is not None
                return quotient(ops, self.of(kernel.perf))
            case RateSource.ISSUE:
                width = constant(self.found.system.issue[rate.detail])
                cycles = quotient(self.of(kernel.isa[rate.detail]) * self.pad, width)
                return quotient(cycles, self.machine("F"))
            case RateSource.PEAK:
                return quotient(ops, self.machine("DPEAK"))
            case RateSource.MEMORY | RateSource.MOVING:
                assert kernel.dev_bytes is not None
                return quotient(self.of(kernel.dev_bytes) * self.pad, self.machine("bw_cp"))

    def transfer(self, stage: records.ProcedureStage) -> Expr:
        """T_tr of an iteration, on the channel that takes longest, the longer side of duplex."""
        times_by = next(s for s in self.found.stages if s.name == stage.name).channels
        if not times_by:
            return constant(0)
        name = max(times_by, key=lambda channel: times_by[channel].busy_s)
        taken = times_by[name]
        kinds = {"load", "store", "peer"}
        if self.found.system.channels[name].duplex == "full":
            kinds -= {"store"} if taken.load_s >= taken.store_s else {"load"}
        ops = [op for op in stage.ops if op.kind in kinds and op.overlap and not op.refined]
        return sum([self.move(op, name) for op in ops if self.channel(op) == name], constant(0))

    def channel(self, op: records.StageOperation) -> str:
        peer = self.found.system.peer
        return peer if op.kind == "peer" and peer else op.channel

    def move(self, op: records.StageOperation, name: str) -> Expr:
        """Time of one transfer."""
        assert op.bytes is not None
        system = self.found.system
        volume = self.of(op.bytes)
        if op.kind == "load":
            volume *= self.pad
        if op.kind == "peer" and not system.peer:
            volume *= 2
        shared = system.channels[name].shared
        if op.per == "coprocessor" and shared:
            volume *= self.machine("K")
        if op.per == "once" and not shared:
            volume = quotient(volume, self.machine("K"))
        rate = self.machine("BW") if name == "main" else constant(system.rate_b_s(name))
        return quotient(volume, rate)

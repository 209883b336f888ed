"""Answers of ``rooflint estimate`` for one procedure on one machine."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from rooflint.records import NamedTuple
from rooflint.scenario.sizes import NO_SIZES, Sizes

from rooflint_plugins.models.hybrid.derive.bound import BoundNest
from rooflint_plugins.models.hybrid.derive.host_comparison import HostComparison, compare_with_host
from rooflint_plugins.models.hybrid.derive.offload import NOTABLE, changes_again
from rooflint_plugins.models.hybrid.evaluate.balance import (
    Balance,
    WhatIf,
    balance,
    best_count,
    what_if,
)
from rooflint_plugins.models.hybrid.evaluate.evaluator import PERF, PLAIN, EstimateOptions, estimate
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.records import Procedure

Formula: TypeAlias = Callable[[ProcedureEstimate], str]
"""What writes the formula that balances an estimate; a parameter, because it needs sympy."""


class ProcedureAnswer(NamedTuple):
    """One procedure on one machine.

    values    parameters that were set for it, by name
    formula   of the symbol that was to balance it; empty where nobody asked
    compared  a nest of the source with the host alone; ``function`` and ``sizes`` are its
    nest      the nest, to be derived again for another number of coprocessors
    """

    estimate: ProcedureEstimate
    balanced: Balance
    changes: tuple[WhatIf, ...]
    values: Mapping[str, float]
    options: EstimateOptions = PLAIN
    formula: str = ""
    compared: HostComparison | None = None
    function: str = ""
    sizes: Sizes = NO_SIZES
    beside: tuple[str, ...] = ()
    nest: BoundNest | None = None

    @property
    def perf_at(self) -> Callable[[float], float] | None:
        """PERF by the number of coprocessors where that makes another procedure; else None."""
        nest = self.nest
        if nest is None:
            return None

        def perf(count: float) -> float:
            best = nest.offload.with_count(count).choose(nest.found).best
            return 0.0 if best is None else best.perf_op_s

        return perf


def answer_of(
    procedure: Procedure,
    system: System,
    values: Mapping[str, float],
    options: EstimateOptions = PLAIN,
    formula: Formula | None = None,
) -> ProcedureAnswer:
    """The answer to a procedure file, with ``formula`` if one is asked for."""
    answer = _answer(estimate(procedure, system, values, options), values, options, formula)
    return answer._replace(changes=(*answer.changes, *_fewer(answer)))


def _fewer(answer: ProcedureAnswer) -> Iterator[WhatIf]:
    """Where what goes to every coprocessor costs more than the last ones gain (C3)."""
    found = answer.estimate
    most = round(found.system.coprocessors)
    count = best_count(found, answer.values, most)
    fewer = {**answer.values, "K": float(count)}
    perf = estimate(found.procedure, found.system, fewer, answer.options).perf_op_s
    gain = perf / found.perf_op_s
    if count < most and gain > NOTABLE:
        yield WhatIf(parameter="K", words=f"only {count} coprocessors", perf_op_s=perf, gain=gain)


def answer_of_nest(
    nest: BoundNest, options: EstimateOptions = PLAIN, formula: Formula | None = None
) -> ProcedureAnswer:
    """The answer to a nest of the source."""
    best = nest.choice.best
    if best is None:
        raise ValueError("nothing fits")
    values = own_values(best.procedure, nest.offload.params)
    answer = _answer(best, values, options, formula)
    compared = compare_with_host(nest.offload, nest.found, nest.choice, nest.host)
    again = changes_again(nest.offload, nest.found, best)
    return answer._replace(
        changes=tuple(sorted((*answer.changes, *again), key=lambda change: -change.gain)),
        compared=compared,
        function=nest.offload.function.name,
        sizes=nest.sizes,
        beside=nest.beside,
        nest=nest,
    )


def own_values(procedure: Procedure, values: Mapping[str, float]) -> dict[str, float]:
    """Those of ``values`` that are parameters of the procedure or speeds of its kernels."""
    own = {*procedure.params, *[f"{PERF}{name}" for name in procedure.kernels]}
    return {name: value for name, value in values.items() if name in own}


def _answer(
    found: ProcedureEstimate,
    values: Mapping[str, float],
    options: EstimateOptions,
    formula: Formula | None,
) -> ProcedureAnswer:
    return ProcedureAnswer(
        estimate=found,
        balanced=balance(found, values, options),
        changes=what_if(found, values, options),
        values=values,
        options=options,
        formula=formula(found) if formula else "",
    )

"""Balance of a system on a procedure, and the gain of single changes of the machine.

A system is balanced on a procedure when T_C = T_tr in its main loop (Sudareva, candidate thesis,
NIISI RAN 2018, section 1.6); recommendations are ranked as in its section 4.2.
"""

from collections.abc import Callable, Mapping
from math import exp, log

from rooflint.records import NamedTuple

from rooflint_plugins.models.hybrid.evaluate.evaluator import PLAIN, EstimateOptions, estimate
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.expression import parse
from rooflint_plugins.models.hybrid.procedure.records import Procedure, SourcedExpression

BALANCED = (0.8, 1.25)
"""β between these counts as balanced: equality is reached for particular sizes only."""
STEPS = 40
TOLERANCE = 1e-12
FACTOR = 2.0


class Balance(NamedTuple):
    """Values of one parameter, the others unchanged, at which T_C = T_tr; None where it cannot.

    ``stage`` is the one looked at, the longest; BW in B/s, Perf the factor on all kernels.
    """

    stage: str
    beta: float | None
    bandwidth_b_s: float | None
    coprocessors: float | None
    perf_factor: float | None

    @property
    def balanced(self) -> bool:
        """Whether β is near 1."""
        return self.beta is not None and BALANCED[0] <= self.beta <= BALANCED[1]


class WhatIf(NamedTuple):
    """One change of the machine or the procedure, and PERF after it."""

    parameter: str
    words: str
    perf_op_s: float
    gain: float


def balance(
    found: ProcedureEstimate,
    values: Mapping[str, float] | None = None,
    options: EstimateOptions = PLAIN,
) -> Balance:
    """Solve T_C = T_tr of the main stage for BW, K and Perf_kern, by evaluating again."""
    stage, beta = found.main.name, found.main.beta
    if not beta:
        return Balance(stage, beta=beta, bandwidth_b_s=None, coprocessors=None, perf_factor=None)
    given, system = dict(values or {}), found.system
    stages = tuple([each for each in found.procedure.stages if each.name == stage])
    alone = found.procedure._replace(stages=stages, fits=())

    def at(symbol: str) -> Callable[[float], float | None]:
        def beta_of(value: float) -> float | None:
            return estimate(alone, system, given | {symbol: value}, options).beta

        return beta_of

    def faster(factor: float) -> float | None:
        changed = options._replace(perf_factor=options.perf_factor * factor)
        return estimate(alone, system, given, changed).beta

    return Balance(
        stage=stage,
        beta=beta,
        bandwidth_b_s=solve(at("BW"), system.bandwidth_b_s, beta),
        coprocessors=None if alone.one_count else solve(at("K"), system.coprocessors, beta),
        perf_factor=solve(faster, 1.0, beta),
    )


def solve(beta_at: Callable[[float], float | None], start: float, beta: float) -> float | None:
    """The value at which β is 1, by secants of log β over log value; exact for power laws.

    None when β does not move with the value or no such value is found.
    """
    before, height = log(start), log(beta)
    if abs(height) < TOLERANCE:
        return start
    point = before + (0.5 if height > 0 else -0.5)
    for _ in range(STEPS):
        there = beta_at(exp(point))
        if not there:
            return None
        now = log(there)
        if abs(now) < TOLERANCE:
            return exp(point)
        if abs(now - height) < TOLERANCE * max(1.0, abs(point - before)):
            return None
        step = -now * (point - before) / (now - height)
        before, height = point, now
        point += max(-20.0, min(20.0, step))
        if abs(step) < 1e-14:
            return exp(point)
    return None


def what_if(
    found: ProcedureEstimate,
    values: Mapping[str, float] | None = None,
    options: EstimateOptions = PLAIN,
) -> tuple[WhatIf, ...]:
    """Twice the channel, the coprocessors, the kernels; duplex, a direct link, no padding.

    Ranked by gain; changes that the procedure does not feel are left out.
    """
    given, system, procedure = dict(values or {}), found.system, found.procedure
    changes: list[WhatIf] = []

    def add(name: str, words: str, p: Procedure, s: System, o: EstimateOptions = options) -> None:
        perf = estimate(p, s, _without(given, name), o).perf_op_s
        gain = perf / found.perf_op_s
        if abs(gain - 1) > 1e-9:
            changes.append(WhatIf(parameter=name, words=words, perf_op_s=perf, gain=gain))

    twice = system._replace(bandwidth_b_s=system.bandwidth_b_s * FACTOR)
    add("BW", f"a channel of {twice.bandwidth_b_s / 1e9:g} GB/s", procedure, twice)
    more = system._replace(coprocessors=system.coprocessors * FACTOR)
    if not procedure.one_count:
        add("K", f"{more.coprocessors:g} coprocessors", procedure, more)
    quicker = options._replace(perf_factor=options.perf_factor * FACTOR)
    add("Perf_kern", "kernels twice as fast", procedure, system, quicker)
    main = system.channels["main"]
    if main.duplex == "half":
        full = system.channels | {"main": main._replace(duplex="full")}  # type: ignore[operator]
        add("duplex", "loads and stores at once", procedure, system._replace(channels=full))
    if system.peer is None:
        add("peer", "a direct link between coprocessors", procedure, system._replace(peer="main"))
    if procedure.pad_factor is not None:
        none = SourcedExpression(
            expression=parse(1),
            place=procedure.pad_factor.place,
            path="pad_factor",
            origin="default",
        )
        add("pad_factor", "no padding", procedure._replace(pad_factor=none), system)
    return tuple(sorted(changes, key=lambda change: -change.gain))


def _without(given: Mapping[str, float], name: str) -> dict[str, float]:
    return {key: value for key, value in given.items() if key not in ("BW", "K") or key != name}


def best_count(
    found: ProcedureEstimate, values: Mapping[str, float] | None = None, most: int = 64
) -> int:
    """The number of coprocessors from 1 to ``most`` with the highest PERF; the smallest of equal.

    Where a vector goes to every coprocessor (C3), more of them cost channel time.
    """
    best, perf = 1, 0.0
    for count in range(1, most + 1):
        now = estimate(found.procedure, found.system, dict(values or {}) | {"K": count}).perf_op_s
        if now > perf * (1 + 1e-9):
            best, perf = count, now
    return best

"""Compute roofs from ports: what a core can finish per cycle when nothing else stands in the way.

A fused multiply-add counts as two operations. Adds and multiplies that run on different ports
count together, on shared ports they share them: the roof needs the balance that the paper calls
"+ mul/add balance" (Williams et al., UCB/EECS-2008-134, appendix A.1). Adding on further ports
beside fused operations is not counted, as the published peaks of such cores do not.
"""

from rooflint.machine import parts
from rooflint.records import NamedTuple

NARROWEST_BYTES = 16


class PortRate(NamedTuple):
    """Operations per cycle of one core, and how they come about."""

    per_cycle: float
    simd: bool
    how: str


def best_rate(
    core: parts.CoreModel, simd: parts.Simd | None, element_type: str, operation: str
) -> PortRate | None:
    """The most ``flop`` or ``iop`` per cycle of one core on ``element_type``.

    None for other operations, for types that do not fit, and when the core lists no such ports.
    """
    base = parts.scalar_type(element_type)
    size = {"flop": parts.FLOAT_BYTES, "iop": parts.INT_BYTES}.get(operation, {}).get(base)
    if size is None:
        return None
    rates = [_rate(core, base, None, 1, "scalar")]
    width = simd.register_bytes if simd is not None else 0
    while simd is not None and width >= max(size, NARROWEST_BYTES):
        lanes = width // size
        rates.append(_rate(core, base, width, lanes, f"{lanes} lanes of {simd.isa}"))
        width //= 2  # AVX has no 32-byte integers: half a register can be the widest
    return max((rate for rate in rates if rate), key=lambda rate: rate.per_cycle, default=None)


def _rate(
    core: parts.CoreModel, base: str, width: int | None, lanes: int, words: str
) -> PortRate | None:
    add, mul = (core.operation(name, base, width) for name in ("add", "mul"))
    fma = core.operation("fma", base, width) if base in parts.FLOAT_BYTES else None
    options = []
    if fma is not None:
        how = f"{fma.per_cycle:.3g} fma per cycle ({words})"
        options.append(PortRate(2 * lanes * fma.per_cycle, width is not None, how))
    if add is not None or mul is not None:
        together = _together([op for op in (add, mul) if op is not None])
        names = " and ".join(n for n, op in (("add", add), ("mul", mul)) if op is not None)
        how = f"{together:.3g} {names} per cycle ({words})"
        options.append(PortRate(lanes * together, width is not None, how))
    return max(options, key=lambda rate: rate.per_cycle, default=None)


def _together(operations: list[parts.CoreOperation]) -> float:
    """Most instructions per cycle of two kinds that may share ports (a two-variable LP)."""
    quick, *rest = sorted(operations, key=lambda operation: operation.cy)
    if not rest:
        return quick.per_cycle
    slow = rest[0]
    shared_cycles = len({*quick.ports, *slow.ports}) - quick.per_cycle * quick.cy
    return quick.per_cycle + min(slow.per_cycle, shared_cycles / slow.cy)

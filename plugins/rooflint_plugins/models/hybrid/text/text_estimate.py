"""An estimate in words: what limits, what every stage takes, what would balance it."""

from collections.abc import Iterator, Sequence

from rooflint.machine.quantities import format_duration, format_rate, format_volume

from rooflint_plugins.models.hybrid.evaluate.assumptions import PRACTICE, assumptions_of, caveats
from rooflint_plugins.models.hybrid.evaluate.balance import Balance, WhatIf
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate, StageTime

STAGE_HEADS = ("stage", "iterations", "computing", "transfer", "alone", "once", "together", "β")
ORIGIN = {
    "measured": "measured",
    "stated": "stated",
    "isa": "issue bound",
    "roofline": "the coprocessor's roofline",
}
LIMIT = {"kernel": "the kernels", "channel": "the channel", "host": "the host"}


def sentence(found: ProcedureEstimate) -> str:
    """PERF, what limits it, and β in words."""
    if not found.feasible:
        worst = next(fit for fit in found.fits if not fit.ok)
        return f"does not fit {found.system.name}: {worst.shortage}"
    text = f"at most {format_rate(found.perf_op_s)}, limited by {LIMIT[found.limited_by]}"
    moving = any(s.transfer_s for s in found.stages)
    if not moving and any(s.prologue_s or s.epilogue_s for s in found.stages):
        return f"{text}; transfers only before and after the main loop"
    return f"{text}; {beta_words(found.beta)}"


def beta_words(beta: float | None) -> str:
    """β and which side is longer."""
    if beta is None:
        return "nothing is transferred in the main loop"
    if beta == 0:
        return "nothing is computed in the main loop"
    longer, shorter = ("computing", "transfers") if beta > 1 else ("transfers", "computing")
    ratio = beta if beta > 1 else 1 / beta
    if ratio < 1.005:
        return f"β {beta:.3g}: computing and transfers take the same time"
    return f"β {beta:.3g}: {longer} takes {ratio:.3g} times as long as {shorter}".replace(
        "transfers takes", "transfers take"
    )


def balance_words(found: ProcedureEstimate, balanced: Balance) -> str:
    """The parameters that would balance the main stage."""
    if balanced.beta is None:
        return ""
    parts = []
    if balanced.bandwidth_b_s is not None:
        now = found.system.bandwidth_b_s / 1e9
        parts.append(f"a channel of {balanced.bandwidth_b_s / 1e9:.4g} GB/s instead of {now:.4g}")
    if balanced.coprocessors is not None:
        parts.append(
            f"{balanced.coprocessors:.3g} coprocessors instead of {found.system.coprocessors:g}"
        )
    if balanced.perf_factor is not None:
        parts.append(f"kernels {balanced.perf_factor:.3g} times as fast")
    if not parts:
        return "no single parameter balances it"
    return ("balanced; exactly so with " if balanced.balanced else "") + ", or ".join(parts)


def estimate_lines(
    found: ProcedureEstimate, balanced: Balance, changes: Sequence[WhatIf]
) -> Iterator[str]:
    """The whole estimate as lines of text, none of them wrapped."""
    procedure = found.procedure
    shape = f" ({procedure.shape})" if procedure.shape else ""
    yield f"{procedure.name}{shape} on {found.system.name}: {sentence(found)}"
    if procedure.description:
        yield f"  {procedure.description}"
    values = ", ".join(f"{name}={found.symbols[name]:g}" for name in procedure.params)
    if values:
        yield f"  params    {values}"
    mode = "transfers at measured rates" if found.refined else "transfers at peak rate"
    times = f"T {format_duration(found.seconds)} for {found.ops * found.repeat:.4g} operations"
    yield f"  time      {times}, {mode}"
    yield from _kernel_lines(found)
    yield from _stage_lines(found.stages)
    bounds = ", ".join(f"{name} {format_rate(value)}" for name, value in found.bounds_op_s.items())
    yield f"  bounds    {bounds}"
    yield from _change_lines(found, balanced, changes)
    for fit in found.fits:
        room = f"{fit.why}: {format_volume(fit.bytes)} of {format_volume(fit.le)}"
        yield f"  memory    {room if fit.ok else fit.shortage}"
    for caveat in caveats(found):
        yield f"  caution   {caveat}"
    yield f"  practice  {PRACTICE}"
    names = ", ".join(assumptions_of(found))
    yield f"  assumes   {names}: 'rooflint estimate --assumptions' lists them"


def _kernel_lines(found: ProcedureEstimate) -> Iterator[str]:
    for name, rate in found.kernels.items():
        speed = f"{format_rate(rate.perf_op_s)} per coprocessor" if rate.ops else "no operations"
        yield f"  kernel    {name}: {speed}, {ORIGIN[rate.source.origin]} ({rate.how})"


def _change_lines(
    found: ProcedureEstimate, balanced: Balance, changes: Sequence[WhatIf]
) -> Iterator[str]:
    words = balance_words(found, balanced)
    if words:
        where = f" (stage {balanced.stage})" if len(found.stages) > 1 else ""
        yield f"  balance   {words}{where}"
    for change in changes:
        after = format_rate(change.perf_op_s)
        yield f"  what if   {change.words}: {after}, {change.gain:.3g} times"


def stage_cells(stage: StageTime, none: str) -> tuple[str, ...]:
    """A stage under STAGE_HEADS; ``none`` for a β that there is not."""
    return (
        stage.name,
        f"{stage.iterations:.6g}",
        format_duration(stage.t_cp_s),
        format_duration(stage.t_tr_s),
        format_duration(stage.t_serial_s),
        format_duration(stage.prologue_s + stage.epilogue_s),
        format_duration(stage.total_s),
        none if stage.beta is None else f"{stage.beta:.3g}",
    )


def _stage_lines(stages: Sequence[StageTime]) -> Iterator[str]:
    rows = [STAGE_HEADS, *[stage_cells(stage, "-") for stage in stages]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(STAGE_HEADS))]
    for row in rows:
        first, *others = row
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        yield "  " + "  ".join(cells)

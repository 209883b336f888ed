"""Assumptions of an estimate, by the numbers of the specification's list (A1 to A12)."""

from collections.abc import Iterator

from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate

FEW_PAGES = 8
"""With fewer, filling the pipeline with the first page takes more than an eighth of the stage."""
SMALL_TRANSFER_BYTES = 4096
"""At 10 GB/s these take 0.4 µs, less than a transfer takes to start."""
EXPOSED = 0.1
"""Of a stage's time: a smaller part that nothing hides changes no decision."""
TEXTS = {
    "A1": "starting an operation costs nothing",
    "A2": "kernels and transfers overlap completely where they touch different memory",
    "A3": "loads and stores share the channel, so the times of all coprocessors add up",
    "A4": "transfers of any size and pattern run at the channel's peak",
    "A5": "filling and draining the pipeline of pages takes no time",
    "A6": "transposing while columns are loaded or stored is free",
    "A7": "only the base operation counts; the rest is overhead",
    "A8": "pages divide evenly among the coprocessors",
    "A9": "no padding, and work spread evenly over rows",
    "A10": "every coprocessor gets the same work",
    "A11": "the host's own work delays nothing",
    "A12": "loading resident data once and storing it at the end is not counted",
}


PRACTICE = (
    "measured codes reached 35 to 94 % of such bounds on GPU nodes and 38 to 91 % on CP2, small"
    " problems 4 to 44 % (docs/models/hybrid.md)"
)


def assumptions_of(found: ProcedureEstimate) -> tuple[str, ...]:
    """The assumptions that this estimate rests on."""
    stages = found.procedure.stages
    ops = [op for s in stages for op in (*s.prologue, *s.ops, *s.epilogue)]
    main = found.system.channels["main"]
    patterned = found.refined and bool(main.rates) and any(op.pattern for op in ops)
    off = {
        "A3": main.duplex == "full" and not main.shared,
        "A4": patterned,
        "A8": all(stage.ceil or stage.iterations is None for stage in stages),
        "A9": found.procedure.pad_factor is not None,
        "A11": any(op.kind == "host" for op in ops),
        "A12": any(stage.prologue or stage.epilogue for stage in stages),
    }
    return tuple([name for name in TEXTS if not off.get(name, False)])


def caveats(found: ProcedureEstimate) -> Iterator[str]:
    """Sentences on the doubts about the estimate."""
    crude = [rate.name for rate in found.kernels.values() if rate.source.origin == "roofline"]
    if crude:
        yield (
            f"no performance is given for {', '.join(crude)}: the coprocessor's peak or"
            " memory bandwidth is used, which real kernels miss by factors"
        )
    for times in found.stages:
        if 1 < times.iterations < FEW_PAGES:
            yield f"stage {times.name} has {times.iterations:.3g} pages: filling and draining count"
    yield from _small_transfers(found)
    yield from _unpatterned_transfers(found)
    for times in found.stages:
        once = times.prologue_s + times.epilogue_s
        if once > EXPOSED * times.total_s:
            share = 100 * once / times.total_s
            yield f"{share:.0f} % of stage {times.name} is transfers that nothing hides"


def _small_transfers(found: ProcedureEstimate) -> Iterator[str]:
    for stage, times in zip(found.procedure.stages, found.stages, strict=True):
        volume = times.channel_bytes / max(1.0, found.system.coprocessors)
        if times.t_tr_s and volume < SMALL_TRANSFER_BYTES and len(stage.ops) > 1:
            yield f"stage {stage.name} moves {volume:.3g} B at a time: latency will show"


def _unpatterned_transfers(found: ProcedureEstimate) -> Iterator[str]:
    if not (found.refined and found.system.channels["main"].rates):
        return
    moves = [op for s in found.procedure.stages for op in s.ops if op.kind in ("load", "store")]
    plain = sum([op.pattern is None for op in moves])
    if plain:
        yield f"{plain} of {len(moves)} transfers state no pattern: they count at the peak rate"

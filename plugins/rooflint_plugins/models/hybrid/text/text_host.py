"""A comparison with the host alone in words."""

from math import ceil

from rooflint.machine.quantities import format_duration, format_volume

from rooflint_plugins.models.hybrid.derive.array_transfers import ArrayTransfer
from rooflint_plugins.models.hybrid.derive.host_comparison import HostComparison
from rooflint_plugins.models.hybrid.derive.host_only import HostTime

NOTABLE = 1.5
"""A host that better code would make so much faster is worth a word."""


def host_words(compared: HostComparison) -> list[str]:
    """Against the host alone, and from which size; empty where nothing is known of it."""
    host, best = compared.host, compared.best
    if host is None or compared.speedup is None:
        return []
    times = f"{format_duration(best.seconds)} against {format_duration(host.seconds)} of the host"
    words = [f"{_lead(host, compared.speedup)} ({times}, {host.by})"]
    if host.seconds > NOTABLE * host.at_best_s:
        ratio = f"{host.at_best_s / best.seconds:.3g} times as long as the coprocessors"
        least = format_duration(host.at_best_s)
        words.append(f"blocked (every array crosses memory once) it would take {least}, {ratio}")
    if compared.crossover is not None and compared.crossover.words:
        words.append(f"pays {compared.crossover.words}")
    steps = compared.break_even_steps
    if steps is not None and compared.best.stages[0].iterations > 1:
        words.append(f"pays from {max(1, ceil(steps))} time steps on")
    return words


def _lead(host: HostTime, speedup: float) -> str:
    cores, are = (f"{host.cores} cores", "are") if host.cores > 1 else ("one core", "is")
    if speedup >= 1:
        return f"{speedup:.3g} times as fast as the host's {cores}"
    return f"the host's {cores} {are} {1 / speedup:.3g} times as fast"


def comparison_words(compared: HostComparison) -> list[str]:
    """Clauses of a sentence: against the host, transfers, fewer coprocessors."""
    words = host_words(compared)
    words.append(f"the channel is busy {100 * compared.transfer_share:.0f} % of the time")
    enough = _enough(compared)
    if enough:
        words.append(enough)
    return words


def _enough(compared: HostComparison) -> str:
    if compared.host is None or len(compared.devices) < 2:
        return ""
    beating = [d for d in compared.devices if d.best and d.best.seconds < compared.host.seconds]
    if not beating:
        return ""
    first = beating[0]
    assert first.best is not None
    gain = compared.host.seconds / first.best.seconds
    count = first.coprocessors
    many = "1 coprocessor is" if count == 1 else f"{count} coprocessors are"
    return (
        ""
        if count == compared.devices[-1].coprocessors
        else f"{many} {gain:.3g} times as fast as the host"
    )


def transfer_cells(compared: HostComparison) -> list[tuple[str, str, str, str]]:
    """Every array: its name, what it is to the procedure, how much, and who says so."""
    cells = []
    for transfer, size in compared.transfers:
        source = f"source ({transfer.mapped.clause})" if transfer.mapped is not None else "derived"
        part = f"{transfer.kind}, {transfer.note}" if transfer.note else transfer.kind
        cells.append((transfer.array, part, format_volume(moved_bytes(transfer, size)), source))
    return cells


def transfer_lines(compared: HostComparison) -> list[str]:
    """The same as sentences."""
    return [f"{array}: {', '.join(rest)}" for array, *rest in transfer_cells(compared)]


def moved_bytes(transfer: ArrayTransfer, size: float) -> float:
    """Bytes by the map clause where there is one, else ``size``, those of the derived box."""
    return size if transfer.mapped_bytes is None else transfer.mapped_bytes

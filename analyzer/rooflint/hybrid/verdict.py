"""Is it worth moving a nest: hybrid against host, from which size, with how many coprocessors."""

from math import ceil
from typing import NamedTuple

from rooflint.hybrid.alone import Host, HostTime
from rooflint.hybrid.choice import CLASSES, Choice, break_even, reasons
from rooflint.hybrid.offload import (
    Crossover,
    Devices,
    Offload,
    by_devices,
    crossover,
    footprint_bytes,
)
from rooflint.hybrid.pages import Cut
from rooflint.hybrid.printed import printed
from rooflint.hybrid.results import Estimate
from rooflint.hybrid.roles import Role
from rooflint.hybrid.volumes import unique
from rooflint.hybrid.words import seconds, volume
from rooflint.plugin_api.prediction import Json

NOTABLE = 1.5
"""A host that better code would make so much faster is worth a word."""


class Verdict(NamedTuple):
    """What to say of a nest besides its estimate.

    host            None where the machine does not tell; then there is no crossover either
    transfer_share  part of T that the channel is busy
    roles           of all arrays in all page loops together, with their bytes
    contradictions  between map clauses and accesses, each a sentence
    """

    best: Estimate
    choice: Choice
    host: HostTime | None
    transfer_share: float
    crossover: Crossover | None
    devices: tuple[Devices, ...]
    roles: tuple[tuple[Role, float], ...]
    contradictions: tuple[str, ...]

    @property
    def speedup(self) -> float | None:
        """Host over hybrid time."""
        return None if self.host is None else self.host.seconds / self.best.seconds

    @property
    def break_even_steps(self) -> float | None:
        """Time steps from which data that stay on the coprocessors pay."""
        return None if self.host is None else break_even(self.best, self.host.seconds)


def verdict(offload: Offload, found: Cut, choice: Choice, host: Host) -> Verdict:
    """The verdict on what ``choice`` found best; ValueError where it found nothing."""
    best = choice.best
    if best is None:
        raise ValueError("nothing fits")
    alone = host.time(best.ops * best.repeat, footprint_bytes(found), found.repeat)
    crossing = None
    if alone is not None:
        crossing = crossover(offload, found, host, best.seconds / alone.seconds)
    roles = {name: (r, r.bytes(page.trips)) for name, (r, page) in unique(found).items()}
    return Verdict(
        best,
        choice,
        alone,
        transfer_share(best),
        crossing,
        tuple(by_devices(offload, found, best)),
        tuple(roles.values()),
        found.contradictions,
    )


def transfer_share(best: Estimate) -> float:
    """The part of T in which the channel is busy."""
    moving = sum([s.iterations * s.transfer_s for s in best.stages])
    once = sum([s.prologue_s + s.epilogue_s for s in best.stages])
    return min(1.0, best.repeat * (moving + once) / best.seconds)


def host_words(said: Verdict) -> list[str]:
    """Against the host alone, and from which size; empty where nothing is known of it."""
    host, best = said.host, said.best
    if host is None or said.speedup is None:
        return []
    times = f"{seconds(best.seconds)} against {seconds(host.seconds)} of the host"
    cores = f"{host.cores} cores" if host.cores > 1 else "one core"
    if said.speedup >= 1:
        lead = f"{said.speedup:.3g} times as fast as the host's {cores}"
    else:
        are = "are" if host.cores > 1 else "is"
        lead = f"the host's {cores} {are} {1 / said.speedup:.3g} times as fast"
    words = [f"{lead} ({times}, {host.by})"]
    if host.seconds > NOTABLE * host.at_best_s:
        ratio = f"{host.at_best_s / best.seconds:.3g} times as long as the coprocessors"
        words.append(
            f"blocked (every array crosses memory once) it would take {seconds(host.at_best_s)},"
            f" {ratio}"
        )
    if said.crossover is not None and said.crossover.words:
        words.append(f"pays {said.crossover.words}")
    steps = said.break_even_steps
    if steps is not None and said.best.stages[0].iterations > 1:
        words.append(f"pays from {max(1, ceil(steps))} time steps on")
    return words


def verdict_words(said: Verdict) -> list[str]:
    """Clauses of a sentence: against the host, transfers, fewer coprocessors."""
    words = host_words(said)
    words.append(f"the channel is busy {100 * said.transfer_share:.0f} % of the time")
    enough = _enough(said)
    if enough:
        words.append(enough)
    return words


def _enough(said: Verdict) -> str:
    """Where fewer coprocessors than there are beat the host, or are as good."""
    if said.host is None or len(said.devices) < 2:
        return ""
    beating = [d for d in said.devices if d.best and d.best.seconds < said.host.seconds]
    if not beating:
        return ""
    first = beating[0]
    assert first.best is not None
    gain = said.host.seconds / first.best.seconds
    count = first.coprocessors
    many = "1 coprocessor is" if count == 1 else f"{count} coprocessors are"
    return (
        ""
        if count == said.devices[-1].coprocessors
        else f"{many} {gain:.3g} times as fast as the host"
    )


def role_cells(said: Verdict) -> list[tuple[str, str, str, str]]:
    """Every array: its name, what it is to the procedure, how much, and who says so."""
    cells = []
    for role, size in said.roles:
        source = f"source ({role.mapped.clause})" if role.mapped is not None else "derived"
        part = f"{role.kind}, {role.note}" if role.note else role.kind
        cells.append((role.array, part, volume(_bytes(role, size)), source))
    return cells


def role_lines(said: Verdict) -> list[str]:
    """The same as sentences."""
    return [f"{array}: {', '.join(rest)}" for array, *rest in role_cells(said)]


def _bytes(role: Role, size: float) -> float:
    return size if role.mapped_bytes is None else role.mapped_bytes


def verdict_data(said: Verdict, function: str) -> dict[str, Json]:
    """The verdict as JSON values; all are there, None where nothing is known."""
    alternatives: list[Json] = []
    for other, words in zip(said.choice.others, reasons(said.choice.others), strict=True):
        seconds_ = None if other.found is None else other.found.seconds
        alternatives.append({
            "class": other.shape,
            "words": CLASSES[other.shape],
            "T_s": seconds_,
            "reason": other.reason or None,
            "sentence": words,
        })  # fmt: skip
    host, crossing = said.host, said.crossover
    return {
        "alternatives": alternatives,
        "host": None if host is None else {
            "T_s": host.seconds, "cores": host.cores, "by": host.by, "limit": host.limit,
            "at_best_s": host.at_best_s,
        },
        "speedup": said.speedup,
        "crossover": None if crossing is None else {
            "pays": crossing.pays,
            "sizes": dict(crossing.sizes),
            "words": crossing.words,
        },
        "break_even_steps": said.break_even_steps,
        "transfer_share": said.transfer_share,
        "devices": [_device(each, host) for each in said.devices],
        "arrays": [
            {
                "array": role.array,
                "role": role.kind,
                "bytes": _bytes(role, size),
                "loaded": role.loaded,
                "stored": role.stored,
                "origin": "derived" if role.mapped is None else "source (map clause)",
                "clause": None if role.mapped is None else role.mapped.clause,
                "note": role.note or None,
            }
            for role, size in said.roles
        ],
        "contradictions": list(said.contradictions),
        "source": printed(said.best.procedure, function=function),
    }  # fmt: skip


def _device(each: Devices, host: HostTime | None) -> Json:
    best = each.best
    if best is None:
        return {"count": each.coprocessors, "class": None, "T_s": None, "speedup": None}
    gain = None if host is None else host.seconds / best.seconds
    return {
        "count": each.coprocessors,
        "class": best.procedure.shape,
        "T_s": best.seconds,
        "speedup": gain,
    }

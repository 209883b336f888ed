"""Which class of procedure a nest should be: all that fit are evaluated, the fastest is taken."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rooflint.hybrid.derive import Candidate, candidates
from rooflint.hybrid.estimate import estimate
from rooflint.hybrid.pages import Cut
from rooflint.hybrid.procedure import Procedure
from rooflint.hybrid.results import Estimate
from rooflint.hybrid.system import System
from rooflint.hybrid.words import too_large
from rooflint.hybrid.written import Written

CLASSES = {
    "C1": "resident on one coprocessor",
    "C2": "resident, faces exchanged every step",
    "C3": "resident, whole arrays to every coprocessor every step",
    "C4": "streamed in pages",
    "C5": "streamed in several passes",
    "C6": "streamed in pages beside whole arrays",
    "C7": "a block a processor",
    "C8": "split on both sides, which is not estimated",
}


class Alternative(NamedTuple):
    """A class that was looked at: its estimate, or why it cannot be."""

    shape: str
    found: Estimate | None
    reason: str = ""


class Choice(NamedTuple):
    """The fastest class with its text; None where none is possible. The others after it."""

    best: Estimate | None
    written: Written | None
    others: tuple[Alternative, ...]


def choose(
    name: str,
    found: Cut,
    system: System,
    sidecar: Procedure | None = None,
    values: Mapping[str, float] | None = None,
) -> Choice:
    """Evaluate every class of a nest that fits, take the one with the smallest T.

    ``values`` are for parameters of the sidecar.
    """
    given = (sidecar, values or {})
    tried = [_tried(candidate, system, *given) for candidate in candidates(name, found, system)]
    possible = [
        (alternative.found, written)
        for alternative, written in tried
        if alternative.found is not None and written is not None and not alternative.reason
    ]
    if not possible:
        return Choice(None, None, tuple([alternative for alternative, _ in tried]))
    best, written = min(possible, key=lambda pair: pair[0].seconds)
    others = tuple([a for a, _ in tried if a.found is not best])
    return Choice(best, written, others)


def _tried(
    candidate: Candidate, system: System, sidecar: Procedure | None, values: Mapping[str, float]
) -> tuple[Alternative, Written | None]:
    written = candidate.written
    if written is None:
        return Alternative(candidate.shape, None, candidate.reason), None
    procedure = written.procedure(sidecar)
    known = {name: value for name, value in values.items() if name in procedure.params}
    found = estimate(procedure, system, known)
    unmet = [fit for fit in found.fits if not fit.ok and fit.le > 0]
    reason = too_large(unmet[0]) if unmet else ""
    return Alternative(candidate.shape, found, reason), written


def break_even(best: Estimate, host_s: float) -> float | None:
    """Steps of a resident procedure from which it is faster than a host that takes ``host_s``.

    What happens once is paid back by what each step saves. None where no number of steps is enough,
    and for procedures that do not keep their data.
    """
    if best.procedure.shape not in ("C1", "C2", "C3"):
        return None
    (stage,) = best.stages
    saved = host_s / stage.iterations - stage.iteration_s
    return (stage.prologue_s + stage.epilogue_s) / saved if saved > 0 else None


def reasons(others: Sequence[Alternative]) -> list[str]:
    """Why each class was not chosen, a sentence each."""
    found = []
    for other in others:
        words = CLASSES[other.shape]
        if other.reason or other.found is None:
            found.append(f"{other.shape} ({words}): {other.reason}")
        else:
            found.append(f"{other.shape} ({words}): {other.found.perf_op_s / 1e9:.4g} GFLOP/s")
    return found

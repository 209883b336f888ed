"""Which class of procedure a nest should be: all that fit are evaluated, the fastest is taken."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rooflint.hybrid.derive import candidates
from rooflint.hybrid.estimate import PLAIN, Options, estimate
from rooflint.hybrid.pages import Cut
from rooflint.hybrid.procedure import Procedure
from rooflint.hybrid.results import Estimate
from rooflint.hybrid.streamed import Blocks, Candidate
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
    "C8": "streamed in pages, arrays that no coprocessor can hold pass by each",
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
    options: Options = PLAIN,
    blocks: Blocks | None = None,
) -> Choice:
    """Evaluate every class of a nest that fits, take the one with the smallest T.

    ``values`` are for parameters of the sidecar; ``blocks`` as for ``candidates``.
    """
    made = candidates(name, found, system, blocks)
    tried = [_tried(candidate, system, sidecar, values or {}, options) for candidate in made]
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
    candidate: Candidate,
    system: System,
    sidecar: Procedure | None,
    values: Mapping[str, float],
    options: Options,
) -> tuple[Alternative, Written | None]:
    written = candidate.written
    if written is None:
        return Alternative(candidate.shape, None, candidate.reason), None
    procedure = written.procedure(sidecar)
    known = {name: value for name, value in values.items() if name in procedure.params}
    found = estimate(procedure, system, known, options)
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
    steps = best.stages[0].iterations
    saved = host_s / steps - sum([stage.iteration_s for stage in best.stages])
    once = sum([stage.prologue_s + stage.epilogue_s for stage in best.stages])
    return once / saved if saved > 0 else None


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

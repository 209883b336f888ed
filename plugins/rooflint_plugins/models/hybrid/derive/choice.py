"""Which class of procedure a nest should be: all that fit are evaluated, the fastest is taken."""

from collections.abc import Mapping, Sequence

from rooflint.records import NamedTuple

from rooflint_plugins.models.hybrid.derive.classes import candidates
from rooflint_plugins.models.hybrid.derive.pages import PagedNest
from rooflint_plugins.models.hybrid.derive.streamed import BlockMemo, ClassCandidate
from rooflint_plugins.models.hybrid.evaluate import evaluator
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.records import Procedure

CLASSES = {
    "C1": "resident on one coprocessor",
    "C2": "resident, faces exchanged every step",
    "C3": "resident, whole arrays to every coprocessor every step",
    "C4": "streamed in pages",
    "C5": "streamed in several passes",
    "C6": "streamed in pages beside whole arrays",
    "C7": "a block a processor",
    "C8": "streamed in pages, with arrays too large for a coprocessor passing by each",
}


class TriedClass(NamedTuple):
    """A class that was looked at: its estimate, or None and why it cannot be."""

    shape: str
    found: ProcedureEstimate | None
    reason: str = ""


class Choice(NamedTuple):
    """The fastest class, None where none is possible, and the others."""

    best: ProcedureEstimate | None
    others: tuple[TriedClass, ...]


def choose(
    name: str,
    found: PagedNest,
    system: System,
    sidecar: Procedure | None = None,
    values: Mapping[str, float] | None = None,
    options: evaluator.EstimateOptions = evaluator.PLAIN,
    blocks: BlockMemo | None = None,
) -> Choice:
    """Evaluate every class of a nest that fits, take the one with the smallest T.

    ``values`` are for parameters of the sidecar; ``blocks`` as for ``candidates``.
    """
    made = candidates(name, found, system, blocks)
    tried = [_tried(candidate, system, sidecar, values or {}, options) for candidate in made]
    possible = [each.found for each in tried if each.found is not None]
    best = min(possible, key=lambda found: found.seconds, default=None)
    others = tuple([each for each in tried if best is None or each.found is not best])
    return Choice(best, others)


def _tried(
    candidate: ClassCandidate,
    system: System,
    sidecar: Procedure | None,
    values: Mapping[str, float],
    options: evaluator.EstimateOptions,
) -> TriedClass:
    written = candidate.written
    if written is None:
        return TriedClass(candidate.shape, None, candidate.reason)
    procedure = written.procedure(sidecar)
    own = {*procedure.params, *[f"{evaluator.PERF}{name}" for name in procedure.kernels]}
    known = {name: value for name, value in values.items() if name in own}
    fits = evaluator.fit_checks(procedure, evaluator.symbols_of(procedure, system, known))
    unmet = next((fit for fit in fits if not fit.ok and fit.le > 0), None)
    if unmet is not None:
        return TriedClass(candidate.shape, None, unmet.shortage)
    return TriedClass(candidate.shape, evaluator.estimate(procedure, system, known, options))


def break_even(best: ProcedureEstimate, host_s: float) -> float | None:
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


def reasons(others: Sequence[TriedClass]) -> list[str]:
    """Why each class was not chosen, a sentence each."""
    found = []
    for other in others:
        words = CLASSES[other.shape]
        if other.found is None:
            found.append(f"{other.shape} ({words}): {other.reason}")
        else:
            found.append(f"{other.shape} ({words}): {other.found.perf_op_s / 1e9:.4g} GFLOP/s")
    return found

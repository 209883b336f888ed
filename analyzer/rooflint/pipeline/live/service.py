"""The analysis for a program that stays: an editor's server asks again and again about buffers.

The child keeps what it knows between questions (``live.child``): machines and models, functions
that did not change, the loops of the last buffers. One that crashes, hangs or is interrupted costs
its answer and that knowledge, nothing else.
"""

from collections.abc import Callable

from rooflint.pipeline.files import FileTask
from rooflint.pipeline.live.messages import BufferRequest, BufferResult
from rooflint.records import NamedTuple
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import Workers

__all__ = ["BufferRequest", "BufferResult", "Failure", "LiveAnalysis", "live_workers"]


class LiveAnalysis(NamedTuple):
    """Answers the questions of an editor in a child that stays.

    linter        what answers those with a lint
    low_priority  leaves the processor to others: nobody waits for the answers
    check_edits   holds what an edit changed against the whole file, read again
    """

    linter: FileTask | None = None
    low_priority: bool = False
    check_edits: bool = False

    def start(self) -> Callable[[BufferRequest | None], BufferResult | None]:
        """Loads plugins before the child is confined: later Python could keep no compiled file."""
        from rooflint.pipeline.live.child import answerer  # noqa: PLC0415 - in the child alone

        return answerer(self.linter, self.low_priority, self.check_edits)


def live_workers(seconds: float, task: LiveAnalysis) -> Workers[BufferRequest | None, BufferResult]:
    """One child that answers a BufferRequest with a BufferResult; None only makes it get ready.

    ``analyse`` blocks, and is to be called in one thread; ``interrupt`` from any other.
    """
    dialogue = Dialogue[BufferRequest | None, BufferResult](
        BufferRequest | None, BufferResult | None
    )
    return Workers(task, Limits(seconds=seconds), dialogue)

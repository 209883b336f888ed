"""Files analysed in the process of the run itself, for text that is the program's own.

Nothing limits what a source does here: a rehearsal, which is to see each function called, reads no
other.
"""

from collections.abc import Iterable, Iterator

from rooflint.pipeline.files import FileTask
from rooflint.pipeline.in_child import Analyst, Answer, Question
from rooflint.pipeline.setup.options import Options
from rooflint.registry import Registry
from rooflint.workers.limits import Failure
from rooflint.workers.pool import NEVER, KnownAnswer
from rooflint.workers.stop_signals import StopSignals


class InProcess:
    """Answers questions like ``Workers``, one after the other."""

    def __init__(self, options: Options, registry: Registry, linter: FileTask | None) -> None:
        del options  # of limits
        self._function = Analyst(registry.models, registry.rules, linter).start()

    def close(self) -> None:
        """Nothing is left at work."""

    def analyse_all(
        self,
        questions: Iterable[Question | KnownAnswer[Question | None, Answer]],
        stop: StopSignals = NEVER,
    ) -> Iterator[tuple[Question | None, Answer | Failure]]:
        """Each question with its answer, in the order asked."""
        for question in questions:
            stop.check()
            if isinstance(question, KnownAnswer):
                yield question.question, question.answer
            else:
                yield question, self._function(question)

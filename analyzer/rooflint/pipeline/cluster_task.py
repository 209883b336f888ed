"""The task of a cluster's worker: it analyses a file as this machine would, in a child process.

The files and their headers lie under the same names there. The worker's own process loads neither
libclang nor a plugin, so no file can take the worker with it.
"""

import os
import platform
import threading
from collections.abc import Callable
from functools import cache

import rooflint
from rooflint.errors import AnalysisError
from rooflint.pipeline.files import FileTask
from rooflint.pipeline.in_child import Analyst, Answer, Question
from rooflint.records import NamedTuple
from rooflint.registry import load_registry, with_rules
from rooflint.workers.dialogue import Dialogue, failure_message
from rooflint.workers.frames import unpack
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import Workers
from rooflint.workers.wire import Codec


class Task(NamedTuple):
    """A question, and the folder that its paths are relative to."""

    folder: str
    question: Question


LIMITS = Codec[Limits](Limits)


def dialogue() -> Dialogue[Task, Answer]:
    """The protocol between a run, a worker of a cluster and its child."""
    return Dialogue(Task, Answer)


class _Own(threading.local):
    """Each thread of a worker has a child of its own, as long as the limits stay the same."""

    asked: tuple[Limits, FileTask | None] | None = None
    workers: Workers[Task, Answer] | None = None

    def workers_with(self, limits: Limits, linter: FileTask | None) -> Workers[Task, Answer]:
        if self.workers is None or self.asked != (limits, linter):
            if self.workers is not None:
                self.workers.close()
            self.asked = limits, linter
            self.workers = Workers(ClusterAnalysis(linter), limits, dialogue())
        return self.workers


def run(version: str, limits: bytes, linter: FileTask | None, task: bytes) -> bytes:
    """On the worker: the packed Answer or Failure for a packed Task of that version's client.

    ``linter`` is a function of a module, which Dask sends by its name.
    """
    if version != rooflint.__version__:
        there = f"{platform.node()} has rooflint {rooflint.__version__}"
        return failure_message(
            Failure(f"the cluster's worker {there}, expected {version}", "refused")
        )
    asked = dialogue().asked(unpack(task))
    answered = _own().workers_with(LIMITS.decode(limits), linter).analyse(asked)
    return (
        failure_message(answered) if isinstance(answered, Failure) else dialogue().answer(answered)
    )


@cache
def _own() -> _Own:
    return _Own()


class ClusterAnalysis(NamedTuple):
    """Answers Tasks in the worker's child, with the plugins and the front end of that machine."""

    linter: FileTask | None

    def start(self) -> Callable[[Task], Answer]:
        """Loads plugins and the front end before the child is confined."""
        registry = with_rules(load_registry())
        analyst = Analyst(registry.models, registry.rules, self.linter)
        analyst.start()

        def answer(task: Task) -> Answer:
            try:
                os.chdir(task.folder)
            except OSError as error:
                where = f"on the cluster's worker {platform.node()}"
                raise AnalysisError(f"{task.folder}: {error.strerror} {where}") from None
            return analyst.answer(task.question)

        return answer

"""Files analysed on a Dask cluster that is there already, instead of in children of this process.

Dask moves tasks to other workers when one dies, so that costs time only. The answers come in the
order of the files and are the same bytes as here, as long as the workers have the same files,
headers, plugins and version; the latter is checked.
"""

import logging
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from typing import Any, Final

import distributed

import rooflint
from rooflint.current_folder import current_folder
from rooflint.errors import UsageError
from rooflint.pipeline import cluster_task
from rooflint.pipeline.files import FileTask
from rooflint.pipeline.in_child import Answer, Question
from rooflint.workers.frames import unpack
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import INTERRUPTED, NEVER, KnownAnswer
from rooflint.workers.stop_signals import StopSignals

CONNECT_S: Final = 5
FIRST_WORKER_S: Final = 30
LOOK_S: Final = 0.01
"""Between two looks for an answer, and for Ctrl-C: a file takes longer than that."""
AHEAD: Final = 256
"""Files given to the cluster at a time: enough for all workers while a slow one is waited for."""


class Cluster:
    """Answers questions like ``Workers``; one connection for all of them."""

    def __init__(self, address: str, limits: Limits, linter: FileTask | None) -> None:
        """Raises UsageError where no scheduler answers, or none that has workers."""
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._linter = linter
        self._limits = cluster_task.LIMITS.encode(limits)
        self._folder = current_folder()
        try:
            self._client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise UsageError(f"--cluster {address}: no scheduler answers ({error})") from None
        try:
            self._client.wait_for_workers(1, timeout=FIRST_WORKER_S)
        except TimeoutError:
            self.close()
            raise UsageError(f"--cluster {address}: the scheduler has no workers") from None

    def close(self) -> None:
        """Leaves the cluster; it keeps running."""
        self._client.close()

    def analyse_all(
        self,
        questions: Iterable[Question | KnownAnswer[Question | None, Answer]],
        stop: StopSignals = NEVER,
    ) -> Iterator[tuple[Question | None, Answer | Failure]]:
        """Each question with its answer, in the order asked, as ``Workers.analyse_all`` has it."""
        waiting = iter(questions)
        asked: deque[Any] = deque()  # futures, or questions with their answers
        try:
            while self._hand_out(waiting, asked) or asked:
                stop.check()
                if isinstance(asked[0], KnownAnswer) or asked[0].done():
                    yield _answer(asked.popleft())
                else:
                    time.sleep(LOOK_S)
        except KeyboardInterrupt:
            for one in asked:
                known = isinstance(one, KnownAnswer) or one.status == "finished"
                yield _answer(one) if known else (None, INTERRUPTED)
            raise
        finally:
            self._client.cancel(
                [one for one in asked if not isinstance(one, KnownAnswer)], force=True
            )

    def _hand_out(
        self, waiting: Iterator[Question | KnownAnswer[Question | None, Answer]], asked: deque[Any]
    ) -> bool:
        """Gives the cluster as much as it should have; whether that was anything."""
        before = len(asked)
        while len(asked) < AHEAD:
            question = next(waiting, None)
            if question is None:
                break
            if isinstance(question, KnownAnswer):
                asked.append(question)
                if len(asked) == 1:
                    break  # what is known is not kept waiting
                continue
            task = cluster_task.dialogue().question(cluster_task.Task(self._folder, question))
            version, limits, linter = rooflint.__version__, self._limits, self._linter
            future = self._client.submit(
                cluster_task.run, version, limits, linter, task, pure=False
            )
            asked.append(future)
        return len(asked) > before


def _answer(asked: Any) -> tuple[Question | None, Answer | Failure]:  # noqa: ANN401 - Dask is untyped
    if isinstance(asked, KnownAnswer):
        return asked.question, asked.answer
    try:
        found = cluster_task.dialogue().answered(unpack(asked.result()))
    except distributed.KilledWorker as error:
        died = f"{error.allowed_failures + 1} workers of the cluster died while they had it"
        return None, Failure(died, "crash")
    except (CancelledError, OSError) as error:
        return None, Failure(f"the cluster was lost: {error}", "crash")
    except Exception as error:  # the worker lacks this program, or one of its parts
        why = f"{type(error).__name__}: {error}"
        return None, Failure(f"the cluster's worker could not begin: {why}", "refused")
    return None, found

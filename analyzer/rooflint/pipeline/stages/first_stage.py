"""The first stage of a run over several files: their equations, read or known from earlier."""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol, TypeVar

from rooflint.core import DEFAULT_COMPILER
from rooflint.frontend.request import Request
from rooflint.incremental.store import ContentKey
from rooflint.ir.equations import Equations
from rooflint.pipeline.files import PlacelessForm
from rooflint.pipeline.in_child import Answer, Question
from rooflint.pipeline.results import EarlierResults, EquationsEntry
from rooflint.pipeline.weights.run_program import EQUATIONS
from rooflint.records import NamedTuple
from rooflint.workers.limits import Failure
from rooflint.workers.pool import KnownAnswer
from rooflint.workers.stop_signals import StopSignals

MAX_HELD_BYTES: Final = 256 << 20
"""Contents of files that wait for their second stage: 500 files like LULESH's. Those that come
later are read again then."""


FINISH_S: Final = 2.0
"""Spent on files that were read when the run was asked to stop; whoever asks waits for it."""

_Item = TypeVar("_Item")


def in_time(items: Iterable[_Item], seconds: float = FINISH_S) -> Iterator[_Item]:
    """Those that are asked for within so many seconds."""
    deadline = time.monotonic() + seconds
    for item in items:
        if time.monotonic() > deadline:
            return
        yield item


class Answering(Protocol):
    """Children of this machine, or a cluster."""

    def analyse_all(
        self,
        questions: Iterable[Question | KnownAnswer[Question | None, Answer]],
        stop: StopSignals = ...,
    ) -> Iterator[tuple[Question | None, Answer | Failure]]:
        """Each question with its answer, in the order asked."""


class ReadFile(NamedTuple):
    """A file behind its first stage: what it keeps for the second, or the failure that it cost.

    contents  empty where they are read again
    packed    the equations as they travel, and ``form`` of them
    """

    contents: bytes = b""
    packed: bytes = b""
    form: PlacelessForm = PlacelessForm()
    failure: Failure | None = None

    @property
    def equations(self) -> Equations | None:
        """The equations; None of a file without any."""
        return EQUATIONS.decode(self.packed) if self.packed else None


class FilesRead(NamedTuple):
    """Files in the order of their requests; fewer where an ``interruption`` cut that short."""

    files: list[ReadFile]
    interruption: type[KeyboardInterrupt] | None = None


class FirstStage:
    """Reads files, or knows their equations from ``known`` results of earlier runs."""

    def __init__(
        self,
        workers: Answering,
        known: EarlierResults | None,
        *,
        traced: bool,
        headers: bool,
    ) -> None:
        """``traced`` and ``headers`` as in a Question."""
        self._headers = headers
        self._workers = workers
        self._known = known
        self._traced = traced

    def read(self, requests: Sequence[Request | None], stop: StopSignals) -> FilesRead:
        """One for each request; an empty one for None, a file that is lost already."""
        files: list[ReadFile] = []
        try:
            for file in self._each(requests, stop):
                files.append(file)
        except KeyboardInterrupt as request:
            return FilesRead(files, type(request))
        return FilesRead(files)

    def _each(self, requests: Sequence[Request | None], stop: StopSignals) -> Iterator[ReadFile]:
        keys: deque[ContentKey | None] = deque()
        held = 0
        for _, answer in self._workers.analyse_all(self._questions(requests, keys), stop):
            key = keys.popleft()
            if isinstance(answer, Failure):
                yield ReadFile(failure=answer)
                continue
            contents = answer.contents if held < MAX_HELD_BYTES else b""
            held += len(contents)
            yield ReadFile(contents=contents, packed=answer.equations, form=answer.form)
            if self._known is not None and key is not None and answer.inputs is not None:
                entry = EquationsEntry(answer.inputs, answer.equations, answer.form)
                self._known.keep_equations(key, entry)

    def _questions(
        self, requests: Sequence[Request | None], keys: deque[ContentKey | None]
    ) -> Iterator[Question | KnownAnswer[Question | None, Answer]]:
        for request in requests:
            key = None
            if request is None:
                keys.append(None)
                yield KnownAnswer(None, Answer(None))
                continue
            if self._known is not None:
                key = self._known.equations_key(request)
            entry = self._known.equations(key) if self._known is not None and key else None
            keys.append(key)
            if entry is not None:
                answer = Answer(None, equations=entry.equations, form=entry.form)
                yield KnownAnswer(None, answer)
                continue
            yield Question(
                request=request,
                setup=b"",
                compiler=DEFAULT_COMPILER,
                traced=self._traced and key is not None,
                stage="reading",
                headers=self._headers,
            )

"""The last stage of a run over several files: advice, once the shares of its time are known."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rooflint.pipeline.advice.loop_advice import FileAdvice
from rooflint.pipeline.advice.merging import with_advice
from rooflint.pipeline.advice.places import LoopPlaces
from rooflint.pipeline.files import FileResult
from rooflint.pipeline.in_child import Answer, Question
from rooflint.pipeline.results import AdviceEntry, EarlierResults
from rooflint.pipeline.stages.first_stage import Answering
from rooflint.pipeline.stages.run_files import AdvisableFile
from rooflint.workers.limits import Failure
from rooflint.workers.pool import KnownAnswer
from rooflint.workers.stop_signals import StopSignals


class AdviceStage:
    """Asks for the advice of files, or knows it from ``known`` results of earlier runs.

    internal  failures of this program, each with the path of its file
    """

    def __init__(
        self,
        workers: Answering,
        known: EarlierResults | None,
        files: Mapping[str, AdvisableFile],
    ) -> None:
        """``files`` by path: others have no advice."""
        self._workers, self._known, self._files = workers, known, files
        self.failures: list[tuple[str, Failure]] = []

    def results(
        self, results: Sequence[FileResult], chosen: Mapping[str, LoopPlaces], stop: StopSignals
    ) -> Iterator[tuple[int, FileResult]]:
        """The results that get advice, each with its number; ``chosen``: as of
        ``advised_loops``."""
        asked: deque[tuple[int, LoopPlaces]] = deque()
        numbers = [n for n, each in enumerate(results) if each.report.path in chosen]
        numbers = [n for n in numbers if results[n].report.path in self._files]
        wanted = [(n, chosen[results[n].report.path]) for n in numbers]
        paths = [each.report.path for each in results]
        questions = self._questions(wanted, paths, asked)
        for _, answer in self._workers.analyse_all(questions, stop):
            number, loops = asked.popleft()
            path = paths[number]
            if isinstance(answer, Failure):
                self._note_failure(path, answer)
            elif answer.advice is not None:
                self._keep(self._files[path], loops, answer)
                yield number, with_advice(results[number], answer.advice)

    def _note_failure(self, path: str, failure: Failure) -> None:
        self.failures.append((path, failure))
        if self._known is not None:
            self._known.note_unkept()

    def _questions(
        self,
        wanted: Iterable[tuple[int, LoopPlaces]],
        paths: Sequence[str],
        asked: deque[tuple[int, LoopPlaces]],
    ) -> Iterator[Question | KnownAnswer[Question | None, Answer]]:
        for number, loops in wanted:
            file = self._files[paths[number]]
            asked.append((number, loops))
            known = self._advice(file, loops)
            if known is not None:
                yield KnownAnswer(None, Answer(None, advice=known))
            else:
                yield file.question._replace(
                    stage="advice", traced=file.question.traced, functions=b"", loops=loops
                )

    def _advice(self, file: AdvisableFile, loops: LoopPlaces) -> FileAdvice | None:
        if self._known is None or file.keys is None:
            return None
        return self._known.advice(file.keys, loops)

    def _keep(self, file: AdvisableFile, loops: LoopPlaces, answer: Answer) -> None:
        inputs, advice = answer.inputs, answer.advice
        if self._known is None or file.keys is None or inputs is None or advice is None:
            return
        self._known.keep_advice(file.keys, loops, AdviceEntry(inputs, advice))

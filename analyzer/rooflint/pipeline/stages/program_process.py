"""A process of its own that solves the program of a run: the run's process only hands bytes on.

It reads no source, only what the processes of single files have found in it.
"""

from collections.abc import Callable, Iterable
from typing import Final
from weakref import finalize

from rooflint.pipeline.in_child import SCENARIOS
from rooflint.pipeline.weights.basis import WeighedFile
from rooflint.pipeline.weights.placed_times import ProgramShares
from rooflint.pipeline.weights.run_program import FileSettings, RunProgram, ValuePurpose
from rooflint.plugin_api.report import SizeDoubt
from rooflint.records import NamedTuple
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import Workers
from rooflint.workers.wire import MAX_BODY_BYTES

LEAST_FILES: Final = 16
"""Of a program that gets its own process: to start one takes as long as to solve that many small
files (20 ms)."""
SECONDS: Final = 3600.0
"""For a program: it grows with all files of a run, and what runs here has no limit."""
MAX_SENT_BYTES: Final = MAX_BODY_BYTES // 4
"""Of equations in one message, which has little else."""


class ValueQuestion(NamedTuple):
    """The values of a file are wanted."""

    path: str
    purpose: ValuePurpose


class ProgramQuestion(NamedTuple):
    """A part of a program, or one of three questions about it.

    equations  packed, of files beside those before
    settings   of files, each with its path, in the order in which they were made
    basis      parts of the reports at which the shares of the program's time are wanted
    doubts     whether the guesses are wanted that the last shares rest on
    """

    equations: tuple[bytes, ...] = ()
    settings: tuple[tuple[str, FileSettings], ...] = ()
    value: ValueQuestion | None = None
    basis: tuple[WeighedFile, ...] | None = None
    doubts: bool = False


class ProgramAnswer(NamedTuple):
    """The part that the question asked for; nothing where it only brought a part of the program."""

    scenario: bytes | None = None
    shares: ProgramShares | None = None
    doubts: tuple[SizeDoubt, ...] | None = None


class ProgramTask(NamedTuple):
    """Answers questions about the program that it gets piece by piece."""

    def start(self) -> Callable[[ProgramQuestion], ProgramAnswer]:
        """An empty program."""
        return _KeptProgram().answer


class _KeptProgram:
    def __init__(self) -> None:
        self._program = RunProgram()
        self._settings: dict[str, FileSettings] = {}

    def answer(self, question: ProgramQuestion) -> ProgramAnswer:
        """Adds to the program what the question brings, and answers."""
        if question.equations:
            self._program.add_packed(question.equations)
        for path, settings in question.settings:
            self._settings[path] = settings
            self._program.settle(path, settings.given, settings.counts)
        return ProgramAnswer(
            scenario=self._scenario(question.value),
            shares=None if question.basis is None else self._program.shares(question.basis),
            doubts=self._program.doubts() if question.doubts else None,
        )

    def _scenario(self, asked: ValueQuestion | None) -> bytes | None:
        if asked is None:
            return None
        settings = self._settings[asked.path]
        scenario = self._program.of_file(
            asked.path,
            settings.given,
            settings.counts,
            lint=asked.purpose.lint,
            measured=asked.purpose.measured,
        )
        return SCENARIOS.encode(scenario)


class ProgramProcess:
    """The same program as a run's, in a process that starts with the first question.

    It ends with this object, which a run keeps as long as its program. ``failure``: why there are
    no answers any more; the run then solves the program itself.
    """

    def __init__(self, limits: Limits) -> None:
        """``limits``: those of a file, of which the memory counts here."""
        dialogue = Dialogue[ProgramQuestion, ProgramAnswer](ProgramQuestion, ProgramAnswer)
        self._workers = Workers(ProgramTask(), limits._replace(seconds=SECONDS), dialogue)
        self._equations: list[bytes] = []
        self._settings: list[tuple[str, FileSettings]] = []
        self.failure: Failure | None = None
        finalize(self, self._workers.close)

    def add(self, files: Iterable[bytes]) -> None:
        """Packed equations of files beside those before."""
        self._equations += files

    def settle(self, path: str, settings: FileSettings) -> None:
        """The settings of a file."""
        self._settings.append((path, settings))

    def scenario(self, path: str, purpose: ValuePurpose) -> bytes | None:
        """The packed values of a file."""
        answer = self._asked(ProgramQuestion(value=ValueQuestion(path, purpose)))
        return None if answer is None else answer.scenario

    def shares(self, basis: tuple[WeighedFile, ...]) -> ProgramShares | None:
        """The shares of the program's time at these parts of reports."""
        answer = self._asked(ProgramQuestion(basis=basis))
        return None if answer is None else answer.shares

    def doubts(self) -> tuple[SizeDoubt, ...] | None:
        """The guesses that the shares asked for last rest on."""
        answer = self._asked(ProgramQuestion(doubts=True))
        return None if answer is None else answer.doubts

    def _asked(self, question: ProgramQuestion) -> ProgramAnswer | None:
        """The answer, once the process has all of the program."""
        while self._equations and self.failure is None:
            self._answer(ProgramQuestion(equations=self._next_equations()))
        settings = tuple(self._settings)
        self._settings.clear()
        return self._answer(question._replace(settings=settings))

    def _next_equations(self) -> tuple[bytes, ...]:
        """As many of those that wait as one message may have, at least one."""
        sent = bytes_sent = 0
        while sent < len(self._equations):
            bytes_sent += len(self._equations[sent])
            if sent and bytes_sent > MAX_SENT_BYTES:
                break
            sent += 1
        equations = tuple(self._equations[:sent])
        del self._equations[:sent]
        return equations

    def _answer(self, question: ProgramQuestion) -> ProgramAnswer | None:
        if self.failure is None:
            answer = self._workers.analyse(question)
            if not isinstance(answer, Failure):
                return answer
            # a process in its place would know nothing of the program
            self.failure = answer
            self._workers.close()
        return None


def solving_process(files: int, limits: Limits) -> ProgramProcess | None:
    """The process for a program of so many files; None where the run solves it itself."""
    return ProgramProcess(limits) if files >= LEAST_FILES else None

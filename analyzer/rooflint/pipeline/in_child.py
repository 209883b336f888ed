"""The analysis of a file inside the child process that parsed it.

What a report holds is a third of what the IR holds, so it takes less time on its way to the parent,
and files are analysed side by side.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from rooflint.compile_flags.regular_files import Inputs
from rooflint.core import Compiler
from rooflint.errors import AnalysisError
from rooflint.frontend.request import Request
from rooflint.incremental.function_outcomes import FunctionOutcomes, unpacked_outcomes
from rooflint.ir import Unit
from rooflint.pipeline.advice.loop_advice import Adviser, FileAdvice
from rooflint.pipeline.advice.places import LoopPlaces
from rooflint.pipeline.advice.weighing import AnalysedProgram
from rooflint.pipeline.files import FileResult, FileTask, PlacelessForm, file_task
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.message import SETUPS
from rooflint.plugin_api.hookspecs import Model, Rule
from rooflint.plugin_api.prediction import Prediction
from rooflint.records import NamedTuple
from rooflint.registry import Registry, is_own, with_requested
from rooflint.scenario.values import FileScenario
from rooflint.startup import CHILD_SECTION, load_section
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.wire import MAX_BODY_BYTES, Codec, WireError

if TYPE_CHECKING:
    from rooflint.ir.equations import Equations
    from rooflint.pipeline.weights.run_program import RunProgram

SCALARS: Final = frozenset((str, int, float, bool, type(None)))


Stage: TypeAlias = Literal["whole", "reading", "analysis", "advice"]
"""``whole``: the file is a program of its own; else it is read first, analysed when the sizes of
the whole program are known, and has advice when the shares of the program's time are."""


class Question(NamedTuple):
    """A file for a child; ``setup`` is packed once for all files that share it, compiler aside.

    An empty one leaves the analysis to the parent. ``traced``: what the result rests on is wanted,
    and the functions for the next run; ``functions`` are those of the last one.

    counts    as the setup has them
    contents  the file as it was read at its first stage; empty: it is read now
    scenario  the packed FileScenario of its second stage
    headers   whether the result names headers of the project; one without loops always does
    loops     those that have advice, at its stage
    timed     whether a profile of the run tells shares of the time
    """

    request: Request
    setup: bytes
    compiler: Compiler
    traced: bool = False
    functions: bytes = b""
    counts: bytes = b""
    stage: Stage = "whole"
    contents: bytes = b""
    scenario: bytes = b""
    headers: bool = False
    loops: LoopPlaces = frozenset()
    timed: bool = False

    @property
    def weighed_by(self) -> bytes:
        """The source of values and weights beside the file: the program, or a profile."""
        return self.scenario or (TIMED if self.timed else b"")


class Answer(NamedTuple):
    """A child's answer for a file: its ``result``, or the ``unit`` for the parent to analyse.

    After the first stage it has packed ``equations``, their ``form``, and packed ``contents`` for
    the second, which are empty where they are too large. ``scenario``: the packed values that
    belong to the unit, with ``equations`` of a file that is a program of its own. ``advice`` is
    that of its stage.
    """

    result: FileResult | None
    unit: Unit | None = None
    inputs: Inputs | None = None
    functions: bytes = b""
    equations: bytes = b""
    form: PlacelessForm = PlacelessForm()
    contents: bytes = b""
    scenario: bytes = b""
    advice: FileAdvice | None = None


class ReadContents(NamedTuple):
    """A file as it was read: loops, headers of the project, and inputs where they are wanted."""

    unit: Unit
    headers: tuple[str, ...]
    inputs: Inputs | None


TIMED: Final = b"timed"
PREDICTION: Final = Codec[Prediction](Prediction)
CONTENTS: Final = Codec[ReadContents](ReadContents)
SCENARIOS: Final = Codec[FileScenario](FileScenario)
NOTHING_KNOWN: Final = SCENARIOS.encode(FileScenario())
MAX_CONTENTS_BYTES: Final = MAX_BODY_BYTES // 4
"""A message has more than the contents of a file; what is larger is read twice."""


def dialogue() -> Dialogue[Question | None, Answer]:
    """The protocol between a run and its children."""
    return Dialogue(Question, Answer)


class FileReader:
    """Reads files in a child, once the front end is loaded."""

    def __init__(self) -> None:
        # in the child alone
        from rooflint.frontend.equations.extraction import extracted_file  # noqa: PLC0415
        from rooflint.frontend.parse.inputs import (  # noqa: PLC0415
            InputReader,
            project_headers,
        )
        from rooflint.ir.equations import Equations  # noqa: PLC0415
        from rooflint.pipeline.moved.placeless import placeless_form  # noqa: PLC0415
        from rooflint.pipeline.weights.run_program import RunProgram  # noqa: PLC0415

        self._extracted = extracted_file
        self._form = placeless_form
        self._program = RunProgram
        self._equations = Codec[Equations](Equations)
        self._inputs = InputReader()
        self._headers = project_headers

    def contents(self, question: Question) -> "tuple[ReadContents, Equations]":
        """Loops and equations of the file."""
        path = question.request.path
        unit, equations, trace = self._extracted(question.request)
        inputs = None
        if question.traced:
            inputs = self._inputs.inputs(path, trace.data, trace.parses)
        # of a file without loops to say where some are
        named = question.headers or not unit.functions
        headers = self._headers(path, trace.parses) if named else ()
        return ReadContents(unit, headers, inputs), equations

    def first_answer(self, question: Question) -> Answer:
        """The answer of the first stage."""
        contents, equations = self.contents(question)
        try:
            packed = CONTENTS.encode(contents)
        except WireError:  # read again then
            packed = b""
        if len(packed) > MAX_CONTENTS_BYTES:
            packed = b""
        return Answer(
            None,
            inputs=contents.inputs,
            equations=self._equations.encode(equations),
            form=self._form(equations),
            contents=packed,
        )

    def file_of(self, question: Question) -> "FileInput":
        """The file of any later stage."""
        if question.contents:
            return FileInput(CONTENTS.decode(question.contents), question.scenario)
        contents, equations = self.contents(question)
        if question.stage != "whole" or not question.setup:
            return FileInput(contents, question.scenario or NOTHING_KNOWN)
        message = SETUPS.decode(question.setup)
        program = self._program()
        program.add([equations])
        given = (message.sizes, message.configured)
        scenario = program.of_file(
            equations.path,
            given,
            question.counts,
            lint=message.lint is not None,
            measured=question.timed or bool(question.counts),
        )
        return FileInput(
            contents=contents,
            scenario=SCENARIOS.encode(scenario),
            program=program,
            equations=equations,
        )

    def unanalysed(self, file: "FileInput") -> Answer:
        """The unit for the parent to analyse."""
        equations = b"" if file.equations is None else self._equations.encode(file.equations)
        return Answer(None, file.contents.unit, scenario=file.scenario, equations=equations)


class FileInput(NamedTuple):
    """A file of a later stage with its packed scenario; of a program by itself, that program."""

    contents: ReadContents
    scenario: bytes
    program: "RunProgram | None" = None
    equations: "Equations | None" = None


class UnitExtraction(NamedTuple):
    """Answers each Question with the Unit of its file, for the parent to analyse."""

    def start(self) -> Callable[[Question], Answer]:
        """Loads the front end."""
        reader = FileReader()

        def answer(question: Question) -> Answer:
            if question.stage == "reading":
                return reader.first_answer(question)
            return reader.unanalysed(reader.file_of(question))

        return answer


class Analyst:
    """Answers a Question in a child: the answer holds a FileResult.

    It holds the Unit, for the parent to analyse, where a plugin's prediction holds what does not
    travel, and from a child that could not be forked and so lacks this process's plugins.
    """

    elsewhere = UnitExtraction()

    def __init__(
        self,
        models: Iterable[Model],
        rules: Iterable[Rule] = (),
        linter: FileTask | None = None,
    ) -> None:
        self._linter = linter
        self._rules = tuple(rules)
        self._adviser = Adviser(models := tuple(models), self._rules, linter)
        self._models = {model.name: model for model in models}
        self._foreign = frozenset(name for name, model in self._models.items() if not is_own(model))
        self._setups: dict[bytes, AnalysisSetup] = {}

    def start(self) -> Callable[[Question], Answer]:
        """Loads the front end, once the child runs."""
        load_section(CHILD_SECTION)
        self._reader = FileReader()
        return self.answer

    def answer(self, question: Question) -> Answer:
        """The analysis of one file, or its first stage."""
        if question.stage == "reading":
            return self._reader.first_answer(question)
        file = self._reader.file_of(question)
        unit, headers, inputs = file.contents
        if not question.setup:
            return self._reader.unanalysed(file)
        path = question.request.path
        kept = None
        if question.traced:
            kept = FunctionOutcomes(unpacked_outcomes(question.functions))
        setup = self._setup(question.setup)._replace(
            compiler=question.compiler, counts=question.counts
        )
        if file.scenario:
            setup = setup._replace(scenario=SCENARIOS.decode(file.scenario))
        if question.stage == "advice":
            advice = self._adviser.advice(path, unit, setup, question.loops)
            return Answer(None, inputs=inputs, advice=advice)
        result = file_task(setup, self._linter)(path, unit, setup, kept)
        result = result._replace(headers=headers)
        if self._foreign and not all(map(travels, self._foreign_predictions(result))):
            return self._reader.unanalysed(file)
        if file.program is not None:
            program = AnalysedProgram(file.program, unit, setup)
            result = program.weighed(result, self._adviser, timed=question.timed)
        return Answer(
            result=result,
            unit=None,
            inputs=inputs,
            functions=kept.packed() if kept is not None else b"",
        )

    def _setup(self, packed: bytes) -> AnalysisSetup:
        setup = self._setups.get(packed)
        if setup is None:
            message = SETUPS.decode(packed)
            names = message.models
            if not self._models.keys() >= set(names):
                found = with_requested(Registry(tuple(self._models.values())), names).models
                self._models = {model.name: model for model in found}
            rules = {rule.code: rule for rule in self._rules}
            if lacking := sorted({*names, *message.rules} - {*self._models, *rules}):
                raise AnalysisError(f"no plugin here has {', '.join(lacking)}")
            models = tuple([self._models[name] for name in names])
            setup = message.setup(models, tuple([rules[code] for code in message.rules]))
            self._setups[packed] = setup
        return setup

    def _foreign_predictions(self, result: FileResult) -> Iterator[Prediction]:
        for function in result.report.functions:
            for nest in function.nests:
                for kernel in nest.kernels:
                    for measured in kernel.results:
                        for prediction in measured.predictions:
                            if prediction.model in self._foreign:
                                yield prediction


def travels(prediction: Prediction) -> bool:
    """Whether it is still the same at the other end of a pipe."""
    if type(prediction) is not Prediction:
        return False
    if not all(map(_plain, prediction._replace(plot=None, figures=(), terms=None))):
        return False
    try:
        arrived = PREDICTION.decode(PREDICTION.encode(prediction))
    except (WireError, TypeError):
        return False
    typed = (prediction.plot, prediction.figures, prediction.terms)
    return (arrived.plot, arrived.figures, arrived.terms) == typed


def _plain(value: object) -> bool:
    if type(value) in SCALARS:
        return True
    if type(value) is dict:
        return all(map(_plain, value)) and all(map(_plain, value.values()))
    return type(value) in (list, tuple) and all(map(_plain, cast(Iterable[object], value)))

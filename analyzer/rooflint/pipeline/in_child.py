"""The analysis of a file inside the child process that parsed it.

What a report holds is a third of what the IR holds, so it takes less time on its way to the parent,
and files are analysed side by side.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, cast

from rooflint.core import Compiler
from rooflint.errors import AnalysisError
from rooflint.frontend.parse.inputs import InputReader, Inputs, project_headers
from rooflint.frontend.request import Request
from rooflint.incremental.function_outcomes import FunctionOutcomes, unpacked_outcomes
from rooflint.ir import Unit
from rooflint.pipeline.files import FileResult, FileTask, file_task
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.message import SETUPS
from rooflint.plugin_api.hookspecs import Model, Rule
from rooflint.plugin_api.prediction import Prediction
from rooflint.records import NamedTuple
from rooflint.registry import Registry, with_requested
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.wire import Codec, WireError

OWN_MODELS: Final = "rooflint_plugins."
SCALARS: Final = frozenset((str, int, float, bool, type(None)))


class Question(NamedTuple):
    """A file for a child; ``setup`` is packed once for all files that share it, compiler aside.

    An empty one leaves the analysis to the parent. ``traced``: what the result rests on is wanted,
    and the functions for the next run; ``functions`` are those of the last one. ``counts``: as the
    setup has them.
    """

    request: Request
    setup: bytes
    compiler: Compiler
    traced: bool = False
    functions: bytes = b""
    counts: bytes = b""


class Answer(NamedTuple):
    """A child's answer for a file: its ``result``, or the ``unit`` for the parent to analyse."""

    result: FileResult | None
    unit: Unit | None = None
    inputs: Inputs | None = None
    functions: bytes = b""


PREDICTION: Final = Codec[Prediction](Prediction)


def dialogue() -> Dialogue[Question | None, Answer]:
    """The protocol between a run and its children."""
    return Dialogue(Question, Answer)


class UnitExtraction(NamedTuple):
    """Answers each Question with the Unit of its file, for the parent to analyse."""

    def start(self) -> Callable[[Question], Answer]:
        """Loads the front end."""
        from rooflint.frontend.extract import extract  # noqa: PLC0415 - in the child alone

        def answer(question: Question) -> Answer:
            return Answer(None, extract(question.request))

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
        self._models = {model.name: model for model in models}
        self._foreign = frozenset(
            name
            for name, model in self._models.items()
            if not type(model).__module__.startswith(OWN_MODELS)
        )
        self._setups: dict[bytes, AnalysisSetup] = {}
        self._reader = InputReader()

    def start(self) -> Callable[[Question], Answer]:
        """Loads the front end, once the child runs."""
        from rooflint.frontend.extract import extract_with_trace  # noqa: PLC0415 - in the child alone

        self._traced = extract_with_trace
        return self.answer

    def answer(self, question: Question) -> Answer:
        """The analysis of one file."""
        begin_ns = time.time_ns()
        unit, trace = self._traced(question.request)
        if not question.setup:
            return Answer(None, unit)
        path = question.request.path
        inputs, kept = None, None
        if question.traced:
            kept = FunctionOutcomes(unpacked_outcomes(question.functions))
            inputs = self._reader.inputs(path, trace.data, trace.parses, begin_ns)
        setup = self._setup(question.setup)._replace(
            compiler=question.compiler, counts=question.counts
        )
        headers = project_headers(path, trace.parses) if setup.lint is not None else ()
        result = file_task(setup, self._linter)(path, unit, setup, kept)
        result = result._replace(headers=headers)
        if self._foreign and not all(map(travels, self._foreign_predictions(result))):
            return Answer(None, unit)
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
    if not all(map(_plain, prediction._replace(plot=None, figures=()))):
        return False
    try:
        arrived = PREDICTION.decode(PREDICTION.encode(prediction))
    except (WireError, TypeError):
        return False
    return arrived.plot == prediction.plot and arrived.figures == prediction.figures


def _plain(value: object) -> bool:
    if type(value) in SCALARS:
        return True
    if type(value) is dict:
        return all(map(_plain, value)) and all(map(_plain, value.values()))
    return type(value) in (list, tuple) and all(map(_plain, cast(Iterable[object], value)))

"""The analysis of a file inside the child process that parsed it.

What a report holds is a third of what the IR holds, so it takes less time on its way to the parent,
and files are analysed side by side.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, cast

from rooflint.analysis.bench import Bench
from rooflint.analysis.compilers import compiler_of
from rooflint.analysis.files import FileResult, analyse_safely
from rooflint.core import Compiler
from rooflint.frontend.child import resolve
from rooflint.frontend.packing import pack, unpack
from rooflint.frontend.request import Request
from rooflint.frontend.worker import EXTRACT
from rooflint.hookspecs import Model
from rooflint.ir import Unit
from rooflint.prediction import Prediction
from rooflint.registry import Registry, with_requested

OWN_MODELS: Final = "rooflint_plugins."
SCALARS: Final = frozenset((str, int, float, bool, type(None)))


class Question(NamedTuple):
    """A file for a child; ``bench`` is packed once for all files that share it, compiler aside.

    An empty one leaves the analysis to the parent.
    """

    request: Request
    bench: bytes
    compiler: Compiler


def packed_bench(bench: Bench) -> bytes:
    """The bench without its models, of which a forked child has its own."""
    return pack((bench._replace(models=(), rates={}), tuple([m.name for m in bench.models])))


class Analyst:
    """What a child does with a Question: the answer is a FileResult.

    It is the Unit, for the parent to analyse, where a plugin's prediction holds what does not
    travel, and from a child that could not be forked and so lacks this process's plugins.
    """

    elsewhere = "rooflint.analysis.in_child:unit_of"

    def __init__(self, models: Iterable[Model]) -> None:
        self._models = {model.name: model for model in models}
        self._foreign = frozenset(
            name
            for name, model in self._models.items()
            if not type(model).__module__.startswith(OWN_MODELS)
        )
        self._benches: dict[bytes, Bench] = {}

    def start(self) -> Callable[[Question], FileResult | Unit]:
        """Loads the front end, once the child runs."""
        resolve(EXTRACT)
        return self.answer

    def answer(self, question: Question) -> FileResult | Unit:
        """The analysis of one file."""
        unit = unit_of(question)
        if not question.bench:
            return unit
        compiler = compiler_of(question.request.flags.code)
        bench = self._bench(question.bench)._replace(compiler=compiler)
        result = analyse_safely(question.request.path, unit, bench)
        if self._foreign and not all(map(_travels, self._foreign_predictions(result))):
            return unit
        return result

    def _bench(self, packed: bytes) -> Bench:
        bench = self._benches.get(packed)
        if bench is None:
            rest, names = unpack(packed)
            if not self._models.keys() >= set(names):
                found = with_requested(Registry(tuple(self._models.values())), names).models
                self._models = {model.name: model for model in found}
            bench = rest._replace(models=tuple([self._models[name] for name in names]))
            self._benches[packed] = bench
        return bench

    def _foreign_predictions(self, result: FileResult) -> Iterator[Prediction]:
        for function in result.report.functions:
            for nest in function.nests:
                for kernel in nest.kernels:
                    for measured in kernel.results:
                        for prediction in measured.predictions:
                            if prediction.model in self._foreign:
                                yield prediction


def unit_of(question: Question) -> Unit:
    """What the front end makes of the file."""
    unit: Unit = resolve(EXTRACT)(question.request)
    return unit


def _travels(prediction: Prediction) -> bool:
    return type(prediction) is Prediction and all(map(_plain, prediction))


def _plain(value: object) -> bool:
    """Whether it is made of the types JSON knows, and tuples, and of none derived from them."""
    if type(value) in SCALARS:
        return True
    if type(value) is dict:
        return all(map(_plain, value)) and all(map(_plain, value.values()))
    return type(value) in (list, tuple) and all(map(_plain, cast(Iterable[object], value)))

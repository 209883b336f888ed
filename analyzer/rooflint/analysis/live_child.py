"""The child's side of ``live``: everything that stays between questions."""

from collections import OrderedDict
from functools import cache
from typing import Final, Generic, NamedTuple, TypeVar

from rooflint.analysis.bench import Bench
from rooflint.analysis.benches import Benches
from rooflint.analysis.files import worked
from rooflint.analysis.in_child import travels
from rooflint.analysis.live import Look, Seen
from rooflint.analysis.memo import Memo
from rooflint.core import Compiler
from rooflint.frontend.extract import traced
from rooflint.frontend.find_flags import FlagFinder
from rooflint.frontend.request import Request
from rooflint.ir import Unit
from rooflint.registry import Registry, load_registry
from rooflint.report import FileReport, KernelReport, MachineResult, Skipped

KEPT_UNITS: Final = 4
KEPT_SETTINGS: Final = 8
KEPT_FILES: Final = 64
NOT_PLAIN: Final = "its data has more than plain values, which an editor does not get"

Name = TypeVar("Name")
Thing = TypeVar("Thing")


class _Recent(OrderedDict[Name, Thing], Generic[Name, Thing]):
    """The things last used, no more than ``limit`` of them."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def recall(self, name: Name) -> Thing | None:
        if name in self:
            self.move_to_end(name)
        return self.get(name)

    def keep(self, name: Name, thing: Thing) -> Thing:
        self[name] = thing
        self.move_to_end(name)
        while len(self) > self.limit:
            self.popitem(last=False)
        return thing


class _Parsed(NamedTuple):
    """A buffer's loops and the files that it includes."""

    request: Request
    unit: Unit
    included: tuple[str, ...]


class _Setting:
    """What one set of options needs: flags, machines, and the functions known with them."""

    def __init__(self, look: Look, registry: Registry) -> None:
        options = look.options
        self.benches = Benches(options, registry)
        self.flags = FlagFinder(options.build_dir, options.flags, look.folder)
        self._memos: _Recent[tuple[str, int, Compiler], Memo] = _Recent(KEPT_FILES)

    def memo(self, path: str, bench: Bench, compiler: Compiler) -> Memo:
        name = (path, id(bench), compiler)  # benches live as long as this
        return self._memos.recall(name) or self._memos.keep(name, Memo())


class _Answerer:
    """Answers questions one after the other."""

    def __init__(self) -> None:
        self._registry = load_registry()
        self._revision = 0
        self._settings: _Recent[str, _Setting] = _Recent(KEPT_SETTINGS)
        self._units: _Recent[str, _Parsed] = _Recent(KEPT_UNITS)

    def seen(self, look: Look) -> Seen:
        if look.revision != self._revision:
            self._revision = look.revision
            self._settings.clear()
            self._units.clear()
        setting = self._setting(look)
        bench = setting.benches.bench_for(look.path)
        flags = setting.flags.flags(look.path)
        compiler = setting.benches.compiler(look.path, flags.code)
        _, unit, included = self._parsed(Request(look.path, flags, look.text, look.others))
        memo = setting.memo(look.path, bench, compiler)
        before = memo.computed
        if look.lines is None:
            memo.begin()
        else:
            unit = _part(unit, *look.lines)
        result = worked(look.path, unit, bench._replace(compiler=compiler), memo)
        result = result._replace(report=_travelling(result.report))
        names = {machine.name for machine in bench.machines}
        machines = [m for m in setting.benches.machine_reports if m.name in names]
        problems = tuple(setting.benches.problems)
        return Seen(result, tuple(machines), problems, memo.computed - before, included)

    def _setting(self, look: Look) -> _Setting:
        name = repr((look.options, look.folder))
        known = self._settings.recall(name)
        return known or self._settings.keep(name, _Setting(look, self._registry))

    def _parsed(self, request: Request) -> _Parsed:
        """The loops of a buffer; those of the last ones are still known."""
        known = self._units.recall(request.path)
        if known is not None and request.text is not None and known.request == request:
            return known
        unit, trace = traced(request)
        included = tuple(dict.fromkeys(name for parse in trace.parses for name in parse.included))
        return self._units.keep(request.path, _Parsed(request, unit, included))


def _part(unit: Unit, first: int, last: int) -> Unit:
    """Only the functions that have one of the lines."""
    functions = [f for f in unit.functions if f.span.line <= last and first <= f.span.end_line]
    return unit._replace(functions=tuple(functions))


def _travelling(report: FileReport) -> FileReport:
    """Without predictions of plugins that hold more than plain values."""
    return report._replace(
        functions=tuple(
            [
                function._replace(
                    nests=tuple(
                        [
                            nest._replace(kernels=tuple(map(_plain_kernel, nest.kernels)))
                            for nest in function.nests
                        ]
                    )
                )
                for function in report.functions
            ]
        )
    )


def _plain_kernel(kernel: KernelReport) -> KernelReport:
    if all(travels(p) for result in kernel.results for p in result.predictions):
        return kernel
    return kernel._replace(results=tuple(map(_plain_result, kernel.results)))


def _plain_result(result: MachineResult) -> MachineResult:
    lost = [p.model for p in result.predictions if not travels(p)]
    return result._replace(
        predictions=tuple([p for p in result.predictions if p.model not in lost]),
        skipped=(*result.skipped, *[Skipped(model, NOT_PLAIN, failed=True) for model in lost]),
    )


@cache
def _answerer() -> _Answerer:
    return _Answerer()


def answer(look: Look | None) -> Seen | None:
    """What a child does with a question; raises RooflintError for what people have to mend."""
    answerer = _answerer()
    return None if look is None else answerer.seen(look)

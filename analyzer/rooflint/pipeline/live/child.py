"""The child's side of ``live``: everything that stays between questions."""

import gc
import os
from collections.abc import Callable
from typing import Final, NamedTuple

from rooflint.core import Compiler
from rooflint.frontend.extract import traced
from rooflint.frontend.request import Request
from rooflint.incremental.function_cache import Memo
from rooflint.incremental.lru_cache import Recent
from rooflint.ir import Unit
from rooflint.pipeline.files import FileResult, FileTask, file_task
from rooflint.pipeline.in_child import travels
from rooflint.pipeline.live.lint import PartLint, part_of
from rooflint.pipeline.live.messages import Look, Seen
from rooflint.pipeline.setup.bench import Bench
from rooflint.pipeline.setup.benches import Benches
from rooflint.pipeline.setup.flags import ConfiguredFlags
from rooflint.plugin_api.report import FileReport, KernelReport, MachineResult, Skipped
from rooflint.registry import Registry, load_registry, with_rules

KEPT_UNITS: Final = 4
KEPT_SETTINGS: Final = 8
KEPT_FILES: Final = 64
NONE: Final[tuple[int, ...]] = ()
NICENESS: Final = 10
NOT_PLAIN: Final = "its data has more than plain values, which an editor does not get"


class _Parsed(NamedTuple):
    """A buffer's loops and the files that it includes."""

    request: Request
    unit: Unit
    included: tuple[str, ...]


class _Setting:
    """What one set of options needs: flags, machines, and the functions known with them."""

    def __init__(self, look: Look, registry: Registry, linter: FileTask | None) -> None:
        options = look.options
        self.benches = Benches(options, registry)
        self.flags = ConfiguredFlags(options, self.benches.configs, look.folder)
        self._linter = linter
        self.lint = PartLint(linter)
        self._memos: Recent[tuple[str, int, Compiler], Memo] = Recent(KEPT_FILES)

    def analysed(self, look: Look, unit: Unit, bench: Bench) -> tuple[FileResult, int]:
        """The report, and how many functions were not known."""
        name = (look.path, id(bench.rates), bench.compiler)  # rates live as long as this
        memo = self._memos.recall(name) or self._memos.keep(name, Memo())
        if look.lines is None:
            memo.begin()
        before = memo.computed
        result = file_task(bench, self._linter)(look.path, unit, bench, memo)
        return result._replace(report=_travelling(result.report)), memo.computed - before

    def linted(self, look: Look, unit: Unit, bench: Bench) -> tuple[FileResult, tuple[int, ...]]:
        """The findings, and the lines of functions that are not known where only those count."""
        setting = id(bench.rates)
        if look.known:
            return self.lint.of_known(look.path, unit, bench, setting)
        if look.lines is None:
            return self.lint.of_file(look.path, unit, bench), ()
        return self.lint.of_functions(look.path, unit, bench, setting), ()


class _Answerer:
    """Answers questions one after the other."""

    def __init__(self, linter: FileTask | None) -> None:
        self._linter = linter
        self._registry = load_registry()
        self._revision = 0
        self._settings: Recent[str, _Setting] = Recent(KEPT_SETTINGS)
        self._units: Recent[str, _Parsed] = Recent(KEPT_UNITS)
        gc.freeze()  # what is loaded stays: looking through it after each answer takes 30 ms

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
        bench = bench._replace(compiler=compiler)
        if look.lines is not None:
            unit = part_of(unit, *look.lines)
        computed, unknown = 0, NONE
        if look.options.lint is None:
            result, computed = setting.analysed(look, unit, bench)
        else:
            result, unknown = setting.linted(look, unit, bench)
        if look.lines is not None:
            result = _without_wrong_names(result)
        names = {machine.name for machine in bench.machines}
        machines = [m for m in setting.benches.machine_reports if m.name in names]
        problems = tuple(setting.benches.problems)
        return Seen(result, tuple(machines), problems, computed, included, unknown)

    def _setting(self, look: Look) -> _Setting:
        name = repr((look.options, look.folder))
        known = self._settings.recall(name)
        if known is None:
            registry = self._registry
            if look.options.lint is not None:
                registry = with_rules(registry)
            known = self._settings.keep(name, _Setting(look, registry, self._linter))
        return known

    def _parsed(self, request: Request) -> _Parsed:
        """The loops of a buffer; those of the last ones are still known."""
        known = self._units.recall(request.path)
        if known is not None and request.text is not None and known.request == request:
            return known
        unit, trace = traced(request)
        included = tuple(dict.fromkeys(name for parse in trace.parses for name in parse.included))
        return self._units.keep(request.path, _Parsed(request, unit, included))


def _without_wrong_names(result: FileResult) -> FileResult:
    """Loops that were not looked at may have the sizes which no other has."""
    report = result.report
    said = [d for d in report.diagnostics if d.kind != "unknown-size"]
    return result._replace(report=report._replace(diagnostics=tuple(said)))


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


def answerer(linter: FileTask | None, low_priority: bool) -> Callable[[Look | None], Seen | None]:
    """The function that answers questions; it raises RooflintError for what people have to mend."""
    if low_priority and hasattr(os, "nice"):
        os.nice(NICENESS)
    own = _Answerer(linter)

    def answer(look: Look | None) -> Seen | None:
        return None if look is None else own.seen(look)

    return answer

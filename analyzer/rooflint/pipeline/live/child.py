"""The child's side of ``live``: everything that stays between questions."""

import gc
import os
from collections.abc import Callable
from typing import Final

from rooflint.config.configured_flags import ConfiguredFlags
from rooflint.core import Compiler
from rooflint.frontend.request import Request
from rooflint.incremental.function_outcomes import FunctionOutcome, FunctionOutcomes
from rooflint.incremental.store import ContentKey, MemoryStore, content_key
from rooflint.ir import Unit
from rooflint.pipeline.files import FileResult, FileTask
from rooflint.pipeline.live.buffers import KEPT_BUFFERS, BufferReader
from rooflint.pipeline.live.known_functions import KnownFile
from rooflint.pipeline.live.lint import PartLint, part_of
from rooflint.pipeline.live.messages import BufferRequest, BufferResult
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.registry import Registry, load_registry, with_rules
from rooflint.workers.wire import Codec

KEPT_SETTINGS: Final = 8
KEPT_FUNCTIONS: Final = 4096
"""64 files of 50 functions, and a dozen edits of each: undo and redo cost nothing."""
COMPILERS: Final = Codec[Compiler](Compiler)
NONE: Final[tuple[int, ...]] = ()
NICENESS: Final = 10


class _Setting:
    """The state of one set of options: flags, machines, and the functions known with them."""

    def __init__(self, look: BufferRequest, registry: Registry, linter: FileTask | None) -> None:
        options = look.options
        self.resolver = SetupResolver(options, registry)
        self.flags = ConfiguredFlags(options, self.resolver.configs, look.folder)
        self.lint = PartLint(linter)
        self._functions = MemoryStore[FunctionOutcome](KEPT_FUNCTIONS)
        self._files = MemoryStore[KnownFile](KEPT_BUFFERS)

    def analysed(
        self, look: BufferRequest, unit: Unit, setup: AnalysisSetup
    ) -> tuple[FileResult, int]:
        if look.lines is not None:
            unit = part_of(unit, *look.lines)
        key = self.key(look.path, setup)
        outcomes = FunctionOutcomes(self._functions, key)
        file_key = content_key(look.path, key, "" if look.lines is None else "part")
        known = self._files.get(file_key)
        if known is None:
            known = KnownFile()
            self._files.put(file_key, known)
        result = known.file_result(look.path, unit, setup, outcomes)
        return result, outcomes.computed

    def linted(
        self, look: BufferRequest, unit: Unit, setup: AnalysisSetup
    ) -> tuple[FileResult, tuple[int, ...]]:
        setting = self.key(look.path, setup)
        unit = self.lint.with_costs(look.path, unit, setup, setting)
        if look.lines is not None:
            unit = part_of(unit, *look.lines)
        if look.known:
            return self.lint.of_known(look.path, unit, setup, setting)
        if look.lines is None:
            return self.lint.of_file(look.path, unit, setup, setting), ()
        return self.lint.of_functions(look.path, unit, setup, setting), ()

    def key(self, path: str, setup: AnalysisSetup) -> ContentKey:
        return content_key(self.resolver.key(path), COMPILERS.canonical(setup.compiler))


class _Answerer:
    """Answers questions one after the other."""

    def __init__(self, linter: FileTask | None, check_edits: bool) -> None:
        self._linter = linter
        self._buffers = BufferReader(check_edits)
        self._registry = load_registry()
        self._revision = 0
        self._settings = MemoryStore[_Setting](KEPT_SETTINGS)
        gc.freeze()  # what is loaded stays: looking through it after each answer takes 30 ms

    def seen(self, look: BufferRequest) -> BufferResult:
        if look.revision != self._revision:
            self._revision = look.revision
            self._settings.clear()
            self._buffers.clear()
        setting = self._setting(look)
        setup = setting.resolver.setup_for(look.path)
        flags = setting.flags.flags(look.path)
        compiler = setting.resolver.compiler(look.path, flags.code)
        parsed = self._buffers.parsed_buffer(
            Request(path=look.path, flags=flags, text=look.text, others=look.others)
        )
        unit, program = parsed.found.unit, parsed.program
        scenario = program.of_file(
            look.path,
            (setup.sizes, setup.configured),
            setup.counts,
            lint=look.options.lint is not None,
            measured=bool(setup.counts),
        )
        setup = setup._replace(compiler=compiler, scenario=scenario)
        computed, unknown = 0, NONE
        if look.options.lint is None:
            result, computed = setting.analysed(look, unit, setup)
        else:
            result, unknown = setting.linted(look, unit, setup)
        if look.lines is not None:
            result = _without_wrong_names(result)
        if look.lines is None or look.options.lint is not None:
            (report,) = program.weighed((result.report,))
            result = result._replace(report=report)
        names = {machine.name for machine in setup.machines}
        machines = [m for m in setting.resolver.machine_reports if m.name in names]
        problems = (*setting.resolver.problems, *self._buffers.differences)
        return BufferResult(
            result=result,
            machines=tuple(machines),
            problems=problems,
            computed=computed,
            included=parsed.included_files,
            unknown=unknown,
        )

    def prepare(self) -> None:
        """Does what the next answers need, while nobody waits."""
        self._buffers.prepare()

    def _setting(self, look: BufferRequest) -> _Setting:
        key = content_key(repr((look.options, look.folder)))
        setting = self._settings.get(key)
        if setting is None:
            registry = self._registry
            if look.options.lint is not None:
                registry = with_rules(registry)
            setting = _Setting(look, registry, self._linter)
            self._settings.put(key, setting)
        return setting


def _without_wrong_names(result: FileResult) -> FileResult:
    report = result.report
    said = [d for d in report.diagnostics if d.kind != "unknown-size"]
    return result._replace(report=report._replace(diagnostics=tuple(said)))


def answerer(
    linter: FileTask | None, low_priority: bool, check_edits: bool = False
) -> Callable[[BufferRequest | None], BufferResult | None]:
    """The function that answers questions; it raises RooflintError for what people have to mend.

    ``check_edits``: as for ``BufferReader``.
    """
    if low_priority and hasattr(os, "nice"):
        os.nice(NICENESS)
    own = _Answerer(linter, check_edits)

    def answer(look: BufferRequest | None) -> BufferResult | None:
        if look is None:
            own.prepare()
            return None
        return own.seen(look)

    return answer

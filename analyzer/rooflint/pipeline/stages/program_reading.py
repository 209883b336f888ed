"""The program that files make up, read and solved without the analysis of its loops."""

import os
from collections.abc import Iterable, Iterator

from rooflint.config.configured_flags import ConfiguredFlags
from rooflint.config.settings import Config
from rooflint.errors import RooflintError
from rooflint.frontend.request import Request
from rooflint.incremental.disk_store import DiskStore, default_folder
from rooflint.pipeline.in_child import Analyst, dialogue
from rooflint.pipeline.results import EarlierResults
from rooflint.pipeline.setup.options import Options
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.pipeline.stages.first_stage import FirstStage
from rooflint.pipeline.weights.comment_sizes import commented_sizes
from rooflint.plugin_api.hookspecs import Model, Rule
from rooflint.program.asking.deciding import DecidingSizes
from rooflint.program.scenarios import ProgramScenario
from rooflint.records import NamedTuple
from rooflint.registry import Registry
from rooflint.scenario.sizes import SizeLayer
from rooflint.workers.limits import Failure
from rooflint.workers.pool import Workers
from rooflint.workers.stop_signals import StopSignals


class ProgramRead(NamedTuple):
    """A program, the sizes that hold for it, and a line for each file and setting that is lost.

    config  of the first file, for all
    """

    scenario: ProgramScenario
    config: Config
    layers: tuple[SizeLayer, ...]
    problems: tuple[str, ...]
    files: int

    def deciding_sizes(self) -> DecidingSizes:
        """The open sizes of the program."""
        given = self.scenario.given_sizes(self.layers)
        return DecidingSizes(self.scenario.equations, given)

    def unused(self, names: Iterable[str]) -> frozenset[str]:
        """Those of the ``names`` that no trip count rests on."""
        return frozenset(names) - self.scenario.matched(self.layers)

    def names(self) -> frozenset[str]:
        """All names that trip counts rest on."""
        return self.scenario.names()


class ProgramReader:
    """Reads the files of a program in children, or knows their equations from earlier runs."""

    def __init__(self, options: Options, registry: Registry) -> None:
        """Raises UsageError for options that cannot be."""
        self._options = options
        self._registry = registry
        self._setups = SetupResolver(options, registry)
        self._flags = ConfiguredFlags(options, self._setups.configs)
        self._problems: dict[str, None] = {}

    def read(self, paths: Iterable[str], stop: StopSignals) -> ProgramRead:
        """The program of these files; KeyboardInterrupt where ``stop`` asked for an end.

        Raises RooflintError for a wrong configuration of the first file.
        """
        files = list(paths)
        setup = self._setups.setup_for(files[0])
        requests = list(map(self._request, files))
        analyst = Analyst((), ())
        jobs = self._options.jobs or os.cpu_count() or 1
        workers = Workers(analyst, self._options.limits, dialogue(), jobs)
        try:
            stage = FirstStage(workers, self._known(), traced=True, headers=False)
            found = stage.read(requests, stop)
        finally:
            workers.close()
        if found.interruption is not None:
            raise found.interruption
        self._problems.update(self._failures(files, [each.failure for each in found.files]))
        read = [each.equations for each in found.files]
        equations = [each for each in read if each is not None]
        return ProgramRead(
            scenario=ProgramScenario(equations, commented_sizes(equations)),
            config=self._setups.config_for(files[0]),
            layers=(setup.sizes, setup.configured),
            problems=tuple(self._problems),
            files=len(equations),
        )

    def _known(self) -> EarlierResults | None:
        if self._options.cache_dir == "":
            return None
        plugins: list[Model | Rule] = [*self._registry.models, *self._registry.rules]
        return EarlierResults(DiskStore(self._options.cache_dir or default_folder()), plugins)

    def _request(self, path: str) -> Request | None:
        try:
            return Request(path=path, flags=self._flags.flags(path))
        except (RooflintError, OSError) as error:
            self._problems[str(error)] = None
            return None

    def _failures(
        self, files: Iterable[str], failures: Iterable[Failure | None]
    ) -> Iterator[tuple[str, None]]:
        for path, failure in zip(files, failures, strict=True):
            if failure is not None:
                yield f"{path}: not read: {failure.reason}", None

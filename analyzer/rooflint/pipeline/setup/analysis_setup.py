"""Machines, models and settings of a file's analysis."""

from collections.abc import Callable, Mapping

from rooflint.config.lint_settings import LintSettings
from rooflint.core import DEFAULT_COMPILER, Compiler
from rooflint.core.external.cycles import ExternalCoreCycles
from rooflint.facts import KernelFacts
from rooflint.incremental.function_outcomes import NOTHING_KNOWN, KnownAnswers
from rooflint.ir import SourceFunction
from rooflint.machine import Machine, Tlb
from rooflint.memory import Rates
from rooflint.memory import Rule as LayerRule
from rooflint.memory.engine import REPORT_BUDGET
from rooflint.pipeline.setup.advice_settings import AdviceSettings
from rooflint.plugin_api.hookspecs import Model, Rule
from rooflint.records import NamedTuple
from rooflint.scenario import CacheEntry
from rooflint.scenario.sizes import SizeLayer
from rooflint.scenario.values import NO_SCENARIO, FileScenario


class AnalysisSetup(NamedTuple):
    """Machines, models and settings shared by all functions of a file.

    models       to ask, in order; ``shown`` are those whose answers are reported
    sizes        set on the command line; ``configured`` by the configuration
    rates        peaks and bandwidths by machine and cores, filled as they are needed
    pinned       sizes of functions by name, which hold before comments and configuration
    layers       the rule for what a cache must hold to keep a layer
    compiler     whose code the core models plan, with the flags of the file
    second       the other source of the core's cycles, where the user asked for one
    entry        the state of the caches on entry that somebody chose; None: nobody did
    residency    the level that holds all data when a loop starts; empty: as ``entry`` says
    counts       packed counts of the file's functions; empty: no profile covers the file
    scenario     values that the program gives to the file's sizes
    limiters     whether the limiter of each kernel is tried at the ends of its guessed sizes
    advice       what the configuration asks of the lint, where loops that take time have advice
    budget       what a replay of a function's accesses may cost
    reuse_in_full  whether regimes and blocks are replayed, and misses told apart by their kind
    detailed     whether the models are also asked for the other state of the caches on entry
    known        answers about functions of an earlier text of the file
    lint         thresholds where the file is linted, and ``rules`` to ask; None: it is analysed
    """

    machines: tuple[Machine, ...]
    models: tuple[Model, ...]
    shown: frozenset[str]
    sizes: SizeLayer
    configured: SizeLayer
    cores: str | None
    configured_cores: str | None
    rates: dict[tuple[str, int, Tlb | None], Rates]
    compiler: Compiler = DEFAULT_COMPILER
    layers: LayerRule = "exact"
    pinned: Mapping[str, Mapping[str, int]] = {}
    second: Callable[[SourceFunction, KernelFacts, Machine], ExternalCoreCycles] | None = None
    rules: tuple[Rule, ...] = ()
    lint: LintSettings | None = None
    residency: str = ""
    counts: bytes = b""
    entry: CacheEntry | None = None
    scenario: FileScenario = NO_SCENARIO
    limiters: bool = False
    advice: AdviceSettings | None = None
    budget: int = REPORT_BUDGET
    reuse_in_full: bool = False
    detailed: bool = False
    known: KnownAnswers = NOTHING_KNOWN

    def rates_of(self, machine: Machine, cores: int) -> Rates:
        """The rates of ``machine`` with ``cores`` active."""
        key = (machine.file, cores, machine.tlb)
        if key not in self.rates:
            self.rates[key] = Rates(machine, cores)
        return self.rates[key]

"""Which machines, models and settings a file is analysed with; each configuration's set once."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rooflint.compile_flags.flags import CodeGeneration
from rooflint.config.lint_settings import (
    NOTES,
    LintOverrides,
    LintSettings,
    Name,
    codes_named,
    resolve_settings,
)
from rooflint.config.settings import Config, ConfigFinder
from rooflint.core import Compiler
from rooflint.errors import RooflintError, UsageError, near_miss
from rooflint.incremental.store import ContentKey
from rooflint.machine import DEFAULT, Machine, builtin_dir
from rooflint.memory.engine import EXACT_BUDGET, HINT_BUDGET, REPORT_BUDGET
from rooflint.pipeline.setup.advice_settings import AdviceSettings, advice_settings
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.compilers import compiler_of
from rooflint.pipeline.setup.machines import machine_named, machine_report
from rooflint.pipeline.setup.message import SETUPS, setup_key, setup_message
from rooflint.pipeline.setup.options import Options
from rooflint.plugin_api.hookspecs import Model, Rule
from rooflint.plugin_api.report import MachineReport
from rooflint.registry import ON_REQUEST, Registry, missing, with_requested
from rooflint.scenario import chosen_entry
from rooflint.scenario.sizes import SizeLayer


class SetupResolver:
    """Options and configuration turned into machines and models, as files need them.

    problems  machines that could not be used, a line each
    """

    def __init__(
        self, options: Options, registry: Registry, configs: ConfigFinder | None = None
    ) -> None:
        """``configs``: where the run has read some already.

        Raises UsageError when options leave no machine, or name no model or rule that exists."""
        self.options = options
        self.registry = registry
        self.problems: list[str] = []
        self._dirs = (builtin_dir(), *registry.machine_dirs)
        self.configs = ConfigFinder(options.isolated) if configs is None else configs
        self._setups: dict[str, AnalysisSetup] = {}
        self._configs: dict[str, Config] = {}
        self._packed: dict[str, bytes] = {}
        self._keys: dict[str, ContentKey] = {}
        self._machines: dict[str, Machine] = {}
        self._used: dict[str, Machine] = {}
        self._reports: dict[str, MachineReport] = {}
        self._models(options.models)
        if options.lint is not None:
            resolve_settings(options.lint, LintOverrides(), registry.rules)
        self._chosen = self._usable(options.machines, options.cores) if options.machines else ()
        if options.machines and not self._chosen:
            raise UsageError(self.problems.pop())

    @property
    def machines(self) -> tuple[Machine, ...]:
        """The machines used so far, in the order of their first use."""
        return tuple(self._used.values())

    @property
    def machine_reports(self) -> tuple[MachineReport, ...]:
        """The same as reports name them."""
        return tuple(self._reports.values())

    def setup_for(self, path: str) -> AnalysisSetup:
        """The setup of a file; raises RooflintError for a wrong configuration."""
        config = self.config_for(path)
        name = self._name(path)
        if name not in self._setups:
            setup = self._setup(config)
            pinned = self.options.pinned.get(path)
            self._setups[name] = setup if pinned is None else setup._replace(pinned=pinned)
        setup = self._setups[name]
        for machine in setup.machines:
            if machine.name not in self._reports:
                chosen = bool(self.options.machines or config.machines)
                self._used[machine.name] = machine
                self._reports[machine.name] = machine_report(machine, chosen)
        return setup

    def packed(self, path: str) -> bytes:
        """The setup of a file as it travels, its compiler aside."""
        name = self._name(path)
        if name not in self._packed:
            self._packed[name] = SETUPS.encode(setup_message(self.setup_for(path)))
        return self._packed[name]

    def key(self, path: str) -> ContentKey:
        """The contents of the setup of a file, its compiler aside."""
        name = self._name(path)
        if name not in self._keys:
            self._keys[name] = setup_key(self.setup_for(path))
        return self._keys[name]

    def _name(self, path: str) -> str:
        return path if path in self.options.pinned else self.config_for(path).file

    def compiler(self, path: str, code: CodeGeneration) -> Compiler:
        """Whose code is planned for a file; raises RooflintError for a wrong configuration."""
        judged = self.options.judged.get(path)
        if judged is not None and judged.compiler is not None:
            return judged.compiler
        wanted = self.options.compiler or self.config_for(path).compiler
        return compiler_of(code, wanted)

    def config_for(self, path: str) -> Config:
        """The configuration that a file is judged by; ConfigurationError where it is wrong."""
        config = self._configs.get(path)
        if config is None:
            judged = self.options.judged.get(path)
            config = self.configs.config_for(Path(judged.like if judged is not None else path))
            self._configs[path] = config
        return config

    def lint_for(self, path: str) -> LintSettings:
        """The lint settings of a file; raises RooflintError for a wrong configuration."""
        return self.setup_for(path).lint or LintSettings(frozenset())

    def lint_of(self, path: str) -> LintSettings:
        """The same; what holds without rules where that is wrong."""
        try:
            return self.lint_for(path)
        except RooflintError:
            return LintSettings(frozenset())

    def check(self, config: Config) -> None:
        """Raises RooflintError where a configuration names what does not exist."""
        self._setup(config)

    def wanted(self, paths: Iterable[str]) -> list[str]:
        """The files that their configuration does not exclude; one that is wrong excludes none.

        Raises RooflintError where no file has a configuration that is right.
        """
        wanted: list[str] = []
        wrong: list[RooflintError] = []
        for path in paths:
            try:
                excluded = self.lint_for(path).excludes(path)
            except RooflintError as error:
                wrong.append(error)
                excluded = False
            if not excluded:
                wanted.append(path)
        if wrong and len(wrong) == len(wanted):
            raise wrong[0]
        return wanted

    def _setup(self, config: Config) -> AnalysisSetup:
        machines = self._chosen or self._configured(config)
        self._check_cores(config, machines)
        names = self.options.models or config.models
        try:
            models = self._models(names)
        except UsageError as error:
            raise config.wrong(f"model: {error}", "model") from None
        lint, rules = self._lint(config)
        if lint is not None and not self.options.models:
            # the configuration's models are those of reports
            names = models_of_rules(rules, machines)
            models = self._models(names)
        return AnalysisSetup(
            machines=machines,
            models=models if lint is not None else self._with_estimators(models),
            shown=frozenset(names) or frozenset(model.name for model in models),
            sizes=SizeLayer("command line", self.options.sizes),
            configured=SizeLayer("configuration", config.sizes_in(self.options.scenario)),
            cores=self.options.cores,
            configured_cores=config.cores,
            rates={},
            layers=self.options.layers,
            rules=rules,
            lint=lint,
            residency=self.options.residency,
            entry=chosen_entry(self.options.entry, config.entry),
            limiters=self.options.limiters,
            advice=self._advice(config),
            budget=self._budget(),
            reuse_in_full=self.options.reuse_in_full,
            detailed=self.options.detailed,
        )

    def _advice(self, config: Config) -> AdviceSettings | None:
        if not self._advises():
            return None
        return advice_settings(config.lint, in_full=self.options.advice_in_full)

    def _advises(self) -> bool:
        """Verdicts take the models of reports, and a lint needs no advice beside its findings.

        An analyser of assembly has no price of a change that no compiler has seen.
        """
        asked = self.options.advice and self.options.core_source == "model"
        return asked and not self.options.models and self.options.lint is None

    def _budget(self) -> int:
        """Of replays: hints are for somebody who waits."""
        if self.options.exact:
            return EXACT_BUDGET
        return REPORT_BUDGET if self.options.lint is None else HINT_BUDGET

    def _lint(self, config: Config) -> tuple[LintSettings | None, tuple[Rule, ...]]:
        """The lint settings where ``config`` holds, and the rules asked for."""
        if self.options.lint is None:
            return None, ()
        names: list[Name] = [*NOTES, *self.registry.rules]
        for keys, word in config.lint.rules():
            try:
                codes_named(word, names)
            except UsageError as error:
                raise config.wrong(f"{keys[0]}: {error}", *keys) from None
        lint = resolve_settings(self.options.lint, config.lint, self.registry.rules)
        return lint, tuple([rule for rule in self.registry.rules if rule.code in lint.codes])

    def _configured(self, config: Config) -> tuple[Machine, ...]:
        try:
            found = [self._machine(name) for name in config.machines or (DEFAULT,)]
        except RooflintError as error:
            raise config.wrong(f"machine: {error}", "machine") from None
        return tuple({machine.name: machine for machine in found}.values())

    def _check_cores(self, config: Config, machines: Iterable[Machine]) -> None:
        """Raises RooflintError for cores that a machine does not have."""
        cores = self.options.cores or config.cores
        try:
            for machine in machines:
                if cores is not None:
                    machine.resolve_cores(cores)
        except UsageError as error:
            if self.options.cores:
                raise
            text = str(error).removeprefix("--cores ")
            raise config.wrong(f"cores: {text}", "cores") from None

    def _usable(self, names: Iterable[str], cores: str | None) -> tuple[Machine, ...]:
        """The machines that exist, are valid and have so many cores; the others are problems."""
        found: dict[str, Machine] = {}
        for name in names:
            try:
                machine = self._machine(name)
                if cores is not None:
                    machine.resolve_cores(cores)
            except RooflintError as error:
                self.problems.append(str(error))
            else:
                found.setdefault(machine.name, machine)
        return tuple(found.values())

    def _machine(self, name: str) -> Machine:
        if name not in self._machines:
            self._machines[name] = machine_named(name, self._dirs)
        return self._machines[name]

    def _with_estimators(self, models: tuple[Model, ...]) -> tuple[Model, ...]:
        """The models with those asked for verdicts alone; none of them where models are named."""
        if self.options.models or not self.options.estimators:
            return models
        return self._models((*[model.name for model in models], *self.options.estimators))

    def _models(self, names: Sequence[str]) -> tuple[Model, ...]:
        return models_named(names, self.registry)


def models_named(names: Sequence[str], registry: Registry) -> tuple[Model, ...]:
    """The models of these names, with those they need; without names all but ON_REQUEST.

    Raises UsageError for a name that no model has.
    """
    registry = with_requested(registry, names) if names else registry
    known = {model.name: model for model in registry.models}
    wanted: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in known:
            if name in names:
                there = sorted({*known, *ON_REQUEST})
                expected = f"expected {', '.join(there)}{near_miss(name, there)}"
                raise UsageError(f"unknown model '{name}', {expected}")
            continue
        if name not in wanted:
            wanted.add(name)
            waiting += known[name].needs.models
    return tuple(m for m in registry.models if not names or m.name in wanted)


def models_of_rules(rules: Iterable[Rule], machines: Iterable[Machine]) -> tuple[str, ...]:
    """The models that price what rules find on a machine; those of no rule are the cheapest."""
    asked = [rule for rule in rules if not all(missing(rule.needs, each) for each in machines)]
    return tuple(dict.fromkeys(name for rule in asked for name in rule.models)) or ("roofline",)

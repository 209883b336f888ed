"""A setup as it travels to children, and as the contents that results rest on."""

from collections.abc import Mapping
from typing import Final

from rooflint.config.lint_settings import LintSettings
from rooflint.incremental.store import ContentKey, content_key
from rooflint.machine import Machine
from rooflint.memory import Rule as LayerRule
from rooflint.pipeline.setup.advice_settings import AdviceSettings
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.plugin_api.hookspecs import Model, Rule
from rooflint.records import NamedTuple
from rooflint.scenario import CacheEntry
from rooflint.scenario.sizes import SizeLayer
from rooflint.workers.wire import Codec


class SetupMessage(NamedTuple):
    """An AnalysisSetup as it travels: models and rules by name, without what follows from it."""

    machines: tuple[Machine, ...]
    shown: frozenset[str]
    sizes: SizeLayer
    configured: SizeLayer
    cores: str | None
    configured_cores: str | None
    layers: LayerRule
    pinned: Mapping[str, Mapping[str, int]]
    lint: LintSettings | None
    models: tuple[str, ...]
    rules: tuple[str, ...]
    residency: str
    entry: CacheEntry | None
    limiters: bool
    advice: AdviceSettings | None
    budget: int
    reuse_in_full: bool
    detailed: bool

    def setup(self, models: tuple[Model, ...], rules: tuple[Rule, ...]) -> AnalysisSetup:
        """The setup with these models and rules, which are those of the same names."""
        return AnalysisSetup(
            machines=self.machines,
            models=models,
            shown=self.shown,
            sizes=self.sizes,
            configured=self.configured,
            cores=self.cores,
            configured_cores=self.configured_cores,
            rates={},
            layers=self.layers,
            pinned=self.pinned,
            rules=rules,
            lint=self.lint,
            residency=self.residency,
            entry=self.entry,
            limiters=self.limiters,
            advice=self.advice,
            budget=self.budget,
            reuse_in_full=self.reuse_in_full,
            detailed=self.detailed,
        )


def setup_message(setup: AnalysisSetup) -> SetupMessage:
    """The setup without its compiler, which is each file's own."""
    return SetupMessage(
        machines=setup.machines,
        shown=setup.shown,
        sizes=setup.sizes,
        configured=setup.configured,
        cores=setup.cores,
        configured_cores=setup.configured_cores,
        layers=setup.layers,
        pinned=setup.pinned,
        lint=setup.lint,
        models=tuple([model.name for model in setup.models]),
        rules=tuple([rule.code for rule in setup.rules]),
        residency=setup.residency,
        entry=setup.entry,
        limiters=setup.limiters,
        advice=setup.advice,
        budget=setup.budget,
        reuse_in_full=setup.reuse_in_full,
        detailed=setup.detailed,
    )


SETUPS: Final = Codec[SetupMessage](SetupMessage)


def setup_key(setup: AnalysisSetup) -> ContentKey:
    """The contents of all of a setup on which results rest, its compiler aside."""
    message = setup_message(setup)
    if message.lint is not None:
        # these change which files are looked at and which rules there are, and no result
        lint = message.lint._replace(known=frozenset(), exclude=(), headers=())
        message = message._replace(lint=lint)
    return content_key(SETUPS.canonical(message))

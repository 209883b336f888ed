"""The advice for some loops of a file, made where the file was analysed."""

from collections.abc import Iterable
from typing import Final

from rooflint.config.lint_settings import NOTES, LintOverrides, resolve_settings
from rooflint.errors import UsageError
from rooflint.ir import Unit
from rooflint.memory.engine import HINT_BUDGET, REPORT_BUDGET
from rooflint.pipeline.advice.limiters import LoopLimiters, loop_limiters
from rooflint.pipeline.advice.places import LoopPlaces
from rooflint.pipeline.files import FileTask, place_of, with_costs_of_calls
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.resolver import models_named, models_of_rules
from rooflint.pipeline.trials import BISECTIONS
from rooflint.plugin_api.advice import Advice, Silence
from rooflint.plugin_api.hookspecs import Model, Rule
from rooflint.records import NamedTuple
from rooflint.registry import Registry, with_rules

_NOTE_CODES: Final = frozenset([note.code for note in NOTES])


class FileAdvice(NamedTuple):
    """Findings for some loops of a file, and how their limiters depend on guesses.

    problem   why there is none: a mistake in the configuration
    internal  bugs of rules, a line each
    """

    findings: tuple[Advice, ...] = ()
    silent: tuple[Silence, ...] = ()
    limiters: tuple[LoopLimiters, ...] = ()
    problem: str = ""
    internal: tuple[str, ...] = ()


class Adviser:
    """Asks the rules; the built-in ones are loaded for the first loop that is worth it."""

    def __init__(
        self, models: Iterable[Model], rules: Iterable[Rule], linter: FileTask | None
    ) -> None:
        """``rules``: those known so far; ``linter``: the task of a lint."""
        self._registry = Registry(models=tuple(models), rules=tuple(rules))
        self._linter = linter
        self._complete = False
        self._setups: dict[int, AnalysisSetup] = {}

    def advice(
        self,
        path: str,
        unit: Unit,
        setup: AnalysisSetup,
        loops: LoopPlaces,
        bisections: int = BISECTIONS,
    ) -> FileAdvice:
        """The advice for the nests of ``loops``; a bug costs the advice, not the report.

        ``bisections`` of each break-even of their limiters.
        """
        if not loops or setup.advice is None or self._linter is None:
            return FileAdvice()
        try:
            counted = with_costs_of_calls(unit, setup)
            limiters = loop_limiters(counted, setup, loops, bisections)
            return self._advice(path, counted, setup, loops)._replace(limiters=tuple(limiters))
        except UsageError as error:
            return FileAdvice(problem=str(error))
        except MemoryError:  # a limit of the file, and no bug
            raise
        except Exception as error:
            text = f"{type(error).__name__}: {error} ({place_of(error)})"
            return FileAdvice(internal=(f"{path}: internal error in its advice: {text}",))

    def _advice(self, path: str, unit: Unit, setup: AnalysisSetup, loops: LoopPlaces) -> FileAdvice:
        assert self._linter is not None
        result = self._linter(path, unit, self._lint_setup(setup, loops))
        return FileAdvice(
            findings=result.report.findings,
            silent=result.report.silent,
            internal=result.internal,
        )

    def _lint_setup(self, setup: AnalysisSetup, loops: LoopPlaces) -> AnalysisSetup:
        """The setup of a lint of these loops."""
        assert setup.advice is not None
        registry = self._rules()
        settings = resolve_settings(LintOverrides(), setup.advice.overrides, registry.rules)
        settings = settings._replace(codes=settings.codes - _NOTE_CODES, loops=loops)
        rules = tuple([rule for rule in registry.rules if rule.code in settings.codes])
        names = models_of_rules(rules, setup.machines)
        return setup._replace(
            lint=settings,
            rules=rules,
            models=models_named(names, registry),
            shown=frozenset(names),
            limiters=False,
            # that of a lint, so that both price alike
            budget=HINT_BUDGET if setup.budget == REPORT_BUDGET else setup.budget,
        )

    def _rules(self) -> Registry:
        if not self._complete:
            known = {rule.code for rule in self._registry.rules}
            complete = with_rules(self._registry._replace(rules=()))
            more = [rule for rule in complete.rules if rule.code not in known]
            rules = sorted((*self._registry.rules, *more), key=lambda rule: rule.code)
            self._registry = complete._replace(rules=tuple(rules))
            self._complete = True
        return self._registry

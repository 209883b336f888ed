"""Finds plugins and calls models, so that one that fails costs its own answer only.

Built-in plugins are a table of module names and answer at the same hooks as any other. Others are
found through their entry points. The order in which plugins register has no influence on any
result.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rooflint.config.lint_settings import NOTES
from rooflint.machine import Machine
from rooflint.plugin_api import hookspecs
from rooflint.plugin_api.checked_answers import mistake_in_answer
from rooflint.plugin_api.entry_points import PROJECT, entry_points
from rooflint.plugin_api.hookspecs import Context, Model, Needs, Renderer, Rule
from rooflint.plugin_api.prediction import (
    DataField,
    NotApplicable,
    Prediction,
    ShownFigure,
    limit_kind,
)
from rooflint.plugin_api.report import ModelText, SkippedModel
from rooflint.plugin_api.rule_code import is_code
from rooflint.records import NamedTuple

if TYPE_CHECKING:
    import pluggy

    from rooflint.profiles import ProfileFormat

BUILTIN = ("rooflint_plugins.models.roofline",)
ON_REQUEST = {
    **dict.fromkeys(("ecm", "ecm-cpu", "ecm-data", "roofline-core"), "rooflint_plugins.models.ecm"),
    "bounds": "rooflint_plugins.models.bounds",
    "ceilings": "rooflint_plugins.models.ceilings",
    "hybrid": "rooflint_plugins.models.hybrid",
}
"""Built-in models by the module that has them, imported only for a run that asks for one."""
RULE_PARTS = ("slug", "summary", "aliases", "status", "models", "needs", "guards")
OWN_PLUGINS: Final = "rooflint_plugins."
"""Models of these modules answer as the contract says, which tests look at; runs do not."""


class Registry(NamedTuple):
    """Contributions of plugins, sorted by name; a model comes after the models it needs.

    ``failures``: plugins that could not be loaded or asked, each a sentence with its name.
    """

    models: tuple[Model, ...] = ()
    rules: tuple[Rule, ...] = ()
    renderers: tuple[Renderer, ...] = ()
    machine_dirs: tuple[Path, ...] = ()
    failures: tuple[str, ...] = ()
    profile_formats: "tuple[ProfileFormat, ...]" = ()


class Answers(NamedTuple):
    """Predictions of the models for one kernel, in the order of the registry."""

    predictions: tuple[Prediction, ...] = ()
    skipped: tuple[SkippedModel, ...] = ()


class _Loading(NamedTuple):
    """Plugins while they are collected; all but ``built_in`` may grow.

    ``manager``: of the plugins of other distributions; None where there are none, as pluggy and
    what it imports take 7 ms.
    """

    built_in: Mapping[str, object]
    manager: "pluggy.PluginManager | None"
    failures: list[str]


def load_registry(
    plugins: Mapping[str, object] | None = None,
    search_path: Iterable[str] | None = None,
    built_in: Mapping[str, object] | None = None,
) -> Registry:
    """All built-in and installed plugins, and ``plugins`` (name: object with hooks) besides.

    ``built_in``: further objects of this program; what they name is never taken by a plugin.
    ``search_path``: folders with installed distributions, ``sys.path`` unless given.
    """
    found = [*entry_points(sys.path if search_path is None else search_path)]
    manager = _manager() if found or plugins else None
    own = {module: import_module(module) for module in BUILTIN}
    loading = _Loading({**own, **(built_in or {})}, manager, [])
    for name, target in found:
        _register(loading, name, lambda target=target: _load(target))  # type: ignore[misc]
    for name, plugin in sorted((plugins or {}).items()):
        _register(loading, name, lambda plugin=plugin: plugin)  # type: ignore[misc]
    models = _unique(loading, "rooflint_models", lambda model: str(model.name))
    return Registry(
        models=_ordered(models, loading.failures),
        rules=tuple(_unique(loading, "rooflint_rules", lambda rule: str(rule.code))),
        renderers=tuple(_unique(loading, "rooflint_renderers", lambda each: str(each.name))),
        profile_formats=tuple(_unique(loading, "rooflint_profiles", lambda each: str(each.name))),
        machine_dirs=tuple(_unique(loading, "rooflint_machine_dirs", str)),
        failures=tuple(sorted(loading.failures)),
    )


def installed_plugins() -> list[str]:
    """Names of the plugins of other distributions, also of those that cannot be loaded."""
    return [name for name, _ in entry_points(sys.path)]


def _manager() -> "pluggy.PluginManager":
    import pluggy  # noqa: PLC0415 - as ``_Loading`` says

    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    return manager


def _register(loading: _Loading, name: str, load: Callable[[], object]) -> None:
    """Registers one plugin; one that fails to import or misspells a hook is put aside."""
    manager = loading.manager
    assert manager is not None
    if name in loading.built_in:
        loading.failures.append(f"plugin '{name}' could not be loaded: that name is built-in")
        return
    try:
        manager.register(load(), name)
        manager.check_pending()
    except Exception as error:
        if manager.has_plugin(name):
            manager.unregister(name=name)
        loading.failures.append(f"plugin '{name}' could not be loaded: {_text(error)}")


def _load(target: str) -> object:
    module, _, attribute = target.partition(":")
    loaded: object = import_module(module)
    for part in filter(None, attribute.split(".")):
        loaded = getattr(loaded, part)
    return loaded


def _unique(loading: _Loading, hook: str, key: Callable[[Any], str]) -> list[Any]:
    """Items that plugins hand over at ``hook``, sorted by ``key``; built-in names come first."""
    found: dict[str, tuple[str, Any]] = {}
    for owner, function in _implementations(loading, hook):
        try:
            for item in function():
                name = key(item)
                if name in found:
                    loading.failures.append(
                        f"plugin '{owner}': '{name}' is already registered by '{found[name][0]}'"
                    )
                else:
                    found[name] = (owner, item)
        except Exception as error:
            loading.failures.append(f"plugin '{owner}': {hook} failed: {_text(error)}")
    return [item for _, (_, item) in sorted(found.items())]


def _implementations(loading: _Loading, hook: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """(plugin, its function) of those that answer at ``hook``: built-in ones first, by name."""
    for name, module in sorted(loading.built_in.items()):
        if function := getattr(module, hook, None):
            yield name, function
    if loading.manager is not None:
        answers = getattr(loading.manager.hook, hook).get_hookimpls()
        for each in sorted(answers, key=lambda answer: answer.plugin_name):
            yield each.plugin_name, each.function


def with_requested(registry: Registry, names: Iterable[str]) -> Registry:
    """``registry`` with those of ``names``, and of what their models need, that wait in ON_REQUEST.

    A plugin of another distribution that took such a name keeps it.
    """
    known = {model.name: model for model in registry.models}
    failures = list(registry.failures)
    waiting = list(names)
    asked: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in known and name in ON_REQUEST:
            known[name] = _on_request(name)
        if name in known and name not in asked:
            waiting += known[name].needs.models
        asked.add(name)
    if len(known) == len(registry.models):
        return registry
    models = _ordered([known[name] for name in sorted(known)], failures)
    return registry._replace(models=models, failures=tuple(sorted(failures)))


def _on_request(name: str) -> Model:
    models: Iterable[Model] = import_module(ON_REQUEST[name]).rooflint_models()
    return next(model for model in models if model.name == name)


def with_rules(registry: Registry) -> Registry:
    """``registry`` with the built-in rules, of which ``working_rule`` makes those that match.

    A rule of another distribution does not take the code of a built-in one.
    """
    from rooflint_plugins.rules import table  # noqa: PLC0415 - for a lint, or advice

    built_in: list[Rule] = [*table()]
    taken = {rule.code for rule in built_in} | {note.code for note in NOTES}
    failures, others = [], []
    for rule in registry.rules:
        mistake = _mistake_in(rule, taken)
        if mistake:
            failures.append(f"rule {rule.code} of {type(rule).__module__}: {mistake}")
        else:
            others.append(rule)
    return registry._replace(
        rules=tuple(sorted((*built_in, *others), key=lambda rule: rule.code)),
        failures=tuple(sorted((*registry.failures, *failures))),
    )


def working_rule(rule: Rule) -> Rule:
    """The rule itself in place of what its table says of a built-in one."""
    from rooflint_plugins.rules import BuiltInRule  # noqa: PLC0415 - for a lint, or advice

    if not isinstance(rule, BuiltInRule):
        return rule
    found: Rule = import_module(rule.module).RULE
    return found


def _mistake_in(rule: Rule, taken: Collection[str]) -> str:
    """Why a rule of another distribution cannot be used; empty where it can."""
    if rule.code in taken:
        return "that code is a built-in rule's"
    if not is_code(str(rule.code)):
        return "its code has to be capital letters and three digits, such as ACME001"
    lacking = [name for name in RULE_PARTS if not hasattr(rule, name)]
    if not (hasattr(rule, "match") or hasattr(rule, "match_unit")):
        lacking.append("match")
    return f"no {', '.join(lacking)}" if lacking else ""


def _ordered(models: Iterable[Model], failures: list[str]) -> tuple[Model, ...]:
    """By name, except that a model follows those it needs; a circle is put aside."""
    waiting = list(models)
    known = {model.name for model in waiting}
    placed: list[Model] = []
    while waiting:
        names = {model.name for model in placed}
        ready = [m for m in waiting if all(n in names or n not in known for n in m.needs.models)]
        if not ready:
            circle = ", ".join(model.name for model in waiting)
            failures.append(f"models that need each other: {circle}")
            break
        placed.append(ready[0])
        waiting.remove(ready[0])
    return tuple(placed)


def with_needed_models(names: Iterable[str], models: Iterable[Model]) -> tuple[Model, ...]:
    """Those of ``models`` that are named, and what they need, in their order."""
    known = {model.name: model for model in models}
    wanted, waiting = set[str](), list(names)
    while waiting:
        name = waiting.pop()
        if name in known and name not in wanted:
            wanted.add(name)
            waiting += known[name].needs.models
    return tuple([model for name, model in known.items() if name in wanted])


OTHER_TARGET: Final = "the function runs on a device, and the model describes cores of the host"


def is_own(model: Model) -> bool:
    """Whether a model comes with this program."""
    return type(model).__module__.startswith(OWN_PLUGINS)


def predict(models: Iterable[Model], context: Context) -> Answers:
    """Asks ``models`` in order; each sees the predictions of those it needs."""
    predictions: dict[str, Prediction] = {}
    skipped: list[SkippedModel] = []
    for model in models:
        name, needs = model.name, model.needs
        if reason := _unmet(needs, context, predictions):
            skipped.append(SkippedModel(name, reason))
            continue
        asked = context
        if needs.models:
            asked = context._replace(results={other: predictions[other] for other in needs.models})
        try:
            answer = model.predict(asked.facts.kernel, asked)
        except (Exception, SystemExit, GeneratorExit) as error:
            skipped.append(SkippedModel(name, _text(error), failed=True))
            continue
        if isinstance(answer, NotApplicable):
            skipped.append(SkippedModel(name, answer.reason))
        elif not is_own(model) and (mistake := mistake_in_answer(name, answer)):
            skipped.append(SkippedModel(name, mistake, failed=True))
        else:
            assert isinstance(answer, Prediction)
            limit = limit_kind(answer.bottleneck, context.machine.links)
            bounded = answer._replace(limit=limit, lower_bound=context.facts.leaves_code_out)
            predictions[name] = bounded._replace(figures=_figures(model, answer))
    return Answers(tuple(predictions.values()), tuple(skipped))


def model_text(model: Model) -> ModelText:
    """A model in words; title and fields are optional, and plugins may hold anything there."""
    title = getattr(model, "title", "")
    fields = getattr(model, "fields", ())
    usable = isinstance(fields, tuple | list)
    return ModelText(
        model.name,
        title if isinstance(title, str) and title else model.name,
        tuple([field for field in fields if isinstance(field, DataField)]) if usable else (),
    )


def _figures(model: Model, answer: Prediction) -> tuple[ShownFigure, ...]:
    shown = [field for field in model_text(model).fields if field.is_shown]
    values = [(field, answer.data.get(field.name)) for field in shown]
    return tuple([
        ShownFigure(field.name, value, field.unit)
        for field, value in values
        if isinstance(value, str | bool | int | float)
    ])  # fmt: skip


def _unmet(needs: Needs, context: Context, predictions: Mapping[str, Prediction]) -> str:
    """Why a model's needs are unmet; empty when all are met."""
    if context.function.target not in needs.targets:
        return OTHER_TARGET
    lacking = missing(needs.machine, context.machine) if needs.machine else ()
    if lacking:
        return f"machine {context.machine.name} has no {', '.join(lacking)}"
    unasked = [name for name in needs.models if name not in predictions]
    return f"needs {', '.join(unasked)}" if unasked else ""


def missing(needs: Iterable[str], machine: Machine) -> list[str]:
    """Which of ``core``, ``memory.bandwidth`` and the like a machine file does not give."""
    return [path for path in needs if not _given(machine, path.split("."))]


def _given(value: object, names: list[str]) -> object:
    return _given(getattr(value, names[0], None), names[1:]) if names else value


def _text(error: BaseException) -> str:
    """``ZeroDivisionError: division by zero``, in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__

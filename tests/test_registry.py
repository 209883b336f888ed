"""Finding plugins, and living with those that fail."""

import itertools
import math
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from rooflint.facts import Kernel, facts_of
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.plugin_api.hookspecs import Context, Model, Needs, hookimpl
from rooflint.plugin_api.prediction import NotApplicable, Prediction
from rooflint.plugin_api.terms import Limiter, LimiterKind, TimeTerm, TimeTerms
from rooflint.records import NamedTuple
from rooflint.registry import load_registry, predict
from rooflint.scenario.sizes import NO_SIZES

HERE = Path(__file__).parent
EXAMPLE = HERE / "third_party_plugin"


class Fixed:
    """A model that says its name, or raises, or hands back something else."""

    def __init__(self, name: str, answer: object = None, needs: Needs | None = None) -> None:
        self.name = name
        self.needs = needs or Needs()
        self.answer = answer

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer is not None:
            return self.answer  # type: ignore[return-value]
        seen = ", ".join(context.results)
        return Prediction(self.name, "nothing", f"after {seen}", "0 cy")


def plugin(*models: object) -> object:
    """An object with one hook."""

    class Plugin:
        @hookimpl
        def rooflint_models(self) -> list[Model]:
            return list(models)  # type: ignore[arg-type]

    return Plugin()


@pytest.fixture
def context(build: ModuleType, nests: ModuleType) -> Context:
    function = nests.streaming(build, 4096)["triad"]
    machine = find_machine("generic-2level", (builtin_dir(),))
    rates = Rates(machine, 1)
    (facts,) = facts_of(function)
    arrays = {array.name: array for array in function.arrays}
    moved = FunctionTraffic([facts], arrays, NO_SIZES, 64).traffic(0, rates)
    return Context(function, facts, moved, machine, 1, NO_SIZES, rates)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed distributions with the example plugin in it."""
    shutil.copy(EXAMPLE / "rooflint_example_plugin.py", tmp_path)
    information = tmp_path / "rooflint_example_plugin-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Name: rooflint-example-plugin\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(
        "[console_scripts]\nother = a:b\n\n[rooflint]\nexample = rooflint_example_plugin\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("rooflint_example_plugin", None)


def test_the_built_in_models_come_through_the_door() -> None:
    registry = load_registry(search_path=())
    assert "roofline" in [model.name for model in registry.models]
    assert registry.failures == ()


def test_an_installed_distribution_is_found_and_asked(installed: Path, context: Context) -> None:
    registry = load_registry(search_path=[str(installed)])
    assert registry.failures == ()
    answers = predict(registry.models, context)
    found = next(p for p in answers.predictions if p.model == "one-access")
    assert found.sentence == f"3 accesses, 3 cycles; the Roofline allows {headline(answers)}"


def headline(answers: object) -> str:
    found = next(p for p in answers.predictions if p.model == "roofline")  # type: ignore[attr-defined]
    return str(found.headline)


def test_the_example_declares_the_entry_point_that_is_looked_for() -> None:
    text = (EXAMPLE / "pyproject.toml").read_text()
    assert re.search(r"\[project\.entry-points\.rooflint\]\nexample = \"(\w+)\"", text)


def test_the_order_of_registration_is_no_matter(context: Context) -> None:
    plugins = {"p": plugin(Fixed("b")), "q": plugin(Fixed("a")), "r": plugin(Fixed("c"))}
    orders = []
    for names in itertools.permutations(plugins):
        registry = load_registry({name: plugins[name] for name in names}, search_path=())
        orders.append([model.name for model in registry.models])
    assert all(order == ["a", "b", "c", "roofline"] for order in orders)


def test_a_model_comes_after_those_it_needs(context: Context) -> None:
    first = Fixed("aaa", needs=Needs(models=("zzz", "roofline")))
    registry = load_registry({"p": plugin(first, Fixed("zzz"))}, search_path=())
    assert [model.name for model in registry.models] == ["roofline", "zzz", "aaa"]
    found = predict(registry.models, context).predictions[-1]
    assert found.sentence == "after zzz, roofline"


def test_models_that_need_each_other_are_put_aside() -> None:
    models = (Fixed("a", needs=Needs(models=("b",))), Fixed("b", needs=Needs(models=("a",))))
    registry = load_registry({"p": plugin(*models)}, search_path=())
    assert [model.name for model in registry.models] == ["roofline"]
    assert registry.failures == ("models that need each other: a, b",)


def test_a_model_that_raises_costs_its_own_answer_only(context: Context) -> None:
    models = (Fixed("broken", ZeroDivisionError("division by zero")), Fixed("fine"))
    registry = load_registry({"p": plugin(*models)}, search_path=())
    answers = predict(registry.models, context)
    assert [p.model for p in answers.predictions] == ["fine", "roofline"]
    (skipped,) = answers.skipped
    assert (skipped.model, skipped.reason, skipped.failed) == (
        "broken",
        "ZeroDivisionError: division by zero",
        True,
    )


TERM = TimeTerm(Limiter(LimiterKind.ISSUE), 1.0)


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ({"clock": 2.0}, "terms is a dict, expected TimeTerms"),
        (TimeTerms(0.0, (TERM,)), "terms.clock_ghz is 0.0, expected GHz above 0"),
        (TimeTerms(2.0, (TERM,), second_cy=math.nan), "terms.second_cy is nan, expected cycles"),
        (
            TimeTerms(2.0, (TERM,), saturation_cores=0),
            "terms.saturation_cores is 0, expected a number of cores",
        ),
        (
            TimeTerms(2.0, (TERM._replace(cycles=-1.0),)),
            "terms.terms: -1.0 cycles, expected a finite number of at least 0",
        ),
        (
            TimeTerms(2.0, (), (TERM._replace(resource=Limiter(LimiterKind.LINK)),)),
            "terms.floors: a link without the level that it comes from",
        ),
        (
            TimeTerms(2.0, (TERM, TERM._replace(high=math.inf))),
            "terms.terms: high of inf cycles, expected a finite number of at least 0",
        ),
    ],
)
def test_terms_of_which_no_verdict_can_be_made(
    context: Context, terms: TimeTerms, reason: str
) -> None:
    answer = Prediction("wrong", "nothing", "a sentence", "0 cy", terms=terms)
    registry = load_registry({"p": plugin(Fixed("wrong", answer))}, search_path=())
    (skipped,) = predict(registry.models, context).skipped
    assert (skipped.model, skipped.reason, skipped.failed) == ("wrong", reason, True)


def test_terms_at_the_edge_of_what_is_right(context: Context) -> None:
    still = TERM._replace(cycles=0.0, high=0)
    terms = TimeTerms(1e-9, (still,), (still,), second_cy=0.0, saturation_cores=1)
    answer = Prediction("right", "nothing", "a sentence", "0 cy", terms=terms)
    registry = load_registry({"p": plugin(Fixed("right", answer))}, search_path=())
    answers = predict(registry.models, context)
    assert [each.terms for each in answers.predictions if each.model == "right"] == [terms]


def test_other_reasons_to_be_skipped(context: Context) -> None:
    models = (
        Fixed("gpu", needs=Needs(machine=("coprocessors",))),
        Fixed("later", needs=Needs(models=("gpu",))),
        Fixed("shy", NotApplicable("no loop for me")),
        Fixed("wrong", 42),
    )
    skipped = {s.model: (s.reason, s.failed) for s in predict(models, context).skipped}
    assert skipped == {
        "gpu": ("machine generic-2level has no coprocessors", False),
        "later": ("needs gpu", False),
        "shy": ("no loop for me", False),
        "wrong": ("returned int, not a Prediction", True),
    }


def test_plugins_that_cannot_be_loaded_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "raises_on_import.py").write_text("raise RuntimeError('no licence')\n")
    information = tmp_path / "bad-1.dist-info"
    information.mkdir()
    (information / "entry_points.txt").write_text(
        "[rooflint]\nbad = raises_on_import\ngone = no_such_module:attribute\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = load_registry(search_path=[str(tmp_path)])
    assert [model.name for model in registry.models] == ["roofline"]
    assert registry.failures == (
        "plugin 'bad' could not be loaded: RuntimeError: no licence",
        "plugin 'gone' could not be loaded: ModuleNotFoundError: No module named 'no_such_module'",
    )


def test_a_misspelt_hook_is_reported() -> None:
    class Misspelt:
        @hookimpl
        def rooflint_model(self) -> list[Model]:
            return []

    registry = load_registry({"typo": Misspelt()}, search_path=())
    (failure,) = registry.failures
    assert failure.startswith("plugin 'typo' could not be loaded")
    assert "rooflint_model" in failure


def test_a_hook_that_raises_and_a_name_twice() -> None:
    class Raises:
        @hookimpl
        def rooflint_models(self) -> list[Model]:
            raise KeyError("x")

    registry = load_registry({"a": Raises(), "b": plugin(Fixed("roofline"))}, search_path=())
    assert [type(model).__name__ for model in registry.models] == ["Roofline"]
    assert registry.failures == (
        "plugin 'a': rooflint_models failed: KeyError: 'x'",
        "plugin 'b': 'roofline' is already registered by 'rooflint_plugins.models.roofline'",
    )


def test_rules_renderers_and_machine_folders_have_doors_too(tmp_path: Path) -> None:
    class Everything:
        @hookimpl
        def rooflint_rules(self) -> list[object]:
            return [SimpleNamespace(code="RL900", slug="toy")]

        @hookimpl
        def rooflint_renderers(self) -> list[object]:
            return [SimpleNamespace(name="csv")]

        @hookimpl
        def rooflint_machine_dirs(self) -> list[Path]:
            return [tmp_path]

    registry = load_registry({"all": Everything()}, search_path=())
    assert registry.rules[0].code == "RL900"
    assert registry.renderers[0].name == "csv"
    assert registry.machine_dirs == (tmp_path,)


def test_objects_of_the_program_keep_their_names() -> None:
    class Format(NamedTuple):
        name: str
        owner: str

    class Formats:
        def __init__(self, owner: str) -> None:
            self.owner = owner

        @hookimpl
        def rooflint_renderers(self) -> list[Format]:
            return [Format("text", self.owner)]

    registry = load_registry({"acme": Formats("acme")}, (), {"formats": Formats("program")})
    owners: list[object] = [*registry.renderers]
    assert owners == [Format("text", "program")]
    assert registry.failures == ("plugin 'acme': 'text' is already registered by 'formats'",)
    taken = load_registry({"formats": Formats("acme")}, (), {"formats": Formats("program")})
    owners = [*taken.renderers]
    assert owners == [Format("text", "program")]
    assert "'formats' could not be loaded" in taken.failures[0]

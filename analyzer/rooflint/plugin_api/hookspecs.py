"""The plugin contract: five hooks that return objects, and the protocols of those objects.

A distribution joins with an entry point in the group ``rooflint`` that names a module with hooks:

    from rooflint.plugin_api.hookspecs import hookimpl

    @hookimpl
    def rooflint_models():
        return [MyModel()]

pluggy only finds plugins. The objects do the work, and each is called separately, so one that
raises loses only its own result.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar

from rooflint.facts import Kernel, KernelFacts
from rooflint.ir import ExecutionTarget, Function
from rooflint.machine import Machine
from rooflint.memory import Rates, Traffic
from rooflint.plugin_api.entry_points import PROJECT
from rooflint.plugin_api.prediction import DataField, NotApplicable, Prediction
from rooflint.plugin_api.report import Report
from rooflint.plugin_api.views import CoreView, LevelMisses
from rooflint.records import NamedTuple
from rooflint.scenario.sizes import Sizes

if TYPE_CHECKING:
    from rooflint.profiles import ProfileFormat

Hook = TypeVar("Hook", bound=Callable[..., object])


def hookimpl(function: Hook) -> Hook:
    """Marks a function as a plugin's answer to the hook of its name.

    That is pluggy's ``HookimplMarker`` without options, which are of no use here: the registry
    calls every plugin by itself. A built-in plugin is marked without importing pluggy.
    """
    marks = dict.fromkeys(("wrapper", "hookwrapper", "optionalhook", "tryfirst", "trylast"), False)
    vars(function)[f"{PROJECT}_impl"] = {**marks, "specname": None}
    return function


def hookspec(function: Hook) -> Hook:
    """Marks the declaration of a hook, as pluggy's ``HookspecMarker`` does."""
    marks = {"firstresult": False, "historic": False}
    vars(function)[f"{PROJECT}_spec"] = {
        **marks,
        "warn_on_impl": None,
        "warn_on_impl_args": None,
    }
    return function


class Needs(NamedTuple):
    """Requirements of a model.

    machine   attributes of Machine that must be given: ``core``, ``memory.bandwidth``
    models    models whose predictions it reads from ``Context.results``
    targets   where the functions that it describes run; by default, on cores of the host
    """

    machine: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    targets: tuple[ExecutionTarget, ...] = ("host",)


class Context(NamedTuple):
    """Everything that a model may use besides the kernel. All of it is read-only.

    facts     of the kernel: work per iteration, streams
    traffic   bytes per iteration on every link, trips and executions
    rates     peaks and bandwidths of ``machine`` with ``cores`` active, looked up once per run
    results   predictions of the models named in ``needs.models``
    core      vector plan, ports and latencies, planned on first use of ``core.plan``
    misses    lines that each level misses by kind, nearest level first, counted on demand;
              None if they are unknown
    brief     only cycles are needed; explanations may be left out
    """

    function: Function
    facts: KernelFacts
    traffic: Traffic
    machine: Machine
    cores: int
    sizes: Sizes
    rates: Rates
    results: Mapping[str, Prediction] = {}
    core: CoreView | None = None
    misses: Callable[[], Sequence[LevelMisses]] | None = None
    brief: bool = False


class Model(Protocol):
    """A performance model: a pure function of a kernel and its context.

    Two more attributes are optional: ``title``, its name for people (``ECM``), and
    ``fields``, a tuple of ``DataField`` that describes the fields of ``Prediction.data``.
    ``DescribedModel`` is the type of a model that has both.
    """

    @property
    def name(self) -> str:
        """Lower case, unique among all models; the key in reports and of ``--model``."""

    @property
    def needs(self) -> Needs:
        """Its requirements; without them the model is skipped, and the report gives the reason."""

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """The prediction for one kernel, or why there is none."""


class DescribedModel(Model, Protocol):
    """A model that describes its data; built-in ones are of this type."""

    @property
    def title(self) -> str:
        """The name for people: ``ECM``."""

    @property
    def fields(self) -> tuple[DataField, ...]:
        """The fields of its data, in the order in which they are explained."""


RuleStatus: TypeAlias = Literal["stable", "preview", "structural"]


class Rule(Protocol):
    """A lint rule: the pattern, and the conditions under which it is not reported. Models give the
    gains.

    Plain class attributes implement all of these. ``rooflint.plugin_api.rule`` adds the
    behaviour: a rule is a ``FunctionRule`` or a ``UnitRule``. docs/add-a-rule.md walks through
    one.
    """

    @property
    def code(self) -> str:
        """``ACME101``: a prefix of capital letters and three digits, as ``rule_code`` says."""

    @property
    def slug(self) -> str:
        """The pattern's name for people: ``column-walk``."""

    @property
    def summary(self) -> str:
        """A description of the pattern in one line."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Names for it in other catalogues: ``PWR039``."""

    @property
    def status(self) -> RuleStatus:
        """``preview``: off unless ``--preview``; ``structural``: no gain claim, off by default."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models that price it; the gain's interval covers them: ``("ecm", "roofline")``."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Attributes of Machine that must be given: ``core``, ``memory.bandwidth``."""


class Renderer(Protocol):
    """An output format."""

    @property
    def name(self) -> str:
        """The word after ``--format``."""

    def render(self, report: Report) -> str:
        """The whole report as text."""


@hookspec
def rooflint_models() -> Iterable[Model]:
    """Models to run on every kernel; called once when the program starts."""
    raise NotImplementedError


@hookspec
def rooflint_rules() -> Iterable[Rule]:
    """Lint rules; called once, and only by a run that lints or explains."""
    raise NotImplementedError


@hookspec
def rooflint_renderers() -> Iterable[Renderer]:
    """Output formats for ``--format``; called once when the program starts."""
    raise NotImplementedError


@hookspec
def rooflint_machine_dirs() -> Iterable[Path]:
    """Folders with machine files (``*.yaml``) besides the built-in ones."""
    raise NotImplementedError


@hookspec
def rooflint_profiles() -> "Iterable[ProfileFormat]":
    """Formats of profiles besides the built-in ones; called once when the program starts."""
    raise NotImplementedError

"""The contract of lint rules: a rule matches, names its guards and hands over changes to price.

    match ─▶ guards ─▶ apply (legality) ─▶ models on before and after ─▶ thresholds ─▶ Advice

Only the first arrow and the guards are the rule's; the rest is ``rooflint.lint``, the same for all.
``hookspecs.Rule`` has the names that a rule goes by. Nothing here is imported by ``analyze``.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, TypeGuard

from rooflint.core import Compiler
from rooflint.core.code import CorePlan
from rooflint.facts import KernelFacts
from rooflint.ir import Function, SourceFunction, Unit
from rooflint.machine import Machine
from rooflint.plugin_api.advice import Fix as Fix
from rooflint.plugin_api.hookspecs import Context, Rule
from rooflint.plugin_api.prediction import Prediction
from rooflint.records import NamedTuple
from rooflint.transform import Result, Site, Transformed


class Guard(NamedTuple):
    """A condition under which a match is no finding.

    name        in small letters with hyphens: ``reciprocal-math``; ``explain`` shows it
    summary     for the rule's page: when it holds
    silences    the reason in words, empty where the match may pass
    structural  part of the pattern itself: asked under ``--structural`` too, where others are not
    """

    name: str
    summary: str
    silences: Callable[["Match", "RuleContext"], str]
    structural: bool = False


class Setup(NamedTuple):
    """Conditions under which a change is priced; None: those of the code as it is.

    ``page_bytes``: of the pages that its data lie in.
    """

    compiler: Compiler | None = None
    cores: int | None = None
    page_bytes: int | None = None


class Change(NamedTuple):
    """One way to make a matched place faster; the engine runs the models on what it leads to.

    words    the subject of "is predicted 5.4x faster": ``order i, k, j``, ``fusing them``
    apply    the changed function, or why not; None where only ``setup`` changes.
             ``partial(interchange, loop="i", order=("i", "k", "j"))``
    setup    flags or cores that the change comes with
    fix      how to write it, asked for only where it becomes a finding
    doubts   why one may doubt this way, a sentence for each step that confidence falls
    seconds  where the models of the run cannot price a function after the change: by model, what a
             call takes in the changed loops before and after, computed by models all the same
    timed    the loop that ``seconds`` are about, where that is not the match's place
    """

    words: str
    apply: Callable[[Function], Result] | None = None
    setup: Setup = Setup()
    fix: Callable[[Transformed], Fix | None] | None = None
    doubts: tuple[str, ...] = ()
    seconds: Callable[[], Mapping[str, tuple[float, float]]] | None = None
    timed: str = ""


class RelatedNode(NamedTuple):
    """Another node that a match speaks of, by its ``origin``, and what is said of it."""

    origin: int
    message: str


class Match(NamedTuple):
    """A pattern found in a function, before any guard and any price.

    place     the loop, as ``transform.sites`` names it; empty for the whole function
    evidence  what the code does, with its number: ``inner k walks B[k][j] in steps of 8000 B``
    changes   alternatives: all are priced, the best is said; none: a note without a gain
    key       what tells two matches of a rule at one place apart, where ``names`` do not; code
              decides on nothing in it, and baselines know findings by it
    names     the arrays, variables or functions that it is about, as the IR calls them
    variant   which of the rule's patterns it is, where it has several
    origin    the node to point at, where that is not the loop's header
    doubts    why one may doubt the match, a sentence for each step that confidence falls
    """

    place: str
    evidence: str
    changes: tuple[Change, ...] = ()
    key: str = ""
    related: tuple[RelatedNode, ...] = ()
    origin: int = -1
    doubts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    variant: str = ""

    @property
    def discriminator(self) -> str:
        """The text that distinguishes the match from others of its rule at its place."""
        return self.key or " ".join(self.names)


class RuleContext(Protocol):
    """A function as rules see it, on one machine. All of it is read-only; the rest is lazy.

    After a link of a chain, rules are asked again with the context of the changed function.
    """

    @property
    def source(self) -> SourceFunction:
        """The function with the places of its nodes: ``source.spans[node.origin]``."""

    @property
    def function(self) -> Function:
        """The same without places."""

    @property
    def facts(self) -> tuple[KernelFacts, ...]:
        """Facts of its kernels, in program order: cheap, no sizes and no machine in them."""

    @property
    def sites(self) -> Mapping[str, Site]:
        """Its loops by name."""

    @property
    def machine(self) -> Machine:
        """The machine it would run on."""

    @property
    def compiler(self) -> Compiler:
        """Whose code it becomes, with the flags that matter."""

    @property
    def noalias(self) -> tuple[tuple[str, ...], ...]:
        """Arrays that a comment says do not overlap."""

    @property
    def text(self) -> str:
        """The file as it was parsed."""

    def kernel(self, facts: KernelFacts) -> Context:
        """The context of models for one of ``facts``: sizes, traffic, rates, cores, core plan.

        Costs about a millisecond the first time; ask after what ``facts`` tell.
        """

    def plan(self, facts: KernelFacts) -> CorePlan:
        """How the compiler would run it, whatever its sizes; ValueError without a core."""

    def predictions(self, facts: KernelFacts) -> Mapping[str, Prediction]:
        """Predictions of the run's models, caches cold before the function; about five
        milliseconds the first time.
        """

    def seconds(self, facts: KernelFacts, model: str) -> float | None:
        """Of all iterations of a kernel in one call, as prices have it: run over and over, what
        fits a cache is in it. Without the start of threads; None where the model cannot say.
        """

    def gains(self, function: Function, models: Iterable[str]) -> Mapping[str, float]:
        """Time of the function over that of a changed one, by model: for guards.

        Costs what pricing a change costs; ask last.
        """


class UnitContext(Protocol):
    """A whole file as rules see it that look across functions."""

    @property
    def unit(self) -> Unit:
        """The result of the front end."""

    @property
    def functions(self) -> tuple[RuleContext, ...]:
        """Its functions that have loops."""

    @property
    def machine(self) -> Machine:
        """The machine it would run on."""

    @property
    def compiler(self) -> Compiler:
        """Whose code it becomes."""


class UnitMatch(NamedTuple):
    """A match of a rule that looks across functions: ``match`` in the function ``where``.

    ``whole``: it is about the file (``where`` is any of its functions, ``Match.place`` is empty);
    its changes have a ``setup`` only, and all functions are priced together.
    """

    where: RuleContext
    match: Match
    whole: bool = False


class GuardedRule(Rule, Protocol):
    """The members that both kinds of rules share, besides their names."""

    @property
    def guards(self) -> tuple[Guard, ...]:
        """Asked in order, before anything is changed or priced."""


class FunctionRule(GuardedRule, Protocol):
    """A rule that looks at one function at a time."""

    def match(self, context: RuleContext) -> Iterable[Match]:
        """Every place with the pattern, cheap tests first: most functions have none."""


class UnitRule(GuardedRule, Protocol):
    """A rule that looks at a whole file: its types, its flags, what functions do together."""

    def match_unit(self, unit: UnitContext) -> Iterable[UnitMatch]:
        """Every place with the pattern."""


def sees_functions(rule: Rule) -> TypeGuard[FunctionRule]:
    """Whether a rule looks at one function at a time."""
    return hasattr(rule, "match")


def sees_files(rule: Rule) -> TypeGuard[UnitRule]:
    """Whether a rule looks at a whole file."""
    return hasattr(rule, "match_unit")

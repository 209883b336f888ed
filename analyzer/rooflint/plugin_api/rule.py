"""The contract of lint rules: a rule matches, names its guards and proposes changes to price.

    match ─▶ guards ─▶ apply (legality) ─▶ models on before and after ─▶ thresholds ─▶ Advice

A rule implements only the first arrow and the guards; the rest is ``rooflint.lint``, the same for
all rules. ``hookspecs.Rule`` has a rule's names. ``analyze`` imports nothing from here.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, TypeGuard

from rooflint.core import Compiler
from rooflint.core.code import CorePlan
from rooflint.facts import KernelFacts
from rooflint.ir import Function, Poly, SourceFunction, Unit
from rooflint.machine import Machine
from rooflint.plugin_api.action import Action as Action
from rooflint.plugin_api.action import ActionKind as ActionKind
from rooflint.plugin_api.advice import Fix as Fix
from rooflint.plugin_api.hookspecs import Context, Rule
from rooflint.plugin_api.prediction import Prediction
from rooflint.records import NamedTuple
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction, Result


class Guard(NamedTuple):
    """A condition under which a match is not a finding.

    name        lower-case letters and hyphens: ``reciprocal-math``; ``explain`` shows it
    summary     for the rule's page: when it holds
    silences    the reason in words, empty where the match may pass
    structural  part of the pattern itself: also applied under ``--structural``, unlike others
    """

    name: str
    summary: str
    silences: Callable[["Match", "RuleContext"], str]
    structural: bool = False


class Setup(NamedTuple):
    """Conditions under which a change is priced; None: those of the original code.

    ``page_bytes``: size of the pages that hold the data.
    """

    compiler: Compiler | None = None
    cores: int | None = None
    page_bytes: int | None = None


class Change(NamedTuple):
    """One way to make a matched loop faster; the engine runs the models on the changed function.

    words    the subject of "is predicted 5.4x faster": ``order i, k, j``, ``fusing them``
    apply    the changed function, or why not; None where only ``setup`` changes.
             ``partial(interchange, loop="i", order=("i", "k", "j"))``
    setup    flags or cores that the change needs
    fix      how to write it, called only for a finding
    doubts   reasons to doubt the change; with one, confidence is medium at most
    seconds  if the models of the run cannot price a changed function: by model, the seconds per
             call in the changed loops before and after, also computed by models
    action   the change in its shortest form, for hints and columns; by default its rule's code
    timed    the loop of ``seconds``, if that is not the match's place
    enables  others may gain after it though it gains nothing itself: chains begin with it as well
    depends_on_data  data that nothing is known of decides whether it gains: a note at most
    most_seconds  ``seconds`` with the data that favour it most: the gain is a range
    """

    words: str
    apply: Callable[[Function], Result] | None = None
    setup: Setup = Setup()
    fix: Callable[[ChangedFunction], Fix | None] | None = None
    doubts: tuple[str, ...] = ()
    seconds: Callable[[], Mapping[str, tuple[float, float]]] | None = None
    timed: str = ""
    action: Action = Action()
    enables: bool = False
    depends_on_data: bool = False
    most_seconds: Callable[[], Mapping[str, tuple[float, float]]] | None = None


class RelatedNode(NamedTuple):
    """Another node of a match, by its ``origin``, and a message about it."""

    origin: int
    message: str


class Match(NamedTuple):
    """A pattern found in a function, before any guard and any price.

    place     the loop, as ``transform.sites`` names it; empty for the whole function
    evidence  the observation with its number: ``inner k walks B[k][j] in steps of 8000 B``
    changes   alternatives: all are priced, the best is reported; none: a note without a gain
    key       distinguishes two matches of a rule at one place if ``names`` do not; no code
              interprets it, and baselines identify findings by it
    names     the arrays, variables or functions of the match, as the IR calls them
    variant   the pattern that matched, if the rule has several
    defect    the code is wrong as it stands: an error, whatever time it takes; a rule with such
              matches has ``defects``
    origin    the node to point at, if that is not the loop's header
    doubts    reasons to doubt the match; with one, confidence is medium at most
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
    defect: bool = False

    @property
    def discriminator(self) -> str:
        """The text that distinguishes the match from others of its rule at its place."""
        return self.key or " ".join(self.names)


class RuleContext(Protocol):
    """A function on one machine as rules see it. All of it is read-only and most of it is lazy.

    After each link of a chain, rules run again with the context of the changed function.
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
        """The compiler of the function, with the relevant flags."""

    @property
    def noalias(self) -> tuple[tuple[str, ...], ...]:
        """Arrays that do not overlap, according to a comment."""

    @property
    def text(self) -> str:
        """The source text of the file as parsed."""

    def kernel(self, facts: KernelFacts) -> Context:
        """The context of models for one of ``facts``: sizes, traffic, rates, cores, core plan.

        Costs about a millisecond on first use; check ``facts`` first.
        """

    def value(self, facts: KernelFacts, poly: Poly) -> int | None:
        """A closed form at the sizes of the run, also those of no kernel, such as the length of a
        table; None where an index or an unknown is in it. ``facts``: of the kernel that asks.
        """

    def plan(self, facts: KernelFacts) -> CorePlan:
        """How the compiler would run the kernel, regardless of its sizes; ValueError without a
        core.
        """

    def predictions(self, facts: KernelFacts) -> Mapping[str, Prediction]:
        """Predictions of the run's models, caches cold before the function; about five
        milliseconds the first time.
        """

    def seconds(self, facts: KernelFacts, model: str) -> float | None:
        """Seconds of all iterations of a kernel in one call, as for prices: run repeatedly, so that
        data that fits a cache is in it. Without starting threads; None if the model has no
        prediction.
        """

    def gains(self, function: Function, models: Iterable[str]) -> Mapping[str, float]:
        """Time of the function over that of a changed one, by model: for guards.

        Costs as much as pricing a change; use it last.
        """


class UnitContext(Protocol):
    """A whole file, for rules that look across functions."""

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
        """The compiler of the file."""


class UnitMatch(NamedTuple):
    """A match of a rule that looks across functions: ``match`` in the function ``where``.

    ``whole``: a match of the file (``where`` is any of its functions, ``Match.place`` is empty);
    its changes have only a ``setup``, and all functions are priced together.
    """

    where: RuleContext
    match: Match
    whole: bool = False


class GuardedRule(Rule, Protocol):
    """The members that both kinds of rules share, besides their names."""

    @property
    def guards(self) -> tuple[Guard, ...]:
        """Checked in order, before any change or price."""


class FunctionRule(GuardedRule, Protocol):
    """A rule that looks at one function at a time."""

    def match(self, context: RuleContext) -> Iterable[Match]:
        """All matches. Test cheap conditions first: most functions have no match."""


class UnitRule(GuardedRule, Protocol):
    """A rule that looks at a whole file: its types, its flags, its functions together."""

    def match_unit(self, unit: UnitContext) -> Iterable[UnitMatch]:
        """All matches."""


def may_find_defects(rule: Rule) -> bool:
    """Whether a match of a rule may be a defect, which counts in code of any share of the time; so
    may one of a rule that does not say by ``defects``."""
    return bool(getattr(rule, "defects", True))


def sees_functions(rule: Rule) -> TypeGuard[FunctionRule]:
    """Whether a rule looks at one function at a time."""
    return hasattr(rule, "match")


def sees_files(rule: Rule) -> TypeGuard[UnitRule]:
    """Whether a rule looks at a whole file."""
    return hasattr(rule, "match_unit")

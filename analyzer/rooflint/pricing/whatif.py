"""Searches changes of a function, priced by running the models again, alone and in chains.

The caller provides two callbacks. ``find`` returns the changes of a function; ``price`` runs the
models on the parts that a change touches, before and after it. To extend a chain, ``find`` runs on
the changed function. A chain's gain is the price of the final function: gains of links are never
multiplied.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from typing import TypeAlias

from rooflint.ir import Function
from rooflint.records import NamedTuple
from rooflint.transform.result import ChangedFunction

Price: TypeAlias = Mapping[str, float]
"""Seconds in one call of the function, by model; without models that cannot say."""


class VerdictSeconds(NamedTuple):
    """Seconds of the verdicts on the kernels that differ, before a change and after it."""

    before: float
    after: float

    @property
    def gain(self) -> float:
        """Time now over the time that the change makes possible; 1 for what takes none."""
        if self.before <= 0:
            return 1.0
        return self.before / self.after if self.after > 0 else inf


class PricedChange(NamedTuple):
    """The price of a changed function: seconds of the kernels that differ, before and after.

    gone, new   identify those kernels
    most        the gain with the data that favour the change most; 0 where data do not matter
    verdict     by the rule of verdicts; None where no model has terms, as for coprocessors
    """

    before: Price
    after: Price
    verdict: VerdictSeconds | None = None
    gone: frozenset[object] = frozenset()
    new: frozenset[object] = frozenset()
    most: float = 0.0


class ChangeCandidate(NamedTuple):
    """A proposed change.

    name    of its proposer: a rule's code
    place   a place in the source, in words that other changes do not affect
    result  the changed function, with this step as the last of its list
    about   data for the proposer's own use
    enables  a chain may begin with it though it saves nothing by itself, or costs a little
    """

    name: str
    place: str
    result: ChangedFunction
    about: object = None
    enables: bool = False


class Option(NamedTuple):
    """One change, or a chain of them, with its price.

    candidates  in order; each was found on the result of the previous one
    result      the function after all of them, with every step
    priced      the parts that they change, before and after
    lead_seconds  what the first of several saves alone
    """

    candidates: tuple[ChangeCandidate, ...]
    result: ChangedFunction
    priced: PricedChange
    lead_seconds: float = 0.0

    @property
    def before(self) -> Price:
        """Of what the changes touch, as it was."""
        return self.priced.before

    @property
    def after(self) -> Price:
        """And as it ends."""
        return self.priced.after

    @property
    def gains(self) -> tuple[float, float]:
        """Time now over the time that is possible, by the verdict; of models without one the lowest
        and the highest ratio, or that with the data that favour it most. 1 for what takes no
        time."""
        if self.priced.verdict is not None:
            return self.priced.verdict.gain, self.priced.verdict.gain
        ratios = [
            self.before[model] / after if after > 0 else inf
            for model, after in self.after.items()
            if self.before.get(model, 0.0) > 0
        ]
        return min(ratios, default=1.0), max(max(ratios, default=1.0), self.priced.most)

    @property
    def saved_seconds(self) -> float:
        """Seconds per call of the function by the verdict, else the least that a model predicts."""
        if self.priced.verdict is not None:
            return self.priced.verdict.before - self.priced.verdict.after
        shared = self.after.keys() & self.before.keys()
        return min([self.before[model] - self.after[model] for model in shared], default=0.0)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the changes in order."""
        return tuple([candidate.name for candidate in self.candidates])


class DroppedOption(NamedTuple):
    """An option that adds nothing to another one, and why."""

    option: Option
    reason: str


class RankedOptions(NamedTuple):
    """The options of a function, the largest saving first."""

    options: tuple[Option, ...]
    dropped: tuple[DroppedOption, ...]


class SearchLimits(NamedTuple):
    """Limits of the search.

    links      most changes in a chain
    beam       best options of each length that are extended
    prices     most functions to price
    more       the minimum speed-up of a longer chain over the chain that it extends
    """

    links: int = 3
    beam: int = 3
    prices: int = 60
    more: float = 1.05


Find: TypeAlias = Callable[[Function], Iterable[ChangeCandidate]]
Pricing: TypeAlias = Callable[[ChangeCandidate], PricedChange]
"""By the models of what proposes it, so that a longer chain may be priced by fewer of them."""
Renewal: TypeAlias = Callable[[Function], frozenset[object]]
"""``Priced.new`` of a function, without its price."""
USUAL = SearchLimits()


def options_of(
    function: Function,
    find: Find,
    price: Pricing,
    limits: SearchLimits = USUAL,
    new: Renewal = lambda _: frozenset(),
) -> RankedOptions:
    """All changes and chains that save time, without those that another one contains.

    Pure if the callbacks are: the same function gives the same result in the same order.
    """
    search = _Search(function, price, limits, new)
    level = search.extended(None, function, find)
    everything = list(level)
    for _ in range(1, limits.links):
        kept = sorted([o for o in level if _leads_on(o, limits.more)], key=_rank)[: limits.beam]
        level = []
        for option in kept:
            for longer in search.extended(option, option.result.function, find):
                if _faster(longer, option, limits.more):
                    level.append(longer)
        everything += level
    return _settled(everything)


class _Search:
    """The functions found so far: each is priced once, whichever chain leads to it."""

    def __init__(
        self, function: Function, price: Pricing, limits: SearchLimits, new: Renewal
    ) -> None:
        self.price, self.limits, self.new = price, limits, new
        self.known = {function}

    def extended(self, done: Option | None, function: Function, find: Find) -> list[Option]:
        """Options of one more change each, those that lead back to a known function left out.

        A link has to change what the ones before it made: others are findings of their own.
        """
        found: list[Option] = []
        for candidate in find(function):
            result = candidate.result
            if result.function in self.known or len(self.known) > self.limits.prices:
                continue
            self.known.add(result.function)
            if done is not None:
                if done.priced.new and done.priced.new <= self.new(result.function):
                    continue
                result = _joined(done.result, result)
            before = done.candidates if done is not None else ()
            lead = 0.0 if done is None else done.lead_seconds or done.saved_seconds
            found.append(
                Option(
                    candidates=(*before, candidate),
                    result=result,
                    priced=self.price(candidate),
                    lead_seconds=lead,
                )
            )
        return found


def _joined(first: ChangedFunction, second: ChangedFunction) -> ChangedFunction:
    joined = first.then(lambda _: second)
    assert isinstance(joined, ChangedFunction)
    return joined


def _leads_on(option: Option, more: float) -> bool:
    """Whether longer chains may begin with this one: it saves time, or it hardly costs any and
    enables others."""
    enables = option.candidates[-1].enables and option.gains[0] > 1 / more
    return enables or option.saved_seconds > 0


def _rank(option: Option) -> tuple[float, int, float, tuple[str, ...]]:
    """The most seconds first; of chains that save as many, the one whose first link saves most."""
    saved = float(f"{option.saved_seconds:.6g}")  # the order of changes may round differently
    return (-saved, len(option.candidates), -option.lead_seconds, option.names)


def _faster(longer: Option, shorter: Option, times: float) -> bool:
    """Whether the longer chain is ``times`` as fast by the verdict, else by every model of both."""
    long, short = longer.priced.verdict, shorter.priced.verdict
    if long is not None and short is not None:
        return _is_faster(long, short, times)
    shared = longer.after.keys() & shorter.after.keys()
    return bool(shared) and all(
        _is_faster(
            VerdictSeconds(longer.before[m], longer.after[m]),
            VerdictSeconds(shorter.before[m], shorter.after[m]),
            times,
        )
        for m in shared
    )


def _is_faster(longer: VerdictSeconds, shorter: VerdictSeconds, times: float) -> bool:
    """Code that only one of the two touches takes as long after the other as it did before."""
    whole = max(longer.before, shorter.before)
    left, other = (whole - (each.before - each.after) for each in (longer, shorter))
    return left <= other / times


def _settled(everything: Sequence[Option]) -> RankedOptions:
    kept: list[Option] = []
    dropped: list[DroppedOption] = []
    for option in sorted(everything, key=_rank):
        reason = _superfluous(option, kept)
        if reason:
            dropped.append(DroppedOption(option, reason))
        else:
            kept.append(option)
    return RankedOptions(tuple(kept), tuple(dropped))


def _superfluous(option: Option, kept: Sequence[Option]) -> str:
    """Why an option adds nothing to better ones; empty if it does."""
    if option.saved_seconds <= 0:
        return "saves no time"
    for other in kept:
        if _contains(other, option):
            return f"part of {', then '.join(other.names)}"
    for other in kept:
        if _contains(option, other):
            return f"adds nothing to {', then '.join(other.names)}"
    if any(_same_findings(other, option) for other in kept):
        return "the same findings save less this way"
    return ""


def _keys(option: Option) -> list[tuple[str, str]]:
    return [(candidate.name, candidate.place) for candidate in option.candidates]


def _contains(larger: Option, smaller: Option) -> bool:
    """Whether ``larger`` has all findings of ``smaller`` and more."""
    return len(larger.candidates) > len(smaller.candidates) and set(_keys(smaller)) <= set(
        _keys(larger)
    )


def _same_findings(one: Option, other: Option) -> bool:
    return sorted(_keys(one)) == sorted(_keys(other))

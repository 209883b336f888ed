"""What one call of a function takes, by model: the models run again on a changed function.

Sizes are those of the function as it was: a change that adds an array or drops one must not move
the default sizes, or two different problems would be compared.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from rooflint.analysis.bench import Bench
from rooflint.analysis.on_machine import OnMachine, Subject
from rooflint.facts import KernelFacts, facts_of, space_of
from rooflint.ir import Function, Loop
from rooflint.machine import Machine
from rooflint.sizes import Given


class _Priced(NamedTuple):
    """Seconds and the loops left out by model, and the sizes used."""

    seconds: dict[str, float]
    silent: dict[str, frozenset[Loop]]
    sizes: dict[str, int]


class Pricer:
    """Seconds of a function by model, on one machine; a callback of ``whatif``.

    A kernel that a model cannot say anything of is left out, as long as the same loop was left out
    of the function as it was; a model that loses one more kernel gives no price.
    """

    def __init__(self, subject: Subject, bench: Bench, machine: Machine) -> None:
        """Raises UsageError for cores that the machine does not have."""
        self.subject, self.bench, self.machine = subject, bench, machine
        first = self._priced(OnMachine(subject, bench, machine))
        self.before, self.silent, self.sizes = first

    def __call__(self, function: Function) -> Mapping[str, float]:
        """The price of the function after a change."""
        facts = facts_of(function)
        if not facts:
            return {}
        source = self.subject.source._replace(function=function)
        pinned = Given("default", self.sizes, self.trips)
        given = (pinned, *self.subject.given)
        subject = self.subject._replace(source=source, facts=facts, given=given)
        found, unsaid, _ = self._priced(OnMachine(subject, self.bench, self.machine))
        return {
            model: seconds
            for model, seconds in found.items()
            if unsaid[model] <= self.silent.get(model, frozenset())
        }

    @property
    def trips(self) -> Mapping[str, int]:
        """Trip counts set by the index of a loop."""
        return {i: n for given in reversed(self.subject.given) for i, n in given.trips.items()}

    def _priced(self, on: OnMachine) -> _Priced:
        seconds: dict[str, float] = {}
        silent: dict[str, set[Loop]] = {model.name: set() for model in self.bench.models}
        sizes: dict[str, int] = {}
        machine = self.machine
        for nest in _nests(on.subject.facts):
            used = on.sizes(nest)
            sizes.update({name: size.value for name, size in used.values.items()})
            for facts in nest:
                answers = on.answers(facts, used)
                # a kernel that does not run is predicted as if it did
                times = space_of(facts.kernel.loops, used.movement.sizes.values).executions
                said = set()
                for prediction in answers.predictions:
                    if prediction.cycles_per_iteration is None:
                        continue
                    said.add(prediction.model)
                    time = prediction.cycles_per_iteration * times / (machine.clock_ghz * 1e9)
                    seconds[prediction.model] = seconds.get(prediction.model, 0.0) + time
                for model, loops in silent.items():
                    if model not in said:
                        loops.add(facts.kernel.loops[-1])
        return _Priced(seconds, {m: frozenset(loops) for m, loops in silent.items()}, sizes)


def _nests(facts: Sequence[KernelFacts]) -> Iterator[list[KernelFacts]]:
    for _, group in groupby(facts, key=lambda each: id(each.kernel.loops[0])):
        yield list(group)

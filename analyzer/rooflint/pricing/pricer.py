"""Prices a change: the models run on the kernels that differ, before and after it.

Sizes are those of the original function: a change that adds or drops an array must not move
the default sizes, because that would compare two different problems. Caches are in the state that
reports assume when a function is called (``rooflint.scenario``); from one run of the kernels
that differ to the next, the function's other kernels touch their data. Starting threads costs time
in each run.

The price is the verdict's time, before and after: what its rule makes of the models' terms, as a
report of the changed code would say it. Models without terms price by themselves. No result counts
for less than the floor of its code (``floors``), before and after the change; if the floor raises
the result for the original code, the gain is still at most the model's own. All prices are made
here.
"""

from collections.abc import Collection, Mapping, Sequence

from msgspec import structs

from rooflint.facts import KernelFacts, NestFootprint, facts_of, rolled_loops
from rooflint.ir import (
    ONE,
    ZERO,
    Function,
    IdentityKey,
    Loop,
    Node,
    Region,
    walk,
)
from rooflint.pipeline.on_machine import OnMachine
from rooflint.plugin_api.hookspecs import Model
from rooflint.plugin_api.rule import Setup
from rooflint.pricing.kernel_times import (
    KernelTime,
    Key,
    reached_seconds,
    summed_kernels,
    summed_verdicts,
)
from rooflint.pricing.nests import nests, touched_nodes
from rooflint.pricing.whatif import PricedChange
from rooflint.records import NamedTuple
from rooflint.rule_kit.openmp import fork_join_seconds
from rooflint.scenario.sizes import SizeLayer
from rooflint.transform.nest.tree import sites

AS_IT_IS = Setup()
CALL = "@call"
"""Index of a loop of one iteration around nodes, so that their straight code is a kernel too."""


class NodeRun(NamedTuple):
    """How nodes run: whether the straight code between their loops counts, and the bytes that the
    function touches elsewhere from one run to the next."""

    straight: bool
    between_bytes: float


class DifferingKernels(NamedTuple):
    """Kernels before and after a change, and the keys of those that are not the same, in program
    order, because sums of floats depend on it.
    """

    before: Mapping[Key, KernelTime]
    after: Mapping[Key, KernelTime]
    gone: Sequence[Key]
    new: Sequence[Key]


class Pricer:
    """Seconds of the parts that a change touches, by model, on one machine; a callback of
    ``whatif``.

    A kernel without a prediction is left out, provided that the same loop had none in the
    original function; a model that loses one more kernel gives no price.
    """

    def __init__(self, on: OnMachine) -> None:
        """``on`` is the original function."""
        self.subject, self.analysis, self.machine = on.subject, on.setup, on.machine
        self.on = on
        self._timed: dict[object, dict[Key, KernelTime]] = {}
        self._pinned: dict[str, Mapping[str, int]] = {}
        self._run_by_kernels: dict[tuple[str, ...], NodeRun] = {}
        self._rolled = rolled_loops(on.subject.facts)

    def __call__(
        self,
        function: Function,
        models: Sequence[Model] | None = None,
        setup: Setup = AS_IT_IS,
        judges: Collection[str] | None = None,
    ) -> PricedChange:
        """The price of ``function`` against the original function, under ``setup``.

        judges  models whose terms make the verdict; None: all
        """
        models = self.analysis.models if models is None else models
        before, after, gone, new = self.differing(function, setup)
        was, now = (
            summed_kernels(before, gone, models, judges),
            summed_kernels(after, new, models, judges),
        )
        shared = [m for m in now.seconds if m in was.seconds and now.silent[m] <= was.silent[m]]
        return PricedChange(
            before={model: was.seconds[model] for model in shared},
            after={model: reached_seconds(was, now, model) for model in shared},
            verdict=summed_verdicts(was, now),
            gone=frozenset(gone),
            new=frozenset(new),
        )

    def new(self, function: Function) -> frozenset[object]:
        """``PricedChange.new`` alone, which needs no model."""
        return frozenset(self.differing(function, AS_IT_IS).new)

    def differing(self, function: Function, setup: Setup) -> DifferingKernels:
        """The kernels that a change touches, before and after it."""
        whole = setup != AS_IT_IS
        were, are = (self.subject.function.body, function.body) if whole else self._parted(function)
        sizes = self.sizes_of(were)
        run = self._run_of(were, sizes)
        before = self.timed(self.subject.function, were, sizes, run)
        after = self.timed(function, are, sizes, run, setup)
        gone = [key for key in before if whole or key not in after]
        new = [key for key in after if whole or key not in before]
        if not gone and not new:
            # what differs is between the kernels: their neighbours' lines may lie elsewhere
            gone, new = list(before), list(after)
        return DifferingKernels(before=before, after=after, gone=gone, new=new)

    def timed(
        self,
        function: Function,
        nodes: tuple[Node, ...],
        sizes: Mapping[str, int],
        run: "NodeRun",
        setup: Setup = AS_IT_IS,
    ) -> dict[Key, KernelTime]:
        """The kernels of some top-level nodes of ``function``."""
        known = (nodes, function.arrays, tuple(sizes.items()), run, setup)
        found = self._timed.get(known)
        if found is None:
            if setup == AS_IT_IS:
                found = self._time(function, nodes, sizes, run)
            else:
                found = self._under(setup, self.timed(function, nodes, sizes, run))
            self._timed[known] = found
        return found

    def _under(self, setup: Setup, timed: Mapping[Key, KernelTime]) -> dict[Key, KernelTime]:
        """The same kernels under ``setup``."""
        if not timed:
            return {}
        analysis, machine = self.analysis, self.machine
        if setup.compiler is not None:
            analysis = analysis._replace(compiler=setup.compiler)
        if setup.cores is not None:
            analysis = analysis._replace(cores=str(setup.cores))
        if setup.page_bytes is not None and machine.tlb is not None:
            machine = structs.replace(
                machine, tlb=machine.tlb._replace(page_bytes=setup.page_bytes)
            )
        on = next(iter(timed.values())).on.under(analysis, machine)
        sizes = {
            each.kernel.id: on.sizes(nest)
            for nest in nests([each.facts for each in timed.values()])
            for each in nest
        }
        return {key: each.under(on, sizes[each.facts.kernel.id]) for key, each in timed.items()}

    def node_seconds(self, node: Node, models: Sequence[Model]) -> Mapping[str, float]:
        """Seconds of one top-level node of the original function, by model."""
        found = self._as_it_is(node)
        return summed_kernels(found, found.keys(), models).seconds

    def floor_seconds(self, function: Function, place: str, setup: Setup) -> float:
        """The minimum seconds per call of ``function`` in the loops that were at ``place``.

        A floor for prices from elsewhere, wherever the work runs; ``place`` names a loop of the
        original function, or is empty for all of it.
        """
        nodes = self.subject.function.body
        site = sites(self.subject.function).get(place)
        sizes = self.sizes_of(nodes)
        timed = self.timed(function, function.body, sizes, self._run_of(nodes, sizes), setup)
        origins = {site.loop.origin} if site is not None else None
        return sum([t.anywhere_s for t in timed.values() if origins is None or t.inside(origins)])

    def working_seconds(self, facts: KernelFacts, models: Sequence[Model]) -> Mapping[str, float]:
        """Seconds of one kernel of the original function by model, without starting threads."""
        body = self.subject.function.body
        outermost = facts.kernel.loops[0]
        node = next(n for n in body if any(loop is outermost for loop in _loops((n,))))
        # by place, not by loop: what is timed may be another nest that is equal
        kernels = [each.kernel.id for each in self._kernels_in((node,))]
        timed = [each for each in self._as_it_is(node).values() if each.loop.index != CALL]
        if len(timed) < len(kernels):
            # a loop of few iterations is straight code where there is another around it
            timed = list(self._as_it_is(node, straight=False).values())
        return timed[kernels.index(facts.kernel.id)].working(models)

    def _as_it_is(self, node: Node, *, straight: bool = True) -> dict[Key, KernelTime]:
        """The kernels of an original top-level node, with its straight code or without."""
        nodes = (node,)
        sizes = self.sizes_of(nodes)
        run = self._run_of(nodes, sizes)
        if not straight:
            run = run._replace(straight=False)
        return self.timed(self.subject.function, nodes, sizes, run)

    def _run_of(self, nodes: tuple[Node, ...], sizes: Mapping[str, int]) -> "NodeRun":
        """How ``nodes``, nodes of the original function, run."""
        kernels = self._kernels_in(nodes)
        key = tuple([each.kernel.id for each in kernels])
        found = self._run_by_kernels.get(key)
        if found is None:
            between = self._touched_outside(kernels, sizes)
            found = NodeRun(self._fits(kernels, sizes), between)
            self._run_by_kernels[key] = found
        return found

    def _kernels_in(self, nodes: tuple[Node, ...]) -> list[KernelFacts]:
        inside = set(map(IdentityKey, _loops(nodes)))
        return [f for f in self.subject.facts if IdentityKey(f.kernel.loops[0]) in inside]

    def _fits(self, facts: Sequence[KernelFacts], sizes: Mapping[str, int]) -> bool:
        """Whether the caches hold the data: beside more, straight code takes no time that shows."""
        if not facts:
            return False
        cores = max([self.on.cores(each).number for each in facts])
        held = self.analysis.rates_of(self.machine, cores).held_bytes
        touched = NestFootprint(facts, self.on.arrays, self.machine.line_bytes).bytes_at(sizes)
        return bool(held) and touched < held[-1]

    def _touched_outside(self, kernels: Sequence[KernelFacts], sizes: Mapping[str, int]) -> float:
        inside = {each.kernel.id for each in kernels}
        others = [each for each in self.subject.facts if each.kernel.id not in inside]
        if not others:
            return 0.0
        values = {**self.sizes_of(self.subject.function.body), **sizes}
        line_bytes = self.machine.line_bytes
        whole = NestFootprint(self.subject.facts, self.on.arrays, line_bytes).bytes_at(values)
        own = NestFootprint(kernels, self.on.arrays, line_bytes).bytes_at(values)
        return max(0.0, whole - own)

    def iterations(self, keys: Collection[object]) -> float:
        """The most iterations of a kernel with one of these keys in the original function."""
        timed = [each for found in self._timed.values() for each in found.items()]
        return max([each.iterations for key, each in timed if key in keys], default=0.0)

    def verdict_seconds(self, models: Sequence[Model], judges: Collection[str]) -> float:
        """Seconds of all nests of the original function, each by itself, by the verdict's rule."""
        nodes = [self._as_it_is(node) for node in self.subject.function.body]
        return sum(
            [summed_kernels(found, found.keys(), models, judges).verdict_s for found in nodes]
        )

    def whole_verdict_s(self, models: Sequence[Model], judges: Collection[str]) -> float:
        """Seconds of the original function as changes of its setup are compared with: its nests one
        after the other, by the verdict's rule."""
        nodes = self.subject.function.body
        sizes = self.sizes_of(nodes)
        found = self.timed(self.subject.function, nodes, sizes, self._run_of(nodes, sizes))
        return summed_kernels(found, found.keys(), models, judges).verdict_s

    def function_seconds(self, models: Sequence[Model]) -> dict[str, float]:
        """Seconds of all nests of the original function, each by itself, by model."""
        total: dict[str, float] = {}
        for node in self.subject.function.body:
            for model, seconds in self.node_seconds(node, models).items():
                total[model] = total.get(model, 0.0) + seconds
        return total

    def sizes_of(self, nodes: tuple[Node, ...]) -> dict[str, int]:
        """The values that the report uses for the sizes of nests of the original function."""
        sizes: dict[str, int] = {}
        for nest in nests(self._kernels_in(nodes)):
            first = nest[0].kernel.id
            if first not in self._pinned:
                values = self.on.sizes(nest).sizes
                self._pinned[first] = {name: size.value for name, size in values.items()}
            for name, value in self._pinned[first].items():
                sizes.setdefault(name, value)
        return sizes

    @property
    def trips(self) -> Mapping[str, int]:
        """Trip counts set by the index of a loop."""
        return {i: n for given in reversed(self.subject.given) for i, n in given.trips.items()}

    def _parted(self, function: Function) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """The top-level nodes that a change touched, before and after; always with straight code,
        because it determines where sums begin.
        """
        was = self.subject.function
        before, after = set(was.arrays), set(function.arrays)
        changed = {array.name for array in before - after}
        return touched_nodes(was, function, changed), touched_nodes(function, was, changed)

    def _time(
        self,
        function: Function,
        nodes: tuple[Node, ...],
        sizes: Mapping[str, int],
        run: "NodeRun",
    ) -> dict[Key, KernelTime]:
        part = structs.replace(function, body=(_call_of(nodes),) if run.straight else nodes)
        facts = facts_of(part, self._rolled)
        if not facts:
            return {}
        given = (SizeLayer("role", sizes, self.trips), *self.subject.given)
        source = self.subject.source._replace(function=part)
        subject = self.subject._replace(source=source, facts=facts, given=given)
        on = OnMachine(subject, self.analysis, self.machine, self.on.caches, run.between_bytes)
        found: dict[Key, KernelTime] = {}
        paid: list[Region] = []
        for nest in nests(facts):
            used = on.sizes(nest)
            for each in nest:
                threads_s = fork_join_seconds(each, used.movement.sizes.values, paid)
                key = _key(each, function, run)
                number = 0
                while (key, number) in found:
                    number += 1
                found[key, number] = KernelTime(on, each, used, threads_s)
        return found


def _loops(nodes: tuple[Node, ...]) -> list[Loop]:
    return [node for node in walk(nodes) if isinstance(node, Loop)]


def _call_of(nodes: tuple[Node, ...]) -> Loop:
    return Loop(index=CALL, lower=ZERO, upper=ONE, step=ONE, body=nodes)


def _key(facts: KernelFacts, function: Function, run: NodeRun) -> object:
    kernel = facts.kernel
    loops = kernel.loops[1:] if run.straight else kernel.loops
    headers = [
        (o.index, o.lower, o.upper, o.step, o.pragmas, o.form, o.condition_reads) for o in loops
    ]
    directives = [(region.kind, region.clauses) for region in kernel.regions]
    return tuple(headers), kernel.statements, tuple(directives), kernel.arrays_of(function)

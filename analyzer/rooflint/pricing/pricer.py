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

from collections.abc import Collection, Container, Mapping, Sequence
from functools import cached_property

from msgspec import structs

from rooflint.facts import KernelFacts, facts_of, rolled_loops
from rooflint.ir import (
    ONE,
    ZERO,
    Function,
    IdentityKey,
    Loop,
    Node,
    Region,
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
from rooflint.pricing.nests import (
    ChangedNodes,
    NodeRun,
    NodeRuns,
    loops_in,
    nests,
    touched_nodes,
    without_idle_arms,
)
from rooflint.pricing.whatif import PricedChange
from rooflint.records import NamedTuple
from rooflint.rule_kit.openmp import fork_join_seconds
from rooflint.scenario.sizes import SizeLayer
from rooflint.transform.nest.tree import sites

AS_IT_IS = Setup()
CALL = "@call"
"""Index of a loop of one iteration around nodes, so that their straight code is a kernel too."""


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
        self.on, self.runs = on, NodeRuns(on)
        self._timed: dict[object, dict[Key, KernelTime]] = {}
        self._node_seconds: dict[tuple[IdentityKey, tuple[Model, ...]], Mapping[str, float]] = {}
        self._times_by_kernel: dict[IdentityKey, Mapping[str, KernelTime]] = {}
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
        """The kernels that a change touches, before and after it; all of them with a setup."""
        if setup != AS_IT_IS:
            return self._differing_under(function, setup)
        own = self._parted(function)
        sizes = self.runs.sizes_of(own.before)
        run = self.runs.run_of(own.before, sizes)
        before = self.timed(self.subject.function, own.before, sizes, run)
        after = self.timed(function, own.after, sizes, run)
        gone = [key for key in before if key not in after]
        new = [key for key in after if key not in before]
        if not gone and not new:
            # what differs is between the kernels: their neighbours' lines may lie elsewhere
            gone, new = list(before), list(after)
        return DifferingKernels(before=before, after=after, gone=gone, new=new)

    def _differing_under(self, function: Function, setup: Setup) -> DifferingKernels:
        was = self.subject.function
        sizes = self.runs.sizes_of(was.body)
        run = self.runs.run_of(was.body, sizes)
        before = self.timed(was, was.body, sizes, run)
        own = without_idle_arms(
            ChangedNodes(was.body, function.body), self._changed_arrays(function)
        )
        after: Mapping[Key, KernelTime] | None = None
        if own.before is not was.body:
            every = self.timed(was, was.body, sizes, run, setup)
            after = self._with_changed(every, function, own, run.straight, setup)
        after = after or self.timed(function, function.body, sizes, run, setup)
        return DifferingKernels(before=before, after=after, gone=list(before), new=list(after))

    def _with_changed(
        self,
        every: Mapping[Key, KernelTime],
        function: Function,
        own: ChangedNodes,
        straight: bool,
        setup: Setup,
    ) -> dict[Key, KernelTime] | None:
        """All kernels of the original function with those in the changed nodes as they become; None
        where straight code changes, which all nodes share."""
        sizes = self.runs.sizes_of(own.before)
        run = self.runs.run_of(own.before, sizes)._replace(straight=straight)
        before = self.timed(self.subject.function, own.before, sizes, run, setup)
        after = self.timed(function, own.after, sizes, run, setup)
        gone = [before[key].loop for key in before.keys() - after.keys()]
        new = {key: each for key, each in after.items() if key not in before}
        if any(loop.index == CALL for loop in (*gone, *[each.loop for each in new.values()])):
            return None
        replaced = set(map(IdentityKey, gone))
        found = {key: each for key, each in every.items() if IdentityKey(each.loop) not in replaced}
        for (content, _), each in new.items():
            found[_free_key(content, found)] = each
        return found

    def timed(
        self,
        function: Function,
        nodes: tuple[Node, ...],
        sizes: Mapping[str, int],
        run: NodeRun,
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
        key = IdentityKey(node), tuple(models)
        seconds = self._node_seconds.get(key)
        if seconds is None:
            found = self._as_it_is(node)
            seconds = summed_kernels(found, found.keys(), models).seconds
            self._node_seconds[key] = seconds
        return seconds

    def floor_seconds(self, function: Function, place: str, setup: Setup) -> float:
        """The minimum seconds per call of ``function`` in the loops that were at ``place``.

        A floor for prices from elsewhere, wherever the work runs; ``place`` names a loop of the
        original function, or is empty for all of it.
        """
        nodes = self.subject.function.body
        site = sites(self.subject.function).get(place)
        sizes = self.runs.sizes_of(nodes)
        timed = self.timed(function, function.body, sizes, self.runs.run_of(nodes, sizes), setup)
        origins = {site.loop.origin} if site is not None else None
        return sum([t.anywhere_s for t in timed.values() if origins is None or t.inside(origins)])

    def working_seconds(self, facts: KernelFacts, models: Sequence[Model]) -> Mapping[str, float]:
        """Seconds of one kernel of the original function by model, without starting threads."""
        node = self._nodes_by_loop[IdentityKey(facts.kernel.loops[0])]
        times = self._times_by_kernel.get(IdentityKey(node))
        if times is None:
            times = self._times_by_kernel[IdentityKey(node)] = self._times_of(node)
        return times[facts.kernel.id].working(models)

    @cached_property
    def _nodes_by_loop(self) -> Mapping[IdentityKey, Node]:
        """The top-level node of each loop of the original function."""
        body = self.subject.function.body
        return {IdentityKey(loop): node for node in body for loop in loops_in((node,))}

    def _times_of(self, node: Node) -> Mapping[str, KernelTime]:
        """The kernels of an original top-level node by name."""
        # by place, not by loop: what is timed may be another nest that is equal
        kernels = [each.kernel.id for each in self.runs.kernels_in((node,))]
        timed = [each for each in self._as_it_is(node).values() if each.loop.index != CALL]
        if len(timed) < len(kernels):
            # a loop of few iterations is straight code where there is another around it
            timed = list(self._as_it_is(node, straight=False).values())
        return dict(zip(kernels, timed, strict=False))

    def _as_it_is(self, node: Node, *, straight: bool = True) -> dict[Key, KernelTime]:
        """The kernels of an original top-level node, with its straight code or without."""
        nodes = (node,)
        sizes = self.runs.sizes_of(nodes)
        run = self.runs.run_of(nodes, sizes)
        if not straight:
            run = run._replace(straight=False)
        return self.timed(self.subject.function, nodes, sizes, run)

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
        sizes = self.runs.sizes_of(nodes)
        found = self.timed(self.subject.function, nodes, sizes, self.runs.run_of(nodes, sizes))
        return summed_kernels(found, found.keys(), models, judges).verdict_s

    def function_seconds(self, models: Sequence[Model]) -> dict[str, float]:
        """Seconds of all nests of the original function, each by itself, by model."""
        total: dict[str, float] = {}
        for node in self.subject.function.body:
            for model, seconds in self.node_seconds(node, models).items():
                total[model] = total.get(model, 0.0) + seconds
        return total

    @property
    def trips(self) -> Mapping[str, int]:
        """Trip counts set by the index of a loop."""
        return {i: n for given in reversed(self.subject.given) for i, n in given.trips.items()}

    def _parted(self, function: Function) -> ChangedNodes:
        """The nodes that a change touched, before and after; always with straight code, because it
        determines where sums begin.
        """
        was, changed = self.subject.function, self._changed_arrays(function)
        touched = ChangedNodes(
            touched_nodes(was, function, changed), touched_nodes(function, was, changed)
        )
        return without_idle_arms(touched, changed)

    def _changed_arrays(self, function: Function) -> set[str]:
        changed = set(self.subject.function.arrays) - set(function.arrays)
        return {array.name for array in changed}

    def _time(
        self,
        function: Function,
        nodes: tuple[Node, ...],
        sizes: Mapping[str, int],
        run: NodeRun,
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
                key = _free_key(_key(each, function, run), found)
                found[key] = KernelTime(on, each, used, threads_s)
        return found


def _call_of(nodes: tuple[Node, ...]) -> Loop:
    return Loop(index=CALL, lower=ZERO, upper=ONE, step=ONE, body=nodes)


def _free_key(content: object, taken: Container[Key]) -> Key:
    number = 0
    while (content, number) in taken:
        number += 1
    return content, number


def _key(facts: KernelFacts, function: Function, run: NodeRun) -> object:
    kernel = facts.kernel
    loops = kernel.loops[1:] if run.straight else kernel.loops
    headers = [
        (o.index, o.lower, o.upper, o.step, o.pragmas, o.form, o.condition_reads) for o in loops
    ]
    directives = [(region.kind, region.clauses) for region in kernel.regions]
    return tuple(headers), kernel.statements, tuple(directives), kernel.arrays_of(function)

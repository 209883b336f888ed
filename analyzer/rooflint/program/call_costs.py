"""Cycles of calls: the body of each function, with all that it calls, over the files of a program.

A body is summed up at the typical trips of its loops and the probabilities of its branches, its
operators at the rate of ordinary scalar code, with its waits for tables. What never runs in an
ordinary run, as paths that end the program, costs nothing. One that calls itself runs as often as
the weights of the program have it run, and its name is with the cost. Where one of several known
functions runs, they run equally often. A function has a lower bound only where it calls, on some
other path, what nobody knows, where it is part of a large circle of calls, or where it has code
that is not modelled.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final

from rooflint.facts.kernels import UNKNOWN_CALL_CYCLES
from rooflint.facts.text_values import RECURSION_RUNS
from rooflint.ir import CallCost
from rooflint.ir.equations import CallSite, PointerCall, UnknownTerm, target_at_line
from rooflint.library.calls import library_cost
from rooflint.program.call_graph import FileCode
from rooflint.program.callees.function_table import FunctionTable
from rooflint.program.callees.pointer_targets import PointerTargets
from rooflint.program.components import components
from rooflint.program.costs import site_operators
from rooflint.program.relations.teams import in_shared_loops
from rooflint.records import NamedTuple

OPERATOR_CYCLES: Final = 0.5
"""Two operators a cycle: a judgement for scalar code with branches whose data are in the nearest
cache, not measured."""
INLINED_CYCLES: Final = 5.0
"""Of a body up to which compilers put it in place of its call: ten operators, which about equals
the fifteen instructions that gcc inlines at ``-O2`` (``max-inline-insns-auto``)."""
MAX_CYCLES: Final = 1e12
"""Beyond lie guesses that multiply: five minutes of one call."""
MAX_NAMED: Final = 8
"""Candidates of a call, and functions below it that call themselves, that are named."""
MAX_CIRCLE: Final = 16
"""Functions that call each other in a circle whose cost is summed up: in a larger one, as an
interpreter's, the ways that an ordinary run takes are few of many (judged)."""


class _CallTargets(NamedTuple):
    """The functions of which a call runs one.

    bodies   those of the program
    library  those of a library, by name
    closed   no other function can be meant, and each has a body or a known cost
    """

    bodies: tuple[int, ...] = ()
    library: tuple[tuple[str, CallCost], ...] = ()
    closed: bool = True

    @property
    def is_known(self) -> bool:
        """Whether one of them, at least, has a body or a known cost."""
        return bool(self.bodies or self.library)


class _BodyCall(NamedTuple):
    """A call ``times`` in one run of its caller, all of them ``shared`` by a team or none."""

    targets: _CallTargets
    times: float
    shared: bool

    def part(self, cost: CallCost) -> float:
        """The cycles of these calls that a team shares."""
        return self.times * (cost.cycles if self.shared else cost.shared)


class CallCosts:
    """Costs of one call of each function of the program."""

    def __init__(self, codes: Sequence[FileCode], table: FunctionTable) -> None:
        self._codes = codes
        self._table = table
        self._pointers = PointerTargets([code.equations for code in codes])
        self._of_pointers: dict[tuple[int, str, str], _CallTargets] = {}
        count = len(table.functions)
        self._cycles = [0.0] * count
        self._shared = [0.0] * count
        self._complete = [True] * count
        self._calls: list[list[_BodyCall]] = [[] for _ in range(count)]
        for number in range(len(codes)):
            self._read(number)
        self._costs: list[CallCost] = [CallCost(0.0, complete=False)] * count
        self._solve()

    def of_file(self, number: int) -> Mapping[str, CallCost]:
        """The costs of all functions with a body that code of the file calls, by their keys; those
        of pointers and of copies by their lines too."""
        file = self._codes[number].equations
        keys = {file.quantities[call.callee].key for call in file.calls}
        for call in file.pointer_calls:  # an instance of a template calls them by their names
            keys.update(self._pointers.of_holder(call))
        found = {key: tuple(self._table.candidates(number, key)) for key in sorted(keys)}
        costs = {
            key: self._cost_of(_CallTargets(bodies)) for key, bodies in found.items() if bodies
        }
        return costs | self._pointer_costs(number) | self._copies(number)

    def _pointer_costs(self, number: int) -> dict[str, CallCost]:
        """The costs of calls through pointers by line, and by type for what has no line here."""
        calls = self._codes[number].equations.pointer_calls
        signatures = dict.fromkeys([call.signature for call in calls])
        of_types = {each: self._of_type(number, each) for each in signatures}
        costs = {
            each: self._cost_of(targets) for each, targets in of_types.items() if targets.is_known
        }
        for call in calls:
            for signature, targets in self._by_signature(number, call):
                if targets.is_known:
                    site, cost = target_at_line(signature, call.line), self._cost_of(targets)
                    if costs.get(site, cost) != cost:
                        cost = min(cost, costs[site])._replace(complete=False)
                    costs[site] = cost
        return costs

    def _by_signature(self, number: int, call: PointerCall) -> Iterator[tuple[str, _CallTargets]]:
        """The functions that a call may run: in a template's pattern, whose instances have a type
        each, by their types."""
        if call.signature:
            yield call.signature, self._pointed(number, call)
            return
        of_types: dict[str, list[str]] = {}
        for key in self._pointers.of_holder(call):
            of_types.setdefault(self._pointers.signatures[key], []).append(key)
        for signature, keys in of_types.items():
            yield signature, self._targets(number, keys)

    def _copies(self, number: int) -> dict[str, CallCost]:
        """The costs of copies of a typical length; the cheapest of several in one line."""
        code = self._codes[number]
        copies: dict[str, CallCost] = {}
        for call in code.equations.calls:
            key = code.equations.quantities[call.callee].key
            cost = None if call.length is None else _library_cost(call, code)
            if cost is not None and not self._table.candidates(number, key):
                site = target_at_line(key, call.line)
                copies[site] = min(cost, copies.get(site, cost))
        return copies

    def _pointed(self, number: int, call: PointerCall) -> _CallTargets:
        """The functions that a call of a file may run through a pointer: all of its type where
        nothing is known to hold it."""
        pointer = number, call.holder, call.signature
        targets = self._of_pointers.get(pointer)
        if targets is None:
            held = self._pointers.of_holder(call)
            targets = self._targets(number, held) if held else self._of_type(number, call.signature)
            self._of_pointers[pointer] = targets
        return targets

    def _of_type(self, number: int, signature: str) -> _CallTargets:
        """The functions of a type whose addresses are taken; another one may be meant."""
        targets = self._targets(number, self._pointers.of_type(signature))
        return targets._replace(closed=False)

    def _targets(self, number: int, keys: Iterable[str]) -> _CallTargets:
        """The functions with these keys, as a file calls them."""
        bodies: dict[int, None] = {}
        library: dict[str, CallCost] = {}
        closed = True
        for key in keys:
            own, name = self._table.candidates(number, key), self._pointers.names[key]
            cost = None if own else library_cost(name, key)
            bodies.update(dict.fromkeys(own))
            if cost is not None:
                library[name] = cost
            closed = closed and bool(own or cost)
        return _CallTargets(tuple(bodies), tuple(library.items()), closed)

    def _read(self, number: int) -> None:
        """Enters the work and the calls of a file's functions."""
        code, own = self._codes[number], self._table.own[number]
        file, frequencies = code.equations, code.frequencies
        functions = {
            position: own[quantity.key]
            for position, quantity in enumerate(file.quantities)
            if quantity.key in own
        }
        for defined in file.functions:
            if defined.unmodelled and defined.result in functions:
                self._complete[functions[defined.result]] = False
        shared = in_shared_loops(file)
        for site in file.work:
            if site.function in functions:
                times = frequencies.of_place(site.loop, site.arm)
                cycles = times * OPERATOR_CYCLES * site_operators(site)
                self._cycles[functions[site.function]] += cycles
                if site.loop >= 0 and shared[site.loop]:
                    self._shared[functions[site.function]] += cycles
        self._read_waits(code, functions)
        self._read_calls(number, functions, shared)

    def _read_waits(self, code: FileCode, functions: Mapping[int, int]) -> None:
        for function, cycles in code.waits_of_calls():
            if function in functions:
                self._cycles[functions[function]] += cycles

    def _read_calls(
        self, number: int, functions: Mapping[int, int], shared: Sequence[bool]
    ) -> None:
        """Enters the calls of a file; ``functions``: those with bodies, by their results.

        ``shared``: the loops that teams share.
        """
        code = self._codes[number]
        for call in code.equations.calls:
            if call.caller in functions:
                targets, times = self._named(number, call), _times(call, code)
                in_team = _is_in(shared, call.loop)
                self._enter(functions[call.caller], targets, times, shared=in_team)
        for pointer in code.equations.pointer_calls:
            if pointer.caller in functions:
                targets, times = self._pointed(number, pointer), _times(pointer, code)
                in_team = _is_in(shared, pointer.loop)
                self._enter(functions[pointer.caller], targets, times, shared=in_team)

    def _named(self, number: int, call: CallSite) -> _CallTargets:
        """The functions that a call of a file may run by name."""
        code = self._codes[number]
        callee = code.equations.quantities[call.callee]
        bodies = tuple(self._table.candidates(number, callee.key))
        cost = None if bodies else _library_cost(call, code)
        library = () if cost is None else ((callee.name, cost),)
        return _CallTargets(bodies, library, closed=bool(bodies or library))

    def _enter(self, caller: int, targets: _CallTargets, times: float, *, shared: bool) -> None:
        if times > 0:
            self._calls[caller].append(_BodyCall(targets=targets, times=times, shared=shared))

    def _solve(self) -> None:
        """Sums up all functions, callees first."""
        done: set[int] = set()
        for start in range(len(self._costs)):
            if start not in done:
                for component in components(start, self._callees, done):
                    done.update(component)
                    # calls within a circle are left out, so that the order is no matter
                    inside = frozenset(component)
                    own = {each: self._own_cost(each, inside) for each in component}
                    for function in component:
                        self._costs[function] = self._cost(function, own)

    def _callees(self, function: int) -> list[int]:
        return sorted({each for call in self._calls[function] for each in call.targets.bodies})

    def _own_cost(self, function: int, circle: Container[int]) -> CallCost:
        """One run of the body, with what it calls outside of a circle of calls."""
        cycles, complete = self._cycles[function], self._complete[function]
        shared = self._shared[function]
        recursive: dict[str, None] = {}
        for call in self._calls[function]:
            outside = tuple([each for each in call.targets.bodies if each not in circle])
            if call.targets.bodies and not (outside or call.targets.library):
                continue
            cost = self._cost_of(call.targets._replace(bodies=outside))
            cycles += call.times * cost.cycles
            shared += call.part(cost)
            complete = complete and cost.complete
            recursive.update(dict.fromkeys(cost.recursive))
        return CallCost(cycles, complete, recursive=tuple(recursive)[:MAX_NAMED], shared=shared)

    def _cost(self, function: int, circle: Mapping[int, CallCost]) -> CallCost:
        """One call; ``circle``: what one run of each function of the circle costs by itself."""
        cost = circle[function]
        if len(circle) > 1 or any(
            function in call.targets.bodies for call in self._calls[function]
        ):
            cost = self._circle_cost(function, circle)
        body = min(cost.cycles, MAX_CYCLES)
        return cost._replace(
            cycles=body if body <= INLINED_CYCLES else body + UNKNOWN_CALL_CYCLES,
            shared=min(cost.shared, body),
        )

    def _circle_cost(self, function: int, circle: Mapping[int, CallCost]) -> CallCost:
        """One call of a function of a circle, which runs all that it leads to several times."""
        if len(circle) > MAX_CIRCLE:
            return circle[function]._replace(complete=False)
        runs = self._runs(function, circle)
        recursive = {self._table.functions[each].name: None for each in sorted(runs)}
        for each in sorted(runs):
            recursive.update(dict.fromkeys(circle[each].recursive))
        return CallCost(
            RECURSION_RUNS * sum([times * circle[each].cycles for each, times in runs.items()]),
            all(circle[each].complete for each in runs),
            recursive=tuple(recursive)[:MAX_NAMED],
            shared=RECURSION_RUNS
            * sum([times * circle[each].shared for each, times in runs.items()]),
        )

    def _runs(self, function: int, circle: Container[int]) -> dict[int, float]:
        """How often each function of a circle runs before the first one runs again, along the
        shortest ways to them."""
        runs, depths, waiting = {function: 1.0}, {function: 0}, [function]
        for caller in waiting:
            for call in self._calls[caller]:
                for callee in call.targets.bodies:
                    if callee not in circle or depths.get(callee, MAX_CIRCLE) <= depths[caller]:
                        continue
                    if callee not in depths:
                        depths[callee] = depths[caller] + 1
                        waiting.append(callee)
                    part = runs[caller] * call.times / len(call.targets.bodies)
                    runs[callee] = runs.get(callee, 0.0) + part
        return runs

    def _cost_of(self, targets: _CallTargets) -> CallCost:
        """The cost of one of several functions: their mean where all are known, or the least."""
        costs = [self._costs[each] for each in targets.bodies]
        costs += [cost for _, cost in targets.library]
        if not costs:
            return CallCost(UNKNOWN_CALL_CYCLES, complete=False)
        least = min(costs, key=lambda cost: (cost.cycles, cost.complete))
        if len(set(costs)) == 1:
            return least._replace(complete=least.complete and targets.closed)
        known = targets.closed and all(cost.complete for cost in costs)
        cost = _mean(costs) if known else least._replace(complete=False)
        return cost._replace(candidates=self._names(targets))

    def _names(self, targets: _CallTargets) -> tuple[str, ...]:
        names = {self._table.functions[each].name for each in targets.bodies}
        names.update([name for name, _ in targets.library])
        return tuple(sorted(names)[:MAX_NAMED])


def _mean(costs: Sequence[CallCost]) -> CallCost:
    """The cost of calls that run each of several functions equally often."""
    recursive = dict.fromkeys([name for cost in costs for name in cost.recursive])
    return CallCost(
        sum([cost.cycles for cost in costs]) / len(costs),
        recursive=tuple(recursive)[:MAX_NAMED],
        shared=sum([cost.shared for cost in costs]) / len(costs),
    )


def _times(call: CallSite | PointerCall, code: FileCode) -> float:
    """How often a call is made in one run of its caller."""
    return code.frequencies.of_place(call.loop, call.arm)


def _is_in(shared: Sequence[bool], loop: int) -> bool:
    """Whether a team shares the loop; -1 for outside of loops."""
    return loop >= 0 and shared[loop]


def _library_cost(call: CallSite, code: FileCode) -> CallCost | None:
    callee = code.equations.quantities[call.callee]
    known = call.length is not None and not isinstance(call.length, UnknownTerm)
    length = code.size(call.length) if known and call.length is not None else None
    return library_cost(callee.name, callee.key, length, callee.scope)


def call_costs(codes: Sequence[FileCode]) -> Mapping[str, Mapping[str, CallCost]]:
    """For each file, by its path, the costs of the functions that its code calls."""
    costs = CallCosts(codes, FunctionTable([code.equations for code in codes]))
    return {code.equations.path: costs.of_file(number) for number, code in enumerate(codes)}

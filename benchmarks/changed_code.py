"""Changes of loops as C: what rules propose for a file, what else is legal, and the text of each.

Shared by the benchmarks that compile and run changed nests.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from rooflint.config.lint_settings import LintOverrides
from rooflint.facts import facts_of
from rooflint.ir import Function, Loop, Region, SourceFunction, Unit, walk
from rooflint.lint.context import FileContext, FunctionContext
from rooflint.lint.functions import FunctionLint
from rooflint.lint.places import Places
from rooflint.lint.proposals import Proposal, candidates, chains, first_guard, matches
from rooflint.pipeline.front_end import unit_of
from rooflint.pipeline.on_machine import NestSubject, OnMachine
from rooflint.pipeline.setup.options import Options
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.rule import sees_files, sees_functions
from rooflint.plugin_api.transforms import ChangedFunction, Result
from rooflint.registry import load_registry, missing, with_rules, working_rule
from rooflint.scenario.sizes import SizeLayer
from rooflint.source_edit.c_writer import NotWrittenError, changed_part, rewrite_part, text_after
from rooflint.source_edit.edits import EditableSource
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.scalars import assigned_scalars
from rooflint.transform.nest.tree import perfect_chain

Change = Callable[[Function], Result]
PLAIN = (
    transform.fuse, transform.unswitch, transform.parallelise, transform.vectorise,
    transform.offload, transform.hoist, transform.reciprocal, transform.merge_divisions,
    transform.contract, transform.expand_powers, transform.narrow,
)  # fmt: skip
MACHINE = "icelake-sp-8360y"


class Made(NamedTuple):
    """A changed function, and who proposes it."""

    title: str
    function: str
    result: ChangedFunction
    guard: str = ""


class Variant(NamedTuple):
    """A function with one nest changed.

    text      the definition
    exact     the same bits have to come out
    threads   a directive shares the work out, so flags for OpenMP matter
    control   the nest as it was, only written again: it has to print what the source does
    guard     the guard that keeps the lint silent here, for a change that --structural shows
    """

    title: str
    function: str
    text: str
    exact: bool
    threads: bool
    control: str
    guard: str = ""


class Refusal(NamedTuple):
    """A change that has no text, and why."""

    title: str
    reason: str


def parsed(path: str, flags: Sequence[str]) -> Unit:
    """The file as the front end sees it."""
    return unit_of(path, Options(flags=tuple(flags), isolated=True))


def proposed(path: str, unit: Unit, flags: Sequence[str]) -> Iterator[Made]:
    """Every change that a rule proposes, alone and with a second one after it.

    All rules, also those in preview; guards that only ask whether it pays are noted, not obeyed.
    """
    options = Options(
        machines=(MACHINE,),
        flags=tuple(flags),
        isolated=True,
        lint=LintOverrides(select=("ALL",), preview=True, structural=True, min_time_s=0.0),
    )
    bench = SetupResolver(options, with_rules(load_registry())).setup_for(path)
    assert bench.lint is not None
    machine = bench.machines[0]
    rules = [
        rule
        for rule in map(working_rule, bench.rules)
        if (sees_functions(rule) or sees_files(rule)) and not missing(rule.needs, machine)
    ]
    single = [rule for rule in rules if sees_functions(rule)]
    text = EditableSource(unit.text)
    lints: list[FunctionLint] = []
    for source in unit.functions:
        facts = facts_of(source.function)
        subject = NestSubject(
            source, facts, (bench.sizes, SizeLayer("comment", {}), bench.configured), None
        )
        context = FunctionContext(OnMachine(subject, bench, machine), (), unit.text)
        lints.append(FunctionLint(context, single, bench.lint, Places(source, text)))
    across: list[Proposal] = []
    file = FileContext(unit, tuple([lint.context for lint in lints]))
    for rule in rules:
        if sees_files(rule):
            for found in rule.match_unit(file):
                where = next(lint.context for lint in lints if lint.context is found.where)
                across.append(Proposal(rule, found.match, where))
    for lint in lints:
        own = [each for each in across if each.context is lint.context]
        failures: list[str] = []
        for each in (*matches(single, lint.context, failures), *own):
            yield from _ways(lint, each)
        assert not failures, failures


def _ways(lint: FunctionLint, each: Proposal) -> Iterator[Made]:
    if first_guard(each, structural=True)[0] or not each.match.changes:
        return
    guard = first_guard(each, structural=False)[0]
    name = lint.context.function.name
    for first in candidates(each)[0]:
        title = f"{each.rule.code} {each.match.place}: {_steps(first.result)}"
        if first.result.function == lint.context.function:
            continue  # other flags, other cores: the code is the same
        yield Made(title, name, first.result, guard)
        if not chains(first):
            continue
        for second in lint.links(first.result.function):
            joined = first.result.then(lambda _, second=second: second.result)  # type: ignore[misc]
            assert isinstance(joined, ChangedFunction)
            yield Made(f"{title}; {second.name}: {_steps(second.result)}", name, joined, guard)


def _steps(result: ChangedFunction) -> str:
    return ", ".join(map(str, result.steps))


def legal(source: SourceFunction) -> Iterator[Made]:
    """Every change of every loop that its test of legality allows, with small numbers."""
    function = source.function
    for title, change in _changes(function):
        result = change(function)
        if isinstance(result, ChangedFunction):
            yield Made(title, function.name, result)


def chained(source: SourceFunction, number: int) -> Iterator[Made]:
    """So many chains of two or three legal changes, the same in every run."""
    chance = random.Random(source.function.name)
    for _ in range(number):
        result: Result = ChangedFunction(source.function, ())
        titles: list[str] = []
        for _ in range(chance.choice((2, 3))):
            assert isinstance(result, ChangedFunction)
            found = list(_changes(result.function))
            chance.shuffle(found)
            for title, change in found:
                longer = result.then(change)
                if isinstance(longer, ChangedFunction):
                    titles.append(title)
                    result = longer
                    break
        assert isinstance(result, ChangedFunction)
        yield Made("; ".join(titles), source.function.name, result)


def _changes(function: Function) -> Iterator[tuple[str, Change]]:
    for name, site in transform.sites(function).items():
        for title, change in _at(name, site.loop):
            yield f"{name} {title}", change
        for plain in PLAIN:
            yield f"{name} {plain.__name__}", partial(plain, loop=name)


def _at(name: str, loop: Loop) -> Iterator[tuple[str, Change]]:
    chain = [each.index for each in perfect_chain(loop)]
    for depth in range(1, len(chain)):
        inner = chain[: depth + 1]
        yield "order " + ".".join(inner[::-1]), _order(name, tuple(inner[::-1]))
        if depth > 1:
            turned = (inner[-1], *inner[:-1])
            yield "order " + ".".join(turned), _order(name, turned)
    for sizes in (dict.fromkeys(chain, 3), {chain[-1]: 4}, {chain[0]: 2}):
        words = ", ".join(f"{k}={v}" for k, v in sizes.items())
        yield f"tile {words}", partial(transform.tile, loop=name, sizes=sizes)
    yield "strip 3", partial(transform.strip_mine, loop=name, size=3)
    for at in range(1, len(loop.body)):
        yield f"fission {at}", partial(transform.fission, loop=name, at=at)
    if len(loop.body) > 1:
        for at in range(len(loop.body)):
            yield f"isolate {at}", partial(transform.isolate, loop=name, at=at)
            yield f"swap inner {at}", partial(transform.swap_inner, loop=name, at=at)
    for factor in (2, 3):
        yield f"unroll {factor}", partial(transform.unroll, loop=name, factor=factor)
        yield f"jam {factor}", partial(transform.unroll_and_jam, loop=name, factor=factor)
    yield "4 sums", partial(transform.unroll, loop=name, factor=4, accumulators=4)
    yield "peel first", partial(transform.peel, loop=name, side="first")
    yield "peel last", partial(transform.peel, loop=name, side="last")
    accesses = [a for s in statements_in(loop.body) for a in s.accesses]
    for array in sorted({a.array for a in accesses if not a.write}):
        yield f"load first {array}", partial(transform.load_first, loop=name, array=array)
    written = {a.array for a in accesses if a.write}
    for array in sorted(written):
        yield f"register {array}", partial(transform.in_register, loop=name, array=array)
        yield f"scalar for {array}", partial(transform.contract_array, loop=name, array=array)
    for scalar in sorted(assigned_scalars(loop.body)):
        yield f"expand {scalar}", partial(transform.expand_scalar, loop=name, scalar=scalar)


def _order(name: str, order: tuple[str, ...]) -> Change:
    return partial(transform.interchange, loop=name, order=order)


def variants(unit: Unit, made: Iterator[Made]) -> Iterator[Variant | Refusal]:
    """The text of each change, the same text once."""
    text = EditableSource(unit.text)
    sources = {source.function.name: source for source in unit.functions}
    seen: set[str] = set()
    for each in made:
        source = sources[each.function]
        # a rule may price one side of a branch alone; its steps are what it proposes
        replayed = transform.apply(source.function, each.result.steps)
        assert isinstance(replayed, ChangedFunction), each.title
        after = replayed.function
        try:
            part = changed_part(source.function, after)
            changed = text_after(text, rewrite_part(text, source, part, after, part.new))
            same = rewrite_part(text, source, part, source.function, part.old)
        except NotWrittenError as error:
            yield Refusal(each.title, str(error))
            continue
        if changed in seen:
            continue
        seen.add(changed)
        threads = any(isinstance(node, Region) for node in walk(part.new))
        new, control = (_own(text, source, t) for t in (changed, text_after(text, same)))
        exact = each.result.exact
        yield Variant(each.title, each.function, new, exact, threads, control, each.guard)


def _own(text: EditableSource, source: SourceFunction, whole: str) -> str:
    """The function's part of a file that is changed nowhere else."""
    begin, end = _ends(text, source)
    new = whole.encode("utf-8", "surrogateescape")
    return new[begin : len(new) - (len(text.bytes) - end)].decode("utf-8", "surrogateescape")


def _ends(text: EditableSource, source: SourceFunction) -> tuple[int, int]:
    span = source.span
    return text.offset(span.line, span.column), text.offset(span.end_line, span.end_column)


def combined(unit: Unit, function: str, texts: Sequence[str]) -> str:
    """The file with a function in several forms; the environment's ``KERNEL`` says which one runs.

    The first of ``texts`` is 0.
    """
    text = EditableSource(unit.text)
    source = next(s for s in unit.functions if s.function.name == function)
    begin, end = _ends(text, source)
    name = re.compile(rf"\b{re.escape(function)}\b")
    copies = [name.sub(f"{function}_{k}", each) for k, each in enumerate(texts)]
    names = ", ".join(f"{function}_{k}" for k in range(len(texts)))
    chosen = (
        f"static __typeof__(&{function}_0) {function}_forms[] = {{{names}}};\n"
        f'#define {function} (*{function}_forms[atoi(getenv("KERNEL"))])\n'
    )
    before, behind = text.bytes[:begin].decode(), text.bytes[end:].decode()
    return "".join(["#include <stdlib.h>\n", before, "\n\n".join(copies), "\n", chosen, behind])


def original(unit: Unit, function: str) -> str:
    """A function as the file has it."""
    text = EditableSource(unit.text)
    source = next(s for s in unit.functions if s.function.name == function)
    return _own(text, source, unit.text)

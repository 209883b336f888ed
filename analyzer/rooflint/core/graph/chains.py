"""Scalars that an iteration hands to the next: sums, minima, the last value, or a recurrence."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal, TypeAlias

from rooflint.core.compiler import Compiler
from rooflint.core.graph.elements import access_text
from rooflint.core.graph.values import Graph
from rooflint.records import NamedTuple

ChainKind: TypeAlias = Literal[
    "sum", "product", "extreme", "logic", "induction", "previous", "recurrence"
]

_KINDS: dict[str, ChainKind] = {
    "add": "sum", "sub": "sum", "fma": "sum", "mul": "product", "min": "extreme",
    "max": "extreme", "and": "logic", "or": "logic", "xor": "logic",
}  # fmt: skip


class Chain(NamedTuple):
    """The chain of a scalar's values from one iteration to the next.

    kind   ``previous``: only the value of the iteration before is read, nothing accumulates;
           ``induction``: the same is added every time, and values on the way are needed
    type   of the scalar, where low bits decide on low bits; else of the operation
    nodes  the operations between the value read and the value handed on, in order
    tested  a comparison with the value sets flags: integers are set where it is replaced
    """

    name: str
    kind: ChainKind
    type: str
    nodes: tuple[int, ...]
    tested: bool = False


def chains_of(graph: Graph, conditional: frozenset[str] = frozenset()) -> tuple[Chain, ...]:
    """The chains of all scalars that are carried.

    ``conditional`` are scalars assigned in a branch only: they keep their value otherwise.
    """
    live = set(graph.live)
    found = []
    for name, start in graph.carried.items():
        end = graph.finals.get(name)
        if end is not None and start in live:
            chain = _chain(graph, name, start, end, name in conditional)
            others = conditional.difference((name,)) if chain.kind == "extreme" else ()
            tested = any(_is_integer(graph, other) for other in others)
            found.append(chain._replace(tested=tested))
    return tuple(found)


def _is_integer(graph: Graph, name: str) -> bool:
    """Whether an iteration leaves an integer in the scalar ``name``; those in closed form are no
    values of the graph."""
    end = graph.finals.get(name)
    return end is None or graph.nodes[end].type[:1] in "iu"


def chain_in_memory(graph: Graph, load: int, store: int) -> Chain:
    """The chain of a place that an iteration reads and writes, named as the source has it."""
    node = graph.nodes[store]
    return _chain(graph, access_text(node), load, node.args[0], False)


def may_reorder(chain: Chain, compiler: Compiler) -> bool:
    """Whether the compiler may accumulate parts of the chain side by side."""
    if chain.kind == "previous":
        return True
    if chain.kind == "recurrence":
        return False
    floating = chain.type[:1] in "fbc" and chain.type != "bool"
    if not floating:
        return True
    return compiler.finite_math if chain.kind == "extreme" else compiler.reassociate


def ordered_additions(chains: Iterable[Chain]) -> frozenset[int]:
    """The additions of sums whose order counts."""
    sums = [chain for chain in chains if chain.kind == "sum" and chain.type[:1] in "fb"]
    return frozenset([number for chain in sums for number in chain.nodes])


def brackets_shorten(graph: Graph, start: int, end: int) -> bool:
    """Whether several operations of one kind lie between ``start`` and ``end``, and other brackets
    would leave one of them: ``x + a + b`` is ``x + (a + b)``, which waits for ``x`` once.
    """
    between = _between(graph, start, end)
    return len(between) > 1 and _common_kind(graph, start, between) is not None


def _common_kind(graph: Graph, start: int, between: tuple[int, ...]) -> ChainKind | None:
    """The one kind of operations that follow on ``start``, each used by the next one alone."""
    kinds = {_accumulates(graph, *step) for step in pairwise((start, *between))}
    alone = all(graph.uses[number] == 1 for number in between[:-1])
    return kinds.pop() if alone and len(kinds) == 1 else None


def _accumulates(graph: Graph, previous: int, number: int) -> ChainKind | None:
    """The kind of the operation ``number`` if it uses the result of ``previous`` once."""
    node = graph.nodes[number]
    if node.args.count(previous) != 1:
        return None
    place = node.args.index(previous)
    first = node.op != "sub" or place == 0
    added = node.op != "fma" or place == 2
    return _KINDS.get(node.op) if first and added else None


def _chain(graph: Graph, name: str, start: int, end: int, conditional: bool) -> Chain:
    between = _between(graph, start, end)
    if between:
        kind = _kind(graph, start, between)
    elif conditional:
        kind = "extreme" if _compared(graph, start, end) else "recurrence"
    else:
        kind = "recurrence" if end == start else "previous"
    held = graph.kept.get(name, "") if kind in ("sum", "logic") else ""
    return Chain(name=name, kind=kind, type=held or graph.nodes[end].type, nodes=between)


def _kind(graph: Graph, start: int, between: tuple[int, ...]) -> ChainKind:
    if _is_induction(graph, start, between):
        return "induction"
    if graph.uses[start] != 1 or graph.uses[between[-1]] != 1:
        return "recurrence"
    return _common_kind(graph, start, between) or "recurrence"


def _is_induction(graph: Graph, start: int, between: tuple[int, ...]) -> bool:
    node = graph.nodes[between[0]]
    if len(between) > 1 or node.op not in ("add", "sub") or start not in node.args:
        return False
    place = node.args.index(start)
    return graph.nodes[node.args[1 - place]].invariant and (node.op == "add" or place == 0)


def _between(graph: Graph, start: int, end: int) -> tuple[int, ...]:
    """The nodes on a way from ``start`` to ``end``, in order."""
    if end <= start:
        return ()
    after = {start}
    for number in range(start + 1, end + 1):
        if not after.isdisjoint(graph.nodes[number].args):
            after.add(number)
    if end not in after:
        return ()
    before = {end}
    for number in range(end, start, -1):
        if number in before:
            before.update(graph.nodes[number].args)
    return tuple(sorted((after & before) - {start}))


def _compared(graph: Graph, start: int, end: int) -> bool:
    """Whether the value kept and the value that replaces it are compared: a search for the most."""
    return any(
        graph.nodes[n].op == "compare" and {start, end} == set(graph.nodes[n].args)
        for n in graph.live
    )

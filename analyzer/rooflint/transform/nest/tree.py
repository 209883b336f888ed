"""Loops of a function by name, and functions with some of their nodes replaced.

A loop is named by the indices from the outermost loop down to it, ``i.k.j``; the second one of a
name, in program order, is ``i.k.j#2``. A path is the position among ``ir.children`` at each depth.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from rooflint.dependence import memory_of, volatile_in
from rooflint.ir import Branch, Definition, Function, Loop, Node, Region, children
from rooflint.ir.identity import kept_with_part
from rooflint.records import NamedTuple
from rooflint.transform.result import RefusalError

Path: TypeAlias = tuple[int, ...]
Nodes: TypeAlias = tuple[Node, ...]


class Site(NamedTuple):
    """A loop where it stands; ``outer`` are the loops around it, outermost first."""

    name: str
    path: Path
    loop: Loop
    outer: tuple[Loop, ...]


@kept_with_part
def sites(function: Function) -> Mapping[str, Site]:
    """All loops of ``function`` by name, in program order."""
    found: dict[str, Site] = {}
    taken: dict[str, int] = {}
    for path, loop, outer in _loops(function.body, (), ()):
        plain = ".".join([each.index for each in (*outer, loop)])
        number = taken.get(plain, 0) + 1
        name = plain if number == 1 else f"{plain}#{number}"
        while name in found:
            number += 1
            name = f"{plain}#{number}"
        taken[plain] = number
        found[name] = Site(name=name, path=path, loop=loop, outer=outer)
    return found


def name_of(function: Function, loop: Loop) -> str:
    """The name of a loop object of ``function``; KeyError when it is none of them."""
    for name, site in sites(function).items():
        if site.loop is loop:
            return name
    raise KeyError(loop.index)


def site_of(function: Function, name: str) -> Site:
    """The loop of that name; raises RefusalError where a change must leave it alone."""
    found = sites(function).get(name)
    if found is None:
        raise RefusalError(f"there is no loop {name}")
    volatile = volatile_in((found.loop,), memory_of(function))
    if volatile:
        raise RefusalError(f"{volatile} is volatile: its accesses stay as they are")
    return found


WORKSHARING = frozenset(("for", "simd", "distribute", "taskloop", "loop"))


def free_site(function: Function, name: str) -> Site:
    """The loop of that name, unless an OpenMP directive speaks of its header."""
    site = site_of(function, name)
    directive = governing(function, site.path)
    if directive is not None:
        raise RefusalError(f"omp {directive.kind} governs {name}")
    return site


def governing(function: Function, path: Path) -> Region | None:
    """The directive whose loop the one at ``path`` is."""
    parent = at(function, path[:-1]) if len(path) > 1 else None
    found = isinstance(parent, Region) and not WORKSHARING.isdisjoint(parent.kind.split())
    return parent if found and isinstance(parent, Region) else None


def insert_before(function: Function, path: Path, *before: Node) -> Function:
    """``function`` with nodes before the one at ``path``, and before directives that govern it."""
    while governing(function, path) is not None:
        path = path[:-1]
    return replace_nodes(function, path, *before, at(function, path))


def _loops(
    nodes: Nodes, path: Path, outer: tuple[Loop, ...]
) -> Iterator[tuple[Path, Loop, tuple[Loop, ...]]]:
    for position, node in enumerate(nodes):
        here = (*path, position)
        if isinstance(node, Loop):
            yield here, node, outer
            yield from _loops(node.body, here, (*outer, node))
        else:
            yield from _loops(children(node), here, outer)


def around(function: Function, path: Path) -> Nodes:
    """The nodes next to the one at ``path``, itself included, in the list its parent has.

    For a node in an arm of a branch these are the nodes of that arm.
    """
    nodes: Nodes = function.body
    for position in path[:-1]:
        nodes = children(nodes[position])
    if len(path) > 1:
        parent = at(function, path[:-1])
        if isinstance(parent, Branch):
            return parent.then if path[-1] <= len(parent.then) else parent.orelse
    return nodes


def at(function: Function, path: Path) -> Node:
    """The node at ``path``."""
    nodes: Nodes = function.body
    for position in path[:-1]:
        nodes = children(nodes[position])
    return nodes[path[-1]]


def replace_nodes(function: Function, path: Path, *new: Node, count: int = 1) -> Function:
    """``function`` with ``count`` nodes from ``path`` on replaced by ``new``."""
    return replace(function, body=_rebuilt(function.body, path, new, count))


def _rebuilt(nodes: Nodes, path: Path, new: Nodes, count: int) -> Nodes:
    head, rest = path[0], path[1:]
    if not rest:
        return (*nodes[:head], *new, *nodes[head + count :])
    node = nodes[head]
    if isinstance(node, Branch):
        in_then = rest[0] <= len(node.then)
        shift = 1 if in_then else 1 + len(node.then)
        arm = node.then if in_then else node.orelse
        arm = _rebuilt(arm, (rest[0] - shift, *rest[1:]), new, count)
        inner: Node = replace(node, then=arm) if in_then else replace(node, orelse=arm)
    else:
        assert isinstance(node, Loop | Region)
        inner = replace(node, body=_rebuilt(node.body, rest, new, count))
    return (*nodes[:head], inner, *nodes[head + 1 :])


def with_definitions(function: Function, path: Path, made: tuple[Definition, ...]) -> Function:
    """``function`` with definitions beside the body that the node at ``path`` stands in."""
    for depth in range(len(path) - 1, 0, -1):
        around = at(function, path[:depth])
        if isinstance(around, Loop):
            loop = replace(around, definitions=(*around.definitions, *made))
            return replace_nodes(function, path[:depth], loop)
    return replace(function, definitions=(*function.definitions, *made))


def with_bodies(node: Node, change: Callable[[Nodes], Nodes]) -> Node:
    """``node`` with each list of nodes in it changed; the condition of a branch stays."""
    if isinstance(node, Branch):
        return replace(node, then=change(node.then), orelse=change(node.orelse))
    return replace(node, body=change(node.body)) if isinstance(node, Loop | Region) else node


def nodes_behind(function: Function, path: Path) -> Iterator[Nodes]:
    """Nodes that may execute after the node at ``path``, innermost list first.

    Inside an enclosing loop that is all of that loop's body, because it comes around again.
    """
    nodes: Nodes = function.body
    lists: list[Nodes] = []
    for depth, position in enumerate(path):
        lists.append(nodes[position + 1 :])
        if depth == len(path) - 1:
            break
        node = nodes[position]
        if isinstance(node, Loop):
            lists.append((node,))
        nodes = children(node)
    yield from reversed(lists)


def perfect_chain(loop: Loop) -> list[Loop]:
    """``loop`` and the loops inside it, down to the first that holds more than one loop alone."""
    chain = [loop]
    while len(chain[-1].body) == 1 and isinstance(chain[-1].body[0], Loop):
        chain.append(chain[-1].body[0])
    return chain


def outermost_around(loops: Sequence[Loop], index: str) -> Loop | None:
    """The outermost loop that is perfect down to the one of an index, which is not itself."""
    own = next(loop for loop in loops if loop.index == index)
    for loop in loops:
        if loop is own:
            return None
        if any(each is own for each in perfect_chain(loop)):
            return loop
    return None

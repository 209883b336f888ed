"""Strongly connected components of a graph of numbered nodes."""

from collections.abc import Callable, Container, Iterable, Iterator


def components(
    start: int, needs_of: Callable[[int], Iterable[int]], done: Container[int] = ()
) -> Iterator[list[int]]:
    """Strongly connected components below ``start``, each behind those that it needs (Tarjan)."""
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    height: dict[int, int] = {}
    open_members: list[int] = []
    path: list[tuple[int, Iterator[int]]] = []

    def enter(position: int) -> None:
        order[position] = lowest[position] = len(order)
        height[position] = len(open_members)
        open_members.append(position)
        path.append((position, iter(needs_of(position))))

    closed: set[int] = set()
    enter(start)
    while path:
        position, needs = path[-1]
        for need in needs:
            if need in done or need in closed:
                continue
            if need not in order:
                enter(need)
                break
            lowest[position] = min(lowest[position], order[need])
        else:
            path.pop()
            if path:
                above = path[-1][0]
                lowest[above] = min(lowest[above], lowest[position])
            if lowest[position] == order[position]:
                component = open_members[height[position] :]
                del open_members[-len(component) :]
                closed.update(component)
                yield sorted(component)

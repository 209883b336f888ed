"""Recurrences that serialise the iterations of a whole nest, in any order of its loops.

A recurrence in an inner loop says nothing of the loops around it: their iterations may have chains
of their own, to be run side by side, or be moved inside (Allen, Kennedy: Optimizing Compilers for
Modern Architectures, chapter 5; Lamport: The parallel execution of DO loops. CACM 17(2), 1974, for
those that only diagonals set free). All of that is out of the question where one value goes from
every iteration of the nest to the next.
"""

from collections.abc import Iterator
from itertools import permutations
from typing import Final

from rooflint.ir import Access, Function, Loop
from rooflint.transform.nest.legality import of_nest
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.scalars import assigned_scalars, exposed_scalars, scalars_of
from rooflint.transform.nest.tree import Site, name_of, perfect_chain, sites
from rooflint.transform.order import interchange
from rooflint.transform.result import ChangedFunction

DEEPEST: Final = 4
"""Loops whose orders are tried: 24 of them, each with a test of legality."""


def in_sequence(site: Site) -> bool:
    """Whether each iteration of the loops around ``site`` and of its own surely needs the last.

    One value is handed on by all of them: a scalar, or a place in memory that none of the indices
    moves, and nothing else in the nest sets it.
    """
    if not site.outer:
        return True
    return any(_goes_on(site, name) for name in _handed_on(site)) or any(
        _stays(site, access) for access in _updated(site)
    )


def free_order(function: Function, site: Site) -> tuple[str, ...]:
    """A legal order of the perfect nest around a loop whose innermost loop carries no dependence.

    Empty where there is none, or where the nest is deeper than ``DEEPEST``.
    """
    for outermost in site.outer:
        chain = perfect_chain(outermost)
        if chain[-1] is not site.loop or len(chain) > DEEPEST:
            continue
        place = name_of(function, outermost)
        for order in _orders(chain):
            result = interchange(function, place, order)
            if isinstance(result, ChangedFunction) and not _waits(result.function, place, order):
                return order
    return ()


def _orders(chain: list[Loop]) -> Iterator[tuple[str, ...]]:
    names = tuple([loop.index for loop in chain])
    for order in permutations(names):
        if order[-1] != names[-1]:
            yield order


def _waits(function: Function, before: str, order: tuple[str, ...]) -> bool:
    """Whether the innermost loop of the nest that was at ``before`` carries a dependence."""
    around = before.rpartition(".")[0]
    site = sites(function)[f"{around}.{order[0]}" if around else order[0]]
    found = of_nest(function, (site.loop,), site.outer).found
    return any(each.level is not None and each.level >= len(order) - 1 for each in found)


def _handed_on(site: Site) -> list[str]:
    found = scalars_of(site.loop.body).values()
    return [scalar.name for scalar in found if scalar.role == "recurrence"]


def _goes_on(site: Site, name: str) -> bool:
    """Whether a scalar leaves the loop and enters it again, set nowhere else in the nest."""
    outermost = site.outer[0]
    own = statements_in((site.loop,))
    others = [s for s in statements_in((outermost,)) if not any(s is each for each in own)]
    return name not in assigned_scalars(others) and all(
        name in exposed_scalars(loop.body) for loop in site.outer
    )


def _updated(site: Site) -> list[Access]:
    accesses = [access for s in statements_in(site.loop.body) for access in s.accesses]
    read = {(a.array, a.offset) for a in accesses if not a.write}
    return [a for a in accesses if a.write and (a.array, a.offset) in read]


def _stays(site: Site, access: Access) -> bool:
    """Whether all iterations of the nest update the same place, which no other store touches."""
    loops = (*site.outer, site.loop)
    if access.offset.unknowns() or access.offset.mentions() & {loop.index for loop in loops}:
        return False
    stores = [
        each
        for statement in statements_in((site.outer[0],))
        for each in statement.accesses
        if each.write and each.array == access.array
    ]
    return len(stores) == 1

"""Promises and directives: restrict, simd, threads, coprocessor, stores past the caches."""

from collections.abc import Iterable

from msgspec.structs import replace

from rooflint.ir import Array, Clause, Function, Loop, Region, Statement
from rooflint.transform.nest.legality import (
    is_read_behind,
    obstacle,
    of_nest,
    out_of_sight,
    sums_round,
    vector_text,
)
from rooflint.transform.nest.rewrite import map_statements, statements_in
from rooflint.transform.nest.scalars import scalars_of
from rooflint.transform.nest.tree import Nodes, Site, at, governing, replaced, site_of
from rooflint.transform.result import Refused, Result, done

SIGNS = {"add": "+", "mul": "*", "min": "min", "max": "max"}


def promise_restrict(function: Function, arrays: tuple[str, ...]) -> Result:
    """``restrict`` on pointers: nothing else in the function touches what they point to."""
    known = {array.name: array for array in function.arrays}
    missing = [name for name in arrays if name not in known]
    if missing or not arrays:
        return Refused(f"there is no array {', '.join(missing)}")
    if all(known[name].restrict for name in arrays):
        return Refused(f"{', '.join(arrays)} are restrict already")
    new: list[Array] = [
        a._replace(restrict=a.name in arrays or a.restrict) for a in function.arrays
    ]
    assumes = tuple([f"{name} overlaps no other array" for name in arrays])
    changed = replace(function, arrays=tuple(new))
    return done(changed, "promise_restrict", "", assumes=assumes, arrays=arrays)


def store_past_caches(function: Function, loop: str, arrays: tuple[str, ...]) -> Result:
    """Stores to ``arrays`` in the loop go to memory without reading the line first."""
    site = site_of(function, loop)
    if isinstance(site, Refused):
        return site
    accesses = [a for s in statements_in(site.loop.body) for a in s.accesses]
    for name in arrays:
        if not any(a.array == name and a.write for a in accesses):
            return Refused(f"{loop} does not store to {name}")
        if any(a.array == name and not a.write for a in accesses):
            return Refused(f"{loop} also reads {name}")

    def past(statement: Statement) -> Statement:
        values = tuple(
            replace(value, nontemporal=True)
            if value.op == "store" and statement.accesses[value.access].array in arrays
            else value
            for value in statement.values
        )
        return Statement(values, statement.accesses, statement.origin)

    # by the stores, not by a pragma: gcc and clang obey none
    marked = replace(site.loop, body=map_statements(site.loop.body, past))
    new = replaced(function, site.path, marked)
    return done(new, "store_past_caches", loop, arrays=arrays)


def vectorise(function: Function, loop: str) -> Result:
    """``omp simd`` on an innermost loop whose iterations do not wait for each other."""
    site = site_of(function, loop)
    if isinstance(site, Refused):
        return site
    if any(isinstance(node, Loop) for node in site.loop.body):
        return Refused(f"{loop} holds another loop")
    return _directive(function, site, "simd", "vectorise", ())


def parallelise(function: Function, loop: str) -> Result:
    """``omp parallel for``, with the clauses that scalars need."""
    site = site_of(function, loop)
    if isinstance(site, Refused):
        return site
    return _directive(function, site, "parallel for", "parallelise", ())


def serialise(function: Function, loop: str) -> Result:
    """The loop without the ``omp parallel for`` that shares it out: one core runs it."""
    site = site_of(function, loop)
    if isinstance(site, Refused):
        return site
    around = _regions(function, site)
    region = around[-1] if around else None
    if region is None or region.body != (site.loop,) or not _is_threads(region):
        return Refused(f"no omp parallel for has {loop} alone")
    own = [c for c in region.clauses if c.name in ("private", "firstprivate", "linear")]
    names = [name.strip() for clause in own for name in clause.value.split(",")]
    path = site.path[:-1]
    read = is_read_behind(function, path, names)
    if read:
        return Refused(f"{read} is private in the region and used behind it")
    sums = [s for s in scalars_of(site.loop.body).values() if s.role == "reduction"]
    rounds = any(sums_round(s) for s in sums)
    return done(replaced(function, path, site.loop), "serialise", loop, exact=not rounds)


def _is_threads(region: Region) -> bool:
    words = region.kind.split()
    return "parallel" in words and "for" in words and "target" not in words


def offload(function: Function, loop: str) -> Result:
    """``omp target teams distribute parallel for``, with every array mapped."""
    site = site_of(function, loop)
    if isinstance(site, Refused):
        return site
    read: dict[str, None] = {}
    written: dict[str, None] = {}
    for statement in statements_in(site.loop.body):
        for access in statement.accesses:
            (written if access.write else read)[access.array] = None
    kinds = (
        ("to", [name for name in read if name not in written]),
        # part of an array may be kept, so what is written goes there and back
        ("tofrom", list(written)),
    )
    maps = tuple([Clause("map", f"{kind} : {', '.join(names)}") for kind, names in kinds if names])
    return _directive(function, site, "target teams distribute parallel for", "offload", maps)


def _directive(
    function: Function, site: Site, kind: str, step: str, clauses: tuple[Clause, ...]
) -> Result:
    directive = governing(function, site.path)
    if directive is not None:
        return Refused(f"omp {directive.kind} governs {site.name} already")
    around = _regions(function, site)
    if any(word in each.kind.split() for each in around for word in kind.split()[:1]):
        return Refused(f"{site.name} is inside {around[-1].kind} already")
    why = obstacle((site.loop,))
    if why:
        return Refused(f"the loop {why}")
    why = out_of_sight(function, site)
    if why:
        return Refused(why)
    if site.loop.extra_inductions:
        name = site.loop.extra_inductions[0].name
        return Refused(f"{name} is set anew in each iteration of {site.loop.index}")
    found = of_nest(function, (site.loop,), site.outer)
    for dependence in found.found:
        if not dependence.vector or dependence.vector[0] != 0:
            return Refused(f"iterations depend on each other: {vector_text(dependence)}")
    scalars = scalars_of(site.loop.body)
    private = [s.name for s in scalars.values() if s.role == "private"]
    last = [name for name in private if is_read_behind(function, site.path, (name,))]
    own: list[Clause] = []
    for scalar in scalars.values():
        if scalar.role == "recurrence":
            return Refused(f"{scalar.name} needs its value of the iteration before")
        if scalar.role == "reduction":
            own.append(Clause("reduction", f"{SIGNS[scalar.operation]} : {scalar.name}"))
    own += _clauses("private", [name for name in private if name not in last])
    own += _clauses("lastprivate", last)
    region = Region(kind, (*own, *clauses), (site.loop,), site.loop.origin)
    new = replaced(function, site.path, region)
    rounds = any(sums_round(s) for s in scalars.values() if s.role == "reduction")
    return done(new, step, site.name, assumes=found.assumes, exact=not rounds)


def _clauses(name: str, scalars: Iterable[str]) -> list[Clause]:
    text = ", ".join(scalars)
    return [Clause(name, text)] if text else []


def _regions(function: Function, site: Site) -> list[Region]:
    nodes: Nodes = tuple([at(function, site.path[: k + 1]) for k in range(len(site.path))])
    return [node for node in nodes if isinstance(node, Region)]

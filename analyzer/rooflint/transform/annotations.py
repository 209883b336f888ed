"""Promises and directives: restrict, simd, threads, coprocessor, stores past the caches."""

from collections.abc import Iterable

from msgspec.structs import replace

from rooflint.ir import Clause, Function, Loop, Region, Statement
from rooflint.ir.definitions import changed_integers
from rooflint.transform.nest import legality
from rooflint.transform.nest.rewrite import map_statements, statements_in
from rooflint.transform.nest.scalars import Scalar, scalars_of
from rooflint.transform.nest.tree import Nodes, Site, at, governing, replace_nodes, site_of
from rooflint.transform.result import ChangedFunction, RefusalError, change, done

SIGNS = {"add": "+", "mul": "*", "min": "min", "max": "max"}


@change
def promise_restrict(function: Function, arrays: tuple[str, ...]) -> ChangedFunction:
    """``restrict`` on pointers: nothing else in the function touches what they point to."""
    plain = {array.name: not array.restrict for array in function.arrays}
    missing = [name for name in arrays if name not in plain]
    if missing or not arrays:
        raise RefusalError(f"there is no array {', '.join(missing)}")
    if not any(plain[name] for name in arrays):
        raise RefusalError(f"{', '.join(arrays)} are already restrict")
    new = [a._replace(restrict=a.name in arrays or a.restrict) for a in function.arrays]
    assumes = tuple([f"{name} overlaps no other array" for name in arrays])
    changed = replace(function, arrays=tuple(new))
    return done(changed, "promise_restrict", "", assumes=assumes, arrays=arrays)


@change
def store_past_caches(function: Function, loop: str, arrays: tuple[str, ...]) -> ChangedFunction:
    """Stores to ``arrays`` in the loop go to memory without reading the line first."""
    site = site_of(function, loop)
    accesses = [a for s in statements_in(site.loop.body) for a in s.accesses]
    for name in arrays:
        if not any(a.array == name and a.write for a in accesses):
            raise RefusalError(f"{loop} does not store to {name}")
        if any(a.array == name and not a.write for a in accesses):
            raise RefusalError(f"{loop} also reads {name}")

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
    new = replace_nodes(function, site.path, marked)
    return done(new, "store_past_caches", loop, arrays=arrays)


@change
def vectorise(function: Function, loop: str) -> ChangedFunction:
    """``omp simd`` on an innermost loop whose iterations do not wait for each other."""
    site = site_of(function, loop)
    if any(isinstance(node, Loop) for node in site.loop.body):
        raise RefusalError(f"{loop} contains another loop")
    return _directive(function, site, "simd", "vectorise", ())


@change
def parallelise(function: Function, loop: str) -> ChangedFunction:
    """``omp parallel for``, with the clauses that scalars need."""
    site = site_of(function, loop)
    return _directive(function, site, "parallel for", "parallelise", ())


@change
def serialise(function: Function, loop: str) -> ChangedFunction:
    """The loop without the ``omp parallel for`` that shares it out: one core runs it."""
    site = site_of(function, loop)
    region = _own_region(function, site)
    own = [c for c in region.clauses if c.name in ("private", "firstprivate", "linear")]
    names = [name.strip() for clause in own for name in clause.value.split(",")]
    path = site.path[:-1]
    read = legality.is_read_behind(function, path, names)
    if read:
        raise RefusalError(f"{read} is private in the region and used after it")
    sums = [s for s in scalars_of(site.loop.body).values() if s.role == "reduction"]
    rounds = any(map(legality.sums_round, sums))
    return done(replace_nodes(function, path, site.loop), "serialise", loop, exact=not rounds)


def _own_region(function: Function, site: Site) -> Region:
    regions = _regions(function, site)
    if regions and regions[-1].body == (site.loop,) and _is_threads(regions[-1]):
        return regions[-1]
    raise RefusalError(f"no omp parallel for has {site.name} alone")


def _is_threads(region: Region) -> bool:
    words = region.kind.split()
    return "parallel" in words and "for" in words and "target" not in words


@change
def offload(function: Function, loop: str) -> ChangedFunction:
    """``omp target teams distribute parallel for``, with every array mapped."""
    site = site_of(function, loop)
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
) -> ChangedFunction:
    _require_undirected(function, site, kind)
    legality.require_reorderable((site.loop,), "the loop")
    legality.require_stated(function, site)
    counted = [each.name for each in site.loop.extra_inductions]
    for name in (*counted, *changed_integers((site.loop,))):
        raise RefusalError(f"{name} is set anew in each iteration of {site.loop.index}")
    found = legality.of_nest(function, (site.loop,), site.outer)
    for dependence in found.found:
        if not dependence.vector or dependence.vector[0] != 0:
            raise RefusalError(
                f"iterations depend on each other: {legality.vector_text(dependence)}"
            )
    scalars = tuple(scalars_of(site.loop.body).values())
    legality.require_no_recurrence(scalars)
    own = _scalar_clauses(function, site, scalars)
    region = Region(kind=kind, clauses=(*own, *clauses), body=(site.loop,), origin=site.loop.origin)
    new = replace_nodes(function, site.path, region)
    rounds = any(legality.sums_round(s) for s in scalars if s.role == "reduction")
    return done(new, step, site.name, assumes=found.assumes, exact=not rounds)


def _require_undirected(function: Function, site: Site, kind: str) -> None:
    directive = governing(function, site.path)
    if directive is not None:
        raise RefusalError(f"omp {directive.kind} already governs {site.name}")
    around = _regions(function, site)
    if any(kind.split(maxsplit=1)[0] in each.kind.split() for each in around):
        raise RefusalError(f"{site.name} is already inside {around[-1].kind}")


def _scalar_clauses(
    function: Function, site: Site, scalars: Iterable[Scalar]
) -> tuple[Clause, ...]:
    """Which scalars are reductions, and of which each thread has its own."""
    sums = [s for s in scalars if s.role == "reduction"]
    private = [s.name for s in scalars if s.role == "private"]
    last = [name for name in private if legality.is_read_behind(function, site.path, (name,))]
    return (
        *[Clause("reduction", f"{SIGNS[s.operation]} : {s.name}") for s in sums],
        *_clauses("private", [name for name in private if name not in last]),
        *_clauses("lastprivate", last),
    )


def _clauses(name: str, scalars: Iterable[str]) -> list[Clause]:
    text = ", ".join(scalars)
    return [Clause(name, text)] if text else []


def _regions(function: Function, site: Site) -> list[Region]:
    nodes: Nodes = tuple([at(function, site.path[: k + 1]) for k in range(len(site.path))])
    return [node for node in nodes if isinstance(node, Region)]

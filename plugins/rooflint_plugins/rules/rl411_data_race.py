from collections.abc import Iterator, Sequence
from typing import Final

from rooflint.dependence import memory_of
from rooflint.facts import as_written
from rooflint.facts.dependences import Dependence, dependences_of
from rooflint.facts.directions import AccessSite
from rooflint.ir import Access, IdentityKey, Loop, Poly, Region, Statement, walk
from rooflint.ir.definitions import changed_integers
from rooflint.ir.poly import Atom, PolyFunction
from rooflint.ir.values import IndexValue
from rooflint.plugin_api.rule import Match, RelatedNode, RuleContext
from rooflint.records import NamedTuple
from rooflint.rule_kit.collisions import collisions, is_parted, plain_sites
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.openmp import clause
from rooflint.rule_kit.phases import (
    Executors,
    Phase,
    changes_by_all,
    changes_by_one,
    phases_of,
)
from rooflint.rule_kit.queries import accesses_of, place_of, same_range, words_of
from rooflint.rule_kit.sharing import (
    IntegerUpdate,
    ProtectedStatement,
    SharedData,
    TeamLoop,
    common_scalars,
    integer_updates,
    is_kept_apart,
    is_left_alone,
    is_of_other_function,
    protected_statements,
    section_pairs,
    statement_protections,
    team_loops,
    unwaited_pairs,
)
from rooflint.rule_kit.subscripts import left_dimension
from rooflint.transform.nest.scalars import Scalar, assigned_scalars, scalars_of

BY_THREAD: Final = "omp_get_thread_num"
PHASE_WORDS: Final = {
    True: "all threads of the parallel region set",
    False: "no barrier parts the others from the thread that sets",
}
MEMBER_MARKS: Final = frozenset(".>[")
"""In the names of integers that are parts of objects."""


class DataRace(RuleDefaults):
    code = "RL411"
    slug = "data-race"
    requires = (CodeFeature.REGION,)
    defects = True
    summary = "threads of a parallel loop change what others read or change"
    aliases = ("PWD002", "PWD007", "PWD008", "PWD010")

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Loops that a directive shares out, with what their iterations surely have in common."""
        for team in team_loops(context.function):
            if not (is_left_alone(team.loop) or is_of_other_function(context.source, team)):
                yield from _races(context, team)
        for first, second in unwaited_pairs(context.function):
            yield from _unwaited(context, first, second)
        for regions, one, other in section_pairs(context.function):
            yield from _sections(context, SharedData(context, regions), one, other)
        for phase in phases_of(context.function):
            yield from _phase_races(context, phase)


RULE = DataRace()


class _Team(NamedTuple):
    """A shared loop with the questions about it."""

    context: RuleContext
    loop: TeamLoop
    data: SharedData
    statements: tuple[ProtectedStatement, ...]
    updates: tuple[IntegerUpdate, ...]

    @property
    def loop_name(self) -> str:
        """The loop by its name."""
        return place_of(self.context, self.loop.loop)


def _races(context: RuleContext, found: TeamLoop) -> Iterator[Match]:
    statements = tuple(protected_statements(found.loop.body))
    team = _Team(
        context=context,
        loop=found,
        data=SharedData(context, found.regions, found.distributed),
        statements=statements,
        updates=integer_updates(context, found),
    )
    yield from _shared_scalars(team)
    yield from _shared_integers(team)
    rows = tuple(_left_rows(team))
    yield from _dependent_elements(team, {name for each in rows for name in each.names})
    yield from rows


def _race(team: _Team, names: tuple[str, ...], evidence: str, *origins: int) -> Match:
    return Match(
        team.loop_name,
        evidence,
        names=names,
        related=tuple([RelatedNode(origin, "here") for origin in origins]),
        defect=True,
    )


def _shared_scalars(team: _Team) -> Iterator[Match]:
    for name, scalar in scalars_of(team.loop.loop.body).items():
        writing = [each for each in team.statements if _assigns(each, name)]
        if team.data.has(name) and not _is_guarded(team, name, writing):
            yield _race(team, (name,), _scalar_words(name, scalar), writing[0].statement.origin)


def _is_guarded(team: _Team, name: str, writing: Sequence[ProtectedStatement]) -> bool:
    """Whether a directive keeps threads apart, or a condition may choose one of them."""
    touching = [each.protection for each in team.statements if each.touches(name)]
    updating = [each.protection for each in team.updates if each.variable == name]
    chosen = all(each.is_rare for each in writing) or _asks_thread(team.loop.loop)
    return chosen or is_kept_apart([*touching, *updating])


def _assigns(each: ProtectedStatement, name: str) -> bool:
    return any(v.op == "assign" and v.name == name for v in each.statement.values)


def _asks_thread(loop: Loop) -> bool:
    return any(getattr(node, "name", "") == BY_THREAD for node in walk(loop.body))


def _scalar_words(name: str, scalar: Scalar) -> str:
    said = as_written(name)
    if scalar.role == "private":
        return f"all threads set {said}, which each iteration means for itself: it is not private"
    if scalar.role == "reduction":
        return f"all threads add to {said} without a reduction or an atomic update"
    return f"all threads change {said}, which each iteration hands on to the next"


def _shared_integers(team: _Team) -> Iterator[Match]:
    """Counters, which no statement sets."""
    loop = team.loop.loop
    indices = {node.index: node for node in walk(loop.body) if isinstance(node, Loop)}
    set_here = [e for e in _set_integers(loop) if not _is_guarded_integer(team, e)]
    integers = dict.fromkeys((*set_here, *indices))
    names = list(filter(team.data.has, [e for e in integers if e not in team.loop.distributed]))
    if names:
        origins = [indices.get(each, loop).origin for each in names]
        said = ", ".join(map(as_written, names))
        they = "it is" if len(names) == 1 else "they are"
        yield _race(team, tuple(names), f"all threads set {said}: {they} not private", *origins)


def _is_guarded_integer(team: _Team, name: str) -> bool:
    """Whether a directive keeps threads apart, nobody knows, or a condition may choose a thread."""
    if name in assigned_scalars(team.loop.loop.body):
        return True  # its statements have been asked
    updates = [each for each in team.updates if each.variable == name]
    if not updates:
        return any(each.protection for each in team.statements)
    chosen = all(map(_is_chosen, updates)) or _asks_thread(team.loop.loop)
    return chosen or is_kept_apart([each.protection for each in updates])


def _is_chosen(update: IntegerUpdate) -> bool:
    """Whether a condition may hold for one thread alone, as it asks nothing that varies."""
    return update.chosen or any(not _varies(each) for each in update.conditions)


def _varies(condition: Statement) -> bool:
    """Whether a condition reads data, or tells iterations from each other at intervals."""
    return any(
        value.op in ("load", "carried")
        or (isinstance(value, IndexValue) and any(map(_is_function, value.poly.atoms())))
        for value in condition.values
    )


def _is_function(atom: Atom) -> bool:
    return isinstance(atom, PolyFunction)


def _set_integers(loop: Loop) -> Iterator[str]:
    """Integers that no statement sets; a member among them that no definition sets either is one
    that a store elsewhere could reach."""
    changed = changed_integers((loop,))
    yield from changed
    for each in loop.extra_inductions:
        if each.name in changed or not set(each.name) & MEMBER_MARKS:
            yield each.name


def _dependent_elements(team: _Team, said: set[str]) -> Iterator[Match]:
    """Arrays beside those ``said`` in which iterations depend on each other."""
    function = team.context.function
    nest = dependences_of((team.loop.loop,), memory_of(function), team.loop.outer)
    protections = statement_protections(team.statements)
    for each in nest.found:
        if each.array in said or not team.data.has(each.array):
            continue
        ends = (nest.places[each.source], nest.places[each.sink])
        touching = [protections[IdentityKey(end.statement)] for end in ends]
        if is_kept_apart([each.protection for each in touching]) or BY_THREAD in str(
            ends[0].access.offset
        ):
            continue
        if _is_proven(team, each, ends, touching):
            said.add(each.array)
            yield _race(team, (each.array,), _element_words(ends), *_origins(ends))
    yield from _colliding(team, said)


def _colliding(team: _Team, said: set[str]) -> Iterator[Match]:
    """Arrays beside those ``said`` of which two iterations of different threads have an element."""
    sites = plain_sites(team.loop.loop)
    stored = {site.access.array for site in sites if site.access.write}
    wanted = {each for each in stored - said if team.data.has(each)}
    for found in collisions([site for site in sites if site.access.array in wanted]):
        ends = (found.first.site, found.second.site)
        array = ends[0].access.array
        if array not in said and is_parted(team.loop, found):
            said.add(array)
            yield _race(team, (array,), _element_words(ends), *_origins(ends))


def _origins(ends: Sequence[AccessSite]) -> tuple[int, ...]:
    return tuple(dict.fromkeys([end.statement.origin for end in ends]))


def _element_words(ends: Sequence[AccessSite]) -> str:
    one, two = [words_of(end.access) for end in ends]
    if one == two:
        return f"several iterations change {one}"
    return f"{one} and {two} are the same element in different iterations"


def _is_proven(
    team: _Team,
    dependence: Dependence,
    ends: Sequence[AccessSite],
    touching: Sequence[ProtectedStatement],
) -> bool:
    """Whether two iterations that different threads may run surely touch one element."""
    if dependence.reason is not None:
        return _repeats(team, ends)
    shared = dependence.vector[: len(team.loop.distributed)]
    if set(shared) == {0} or _is_unclear(ends, touching):
        return False
    # where an inner loop ends nobody knows; exact distances do not depend on it
    exact = all(isinstance(component, int) for component in shared)
    pairs = zip(touching, ends, strict=True)
    unconditional = all(each.surely_makes(end.access) for each, end in pairs)
    return (exact and unconditional) or all(_is_steady(team, end) for end in ends)


def _is_unclear(ends: Sequence[AccessSite], touching: Sequence[ProtectedStatement]) -> bool:
    """Whether a condition may choose one thread, or the equations do not tell places from each
    other, as those in halves of a ring."""
    apart = ends[1].access.offset - ends[0].access.offset
    rare = any(each.is_rare for each in touching)
    return rare or bool(apart.unknowns()) or any(map(_is_function, apart.atoms()))


def _phase_races(context: RuleContext, phase: Phase) -> Iterator[Match]:
    """Scalars and elements beside shared loops that threads change with no barrier between."""
    loops = [node for node in walk(phase.regions[-1].body) if isinstance(node, Loop)]
    data = SharedData(context, phase.regions)
    found = {e.name: e for e in (*changes_by_one(phase), *changes_by_all(phase))}
    for name, change in found.items() if loops else ():
        if data.has(name):
            yield Match(
                place_of(context, loops[0]),
                f"{PHASE_WORDS[change.executors is Executors.ALL]} {as_written(name)}",
                names=(name,),
                related=(RelatedNode(change.origin, "here"),),
                defect=True,
            )


def _is_steady(team: _Team, end: AccessSite) -> bool:
    """Whether an access surely walks the same elements in all iterations of the shared loops."""
    changing = {*team.loop.distributed, *changed_integers((team.loop.loop,))}
    changing |= {each.name for each in team.loop.loop.extra_inductions}
    walked = [end.access.offset]
    for loop in reversed(end.loops):
        if loop.index not in team.loop.distributed and loop.index in walked[0].mentions():
            walked += [loop.lower, loop.upper]
    return not any(poly.unknowns() or changing & poly.mentions() for poly in walked)


def _repeats(team: _Team, ends: Sequence[AccessSite]) -> bool:
    """Whether a subscript that nobody knows meets more iterations than there are elements."""
    one, two = [end.access.offset for end in ends]
    size, trips = _elements(team, ends[0].access.array), team.loop.loop.trip_count.value
    alone = len(ends[0].loops) == len(team.loop.distributed) == 1
    known = size is not None and trips is not None and trips > size
    return known and alone and one == two and bool(one.unknowns())


def _elements(team: _Team, name: str) -> int | None:
    """The elements of an array of one dimension."""
    arrays = {array.name: array for array in team.context.function.arrays}
    extents = arrays[name].extents if name in arrays else ()
    return extents[0].value if len(extents) == 1 and extents[0] is not None else None


def _left_rows(team: _Team) -> Iterator[Match]:
    """Subscripts that leave their row of a stored array, and meet an element of the next one."""
    if any(each.protection for each in team.statements) or len(team.loop.distributed) > 1:
        return
    for access, size in left_dimension(team.context, team.loop_name):
        if team.data.has(access.array):
            evidence = f"{words_of(access)} leaves its row of {size}: another thread has the next"
            yield _race(team, (access.array,), evidence)
            return


def _unwaited(context: RuleContext, first: TeamLoop, second: TeamLoop) -> Iterator[Match]:
    """The first array that one loop stores and another thread uses in the next one."""
    shared = SharedData(context, second.regions, second.distributed)
    if not same_range(first.loop, second.loop):
        return
    share = _is_same_share(first.region, second.region)
    for store, access, origin in _common_elements(first.loop, second.loop):
        if shared.has(store.array) and not (store.offset == access.offset and share):
            yield _hurried(context, second, store, access, origin)
            return
    yield from _unwaited_collision(context, first, second, shared)


def _unwaited_collision(
    context: RuleContext, first: TeamLoop, second: TeamLoop, shared: SharedData
) -> Iterator[Match]:
    stores = [site for site in plain_sites(first.loop) if site.access.write]
    for found in collisions(stores, plain_sites(second.loop)):
        store, end = found.first.site.access, found.second.site
        if shared.has(store.array) and is_parted(second, found):
            yield _hurried(context, second, store, end.access, end.statement.origin)
            return


def _hurried(
    context: RuleContext, second: TeamLoop, store: Access, access: Access, origin: int
) -> Match:
    return Match(
        place_of(context, second.loop),
        f"no thread waits for {words_of(store)} of the loop above, which has nowait",
        names=(store.array,),
        related=(RelatedNode(origin, f"{words_of(access)} is used here"),),
        defect=True,
    )


def _sections(
    context: RuleContext, data: SharedData, one: Region, other: Region
) -> Iterator[Match]:
    """Scalars that a section sets and another one, which may run at the same time, uses."""
    loop = next((node for node in walk((one, other)) if isinstance(node, Loop)), None)
    if loop is None or _asks_thread(loop):
        return
    for name, use in common_scalars(one, other):
        if data.has(name):
            yield Match(
                place_of(context, loop),
                f"two sections run at once, and one sets {as_written(name)} of the other",
                names=(name,),
                related=(RelatedNode(use.origin, "here"),),
                defect=True,
            )


def _common_elements(first: Loop, second: Loop) -> Iterator[tuple[Access, Access, int]]:
    """Stores of one loop and accesses of another that walk the same elements, maybe shifted."""
    index = {first.index: Poly.symbol(second.index)}
    for store, _ in accesses_of(first):
        moved = store._replace(offset=store.offset.substitute(index))
        coefficient = moved.offset.coefficient(second.index)
        step = coefficient.value if coefficient is not None else None
        for access, origin in accesses_of(second) if store.write and step else ():
            shift = (access.offset - moved.offset).value
            if access.array == store.array and shift is not None and shift % (step or 1) == 0:
                yield moved, access, origin


def _is_same_share(first: Region, second: Region) -> bool:
    """Whether both loops surely give the same iterations to the same threads."""
    schedules = [clause(region, "schedule") for region in (first, second)]
    # without a clause, the compilers' own schedule is the static one too
    return schedules[0] == schedules[1] and (schedules[0] or "static").startswith("static")

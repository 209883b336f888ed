"""Loops that a team of OpenMP's threads shares, and what of a loop's data all threads share."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, takewhile
from typing import Final, TypeVar

from rooflint.ir import (
    Access,
    Branch,
    Call,
    Definition,
    Function,
    IdentityKey,
    Loop,
    Node,
    Region,
    SourceFunction,
    Span,
    Statement,
    children,
    walk,
)
from rooflint.ir.definitions import definitions_in
from rooflint.plugin_api.rule import RuleContext
from rooflint.records import NamedTuple
from rooflint.rule_kit.openmp import clause
from rooflint.rule_kit.written_conditions import asks_index
from rooflint.source_edit.edits import editable_source
from rooflint.source_edit.tokens import tokens_of, words_in
from rooflint.transform.nest.scalars import assigned_scalars

OWN: Final = frozenset(("private", "firstprivate", "lastprivate", "linear", "reduction"))
"""Clauses that give each thread a variable of its own."""
PROTECTS: Final = frozenset(("critical", "atomic", "ordered"))
"""Directives within which no two threads are at a time."""
DEFERS: Final = frozenset(("task", "taskloop", "section", "sections", "single", "master", "masked"))
"""Directives whose code not every thread runs, or not at once."""
CHOOSES: Final = frozenset(("select", "and", "or"))
"""Operations that evaluate one of their operands."""

Protection = tuple[tuple[str, tuple[str, ...]], ...]
"""The directives around a piece of code that keep threads apart, each with its clauses."""


_Around = TypeVar("_Around", Branch, Region)


class TeamLoop(NamedTuple):
    """A loop whose iterations the threads of a team share, and the directives around it.

    regions      outermost first; the last one shares out the loop
    distributed  the indices of the loops whose iterations are shared out: one, or as many as
                 ``collapse`` says
    """

    loop: Loop
    outer: tuple[Loop, ...]
    regions: tuple[Region, ...]
    distributed: tuple[str, ...]

    @property
    def region(self) -> Region:
        """The directive that shares out the loop."""
        return self.regions[-1]


class ProtectedStatement(NamedTuple):
    """A statement, the directives that protect it, and the conditions that decide about it."""

    statement: Statement
    protection: Protection
    conditions: tuple[Statement, ...]

    def touches(self, name: str) -> bool:
        """Whether the statement reads or sets a scalar."""
        return any(
            v.op in ("scalar", "carried", "assign") and v.name == name
            for v in self.statement.values
        )

    def surely_makes(self, access: Access) -> bool:
        """Whether each execution of the code around makes an access: no branch, no operand of
        ``?:``, ``&&`` or ``||`` that may not be evaluated."""
        chooses = any(value.op in CHOOSES for value in self.statement.values)
        return not self.conditions and (access.write or not chooses)

    @property
    def is_rare(self) -> bool:
        """Whether a condition decides that reads no data: it may hold for no team of several."""
        varies = frozenset(("load", "carried"))
        return any(varies.isdisjoint(value.op for value in each.values) for each in self.conditions)


def team_loops(function: Function) -> Iterator[TeamLoop]:
    """All loops of a function that ``omp for`` and its relatives share out."""
    yield from _team_loops(function.body, (), ())


def is_of_other_function(source: SourceFunction, team: TeamLoop) -> bool:
    """Whether the loop stands in the text of a function that is called here: it is judged there."""
    own, span = source.span, source.spans[team.loop.origin]
    return not (own.line <= span.line and span.end_line <= own.end_line)


def _team_loops(
    nodes: tuple[Node, ...], outer: tuple[Loop, ...], regions: tuple[Region, ...]
) -> Iterator[TeamLoop]:
    for node in nodes:
        if isinstance(node, Loop):
            if regions and _shares_out(regions[-1], node) and not any(map(is_alone, regions)):
                names = _distributed(regions[-1], node)
                yield TeamLoop(loop=node, outer=outer, regions=regions, distributed=names)
            yield from _team_loops(node.body, (*outer, node), regions)
        elif isinstance(node, Region):
            yield from _team_loops(node.body, outer, (*regions, node))
        else:
            yield from _team_loops(children(node), outer, regions)


def _shares_out(region: Region, loop: Loop) -> bool:
    words = region.kind.split()
    # the IR may put what a sum begins with in front of its loop
    alone = [node is loop for node in region.body if not isinstance(node, Statement)] == [True]
    return "for" in words and alone and loop.form == "for"


def is_alone(region: Region) -> bool:
    """Whether a clause leaves a team one thread."""
    threads, condition = clause(region, "num_threads"), clause(region, "if")
    return (threads or "").strip() == "1" or (condition or "").strip() in ("0", "false")


def _distributed(region: Region, loop: Loop) -> tuple[str, ...]:
    depth = clause(region, "collapse") or "1"
    names = [loop.index]
    while len(names) < (int(depth) if depth.isdecimal() else 1):
        inside = [node for node in loop.body if isinstance(node, Loop)]
        if len(inside) != 1:
            break
        loop = inside[0]
        names.append(loop.index)
    return tuple(names)


def unwaited_pairs(function: Function) -> Iterator[tuple[TeamLoop, TeamLoop]]:
    """Shared loops of one team the first of which no thread waits for, before it runs the other."""
    loops = {IdentityKey(team.region): team for team in team_loops(function)}
    for node in walk(function.body):
        for k, earlier in enumerate(node.body if isinstance(node, Region) else ()):
            first = loops.get(IdentityKey(earlier))
            if first is None or clause(first.region, "nowait") is None:
                continue
            for later in children(node)[k + 1 :]:
                second = loops.get(IdentityKey(later))
                if second is None:
                    break
                yield first, second
                if clause(second.region, "nowait") is None:
                    break


def protected_statements(
    nodes: tuple[Node, ...], protection: Protection = (), conditions: tuple[Statement, ...] = ()
) -> Iterator[ProtectedStatement]:
    """All statements of ``nodes`` in program order, conditions of branches included."""
    for node in nodes:
        if isinstance(node, Statement):
            yield ProtectedStatement(node, protection, conditions)
        elif isinstance(node, Branch):
            yield ProtectedStatement(node.condition, protection, conditions)
            inside = (*conditions, node.condition)
            yield from protected_statements((*node.then, *node.orelse), protection, inside)
        elif isinstance(node, Region) and _protects(node):
            inner = (*protection, _own_protection(node))
            yield from protected_statements(node.body, inner, conditions)
        else:
            yield from protected_statements(children(node), protection, conditions)


def _protects(region: Region) -> bool:
    return region.kind.split()[0] in PROTECTS


def _own_protection(region: Region) -> tuple[str, tuple[str, ...]]:
    kind = region.kind.split()[0]
    # atomic updates exclude each other, whatever they say of the order of memory
    names = [each.name for each in region.clauses] if kind == "critical" else []
    return kind, tuple(names)


class IntegerUpdate(NamedTuple):
    """An assignment of an integer that no statement makes: what protects it, and conditions.

    ``chosen``: a condition on indices alone decides about it, which no node of the loop evaluates.
    """

    variable: str
    protection: Protection
    conditions: tuple[Statement, ...]
    chosen: bool


def integer_updates(context: RuleContext, team: TeamLoop) -> tuple[IntegerUpdate, ...]:
    """The updates in a loop, with the directives and branches whose text they stand in."""
    nodes = tuple(walk(team.loop.body))
    regions = [node for node in nodes if isinstance(node, Region) and _protects(node)]
    branches = [node for node in nodes if isinstance(node, Branch)]
    return tuple(
        [
            _update(context, team, each, regions, branches)
            for each in definitions_in((team.loop,))
            if each.value is not None
        ]
    )


def _update(
    context: RuleContext,
    team: TeamLoop,
    definition: Definition,
    regions: Sequence[Region],
    branches: Sequence[Branch],
) -> IntegerUpdate:
    source, origin = context.source, definition.origin
    whole, own = source.spans[team.loop.origin], source.spans[origin]
    conditions = tuple([b.condition for b in _around(source, origin, branches)])
    unstated = definition.condition != "none" and not conditions
    return IntegerUpdate(
        variable=definition.variable,
        protection=tuple(map(_own_protection, _around(source, origin, regions))),
        conditions=conditions,
        chosen=unstated and asks_index(context.text, whole, own, team.distributed),
    )


def _around(source: SourceFunction, origin: int, nodes: Sequence[_Around]) -> list[_Around]:
    """Those of ``nodes`` whose text the node with this origin stands in."""
    span = source.spans[origin]
    return [each for each in nodes if span.lies_in(source.spans[each.origin])]


def is_left_alone(loop: Loop) -> bool:
    """Whether locks or tasks in a loop decide which threads meet: nothing is proven of it."""
    for node in walk(loop.body):
        if isinstance(node, Region) and not DEFERS.isdisjoint(node.kind.split()):
            return True
        if isinstance(node, Call) and {"lock", "mutex"} & set(words_in(node.name)):
            return True
    return False


class SharedData:
    """Which variables the threads of a team share in a loop."""

    def __init__(
        self, context: RuleContext, regions: Sequence[Region], distributed: Sequence[str] = ()
    ) -> None:
        """Of the code inside ``regions``; ``distributed`` are the indices of a shared loop."""
        source, function = context.source, context.function
        spans = [source.spans[region.origin] for region in regions]
        self._inside = _declared_names(source, spans)
        self._is_orphan = not any("parallel" in each.kind.split() for each in regions)
        self._parameters = {each.name for each in function.parameters}
        self._static = _static_names(source)
        clauses = [each for region in regions for each in region.clauses]
        listed = {name for each in clauses if each.name in OWN for name in each.variables}
        self._own = listed | {*distributed, *_of_threads(context.text)}
        self._scopes = _scopes(source)

    def has(self, name: str) -> bool:
        """Whether all threads surely mean the same variable, member or array by ``name``."""
        root = name.partition(".")[0].partition("->")[0]
        # an index has a name of its own where another one's variable counts several loops
        root = root if root in self._scopes else root.partition("'")[0]
        scopes = self._scopes.get(root, frozenset())
        if {root, name} & self._own or root in self._inside or "thread" in scopes:
            return False
        if scopes <= {"file"}:
            return not {name, root}.isdisjoint(self._static)
        # a function that a team calls has variables of its own in each thread
        return not self._is_orphan and (scopes == {"own"} or root in self._parameters)


def _static_names(source: SourceFunction) -> set[str]:
    """The names of what all calls of functions have in common."""
    known = (*source.function.arrays, *source.function.cells)
    static = [each for each in source.variables if each.declaration and each.declaration.static]
    names = {each.name for each in known if each.storage == "global"}
    return names | {each.name for each in static}


def _declared_names(source: SourceFunction, spans: Sequence[Span]) -> set[str]:
    """The names of variables that the texts at ``spans`` declare: the source's and the IR's."""
    found = [each for span in spans for each in source.declared_in(span)]
    listed = [(each.name, own.spelling) for each, own in found if not own.static]
    return {name for names in listed for name in names}


def _scopes(source: SourceFunction) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for each in source.variables:
        # without a place, a variable of the function may be declared inside the loop
        placed = each.scope != "own" or each.declaration is not None
        found.setdefault(each.name, set()).add(each.scope if placed else "unknown")
    return {name: frozenset(scopes) for name, scopes in found.items()}


def _of_threads(text: str) -> Iterator[str]:
    """The words in directives that give each thread a static variable."""
    if "threadprivate" not in text:
        return
    code = editable_source(text).blank.decode("utf-8", "replace")
    tokens = [token.text for token in tokens_of(code)]
    for start, first in enumerate(tokens):
        if first == "threadprivate":
            yield from takewhile(lambda word: word != ")", tokens[start:])


def statement_protections(
    found: Collection[ProtectedStatement],
) -> Mapping[IdentityKey, ProtectedStatement]:
    """The same by the statement itself: equal ones are several."""
    return {IdentityKey(each.statement): each for each in found}


def common_scalars(one: Region, other: Region) -> Iterator[tuple[str, Statement]]:
    """Scalars that a section sets and the other one uses, unprotected; with a use in the other."""
    parts = [tuple(protected_statements(each.body)) for each in (one, other)]
    for name in assigned_scalars((*one.body, *other.body)):
        first, second = [[each for each in part if each.touches(name)] for part in parts]
        if first and second and not _are_kept_apart([*first, *second]):
            yield name, second[0].statement


def _are_kept_apart(uses: Sequence[ProtectedStatement]) -> bool:
    return any(each.is_rare for each in uses) or is_kept_apart([each.protection for each in uses])


def is_kept_apart(protections: Sequence[Protection]) -> bool:
    """Whether one directive protects all: threads are in it one after the other."""
    return bool(protections[0]) and all(each == protections[0] for each in protections)


def section_pairs(function: Function) -> Iterator[tuple[tuple[Region, ...], Region, Region]]:
    """Sections of one directive, two by two, with the directives around them, outermost first."""
    for regions in _section_groups(function.body, ()):
        parts = [each for each in regions[-1].body if isinstance(each, Region)]
        for one, other in combinations([each for each in parts if each.kind == "section"], 2):
            yield regions, one, other


def _section_groups(
    nodes: tuple[Node, ...], regions: tuple[Region, ...]
) -> Iterator[tuple[Region, ...]]:
    for node in nodes:
        inside = (*regions, node) if isinstance(node, Region) else regions
        if isinstance(node, Region) and "sections" in node.kind.split():
            if not any(map(is_alone, inside)):
                yield inside
        else:
            yield from _section_groups(children(node), inside)

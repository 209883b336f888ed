"""Loops that a team of OpenMP's threads shares, and what of a loop's data all threads share."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from rooflint.ir import (
    Branch,
    Call,
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
from rooflint.plugin_api.rule import RuleContext
from rooflint.records import NamedTuple
from rooflint.rule_kit.openmp import clause
from rooflint.source_edit.tokens import tokens_of, words_in

OWN: Final = frozenset(("private", "firstprivate", "lastprivate", "linear", "reduction"))
"""Clauses that give each thread a variable of its own."""
PROTECTS: Final = frozenset(("critical", "atomic", "ordered"))
"""Directives within which no two threads are at a time."""
DEFERS: Final = frozenset(("task", "taskloop", "section", "sections", "single", "master", "masked"))
"""Directives whose code not every thread runs, or not at once."""

Protection = tuple[tuple[str, tuple[str, ...]], ...]
"""The directives around a piece of code that keep threads apart, each with its clauses."""


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
            if regions and _shares_out(regions[-1], node):
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
        elif isinstance(node, Region) and node.kind.split()[0] in PROTECTS:
            own = (node.kind.split()[0], tuple([each.name for each in node.clauses]))
            # atomic updates exclude each other, whatever they say of the order of memory
            own = own if own[0] == "critical" else (own[0], ())
            yield from protected_statements(node.body, (*protection, own), conditions)
        else:
            yield from protected_statements(children(node), protection, conditions)


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

    def __init__(self, context: RuleContext, team: TeamLoop) -> None:
        source, function = context.source, context.function
        spans = [source.spans[region.origin] for region in team.regions]
        self._inside = _declared_names(source, spans)
        self._is_orphan = not any("parallel" in each.kind.split() for each in team.regions)
        self._parameters = {each.name for each in function.parameters}
        self._static = _static_names(function)
        clauses = [each for region in team.regions for each in region.clauses]
        listed = {name for each in clauses if each.name in OWN for name in each.variables}
        self._own = listed | {*team.distributed, *_threadprivate(context.text)}
        self._scopes = _scopes(source)

    def has(self, name: str) -> bool:
        """Whether all threads surely mean the same variable, member or array by ``name``."""
        root = name.partition(".")[0].partition("->")[0]
        if {root, name} & self._own or root in self._inside:
            return False
        scopes = self._scopes.get(root, frozenset())
        if scopes <= {"file"}:
            return name in self._static
        # a function that a team calls has variables of its own in each thread
        return not self._is_orphan and (scopes == {"own"} or root in self._parameters)


def _static_names(function: Function) -> set[str]:
    known = (*function.arrays, *function.cells)
    return {each.name for each in known if each.storage == "global"}


def _declared_names(source: SourceFunction, spans: Sequence[Span]) -> set[str]:
    """The names of variables that the texts at ``spans`` declare: the source's and the IR's."""
    found = [each for span in spans for each in source.declared_in(span)]
    return {name for variable, own in found for name in (variable.name, own.spelling)}


def _scopes(source: SourceFunction) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for each in source.variables:
        # without a place, a variable of the function may be declared inside the loop
        placed = each.scope != "own" or each.declaration is not None
        found.setdefault(each.name, set()).add(each.scope if placed else "unknown")
    return {name: frozenset(scopes) for name, scopes in found.items()}


def _threadprivate(text: str) -> Iterator[str]:
    """The names in directives that give each thread a static variable of its own."""
    if "threadprivate" not in text:
        return
    tokens = [token.text for token in tokens_of(text)]
    for start in [k for k, word in enumerate(tokens) if word == "threadprivate"]:
        end = tokens.index(")", start) if ")" in tokens[start:] else start
        yield from [word for word in tokens[start + 2 : end] if word != ","]


def statement_protections(
    found: Collection[ProtectedStatement],
) -> Mapping[IdentityKey, ProtectedStatement]:
    """The same by the statement itself: equal ones are several."""
    return {IdentityKey(each.statement): each for each in found}

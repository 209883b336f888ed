"""Which functions of a file are lowered: its own, and of a template a few instances."""

import os

from rooflint.frontend.lower.functions import called_below, has_body, lower_function
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.effects import EffectTable
from rooflint.frontend.lower.state.shared import BlankBodyError, TranslationUnitContext
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.source import SourceText
from rooflint.ir import Diagnostic, SourceFunction
from rooflint.records import NamedTuple

MAX_INSTANCES = 4
"""Instances of one template that are analysed: a test may have hundreds that are all alike."""


class FunctionCandidate(NamedTuple):
    """A function of the file: its cursor, place, and whether its types depend on a template."""

    cursor: Cursor
    begin: int
    end: int
    dependent: bool


class LoweredCandidate(NamedTuple):
    """The lowering of one function of the file, of a template that of its instances.

    functions      those that come of it
    seen, gotos    offsets of loop keywords, and of ``goto`` statements that lead back
    inlined        keys of the functions that stand in place of calls
    alone          nothing of it depends on what was lowered before: it has no class with methods,
                   no bug struck, and a template has few instances
    """

    candidate: FunctionCandidate
    functions: tuple[SourceFunction, ...] = ()
    seen: frozenset[int] = frozenset()
    gotos: frozenset[int] = frozenset()
    inlined: frozenset[int] = frozenset()
    alone: bool = True


class FileLowering:
    """The functions of a file so far, and the loops that were seen in them."""

    def __init__(self, shared: TranslationUnitContext, source: SourceText) -> None:
        self.shared = shared
        self.effects = EffectTable(shared)
        self.source = source
        self.functions: list[SourceFunction] = []
        self.seen: set[int] = set()
        self.gotos: set[int] = set()
        self.problems: list[Diagnostic] = []
        self._contexts: list[LoweringContext] = []

    def lower_candidate(
        self, candidate: FunctionCandidate, instances: list[Cursor]
    ) -> LoweredCandidate:
        """Lowers a function, or the instances of a template, and the classes inside.

        Raises BlankBodyError where that takes a body that was left out.
        """
        first, problems = len(self.functions), len(self.problems)
        contexts = self._contexts = []
        self.lower_instances(candidate, instances)
        alone = not self.shared.local_methods and len(self.problems) == problems
        self.lower_local_methods()
        return LoweredCandidate(
            candidate=candidate,
            functions=tuple(self.functions[first:]),
            seen=frozenset().union(*[each.origins.loops_seen for each in contexts]),
            gotos=frozenset().union(*[each.flow.gotos_back for each in contexts]),
            inlined=frozenset().union(*[each.inlining.entered for each in contexts]),
            alone=alone and len(instances) <= MAX_INSTANCES,
        )

    def lower(self, candidate: FunctionCandidate, instance: Cursor, left_out: int) -> None:
        """Lowers one function, or one instance of a template of which others are left out."""
        context = LoweringContext(self.shared, self.effects)
        if left_out:
            context.assume(
                f"of {MAX_INSTANCES + left_out} instances of the template, which differ in types, "
                "only a few are analysed"
            )
        try:
            function = lower_function(
                context, instance, candidate.dependent and instance is candidate.cursor
            )
        except (MemoryError, BlankBodyError):  # a limit of the file, and no bug
            raise
        except Exception as error:
            line = self.source.line(candidate.begin)
            self.problems.append(
                Diagnostic(
                    line, 1, "error", f"internal: {type(error).__name__}: {error}", "internal"
                )
            )
            if os.environ.get("ROOFLINT_DEBUG"):
                raise
            return
        self._contexts.append(context)
        self.seen |= context.origins.loops_seen
        self.gotos |= set(context.flow.gotos_back)
        if function is not None:
            self.functions.append(function)

    @property
    def known_keywords(self) -> set[int]:
        """Offsets of loop keywords of which a loop or a block has been made."""
        return self.seen | self.shared.no_loops

    def lower_local_methods(self) -> None:
        """Methods of classes that were met inside functions, where they have loops of their own."""
        while self.shared.local_methods:
            cursor = self.shared.take_local_method()
            begin, end = self.source.extent(cursor)
            if begin >= 0 and not self.source.keywords_between(begin, end) <= self.known_keywords:
                self.lower(FunctionCandidate(cursor, begin, end, False), cursor, 0)

    def lower_instances(self, candidate: FunctionCandidate, instances: list[Cursor]) -> None:
        """A few instances of a template; more only for loops that those do not have."""
        left_out = max(0, len(instances) - MAX_INSTANCES)
        for instance in instances[:MAX_INSTANCES]:
            self.lower(candidate, instance, left_out)
        for instance in instances[MAX_INSTANCES : 2 * MAX_INSTANCES]:
            own = self.source.keywords_between(candidate.begin, candidate.end)
            if own <= self.known_keywords:
                break
            before = len(self.seen), len(self.functions)
            self.lower(candidate, instance, left_out)
            if len(self.seen) == before[0]:
                del self.functions[before[1] :]


def instances_of(
    shared: TranslationUnitContext,
    candidates: list[FunctionCandidate],
    looping: list[FunctionCandidate],
) -> list[tuple[FunctionCandidate, list[Cursor]]]:
    """Functions to lower: templates once per set of types of their calls."""
    patterns = {c.cursor.d0: c for c in looping if c.dependent}
    instances: dict[int, list[Cursor]] = {}
    if patterns:
        for cursor in called_below(shared, _may_call_templates(shared, candidates, looping)):
            pattern = shared.clang.getSpecializedCursorTemplate(cursor).d0
            if pattern in patterns and has_body(shared, cursor):
                known = instances.setdefault(pattern, [])
                known.append(cursor)
    return [(c, instances.get(c.cursor.d0, [c.cursor])) for c in looping]


def _may_call_templates(
    shared: TranslationUnitContext,
    candidates: list[FunctionCandidate],
    looping: list[FunctionCandidate],
) -> list[Cursor]:
    """Functions that may, directly or not, call a template of the file that loops.

    Those with loops, whose trees are needed anyway, and those whose text has a template's name.
    """
    needed = {c.cursor.d0 for c in looping if not c.dependent}
    calling = [c for c in looping if c.dependent]
    names: set[str] = set()
    while calling:
        names |= {shared.clang.spelling(c.cursor).partition("<")[0] for c in calling if c.dependent}
        rest = [c for c in candidates if c.cursor.d0 not in needed]
        calling = _mentioning(shared, rest, names)
        needed |= {c.cursor.d0 for c in calling}
    return [c.cursor for c in candidates if c.cursor.d0 in needed]


def _mentioning(
    shared: TranslationUnitContext, candidates: list[FunctionCandidate], names: set[str]
) -> list[FunctionCandidate]:
    """Functions whose text has one of the names; all where the text cannot tell."""
    mentions = shared.source.mentions(names) if all(map(str.isidentifier, names)) else None
    return [c for c in candidates if mentions is None or mentions(c.begin, c.end)]

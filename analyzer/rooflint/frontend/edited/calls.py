"""The functions of a file that a function calls, and what callers know of it."""

from collections.abc import Iterator
from typing import Final

from rooflint.frontend.edited.records import CalleeSummary, InlineShape
from rooflint.frontend.lower.control.no_return import never_returns
from rooflint.frontend.lower.inlining import body_of
from rooflint.frontend.lower.instances import FunctionCandidate
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.effects import EffectTable
from rooflint.frontend.lower.state.shared import InlineBody, TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

_FUNCTIONS: Final = kinds.METHODS | {kinds.FUNCTION, kinds.FUNCTION_TEMPLATE}
_PLACE: Final = late_pattern(r"@\d+(?=@|$)")
"""An offset in clang's key of a local declaration."""


class CalledFunctions(NamedTuple):
    """Positions of the file's functions, and clang's keys of the templates' instances, in order."""

    calls: frozenset[int]
    templates: tuple[str, ...]


class CallReader:
    """Finds the calls of the functions of one parse."""

    def __init__(self, shared: TranslationUnitContext, candidates: list[FunctionCandidate]) -> None:
        self._shared = shared
        self._clang = shared.clang
        self._positions = {each.cursor.d0: number for number, each in enumerate(candidates)}
        self._definitions: dict[int, tuple[Cursor, int]] = {}
        self._outside: dict[int, frozenset[int]] = {}

    def position(self, key: int) -> int | None:
        """The function of the file that a known declaration stands for, if any."""
        decl = self._shared.known(key)
        if decl is None:
            return self._positions.get(key)
        position = self._definition(decl.cursor)[1]
        return position if position >= 0 else None

    def positions(self, keys: frozenset[int]) -> frozenset[int]:
        """The functions of the file among those of the keys."""
        return frozenset([found for key in keys if (found := self.position(key)) is not None])

    def called_functions(self, tree: SyntaxTree) -> CalledFunctions:
        """The functions that the code below calls, also by way of the functions of headers."""
        calls: set[int] = set()
        templates: dict[str, None] = {}
        for callee in self._callees(tree):
            definition, position = self._definition(callee)
            if self._clang.getSpecializedCursorTemplate(callee).d0:
                templates[self._clang.text(self._clang.getCursorUSR(callee))] = None
            if position >= 0:
                calls.add(position)
            elif definition.d0:
                calls |= self._through(definition)
        return CalledFunctions(frozenset(calls), tuple(templates))

    def _through(self, definition: Cursor) -> frozenset[int]:
        """The functions of the file that one of a header calls."""
        known = self._outside.get(definition.d0)
        if known is None:
            self._outside[definition.d0] = frozenset()  # for one that calls itself
            clang = self._clang
            if definition.kind not in _FUNCTIONS or clang.Location_isInSystemHeader(
                clang.getCursorLocation(definition)
            ):
                return frozenset()
            known = self._outside[definition.d0] = self.called_functions(
                self._shared.tree(definition)
            ).calls
        return known

    def _callees(self, tree: SyntaxTree) -> Iterator[Cursor]:
        seen: set[int] = set()
        waiting = [tree.children]
        while waiting:
            for child in waiting.pop():
                if child.kind == kinds.CALL:
                    callee = self._clang.getCursorReferenced(child.cursor)
                    if callee.d0 and callee.d0 not in seen:
                        seen.add(callee.d0)
                        yield callee
                if child.children:
                    waiting.append(child.children)

    def _definition(self, callee: Cursor) -> tuple[Cursor, int]:
        """The definition of what is called, and its position in the file or -1."""
        found = self._definitions.get(callee.d0)
        if found is None:
            definition = self._clang.getCursorDefinition(callee)
            position = self._positions.get(definition.d0, -1)
            if position < 0:
                pattern = self._clang.getSpecializedCursorTemplate(callee)
                position = self._positions.get(pattern.d0, -1)
                if position < 0 and pattern.d0:
                    pattern = self._clang.getCursorDefinition(pattern)
                    position = self._positions.get(pattern.d0, -1)
            found = self._definitions[callee.d0] = (definition, position)
        return found


class SummaryReader:
    """Answers that callers got about the functions of one parse."""

    def __init__(self, shared: TranslationUnitContext, calls: CallReader) -> None:
        self._shared = shared
        callees = shared.callees
        self._shapes = {calls.position(key): shape_of(body) for key, body in callees.bodies.items()}
        self._lasting = {
            calls.position(key): self._keys(lasting) for key, lasting in callees.lasting.items()
        }
        self._never = {calls.position(key): never for key, never in callees.never_return.items()}

    def summary(self, position: int) -> CalleeSummary:
        """Of the function at a position of the file."""
        return CalleeSummary(
            shape=self._shapes.get(position),
            lasting=self._lasting.get(position),
            never_returns=self._never.get(position),
        )

    def whole_summary(self, cursor: Cursor) -> CalleeSummary:
        """Of a function that nothing may have asked for."""
        shared = self._shared
        decl, effects = shared.declared(cursor), EffectTable(shared)
        return CalleeSummary(
            shape=shape_of(body_of(LoweringContext(shared, effects), decl)),
            lasting=self._keys(effects.lasting(decl)),
            never_returns=never_returns(shared, decl),
        )

    def _keys(self, lasting: frozenset[int]) -> frozenset[str]:
        return frozenset([self._key(key) for key in lasting])

    def _key(self, key: int) -> str:
        decl = self._shared.known(key)
        if decl is None:
            return ""
        clang = self._shared.clang
        return _PLACE.sub("@", clang.text(clang.getCursorUSR(decl.cursor)))


def shape_of(body: InlineBody | None) -> InlineShape:
    """How calls of a function with this body are lowered."""
    if body is None:
        return "call"
    if body.simple is not None:
        return "expression"
    return "statements" if body.fits else "returns-early"


def agrees(before: CalleeSummary, now: CalleeSummary) -> bool:
    """Whether callers were told the same, as far as they asked."""
    pairs = zip(before, now, strict=True)
    return all(was is None or was == is_now for was, is_now in pairs)

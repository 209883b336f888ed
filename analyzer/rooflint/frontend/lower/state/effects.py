"""Effects of code: the variables that loops, functions and calls modify."""

from typing import Final

from rooflint.frontend.lower.state.shared import Decl, TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, Cursor
from rooflint.frontend.parse.tree import MAX_BODY, SyntaxTree, size_of, visit

_VARIABLES: Final = (kinds.DECL_REF, kinds.MEMBER_REF)
_MODIFYING: Final = kinds.LOOPS | {
    kinds.BINARY, kinds.UNARY, kinds.COMPOUND_ASSIGN, kinds.CALL,
}  # fmt: skip
_NOTHING: Final[frozenset[int]] = frozenset()


class EffectTable:
    """The variables that code changes, by their keys; each loop and function is searched once."""

    def __init__(self, unit: TranslationUnitContext) -> None:
        self._unit = unit
        self._pure: dict[int, bool] = {}
        self._modified: dict[int, frozenset[int]] = {}
        self._declared: dict[int, frozenset[int]] = {}
        self._assigned: dict[int, frozenset[int]] = {}
        self._references: dict[int, tuple[int, ...]] = {}

    def has_no_effects(self, decl: Decl) -> bool:
        """Whether a function is declared to do nothing but compute from its arguments."""
        known = self._pure.get(decl.key)
        if known is None:
            attributes: list[int] = []

            def callback(cursor: Cursor, parent: Cursor) -> int:
                attributes.append(cursor.kind)
                return CONTINUE

            if decl.key:
                visit(self._unit.clang, decl.cursor, callback)
            known = self._pure[decl.key] = kinds.CONST_ATTRIBUTE in attributes
        return known

    def modified(self, tree: SyntaxTree) -> frozenset[int]:
        """Keys of the variables that are assigned, stepped or have their address taken below.

        Variables declared in a loop's body are its own business and not among them; those that
        its header declares are.
        """
        key = tree.cursor.key
        known = self._modified.get(key)
        if known is None:
            modified, declared = self._collect_modified(tree)
            self._declared[key] = frozenset(declared)
            if tree.kind in kinds.LOOPS:
                for part in tree.children[:-1]:
                    for child in (part, *part.children):
                        if child.kind == kinds.VARIABLE:
                            declared.discard(child.cursor.d0)
            known = self._modified[key] = frozenset(modified - declared)
        return known

    def assigned(self, tree: SyntaxTree) -> frozenset[int]:
        """Keys of all variables that a C function changes after their declaration, its own too."""
        key = tree.cursor.key
        known = self._assigned.get(key)
        if known is None:
            known = self._assigned[key] = frozenset(self._collect_modified(tree)[0])
        return known

    def _collect_modified(self, tree: SyntaxTree) -> tuple[set[int], set[int]]:
        """Keys of what is modified and of what is declared below, outside inner loops."""
        modified: set[int] = set()
        declared: set[int] = set()
        waiting = [tree.children]
        modifying = _MODIFYING
        while waiting:
            for child in waiting.pop():
                kind = child.kind
                if kind == kinds.VARIABLE:
                    declared.add(child.cursor.d0)
                if not child.children:
                    continue
                if kind in modifying:
                    modified |= self._modified_by(child)
                    if kind in kinds.LOOPS:
                        continue
                waiting.append(child.children)
        return modified, declared

    def _modified_by(self, tree: SyntaxTree) -> frozenset[int]:
        """Keys of what a loop modifies outside of itself, a call, or an assignment."""
        kind, cursor = tree.kind, tree.cursor
        if kind in kinds.LOOPS:
            return self.modified(tree) - self._declared[cursor.key]
        unit = self._unit
        if kind == kinds.CALL:
            lasting = self.lasting(unit.referenced(cursor))
            return lasting if unit.is_c else lasting | {d.key for d in self.handed_over(tree)}
        target = tree.children[0]
        if target.kind in _VARIABLES and self._writes(kind, cursor):
            return frozenset((unit.referenced(target.cursor).key,))
        return _NOTHING

    def lasting(self, callee: Decl) -> frozenset[int]:
        """Members and variables of the file that a small function at hand modifies."""
        callees = self._unit.callees
        callees.note_question(callee.key)
        known = callees.lasting.get(callee.key)
        if known is not None:
            return known
        callees.note_lasting(callee.key, frozenset())  # for one that calls itself
        callees.begin(callee.key)
        lasting = self._lasting_of(callee)
        callees.end()
        return callees.note_lasting(callee.key, lasting)

    def _lasting_of(self, callee: Decl) -> frozenset[int]:
        if callee.kind not in (kinds.FUNCTION, kinds.METHOD):
            return frozenset()
        definition = self._unit.clang.getCursorDefinition(callee.cursor)
        if not definition.d0 or definition.kind not in (kinds.FUNCTION, kinds.METHOD):
            return frozenset()
        tree = self._unit.tree(definition)
        if size_of(tree, MAX_BODY) >= MAX_BODY:
            return frozenset()
        modified, declared = self._collect_modified(tree)
        return frozenset(key for key in modified - declared if self._outlives_call(key))

    def _outlives_call(self, key: int) -> bool:
        decl = self._unit.known(key)
        return decl is not None and decl.kind in (kinds.FIELD, kinds.VARIABLE)

    def handed_over(self, call: SyntaxTree) -> list[Decl]:
        """Integer variables that a call hands over by reference, so that it may change them."""
        callee = self._unit.referenced(call.cursor)
        positions = self._references.get(callee.key)
        if positions is None:
            positions = self._references[callee.key] = self._reference_parameters(callee.cursor)
        arguments = call.children[1:]
        return [
            self._unit.referenced(arguments[position].cursor)
            for position in positions
            if position < len(arguments) and arguments[position].kind == kinds.DECL_REF
        ]

    def _reference_parameters(self, callee: Cursor) -> tuple[int, ...]:
        if self._unit.is_c or callee.kind not in (kinds.FUNCTION, kinds.METHOD, kinds.CONSTRUCTOR):
            return ()
        types = (
            self._unit.types.of_cursor(self._unit.clang.Cursor_getArgument(callee, number))
            for number in range(max(0, self._unit.clang.Cursor_getNumArguments(callee)))
        )
        return tuple(n for n, t in enumerate(types) if t.reference and t.is_integer and not t.const)

    def _writes(self, kind: int, cursor: Cursor) -> bool:
        if kind == kinds.BINARY:
            return bool(self._unit.clang.getCursorBinaryOperatorKind(cursor) == kinds.ASSIGN)
        if kind == kinds.UNARY:
            return bool(self._unit.clang.getCursorUnaryOperatorKind(cursor) <= kinds.ADDRESS)
        return kind == kinds.COMPOUND_ASSIGN

"""Keys of declarations that all files of a program share."""

from typing import Final, TypeAlias

from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Clang, Cursor, Type
from rooflint.frontend.parse.source import SourceText
from rooflint.frontend.parse.spellings import without_place
from rooflint.startup.late_pattern import late_pattern

_SHARED_KEYS: Final = "c:@"
"""Begins clang's key of a declaration that all files see; others are those of one file."""


LocalNumbers: TypeAlias = dict[str, dict[tuple[int, ...], int]]
"""Numbers of local declarations, by the key that they share and by their offsets in the file."""
_OFFSET: Final = late_pattern(r"@(\d+)(?=@|$)")
_INLINE_SCOPES: Final = ("@N@__cxx11", "@N@__1")
"""Inline namespaces of the standard libraries, which our own headers lack: files that see either
name the same functions."""


class DeclarationKeys:
    """Keys of the declarations that one file sees; each is asked for once.

    ``numbers``: of local declarations; ``numbered``: those of their shared keys that were asked
    for; ``has_lines``: a key has the line of a declaration.
    """

    def __init__(self, clang: Clang, source: SourceText) -> None:
        self._clang = clang
        self._source = source
        self._keys: dict[int, str] = {}
        self.numbers: LocalNumbers = {}
        self.numbered: set[str] = set()
        self.has_lines = False

    def key(self, cursor: Cursor) -> str:
        """The key of a declaration."""
        key = self._keys.get(cursor.d0)
        if key is None:
            clang = self._clang
            key = clang.text(clang.getCursorUSR(cursor))
            for scope in _INLINE_SCOPES:
                key = key.replace(scope, "")
            if not key.startswith(_SHARED_KEYS):
                place = clang.getCursorLocation(cursor)
                name, line = self._source.elsewhere(place)
                here = self._source.is_here(cursor)
                self.has_lines = self.has_lines or not key
                key = f"{self._source.path if here else name}:{self._placeless(key) or line}"
            self._keys[cursor.d0] = key
        return key

    def _placeless(self, key: str) -> str:
        """clang's key of a local declaration with its number among those of the same name, in place
        of offsets in the file, which every edit above changes."""
        offsets = tuple(map(int, _OFFSET.findall(key)))
        if not offsets:
            return key
        same = _OFFSET.sub("@", key)
        self.numbered.add(same)
        numbers = self.numbers.setdefault(same, {})
        return f"{same}@{numbers.setdefault(offsets, len(numbers))}"

    def function(self, function: Cursor) -> str:
        """The key of a function; all instances of a template have that of the template."""
        return self.key(self.pattern(function))

    def pattern(self, function: Cursor) -> Cursor:
        """The template that a function is an instance of, or the function."""
        template: Cursor = self._clang.getSpecializedCursorTemplate(function)
        return template if template.d0 else function

    def signature(self, expression: Cursor) -> str:
        """The type of the functions that an expression leads to; empty for any other."""
        clang = self._clang
        handle: Type = clang.getCanonicalType(clang.getCursorType(expression))
        if handle.kind in (kinds.T_POINTER, kinds.T_MEMBER_POINTER):
            handle = clang.getCanonicalType(clang.getPointeeType(handle))
        if handle.kind not in kinds.T_FUNCTIONS:
            return ""
        return without_place(clang.text(clang.getTypeSpelling(handle)))

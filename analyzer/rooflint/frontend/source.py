"""The text of the analysed file: offsets, lines, pragmas, comments, loop keywords."""

import ctypes
import re
from bisect import bisect_right
from functools import cached_property

from rooflint.frontend.clang_c import Clang, Cursor, Location, Range
from rooflint.ir import Comment, Span

_MACRO_BIT = 1 << 31
_TOKENS = re.compile(
    rb"""\b(?:u8|[uUL])?R"([^()\\\s"]{0,16})\(.*?\)\1"|"""
    rb"""//[^\n]*(?:\\\n[^\n]*)*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""",
    re.DOTALL,
)
_PRAGMA = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE)
_PRAGMA_OPERATOR = re.compile(rb'\b_Pragma\s*\(\s*"((?:\\.|[^"\\])*)"\s*\)')
_DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*", re.MULTILINE)
_COMMENT = re.compile(rb"\brooflint:\s*(.*?)\s*(?:\*/)?$", re.MULTILINE)
_NOLINT = re.compile(rb"\b(NOLINT(?:NEXTLINE)?\b(?:\([^)]*\))?)")
_KEYWORD = re.compile(rb"\b(for|while|do)\b")
_LOOPING = re.compile(rb"\b(?:for|while|do|goto|parallel_for|forall|for_each|parallel_reduce)\b")


class Source:
    """One file's bytes with what libclang needs to translate places in them."""

    def __init__(self, clang: Clang, unit: int, path: str, data: bytes) -> None:
        self._clang = clang
        self._unit = unit
        self.path = path
        self.data = data
        self.file: int = clang.getFile(unit, path.encode("utf-8", "surrogateescape"))
        # A raw location is the file's first one plus a byte offset: undocumented, but it saves an
        # interface call a place, and held in libclang 18, 19 and 22.
        self._base: int = clang.getLocationForOffset(unit, self.file, 0).raw

    def extent(self, cursor: Cursor) -> tuple[int, int]:
        """Begin and end byte offsets in this file; of a macro's use where a macro made it.

        (-1, -1) for a place in another file.
        """
        span = self._clang.getCursorExtent(cursor)
        begin, end = span.begin - self._base, span.end - self._base
        if 0 <= begin <= end <= len(self.data):
            return begin, end
        return self._slow_extent(span)

    def _slow_extent(self, span: Range) -> tuple[int, int]:
        begin = self.offset(self._clang.getRangeStart(span))
        end = self.offset(self._clang.getRangeEnd(span))
        return (begin, max(begin, end)) if begin >= 0 else (-1, -1)

    def offset(self, location: Location) -> int:
        """The byte offset where this place is expanded, or -1 when that is in another file."""
        file, offset = ctypes.c_void_p(), ctypes.c_uint()
        self._clang.getExpansionLocation(
            location, ctypes.byref(file), None, None, ctypes.byref(offset)
        )
        return offset.value if file.value == self.file else -1

    def is_here(self, cursor: Cursor) -> bool:
        """Whether the cursor's place, or the use of the macro that made it, is in this file."""
        location = self._clang.getCursorLocation(cursor)
        if 0 <= location.raw - self._base <= len(self.data):
            return True
        return bool(location.raw & _MACRO_BIT) and self.offset(location) >= 0

    def in_macro(self, cursor: Cursor) -> bool:
        """Whether the cursor begins inside a macro's expansion."""
        return bool(self._clang.getCursorExtent(cursor).begin & _MACRO_BIT)

    def text(self, cursor: Cursor) -> str:
        """The cursor's source text; empty when a macro made it or it is in another file."""
        span = self._clang.getCursorExtent(cursor)
        begin, end = span.begin - self._base, span.end - self._base
        if 0 <= begin < end <= len(self.data):
            return self.data[begin:end].decode("utf-8", "replace")
        return ""

    @cached_property
    def _lines(self) -> list[int]:
        starts = [0]
        starts += [match.end() for match in re.finditer(rb"\n", self.data)]
        return starts

    def line(self, offset: int) -> int:
        """The 1-based line of a byte offset."""
        return bisect_right(self._lines, offset)

    def span(self, begin: int, end: int) -> Span:
        """Lines and columns of a range of offsets."""
        first, last = bisect_right(self._lines, begin), bisect_right(self._lines, end)
        return Span(
            first, begin - self._lines[first - 1] + 1, last, end - self._lines[last - 1] + 1
        )

    @cached_property
    def blanked(self) -> bytes:
        """The text with comments and literals replaced by blanks of the same length."""
        return _TOKENS.sub(lambda match: re.sub(rb"[^\n]", b" ", match[0]), self.data)

    @cached_property
    def pragmas(self) -> list[tuple[int, str]]:
        """Every ``#pragma`` and ``_Pragma`` outside comments: offset of its end, its text."""
        if b"ragma" not in self.data:
            return []
        found = [(m.end(), m[1]) for m in _PRAGMA.finditer(self._without_comments)]
        found += [
            (m.end(), re.sub(rb"\\(.)", rb"\1", m[1]))
            for m in _PRAGMA_OPERATOR.finditer(self._without_comments)
        ]
        return sorted((end, _squeeze(text)) for end, text in found)

    @cached_property
    def _without_comments(self) -> bytes:
        def blank(match: re.Match[bytes]) -> bytes:
            return re.sub(rb"[^\n]", b" ", match[0]) if match[0][:1] == b"/" else match[0]

        return _TOKENS.sub(blank, self.data)

    def comments(self) -> tuple[Comment, ...]:
        """``rooflint:`` comments and ``NOLINT`` marks, with their lines."""
        if b"rooflint:" not in self.data and b"NOLINT" not in self.data:
            return ()
        found = []
        for token in _TOKENS.finditer(self.data):
            if token[0][:1] != b"/":
                continue
            for pattern in (_COMMENT, _NOLINT):
                for match in pattern.finditer(token[0]):
                    line = self.line(token.start() + match.start())
                    found.append(Comment(line, match[1].decode("utf-8", "replace")))
        return tuple(found)

    def may_loop(self, begin: int, end: int) -> bool:
        """Whether the text has a word that can make a loop."""
        return _LOOPING.search(self.data, begin, end) is not None

    def uses_loop_macro(self, begin: int, end: int) -> bool:
        """Whether the text names a macro of this file whose body has a loop keyword."""
        return bool(self._loop_macros) and any(
            name in self._loop_macros for name in re.findall(rb"[A-Za-z_]\w*", self.data[begin:end])
        )

    @cached_property
    def _loop_macros(self) -> frozenset[bytes]:
        found = set()
        for directive in _DIRECTIVE.finditer(self.blanked):
            match = re.match(rb"[ \t]*#[ \t]*define[ \t]+(\w+)", directive[0])
            if match and _LOOPING.search(directive[0]):
                found.add(match[1])
        return frozenset(found)

    def loop_keywords(self, inactive: list[tuple[int, int]]) -> list[int]:
        """Offsets of ``for``, ``while``, ``do`` in active code; not the ``while`` that ends a do.

        Keywords in directives (macro definitions) and in the ``inactive`` ranges are left out.
        """
        text = _DIRECTIVE.sub(lambda m: re.sub(rb"[^\n]", b" ", m[0]), self.blanked)
        active = [
            match
            for match in _KEYWORD.finditer(text)
            if not any(begin <= match.start() < end for begin, end in inactive)
        ]
        return _without_do_ends(text, active)

    def skipped(self) -> list[tuple[int, int]]:
        """Ranges that ``#if`` leaves out; known only after a parse with RECORD_PREPROCESSING."""
        listed = self._clang.getSkippedRanges(self._unit, self.file)
        try:
            ranges = [listed.contents.ranges[i] for i in range(listed.contents.count)]
            return [(r.begin - self._base, r.end - self._base) for r in ranges]
        finally:
            self._clang.disposeSourceRangeList(listed)


def _without_do_ends(text: bytes, keywords: list[re.Match[bytes]]) -> list[int]:
    """Drops each ``while`` that closes a ``do``: the first at the do's own brace depth."""
    kept: list[int] = []
    open_dos: list[int] = []
    depth, position = 0, 0
    for match in keywords:
        between = text[position : match.start()]
        depth += between.count(b"{") - between.count(b"}")
        position = match.start()
        if match[1] == b"while" and open_dos and open_dos[-1] == depth:
            open_dos.pop()
            continue
        if match[1] == b"do":
            open_dos.append(depth)
        kept.append(match.start())
    return kept


def _squeeze(raw: bytes) -> str:
    return " ".join(
        raw.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").decode("utf-8", "replace").split()
    )

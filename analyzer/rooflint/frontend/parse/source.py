"""The text of the analysed file: offsets, lines, pragmas, comments, loop keywords."""

import ctypes
import os
import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property, partial

from rooflint.frontend.parse.clang_c import Clang, Cursor, Location, Range
from rooflint.ir import Comment, Span

_MACRO_BIT = 1 << 31


def _words(*words: bytes) -> bytes:
    return b"|".join(rb"%b\b(?<!\w%b)" % (word, word) for word in words)


# Each pattern begins with plain characters, not with a word boundary or the start of a line: the
# regular expression engine skips to those at memory speed, and this text is read several times.
_LITERALS = rb"""//[^\n]*(?:\\\n[^\n]*)*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'"""
_TOKENS = re.compile(_LITERALS, re.DOTALL)
_TOKENS_AND_RAW = re.compile(
    rb"""\b(?:u8|[uUL])?R"([^()\\\s"]{0,16})\(.*?\)\1"|""" + _LITERALS, re.DOTALL
)
_DIRECTIVE = re.compile(rb"#(?:[^\n\\]++|\\\r?\n|\\.)*+")
_DEFINITION = re.compile(rb"#[ \t]*define[ \t]+(\w+)")
_PRAGMA = re.compile(rb"#[ \t]*pragma[ \t]+((?:[^\n\\]++|\\\r?\n|\\.)*+)")
_PRAGMA_OPERATOR = re.compile(rb'\b_Pragma\s*\(\s*"((?:\\.|[^"\\])*)"\s*\)')
_NO_CODE = re.compile(rb"(?:\s++|#[^\n]*+|_Pragma\s*+\([^)]*+\))*+")
_COMMENT = re.compile(rb"\brooflint:\s*(.*?)\s*(?:\*/)?$", re.MULTILINE)
_NOLINT = re.compile(rb"\b(NOLINT(?:NEXTLINE|BEGIN|END)?\b(?:\([^)]*\))?)")
_KEYWORD = re.compile(_words(b"for", b"while", b"do"))
_LOOPING = re.compile(
    _words(
        b"for",
        b"while",
        b"do",
        b"goto",
        b"parallel_for",
        b"forall",
        b"for_each",
        b"parallel_reduce",
    )
)
_BLANKS = bytes(10 if byte == 10 else 32 for byte in range(256))
"""Translates every character to a blank, except the end of a line."""


class SourceText:
    """One file's bytes with what libclang needs to translate places in them."""

    def __init__(self, clang: Clang, unit: int, path: str, data: bytes) -> None:
        self._clang = clang
        self._unit = unit
        self.path = path
        self.data = data
        self._size = len(data)
        self._extent = clang.getCursorExtent
        # filled in by every question for a place in a macro: made once, not thousands of times
        self._found_file, self._found_offset = ctypes.c_void_p(), ctypes.c_uint()
        self._at_file = ctypes.byref(self._found_file)
        self._at_offset = ctypes.byref(self._found_offset)
        self._elsewhere: dict[tuple[int, int], tuple[int, int]] = {}
        self.file: int = clang.getFile(unit, path.encode("utf-8", "surrogateescape"))
        # A raw location is the file's first one plus a byte offset: undocumented, but it saves an
        # interface call a place, and held in libclang 18, 19 and 22.
        self._base: int = clang.getLocationForOffset(unit, self.file, 0).raw

    def extent(self, cursor: Cursor) -> tuple[int, int]:
        """Begin and end byte offsets in this file; of a macro's use where a macro made it.

        (-1, -1) for a place in another file.
        """
        span = self._extent(cursor)
        base = self._base
        begin, end = span.begin - base, span.end - base
        if 0 <= begin <= end <= self._size:
            return begin, end
        # functions of headers are inlined again and again
        places = (span.begin, span.end)
        known = self._elsewhere.get(places)
        if known is None:
            known = self._elsewhere[places] = self._slow_extent(span)
        return known

    def _slow_extent(self, span: Range) -> tuple[int, int]:
        begin = self.offset(self._clang.getRangeStart(span))
        if begin < 0:
            return (-1, -1)
        end = self.offset(self._clang.getRangeEnd(span))
        return (begin, max(begin, end))

    def offset(self, location: Location) -> int:
        """The byte offset where this place is expanded, or -1 when that is in another file."""
        self._clang.getExpansionLocation(location, self._at_file, None, None, self._at_offset)
        return self._found_offset.value if self._found_file.value == self.file else -1

    def other_place(self, cursor: Cursor) -> str:
        """``file:line`` of a cursor, without the folder."""
        name, line = self.elsewhere(self._clang.getCursorLocation(cursor))
        return f"{os.path.basename(name) or 'another file'}:{line}"

    def elsewhere(self, location: Location) -> tuple[str, int]:
        """File and line of a place, as libclang opened the file; no name where there is none."""
        file, line = ctypes.c_void_p(), ctypes.c_uint()
        self._clang.getExpansionLocation(
            location, ctypes.byref(file), ctypes.byref(line), None, None
        )
        name = self._clang.text(self._clang.getFileName(file)) if file.value else ""
        return name, line.value

    def span_elsewhere(self, cursor: Cursor) -> tuple[str, Span]:
        """File and span of a cursor in another file; whole lines, of a macro's use."""
        span = self._extent(cursor)
        name, first = self.elsewhere(self._clang.getRangeStart(span))
        last = self.elsewhere(self._clang.getRangeEnd(span))[1]
        return name, Span(line=first, column=1, end_line=max(first, last), end_column=1)

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
        span = self._extent(cursor)
        base = self._base
        begin, end = span.begin - base, span.end - base
        if 0 <= begin < end <= self._size:
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

    def spans(self, ranges: list[tuple[int, int]]) -> tuple[Span, ...]:
        """Lines and columns of many ranges; zeros for one that begins before the file."""
        # thousands a file, most within one line; not Span(...), whose constructor is Python code
        lines, new = self._lines, tuple.__new__
        count = len(lines)
        found: list[Span] = []
        for begin, end in ranges:
            first = bisect_right(lines, begin)
            start = lines[first - 1] - 1
            if begin < 0:
                found.append(new(Span, (0, 0, 0, 0)))
            elif first < count and end >= lines[first]:
                last = bisect_right(lines, end)
                found.append(new(Span, (first, begin - start, last, end - lines[last - 1] + 1)))
            else:
                found.append(new(Span, (first, begin - start, first, end - start)))
        return tuple(found)

    @cached_property
    def _tokens(self) -> re.Pattern[bytes]:
        """Matches comments and literals; raw strings only where there can be any, for speed."""
        return _TOKENS_AND_RAW if b'R"' in self.data else _TOKENS

    @cached_property
    def blanked(self) -> bytes:
        """The text with comments and literals replaced by blanks of the same length."""
        return self._tokens.sub(_blank, self.data)

    @cached_property
    def uncommented(self) -> bytes:
        """The text with comments replaced by blanks of the same length."""
        return self._tokens.sub(lambda m: _blank(m) if m[0][:1] == b"/" else m[0], self.data)

    @cached_property
    def pragmas_before(self) -> dict[int, list[str]]:
        """The text of every ``#pragma`` and ``_Pragma`` by the offset of the code they stand above.

        Blanks, comments and other directives may lie between.
        """
        if b"ragma" not in self.data:
            return {}
        text = self.uncommented
        starts = (m.start() for m in _PRAGMA.finditer(self.blanked))
        found = [(m.end(), m[1]) for m in map(partial(_PRAGMA.match, text), starts) if m]
        found += [
            (m.end(), re.sub(rb"\\(.)", rb"\1", m[1])) for m in _PRAGMA_OPERATOR.finditer(text)
        ]
        above: dict[int, list[str]] = {}
        for end, pragma in sorted(found):
            code = _NO_CODE.match(self.blanked, end)
            if code is not None:
                above.setdefault(code.end(), []).append(_squeeze(pragma))
        return above

    def comments(self) -> tuple[Comment, ...]:
        """``rooflint:`` comments and ``NOLINT`` marks, with their lines."""
        if b"rooflint:" not in self.data and b"NOLINT" not in self.data:
            return ()
        found = []
        for token in self._tokens.finditer(self.data):
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

    def mentions(self, names: set[str]) -> Callable[[int, int], bool] | None:
        """Tells of a stretch of the text whether it has one of these names, or a macro that does.

        None where macros may paste names together.
        """
        words = {name.encode() for name in names}
        pattern = _any_of(words)
        bodies = {
            match[1]: directive[0][match.end() :]
            for directive in _DIRECTIVE.finditer(self.blanked)
            if (match := _DEFINITION.match(directive[0]))
        }
        if any(b"##" in body for body in bodies.values()):
            return None
        while found := {macro for macro, body in bodies.items() if pattern.search(body)} - words:
            words |= found
            pattern = _any_of(words)
        return lambda begin, end: pattern.search(self.data, begin, end) is not None

    def uses_loop_macro(self, begin: int, end: int) -> bool:
        """Whether the text names a macro of this file whose body has a loop keyword."""
        return bool(self._loop_macros) and any(
            name in self._loop_macros for name in re.findall(rb"[A-Za-z_]\w*", self.data[begin:end])
        )

    @cached_property
    def _loop_macros(self) -> frozenset[bytes]:
        found = set()
        for directive in _DIRECTIVE.finditer(self.blanked):
            match = _DEFINITION.match(directive[0])
            if match and _LOOPING.search(directive[0]):
                found.add(match[1])
        return frozenset(found)

    def loop_keywords(self, inactive: list[tuple[int, int]]) -> list[int]:
        """Offsets of ``for``, ``while``, ``do`` in active code; not the ``while`` that ends a do.

        Keywords in directives (macro definitions) and in the ``inactive`` ranges are left out.
        """
        text = _DIRECTIVE.sub(_blank, self.blanked)
        active = [
            match
            for match in _KEYWORD.finditer(text)
            if not any(begin <= match.start() < end for begin, end in inactive)
        ]
        return _without_do_ends(text, active)

    @cached_property
    def _all_keywords(self) -> list[int]:
        return self.loop_keywords([])

    def keywords_between(self, begin: int, end: int) -> set[int]:
        """Offsets of the loop keywords in a range of the text, inactive code included."""
        return {offset for offset in self._all_keywords if begin <= offset < end}

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
        if match[0] == b"while" and open_dos and open_dos[-1] == depth:
            open_dos.pop()
            continue
        if match[0] == b"do":
            open_dos.append(depth)
        kept.append(match.start())
    return kept


def _any_of(words: set[bytes]) -> re.Pattern[bytes]:
    return re.compile(rb"\b(?:%b)\b" % b"|".join(map(re.escape, sorted(words))))


def _blank(match: re.Match[bytes]) -> bytes:
    return match[0].translate(_BLANKS)


def _squeeze(raw: bytes) -> str:
    return " ".join(
        raw.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").decode("utf-8", "replace").split()
    )

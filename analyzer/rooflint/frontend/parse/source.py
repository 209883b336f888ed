"""The text of the analysed file, and the places in it that libclang speaks of."""

import ctypes
import os
from collections.abc import Callable

from rooflint.frontend.parse.clang_c import Clang, Cursor, Location, Range
from rooflint.frontend.parse.plain_text import PlainText, TextRanges
from rooflint.ir import Span
from rooflint.startup.late_pattern import late_pattern

_MACRO_BIT = 1 << 31
_NAME = late_pattern(rb"\w+")
_ARGUMENTS = late_pattern(rb"\s*\(")
_BRACKET = late_pattern(rb"[()]")
_LINE_MACRO = late_pattern(rb"__LINE__\b|\w+\s*\(")


class SourceText(PlainText):
    """One file's bytes with what libclang needs to translate places in them."""

    def __init__(
        self,
        clang: Clang,
        unit: int,
        path: str,
        data: bytes,
        inactive: Callable[[], TextRanges] = list,
    ) -> None:
        """``inactive``: finds the ranges that ``#if`` leaves out, which takes another parse."""
        super().__init__(data, inactive)
        self._clang = clang
        self._unit = unit
        self.path = path
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

    def place_of(self, cursor: Cursor) -> tuple[str, int]:
        """File, as libclang opened it, and byte offset of a cursor or of the macro that made it;
        no name for this file."""
        location = self._clang.getCursorLocation(cursor)
        offset = self.offset(location)
        if offset >= 0:
            return "", offset
        file = self._found_file.value
        name = self._clang.text(self._clang.getFileName(file)) if file else ""
        return name, self._found_offset.value

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

    def is_line_number(self, cursor: Cursor, number: int) -> bool:
        """Whether an integer of a macro can only be ``__LINE__``, or a constant that happens to be
        its line: one in the body of a macro with arguments, and in none of these."""
        location = self._clang.getCursorLocation(cursor)
        begin = self.offset(location) if location.raw & _MACRO_BIT else -1
        if begin < 0 or self.line(self._end_of_use(begin)) != number:
            return False
        # an argument's place in the file is its own, that of the body is the use of the macro
        self._clang.getFileLocation(location, self._at_file, None, None, self._at_offset)
        own = self._found_file.value == self.file and self._found_offset.value == begin
        return own and _LINE_MACRO.match(self.data, begin) is not None

    def _end_of_use(self, begin: int) -> int:
        """The offset at which a macro's name or, where it has some, its arguments end."""
        name = _NAME.match(self.data, begin)
        end = name.end() if name is not None else begin
        if _ARGUMENTS.match(self.blanked, end) is None:
            return end
        depth = 0
        for mark in _BRACKET.finditer(self.blanked, end):
            depth += 1 if mark[0] == b"(" else -1
            if not depth:
                return mark.start()
        return end

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

    def skipped(self) -> TextRanges:
        """Ranges that ``#if`` leaves out; known only after a parse with RECORD_PREPROCESSING."""
        listed = self._clang.getSkippedRanges(self._unit, self.file)
        try:
            ranges = [listed.contents.ranges[i] for i in range(listed.contents.count)]
            return [(r.begin - self._base, r.end - self._base) for r in ranges]
        finally:
            self._clang.disposeSourceRangeList(listed)

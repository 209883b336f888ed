"""The text of a file by itself: lines, pragmas, comments, loop keywords."""

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property, partial
from itertools import accumulate
from typing import TypeAlias

from rooflint.ir import Comment, Span
from rooflint.startup.late_pattern import late_pattern


def _words(*words: bytes) -> bytes:
    return b"|".join(rb"%b\b(?<!\w%b)" % (word, word) for word in words)


# Each pattern begins with plain characters, not with a word boundary or the start of a line: the
# regular expression engine skips to those at memory speed, and this text is read several times.
_LITERALS = rb"""//(?:[^\n\\]++|\\\r?\n|\\.)*+|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'"""
_TOKENS = late_pattern(_LITERALS, re.DOTALL)
_TOKENS_AND_RAW = late_pattern(
    rb"""\b(?:u8|[uUL])?R"([^()\\\s"]{0,16})\(.*?\)\1"|""" + _LITERALS, re.DOTALL
)
_DIRECTIVE = late_pattern(rb"#(?:[^\n\\]++|\\\r?\n|\\.)*+")
_DEFINITION = late_pattern(rb"#[ \t]*define[ \t]+(\w+)")
_PRAGMA = late_pattern(rb"#[ \t]*pragma[ \t]+((?:[^\n\\]++|\\\r?\n|\\.)*+)")
_PRAGMA_OPERATOR = late_pattern(rb'\b_Pragma\s*\(\s*"((?:\\.|[^"\\])*)"\s*\)')
_NO_CODE = late_pattern(rb"(?:\s++|#[^\n]*+|_Pragma\s*+\([^)]*+\))*+")
_CONDITION = late_pattern(rb"#[ \t]*(if|ifdef|ifndef|endif)\b")
_ASKS_OPENMP = late_pattern(
    rb"#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t]*\(?[ \t]*|[ \t]+)_OPENMP\b[ \t]*\)?[ \t]*$",
    re.MULTILINE,
)
_COMMENT = late_pattern(rb"\brooflint:\s*(.*?)\s*(?:\*/)?$", re.MULTILINE)
_NOLINT = late_pattern(rb"\b(NOLINT(?:NEXTLINE|BEGIN|END)?\b(?:\([^)]*\))?)")
_KEYWORD = late_pattern(_words(b"for", b"while", b"do"))
_LOOPING = late_pattern(
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


_JOINT = b"\x01"
"""Ends a line that the next one belongs to; no text of a program has it."""


_NEAR = 200
"""Bytes before a comment in which a line begins, or the comment is taken for a part of code."""


TextRanges: TypeAlias = list[tuple[int, int]]
"""Offsets where each of them begins and ends."""


class PlainText:
    """The bytes of a file; offsets are those of bytes."""

    def __init__(self, data: bytes, inactive: Callable[[], TextRanges] = list) -> None:
        """``inactive``: finds the ranges that ``#if`` leaves out."""
        self.data = data
        self._find_inactive = inactive

    @cached_property
    def _lines(self) -> list[int]:
        lengths = [len(line) + 1 for line in self.data.split(b"\n")[:-1]]
        return list(accumulate(lengths, initial=0))

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

    def code_lines(self) -> list[tuple[int, bytes]]:
        """Number and text of each line that has more than blanks and comments.

        Two texts with the same code have equal lines, and equal lines have the same code: what a
        literal or a comment inside of code spans, and what a backslash joins, counts as one line.
        """
        lines: list[tuple[int, bytes]] = []
        joined = False
        for number, line in enumerate(self._tokens.sub(_code_of, self.data).split(b"\n"), 1):
            code = line.rstrip()
            if joined:
                lines[-1] = lines[-1][0], lines[-1][1] + b"\n" + code
            elif code:
                lines.append((number, code))
            joined = code[-1:] in (b"\\", _JOINT)
        return lines

    @cached_property
    def inactive(self) -> TextRanges:
        """Ranges of the text that ``#if`` leaves out."""
        return self._find_inactive() if _CONDITION.search(self.blanked) else []

    @property
    def known_inactive(self) -> TextRanges | None:
        """The same where something has asked for them; else None."""
        found: TextRanges | None = self.__dict__.get("inactive")
        return found

    def _active(self, pragmas: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
        """Those of the pragmas, by their ends, that no ``#if`` leaves out.

        What only asks whether OpenMP is on is active: without it, no pragma of OpenMP has an effect
        in the program, and all of them say what the program can do.
        """
        if not self._has_condition_around([end for end, _ in pragmas]):
            return pragmas
        left_out = [each for each in self.inactive if not _ASKS_OPENMP.match(self.blanked, each[0])]
        return [each for each in pragmas if not _lies_in(left_out, each[0])]

    def _has_condition_around(self, places: list[int]) -> bool:
        """Whether one of the places lies between an ``#if`` and its ``#endif``."""
        conditions = list(_CONDITION.finditer(self.blanked))
        begins = [each.start() for each in conditions]
        depths = [0, *accumulate([-1 if each[1] == b"endif" else 1 for each in conditions])]
        return any(depths[bisect_right(begins, place)] > 0 for place in places)

    @cached_property
    def pragmas_before(self) -> dict[int, list[str]]:
        """The text of each active ``#pragma`` and ``_Pragma`` by the offset of the code below it.

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
        for end, pragma in self._active(sorted(found)):
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
        active = [
            match
            for match in self._keywords
            if not any(begin <= match.start() < end for begin, end in inactive)
        ]
        if len(active) == len(self._keywords):
            return self.all_keywords
        return _without_do_ends(self._without_directives, active)

    @cached_property
    def _keywords(self) -> list[re.Match[bytes]]:
        return list(_KEYWORD.finditer(self._without_directives))

    @cached_property
    def _without_directives(self) -> bytes:
        return _DIRECTIVE.sub(_blank, self.blanked)

    @cached_property
    def all_keywords(self) -> list[int]:
        """Offsets of the loop keywords, those in inactive code included."""
        return _without_do_ends(self._without_directives, self._keywords)

    def keywords_between(self, begin: int, end: int) -> set[int]:
        """Offsets of the loop keywords in a range of the text, inactive code included."""
        return {offset for offset in self.all_keywords if begin <= offset < end}


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


def _lies_in(ranges: TextRanges, place: int) -> bool:
    return any(begin < place <= end for begin, end in ranges)


def _any_of(words: set[bytes]) -> re.Pattern[bytes]:
    return re.compile(rb"\b(?:%b)\b" % b"|".join(map(re.escape, sorted(words))))


def _blank(match: re.Match[bytes]) -> bytes:
    return match[0].translate(_BLANKS)


def _code_of(match: re.Match[bytes]) -> bytes:
    """A literal as it is, a comment as blanks; the ends of lines in one of them join these, but for
    a comment that begins a line of its own."""
    text, begin = match[0], match.start()
    if b"\n" not in text:
        return text if text[:1] != b"/" else _blank(match)
    before = match.string[max(0, begin - _NEAR) : begin].rstrip(b" \t")
    begins = before[-1:] == b"\n" and before[:-1].rstrip()[-1:] != b"\\"
    begins = begins or (not before and begin <= _NEAR)
    if text[:1] == b"/":
        text = _blank(match)
    else:
        begins = False
    return text if begins else text.replace(b"\n", _JOINT + b"\n")


def _squeeze(raw: bytes) -> str:
    return " ".join(
        raw.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").decode("utf-8", "replace").split()
    )

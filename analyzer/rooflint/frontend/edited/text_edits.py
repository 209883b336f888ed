"""Where two texts differ, and whether a change may stay inside of a function's body."""

from typing import Final

from rooflint.frontend.parse.plain_text import PlainText, TextRanges
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

_DIRECTIVE: Final = late_pattern(rb"#(?:[^\n\\]++|\\\r?\n|\\.)*+")
_STATEMENT_PRAGMA: Final = late_pattern(
    rb"#[ \t]*pragma[ \t]+(?:omp|acc|simd|ivdep|(?:no)?unroll|(?:no)?vector"
    rb"|GCC[ \t]+(?:ivdep|unroll)|clang[ \t]+loop)\b"
)
"""Directives that speak of the statement below them, and of nothing outside of the function."""
_CONDITION: Final = late_pattern(rb"#[ \t]*(?:(if)(?:n?def)?|(el)(?:se|if)|(end)if)\b")
_REACHING_OUT: Final = late_pattern(rb"_Pragma\b|\bextern\b|\\\r?\n")
"""What a body says to the code behind it, or what joins lines."""
_DEDUCED: Final = late_pattern(rb"\b(?:constexpr|consteval|auto|decltype|template|requires)\b")
"""Heads of functions whose bodies their callers' types or constants rest on."""
_UNFINISHED: Final = late_pattern(rb"""["']|/\*""")
_BRACE: Final = late_pattern(rb"[{}]")
_BLANKS: Final = bytes(10 if byte == 10 else 32 for byte in range(256))


class TextEdit(NamedTuple):
    """Bytes ``begin`` to ``end`` of a text were replaced by others, ``added`` more of them, with
    ``lines`` more ends of lines."""

    begin: int
    end: int
    added: int
    lines: int

    def offset(self, before: int) -> int:
        """Where a place is now that lies outside of the edit."""
        return before if before <= self.begin else before + self.added

    def touches(self, begin: int, end: int) -> bool:
        """Whether a range of the text before reaches into the edit."""
        return begin < self.end and self.begin < end


def text_edit(before: bytes, after: bytes) -> TextEdit:
    """The shortest stretch of ``before`` without which both texts are the same."""
    size = min(len(before), len(after))
    begin = _common(before[:size], after[:size])
    rest = size - begin
    same = _common(before[len(before) - rest :][::-1], after[len(after) - rest :][::-1])
    end = len(before) - same
    added = len(after) - len(before)
    lines = after.count(b"\n", begin, end + added) - before.count(b"\n", begin, end)
    return TextEdit(begin=begin, end=end, added=added, lines=lines)


def _common(left: bytes, right: bytes) -> int:
    """Bytes that two texts of one length begin with alike."""
    low, high = 0, len(left)
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def is_own_world(body: bytes) -> bool:
    """Whether a text is one block, from brace to brace, that code outside of it does not see."""
    if body[:1] != b"{" or body[-1:] != b"}":
        return False
    text = PlainText(body).blanked
    if not _has_own_conditions(directives_of(body)):
        return False
    text = _DIRECTIVE.sub(lambda match: match[0].translate(_BLANKS), text)
    if _UNFINISHED.search(text) or _REACHING_OUT.search(text):
        return False
    depth = 0
    for brace in _BRACE.finditer(text):
        depth += 1 if brace[0] == b"{" else -1
        if depth == 0:
            return brace.end() == len(body)
    return False


def directives_of(body: bytes) -> list[bytes]:
    """The directives of a text, without comments and literals."""
    return [each[0].rstrip() for each in _DIRECTIVE.finditer(PlainText(body).blanked)]


def _has_own_conditions(directives: list[bytes]) -> bool:
    """Whether they are pragmas of statements, and conditions that end where they begin."""
    depth = 0
    for each in directives:
        condition = _CONDITION.match(each)
        if condition is None:
            if _STATEMENT_PRAGMA.match(each) is None:
                return False
            continue
        if b"__LINE__" in each:
            return False
        depth += (condition[1] is not None) - (condition[3] is not None)
        if depth < (condition[3] is None):
            return False
    return depth == 0


def has_deduced_parts(head: bytes) -> bool:
    """Whether what a function's callers see may rest on its body."""
    return _DEDUCED.search(head) is not None


def stands_alone(text: bytes, begin: int, end: int) -> bool:
    """Whether no other code stands on the first and the last line of a range of the text."""
    before = text[text.rfind(b"\n", 0, begin) + 1 : begin]
    line_end = text.find(b"\n", end)
    after = text[end : line_end if line_end >= 0 else len(text)].strip()
    return not set(before) & set(b";}{") and after[:1] in (b"", b"/", b";")


def moved_ranges(ranges: TextRanges | None, edit: TextEdit) -> TextRanges | None:
    """Ranges of the text where they are now; None where the edit reaches into one, or for None."""
    if ranges is None or any(edit.touches(*each) for each in ranges):
        return None
    return [(edit.offset(begin), edit.offset(end)) for begin, end in ranges]


def blank_ranges(text: bytes, ranges: TextRanges) -> bytes:
    """The text with the ranges replaced by blanks; ends of lines stay."""
    made = bytearray(text)
    for begin, end in ranges:
        made[begin:end] = text[begin:end].translate(_BLANKS)
    return bytes(made)

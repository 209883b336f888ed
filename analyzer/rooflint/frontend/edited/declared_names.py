"""Changes between the functions of a file: what they define, and whether anything speaks of it."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rooflint.frontend.edited.text_edits import TextEdit
from rooflint.frontend.parse.plain_text import PlainText
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

_PART: Final = rb"(?:[^;{}#]|\{(?:[^{}#]|\{[^{}#]*\})*\})"
_ITEM: Final = late_pattern(
    rb"\s*(#(?:[^\n\\]++|\\\r?\n|\\.)*+|%b*+[;}]|%b++|.)" % (_PART, _PART), re.DOTALL
)
"""A directive, or a declaration up to its end; of deeper braces a part."""
_MACRO: Final = late_pattern(rb"#[ \t]*define[ \t]+(\w+)((?:\([^()]*\))?)(.*)", re.DOTALL)
_RECORD: Final = late_pattern(
    rb"(typedef\s+)?(?:struct|union)\b\s*(\w*)\s*\{([^{}()=]*)\}\s*([\w\s,*]*);"
)
_ENUM: Final = late_pattern(
    rb"(typedef\s+)?enum\b(?:\s+class\b)?\s*(\w*)\s*\{([^{}]*)\}\s*(\w*)\s*;"
)
_TYPEDEF: Final = late_pattern(
    rb"typedef\s+(?!struct|union|enum)[\w\s*]*\b(\w+)\s*(?:\[\w*\]\s*)*;"
)
_WORD: Final = late_pattern(rb"\b[A-Za-z_]\w*")
_PIECE: Final = late_pattern(rb"\w+")
_PASTING: Final = b"##"
MOST_PIECES: Final = 4
"""Pieces that macros paste to one name: three is the most that is seen in practice. Names of single
letters are in every header, and a row of them makes any word."""
_RESERVED: Final = late_pattern(rb"__|_[A-Z]")
"""Names that the compiler and its library may ask for by themselves."""
_PLAIN_MACRO: Final = late_pattern(rb"[ \t]*+(?:\w|[ \t.+*/%()-])*+(?://.*|/\*.*)?\s*")
"""A macro that stands for a word or a number, so that a declaration stays what it seems to be."""
_DEFINED: Final = rb"#[ \t]*define[ \t]+(?:%b)\b([^\n]*)"


def line_edit(before: bytes, after: bytes, edit: TextEdit) -> TextEdit:
    """The same change of a text, where possible with whole lines that came or went.

    A change in front of what begins as it does may as well be said to lie inside of that.
    """
    if edit.begin < edit.end and edit.end - edit.begin + edit.added > 0:
        return edit
    text, size = (after, edit.added) if edit.added > 0 else (before, -edit.added)
    begin = edit.begin
    while begin > 0:
        begin -= 1
        if text[begin + size] != before[begin]:
            return edit
        if before[begin] == ord("\n"):
            break
    return edit._replace(begin=begin, end=begin + (edit.end - edit.begin))


class DeclarationChange(NamedTuple):
    """Declarations that differ between functions.

    begin, end  of the declarations in the text before
    names       that those before or those in their place define
    words       of those of them that are no macros
    """

    begin: int
    end: int
    names: frozenset[bytes]
    words: frozenset[bytes]


def changed_declarations(before: bytes, after: bytes) -> DeclarationChange | None:
    """How two stretches of text between functions differ; None where more than macros and types
    changed."""
    old, new = _items(before), _items(after)
    same = _same(old, new)
    behind = _same(old[same:][::-1], new[same:][::-1])
    gone, come = old[same : len(old) - behind], new[same : len(new) - behind]
    names: set[bytes] = set()
    for each in (*gone, *come):
        defined = _defined_names(each.text)
        if defined is None:
            return None
        names.update(defined)
    types = [each.text for each in (*gone, *come) if each.text[:1] != b"#"]
    begin = gone[0].begin if gone else 0
    return DeclarationChange(
        begin=begin,
        end=gone[-1].begin + len(gone[-1].text) if gone else begin,
        names=frozenset(names),
        words=frozenset(word for text in types for word in _WORD.findall(text)),
    )


class _Item(NamedTuple):
    text: bytes
    begin: int


def _items(text: bytes) -> list[_Item]:
    plain = PlainText(text)
    found = []
    for match in _ITEM.finditer(plain.blanked):
        item = plain.uncommented[slice(*match.span(1))].rstrip()
        if item:
            found.append(_Item(item, match.start(1)))
    return found


def _same(left: Sequence[_Item], right: Sequence[_Item]) -> int:
    """Items that two lists begin with alike."""
    pairs = enumerate(zip(left, right, strict=False))
    differ = (number for number, (one, other) in pairs if one.text != other.text)
    return next(differ, min(len(left), len(right)))


def _defined_names(item: bytes) -> Sequence[bytes] | None:
    """The names that a macro or a type brings into the file; None for anything else."""
    for read in (_macro_names, _record_names, _enum_names, _typedef_names):
        found = read(item)
        if found is not None:
            return None if any(map(_RESERVED.match, found)) else found
    return None


def _macro_names(item: bytes) -> list[bytes] | None:
    macro = _MACRO.fullmatch(item)
    if macro is None or b"#" in macro[3] or b"_Pragma" in macro[3]:
        return None
    return [macro[1]]


def _record_names(item: bytes) -> list[bytes] | None:
    record = _RECORD.fullmatch(item)
    if record is None or (record[4] and not record[1]):
        return None
    return [name for name in (record[2], *_WORD.findall(record[4])) if name]


def _enum_names(item: bytes) -> list[bytes] | None:
    enum = _ENUM.fullmatch(item)
    if enum is None or (enum[4] and not enum[1]):
        return None
    return [name for name in (enum[2], enum[4], *_WORD.findall(enum[3])) if name]


def _typedef_names(item: bytes) -> list[bytes] | None:
    found = _TYPEDEF.fullmatch(item)
    return None if found is None else [found[1]]


def is_spoken_of(names: frozenset[bytes], texts: Sequence[bytes]) -> bool:
    """Whether one of the texts has one of the names, or macros may paste one together."""
    if not names:
        return False
    named = re.compile(rb"\b(?:%b)\b" % b"|".join(sorted(names)))
    if any(map(named.search, texts)):
        return True
    if not any(_PASTING in text for text in texts):
        return False
    pieces = frozenset(piece for text in texts for piece in _PIECE.findall(text))
    return any(_is_joined(name, pieces) for name in names)


def _is_joined(name: bytes, pieces: frozenset[bytes]) -> bool:
    """Whether a name is a row of a few of these pieces."""
    ends = {0}
    for _ in range(MOST_PIECES):
        ends = {
            end
            for begin in ends
            for end in range(begin + 1, len(name) + 1)
            if name[begin:end] in pieces
        }
        if len(name) in ends:
            return True
    return False


def are_plain(words: frozenset[bytes], texts: Sequence[bytes]) -> bool:
    """Whether none of the words is a macro that makes more of a declaration than it seems to be."""
    waiting, seen = set(words), set(words)
    while waiting:
        defined = re.compile(_DEFINED % b"|".join(sorted(waiting)))
        waiting = set()
        for body in _bodies(defined, texts):
            if not _PLAIN_MACRO.fullmatch(body):
                return False
            waiting |= set(_WORD.findall(body)) - seen
        seen |= waiting
    return True


def _bodies(defined: re.Pattern[bytes], texts: Sequence[bytes]) -> Iterator[bytes]:
    for text in texts:
        yield from (match[1] for match in defined.finditer(text))

"""Declarations of static arrays, which stand outside of the functions that the IR has."""

from collections.abc import Sequence

from rooflint.ir import Span
from rooflint.source_edit.edits import EditableSource
from rooflint.source_edit.tokens import Token, closing_of

_OF_DECLARATORS = frozenset(", * + - [ ]".split())


def last_extent(text: EditableSource, array: str, rank: int) -> tuple[Span, str] | None:
    """Where a static array's declaration has its last extent, and what stands there.

    None where it is not declared in this file, or used otherwise than by ``rank`` subscripts: by a
    call, in ``sizeof``, through a pointer to its rows or to an element.
    """
    tokens = text.every_token
    extents: list[Sequence[Token]] = []
    for position, token in enumerate(tokens):
        if token.text != array:
            continue
        subscripts, behind = _subscripts(tokens, position + 1)
        before = _statement(tokens, position)
        is_declared = _is_static(text, before) and behind in (";", ",")
        if len(subscripts) != rank or (not is_declared and _is_address_or_size(before)):
            return None
        extents += subscripts[-1:] * is_declared
    words = [extent[0] for extent in extents if len(extent) == 1 and _is_word(extent[0])]
    if not words or len(extents) != 1:
        return None
    return text.span(words[0].start, words[0].end), words[0].text


def _subscripts(tokens: Sequence[Token], position: int) -> tuple[list[Sequence[Token]], str]:
    """The tokens in each pair of square brackets from ``position`` on, and what follows them."""
    found: list[Sequence[Token]] = []
    while position < len(tokens) and tokens[position].text == "[":
        closing = closing_of(tokens, position)
        if closing is None:
            break
        found.append(tokens[position + 1 : closing])
        position = closing + 1
    return found, tokens[position].text if position < len(tokens) else ""


def _statement(tokens: Sequence[Token], position: int) -> Sequence[Token]:
    """The tokens before ``position`` in its statement."""
    begin = position
    while begin and tokens[begin - 1].text not in (";", "{", "}"):
        begin -= 1
    return tokens[begin:position]


def _is_address_or_size(before: Sequence[Token]) -> bool:
    """Whether tokens end in ``&``, ``sizeof`` or ``sizeof (``."""
    last = [token.text for token in before[-2:]]
    return last[-1:] in (["&"], ["sizeof"]) or last == ["sizeof", "("]


def _is_static(text: EditableSource, before: Sequence[Token]) -> bool:
    """Whether tokens are ``static``, a type and other declarators, behind directives only."""
    words = [token.text for token in before]
    if "static" not in words:
        return False
    start = words.index("static")
    above = text.blank[before[0].start : before[start].start]
    directives = all(line.lstrip()[:1] in (b"", b"#") for line in above.splitlines())
    rest = before[start + 1 :]
    return directives and all(_is_word(t) or t.text in _OF_DECLARATORS for t in rest)


def _is_word(token: Token) -> bool:
    return token.text.replace("_", "a").isalnum()

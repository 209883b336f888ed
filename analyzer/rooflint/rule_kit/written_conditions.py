"""Conditions of a loop as its text has them, where no node of the IR evaluates them.

An integer that is only copied needs no statement, and the branch around it none either.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from rooflint.ir import Span
from rooflint.source_edit.edits import EditableSource
from rooflint.source_edit.tokens import Token, closing_of

_OTHERS: Final = frozenset(("[", ".", "->", "*", "(", "%"))
"""Tokens of expressions that read memory, call a function, or hold at intervals."""


def asks_index(text: str, loop: Span, place: Span, indices: Collection[str]) -> bool:
    """Whether code at ``place`` in a loop runs under a condition on its ``indices``, as
    ``if (i == n - 1)``, that reads no data: it may hold in one iteration."""
    code = EditableSource(text)
    tokens = code.tokens(loop)
    start = code.offset(place.line, place.column)
    return any(
        not _names_in(condition).isdisjoint(indices) and _OTHERS.isdisjoint(map(_text, condition))
        for condition, first, end in _branches(tokens)
        if first <= start < end
    )


def _names_in(condition: Sequence[Token]) -> frozenset[str]:
    """The names in a condition."""
    return frozenset(each.text for each in condition if each.is_name)


def _text(token: Token) -> str:
    return token.text


def _branches(tokens: Sequence[Token]) -> Iterator[tuple[Sequence[Token], int, int]]:
    """The conditions of all ``if``, and where the code that they decide about begins and ends."""
    for position, token in enumerate(tokens[:-1]):
        if token.text == "if" and tokens[position + 1].text == "(":
            closing = closing_of(tokens, position + 1)
            if closing is not None and closing + 1 < len(tokens):
                end = _end_of_paths(tokens, closing + 1)
                yield tokens[position + 2 : closing], tokens[closing + 1].start, end


def _end_of_paths(tokens: Sequence[Token], first: int) -> int:
    """Where the statement at a position ends, with the one behind ``else``."""
    last = _last_of_statement(tokens, first)
    while last + 1 < len(tokens) and tokens[last + 1].text == "else":
        last = _last_of_statement(tokens, last + 2)
    return tokens[min(last, len(tokens) - 1)].end


def _last_of_statement(tokens: Sequence[Token], first: int) -> int:
    """The position of the last token of a block, or of a statement up to its semicolon."""
    if first < len(tokens) and tokens[first].text == "{":
        closing = closing_of(tokens, first)
        return len(tokens) - 1 if closing is None else closing
    following = range(first, len(tokens))
    return next((each for each in following if tokens[each].text == ";"), len(tokens) - 1)

"""Loop keywords of a C or C++ text, by a lexer that shares nothing with the front end.

It exists to check the front end: comments, strings, raw strings, character literals and continued
lines are told apart token by token, macro bodies are kept apart, and the ``while`` that ends a
``do`` is found by reading the ``do``'s body as a statement.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

_SPLICE = re.compile(r"\\[ \t]*\r?\n")
_TOKEN = re.compile(
    r"""
      (?P<blank>[ \t\f\v\r]+)
    | (?P<newline>\n)
    | (?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
    | (?P<literal>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"?|(?:u8|[uUL])?'(?:\\.|[^'\\\n])*'?)
    | (?P<word>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)
    | (?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z_]|[\w.])*)
    | (?P<other>.)
    """,
    re.DOTALL | re.VERBOSE | re.ASCII,
)
_LOOPS = ("for", "while", "do")
_OPEN, _CLOSE = "([{", ")]}"


class Keyword(NamedTuple):
    """One loop keyword: its place (columns in bytes, from 1) and whether a macro body holds it."""

    word: str
    line: int
    column: int
    in_macro: bool


class _Token(NamedTuple):
    text: str
    offset: int
    in_macro: bool = False


def loop_keywords(data: bytes, skipped: Sequence[tuple[int, int]] = ()) -> list[Keyword]:
    """Every loop of the text outside the ``skipped`` byte ranges (what ``#if`` leaves out)."""
    tokens = [t for t in _tokens(data) if not any(b <= t.offset < e for b, e in skipped)]
    kept = code_loops([token for token in tokens if not token.in_macro])
    kept += code_loops([token for token in tokens if token.in_macro])
    starts = [0, *(match.end() for match in re.finditer(rb"\n", data))]
    return [
        Keyword(token.text, line, token.offset - starts[line - 1] + 1, token.in_macro)
        for token in sorted(kept, key=lambda token: token.offset)
        for line in [bisect_right(starts, token.offset)]
    ]


def _tokens(data: bytes) -> list[_Token]:
    """Tokens outside directives, and those of ``#define`` lines; one byte is one character."""
    joined, places = _spliced(data.decode("latin-1"))
    found: list[_Token] = []
    directive: list[_Token] | None = None
    fresh_line = True
    for match in _TOKEN.finditer(joined):
        kind = match.lastgroup if match.lastgroup != "mark" else "raw"
        if kind in ("blank", "comment"):
            continue
        if kind == "newline":
            found += _macro_body(directive)
            directive, fresh_line = None, True
            continue
        token = _Token(
            match[0] if kind in ("word", "other") else "", _original(match.start(), places)
        )
        if fresh_line and token.text == "#":
            directive = []
        elif directive is not None:
            directive.append(token)
        else:
            found.append(token)
        fresh_line = False
    return found + _macro_body(directive)


def _spliced(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with continued lines joined, and (position there, position here) after each join."""
    parts: list[str] = []
    places = [(0, 0)]
    begin = length = 0
    for match in _SPLICE.finditer(text):
        parts.append(text[begin : match.start()])
        length += match.start() - begin
        begin = match.end()
        places.append((length, begin))
    parts.append(text[begin:])
    return "".join(parts), places


def _original(position: int, places: list[tuple[int, int]]) -> int:
    joined, own = places[bisect_right(places, (position, 1 << 60)) - 1]
    return own + position - joined


def _macro_body(directive: list[_Token] | None) -> list[_Token]:
    if not directive or directive[0].text != "define":
        return []
    return [token._replace(in_macro=True) for token in directive[2:]]


def code_loops(code: list[_Token]) -> list[_Token]:
    """Tokens that begin a loop statement."""
    closing: set[int] = set()
    for place, token in enumerate(code):
        if token.text == "do":
            end = _after_statement(code, place + 1, closing)
            if end < len(code) and code[end].text == "while":
                closing.add(end)
    return [t for place, t in enumerate(code) if t.text in _LOOPS and place not in closing]


def _after_statement(code: list[_Token], place: int, closing: set[int]) -> int:
    """The place behind the statement that begins at ``place``."""
    while place < len(code):
        word = code[place].text
        if word == "{":
            return _after_brackets(code, place)
        if word in ("for", "while", "switch", "if"):
            place += 1
            while place < len(code) and code[place].text in ("constexpr", "consteval", "!"):
                place += 1
            place = _after_brackets(code, place)
            if word != "if":
                continue
            place = _after_statement(code, place, closing)
            if place >= len(code) or code[place].text != "else":
                return place
            place += 1
            continue
        if word == "do":
            place = _after_statement(code, place + 1, closing)
            closing.add(place)
            return _after_brackets(code, place + 1) + 1
        while place < len(code) and code[place].text != ";":
            if code[place].text in _CLOSE and code[place].text:
                return place
            is_open = code[place].text in _OPEN and code[place].text
            place = _after_brackets(code, place) if is_open else place + 1
        return place + 1
    return place


def _after_brackets(code: list[_Token], place: int) -> int:
    """The place behind the bracket that closes the one at ``place``."""
    depth = 0
    while place < len(code):
        text = code[place].text
        if text:
            depth += (text in _OPEN) - (text in _CLOSE)
        place += 1
        if depth <= 0:
            return place
    return place

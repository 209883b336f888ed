"""Tokens of C and C++ text: where an edit has to look at code that the IR has no place for."""

from collections.abc import Iterator, Sequence
from typing import Final

from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

_TOKEN: Final = late_pattern(
    r"[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.'])*|->|\+\+|--|::|&&|\|\||(?:<<|>>|[-+*/%&|^=!<>])="
    r"|<<|>>|\S"
)
ASSIGNMENTS: Final = frozenset("= += -= *= /= %= &= |= ^= <<= >>=".split())
STEPS: Final = frozenset(("++", "--"))
_OPENING: Final = {"(": ")", "[": "]"}


class Token(NamedTuple):
    """A token and the offsets where it begins and ends."""

    text: str
    start: int
    end: int

    @property
    def is_name(self) -> bool:
        """Whether it is an identifier or a keyword."""
        return self.text[0].isalpha() or self.text[0] == "_"


class CallText(NamedTuple):
    """A call as it is written: the function's name, the arguments, where the call ends."""

    name: Token
    arguments: tuple[tuple[Token, ...], ...]
    end: int


def tokens_of(code: str, start: int = 0) -> list[Token]:
    """The tokens of ``code``, which has no comments; ``start`` is the offset of its beginning."""
    return [
        Token(match[0], start + match.start(), start + match.end())
        for match in _TOKEN.finditer(code)
    ]


def words_before(code: str, name: str) -> Iterator[list[Token]]:
    """The tokens of a statement before each ``name (`` of ``code``, which has no comments.

    Only those statements are read, so it takes no longer than the search for the name.
    """
    position = code.find(name)
    while position >= 0:
        end = position + len(name)
        if _is_whole(code, position, end) and _next(code, end) == "(":
            start = max(code.rfind(mark, 0, position) for mark in ";{}") + 1
            yield tokens_of(code[start:position], start)
        position = code.find(name, end)


def _next(code: str, position: int) -> str:
    while code[position : position + 1].isspace():
        position += 1
    return code[position : position + 1]


def _is_whole(code: str, start: int, end: int) -> bool:
    around = code[max(0, start - 1) : start] + code[end : end + 1]
    return not any(each.isalnum() or each == "_" for each in around)


def top_level(tokens: Sequence[Token]) -> list[Token]:
    """``tokens`` with one ``0`` in place of each group in round or square brackets."""
    found: list[Token] = []
    depth = 0
    for token in tokens:
        if token.text in _OPENING:
            if depth == 0:
                found.append(token._replace(text="0"))
            depth += 1
        elif token.text in _OPENING.values():
            depth -= 1
        elif depth == 0:
            found.append(token)
    return found


def split(tokens: Sequence[Token], separator: str) -> list[tuple[Token, ...]]:
    """The runs of tokens between separators that stand in no brackets."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in "([{") - (token.text in ")]}")
        if depth == 0 and token.text == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return [tuple(part) for part in parts]


def calls_of(tokens: Sequence[Token], name: str) -> Iterator[CallText]:
    """The calls of a function by its plain name: ``std::sqrt`` is another one."""
    for position, token in enumerate(tokens[:-1]):
        qualified = position > 0 and tokens[position - 1].text == "::"
        if token.text != name or tokens[position + 1].text != "(" or qualified:
            continue
        closing = closing_of(tokens, position + 1)
        if closing is not None:
            inside = tokens[position + 2 : closing]
            yield CallText(token, tuple(split(inside, ",")), tokens[closing].end)


def closing_of(tokens: Sequence[Token], opening: int) -> int | None:
    """The position of the bracket that closes the one at ``opening``; None where none does."""
    depth = 0
    for position in range(opening, len(tokens)):
        depth += (tokens[position].text in "([{") - (tokens[position].text in ")]}")
        if depth == 0:
            return position
    return None


def assigned_names(tokens: Sequence[Token]) -> set[str]:
    """Plain variables that code sets: members behind a dot and elements of arrays are none."""
    found: set[str] = set()
    for before, token, after in zip(_shifted(tokens, -1), tokens, _shifted(tokens, 1), strict=True):
        if token.is_name and before != ".":
            sets = after in ASSIGNMENTS or after in STEPS
            if sets or before in STEPS:
                found.add(token.text)
    return found


def _shifted(tokens: Sequence[Token], by: int) -> Iterator[str]:
    """The text of each token's neighbour; empty where there is none."""
    for position in range(by, len(tokens) + by):
        yield tokens[position].text if 0 <= position < len(tokens) else ""


def plain_names(tokens: Sequence[Token]) -> set[str]:
    """The names that stand alone or lead to a member: ``p`` of ``p.x``."""
    before = _shifted(tokens, -1)
    return {t.text for t, left in zip(tokens, before, strict=True) if t.is_name and left != "."}


def is_double_literal(spelling: str) -> bool:
    """Whether a literal is a decimal number with a point or an exponent, and without a suffix."""
    ends_plainly = spelling[-1:].isdigit() or spelling.endswith(".")
    if not ends_plainly or not (spelling[0].isdigit() or spelling[0] == "."):
        return False
    return set(spelling) <= _OF_DECIMALS and not {".", "e", "E"}.isdisjoint(spelling)


_OF_DECIMALS: Final = frozenset("0123456789'.eE+-")


def words_in(name: str) -> list[str]:
    """The words of an identifier in small letters: ``get_RNGState`` has get, rng and state."""
    words = [""]
    for position, letter in enumerate(name):
        before, after = name[position - 1 : position], name[position + 1 : position + 2]
        if letter.isupper() and (before.islower() or after.islower()):
            words.append("")
        if letter.isalpha():
            words[-1] += letter.lower()
        else:
            words.append("")
    return [word for word in words if word]


def takes_directives(header: Sequence[Token]) -> bool:
    """Whether a loop's header has the form that OpenMP shares out (5.2, 4.4.1), no more in it.

    One variable is set, compared with something, and moved, each in its own part of the header.
    """
    if not header or header[0].text != "for":
        return False
    parts = [top_level(part) for part in split(header[2:-1], ";")]
    words = [[token.text for token in part] for part in parts]
    if len(parts) == 1:
        return ":" in words[0]
    if len(parts) != 3 or any("," in part for part in words):
        return False
    index = _begun(parts[0])
    return _is_compared(words[1], index) and _is_moved(words[2], index)


_OF_TYPES: Final = frozenset(("::", "<", ">", "*", "&"))
_COMPARISONS: Final = frozenset(("<", "<=", ">", ">=", "!="))


def _begun(part: Sequence[Token]) -> str:
    """The variable that ``int i = 0`` or ``i = 0`` sets; empty where it is none of these."""
    equals = next((n for n, token in enumerate(part) if token.text == "="), 0)
    target = part[:equals]
    if not target or not target[0].is_name or not target[-1].is_name:
        return ""
    plain = all(token.is_name or token.text in _OF_TYPES for token in target)
    return target[-1].text if plain else ""


def _is_compared(test: list[str], index: str) -> bool:
    signs = [n for n, text in enumerate(test) if text in _COMPARISONS]
    if len(signs) != 1 or not index:
        return False
    left, right = test[: signs[0]], test[signs[0] + 1 :]
    return [index] in (left, right) and not any(map(_has_effects, [*left, *right]))


def _has_effects(text: str) -> bool:
    return text in STEPS or text in ("<<", ">>") or not {"&", "|", "="}.isdisjoint(text)


def _is_moved(move: list[str], index: str) -> bool:
    if len(move) == 2 and index in move:
        return not STEPS.isdisjoint(move)
    if len(move) < 3 or move[0] != index:
        return False
    return move[1] in ("+=", "-=") or (move[1] == "=" and index in move[2:])

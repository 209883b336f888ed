"""The edit that stores always and counts by a condition, in place of a branch that appends."""

from collections.abc import Sequence
from itertools import chain, count, pairwise

from rooflint.ir import Span
from rooflint.plugin_api.advice import Edit
from rooflint.source_edit.edits import EditableSource, replace
from rooflint.source_edit.tokens import ASSIGNMENTS, STEPS, Token, closing_of, tokens_of

_UNWANTED = frozenset(("&&", "||", "?", ",", "else", "#")) | ASSIGNMENTS | STEPS
"""In a condition: a branch of its own, or more than a value."""
_CHANGES = STEPS | ASSIGNMENTS - {"="}


def packed_edits(
    text: EditableSource, branch: Span, end: str, *, compares: bool
) -> tuple[Edit, ...]:
    """The branch with the text ``branch`` as a block that stores and adds the condition to ``end``.

    compares  whether the condition is a comparison, whose value is 0 or 1

    Empty where the condition has branches of its own or calls something, or where the branch does
    not move ``end`` by exactly one ``++``.
    """
    start = text.offset(branch.line, branch.column)
    code = _statement(text, start)
    closing = closing_of(code, 1) if code else None
    if closing is None or _branches(code[2:closing]):
        return ()
    stored = _stored(text, code[closing + 1 :], end)
    if not stored:
        return ()
    name = _free_name(text)
    condition = _source(text, code[2].start, code[closing - 1].end)
    value = condition if compares else f"({condition}) != 0"
    own = text.indent(branch.line)
    lines = (f"const int {name} = {value};", *stored, f"{end} += {name};")
    block = "{" + "".join([f"\n{own}  {line}" for line in lines]) + f"\n{own}}}"
    return (replace(text.span(start, code[-1].end), block),)


def _free_name(text: EditableSource) -> str:
    names = chain(("kept",), (f"kept{k}" for k in count(2)))
    return next(each for each in names if each not in text.every_name)


def _statement(text: EditableSource, start: int) -> list[Token]:
    """The tokens of an ``if``, up to the end of its statement; empty where it has an ``else``."""
    opening = text.blank.find(b"(", start)
    closing = text.closing(opening) if opening > 0 else None
    if closing is None or text.blank[start:opening].strip() != b"if":
        return []
    end = _end_of(text, closing + 1)
    if end is None:
        return []
    code = tokens_of(text.blank[start : end + 1].decode("latin-1"), start)
    rest = text.blank[end + 1 :].lstrip()
    return [] if rest.startswith(b"else") or any(t.text == "else" for t in code) else code


def _end_of(text: EditableSource, start: int) -> int | None:
    """Where the statement ends that begins behind ``start``: at its brace or semicolon."""
    body = len(text.blank) - len(text.blank[start:].lstrip())
    if text.blank[body : body + 1] == b"{":
        return text.closing(body)
    end = text.blank.find(b";", body)
    return end if end >= 0 else None


def _branches(condition: Sequence[Token]) -> bool:
    calls = any(one.is_name and two.text == "(" for one, two in pairwise(condition))
    return calls or any(token.text in _UNWANTED for token in condition)


def _stored(text: EditableSource, body: Sequence[Token], end: str) -> list[str]:
    """The statements of a branch without the step of ``end``; empty where it is not one ``++``."""
    inside = list(body[1:-1] if body[0].text == "{" else body)
    texts = [token.text for token in inside]
    changes = [k for k, each in enumerate(texts) if each in _CHANGES]
    if len(changes) != 1 or texts[changes[0]] != "++" or "{" in texts:
        return []
    gone = _step(texts, changes[0], [token.text for token in tokens_of(end)])
    return _lines(text, inside, gone) if gone else []


def _step(texts: list[str], step: int, end: list[str]) -> range:
    """The tokens that step a variable, its name too where they are a statement of their own.

    Empty where the one at ``step`` steps another variable, or before its use.
    """
    size = len(end)
    behind = texts[max(0, step - size) : step] == end
    if not behind and texts[step + 1 : step + 1 + size] != end:
        return range(0)
    first, last = (step - size, step) if behind else (step, step + size)
    if texts[last + 1 : last + 2] == [";"] and texts[:first][-1:] in ([], [";"]):
        return range(first, last + 2)
    return range(step, step + 1) if behind else range(0)


def _lines(text: EditableSource, tokens: Sequence[Token], gone: range) -> list[str]:
    """The statements as they are written, without the tokens at ``gone``."""
    lines, own = [], ""
    previous = tokens[0].start
    for number, token in enumerate(tokens):
        if number in gone:
            previous = token.end
            continue
        own += _source(text, previous, token.end)
        previous = token.end
        if token.text == ";":
            lines.append(" ".join(own.split()))
            own = ""
    return lines


def _source(text: EditableSource, start: int, end: int) -> str:
    return text.bytes[start:end].decode("utf-8", "surrogateescape")

"""Edits that copy values into local variables before a loop and use the copies in it."""

from collections.abc import Iterator, Sequence
from itertools import count

from rooflint.ir import Span
from rooflint.plugin_api.advice import Edit
from rooflint.records import NamedTuple
from rooflint.source_edit.edits import EditableSource, replace
from rooflint.source_edit.tokens import Token, tokens_of

_LEADS_ON = frozenset((".", "->", "::", "&"))
"""Before an expression: it is part of another one, or its address is taken."""
_LEADS_IN = frozenset((".", "->", "::", "(", "++", "--"))
"""Behind an expression: more than its value is meant."""
_ENDS = (b";", b"{", b"}")
"""What a declaration may follow, where code precedes it."""


class LocalCopy(NamedTuple):
    """A value that is to be copied: as C writes it, such as ``im->w``, and its type in C."""

    expression: str
    type: str

    def declaration(self, name: str) -> str:
        """The copy as a declaration."""
        space = "" if self.type.endswith("*") else " "
        return f"{self.type}{space}{name} = {self.expression};"


def copy_edits(text: EditableSource, loop: Span, copies: Sequence[LocalCopy]) -> tuple[Edit, ...]:
    """Declarations of the copies above the loop with the text ``loop``, and their uses in it.

    Empty where the loop is no statement of a block, so that declarations would change what it
    belongs to, or where an expression is not found as a value in it.
    """
    start = text.offset(loop.line, loop.column)
    if not text.blank[:start].rstrip().endswith(_ENDS) or text.header(loop) is None:
        return ()
    taken = set(text.every_name)
    tokens = text.tokens(loop)
    above, inside = [], []
    for copy in copies:
        name = _free_name(copy.expression, taken)
        taken.add(name)
        places = list(_places(tokens, copy.expression))
        if not places:
            return ()
        above.append(copy.declaration(name))
        inside += [replace(text.span(*place), name) for place in places]
    lines = f"\n{text.indent(loop.line)}".join(above)
    return (text.line_before(loop, lines), *sorted(inside))


def _free_name(expression: str, taken: set[str]) -> str:
    """``im_w`` for ``im->w``, with a number where the file has that name already."""
    words = [token.text for token in tokens_of(expression) if token.is_name]
    own = "_".join(words if len(words) > 1 else (*words, "copy"))
    if own not in taken:
        return own
    return next(name for k in count(2) if (name := f"{own}{k}") not in taken)


def _places(tokens: Sequence[Token], expression: str) -> Iterator[tuple[int, int]]:
    """Where ``expression`` stands as a value: the offsets of its ends."""
    wanted = [token.text for token in tokens_of(expression)]
    texts = [token.text for token in tokens]
    for first in range(len(texts) - len(wanted) + 1):
        behind = first + len(wanted)
        if texts[first:behind] != wanted:
            continue
        before = texts[first - 1] if first else ""
        after = texts[behind] if behind < len(texts) else ""
        if before not in _LEADS_ON and after not in _LEADS_IN:
            yield tokens[first].start, tokens[behind - 1].end

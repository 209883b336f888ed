"""Loops of a nest put in another order in the text."""

import re
from collections.abc import Sequence, Set
from itertools import permutations
from typing import Final

from rooflint.facts import as_written
from rooflint.ir import Loop, Span
from rooflint.plugin_api.advice import Edit, Fix, Safety
from rooflint.plugin_api.rule import RuleContext
from rooflint.source_edit.edits import Text, body_of, replace

_NAME: Final = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_ASSIGNED: Final = re.compile(
    r"(?<![\w.\])])([A-Za-z_]\w*)\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*(\w+)"
)


def reordered(context: RuleContext, chain: Sequence[Loop], order: Sequence[str]) -> Fix:
    """The headers of a perfect nest in the order of their indices.

    Without edits where one depends on another, or is not plain source; unsafe where an index lives
    on behind the loops, with another value then.
    """
    title = f"order {', '.join(map(as_written, order))}"
    text = Text(context.text)
    written = _headers(context, text, chain)
    if written is None:
        return Fix("sketch", title)
    edits: list[Edit] = []
    for loop, index in zip(chain, order, strict=True):
        after = written[index]
        if after != written[loop.index]:
            header = text.header(context.source.spans[loop.origin])
            assert header is not None
            edits.append(replace(header, after))
    return Fix(_safety(context, text, chain), title, tuple(edits))


def apart(context: RuleContext, outer: Loop, inner: Loop, title: str) -> Fix:
    """``inner`` with ``outer`` inside it, in a nest of its own: what stands before and behind it in
    ``outer`` gets a copy of that loop. Otherwise as ``reordered``.

    Without edits, too, where one of the three parts sets a variable that another uses.
    """
    text, spans = Text(context.text), context.source.spans
    written = _headers(context, text, (outer, inner))
    whole, nest = spans[outer.origin], spans[inner.origin]
    body, own = body_of(text, whole), body_of(text, nest)
    if written is None or body is None or own is None or not body.braced:
        return Fix("sketch", title)
    begin = text.offset(nest.line, nest.column)
    ranges = (body.start, begin), (own.start, own.end), (own.behind, body.end)
    code = [text.blank[start:end].decode("latin-1") for start, end in ranges]
    position = next(n for n, node in enumerate(outer.body) if node is inner)
    there = (position > 0, True, position + 1 < len(outer.body))
    unseen = [bool(part.strip()) for part in code] != list(there)
    lost = text.bytes[begin : own.start] != text.blank[begin : own.start]
    own_names = [_declared(context, text.span(*each)) for each in ranges]
    tied = any(
        _tied(one, names, other)
        for (one, names), (other, _) in permutations(zip(code, own_names, strict=True), 2)
    )
    if unseen or lost or "#" in "".join(code) or tied:
        return Fix("sketch", title)
    before, moved, behind = [
        text.bytes[start:end].decode("utf-8", "surrogateescape").rstrip() for start, end in ranges
    ]
    depth, inside = text.indent(whole.line), text.inside(whole, body)
    header = written[outer.index]
    new = f"{written[inner.index]}\n{inside}{header}"
    if own.braced:
        new += f" {{{moved}\n{inside}}}"
    else:
        line = text.place(own.start)[0]
        new += f"\n{text.indent(line) if line > nest.line else f'{inside}  '}{moved}"
    if there[0]:
        new = f"{header} {{{before}\n{depth}}}\n{depth}{new}"
    elif before:
        new = f"{before.strip()}\n{depth}{new}"
    if behind:
        new += f"\n{depth}"
        new += f"{header} {{{behind}\n{depth}}}" if there[2] else behind.strip()
    start = text.offset(whole.line, whole.column)
    alone = text.bytes[:start].rstrip()
    if not text.blank[:start].rstrip().endswith((b";", b"{", b"}")):
        # it was the only statement of a loop around it
        new = f"{{\n{depth}{new}\n"
        if alone.endswith(b")"):
            start, new = len(alone), f" {new}"
        new += f"{text.indent(text.place(len(alone) - 1)[0])}}}"
    safety = _safety(context, text, (outer, inner))
    return Fix(safety, title, (replace(text.span(start, body.behind), new),))


def _headers(context: RuleContext, text: Text, chain: Sequence[Loop]) -> dict[str, str] | None:
    """Headers of loops as written, by index; None where one needs another's index, is no plain
    source, or counts another variable along."""
    indices = {loop.index for loop in chain}
    tied = any(indices & (loop.lower.names() | loop.upper.names()) for loop in chain)
    if tied or any(loop.extra_inductions for loop in chain):
        return None
    headers = [text.header(context.source.spans[loop.origin]) for loop in chain]
    written = {
        loop.index: text.within(header)
        for loop, header in zip(chain, headers, strict=True)
        if header is not None
    }
    return written if len(written) == len(chain) else None


def _tied(one: str, declared: Set[str], other: str) -> bool:
    """Whether one piece of code sets or declares a plain variable that the other names."""
    set_here = {name for found in _ASSIGNED.findall(one) for name in found}
    return not (set_here | declared).isdisjoint(_NAME.findall(other))


def _declared(context: RuleContext, span: Span) -> Set[str]:
    return {each.spelling for _, each in context.source.declared_in(span)}


def _safety(context: RuleContext, text: Text, chain: Sequence[Loop]) -> Safety:
    """Whether all indices are the loops' own: others have another value behind them."""
    for loop in chain:
        header = text.header(context.source.spans[loop.origin])
        if header is None or loop.index.partition("'")[0] not in _declared(context, header):
            return "unsafe"
    return "safe"

"""Loops of a nest put in another order in the text."""

from collections.abc import Sequence
from itertools import permutations

from rooflint.facts import as_written
from rooflint.ir import Loop, Span
from rooflint.plugin_api.advice import Edit, Fix, Safety
from rooflint.plugin_api.rule import RuleContext
from rooflint.records import NamedTuple
from rooflint.source_edit.edits import EditableSource, LoopBody, body_of, replace
from rooflint.source_edit.tokens import assigned_names, plain_names


def reordering_fix(context: RuleContext, chain: Sequence[Loop], order: Sequence[str]) -> Fix:
    """The headers of a perfect nest in the order of their indices.

    Without edits where one depends on another, or is not plain source; unsafe where an index lives
    on behind the loops, with another value then.
    """
    title = f"order {', '.join(map(as_written, order))}"
    text = EditableSource(context.text)
    headers = _headers(context, text, chain)
    if headers is None:
        return Fix("sketch", title)
    edits: list[Edit] = []
    for loop, index in zip(chain, order, strict=True):
        after = headers[index]
        if after != headers[loop.index]:
            span = text.header(context.source.spans[loop.origin])
            assert span is not None
            edits.append(replace(span, after))
    return Fix(_safety(context, text, chain), title, tuple(edits))


def distribution_fix(context: RuleContext, outer: Loop, inner: Loop, title: str) -> Fix:
    """``inner`` with ``outer`` inside it, in a nest of its own: what stands before and behind it in
    ``outer`` gets a copy of that loop. Otherwise as ``reordered``.

    Without edits, too, where one of the three parts sets a variable that another uses.
    """
    text, spans = EditableSource(context.text), context.source.spans
    headers = _headers(context, text, (outer, inner))
    parts = _parts(text, spans[outer.origin], spans[inner.origin])
    if headers is None or parts is None or not _is_separable(context, text, parts, outer, inner):
        return Fix("sketch", title)
    new = _distributed(text, parts, headers[outer.index], headers[inner.index], outer, inner)
    start, new = _in_block(text, parts.whole, new)
    safety = _safety(context, text, (outer, inner))
    return Fix(safety, title, (replace(text.span(start, parts.body.behind), new),))


class _LoopParts(NamedTuple):
    """A loop's text cut around an inner loop; ``before``, ``inside``, ``behind`` are offsets."""

    whole: Span
    nest: Span
    body: LoopBody
    own: LoopBody
    before: tuple[int, int]
    inside: tuple[int, int]
    behind: tuple[int, int]

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        return self.before, self.inside, self.behind


def _parts(text: EditableSource, whole: Span, nest: Span) -> _LoopParts | None:
    """The parts of the loop at ``whole``; None where it is not plain source, in braces."""
    body, own = body_of(text, whole), body_of(text, nest)
    if body is None or own is None or not body.braced:
        return None
    return _LoopParts(
        whole=whole,
        nest=nest,
        body=body,
        own=own,
        before=(body.start, text.offset(nest.line, nest.column)),
        inside=(own.start, own.end),
        behind=(own.behind, body.end),
    )


def _surroundings(outer: Loop, inner: Loop) -> tuple[bool, bool]:
    """Whether the IR has nodes before and behind ``inner`` in ``outer``."""
    position = next(n for n, node in enumerate(outer.body) if node is inner)
    return position > 0, position + 1 < len(outer.body)


def _is_separable(
    context: RuleContext, text: EditableSource, parts: _LoopParts, outer: Loop, inner: Loop
) -> bool:
    before, behind = _surroundings(outer, inner)
    code = [text.blank[start:end].decode("latin-1") for start, end in parts.ranges]
    header = slice(parts.before[1], parts.own.start)
    if [bool(part.strip()) for part in code] != [before, True, behind] or "#" in "".join(code):
        return False
    if text.bytes[header] != text.blank[header]:
        return False
    return _are_independent(context, text, [text.span(*each) for each in parts.ranges])


def _are_independent(context: RuleContext, text: EditableSource, spans: Sequence[Span]) -> bool:
    tokens = [text.tokens(span) for span in spans]
    made = [
        assigned_names(own) | {each.spelling for _, each in context.source.declared_in(span)}
        for own, span in zip(tokens, spans, strict=True)
    ]
    used = [plain_names(own) for own in tokens]
    return all(
        made[one].isdisjoint(used[other]) for one, other in permutations(range(len(spans)), 2)
    )


def _distributed(
    text: EditableSource,
    parts: _LoopParts,
    header: str,
    inner_header: str,
    outer: Loop,
    inner: Loop,
) -> str:
    has_before, has_behind = _surroundings(outer, inner)
    before, moved, behind = [
        text.bytes[start:end].decode("utf-8", "surrogateescape").rstrip()
        for start, end in parts.ranges
    ]
    depth, inside = text.indent(parts.whole.line), text.inside(parts.whole, parts.body)
    new = f"{inner_header}\n{inside}{header}"
    if parts.own.braced:
        new += f" {{{moved}\n{inside}}}"
    else:
        line = text.place(parts.own.start)[0]
        new += f"\n{text.indent(line) if line > parts.nest.line else f'{inside}  '}{moved}"
    if has_before:
        new = f"{header} {{{before}\n{depth}}}\n{depth}{new}"
    elif before:
        new = f"{before.strip()}\n{depth}{new}"
    if behind:
        new += f"\n{depth}"
        new += f"{header} {{{behind}\n{depth}}}" if has_behind else behind.strip()
    return new


def _in_block(text: EditableSource, whole: Span, new: str) -> tuple[int, str]:
    start = text.offset(whole.line, whole.column)
    if text.blank[:start].rstrip().endswith((b";", b"{", b"}")):
        return start, new
    depth, alone = text.indent(whole.line), text.bytes[:start].rstrip()
    new = f"{{\n{depth}{new}\n"
    if alone.endswith(b")"):
        start, new = len(alone), f" {new}"
    return start, f"{new}{text.indent(text.place(len(alone) - 1)[0])}}}"


def _headers(
    context: RuleContext, text: EditableSource, chain: Sequence[Loop]
) -> dict[str, str] | None:
    """Headers of loops as written, by index; None where one needs another's index, is no plain
    source, or counts another variable along."""
    indices = {loop.index for loop in chain}
    tied = any(indices & (loop.lower.names() | loop.upper.names()) for loop in chain)
    if tied or any(loop.extra_inductions for loop in chain):
        return None
    spans = [text.header(context.source.spans[loop.origin]) for loop in chain]
    headers = {
        loop.index: text.within(span)
        for loop, span in zip(chain, spans, strict=True)
        if span is not None
    }
    return headers if len(headers) == len(chain) else None


def _safety(context: RuleContext, text: EditableSource, chain: Sequence[Loop]) -> Safety:
    for loop in chain:
        header = text.header(context.source.spans[loop.origin])
        own = context.source.declared_in(header) if header is not None else ()
        if loop.index.partition("'")[0] not in {each.spelling for _, each in own}:
            return "unsafe"
    return "safe"

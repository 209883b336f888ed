"""Loops of a nest put in another order in the text."""

from collections.abc import Sequence
from itertools import pairwise, permutations

from rooflint.facts import as_written
from rooflint.ir import Loop, Span
from rooflint.plugin_api.advice import Edit, Fix, Safety
from rooflint.plugin_api.rule import RuleContext
from rooflint.records import NamedTuple
from rooflint.source_edit.edits import EditableSource, LoopBody, body_of, editable_source, replace
from rooflint.source_edit.tokens import Token, assigned_names, plain_names


def reordering_fix(context: RuleContext, chain: Sequence[Loop], order: Sequence[str]) -> Fix:
    """The headers of a perfect nest in the order of their indices.

    Without edits where one depends on another, is not plain source, or has more beside it than the
    next one: the IR has the closed forms of variables set there, and the text has the assignments.
    Unsafe where an index lives on behind the loops, with another value then.
    """
    title = f"order {', '.join(map(as_written, order))}"
    text = editable_source(context.text)
    headers = _headers(context, text, chain)
    if headers is None or not _is_perfect_text(context, text, chain):
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
    text, spans = editable_source(context.text), context.source.spans
    headers = _headers(context, text, (outer, inner))
    parts = _parts(text, spans[outer.origin], spans[inner.origin])
    if headers is None or parts is None or not _is_separable(context, text, parts, outer, inner):
        return Fix("sketch", title)
    new = _distributed(text, parts, headers[outer.index], headers[inner.index], outer, inner)
    start, new = _in_block(text, parts.whole, new)
    safety = _safety(context, text, (outer, inner))
    return Fix(safety, title, (replace(text.span(start, parts.body.behind), new),))


def in_place_fix(context: RuleContext, outer: Loop, inner: Loop, scalar: str, title: str) -> Fix:
    """``inner`` with ``outer`` inside it, the sum in ``scalar`` kept where that is stored behind.

    Without edits where the text has more than the first value, the loop and the store.
    """
    text, spans = editable_source(context.text), context.source.spans
    headers = _headers(context, text, (outer, inner))
    parts = _parts(text, spans[outer.origin], spans[inner.origin])
    moved = None if parts is None else _moved_sum(text, parts, scalar)
    if headers is None or parts is None or moved is None:
        return Fix("sketch", title)
    own, around = headers[inner.index], headers[outer.index]
    depth, inside = text.indent(parts.whole.line), text.inside(parts.whole, parts.body)
    step = inside.removeprefix(depth)
    body = f" {{{moved.body}\n{inside}}}" if parts.own.braced else f"\n{inside}{step}{moved.body}"
    first = f"{around}\n{inside}{moved.target} = {moved.first};"
    new = f"{first}\n{depth}{own}\n{inside}{around}{body}"
    start, new = _in_block(text, parts.whole, new)
    return Fix("unsafe", title, (replace(text.span(start, parts.body.behind), new),))


class _MovedSum(NamedTuple):
    """The first value of a sum, the element that it goes to, and the loop's body with that."""

    first: str
    target: str
    body: str


def _moved_sum(text: EditableSource, parts: "_LoopParts", scalar: str) -> _MovedSum | None:
    code = slice(parts.body.start, parts.body.end)
    if text.bytes[code] != text.blank[code] or b"#" in text.bytes[code]:
        return None
    before, inside, behind = [text.tokens(text.span(*each)) for each in parts.ranges]
    first = _first_value(before, scalar)
    is_stored = [token.text for token in behind[-3:]] == ["=", scalar, ";"] and len(behind) > 3
    if first is None or not is_stored or _words(behind).count(";") > 1:
        return None
    if _has_member(inside, scalar):
        return None
    value = text.within(text.span(first[0].start, first[-1].end))
    target = text.within(text.span(behind[0].start, behind[-4].end))
    return _MovedSum(value, target, _renamed(text, parts.inside, inside, scalar, target))


def _first_value(tokens: Sequence[Token], scalar: str) -> Sequence[Token] | None:
    """``0.0`` of ``double s = 0.0;``; None where the text is more than that one statement."""
    words = _words(tokens)
    if words.count("=") != 1 or words.count(";") != 1 or words[-1] != ";" or "," in words:
        return None
    equals = words.index("=")
    is_declared = all(token.is_name for token in tokens[:equals])
    return tokens[equals + 1 : -1] if is_declared and words[equals - 1] == scalar else None


def _words(tokens: Sequence[Token]) -> list[str]:
    return [token.text for token in tokens]


def _has_member(tokens: Sequence[Token], name: str) -> bool:
    """Whether a member of a structure has the name, too."""
    return any(
        token.text == name and before.text in (".", "->") for before, token in pairwise(tokens)
    )


def _renamed(
    text: EditableSource, ends: tuple[int, int], tokens: Sequence[Token], name: str, new: str
) -> str:
    """The text between two offsets with another expression for a variable."""
    start, end = ends
    pieces: list[str] = []
    for token in tokens:
        if token.text == name:
            pieces += (text.within(text.span(start, token.start)), new)
            start = token.end
    return "".join((*pieces, text.within(text.span(start, end)))).rstrip()


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


def _is_perfect_text(context: RuleContext, text: EditableSource, chain: Sequence[Loop]) -> bool:
    """Whether the text of each loop has nothing but the next one in it."""
    for outer, inner in pairwise(chain):
        nest = context.source.spans[inner.origin]
        body, own = body_of(text, context.source.spans[outer.origin]), body_of(text, nest)
        if body is None or own is None:
            return False
        begin = text.offset(nest.line, nest.column)
        if text.blank[body.start : begin].strip() or text.blank[own.behind : body.end].strip():
            return False
    return True


def _safety(context: RuleContext, text: EditableSource, chain: Sequence[Loop]) -> Safety:
    for loop in chain:
        header = text.header(context.source.spans[loop.origin])
        own = context.source.declared_in(header) if header is not None else ()
        if loop.index.partition("'")[0] not in {each.spelling for _, each in own}:
            return "unsafe"
    return "safe"

"""Where a finding is, and what it is known by when lines move."""

from collections.abc import Set

from rooflint.facts import KernelFacts
from rooflint.ir import Loop, Node, SourceFunction, Span, children
from rooflint.plugin_api.advice import RelatedPlace
from rooflint.plugin_api.rule import Match, RuleContext
from rooflint.source_edit.edits import EditableSource, compact_code
from rooflint.transform.nest.tree import Site

FINGERPRINT_DIGITS = 16


class Places:
    """The places of one function in the text of its file."""

    def __init__(self, source: SourceFunction, text: EditableSource) -> None:
        self.source = source
        self.text = text

    def span(self, match: Match, site: Site | None) -> Span:
        """The place of the finding: a node, a loop's header, or the function's first line."""
        if match.origin >= 0:
            return self.of(match.origin)
        if site is None:
            return self.first_line(self.source.span)
        whole = self.of(site.loop.origin)
        return self.header(whole) or self.first_line(whole)

    def of(self, origin: int) -> Span:
        """The range of a node; the function's where the front end gave it none."""
        spans = self.source.spans
        return spans[origin] if 0 <= origin < len(spans) else self.source.span

    def header(self, whole: Span) -> Span | None:
        """``for (...)`` of a loop; None where it is not written there."""
        return self.text.header(whole) if self.written(whole) else None

    def written(self, span: Span) -> bool:
        """Whether the text has such lines: it has none for a file that was not read."""
        return 0 < span.line <= len(self.text.starts) and len(self.text.bytes) > 0

    def first_line(self, span: Span) -> Span:
        """A range as far as its first line goes."""
        if span.end_line == span.line or not self.written(span):
            return span._replace(end_line=span.line, end_column=max(span.end_column, span.column))
        end = self.text.starts[span.line] - 1 if span.line < len(self.text.starts) else None
        column = (
            (len(self.text.bytes) if end is None else end) - self.text.starts[span.line - 1] + 1
        )
        return span._replace(end_line=span.line, end_column=column)

    def related(self, match: Match) -> tuple[RelatedPlace, ...]:
        """The other places that a match speaks of."""
        return tuple([RelatedPlace(self.of(each.origin), each.message) for each in match.related])

    def fingerprint(self, code: str, match: Match, site: Site | None) -> str:
        """Of the code, the function's name, which of its loops it is, and the loop's own text."""
        text = ""
        path = ""
        if site is not None:
            whole = self.of(site.loop.origin)
            text = self.text.within(whole) if self.written(whole) else ""
            path = loop_path(self.source.function.body, site)
        function = self.source.function.name
        parts = "\0".join((code, function, path, match.discriminator, compact_code(text)))
        import hashlib  # noqa: PLC0415 - loads OpenSSL, 3 ms that a run without findings saves

        return hashlib.sha256(parts.encode("utf-8", "surrogateescape")).hexdigest()[
            :FINGERPRINT_DIGITS
        ]


def loop_path(body: tuple[Node, ...], site: Site) -> str:
    """``for.0.1``: which loop of the function, which loop inside that one, and so on."""
    path = ["for"]
    nodes = body
    for loop in (*site.outer, site.loop):
        loops = _loops(nodes)
        path.append(str(next(n for n, each in enumerate(loops) if each is loop)))
        nodes = loop.body
    return ".".join(path)


def _loops(nodes: tuple[Node, ...]) -> list[Loop]:
    """The outermost loops among ``nodes``, in branches and directives too."""
    found: list[Loop] = []
    for node in nodes:
        if isinstance(node, Loop):
            found.append(node)
        else:
            found += _loops(children(node))
    return found


def has_chosen(
    source: SourceFunction, facts: tuple[KernelFacts, ...], loops: Set[tuple[int, int]] | None
) -> bool:
    """Whether a function has one of the loops at these lines and columns; None: all."""
    return loops is None or any(_is_chosen(source, each, loops) for each in facts)


def concerns(match: Match, context: RuleContext, loops: Set[tuple[int, int]] | None) -> bool:
    """Whether a match is about a nest with one of these loops, or about all of the function."""
    site = context.sites.get(match.place)
    if loops is None or site is None:
        return True
    outermost = (*site.outer, site.loop)[0]
    return any(
        _is_chosen(context.source, each, loops)
        for each in context.facts
        if each.kernel.loops[0] is outermost
    )


def _is_chosen(source: SourceFunction, facts: KernelFacts, loops: Set[tuple[int, int]]) -> bool:
    origin = facts.kernel.origin
    return 0 <= origin < len(source.spans) and source.spans[origin][:2] in loops

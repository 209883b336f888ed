"""``map`` clauses of ``omp target``: what the source itself says of each array's transfers.

Source: OpenMP API 5.2, sections 5.8.3 (map clause), 5.8 (data-mapping control) and 13.5 to 13.8
(target data, target enter data, target exit data, target).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias, get_args

from rooflint.ir import Clause, Function, Loop, Node, Region, children
from rooflint.records import NamedTuple

from rooflint_plugins.models.hybrid.procedure.expression import ExpressionError, parse

Way: TypeAlias = Literal["to", "from", "tofrom", "alloc"]
Span: TypeAlias = Literal["step", "once", "kept"]
ORIGIN: Literal["source (map clause)"] = "source (map clause)"
_WAYS: tuple[Way, ...] = get_args(Way)
_ENTER, _DATA = "target enter data", "target data"


class MappedArray(NamedTuple):
    """One array of a map clause.

    section   as written: ``a[0:n]``
    lengths   of each dimension as written; empty where only the name stands there
    span      ``step``: moved in every iteration of a loop that repeats the page loop; ``once``:
              before and after the nest; ``kept``: on the device before and after it, because a
              data region around this nest and others moves it
    """

    array: str
    way: Way
    section: str
    lengths: tuple[str, ...]
    span: Span
    directive: str

    @property
    def clause(self) -> str:
        """``map(to: a[0:n])``."""
        return f"map({self.way}: {self.section})"

    def elements(self, values: Mapping[str, float]) -> float | None:
        """How many elements are mapped; None where a length has no number."""
        total = 1.0
        for length in self.lengths:
            try:
                total *= parse(length).value(values)
            except ExpressionError:
                return None
        return total if self.lengths else None


def mapped_arrays(function: Function, outermost: Loop, page_loop: Loop) -> dict[str, MappedArray]:
    """By array, what governs ``page_loop`` inside ``outermost``; an outer region wins.

    What is there already when a construct begins is not moved by it.
    """
    path = _path(function.body, page_loop)
    if path is None:
        return {}
    found: dict[str, MappedArray] = {}
    inside = False
    for region in _entered(function.body, page_loop):
        _add(found, region, "kept")
    for node in path:
        inside = inside or node is outermost
        if isinstance(node, Region) and "target" in node.kind.split():
            _add(found, node, "step" if inside else _span_outside(node, outermost))
    return found


def _span_outside(region: Region, outermost: Loop) -> Span:
    return "kept" if region.kind == _DATA and _has_others(region, outermost) else "once"


def contradictions(clause: MappedArray, *, reads: bool, writes: bool) -> Iterator[str]:
    """Where a clause and what the loops under it do with the array disagree, each a sentence.

    reads   values that the array has before these loops; writes   any of its values
    """
    if clause.span == "kept":  # other loops of its region use it too
        return
    for ways, disagrees, sentence in _DISAGREEMENTS:
        if clause.way in ways and disagrees(reads, writes):
            yield f"{clause.clause}, but {sentence.format(clause.array)}"


_DISAGREEMENTS: Final[tuple[tuple[tuple[Way, ...], Callable[[bool, bool], bool], str], ...]] = (
    (
        ("to", "tofrom"),
        lambda reads, _: not reads,
        "nothing reads {0} before it is written: the load is unnecessary",
    ),
    (
        ("from", "tofrom"),
        lambda _, writes: not writes,
        "nothing writes {0}: the store is unnecessary",
    ),
    (
        ("from", "alloc"),
        lambda reads, writes: reads and not writes,
        "{0} is read but never gets values on the device",
    ),
    (
        ("from", "alloc"),
        lambda reads, writes: reads and writes,
        "{0} is read before it is written: its values never arrive",
    ),
    (("to",), lambda _, writes: writes, "{0} is written: the results do not come back"),
)
"""Ways of a clause, when (reads, writes) disagree with them, and the sentence on an array."""


def is_offloaded(function: Function, page_loop: Loop) -> bool:
    """Whether a ``target`` construct governs the loop."""
    path = _path(function.body, page_loop) or ()
    kinds = [node.kind.split() for node in path if isinstance(node, Region)]
    return any("target" in words and "data" not in words for words in kinds)


def _add(found: dict[str, MappedArray], region: Region, span: Span) -> None:
    for clause in region.clauses:
        if clause.name == "map":
            for each in items_of(clause, span, region.kind):
                found.setdefault(each.array, each)


def items_of(clause: Clause, span: Span, directive: str) -> Iterator[MappedArray]:
    """The arrays of one clause: ``always, to: a[0:n], b`` are two."""
    head, colon, rest = _split(clause.value, ":")
    words = [word.strip() for word in _list(head)] if colon else ["tofrom"]
    way = next((way for way in _WAYS if way in words), None)
    if way is None:  # release and delete move nothing
        return
    for item in _list(rest if colon else clause.value):
        section = item.strip()
        name, *dimensions = section.replace("]", "[").split("[")
        yield MappedArray(
            array="".join(name.split()),
            way=way,
            section=section,
            lengths=_lengths(dimensions[::2]),
            span=span,
            directive=directive,
        )


def _lengths(dimensions: Sequence[str]) -> tuple[str, ...]:
    """A text for each dimension; a ``?`` alone, which has no value, where one of them is open."""
    lengths = tuple([_length(text) for text in dimensions])
    return lengths if all(lengths) else ("?",)


def _length(dimension: str) -> str:
    """``0:n`` is n long, ``:n`` too, ``i`` is one element, ``0:`` is open."""
    parts = dimension.split(":")
    return "1" if len(parts) == 1 else parts[1].strip()


def _split(text: str, mark: str) -> tuple[str, str, str]:
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == mark and depth == 0:
            return text[:place], mark, text[place + 1 :]
    return text, "", ""


def _list(text: str) -> list[str]:
    found = []
    rest = text
    while rest:
        first, comma, rest = _split(rest, ",")
        found.append(first)
        if not comma:
            break
    return [item for item in found if item.strip()]


def _path(nodes: Sequence[Node], wanted: Loop) -> list[Node] | None:
    for node in nodes:
        if node is wanted:
            return [node]
        below = _path(children(node), wanted)
        if below is not None:
            return [node, *below]
    return None


def _entered(nodes: Sequence[Node], wanted: Loop) -> Iterator[Region]:
    """``target enter data`` directives that are passed on the way to ``wanted``."""
    for node in nodes:
        if isinstance(node, Region) and node.kind == _ENTER:
            yield node
        if _path((node,), wanted) is not None:
            yield from _entered(children(node), wanted)
            return


def _has_others(region: Region, outermost: Loop) -> bool:
    def loops(nodes: Sequence[Node]) -> Iterator[Loop]:
        for node in nodes:
            if isinstance(node, Loop):
                yield node
            else:
                yield from loops(children(node))

    return any(loop is not outermost for loop in loops(region.body))

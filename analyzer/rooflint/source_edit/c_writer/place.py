"""The part of a source file that a change replaces: its nodes, their text, and the scope around.

The front end gives places in lines and columns; which identifiers mean something at a place, and
how loop indices are declared, only the text says.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from typing import Final

from msgspec.structs import replace

from rooflint.ir import (
    Branch,
    Call,
    Definition,
    Function,
    IdentityKey,
    Loop,
    Node,
    Region,
    SourceFunction,
    Span,
    Statement,
    children,
    walk,
)
from rooflint.ir.definitions import definitions_in
from rooflint.records import NamedTuple
from rooflint.source_edit.c_writer.nodes import write_nest
from rooflint.source_edit.c_writer.quotients import written_divisions
from rooflint.source_edit.c_writer.visible import by_place, in_open_blocks
from rooflint.source_edit.c_writer.words import FLOATS, NestScope, NotWrittenError
from rooflint.source_edit.edits import EditableSource
from rooflint.startup.late_pattern import late_pattern
from rooflint.transform.nest.scalars import assigned_scalars, read_scalars


class ChangedPart(NamedTuple):
    """The nodes of a function that a change replaced by others; ``outer`` are the loops around."""

    outer: tuple[Loop, ...]
    old: tuple[Node, ...]
    new: tuple[Node, ...]


class Replacement(NamedTuple):
    """A range of a file and what stands there instead."""

    span: Span
    text: str


def changed_part(before: Function, after: Function) -> ChangedPart:
    """The innermost list of nodes that holds every difference; without what is equal around.

    Raises NotWrittenError where a declaration changes other than by a promise, or no code does.
    """
    known = {array.name: array for array in before.arrays}
    for array in after.arrays:
        old = known.get(array.name, array)
        if old._replace(restrict=array.restrict) != array:
            raise NotWrittenError("an array is declared otherwise")
    part = _part(before.body, after.body, ())
    if part.old == part.new:
        raise NotWrittenError("no code changes, only declarations do")
    return part


def _part(old: tuple[Node, ...], new: tuple[Node, ...], outer: tuple[Loop, ...]) -> ChangedPart:
    least = min(len(old), len(new))
    first = next((k for k in range(least) if old[k] != new[k]), least)
    rest = least - first
    last = next((k for k in range(rest) if old[-1 - k] != new[-1 - k]), rest)
    if first + last == len(old):  # only nodes that are new: they come with a neighbour
        last, first = (last - 1, first) if last else (last, max(0, first - 1))
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    if len(old) == len(new) == 1:
        inner = _inside(old[0], new[0], outer)
        if inner is not None:
            return inner
    return ChangedPart(outer, old, new)


def _inside(old: Node, new: Node, outer: tuple[Loop, ...]) -> ChangedPart | None:
    if isinstance(old, Loop | Region) and isinstance(new, Loop | Region):
        inner = (*outer, old) if isinstance(old, Loop) else outer
        return _part(old.body, new.body, inner) if _alike(old, new) else None
    if isinstance(old, Branch) and isinstance(new, Branch) and old.condition == new.condition:
        if old.orelse == new.orelse:
            return _part(old.then, new.then, outer)
        if old.then == new.then:
            return _part(old.orelse, new.orelse, outer)
    return None


def _alike(old: Loop | Region, new: Loop | Region) -> bool:
    return type(old) is type(new) and replace(old, body=()) == replace(new, body=())


def rewrite_part(
    text: EditableSource,
    source: SourceFunction,
    part: ChangedPart,
    function: Function,
    nodes: tuple[Node, ...],
) -> Replacement:
    """``nodes`` of ``function`` as text in place of ``part.old``.

    ``function`` is that of ``source``, or what a change made of it. Raises NotWrittenError.
    """
    start, end = _range(text, source, part.old)
    nodes = (*_in_the_header(text, source, part.old, (start, end)), *nodes)
    scope = _scope(text, source, part, function, (start, end), nodes)
    lines = write_nest(function, nodes, part.outer, scope).splitlines()
    lines = _in_block(lines, text, start, _words(text, source, end))
    indent = text.indent(_span(source, part.old[0]).line)
    line, _ = text.place(start)
    begin = text.starts[line - 1]
    if not text.bytes[begin:start].strip():
        start = begin
    elif lines[0].startswith("#"):
        lines.insert(0, "")
    shown = [each if each[:1] in ("", "#") else indent + each for each in lines]
    if start != begin:
        shown[0] = shown[0].removeprefix(indent)
    return Replacement(text.span(start, end), "\n".join(shown))


def _in_block(lines: list[str], text: EditableSource, start: int, behind: set[str]) -> list[str]:
    """``lines`` in braces where the place takes one statement, or they declare what others use.

    ``behind``: the identifiers of what follows.
    """
    is_block = text.blank[:start].rstrip().endswith((b"{", b";", b"}"))
    own = _declared_by(lines)
    if own & behind:
        if not is_block:
            raise NotWrittenError(f"{min(own)} is used after the nest")
        return lines
    is_one = is_block or len(_statements(lines)) < 2
    return lines if is_one and not own else _braced(lines)


def _braced(lines: list[str]) -> list[str]:
    return ["{", *[each if each.startswith("#") else f"  {each}" for each in lines], "}"]


def text_after(text: EditableSource, change: Replacement) -> str:
    """The file with the change made."""
    start, end = text.ends(change.span)
    new = text.bytes[:start] + change.text.encode() + text.bytes[end:]
    return new.decode("utf-8", "surrogateescape")


_LABEL: Final = late_pattern(rb"(?m)^\s*(?!default\b)[A-Za-z_]\w*\s*:(?!:)")
_DECLARATION: Final = late_pattern(
    r"(?:(?:double|float|int|long|short|signed|unsigned|char|_Bool) )+(\w+)"
)


def _declared_by(lines: list[str]) -> set[str]:
    return {match[1] for match in map(_DECLARATION.match, lines) if match}


def _words(
    text: EditableSource, source: SourceFunction, begin: int, end: int | None = None
) -> set[str]:
    if end is None:
        end = text.offset(source.span.end_line, source.span.end_column)
    return set(_WORD.findall(text.blank[begin:end].decode("utf-8", "replace")))


def _statements(lines: list[str]) -> list[str]:
    return [each for each in lines if each[:1] not in (" ", "}", "#")]


# -- the range ---------------------------------------------------------------------------------


def _range(
    text: EditableSource, source: SourceFunction, nodes: tuple[Node, ...]
) -> tuple[int, int]:
    begins, ends = zip(*[text.ends(_span(source, node)) for node in nodes], strict=True)
    start, end = min(begins), max(ends)
    first, last = text.ends(source.span)
    if start < first or end > last:
        raise NotWrittenError("code of another function, inlined")
    if _LABEL.search(text.blank[start:end]):
        raise NotWrittenError("a label that code elsewhere may jump to")
    _check_shown(text, source, nodes)
    if isinstance(nodes[0], Region) or (isinstance(nodes[0], Loop) and nodes[0].pragmas):
        start = _above(text, start)
    return start, _after_semicolon(text, end)


def _check_shown(text: EditableSource, source: SourceFunction, nodes: tuple[Node, ...]) -> None:
    loops = [node for node in walk(nodes) if isinstance(node, Loop)]
    if any(text.header(source.spans[loop.origin]) is None for loop in loops):
        raise NotWrittenError("a loop that the text does not show, as in a macro")


def _after_semicolon(text: EditableSource, end: int) -> int:
    behind = text.blank[end:].lstrip()
    if behind.startswith(b";") and not text.blank[:end].endswith((b"}", b";")):
        return len(text.blank) - len(behind) + 1
    return end


def _in_the_header(
    text: EditableSource, source: SourceFunction, old: tuple[Node, ...], taken: tuple[int, int]
) -> tuple[Node, ...]:
    """The nodes before these in the IR that share their text: ``for (s = 0, i = 0; ...)``.

    Raises NotWrittenError where the text holds other nodes, as a macro's does.
    """

    whole = source.function.body
    level = next((n for n in _levels(whole) if any(each is old[0] for each in n)), whole)
    first = next((k for k, each in enumerate(level) if each is old[0]), 0)
    begin = first
    while begin and isinstance(level[begin - 1], Statement):
        start, end = _ends(text, source, level[begin - 1])
        if start < taken[0] or end > taken[1]:
            break
        begin -= 1
    header = level[begin:first]
    _check_alone(text, source, (*header, *old), taken)
    return header


def _check_alone(
    text: EditableSource, source: SourceFunction, nodes: tuple[Node, ...], taken: tuple[int, int]
) -> None:
    own = set(map(IdentityKey, walk(nodes)))
    for node in walk(source.function.body):
        start, end = _ends(text, source, node)
        if end <= taken[0] or taken[1] <= start or IdentityKey(node) in own:
            continue
        if not any(IdentityKey(each) in own for each in walk(children(node))):
            raise NotWrittenError("code that shares this text, as in a macro or a header")


def _ends(text: EditableSource, source: SourceFunction, node: Node | Definition) -> tuple[int, int]:
    """Where the text of a node begins and ends; -1 for a node that has no place there."""
    known = 0 <= node.origin < len(source.spans)
    return text.ends(source.spans[node.origin]) if known else (-1, -1)


def _levels(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    yield nodes
    for node in nodes:
        if isinstance(node, Branch):
            yield from _levels(node.then)
            yield from _levels(node.orelse)
        elif isinstance(node, Loop | Region):
            yield from _levels(node.body)


def _span(source: SourceFunction, node: Node) -> Span:
    if not 0 <= node.origin < len(source.spans):
        raise NotWrittenError("code that has no place in the text")
    return source.spans[node.origin]


def _above(text: EditableSource, start: int) -> int:
    """The offset of the first of the pragmas right above ``start``."""
    while True:
        line, _ = text.place(start)
        above = text.bytes[text.starts[line - 2] : text.starts[line - 1]] if line > 1 else b""
        if not above.lstrip().startswith(b"#pragma"):
            return start
        begin = text.starts[line - 2]
        start = begin + len(above) - len(above.lstrip())


# -- what is around ------------------------------------------------------------------------------

_WORD: Final = late_pattern(r"[A-Za-z_]\w*")
_MEMBER: Final = late_pattern(r"\b[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*)+")
_CHANGES: Final = r"(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)"
_SET: Final = late_pattern(rf"(?<![\w.>])([A-Za-z_]\w*)\s*{_CHANGES}|(?:\+\+|--)\s*([A-Za-z_]\w*)")


def _scope(
    text: EditableSource,
    source: SourceFunction,
    part: ChangedPart,
    after: Function,
    taken: tuple[int, int],
    nodes: tuple[Node, ...],
) -> NestScope:
    before = source.function
    begin, end = text.ends(source.span)
    inside = text.blank[begin:end].decode("utf-8", "replace")
    known = {array.name for array in before.arrays}
    sets = Counter(_names_set(_SET, inside))
    parameters = {parameter.name for parameter in before.parameters}
    declared = {*in_open_blocks(text.blank[begin : taken[0]]), *parameters}
    _check_outer(part.outer)
    _check_unseen(text, source, part, taken, nodes)
    return NestScope(
        declared=frozenset(by_place(source, declared, nodes)),
        index_types=dict(_index_types(after)),
        unsigned=frozenset(v.name for v in source.variables if v.type in ("u32", "u64")),
        divisions=frozenset(written_divisions(before)),
        called=_called(before),
        unclear=frozenset(n for n, count in sets.items() if count > 1 or n in parameters),
        members=frozenset(_MEMBER.findall(inside)),
        new_arrays=tuple([array for array in after.arrays if array.name not in known]),
    )


def _check_outer(outer: tuple[Loop, ...]) -> None:
    for loop in outer:
        named = loop.index.isidentifier() and loop.header.sets_index
        if not (named and loop.header.keeps_index):
            raise NotWrittenError(f"{loop.index} counts iterations of a loop around")


def _check_unseen(
    text: EditableSource,
    source: SourceFunction,
    part: ChangedPart,
    taken: tuple[int, int],
    nodes: tuple[Node, ...],
) -> None:
    """Refuses a nest that sets an integer which the IR has in closed form and code behind reads.

    One that ``nodes`` set no longer is read in closed form too: ``k = col[j]; ... a[k]``. One that
    changes in a way that statements do not say, as where a branch sets it, cannot be written.
    """
    loops = [node for node in walk(part.old) if isinstance(node, Loop)]
    before, after = assigned_scalars(part.old), assigned_scalars(nodes)
    _check_modelled(loops, after.keys() | read_scalars(nodes))
    around = _words_around(text, source, part, taken)
    integers = {name for name, kind in before.items() if kind not in FLOATS}
    lost = (integers - after.keys()) & around
    if lost:
        raise NotWrittenError(f"{min(lost)} is set in the nest and used elsewhere")
    known = {*before, *[loop.index.partition("'")[0] for loop in (*part.outer, *loops)]}
    # a member, a variable of the file, or one that is static or a reference outlives the function
    own = {variable.name for variable in source.variables if variable.scope == "own"}
    moved = {each.name for loop in loops for each in loop.extra_inductions}
    for name in sorted((moved | _changed_between(text, source, taken)) - known):
        if name not in own or name.partition("'")[0] in around:
            raise NotWrittenError(f"{name} changes in the nest and is used elsewhere")


def _changed_between(
    text: EditableSource, source: SourceFunction, taken: tuple[int, int]
) -> set[str]:
    """The integers and pointers that the text there changes in closed form and does not declare."""
    made = [*source.function.definitions, *definitions_in(source.function.body)]
    begin, end = taken
    inside = [d for d in made if begin <= _ends(text, source, d)[0] < end]
    declared = source.declared_in(text.span(begin, end))
    return {each.variable for each in inside} - {variable.name for variable, _ in declared}


def _names_set(pattern: re.Pattern[str], code: str) -> list[str]:
    return [match[1] or match[2] for match in pattern.finditer(code)]


def _check_modelled(loops: Iterable[Loop], used: Set[str]) -> None:
    moved = {each.name for loop in loops for each in loop.extra_inductions if not each.known}
    unsaid = sorted(moved & used)
    if unsaid:
        raise NotWrittenError(f"{unsaid[0]} changes in a way that is not modelled")


def _words_around(
    text: EditableSource, source: SourceFunction, part: ChangedPart, taken: tuple[int, int]
) -> set[str]:
    begin, end = taken
    if part.outer:
        begin, _ = text.ends(source.spans[part.outer[0].origin])
    return _words(text, source, begin, taken[0]) | _words(text, source, end)


def _index_types(function: Function) -> Iterator[tuple[str, str]]:
    """``long`` for indices that the source declares as anything but an ``int``."""
    for node in walk(function.body):
        if isinstance(node, Loop):
            yield node.index, "int" if node.header.index_type in ("", "i32") else "long"


def _called(function: Function) -> frozenset[str]:
    calls = [node for node in walk(function.body) if isinstance(node, Call)]
    arrays = {call.name for call in calls if call.arrays}
    return frozenset(call.name for call in calls) - arrays

"""Which identifiers mean something at a place of a file: what its text and the front end say."""

from typing import Final

from rooflint.ir import Node, SourceFunction
from rooflint.source_edit.c_writer.words import NotWrittenError
from rooflint.startup.late_pattern import late_pattern
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.scalars import assigned_scalars

_OF_FILE: Final = frozenset(("file", "thread"))
"""Scopes of variables that no function declares, or that outlive its calls."""
_TOKEN: Final = late_pattern(
    rb"(?:\.|->)\s*[A-Za-z_]\w*|\d[\w.]*|\bfor\b|[{}();]|[A-Za-z_]\w*"
)  # members and numbers are no names


def in_open_blocks(text: bytes) -> set[str]:
    """The identifiers of a function's text up to a place, without those of blocks that are over.

    What the header of a loop declares is over with the loop. ``text`` has no comments.
    """
    blocks: list[set[str]] = [set()]
    header: set[str] = set()
    depth = begins = 0  # of parentheses; where that of a loop's header is open
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == b"(":
            depth += 1
        elif token == b")":
            depth -= 1
            begins = 0 if depth < begins else begins
        elif token == b"for":
            begins = depth + 1
        elif token == b"{":
            blocks.append(header)
            header = set()
        elif token == b"}":
            if len(blocks) > 1:
                blocks.pop()
            header = set()
        elif token == b";":
            if depth == 0:
                header = set()
        elif token[:1].isalpha() or token[:1] == b"_":
            (header if begins else blocks[-1]).add(token.decode())
    return set().union(*blocks, header)


def by_place(source: SourceFunction, seen: set[str], nodes: tuple[Node, ...]) -> set[str]:
    """The names among ``seen``, those in the text before, that are declared where the nodes stand.

    A variable of an inlined function is not; one of the file is, and a member, whatever was seen.
    """
    places: dict[str, set[str]] = {}
    for variable in source.variables:
        places.setdefault(variable.name, set()).add(variable.scope)
    inlined = {name for name, found in places.items() if found == {"inlined"}}
    _check_arrays(nodes, inlined)
    new, known = assigned_scalars(nodes), assigned_scalars(source.function.body)
    of_file = {name for name in new if not _OF_FILE.isdisjoint(places.get(name, ()))}
    for name in of_file:
        if not places[name] <= _OF_FILE or not name.isidentifier():
            raise NotWrittenError(f"{name} is a variable of the file or another one")
    members = new.keys() & known.keys() - places.keys()
    return (seen - inlined) | of_file | {name for name in members if not name.endswith("()")}


def _check_arrays(nodes: tuple[Node, ...], inlined: set[str]) -> None:
    for statement in statements_in(nodes):
        for access in statement.accesses:
            name = access.array.lstrip("*").partition("->")[0].partition(".")[0]
            if name in inlined:
                raise NotWrittenError(f"{name} is an array of another function, inlined")

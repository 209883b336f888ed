"""Lists that a loop packs: a branch on data stores an element and moves the end of the list."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from rooflint.dependence import memory_of, references_in, unproven
from rooflint.ir import (
    Access,
    Arithmetic,
    Assignment,
    Branch,
    CarriedRead,
    Function,
    IndexValue,
    Loop,
    Node,
    Poly,
    Statement,
)
from rooflint.ir.written import names_in_form
from rooflint.records import NamedTuple
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.tree import replace_nodes, site_of
from rooflint.transform.result import ChangedFunction, RefusalError, change, done

COSTLY: Final = frozenset(("call", "div", "rem", "sqrt", "opaque"))
"""Operations that an iteration had better leave out where it can."""


class PackedList(NamedTuple):
    """A branch that appends to a list.

    position  of the branch in the loop's body
    end       the variable that says where the next element goes
    type      the type of that variable; ``ptr`` for a pointer
    """

    position: int
    branch: Branch
    end: str
    type: str

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays that the list is made of."""
        written = [a.array for s in statements_in(self.branch.then) for a in s.accesses if a.write]
        return tuple(dict.fromkeys(written))


def packed_list(loop: Loop) -> PackedList | None:
    """The list that an innermost loop packs: its only branch, on data, appends one element."""
    branches = [(k, node) for k, node in enumerate(loop.body) if isinstance(node, Branch)]
    if len(branches) != 1 or loop.exits:
        return None
    [(position, branch)] = branches
    for name, type_ in _ends(loop):
        found = PackedList(position=position, branch=branch, end=name, type=type_)
        if _appends(found) and not _is_read(name, _others(loop, found)):
            return found
    return None


def _ends(loop: Loop) -> Iterator[tuple[str, str]]:
    """The variables that branches of the loop move, each in one place, and their types."""
    changed = [each.variable for each in loop.definitions]
    for each in loop.definitions:
        if each.condition == "branch" and not each.own and changed.count(each.variable) == 1:
            yield each.variable, each.type


def _appends(found: PackedList) -> bool:
    """Whether all that the branch does is to store at the end of the list, by one step a time."""
    branch = found.branch
    if branch.orelse or not any(value.op == "load" for value in branch.condition.values):
        return False
    return bool(branch.then) and all(_stores_behind(node, found.end) for node in branch.then)


def _stores_behind(node: Node, end: str) -> bool:
    """Whether a node is a store where ``end`` says, of what is found without it."""
    if not isinstance(node, Statement) or node.values[-1].op != "store":
        return False
    return all(
        _is_behind(access, end) if access.write else not access.offset.unknowns()
        for access in node.accesses
    )


def _is_behind(access: Access, end: str) -> bool:
    """Whether a store goes where ``end`` says, which no iteration moves by more than a step."""
    return any(each.variable == end and each.pace > 0 for each in access.offset.unknowns())


def _others(loop: Loop, found: PackedList) -> Iterator[Node]:
    """The rest of the loop, the condition on which it appends included."""
    yield from loop.body[: found.position]
    yield found.branch.condition
    yield from loop.body[found.position + 1 :]


def _is_read(variable: str, nodes: Iterator[Node]) -> bool:
    forms: list[Poly] = []
    for statement in statements_in(tuple(nodes)):
        forms += [access.offset for access in statement.accesses]
        forms += [value.poly for value in statement.values if isinstance(value, IndexValue)]
    return any(variable in form.names() or variable in _unknowns(form) for form in forms)


def _unknowns(form: Poly) -> set[str]:
    """The variables within what has no closed form."""
    return {name for each in form.unknowns() for name in names_in_form(each.form, "variable")}


@change
def store_always(function: Function, loop: str) -> ChangedFunction:
    """Each iteration stores behind the list's end and moves that by the condition: 0 or 1.

    The place behind the last element is written, too. Refused where the stored value is costly, or
    where the loop reads what it packs.
    """
    site = site_of(function, loop)
    own = site.loop
    found = packed_list(own)
    if found is None:
        raise RefusalError(f"no branch of {loop} appends to a list")
    _require_cheap(found)
    _require_unread(own, found)
    body = (*own.body[: found.position], *found.branch.then, _moved_end(found))
    changed = replace(
        own,
        body=(*body, *own.body[found.position + 1 :]),
        definitions=tuple([each for each in own.definitions if each.variable != found.end]),
        extra_inductions=tuple([each for each in own.extra_inductions if each.name != found.end]),
    )
    new = replace_nodes(function, site.path, changed)
    memory = memory_of(function)
    references = references_in((own,), memory)
    room = tuple([f"{name} has room for one element more" for name in found.arrays])
    apart = unproven(references.written, references.used, memory)
    return done(new, "store_always", loop, assumes=(*room, *apart))


def _require_cheap(found: PackedList) -> None:
    costly = {v.op for s in statements_in(found.branch.then) for v in s.values} & COSTLY
    if costly:
        raise RefusalError(f"the stored value takes a {min(costly)}")


def _require_unread(loop: Loop, found: PackedList) -> None:
    read = {a.array for s in statements_in(loop.body) for a in s.accesses if not a.write}
    for name in found.arrays:
        if name in read:
            raise RefusalError(f"the loop reads {name}, which it packs")


def _moved_end(found: PackedList) -> Statement:
    """The end of the list moved by the condition."""
    condition = found.branch.condition
    last = len(condition.values) - 1
    type_ = "i64" if found.type == "ptr" else found.type
    end = found.end
    values = (
        *condition.values,
        CarriedRead(type=type_, name=end),
        Arithmetic(op="add", type=type_, args=(last + 1, last)),
        Assignment(type=type_, args=(last + 2,), name=end),
    )
    return replace(condition, values=values)

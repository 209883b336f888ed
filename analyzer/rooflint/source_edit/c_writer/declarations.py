"""Where the variables of a nest are declared: in the innermost block that holds all their uses.

So a scalar that each iteration sets anew is the iteration's own, which is what ``private`` says.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from rooflint.ir import Array, Branch, IdentityKey, Loop, Node, Region, Statement, children
from rooflint.records import NamedTuple
from rooflint.source_edit.c_writer.words import NestScope, NotWrittenError, own_name, type_text
from rooflint.transform.nest.rewrite import SCALAR_OPS, statements_in
from rooflint.transform.nest.scalars import assigned_scalars, exposed_scalars

Nodes = tuple[Node, ...]


class NestDeclarations(NamedTuple):
    """The variables that a nest declares.

    names    scalars and their kinds
    scalars  by block, the list of its nodes: the scalars declared in it
    arrays   by block: the arrays
    """

    names: Mapping[str, str]
    scalars: Mapping[IdentityKey, tuple[str, ...]]
    arrays: Mapping[IdentityKey, tuple[Array, ...]]

    @staticmethod
    def type_of(array: Array) -> str:
        """The C type of what an array holds."""
        return type_text(array.type)

    def arrays_of(self, nodes: Nodes) -> tuple[Array, ...]:
        """The arrays that a block begins with."""
        return self.arrays.get(IdentityKey(nodes), ())

    def before(self, nodes: Nodes, node: Node) -> Iterator[tuple[str, str]]:
        """The scalars and their types that are declared on lines of their own before ``node``."""
        for name in self.scalars.get(IdentityKey(nodes), ()):
            if _first(nodes, name) is node and not _sets_first(node, name):
                yield name, type_text(self.names[name])

    def begins(self, nodes: Nodes, node: Statement, target: str) -> str:
        """The type before the first assignment to ``target`` in its block, else empty."""
        for name in self.scalars.get(IdentityKey(nodes), ()):
            first = own_name(name) == target and _first(nodes, name) is node
            if first and _sets_first(node, name):
                return type_text(self.names[name])
        return ""


def declarations(nodes: Nodes, scope: NestScope, unread: Collection[str]) -> NestDeclarations:
    """Variables that ``nodes`` set and read and that the surroundings do not declare."""
    known = {*scope.declared, *unread}
    names = {n: kind for n, kind in assigned_scalars(nodes).items() if n not in known}
    for statement in statements_in(nodes):
        for value in statement.values:
            if value.op == "assign" and names.get(value.name, value.type) != value.type:
                raise NotWrittenError(f"{value.name} stands for variables of two types")
    scalars: dict[IdentityKey, tuple[str, ...]] = {}
    for name in names:
        block = IdentityKey(_block_of(nodes, name))
        scalars[block] = (*scalars.get(block, ()), name)
    arrays: dict[IdentityKey, tuple[Array, ...]] = {}
    for array in scope.new_arrays:
        block = IdentityKey(_block_of_array(nodes, array.name))
        arrays[block] = (*arrays.get(block, ()), array)
    return NestDeclarations(names, scalars, arrays)


def _block_of(nodes: Nodes, name: str) -> Nodes:
    users = [node for node in nodes if _mentions(node, name)]
    inner = _block_inside(users[0], name) if len(users) == 1 else None
    return nodes if inner is None else _block_of(inner, name)


def _block_inside(user: Node, name: str) -> Nodes | None:
    """The nodes inside the only user of a scalar that hold all of it; None where none do."""
    if isinstance(user, Loop):
        return user.body if name not in exposed_scalars(user.body) else None
    if isinstance(user, Region):
        shared = {n for c in user.clauses if c.name != "private" for n in c.variables}
        return user.body if name not in shared else None
    if not isinstance(user, Branch) or _mentions(user.condition, name):
        return None
    in_then, in_else = (any(_mentions(n, name) for n in arm) for arm in (user.then, user.orelse))
    if in_then and in_else:
        return None
    return user.then if in_then else user.orelse


def _block_of_array(nodes: Nodes, name: str) -> Nodes:
    users = [node for node in nodes if _touches(node, name)]
    if len(users) == 1 and isinstance(users[0], Loop | Region):
        return _block_of_array(users[0].body, name)
    return nodes


def _mentions(node: Node, name: str) -> bool:
    if isinstance(node, Statement):
        return any(v.op in SCALAR_OPS and v.name == name for v in node.values)
    return any(_mentions(child, name) for child in children(node))


def _touches(node: Node, name: str) -> bool:
    if isinstance(node, Statement):
        return any(access.array == name for access in node.accesses)
    return any(_touches(child, name) for child in children(node))


def _first(nodes: Iterable[Node], name: str) -> Node | None:
    return next((node for node in nodes if _mentions(node, name)), None)


def _sets_first(node: Node, name: str) -> bool:
    """Whether a statement assigns ``name`` before it reads it."""
    if not isinstance(node, Statement):
        return False
    own = [v.op for v in node.values if v.op in SCALAR_OPS and v.name == name]
    return own[0] == "assign"

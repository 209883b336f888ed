"""Loops, branches and directives as C, with declarations where their variables are needed."""

from collections.abc import Iterable, Iterator
from itertools import permutations

from rooflint.ir import (
    UNCOUNTED,
    Access,
    Array,
    Branch,
    Call,
    Exit,
    Function,
    Loop,
    Node,
    Opaque,
    Poly,
    Region,
    Statement,
    Unknown,
    walk,
)
from rooflint.ir.poly import PolyFunction
from rooflint.source_edit.c_writer.closed import PolynomialWriter, source_tokens
from rooflint.source_edit.c_writer.declarations import declarations
from rooflint.source_edit.c_writer.values import StatementText, Writer
from rooflint.source_edit.c_writer.words import (
    ATOM,
    LESS,
    SUM,
    UNARY,
    CExpression,
    NestScope,
    NotWrittenError,
    own_name,
    place,
)
from rooflint.transform.nest.legality import may_hold
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.scalars import read_scalars

INDENT = "  "
DECIDES = frozenset(("compare", "and", "or", "not"))


def write_nest(
    function: Function, nodes: tuple[Node, ...], outer: tuple[Loop, ...], scope: NestScope
) -> str:
    """``nodes`` of ``function``, inside the loops ``outer``, as C; ends with a newline.

    Raises NotWrittenError for what the IR does not keep.
    """
    lines, _ = _Nest(function, nodes, outer, scope).block(nodes)
    return "".join(f"{line}\n" for line in lines)


class _Nest:
    """The nest being written."""

    def __init__(
        self, function: Function, nodes: tuple[Node, ...], outer: tuple[Loop, ...], scope: NestScope
    ) -> None:
        self.scope = scope
        self.arrays = {array.name: array for array in function.arrays}
        self.loops = list(outer)
        self.indices = {loop.index for loop in outer}
        self.own = {node.index for node in walk(nodes) if isinstance(node, Loop)}
        self.written = {a.array for s in statements_in(nodes) for a in s.accesses if a.write}
        # where a loop over what memory holds begins is kept as an assignment to its index too
        self.unread = self.own - read_scalars(nodes)
        self.declared = declarations(nodes, scope, self.unread)
        self.taken = set(self.declared.names) | set(scope.declared) | set(self.arrays) | self.own
        self.in_subscript = False
        self.rounds_alike: frozenset[PolyFunction] = frozenset()
        closed = PolynomialWriter(self.name, self.unknown, self.divides)
        self.writer = Writer(
            closed, self.element, self.scalar, self.called, self.fresh, self.unread
        )
        self.text = closed.text

    # -- nodes -----------------------------------------------------------------------------------

    def block(self, nodes: tuple[Node, ...]) -> tuple[list[str], int]:
        lines: list[str] = []
        count = 0
        for array in self.declared.arrays_of(nodes):
            lines.append(f"{self.declaration(array)};")
            count += 1
        for node in nodes:
            for name, kind in self.declared.before(nodes, node):
                lines.append(f"{kind} {self.scalar(name)};")
                count += 1
            more, number = self.node(nodes, node)
            lines += more
            count += number
        return lines, count

    def node(self, nodes: tuple[Node, ...], node: Node) -> tuple[list[str], int]:
        if isinstance(node, Statement):
            return self.statement(nodes, node)
        if isinstance(node, Loop):
            return self.loop(node)
        if isinstance(node, Branch):
            return self.branch(node)
        if isinstance(node, Region):
            return self.region(node)
        if isinstance(node, Exit) and node.kind in ("break", "continue"):
            return [f"{node.kind};"], 1
        if isinstance(node, Call) and node.effects == "none" and not node.arrays:
            return [], 0
        raise NotWrittenError(_loss(node))

    def statement(self, nodes: tuple[Node, ...], node: Statement) -> tuple[list[str], int]:
        lines: list[str] = []
        begun: set[str] = set()
        for kind, target, rest in StatementText(node, self.writer).lines():
            type_ = kind
            if not kind and target not in begun:
                type_ = self.declared.begins(nodes, node, target)
            lines.append(f"{type_} {target}{rest}".lstrip())
            if type_:
                begun.add(target)
        return lines, len(lines) + bool(begun)

    def loop(self, loop: Loop) -> tuple[list[str], int]:
        """A ``for`` with its body."""
        if not {"condition", UNCOUNTED}.isdisjoint(loop.exits):
            raise NotWrittenError("a loop that more than a count of its index ends")
        head = self.header(loop)
        self.loops.append(loop)
        self.indices.add(loop.index)
        body, count = self.block(loop.body)
        self.loops.pop()
        if not any(each.index == loop.index for each in self.loops):
            self.indices.discard(loop.index)
        pragmas = [f"#pragma {text}" for text in loop.pragmas]
        plain = count == 1 and not any(line.startswith("#") for line in body)
        return [*pragmas, *_braced(head, body, plain and not isinstance(loop.body[0], Branch))], 1

    def header(self, loop: Loop) -> str:
        """``for (int i = 0; i < n; i++)``."""
        index = own_name(loop.index)
        kind = self.scope.index_types.get(loop.index, "int")
        step = loop.step.value
        lower, upper, self.rounds_alike = bounds(loop)
        begin = self.text(lower)
        if step is not None and step < 0:
            test = f"{index} >= {self.text(upper + 1, LESS + 1)}"
        elif upper.value is None and upper.terms.get(()) == 1:
            test = f"{index} <= {self.text(upper - 1, LESS + 1)}"
        else:
            test = f"{index} < {self.text(upper, LESS + 1)}"
        self.rounds_alike = frozenset()
        moves = {1: f"{index}++", -1: f"{index}--"}.get(step or 0)
        if moves is None and step is not None and step < 0:
            moves = f"{index} -= {-step}"
        moves = moves or f"{index} += {self.text(loop.step)}"
        return f"for ({kind} {index} = {begin}; {test}; {moves})"

    def branch(self, node: Branch) -> tuple[list[str], int]:
        """``if (...) { } else { }``; what the condition needs first stands before it."""
        last = node.condition.values[-1] if node.condition.values else None
        if last is None or not (last.op in DECIDES or last.type == "bool"):
            raise NotWrittenError("a branch on a value, which may be a switch")
        test = StatementText(node.condition, self.writer, condition=True)
        before = [f"{kind} {target}{rest}".lstrip() for kind, target, rest in test.lines()]
        then, _ = self.block(node.then)
        lines = [f"if ({test.tested()}) {{", *_indented(then), "}"]
        if node.orelse:
            orelse, count = self.block(node.orelse)
            if count == 1 and isinstance(node.orelse[0], Branch) and orelse[0].startswith("if ("):
                lines = [*lines[:-1], f"}} else {orelse[0]}", *orelse[1:]]
            else:
                lines = [*lines[:-1], "} else {", *_indented(orelse), "}"]
        return [*before, *lines], len(before) + 1

    def region(self, region: Region) -> tuple[list[str], int]:
        clauses = ""
        for clause in region.clauses:
            value = self.clause(clause.name, clause.value)
            if value or not clause.value:
                clauses += f" {clause.name}({value})" if value else f" {clause.name}"
        body, count = self.block(region.body)
        pragma = f"#pragma omp {region.kind}{clauses}"
        if count == 1:
            return [pragma, *body], 1
        return [pragma, "{", *_indented(body), "}"], 1

    def clause(self, name: str, value: str) -> str:
        if name == "reduction" and ("->" in value or "." in value):
            raise NotWrittenError(f"{name}({value}): clauses name no members")
        if name != "private":
            return value
        inside = self.declared.names
        names = [each.strip() for each in value.split(",")]
        return ", ".join(own_name(each) for each in names if each not in inside)

    # -- names -----------------------------------------------------------------------------------

    def fresh(self, base: str) -> str:
        """``base``, or with a number behind it, that nothing here is called."""
        name, number = base, 1
        while name in self.taken:
            number += 1
            name = f"{base}{number}"
        self.taken.add(name)
        return name

    def scalar(self, name: str) -> str:
        if name in self.declared.names:
            return own_name(name)
        return self.place(name)

    def place(self, name: str) -> str:
        members = self.scope.members
        if members is not None and ("." in name or "->" in name) and name not in members:
            raise NotWrittenError(f"the source has another name for {name}")
        return place(name)

    def called(self, name: str) -> str:
        # a name with a blank is none: nobody knows what is called
        if name not in self.scope.called or " " in name:
            raise NotWrittenError(f"a call of {name}, whose arguments are not kept")
        return name

    def name(self, name: str) -> CExpression:
        if name in self.indices and name in self.own:
            return CExpression(own_name(name))
        if name in self.own or (name in self.scope.unclear and name not in self.indices):
            raise NotWrittenError(f"{name} is set in several places of the function")
        if "[" in name:
            return self.computed(name, f"{name} is a size that the data decides")
        if name in self.scope.unsigned and not self.in_subscript:
            return CExpression(f"(long){self.place(name)}", UNARY)
        return CExpression(self.place(name))

    def unknown(self, unknown: Unknown) -> CExpression:
        """A value read from memory that the nest does not change: ``col[j]``."""
        return self.computed(unknown.text, str(unknown.reason))

    def computed(self, text: str, reason: str) -> CExpression:
        tokens = source_tokens(text)
        names = [token for token in tokens if token.isidentifier()]
        if "[" not in tokens or not names or not set(names) <= self.arrays.keys() | self.indices:
            raise NotWrittenError(f"{text}: {reason}")
        moving = self.written | (self.scope.unclear - self.indices)
        if not moving.isdisjoint(names):
            raise NotWrittenError(f"{text} may change in the nest")
        shown = "".join(f" {token} " if token in "+-*" else token for token in tokens)
        return CExpression(shown, ATOM if shown == "".join(tokens) else SUM)

    def divides(self, atom: PolyFunction) -> bool:
        if atom in self.rounds_alike or str(atom) in self.scope.divisions:
            return True
        top, bottom = atom.operands
        return (bottom.value or 0) > 0 and not may_hold(top, "<", self.loops)

    # -- memory ----------------------------------------------------------------------------------

    def element(self, access: Access) -> str:
        """``A[i][j]``; refused for members of structures and for rows walked by a pointer."""
        array = self.arrays.get(access.array)
        if array is None:
            raise NotWrittenError(f"{access.array} is no array of the function")
        if access.array in self.scope.unclear:
            raise NotWrittenError(f"{access.array} is set in several places of the function")
        base = self.base(access.array)
        if access.bytes != array.element_bytes or access.type != array.type:
            raise NotWrittenError(f"a member of the structures in {access.array}")
        self.in_subscript = True
        subscripts = access.subscripts or self.flat(access, array)
        text = base + "".join(f"[{self.text(subscript)}]" for subscript in subscripts)
        self.in_subscript = False
        if not _agrees(access, array):
            raise NotWrittenError(f"{access.array} is not where its subscripts say")
        return text

    def base(self, name: str) -> str:
        """The name of an array in C; rows that pointers lead to have the name of those."""
        new = any(array.name == name for array in self.scope.new_arrays)
        return own_name(name) if new else self.place(name.lstrip("*"))

    def flat(self, access: Access, array: Array) -> tuple[Poly, ...]:
        size = access.bytes
        if len(array.extents) != 1 or any(c % size for c in access.offset.terms.values()):
            raise NotWrittenError(f"a walk across {access.array} by a pointer")
        return (Poly({m: c // size for m, c in access.offset.terms.items()}),)

    def declaration(self, array: Array) -> str:
        """``double sum_of_j[n]``."""
        extents = ""
        for extent in array.extents:
            if extent is None:
                raise NotWrittenError(f"the size of {array.name}")
            extents += f"[{self.text(extent)}]"
        return f"{self.declared.type_of(array)} {own_name(array.name)}{extents}"


def _agrees(access: Access, array: Array) -> bool:
    if not access.subscripts or access.array.startswith("*"):
        return True
    if len(access.subscripts) != len(array.extents):
        return False
    total = Poly.constant(0)
    for subscript, extent in zip(access.subscripts, array.extents, strict=True):
        total = total * (extent if extent is not None else 1) + subscript
    return any(extent is None for extent in array.extents[1:]) or (
        total * array.element_bytes == access.offset
    )


def bounds(loop: Loop) -> tuple[Poly, Poly, frozenset[PolyFunction]]:
    """Where a loop begins and ends, and the quotients in it that may round either way.

    Of a negative number rounded down or towards zero, both are at most zero: a loop that begins at
    ``a`` and ends ``k*floor(x, d)`` behind does not run either way, and ``max(a, a + ...)`` is
    ``a``. A loop for what is left over begins there, and needs no ``max``.
    """
    lower, upper = loop.lower, loop.upper
    sign = -1 if (loop.step.value or 1) < 0 else 1
    alike: set[PolyFunction] = set()
    found = _quotient((upper - lower) * sign)
    if found is not None:
        alike.add(found[1])
    for first, second in permutations(_operands(lower, "max" if sign > 0 else "min"), 2):
        found = _quotient((second - first) * sign)
        if found is None:
            continue
        factor, atom = found
        alike.add(atom)
        whole = atom.operands[1].value == factor and first + atom.operands[0] * sign == upper
        if whole and loop.step.value == sign:
            lower = second
    return lower, upper, frozenset(alike)


def _quotient(poly: Poly) -> tuple[int, PolyFunction] | None:
    """``k`` and ``floor(x, d)`` where ``poly`` is their product; ``d`` is above zero or a size."""
    if len(poly.terms) != 1:
        return None
    ((monomial, factor),) = poly.terms.items()
    atom = monomial[0] if len(monomial) == 1 else None
    if not isinstance(atom, PolyFunction) or atom.kind != "floordiv" or factor < 1:
        return None
    size = atom.operands[1].value
    return (factor, atom) if size is None or size > 0 else None


def _operands(poly: Poly, kind: str) -> tuple[Poly, ...]:
    """The two operands of a minimum or maximum; nothing for anything else."""
    if len(poly.terms) != 1:
        return ()
    ((monomial, factor),) = poly.terms.items()
    atom = monomial[0] if factor == 1 and len(monomial) == 1 else None
    alike = isinstance(atom, PolyFunction) and atom.kind == kind and len(atom.operands) == 2
    return atom.operands if alike and isinstance(atom, PolyFunction) else ()


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.startswith("#") else INDENT + line


def _braced(head: str, body: list[str], plain: bool) -> list[str]:
    if plain:
        return [head, *_indented(body)]
    return [f"{head} {{", *_indented(body), "}"]


def _loss(node: Exit | Call | Opaque) -> str:
    if isinstance(node, Exit):
        return f"{node.kind}, whose value or target is not kept"
    if isinstance(node, Call):
        return f"a call of {node.name}, whose arguments are not kept"
    return f"code that is not modelled: {node.reason}"

"""Movers: the integers and pointers that a loop changes, and what they are before it."""

from collections.abc import Iterable

from rooflint.frontend.lower.loops.trips import Mover
from rooflint.frontend.lower.members import member_before
from rooflint.frontend.lower.objects.places import pointer_of_variable
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.numbers import materialise
from rooflint.frontend.lower.state.operands import Lvalue, Pointer
from rooflint.frontend.lower.state.shared import Decl
from rooflint.frontend.parse import kinds
from rooflint.ir import Assignment, Induction, Node, Poly, Statement, walk


def enter_movers(
    context: LoweringContext, changed: frozenset[int], control: int
) -> dict[int, Mover]:
    """Gives every integer and pointer the loop changes a symbol; ``control`` is the counted one."""
    fields = {k for k, field in context.variables.member_fields.items() if field in changed}
    keys: Iterable[int] = changed | fields if fields else changed
    if len(changed) > 1 or fields:
        # sets of addresses have no order of their own: names give the same IR in every run
        keys = sorted(keys, key=lambda k: (k != control, *context.variables.rank(k)))
    movers: dict[int, Mover] = {}
    for key in keys:
        decl = context.unit.known(key)
        if decl is not None and decl.kind == kinds.FIELD:
            continue  # what changes is some record's field, under a key of its own
        before = context.env.get(key)
        if before is None:
            moves, before = _before_loop(context, key, decl)
            if not moves:
                continue
        if not isinstance(before, Lvalue):
            movers[key] = _mover(context, key, decl, before, key == control)
    return movers


def _before_loop(
    context: LoweringContext, key: int, decl: Decl | None
) -> tuple[bool, Poly | Pointer | None]:
    """Whether a variable without a binding is a mover, and what it holds; None if undefined."""
    if key in context.variables.member_fields:
        member = member_before(context, key)
        if member is not None:
            return True, member
        return False, None
    if decl is None or not (decl.ctype.is_integer or decl.ctype.shape == "pointer"):
        return False, None
    if context.unit.storage_of(decl) == "local":
        return True, None
    if decl.ctype.shape == "scalar":
        return True, context.symbols.size(context.variables.name(decl))
    return True, pointer_of_variable(context, decl)


def _mover(
    context: LoweringContext,
    key: int,
    decl: Decl | None,
    before: Poly | Pointer | None,
    is_control: bool,
) -> Mover:
    name = context.variables.name(decl) if decl is not None else context.variables.name_of(key)
    # only the counted variable keeps its plain name; the others are replaced in the end
    plain = decl.name if decl is not None else name
    symbol = context.symbols.fresh(plain if is_control else f"{plain}@")
    type_ = decl.ctype.ir if decl is not None and decl.ctype.is_integer else "i32"
    held = context.symbols.stated.get(key)
    mover = Mover(symbol=symbol, before=before, name=name, held=held, type=type_)
    context.symbols.note_type(symbol, type_)
    atom = Poly.symbol(symbol)
    context.symbols.state(key, atom)
    moving = before._replace(offset=atom, subscripts=None) if isinstance(before, Pointer) else atom
    context.bind(key, moving)
    return mover


def is_stated(context: LoweringContext, key: int) -> bool:
    """Whether statements say what the variable holds after an iteration."""
    return key in context.symbols.stated and context.env.get(key) == context.symbols.stated[key]


def state_start(
    context: LoweringContext, mover: Mover, body: tuple[Node, ...], origin: int
) -> bool:
    """Says before the loop what a stated variable begins with; False where nobody can say it.

    ``s = 0`` is a closed form until the loop adds to ``s``, and no statement.
    """
    before, held = mover.before, mover.held
    if before in (None, held, Poly.symbol(mover.name)):
        return True
    if not isinstance(before, Poly):
        return False
    rest = before if held is None or _are_apart(held, before) else before - held
    if rest.unknowns() or (held is not None and not _are_apart(held, rest)):
        return False
    type_ = _assigned_type(mover.name, body)
    pending = context.begin_statement()
    number = materialise(context, rest)
    if held is not None and rest is not before:
        number = context.emit_arithmetic("add", type_, materialise(context, held), number)
    context.emit(Assignment(type=type_, args=(number,), name=mover.name))
    context.append(context.take_statement(origin))
    context.flow.definitions.state(mover.name)
    context.resume_statement(pending)
    return True


def extra_induction(context: LoweringContext, key: int, mover: Mover) -> Induction:
    """A variable that the source sets in each iteration, and whether its value is known."""
    after = context.env.get(key)
    end = after.offset if isinstance(after, Pointer) else after
    fresh = isinstance(end, Poly) and not end.unknowns() and mover.symbol not in end.names()
    return Induction(mover.name, known=fresh)


def _are_apart(left: Poly, right: Poly) -> bool:
    return left.names().isdisjoint(right.names())


def _assigned_type(name: str, body: tuple[Node, ...]) -> str:
    """The type in which the body assigns a scalar."""
    statements = (node for node in walk(body) if isinstance(node, Statement))
    assigned = (v for s in statements for v in s.values if v.op == "assign" and v.name == name)
    return next((value.type for value in assigned), "i32")

"""Scalar expansion: a scalar that each iteration sets anew becomes an array, one element each.

Allen, Kennedy: Optimizing Compilers for Modern Architectures, section 5.3.
"""

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from rooflint import ir
from rooflint.dependence import is_private, memory_of, references_in, unproven
from rooflint.transform.nest.legality import held_in_register, is_read_behind, require_reorderable
from rooflint.transform.nest.rewrite import SCALAR_OPS, fresh, map_statements, statements_in
from rooflint.transform.nest.scalars import exposed_scalars, scalars_of
from rooflint.transform.nest.tree import Site, free_site, replace_nodes, site_of
from rooflint.transform.result import ChangedFunction, RefusalError, change, done


@change
def expand_scalar(function: ir.Function, loop: str, scalar: str) -> ChangedFunction:
    """``scalar`` in the loop as an element of a new array per iteration."""
    site = site_of(function, loop)
    own = site.loop
    found = scalars_of(own.body).get(scalar)
    if found is None:
        raise RefusalError(f"{loop} does not set {scalar}")
    if found.role != "private":
        raise RefusalError(f"{scalar} carries a value from one iteration to the next")
    if is_read_behind(function, site.path, (scalar,)):
        raise RefusalError(f"{scalar} is used after the loop")
    if found.type not in ir.BYTES:
        raise RefusalError(f"{scalar} has type {found.type}")
    if own.step not in (ir.ONE, -ir.ONE):
        raise RefusalError(f"the step of {own.index} is {own.step}")
    _require_fixed_count(site, scalar)
    name = fresh(function, f"{scalar}_of_{own.index}")
    size = ir.BYTES[found.type]
    place = (ir.Poly.symbol(own.index) - own.lower) * own.step
    element = ir.Access(
        array=name,
        offset=place * size,
        type=found.type,
        bytes=size,
        write=False,
        subscripts=(place,),
    )
    held = ir.Provenance("local", exposed=False)
    array = ir.Array(
        name=name,
        type=found.type,
        element_bytes=size,
        extents=(own.trip_count,),
        storage="local",
        provenance=held,
    )
    body = map_statements(own.body, lambda s: in_memory(s, scalar, element))
    new = replace_nodes(function, site.path, replace(own, body=body))
    new = replace(new, arrays=(*new.arrays, array))
    return done(new, "expand_scalar", loop, scalar=scalar)


@change
def sum_in_place(function: ir.Function, loop: str, scalar: str) -> ChangedFunction:
    """``scalar`` in the loop as the element that its last statement stores it to.

    Refused unless each iteration has an element of its own, of the scalar's type, that the loop
    touches nowhere else.
    """
    site = site_of(function, loop)
    own = site.loop
    found = scalars_of(own.body).get(scalar)
    if found is None or found.role != "private":
        raise RefusalError(f"{loop} does not set {scalar} anew in each iteration")
    if is_read_behind(function, site.path, (scalar,)):
        raise RefusalError(f"{scalar} is used after the loop")
    target = stored_to(own, scalar)
    if target is None:
        raise RefusalError(f"{loop} does not leave {scalar} in an element of its own")
    element = target._replace(write=False)
    body = map_statements(own.body[:-1], lambda s: in_memory(s, scalar, element))
    new = replace_nodes(function, site.path, replace(own, body=body))
    assumes = held_in_register(function, own, target.array)
    return done(new, "sum_in_place", loop, assumes=assumes, scalar=scalar)


def stored_to(loop: ir.Loop, scalar: str) -> ir.Access | None:
    """The element that the last statement of the loop stores ``scalar`` to, as it is; None where
    two iterations may share one, or where others touch the array."""
    last = loop.body[-1]
    if not isinstance(last, ir.Statement) or not _stores_only(last, scalar):
        return None
    [target] = last.accesses
    is_exact = {each.type for each in _uses(loop, scalar)} == {target.type}
    return target if is_exact and _is_alone(loop, target) else None


def _stores_only(statement: ir.Statement, scalar: str) -> bool:
    """Whether a statement does no more than to store ``scalar`` as it is."""
    if len(statement.values) != 2:
        return False
    value, store = statement.values
    return isinstance(value, ir.ScalarRead) and value.name == scalar and store.op == "store"


def _is_alone(loop: ir.Loop, access: ir.Access) -> bool:
    """Whether no two iterations touch the same bytes, and nothing else does by the array's name."""
    names = [each.array for s in statements_in(loop.body) for each in s.accesses]
    if names.count(access.array) > 1:
        return False
    step = access.offset.coefficient(loop.index)
    apart = None if step is None else (step * loop.step).value
    return apart is not None and abs(apart) >= access.bytes and not access.offset.unknowns()


def _uses(loop: ir.Loop, scalar: str) -> Iterator[ir.Value]:
    """The reads of a scalar, and what is assigned to it."""
    for statement in statements_in(loop.body):
        for value in statement.values:
            if value.op in SCALAR_OPS and value.name == scalar:
                yield value


def _require_fixed_count(site: Site, scalar: str) -> None:
    trips = site.loop.trip_count
    tied = [loop.index for loop in site.outer if loop.index in trips.mentions()]
    if tied or trips.unknowns():
        cause = tied[0] if tied else "the data"
        raise RefusalError(f"the number of values of {scalar} depends on {cause}")


def in_memory(statement: ir.Statement, scalar: str, element: ir.Access) -> ir.Statement:
    """``statement`` with reads of ``scalar`` as loads of ``element``, assignments as stores."""
    if not any(v.op in SCALAR_OPS and v.name == scalar for v in statement.values):
        return statement
    accesses = list(statement.accesses)
    values: list[ir.Value] = []
    for value in statement.values:
        if value.op in SCALAR_OPS and value.name == scalar:
            number, write = len(accesses), value.op == "assign"
            accesses.append(element._replace(write=write))
            values.append(
                ir.Store(type=value.type, args=value.args, access=number)
                if value.op == "assign"
                else ir.Load(type=value.type, access=number)
            )
        else:
            values.append(value)
    return replace(statement, values=tuple(values), accesses=tuple(accesses))


@change
def in_register(function: ir.Function, loop: str, array: str) -> ChangedFunction:
    """An element of ``array`` that the loop reads and writes in one place, kept in a scalar.

    Loaded before the loop and stored after it; refused where the place moves with the loop, or
    other accesses of the array may touch it.
    """
    site = free_site(function, loop)
    own = site.loop
    found = _only_place(own, array)
    moving = {node.index for node in ir.walk((own,)) if isinstance(node, ir.Loop)}
    if moving & found.offset.names() or found.offset.unknowns():
        raise RefusalError(f"{loop} does not keep to one element of {array}")
    require_reorderable((own,), "the loop")
    kind = found.type
    name = fresh(function, f"{array}_value")
    load = ir.Statement(
        (ir.Load(type=kind, access=0), ir.Assignment(type=kind, args=(0,), name=name)),
        (found,),
        own.origin,
    )
    store = ir.Statement(
        (ir.ScalarRead(type=kind, name=name), ir.Store(type=kind, args=(0,), access=0)),
        (found._replace(write=True),),
        own.origin,
    )
    body = map_statements(own.body, lambda s: _kept(s, array, name, ir.CarriedRead))
    new = replace_nodes(function, site.path, load, replace(own, body=body), store)
    assumes = held_in_register(function, own, array)
    return done(new, "in_register", loop, assumes=assumes, array=array)


@change
def in_local(function: ir.Function, loop: str, name: str) -> ChangedFunction:
    """A scalar in memory that statements of the loop change, such as a member, kept in a local
    variable: read before the loop and written after it."""
    site = free_site(function, loop)
    own = site.loop
    kind = assigned_cells(function, own).get(name)
    if kind is None:
        raise RefusalError(f"{loop} changes no scalar {name} in memory")
    require_reorderable((own,), "the loop")
    local = fresh(function, f"{name}_value")
    memory = memory_of(function)
    touched = references_in((own,), memory)
    written = [each for each in touched.written if each.name == name]
    others = [each for each in touched.used if each.name != name]
    body = map_statements(own.body, partial(_renamed, name=name, local=local))
    new = replace_nodes(
        function,
        site.path,
        _copied(kind, name, local, own.origin),
        replace(own, body=body),
        _copied(kind, local, name, own.origin),
    )
    assumes = unproven(written, others, memory)
    return done(new, "in_local", loop, assumes=assumes, name=name)


def assigned_cells(function: ir.Function, loop: ir.Loop) -> dict[str, str]:
    """The scalars in memory that statements of a loop change, by name, with their types."""
    cells = {cell.name for cell in function.cells}
    values = [value for each in statements_in(loop.body) for value in each.values]
    return {v.name: v.type for v in values if v.op == "assign" and v.name in cells}


def _renamed(statement: ir.Statement, name: str, local: str) -> ir.Statement:
    values = [
        replace(value, name=local)
        if value.op in ("scalar", "carried", "assign") and value.name == name
        else value
        for value in statement.values
    ]
    return replace(statement, values=tuple(values))


def _copied(kind: str, source: str, target: str, origin: int) -> ir.Statement:
    read, assigned = (
        ir.ScalarRead(type=kind, name=source),
        ir.Assignment(type=kind, args=(0,), name=target),
    )
    return ir.Statement((read, assigned), (), origin)


@change
def contract_array(function: ir.Function, loop: str, array: str) -> ChangedFunction:
    """A local array that each iteration writes and reads in one place only, as a scalar.

    Nothing else in the function may use the array: what is often left of it after fusion.
    """
    site = site_of(function, loop)
    own = site.loop
    _only_place(own, array)
    inside, everywhere = (
        [a for s in statements_in(nodes) for a in s.accesses if a.array == array]
        for nodes in (own.body, function.body)
    )
    is_local = any(is_private(a) for a in function.arrays if a.name == array)
    if len(inside) != len(everywhere) or not is_local:
        raise RefusalError(f"{array} is used outside {loop}")
    name = fresh(function, f"{array}_value")
    body = map_statements(own.body, lambda s: _kept(s, array, name, ir.ScalarRead))
    if name in exposed_scalars(body):
        raise RefusalError(f"{loop} reads {array} before it writes it")
    new = replace_nodes(function, site.path, replace(own, body=body))
    new = replace(new, arrays=tuple([a for a in function.arrays if a.name != array]))
    return done(new, "contract_array", loop, array=array)


def _only_place(loop: ir.Loop, array: str) -> ir.Access:
    """The one place of ``array`` that ``loop`` reads and writes, as a load. Raises RefusalError
    where there are several."""
    inside = [a for s in statements_in(loop.body) for a in s.accesses if a.array == array]
    if not any(access.write for access in inside):
        raise RefusalError(f"{loop.index} does not write {array}")
    if len({(access.offset, access.type, access.bytes) for access in inside}) > 1:
        raise RefusalError(f"{loop.index} touches {array} in several places")
    return inside[0]._replace(write=False)


def _kept(
    statement: ir.Statement, array: str, name: str, first: type[ir.ScalarRead | ir.CarriedRead]
) -> ir.Statement:
    """``statement`` with the accesses of ``array`` as those of a scalar. ``first`` reads it until
    it is set."""
    values: list[ir.Value] = []
    written = False
    for value in statement.values:
        if (
            isinstance(value, ir.Load | ir.Store)
            and statement.accesses[value.access].array == array
        ):
            if value.op == "store":
                values.append(ir.Assignment(type=value.type, args=value.args, name=name))
                written = True
            else:
                read = ir.ScalarRead if written else first
                values.append(read(type=value.type, name=name))
        else:
            values.append(value)
    kept = [n for n, a in enumerate(statement.accesses) if a.array != array]
    renumbered = {old: new for new, old in enumerate(kept)}
    values = [
        replace(v, access=renumbered[v.access]) if isinstance(v, ir.Load | ir.Store) else v
        for v in values
    ]
    return replace(
        statement, values=tuple(values), accesses=tuple([statement.accesses[n] for n in kept])
    )

"""Changes of data layout: arrays of structures split by field, rows made longer.

They change what the rest of the program sees of the data, so each rests on saying so.
"""

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from rooflint import ir
from rooflint.transform.nest.rewrite import (
    definitions_at,
    fresh,
    map_statements,
    statements_in,
    substitute_indices,
)
from rooflint.transform.nest.tree import with_bodies
from rooflint.transform.result import ChangedFunction, RefusalError, change, done


@change
def split_fields(function: ir.Function, array: str, record_bytes: int = 0) -> ChangedFunction:
    """An array of structures as one array per field that the function touches (AoS to SoA).

    The new arrays are called by the byte of the field: ``p_8`` holds what was at byte 8 of each.
    With ``record_bytes`` a plain array is taken for one of structures of that size, as ``a[3*i]``
    walks it; loops in steps that walk it are counted from 0 by 1.
    """
    found = _array(function, array)
    record = record_bytes or found.element_bytes
    if not record:
        raise RefusalError(f"the size of what {array} holds is not known")
    if record_bytes:
        function = replace(function, body=_counted(function.body, array))
    fields = _fields(function, found, record)

    def change_access(access: ir.Access) -> ir.Access:
        at = access.offset.terms.get((), 0) % record
        elements = _divided(access.offset - at, record)
        return access._replace(array=fields[at].name, offset=elements * access.bytes)

    body = map_statements(function.body, _accesses(array, change_access))
    arrays: list[ir.Array] = []
    for each in function.arrays:
        arrays += [fields[at] for at in sorted(fields)] if each.name == array else [each]
    new = replace(function, arrays=tuple(arrays), body=body)
    assumes = (f"all code that uses {array} changes with it",)
    if not record_bytes:
        return done(new, "split_fields", "", assumes=assumes, array=array)
    return done(new, "split_fields", "", assumes=assumes, array=array, record_bytes=record_bytes)


def _fields(function: ir.Function, array: ir.Array, record: int) -> dict[int, ir.Array]:
    fields: dict[int, ir.Array] = {}
    for access in _accesses_of(function, array.name):
        offset = access.offset.terms
        if access.bits:
            raise RefusalError(f"fields of {array.name} share their bytes")
        if access.bytes >= record or any(c % record for m, c in offset.items() if m):
            raise RefusalError(f"{array.name} is not accessed by fields of {record} B structures")
        at = offset.get((), 0) % record
        name = fresh(function, f"{array.name}_{at}")
        new = array._replace(name=name, type=access.type, element_bytes=access.bytes)
        if fields.setdefault(at, new) != new:
            raise RefusalError(f"{array.name} is accessed with different types at byte {at}")
    if not fields:
        raise RefusalError(f"no field of {array.name} is used")
    return fields


def _accesses_of(function: ir.Function, array: str) -> list[ir.Access]:
    return [a for s in statements_in(function.body) for a in s.accesses if a.array == array]


@change
def narrow_elements(function: ir.Function, array: str) -> ChangedFunction:
    """An array of 8 B integers as one of 4 B integers: enough for indices below 2^31."""
    found = _array(function, array)
    new_type = {"i64": "i32", "u64": "u32"}.get(found.type)
    if new_type is None or found.element_bytes != 8:
        raise RefusalError(f"{array} does not hold integers of 8 B")
    accesses = _accesses_of(function, array)
    if any(a.bytes != 8 or a.offset.terms.get((), 0) % 8 for a in accesses):
        raise RefusalError(f"{array} is not accessed by whole elements")

    def change(access: ir.Access) -> ir.Access:
        return access._replace(offset=_divided(access.offset, 2), type=new_type, bytes=4)

    body = map_statements(function.body, _accesses(array, change))
    narrow = found._replace(type=new_type, element_bytes=4)
    arrays = tuple([narrow if a is found else a for a in function.arrays])
    assumes = (
        f"all values of {array} are below 2^31",
        f"all code that uses {array} changes with it",
    )
    new = replace(function, arrays=arrays, body=body)
    return done(new, "narrow_elements", "", assumes=assumes, array=array)


def _counted(nodes: tuple[ir.Node, ...], array: str) -> tuple[ir.Node, ...]:
    """``nodes`` with loops of a known step that walk ``array`` counted from 0 by 1."""
    counted = [
        _from_zero(node) if isinstance(node, ir.Loop) and _walks(node, array) else node
        for node in nodes
    ]
    return tuple([with_bodies(node, partial(_counted, array=array)) for node in counted])


def _walks(loop: ir.Loop, array: str) -> bool:
    accesses = [a for s in statements_in(loop.body) for a in s.accesses]
    return any(a.array == array and loop.index in a.offset.names() for a in accesses)


def _from_zero(loop: ir.Loop) -> ir.Loop:
    if loop.step == ir.ONE or loop.step.value is None:
        return loop
    place = loop.lower + loop.step * ir.Poly.symbol(loop.index)
    body = substitute_indices(loop.body, {loop.index: place})
    made = definitions_at(loop.definitions, {loop.index: place})
    counted = replace(loop, lower=ir.ZERO, upper=loop.trip_count, step=ir.ONE, body=body)
    return replace(counted, definitions=made)


@change
def pad(function: ir.Function, array: str, elements: int) -> ChangedFunction:
    """Rows of ``array`` longer by so many elements, so that they start in other cache sets."""
    found = _array(function, array)
    old = found.extents
    if elements < 1 or len(old) < 2 or any(extent is None for extent in old[1:]):
        raise RefusalError(f"{array} has no rows of known length")
    last = old[-1]
    assert last is not None
    extents = (*old[:-1], last + elements)
    if any(len(access.subscripts) != len(old) for access in _accesses_of(function, array)):
        raise RefusalError(f"{array} is also accessed without its {len(old)} subscripts")

    def change(access: ir.Access) -> ir.Access:
        subscripts = access.subscripts
        moved = _place(subscripts, extents) - _place(subscripts, old)
        return access._replace(offset=access.offset + moved * found.element_bytes)

    body = map_statements(function.body, _accesses(array, change))
    arrays = tuple([found._replace(extents=extents) if a is found else a for a in function.arrays])
    assumes = () if found.storage == "local" else (f"all code that uses {array} changes with it",)
    new = replace(function, arrays=arrays, body=body)
    return done(new, "pad", "", assumes=assumes, array=array, elements=elements)


def _place(subscripts: tuple[ir.Poly, ...], extents: tuple[ir.Poly | None, ...]) -> ir.Poly:
    place = ir.ZERO
    for subscript, extent in zip(subscripts, extents, strict=True):
        place = place * (extent if extent is not None else 1) + subscript
    return place


def _array(function: ir.Function, name: str) -> ir.Array:
    """The array, unless something other than accesses refers to it."""
    for node in ir.walk(function.body):
        if isinstance(node, ir.Call) and name in node.arrays:
            raise RefusalError(f"{name} is passed to {node.name}")
    for array in function.arrays:
        if array.name == name:
            return array
    raise RefusalError(f"there is no array {name}")


def _accesses(
    array: str, change: Callable[[ir.Access], ir.Access]
) -> Callable[[ir.Statement], ir.Statement]:
    def changed(statement: ir.Statement) -> ir.Statement:
        if not any(access.array == array for access in statement.accesses):
            return statement
        new = [change(a) if a.array == array else a for a in statement.accesses]
        return replace(statement, accesses=tuple(new))

    return changed


def _divided(poly: ir.Poly, by: int) -> ir.Poly:
    return ir.Poly({monomial: c // by for monomial, c in poly.terms.items()})

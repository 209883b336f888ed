"""Scalar expansion: a scalar that each iteration sets anew becomes an array, one element each.

Allen, Kennedy: Optimizing Compilers for Modern Architectures, section 5.3.
"""

from dataclasses import replace

from rooflint.ir import BYTES, ONE, Access, Array, Function, Poly, Statement, Value
from rooflint.transform.legality import is_read_behind
from rooflint.transform.result import Refused, Result, done
from rooflint.transform.rewrite import SCALAR_OPS, fresh, map_statements, statements_in
from rooflint.transform.scalars import scalars_of
from rooflint.transform.tree import replaced, site_of


def expand_scalar(function: Function, loop: str, scalar: str) -> Result:
    """``scalar`` in the loop as an element of a new array per iteration."""
    site = site_of(function, loop)
    if isinstance(site, Refused):
        return site
    own = site.loop
    found = scalars_of(own.body).get(scalar)
    if found is None:
        return Refused(f"{loop} does not set {scalar}")
    if found.role != "private":
        return Refused(f"{scalar} goes from one iteration to the next")
    if is_read_behind(function, site.path, (scalar,)):
        return Refused(f"{scalar} is used after the loop")
    if found.type not in BYTES:
        return Refused(f"{scalar} has type {found.type}")
    if own.step not in (ONE, -ONE):
        return Refused(f"the step of {own.index} is {own.step}")
    tied = [x.index for x in site.outer if x.index in own.trip_count.names()]
    if tied or own.trip_count.unknowns():
        return Refused(f"how many {scalar} there are depends on {tied[0] if tied else 'the data'}")
    name = fresh(function, f"{scalar}_of_{own.index}")
    size = BYTES[found.type]
    place = (Poly.symbol(own.index) - own.lower) * own.step
    element = Access(name, place * size, found.type, size, False, (place,))
    array = Array(name, found.type, size, (own.trip_count,), "local")
    body = map_statements(own.body, lambda s: in_memory(s, scalar, element))
    new = replaced(function, site.path, replace(own, body=body))
    new = replace(new, arrays=(*new.arrays, array))
    return done(new, "expand_scalar", loop, scalar=scalar)


def in_memory(statement: Statement, scalar: str, element: Access) -> Statement:
    """``statement`` with reads of ``scalar`` as loads of ``element``, assignments as stores."""
    if not any(v.op in SCALAR_OPS and v.name == scalar for v in statement.values):
        return statement
    accesses = list(statement.accesses)
    values: list[Value] = []
    for value in statement.values:
        if value.op in SCALAR_OPS and value.name == scalar:
            write = value.op == "assign"
            op = "store" if write else "load"
            values.append(Value(op, value.type, value.args, "", len(accesses)))
            accesses.append(element._replace(write=write))
        else:
            values.append(value)
    return replace(statement, values=tuple(values), accesses=tuple(accesses))


def in_register(function: Function, loop: str, array: str) -> Result:
    """An element of ``array`` that the loop reads and writes in one place, kept in a scalar.

    Loaded before the loop and stored after it; refused where the place moves with the loop, or
    other accesses of the array may touch it.
    """
    site = site_of(function, loop)
    if isinstance(site, Refused):
        return site
    own = site.loop
    inside = [
        access
        for statement in statements_in(own.body)
        for access in statement.accesses
        if access.array == array
    ]
    if not any(access.write for access in inside):
        return Refused(f"{loop} does not write {array}")
    places = {access.offset for access in inside}
    [place, *others] = places
    if others or own.index in place.names() or place.unknowns():
        return Refused(f"{loop} does not keep to one element of {array}")
    if own.exits:
        return Refused(f"the loop can be left by {own.exits[0]}")
    kind = inside[0].type
    name = fresh(function, f"{array}_value")
    element = inside[0]._replace(write=False)
    load = Statement(
        (Value("load", kind, (), "", 0), Value("assign", kind, (0,), name)), (element,), own.origin
    )
    store = Statement(
        (Value("scalar", kind, (), name), Value("store", kind, (0,), "", 0)),
        (element._replace(write=True),),
        own.origin,
    )
    body = map_statements(own.body, lambda s: _kept(s, array, name))
    new = replaced(function, site.path, load, replace(own, body=body), store)
    others_there = sorted(
        {
            a.array
            for s in statements_in(own.body)
            for a in s.accesses
            if a.array != array and a.type == kind
        }
    )
    assumes = tuple([f"{' and '.join(sorted((array, o)))} do not overlap" for o in others_there])
    return done(new, "in_register", loop, assumes=assumes, array=array)


def _kept(statement: Statement, array: str, name: str) -> Statement:
    values: list[Value] = []
    written = False
    for value in statement.values:
        if value.access >= 0 and statement.accesses[value.access].array == array:
            if value.op == "store":
                values.append(Value("assign", value.type, value.args, name))
                written = True
            else:
                values.append(Value("scalar" if written else "carried", value.type, (), name))
        else:
            values.append(value)
    kept = [n for n, a in enumerate(statement.accesses) if a.array != array]
    renumbered = {old: new for new, old in enumerate(kept)}
    values = [
        v._replace(access=renumbered[v.access]) if v.access in renumbered else v for v in values
    ]
    return replace(
        statement, values=tuple(values), accesses=tuple([statement.accesses[n] for n in kept])
    )

"""Loads of one array in a loop of their own, through a temporary array that the rest reads.

What others advise for gathers (Open Catalog PWR060). The temporary is a stream more, written and
read: priced here, so that it can be refused with a number.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from rooflint.ir import (
    Access,
    Assignment,
    Function,
    Load,
    Loop,
    ScalarRead,
    Statement,
    Store,
    Value,
    plain,
    with_operands,
)
from rooflint.ir.written import names_in_form
from rooflint.transform.bodies import fission
from rooflint.transform.expand import expand_scalar
from rooflint.transform.nest.graph import Builder
from rooflint.transform.nest.legality import kept_apart
from rooflint.transform.nest.rewrite import fresh, map_statements, statements_in
from rooflint.transform.nest.scalars import assigned_scalars
from rooflint.transform.nest.tree import replace_nodes, site_of, sites
from rooflint.transform.result import ChangedFunction, RefusalError, accept_change, change, done


@change
def load_apart(function: Function, loop: str, array: str) -> ChangedFunction:
    """``load_first``, its scalar expanded, and the loop cut behind the load."""
    result = accept_change(load_first(function, loop, array))
    first = sites(result.function)[loop].loop.body[0]
    assert isinstance(first, Statement)
    [scalar] = assigned_scalars((first,))
    result = accept_change(result.then(lambda f: expand_scalar(f, loop, scalar)))
    return accept_change(result.then(lambda f: fission(f, loop, 1)))


@change
def load_first(function: Function, loop: str, array: str) -> ChangedFunction:
    """The first element of ``array`` that an iteration loads, in a scalar set at its beginning.

    Refused where the loop stores to the array, or to one that the element's index comes from.
    """
    site = site_of(function, loop)
    own = site.loop
    found = _loaded(own, array)
    if found is None:
        raise RefusalError(f"{loop} does not load {array} in every iteration")
    inside = [access for s in statements_in(own.body) for access in s.accesses]
    through = _index_arrays(function, found)
    stored = {array, *through} & {access.array for access in inside if access.write}
    if stored:
        raise RefusalError(f"{loop} stores to {min(stored)}")
    name = fresh(function, f"{array}_value")
    loads = (*dict.fromkeys([a for a in inside if a.array in through]), found)
    values: list[Value] = [Load(type=a.type, access=number) for number, a in enumerate(loads)]
    values.append(Assignment(type=found.type, args=(len(values) - 1,), name=name))
    first = Statement(tuple(values), loads, own.body[0].origin)
    body = map_statements(own.body, lambda s: _reading(s, found, name))
    if not _indirect(statements_in(body)):
        body = map_statements(body, lambda s: _without_loads(s, through))
    new = replace_nodes(function, site.path, replace(own, body=(first, *body)))
    assumes = kept_apart(function, own, (first,))
    return done(new, "load_first", loop, assumes=assumes, array=array)


def _index_arrays(function: Function, access: Access) -> set[str]:
    """The arrays that say which element is accessed, as the text of its index names them."""
    unknown = access.offset.unknowns()
    if any(each.reason.kind != "indirect" for each in unknown):
        text = plain(unknown[0])
        raise RefusalError(f"the index of {access.array} is not in closed form: {text}")
    named = {name for each in unknown for name in names_in_form(each.form, "array")}
    return named & {each.name for each in function.arrays}


def _loaded(loop: Loop, array: str) -> Access | None:
    """The first load of ``array`` outside branches and loops inside."""
    statements = [node for node in loop.body if isinstance(node, Statement)]
    loads = [a for s in statements for a in s.accesses if a.array == array and not a.write]
    return loads[0] if loads else None


def _indirect(statements: Iterable[Statement]) -> bool:
    return any(a.offset.unknowns() for statement in statements for a in statement.accesses)


def _reading(statement: Statement, access: Access, scalar: str) -> Statement:
    """``statement`` with loads of ``access`` as reads of ``scalar``."""
    if access not in statement.accesses:
        return statement
    work = Builder(statement)
    for value in statement.values:
        if isinstance(value, Load | Store) and statement.accesses[value.access] == access:
            work.add(ScalarRead(type=value.type, name=scalar))
        else:
            work.add(with_operands(value, work.arguments(value)))
    return work.statement()


def _without_loads(statement: Statement, arrays: set[str]) -> Statement:
    """``statement`` without loads of ``arrays`` that only said where something was."""
    if not any(access.array in arrays for access in statement.accesses):
        return statement
    work = Builder(statement)
    for value in statement.values:
        work.add(with_operands(value, work.arguments(value)))
    return work.statement(live_only=True)

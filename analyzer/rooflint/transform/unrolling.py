"""Unrolling: several iterations as one, with sums split over independent accumulators if asked."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from rooflint import ir
from rooflint.dependence import Assumption
from rooflint.ir.poly import function as poly_function
from rooflint.ir.values import ArithmeticOp, RelationalOperator
from rooflint.transform.nest import legality
from rooflint.transform.nest.rewrite import (
    forward_scalars,
    fresh,
    rename_scalars,
    repeated_definitions,
    substitute_indices,
)
from rooflint.transform.nest.scalars import IDENTITY, Scalar, assigned_scalars, scalars_of
from rooflint.transform.nest.tree import Nodes, free_site, replace_nodes
from rooflint.transform.result import ChangedFunction, RefusalError, change, done


@change
def unroll(function: ir.Function, loop: str, factor: int, accumulators: int = 1) -> ChangedFunction:
    """``factor`` iterations per iteration, and a loop for what is left over.

    With ``accumulators`` above 1 each reduction is split over so many scalars, combined behind the
    loop: not exact for floating-point numbers.
    """
    site = free_site(function, loop)
    own = site.loop
    _require_fit(own, factor, accumulators)
    sums = [s for s in scalars_of(own.body).values() if s.role == "reduction"]
    if accumulators > 1 and not sums:
        raise RefusalError(f"{loop} accumulates nothing")
    if accumulators > 1:
        legality.require_stated(function, site)
    names = _names(function, sums, accumulators)
    body = _copies(own, factor, names)
    main, rest = split_loop(own, factor)
    main = replace(main, body=body, definitions=repeated_definitions(own, factor))
    begin, end = _around(sums, names, own.origin)
    tail: Nodes = () if rest is None else (rest,)
    new = replace_nodes(function, site.path, *begin, main, *end, *tail)
    exact = accumulators == 1 or not any(map(legality.sums_round, sums))
    assumes = _rests_on(function, own, names if accumulators > 1 else {})
    return done(
        new, "unroll", loop, assumes=assumes, exact=exact, factor=factor, accumulators=accumulators
    )


def _rests_on(
    function: ir.Function, own: ir.Loop, split: Mapping[str, list[str]]
) -> tuple[Assumption, ...]:
    """That no store changes the header, or a sum that is ``split`` and lies in memory."""
    sums = [ir.ScalarRead(type="f64", name=name) for name in split]
    stated = (
        *legality.steady(function, own),
        *legality.kept_apart(function, own, (ir.Statement(tuple(sums)),)),
    )
    return tuple(dict.fromkeys(stated))


def _require_fit(own: ir.Loop, factor: int, accumulators: int) -> None:
    if factor < 2 or not 1 <= accumulators <= factor or factor % accumulators:
        raise RefusalError(f"{factor} copies with {accumulators} accumulators")
    if not own.step.value:
        raise RefusalError(f"the step of {own.index} is {own.step}")
    if own.lower.unknowns() or own.upper.unknowns():
        raise RefusalError(f"the trip count of {own.index} is only known at run time")
    if own.exits:
        raise RefusalError(f"the loop can be left by {own.exits[0]}")
    legality.require_reorderable(own.body, "the loop")


def split_loop(own: ir.Loop, factor: int) -> tuple[ir.Loop, ir.Loop | None]:
    """A loop of steps ``factor`` times as large, and one for the iterations left over, if any."""
    trips, size = own.trip_count, ir.Poly.constant(factor)
    if poly_function("mod", trips, size) == ir.ZERO:
        return replace(own, step=own.step * factor), None
    middle = own.lower + poly_function("floordiv", trips, size) * own.step * factor
    main = replace(own, upper=middle, step=own.step * factor)
    if trips.value is None:
        # a loop that does not run must not begin before its first iteration
        down = (own.step.value or 1) < 0
        middle = poly_function("min" if down else "max", own.lower, middle)
    return main, replace(own, lower=middle)


def _names(function: ir.Function, sums: list[Scalar], accumulators: int) -> dict[str, list[str]]:
    """Per reduction the scalars of each accumulator; the first is the scalar itself."""
    taken: list[str] = []
    found: dict[str, list[str]] = {}
    for scalar in sums:
        names = [scalar.name]
        for number in range(1, accumulators):
            names.append(fresh(function, f"{scalar.name}_{number}", taken))
            taken.append(names[-1])
        found[scalar.name] = names
    return found


def _copies(own: ir.Loop, factor: int, names: Mapping[str, list[str]]) -> Nodes:
    body: list[ir.Node] = []
    known: set[str] = set()
    index = ir.Poly.symbol(own.index)
    for number in range(factor):
        copy = (
            substitute_indices(own.body, {own.index: index + own.step * number})
            if number
            else own.body
        )
        new = {name: each[number % len(each)] for name, each in names.items()}
        copy = forward_scalars(rename_scalars(copy, new), known)
        known |= assigned_scalars(copy).keys()
        body += copy
    return tuple(body)


def _around(
    sums: list[Scalar], names: Mapping[str, list[str]], origin: int
) -> tuple[list[ir.Statement], list[ir.Statement]]:
    """Statements that set the new accumulators before the loop, and combine all after it."""
    begin: list[ir.Statement] = []
    end: list[ir.Statement] = []
    for scalar in sums:
        assert scalar.operation, f"{scalar.name} is no reduction"
        kind = scalar.type
        for name in names[scalar.name][1:]:
            if scalar.operation in IDENTITY:
                start: ir.Value = ir.whole_number(kind, IDENTITY[scalar.operation])
            else:
                start = ir.ScalarRead(type=kind, name=scalar.name)
            begin.append(
                ir.Statement((start, ir.Assignment(type=kind, args=(0,), name=name)), (), origin)
            )
            both = (
                ir.ScalarRead(type=kind, name=scalar.name),
                ir.ScalarRead(type=kind, name=name),
            )
            values = (*both, *_combined(scalar.operation, kind))
            assigned = ir.Assignment(type=kind, args=(len(values) - 1,), name=scalar.name)
            end.append(ir.Statement((*values, assigned), (), origin))
    return begin, end


_EXTREMES: Final[Mapping[str, RelationalOperator]] = {"min": "<", "max": ">"}


def _combined(operation: ArithmeticOp, kind: str) -> tuple[ir.Value, ...]:
    """The values after two others that make one of both; the larger or smaller one by comparison,
    as C has no operator for it."""
    operator = _EXTREMES.get(operation)
    if operator is None:
        return (ir.Arithmetic(op=operation, type=kind, args=(0, 1)),)
    compared = ir.Relation(type="bool", args=(1, 0), operator=operator)
    return compared, ir.Selection(type=kind, args=(2, 1, 0))

"""Cheaper arithmetic in the statements of a loop: other operations for the same numbers.

None of these moves an access, so none asks for dependences. All but a division by a power of two
round differently.
"""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from rooflint import ir
from rooflint.transform.nest.graph import Builder, invariant_values, uses
from rooflint.transform.nest.legality import kept_apart
from rooflint.transform.nest.rewrite import fresh, map_statements
from rooflint.transform.nest.tree import insert_before, replace_nodes, site_of
from rooflint.transform.result import ChangedFunction, RefusalError, change, done

FLOATS: Final = ("f16", "bf16", "f32", "f64", "f80", "f128")
POWERS: Final = frozenset(("pow", "powf", "powl", "std::pow", "__builtin_pow"))
MAX_POWER: Final = 16


def rounding_otherwise(
    function: ir.Function,
    loop: str,
    kind: str,
    change: Callable[[ir.Statement], ir.Statement],
    none: str,
) -> ChangedFunction:
    """The step ``kind``: ``change`` on all statements of the loop, which rounds otherwise.

    ``none``: why it is refused where it changes no statement.
    """
    site = site_of(function, loop)
    body = map_statements(site.loop.body, change)
    if body == site.loop.body:
        raise RefusalError(none)
    new = replace_nodes(function, site.path, replace(site.loop, body=body))
    return done(new, kind, loop, exact=False)


@change
def reciprocal(function: ir.Function, loop: str) -> ChangedFunction:
    """Divisions by what the loop does not change become products with its reciprocal."""
    site = site_of(function, loop)
    own = site.loop
    before: list[ir.Statement] = []
    taken: list[str] = []
    exact = True

    def change(statement: ir.Statement) -> ir.Statement:
        nonlocal exact
        steady = invariant_values(own, statement)
        new = Builder(statement)
        for value in statement.values:
            args = new.arguments(value)
            if value.op != "div" or value.type not in FLOATS or value.args[1] not in steady:
                new.add(ir.with_operands(value, args))
                continue
            name = fresh(function, "reciprocal", taken)
            taken.append(name)
            before.append(_inverse(statement, value, name))
            factor = new.extra(ir.ScalarRead(type=value.type, name=name))
            new.add(ir.Arithmetic(op="mul", type=value.type, args=(args[0], factor)))
            exact = exact and _power_of_two(statement.values[value.args[1]])
        return new.statement()

    body = map_statements(own.body, change)
    if not before:
        raise RefusalError(f"{loop} has no division by an invariant value")
    new = replace_nodes(function, site.path, replace(own, body=body))
    new = insert_before(new, site.path, *before)
    assumes = kept_apart(function, own, tuple(before))
    return done(new, "reciprocal", loop, assumes=assumes, exact=exact)


def _inverse(statement: ir.Statement, division: ir.Value, name: str) -> ir.Statement:
    """``name = 1/divisor`` from the values that the divisor takes."""
    new = Builder(replace(statement, values=(), accesses=()))
    divisor = new.copied(statement, division.args[1])
    one = new.extra(ir.whole_number(division.type, 1))
    quotient = new.extra(ir.Arithmetic(op="div", type=division.type, args=(one, divisor)))
    new.extra(ir.Assignment(type=division.type, args=(quotient,), name=name))
    return new.statement()


def _power_of_two(value: ir.Value) -> bool:
    number = ir.literal_number(value)
    if not number:
        return False
    top, bottom = abs(number).as_integer_ratio()
    return top & (top - 1) == 0 and bottom & (bottom - 1) == 0


@change
def merge_divisions(function: ir.Function, loop: str) -> ChangedFunction:
    """``a/b/c`` as ``a/(b*c)``, ``a/(b/c)`` as ``a*c/b``, ``a/b + c/d`` over one denominator."""
    none = f"no division of {loop} feeds another"
    return rounding_otherwise(function, loop, "merge_divisions", _merged, none)


def _merged(statement: ir.Statement) -> ir.Statement:
    used = uses(statement)
    new = Builder(statement)
    for value in statement.values:
        args = new.arguments(value)
        inner = [
            new.made[a].args
            if new.made[a].op == "div" and used[old] == 1 and value.type in FLOATS
            else None
            for a, old in zip(args, value.args, strict=True)
        ]
        parts = _one_quotient(new, value, args, inner)
        if parts is None:
            new.add(ir.with_operands(value, args))
        else:
            new.add(ir.Arithmetic(op="div", type=value.type, args=parts))
    return new.statement(live_only=True)


def _one_quotient(
    new: Builder, value: ir.Value, args: Sequence[int], inner: Sequence[tuple[int, ...] | None]
) -> tuple[int, int] | None:
    """Dividend and divisor of ``value``; None where it stays as it is. ``inner``: per argument
    those of a division that it takes alone."""
    kind = value.type
    if value.op == "div" and inner[0] is not None:
        a, b = inner[0]
        return a, new.extra(ir.Arithmetic(op="mul", type=kind, args=(b, args[1])))
    if value.op == "div" and inner[1] is not None:
        b, c = inner[1]
        return new.extra(ir.Arithmetic(op="mul", type=kind, args=(args[0], c))), b
    if value.op in ("add", "sub") and value.args[0] != value.args[1] and inner[0] and inner[1]:
        (a, b), (c, d) = inner[0], inner[1]
        left = new.extra(ir.Arithmetic(op="mul", type=kind, args=(a, d)))
        right = new.extra(ir.Arithmetic(op="mul", type=kind, args=(c, b)))
        top = new.extra(ir.Arithmetic(op=value.op, type=kind, args=(left, right)))
        return top, new.extra(ir.Arithmetic(op="mul", type=kind, args=(b, d)))
    return None


@change
def expand_powers(function: ir.Function, loop: str) -> ChangedFunction:
    """``pow(x, k)`` as products for whole ``k`` up to 16, with a root for half ones: ``x*sqrt(x)``.

    Of a negative ``k`` the reciprocal of that.
    """
    return rounding_otherwise(
        function, loop, "expand_powers", _powers, f"{loop} raises nothing to a small constant power"
    )


def _powers(statement: ir.Statement) -> ir.Statement:
    new = Builder(statement)
    for value in statement.values:
        args = new.arguments(value)
        exponent = _exponent(statement, value)
        if exponent is None:
            new.add(ir.with_operands(value, args))
        else:
            new.place(value, _raised(new, value.type, args[0], exponent))
    return new.statement(live_only=True)


def _raised(new: Builder, kind: str, base: int, exponent: float) -> int:
    whole, half = divmod(abs(exponent), 1)
    result = _power(new, kind, base, int(whole)) if whole else -1
    if half:
        root = new.extra(ir.Arithmetic(op="sqrt", type=kind, args=(base,)))
        result = (
            new.extra(ir.Arithmetic(op="mul", type=kind, args=(result, root))) if whole else root
        )
    if exponent > 0:
        return result
    one = new.extra(ir.whole_number(kind, 1))
    return new.extra(ir.Arithmetic(op="div", type=kind, args=(one, result)))


def _exponent(statement: ir.Statement, value: ir.Value) -> float | None:
    if value.op != "call" or value.callee not in POWERS or len(value.args) != 2:
        return None
    raised = statement.values[value.args[1]]
    while raised.op == "convert":
        raised = statement.values[raised.args[0]]
    number = ir.literal_number(raised)
    if number is None or not 0 < abs(number) <= MAX_POWER or 2 * number % 1:
        return None
    return number


def _power(new: Builder, kind: str, base: int, exponent: int) -> int:
    """By squaring: the product for ``exponent`` takes at most twice its bits."""
    result = -1
    square = base
    while True:
        if exponent & 1:
            result = (
                square
                if result < 0
                else new.extra(ir.Arithmetic(op="mul", type=kind, args=(result, square)))
            )
        exponent >>= 1
        if not exponent:
            return result
        square = new.extra(ir.Arithmetic(op="mul", type=kind, args=(square, square)))


@change
def contract(function: ir.Function, loop: str) -> ChangedFunction:
    """Products that feed one sum become fused multiply-adds, as a compiler flag would make them."""
    return rounding_otherwise(
        function, loop, "contract", _contracted, f"no product of {loop} feeds a sum"
    )


def _contracted(statement: ir.Statement) -> ir.Statement:
    used = uses(statement)
    new = Builder(statement)
    for value in statement.values:
        args = new.arguments(value)
        found = None
        if value.op == "add" and value.type in FLOATS:
            for side in (0, 1):
                made = new.made[args[side]]
                if made.op == "mul" and used[value.args[side]] == 1 and made.type == value.type:
                    found = (*made.args, args[1 - side])
                    break
        new.add(
            ir.Arithmetic(op="fma", type=value.type, args=found)
            if found
            else ir.with_operands(value, args)
        )
    return new.statement(live_only=True)

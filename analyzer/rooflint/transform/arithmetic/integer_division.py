"""Divisions of integers of 32 bits as products with a reciprocal in double precision.

For ``0 <= a < 2**32`` and ``1 <= b < 2**32`` the quotient ``a / b`` is ``(a + 0.5) * (1.0 / b)``
without its fraction. The exact value lies at least ``0.5 / b`` from the next whole number, and the
two roundings, of the reciprocal and of the product, move it by less than ``2**32 / b * 2**-52``. Of
a negative ``a`` the half is subtracted; a negative ``b`` changes the sign alone.
"""

from typing import Final

from msgspec.structs import replace

from rooflint import ir
from rooflint.transform.nest.graph import Builder, invariant_values
from rooflint.transform.nest.legality import kept_apart
from rooflint.transform.nest.rewrite import fresh, map_statements
from rooflint.transform.nest.tree import insert_before, replace_nodes, site_of
from rooflint.transform.result import ChangedFunction, RefusalError, change, done

WIDTHS: Final = frozenset(("i32", "u32"))
DIVISIONS: Final = frozenset(("div", "rem"))


@change
def integer_reciprocal(function: ir.Function, loop: str) -> ChangedFunction:
    """Quotients and remainders by what the loop does not change, by its reciprocal."""
    site = site_of(function, loop)
    own = site.loop
    divided = _Divided(function)

    def multiplied(statement: ir.Statement) -> ir.Statement:
        return divided.without_divisions(own, statement)

    body = map_statements(own.body, multiplied)
    if not divided.before:
        raise RefusalError(f"{loop} divides no integer of 32 bits by an invariant value")
    new = replace_nodes(function, site.path, replace(own, body=body))
    new = insert_before(new, site.path, *divided.before)
    assumes = kept_apart(function, own, tuple(divided.before))
    return done(new, "integer_reciprocal", loop, assumes=assumes)


def is_integer_division(statement: ir.Statement, number: int, steady: set[int]) -> bool:
    """Whether a value is a quotient or remainder by an invariant that is no constant.

    ``steady``: the values of ``statement`` that the loop does not change.
    """
    value = statement.values[number]
    if value.op not in DIVISIONS or value.type not in WIDTHS:
        return False
    divisor = value.args[1]
    return divisor in steady and number not in steady and _is_open(statement.values[divisor])


def _is_open(divisor: ir.Value) -> bool:
    poly = divisor.closed_form
    return divisor.op != "const" and (poly is None or poly.value is None)


class _Divided:
    """Statements before a loop with the reciprocals that its statements take."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.before: list[ir.Statement] = []
        self._names: dict[object, str] = {}

    def without_divisions(self, loop: ir.Loop, statement: ir.Statement) -> ir.Statement:
        """The statement with products in place of divisions by invariant values of ``loop``."""
        steady = invariant_values(loop, statement)
        new = Builder(statement)
        for number, value in enumerate(statement.values):
            args = new.arguments(value)
            if not is_integer_division(statement, number, steady):
                new.add(ir.with_operands(value, args))
                continue
            inverse = self._reciprocal(statement, value.args[1])
            quotient = _quotient(new, value.type, args[0], inverse)
            if value.op == "div":
                new.add(quotient)
                continue
            product = (new.extra(quotient), args[1])
            taken = new.extra(ir.Arithmetic(op="mul", type=value.type, args=product))
            new.add(ir.Arithmetic(op="sub", type=value.type, args=(args[0], taken)))
        return new.statement()

    def _reciprocal(self, statement: ir.Statement, divisor: int) -> str:
        """The scalar with the reciprocal of a divisor, one for all that divide by it."""
        new = Builder(replace(statement, values=(), accesses=()))
        converted = ir.Conversion(type="f64", args=(new.copied(statement, divisor),))
        args = (new.extra(ir.whole_number("f64", 1)), new.extra(converted))
        result = new.extra(ir.Arithmetic(op="div", type="f64", args=args))
        computed = new.statement()
        key = computed.values, computed.accesses
        if key not in self._names:
            name = fresh(self.function, "inverse", self._names.values())
            new.extra(ir.Assignment(type="f64", args=(result,), name=name))
            self.before.append(new.statement())
            self._names[key] = name
        return self._names[key]


def _quotient(new: Builder, kind: str, dividend: int, inverse: str) -> ir.Conversion:
    """``(dividend + 0.5) * inverse`` without its fraction; with ``-0.5`` for what is negative."""
    wide = new.extra(ir.Conversion(type="f64", args=(dividend,)))
    half = new.extra(ir.Const(type="f64", spelling="0.5", number=0.5))
    if kind == "i32":
        less = new.extra(ir.Const(type="f64", spelling="-0.5", number=-0.5))
        zero = new.extra(ir.Const(type="f64", spelling="0.0", number=0.0))
        negative = new.extra(ir.Relation(type="bool", args=(wide, zero), operator="<"))
        half = new.extra(ir.Selection(type="f64", args=(negative, less, half)))
    middle = new.extra(ir.Arithmetic(op="add", type="f64", args=(wide, half)))
    factor = new.extra(ir.ScalarRead(type="f64", name=inverse))
    product = new.extra(ir.Arithmetic(op="mul", type="f64", args=(middle, factor)))
    return ir.Conversion(type=kind, args=(product,))

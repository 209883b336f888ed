"""Type narrowing: arithmetic that a double literal or function widened goes back to float."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from rooflint.ir import Const, Function, Statement, with_operands
from rooflint.ir.mathematics import to_float
from rooflint.transform.nest.graph import Builder
from rooflint.transform.nest.rewrite import map_statements
from rooflint.transform.nest.tree import replace_nodes, site_of
from rooflint.transform.result import ChangedFunction, RefusalError, change, done

NARROW: Final = frozenset(("add", "sub", "mul", "div", "neg", "sqrt", "abs", "min", "max", "fma"))


@change
def narrow(function: Function, loop: str) -> ChangedFunction:
    """Doubles made from floats alone, and turned back to float or compared, computed as floats.

    Calls change to the float function of the name: ``exp`` to ``expf``; rounds differently.
    """
    site = site_of(function, loop)
    body = map_statements(site.loop.body, _narrowed)
    if body == site.loop.body:
        raise RefusalError(f"{loop} widens no float to double and back")
    new = replace_nodes(function, site.path, replace(site.loop, body=body))
    return done(new, "narrow", loop, exact=False)


def _narrowed(statement: Statement) -> Statement:
    work = _Narrowing(statement)
    for value in statement.values:
        if value.op == "convert" and value.type == "f32" and work.fits(value.args[0]):
            work.new.place(value, work.as_float(value.args[0]))
        elif value.op == "compare" and all(work.fits(argument) for argument in value.args):
            args = tuple([work.as_float(argument) for argument in value.args])
            work.new.add(replace(value, args=args, type="f32"))
        else:
            work.new.add(with_operands(value, work.new.arguments(value)))
    return work.new.statement(live_only=True) if work.done else statement


def widened_values(statement: Statement) -> Iterator[int]:
    """The doubles that ``narrow`` would compute as floats: roots of expressions, by number."""
    work = _Narrowing(statement)
    for value in statement.values:
        if value.op == "convert" and value.type == "f32" and work.fits(value.args[0]):
            yield value.args[0]
        elif value.op == "compare" and all(work.fits(argument) for argument in value.args):
            yield from value.args


class _Narrowing:
    def __init__(self, statement: Statement) -> None:
        self.values = statement.values
        self.new = Builder(statement)
        self.done: dict[int, int] = {}

    def fits(self, number: int) -> bool:
        """Whether a double is made of floats and literals, of at least one float."""
        return self._computable(number) and self._from_float(number)

    def _computable(self, number: int) -> bool:
        value = self.values[number]
        if value.type != "f64":
            return False
        if value.op == "convert":
            return self.values[value.args[0]].type == "f32"
        if value.op == "const":
            return True
        known = value.op in NARROW or (value.op == "call" and bool(_float_name(value.callee)))
        return known and all(self._computable(argument) for argument in value.args)

    def _from_float(self, number: int) -> bool:
        value = self.values[number]
        return value.op == "convert" or any(self._from_float(a) for a in value.args)

    def as_float(self, number: int) -> int:
        if number not in self.done:
            value = self.values[number]
            if value.op == "convert":
                self.done[number] = self.new.moved[value.args[0]]
            else:
                args = tuple([self.as_float(argument) for argument in value.args])
                new = with_operands(replace(value, type="f32"), args)
                if new.op == "const":
                    new = _float_literal(new)
                elif new.op == "call":
                    new = replace(new, callee=_float_name(new.callee))
                self.done[number] = self.new.extra(new)
        return self.done[number]


FUNCTIONS: Final = frozenset(
    "acos asin atan atan2 cbrt ceil cos cosh erf exp exp2 expm1 fabs floor fmax fmin fmod hypot log"
    " log10 log1p log2 pow rint round sin sinh sqrt tan tanh trunc".split()
)


def _float_literal(value: Const) -> Const:
    number = None if value.number is None else to_float(value.number)
    text = value.spelling
    spelling = text.rstrip("lL") + "f" if "." in text or "e" in text else text
    return replace(value, spelling=spelling, number=number)


def _float_name(name: str) -> str:
    """The float function of a mathematical function of doubles; empty when there is none known."""
    if name.startswith("std::"):
        return name if name[5:] in FUNCTIONS else ""
    return f"{name}f" if name in FUNCTIONS else ""

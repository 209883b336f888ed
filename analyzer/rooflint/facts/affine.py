"""Polynomials at numeric sizes as affine forms over loop indices."""

from collections.abc import Collection, Iterable, Mapping

from rooflint.facts.points import IndexBounds
from rooflint.ir import UNCOUNTED, DataSize, Loop, Poly, Unknown, UnknownValueError, plain
from rooflint.ir.poly import Atom, PolyFunction, evaluate_atom
from rooflint.ir.poly_form import atom_form, name_form
from rooflint.ir.poly_kinds import FunctionKind
from rooflint.ir.terms import Form, add_term
from rooflint.ir.written import Piece, without_marks


class NotAffineError(ArithmeticError):
    """A bound has no exact affine form; ``args[0]`` says why."""


def number(poly: Poly, values: Mapping[str, int]) -> int | None:
    """The integer ``poly`` is at ``values``, or None when it has an atom without a value."""
    terms = poly.terms
    if len(terms) == 1 and () in terms:
        return terms[()]
    total = 0
    for monomial, coefficient in terms.items():
        product = coefficient
        for atom in monomial:
            value = values.get(atom) if isinstance(atom, str) else _function(atom, values)
            if value is None:
                return None
            product *= value
        total += product
    return total


def _function(atom: PolyFunction | Unknown, values: Mapping[str, int]) -> int | None:
    try:
        return evaluate_atom(atom, values)
    except UnknownValueError:
        return None


def trip_name(loop: Loop) -> str:
    """The name of a data-dependent trip count: ``row[i+1]-row[i]``.

    The size that sets it with ``-D``; the empty string when the bounds have a closed form.
    """
    if not (loop.lower.unknowns() or loop.upper.unknowns()):
        return ""
    down = loop.step.value == -1
    span = loop.lower - loop.upper if down else loop.upper - loop.lower
    form: list[Piece] = []
    for monomial, coefficient in sorted(span.terms.items(), key=lambda term: term[1] < 0):
        size = abs(coefficient)
        factors = [_factor(atom) for atom in monomial]
        if size != 1 or not factors:
            factors.insert(0, (str(size),))
        form.append("-" if coefficient < 0 else "+" if form else "")
        for position, factor in enumerate(factors):
            form += ("*", *factor) if position else factor
    return DataSize(without_marks(form, " "))


def own_size(loop: Loop) -> str:
    """The size that is the trip count of this loop alone, where only the running program knows it.

    The empty string where the bounds tell the trip count.
    """
    named = trip_name(loop)
    if named:
        return named
    (monomial, factor), *others = loop.trip_count.terms.items() or [((), 0)]
    name = monomial[0] if len(monomial) == 1 and factor == 1 and not others else ""
    if isinstance(name, DataSize) or (isinstance(name, str) and UNCOUNTED in loop.exits):
        return name
    return ""


def _factor(atom: Atom) -> Iterable[Piece]:
    if isinstance(atom, Unknown):
        return atom.form
    return name_form(atom) if isinstance(atom, str) else atom_form(atom)


def extreme_operands(bound: Poly, kind: FunctionKind) -> tuple[Poly, ...]:
    """``a + c, b + c`` for ``max(a, b) + c``; the bound alone where it holds none of the kind."""
    for monomial, coefficient in bound.terms.items():
        atom = monomial[0] if len(monomial) == 1 else None
        if isinstance(atom, PolyFunction) and atom.kind == kind and coefficient == 1:
            rest = bound - Poly.symbol(atom)
            operands = [extreme_operands(operand + rest, kind) for operand in atom.operands]
            return tuple([part for parts in operands for part in parts])
    return (bound,)


class Forms:
    """Turns bounds into forms over ``indices``; quotients become variables of their own."""

    def __init__(self, indices: Collection[str], values: Mapping[str, int]) -> None:
        self.indices = indices
        self.values = values
        self.rewritten: dict[str, Form] = {}
        self.quotients: list[IndexBounds] = []
        self.made = 0

    def form(self, poly: Poly) -> Form:
        """``poly`` as a form; raises NotAffineError when it is none."""
        result: Form = {}
        for monomial, coefficient in poly.terms.items():
            name, factor = "", coefficient
            for atom in monomial:
                if isinstance(atom, str) and atom in self.values and atom not in self.indices:
                    factor *= self.values[atom]
                    continue
                value = None if isinstance(atom, str) else _function(atom, self.values)
                if value is not None:
                    factor *= value
                elif name:
                    raise NotAffineError(f"'{plain(poly)}' is not linear in the loop indices")
                else:
                    name = self.variable(atom)
            self.add(result, name, factor)
        return result

    def add(self, result: Form, name: str, coefficient: int) -> None:
        """Adds ``coefficient * name``, with ``name`` written in the variables that are counted."""
        for inner, factor in self.rewritten.get(name, {name: 1}).items():
            add_term(result, inner, coefficient * factor)

    def variable(self, atom: str | PolyFunction | Unknown) -> str:
        """The name that stands for an atom without a value; a quotient becomes a new one."""
        if isinstance(atom, str):
            if atom not in self.indices:
                raise NotAffineError(f"'{plain(atom)}' has no value")
            return atom
        if isinstance(atom, Unknown):
            raise NotAffineError(f"'{plain(atom)}' is only known at run time")
        if atom.kind in ("min", "max"):
            raise NotAffineError(f"'{plain(atom)}' is part of a larger expression")
        if atom.kind in ("select", "ceillog"):
            raise NotAffineError(f"'{plain(atom)}' has no value")
        divisor = number(atom.operands[1], self.values)
        if divisor is None or divisor <= 0:
            raise NotAffineError(f"'{plain(atom)}' has no positive constant divisor")
        inner = self.form(atom.operands[0])
        name = f"/{self.made}"
        self.made += 1
        low = {**inner, "": inner.get("", 0) - divisor + 1}
        self.quotients.append(IndexBounds(name, ((divisor, low),), ((divisor, inner),)))
        if atom.kind == "mod":
            remainder = f"%{self.made}"
            self.rewritten[remainder] = {**inner, name: -divisor}
            return remainder
        return name

"""Integer polynomials over loop indices and size parameters: bounds, trip counts, byte offsets.

A polynomial is a sum of ``coefficient * monomial``; a monomial is a product of atoms. An atom is

* a name: a loop index or a size parameter;
* a ``PolyFunction`` of polynomials, of one of the kinds ``floordiv``, ``mod``, ``min`` …;
* an ``Unknown``: a value the source does not give in closed form (``col[j]``), which still says
  what it depends on, so ``8*?col[j] + 8*k`` is known to move by 8 bytes with ``k``.

Polynomials are values: equal when their terms are equal. Nobody changes ``terms`` after creation.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, cast

from rooflint.ir.poly_kinds import FunctionKind, apply_function, ceil_log, function_texts, name_text
from rooflint.ir.terms import add_term
from rooflint.ir.written import DataSize, Unknown, names_in_form
from rooflint.records import NamedTuple


class PolyFunction(NamedTuple):
    """An operation that polynomials are not closed under; operands in source order."""

    kind: FunctionKind
    operands: tuple["Poly", ...]

    def __str__(self) -> str:
        first, *others = function_texts(self.kind, len(self.operands))
        parts = [f"{operand}{text}" for operand, text in zip(self.operands, others, strict=True)]
        return first + "".join(parts)


Atom: TypeAlias = str | PolyFunction | Unknown
Monomial: TypeAlias = tuple[Atom, ...]


class UnknownValueError(LookupError):
    """A polynomial was evaluated without a value for one of its atoms; ``args[0]`` names it."""


class Poly:
    """``sum(coefficient * product(atoms))`` with integer coefficients, none of them zero.

    The atoms of a monomial are sorted by their text, so equal polynomials compare equal.
    """

    # found when first asked for: functions of functions would ask again at every level
    __slots__ = ("_hash", "_names", "_text", "_unknowns", "terms")
    terms: dict[Monomial, int]
    _hash: int | None
    _names: frozenset[str] | None
    _text: str | None
    _unknowns: tuple[Unknown, ...] | None

    def __init__(self, terms: dict[Monomial, int]) -> None:
        self.terms = terms
        self._hash = self._names = self._text = self._unknowns = None

    @staticmethod
    def constant(value: int) -> "Poly":
        """The polynomial that is ``value`` everywhere."""
        if -1 <= value < len(_SMALL) - 1:
            return _SMALL[value + 1]
        return Poly({(): value})

    @staticmethod
    def symbol(atom: Atom) -> "Poly":
        """The polynomial that is one atom."""
        return Poly({(atom,): 1})

    def __add__(self, other: "Poly | int") -> "Poly":
        right = {(): other} if isinstance(other, int) else other.terms
        if not self.terms and not isinstance(other, int):
            return other
        terms = dict(self.terms)
        for monomial, coefficient in right.items():
            total = terms.get(monomial, 0) + coefficient
            if total:
                terms[monomial] = total
            else:
                terms.pop(monomial, None)
        return Poly(terms)

    __radd__ = __add__

    def __neg__(self) -> "Poly":
        return Poly({monomial: -coefficient for monomial, coefficient in self.terms.items()})

    def __sub__(self, other: "Poly | int") -> "Poly":
        if isinstance(other, int):
            return self + -other
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            total = terms.get(monomial, 0) - coefficient
            if total:
                terms[monomial] = total
            else:
                terms.pop(monomial, None)
        return Poly(terms)

    def __rsub__(self, other: int) -> "Poly":
        return -self + other

    def __mul__(self, other: "Poly | int") -> "Poly":
        if isinstance(other, int):
            if other == 1:
                return self
            if other == 0:
                return ZERO
            return Poly({m: c * other for m, c in self.terms.items()})
        terms: dict[Monomial, int] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                monomial = _ordered(left + right) if left and right else left or right
                terms[monomial] = terms.get(monomial, 0) + a * b
        return Poly({m: c for m, c in terms.items() if c})

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

    def __hash__(self) -> int:
        found = self._hash
        if found is None:
            found = self._hash = hash(frozenset(self.terms.items()))
        return found

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __str__(self) -> str:
        found = self._text
        if found is None:
            found = self._text = _text(self)
        return found

    def __repr__(self) -> str:
        return f"Poly<{self}>"

    @property
    def value(self) -> int | None:
        """The integer this is, or None when it has atoms."""
        if not self.terms:
            return 0
        if len(self.terms) == 1:
            return self.terms.get(())
        return None

    def atoms(self) -> Iterator[Atom]:
        """Every atom of every monomial, with repetition; not those inside functions."""
        for monomial in self.terms:
            yield from monomial

    def names(self) -> frozenset[str]:
        """All names this varies with, those inside functions and unknowns included."""
        names = self._names
        if names is None:
            found: set[str] = set()
            for monomial in self.terms:
                for atom in monomial:
                    if isinstance(atom, str):
                        found.add(atom)
                    else:
                        found.update(names_of(atom))
            names = self._names = frozenset(found)
        return names

    def mentions(self) -> frozenset[str]:
        """``names`` and those in the names of sizes: ``row[k+1]-row[k]`` speaks of ``k``.

        A size that the data decides is named by its text; who moves ``k`` has to know.
        """
        forms = [name.form for name in self.names() if isinstance(name, DataSize)]
        return self.names().union(*map(names_in_form, forms)) if forms else self.names()

    def unknowns(self) -> tuple[Unknown, ...]:
        """The atoms without closed form, also inside functions, in order of appearance."""
        unknowns = self._unknowns
        if unknowns is None:
            found: dict[Unknown, None] = {}
            for monomial in self.terms:
                for atom in monomial:
                    if isinstance(atom, Unknown):
                        found[atom] = None
                    elif isinstance(atom, PolyFunction):
                        for operand in atom.operands:
                            found.update(dict.fromkeys(operand.unknowns()))
            unknowns = self._unknowns = tuple(found) if found else ()
        return unknowns

    def coefficient(self, name: str) -> "Poly | None":
        """The factor of ``name``: the difference of ``self`` over one step of ``name``.

        None when ``self`` is not linear in ``name`` (a power, a function or an unknown of it).
        """
        terms: dict[Monomial, int] = {}
        for monomial, coefficient in self.terms.items():
            if name in monomial:
                rest = list(monomial)
                rest.remove(name)
                if name in rest or _hidden(rest, name):
                    return None
                terms[tuple(rest)] = coefficient
            elif _hidden(monomial, name):
                return None
        return Poly(terms)

    def substitute(self, values: Mapping[str, "Poly"]) -> "Poly":
        """This with names replaced by polynomials, inside functions too.

        An unknown that depends on a replaced name keeps its text and depends on the names of the
        replacement.
        """
        if self.names().isdisjoint(values):
            return self
        terms: dict[Monomial, int] = {}
        for monomial, coefficient in self.terms.items():
            kept: list[Atom] = []
            times = coefficient
            product: Poly | None = None
            for atom in monomial:
                if isinstance(atom, str):
                    replaced = values.get(atom)
                elif values.keys().isdisjoint(names_of(atom)):
                    replaced = None
                else:
                    replaced = _substitute(atom, values)
                if replaced is None:
                    kept.append(atom)
                elif (number := replaced.value) is not None:
                    times *= number
                else:
                    product = replaced if product is None else product * replaced
            if product is None:
                add_term(terms, tuple(kept), times)
            elif times:
                for atom in kept:
                    product = product * Poly.symbol(atom)
                for factor, inner in product.terms.items():
                    add_term(terms, factor, inner * times)
        return Poly(terms)

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The integer at ``values``; an unknown is looked up by its text.

        Raises UnknownValueError for an atom without a value; a division by zero has none.
        """
        total = 0
        for monomial, coefficient in self.terms.items():
            product = coefficient
            for atom in monomial:
                product *= evaluate_atom(atom, values)
            total += product
        return total


_SMALL = tuple(Poly({(): v} if v else {}) for v in range(-1, 65))
ZERO = Poly.constant(0)
ONE = Poly.constant(1)


def names_of(atom: PolyFunction | Unknown) -> Iterable[str]:
    """The names an atom varies with, perhaps some of them twice."""
    if isinstance(atom, Unknown):
        return atom.depends
    return [name for operand in atom.operands for name in operand.names()]


def _ordered(monomial: Monomial) -> Monomial:
    for atom in monomial:
        if type(atom) is not str:
            return tuple(sorted(monomial, key=str))
    return tuple(sorted(cast(tuple[str, ...], monomial)))


def _hidden(atoms: Iterable[Atom], name: str) -> bool:
    for atom in atoms:  # noqa: SIM110 - a generator takes twice the time
        if not isinstance(atom, str) and name in names_of(atom):
            return True
    return False


def _substitute(atom: Atom, values: Mapping[str, Poly]) -> Poly:
    if isinstance(atom, str):
        return values.get(atom) or (ZERO if atom in values else Poly.symbol(atom))
    if isinstance(atom, Unknown):
        depends = {n for d in atom.depends for n in (values[d].names() if d in values else (d,))}
        pace = atom.pace and _pace(atom, values)
        return Poly.symbol(atom._replace(depends=tuple(sorted(depends)), pace=pace))
    return function(atom.kind, *(operand.substitute(values) for operand in atom.operands))


def _pace(atom: Unknown, values: Mapping[str, Poly]) -> int:
    """The step in an iteration of a loop that only has another name; 0 in one of another length."""
    forms = [values[name].terms for name in atom.depends if name in values]
    return atom.pace if all(list(f.values()) == [1] and () not in f for f in forms) else 0


def evaluate_atom(atom: Atom, values: Mapping[str, int]) -> int:
    """The integer an atom is at ``values``; raises as ``Poly.evaluate`` does."""
    if isinstance(atom, PolyFunction):
        if atom.kind == "select":
            condition, then, orelse = atom.operands
            return (then if condition.evaluate(values) >= 0 else orelse).evaluate(values)
        operands = [operand.evaluate(values) for operand in atom.operands]
        try:
            return apply_function(atom.kind, operands)
        except ZeroDivisionError:
            raise UnknownValueError(str(atom)) from None
    key = atom if isinstance(atom, str) else atom.text
    try:
        return values[key]
    except KeyError:
        raise UnknownValueError(key) from None


def function(kind: FunctionKind, *operands: Poly) -> Poly:
    """A function of polynomials, folded where it has a simpler form.

    ``floordiv`` rounds down and ``mod`` is never negative for a positive divisor; the front end
    uses them only where that equals C's rounding towards zero.
    """
    if kind in ("min", "max"):
        return _extreme(kind, operands)
    if kind == "select":
        return _selection(*operands)
    numerator, divisor = operands
    if kind == "ceillog":
        return _logarithm(numerator, divisor)
    by = divisor.value
    if by is not None and by > 0:
        # (8*n + 3) / 4 = 2*n + 0: whole multiples leave the division
        whole = {m: c // by for m, c in numerator.terms.items() if m and c % by == 0}
        rest = Poly({m: c for m, c in numerator.terms.items() if not m or c % by})
        if rest.value is not None:
            if kind == "mod":
                return Poly.constant(rest.value % by)
            return Poly(whole) + rest.value // by
        numerator = rest if kind == "mod" else numerator
        if kind == "floordiv" and whole:
            return Poly(whole) + Poly.symbol(PolyFunction("floordiv", (rest, divisor)))
    return Poly.symbol(PolyFunction(kind, (numerator, divisor)))


def _extreme(kind: FunctionKind, operands: tuple[Poly, ...]) -> Poly:
    pick = min if kind == "min" else max
    kept: list[Poly] = []
    for operand in operands:
        for position, other in enumerate(kept):
            difference = (operand - other).value
            if difference is not None:
                kept[position] = operand if pick(difference, 0) == difference else other
                break
        else:
            kept.append(operand)
    if len(kept) == 1:
        return kept[0]
    return Poly.symbol(PolyFunction(kind, tuple(sorted(kept, key=str))))


def _selection(condition: Poly, then: Poly, orelse: Poly) -> Poly:
    """``select``, as a minimum or maximum where the larger or the smaller side is selected."""
    if condition.value is not None:
        return then if condition.value >= 0 else orelse
    if then == orelse:
        return then
    above = then - orelse
    if (above - condition).value in (0, 1):  # not negative exactly where the condition is not
        return _extreme("max", (then, orelse))
    if (-above - condition).value in (0, 1):
        return _extreme("min", (then, orelse))
    return Poly.symbol(PolyFunction("select", (condition, then, orelse)))


def _logarithm(value: Poly, base: Poly) -> Poly:
    if value.value is not None and base.value is not None and base.value > 1:
        return Poly.constant(ceil_log(value.value, base.value))
    return Poly.symbol(PolyFunction("ceillog", (value, base)))


def signed_terms(poly: Poly) -> Iterator[tuple[str, Monomial]]:
    """The monomials in the order of the print, each with its sign and factor in text."""
    ordered = sorted(poly.terms.items(), key=lambda t: (not t[0], [str(a) for a in t[0]]))
    for number, (monomial, coefficient) in enumerate(ordered):
        size = abs(coefficient)
        sign = "-" if coefficient < 0 else ""
        lead = f" {sign or '+'} " if number else sign
        yield lead + (str(size) if not monomial else "" if size == 1 else f"{size}*"), monomial


def _text(poly: Poly) -> str:
    parts = [lead + "*".join(map(atom_text, atoms)) for lead, atoms in signed_terms(poly)]
    return "".join(parts) or "0"


def atom_text(atom: Atom) -> str:
    """An atom as a factor: in parentheses where it is a name of several words."""
    return name_text(atom) if isinstance(atom, str) else str(atom)

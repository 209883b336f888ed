"""Integers in closed form as C: bounds, subscripts, values made of indices and sizes."""

from collections.abc import Callable, Iterable
from typing import Final

from rooflint.ir import DataSize, Poly, Unknown
from rooflint.ir.poly import Atom, Monomial, PolyFunction
from rooflint.source_edit.c_writer.words import (
    CHOICE,
    LESS,
    PRODUCT,
    SUM,
    UNARY,
    CExpression,
    NotWrittenError,
)
from rooflint.startup.late_pattern import late_pattern

Name = Callable[[str], CExpression]


class PolynomialWriter:
    """Writes polynomials: ``name`` writes an index or a size, ``unknown`` what memory decides.

    divides  whether ``/`` may stand for a quotient rounded down: its numerator is not negative
    """

    def __init__(
        self,
        name: Name,
        unknown: Callable[[Unknown], CExpression],
        divides: Callable[[PolyFunction], bool],
    ) -> None:
        self.name, self.unknown, self.divides = name, unknown, divides

    def text(self, poly: Poly, level: int = CHOICE) -> str:
        """``poly`` as an operand of that level."""
        return self.sum(poly).at(level)

    def sum(self, poly: Poly) -> CExpression:
        """The terms that are added first, then those subtracted, the constant last."""
        if not poly.terms:
            return CExpression("0")
        poly = _added(poly)
        terms = _ordered_terms(poly)
        parts: list[str] = []
        for monomial, factor in terms:
            product = self.product(monomial, abs(factor))
            if parts:
                parts.append(f"{'-' if factor < 0 else '+'} {product.at(PRODUCT)}")
            elif factor < 0:
                parts.append(f"-{product.at(UNARY) if monomial else product.text}")
            elif len(terms) == 1:
                return product
            else:
                parts.append(product.at(SUM))
        return CExpression(" ".join(parts), SUM if len(parts) > 1 else UNARY)

    def product(self, monomial: tuple[Atom, ...], factor: int) -> CExpression:
        """``8 * i * n``; a quotient comes first: ``n / 4 * 4``."""
        atoms = [self.atom(atom) for atom in monomial]
        atoms.sort(key=lambda each: each.level != PRODUCT)
        number = [CExpression(str(factor))] if factor != 1 or not atoms else []
        led = atoms and atoms[0].level == PRODUCT
        factors = [*atoms, *number] if led else [*number, *atoms]
        if len(factors) == 1:
            return factors[0]
        first, *others = factors
        texts = [first.at(PRODUCT), *[each.at(UNARY) for each in others]]
        return CExpression(" * ".join(texts), PRODUCT)

    def atom(self, atom: Atom) -> CExpression:
        """A name, a function of polynomials, or a value without closed form."""
        if isinstance(atom, str):
            return self.name(atom)
        if isinstance(atom, Unknown):
            return self.unknown(atom)
        if atom.kind in ("min", "max"):
            return self.extreme(atom.kind, atom.operands)
        if atom.kind == "select":
            return self.selection(*atom.operands)
        if atom.kind == "ceillog":
            raise NotWrittenError(f"{atom}: C has no such integer function")
        return self.division(atom)

    def selection(self, condition: Poly, then: Poly, orelse: Poly) -> CExpression:
        """``condition >= 0 ? then : orelse``."""
        test = f"{self.text(condition, LESS)} >= 0"
        chosen = f"{self.text(then, CHOICE + 1)} : {self.text(orelse)}"
        return CExpression(f"{test} ? {chosen}", CHOICE)

    def division(self, atom: PolyFunction) -> CExpression:
        """A quotient, or a remainder."""
        top, bottom = atom.operands
        sign = "%" if atom.kind == "mod" else "/"
        divided = f"{self.text(top, PRODUCT)} {sign} {self.text(bottom, UNARY)}"
        if atom.kind == "mod" or self.divides(atom):
            return CExpression(divided, PRODUCT)
        size = bottom.value
        if size is None or size < 1:
            raise NotWrittenError(f"{atom}: the sign of what is divided is not known")
        # rounded down for negative numbers too
        down = f"-1 - {self.text(-top - 1, PRODUCT)} / {size}"
        test = f"{self.text(top, LESS)} < 0"
        return CExpression(f"{test} ? {down} : {divided}", CHOICE)

    def extreme(self, kind: str, operands: Iterable[Poly]) -> CExpression:
        """``a < b ? a : b``, of more than two the first against the rest."""
        first, *others = operands
        if not others:
            return self.sum(first)
        rest = self.extreme(kind, others)
        sign = "<" if kind == "min" else ">"
        left = self.sum(first)
        test = f"{left.at(LESS + 1)} {sign} {rest.at(LESS + 1)}"
        return CExpression(f"{test} ? {left.at(CHOICE + 1)} : {rest.at(CHOICE)}", CHOICE)


def _ordered_terms(poly: Poly) -> list[tuple[Monomial, int]]:
    terms = sorted(
        poly.terms.items(),
        key=lambda term: (not term[0], term[1] < 0, [str(atom) for atom in term[0]]),
    )
    if terms[0][1] < 0 and not terms[-1][0] and terms[-1][1] > 0:
        terms.insert(0, terms.pop())  # 1 - i, not -i + 1
    return terms


def _added(poly: Poly) -> Poly:
    """``?row[k] + (row[k+1]-row[k])`` as ``?row[k+1]``: where a range begins, and its length."""
    for begin in poly.unknowns():
        for atom in poly.atoms():
            alone = all(poly.terms.get((each,)) == 1 for each in (begin, atom))
            end_form = atom.form_before(begin.form) if isinstance(atom, DataSize) else ()
            if alone and end_form:
                end = begin._replace(form=end_form)
                rest = {m: c for m, c in poly.terms.items() if m not in ((begin,), (atom,))}
                return Poly(rest) + Poly.symbol(end)
    return poly


_TOKEN: Final = late_pattern(r"[A-Za-z_]\w*|\d+|->|[\[\]()+*.-]")


def source_tokens(text: str) -> list[str]:
    """The tokens of a value's text as the source could write it; refused where it could not."""
    found = _TOKEN.findall(text)
    if "".join(found) != text.replace(" ", ""):
        raise NotWrittenError(f"'{text}' has no closed form")
    return found

"""The print of polynomials with its names known as names, and without marks for people."""

from collections.abc import Iterable

from rooflint.ir.poly import Atom, Poly, PolyFunction, atom_text, signed_terms
from rooflint.ir.poly_kinds import function_texts
from rooflint.ir.written import (
    UNKNOWN_MARK,
    DataSize,
    Piece,
    SourceForm,
    SourceName,
    Unknown,
    plain_form,
)


def source_form(poly: Poly) -> SourceForm:
    """The print of ``poly`` with its names known as names."""
    form: list[Piece] = []
    for lead, monomial in signed_terms(poly):
        form.append(lead)
        for number, atom in enumerate(monomial):
            form += ["*"] if number else []
            form += atom_form(atom)
    return tuple(form) or ("0",)


def atom_form(atom: Atom) -> Iterable[Piece]:
    """The print of a factor with its names known as names."""
    if isinstance(atom, Unknown):
        return (UNKNOWN_MARK, *atom.form)
    if isinstance(atom, PolyFunction):
        first, *others = function_texts(atom.kind, len(atom.operands))
        parts = [
            (*source_form(operand), text)
            for operand, text in zip(atom.operands, others, strict=True)
        ]
        return (first, *[piece for part in parts for piece in part])
    form = name_form(atom)
    return form if atom_text(atom) == atom else ("(", *form, ")")


def plain(value: Poly | Atom) -> str:
    """The print without the marks of values without closed form: ``x`` for ``?x``."""
    if isinstance(value, Poly):
        return plain_form(source_form(value))
    return plain_form(name_form(value) if isinstance(value, str) else atom_form(value))


def name_form(name: str) -> SourceForm:
    """A variable, or what the name of a size that the data decides is made of."""
    return name.form if isinstance(name, DataSize) else (SourceName(name),)

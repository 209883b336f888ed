"""The IR as JSON values and back: caches, worker processes and test fixtures carry it.

``from_json(to_json(unit)) == unit``; ``origin``, which equality leaves out, survives too.
"""

from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import astuple

from rooflint.ir import control_flow, nodes, unit
from rooflint.ir.poly import Atom, Monomial, Poly, PolyFunction
from rooflint.ir.reasons import Reason
from rooflint.ir.values import VALUE_TYPES
from rooflint.ir.written import DataSize, SourceForm, SourceName, Unknown

Json: TypeAlias = Any
"""What ``json.dumps`` takes: typing it exactly would name every IR class again."""

_TYPES: dict[str, type[Any]] = {
    cls.__name__: cls
    for cls in (
        nodes.Access, nodes.Aliasing, nodes.Array, nodes.Branch, nodes.Call, nodes.Clause,
        nodes.Definition, nodes.Exit, nodes.Function, nodes.Header, nodes.Induction, nodes.Loop,
        nodes.Opaque, nodes.Parameter, nodes.Provenance, control_flow.ControlFlowGraph,
        control_flow.FlowBlock, control_flow.FlowEdge, Reason, nodes.Region, nodes.Statement,
        *VALUE_TYPES, unit.Comment, unit.Declaration, unit.Diagnostic, unit.Refusal,
        unit.SourceFunction, unit.Span, unit.Unit, unit.Variable,
    )
}  # fmt: skip


def to_json(value: object) -> Json:
    """An IR value as lists, objects and scalars. Raises TypeError for anything else."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Poly):
        return {"poly": [[c, [_atom_to_json(a) for a in m]] for m, c in value.terms.items()]}
    name = type(value).__name__
    if name in _TYPES:
        fields = astuple(value) if isinstance(value, Struct) else value
        assert isinstance(fields, tuple)
        return {"is": name, "of": [to_json(part) for part in fields]}
    if isinstance(value, tuple):
        return [to_json(part) for part in value]
    raise TypeError(f"{name} is not part of the IR")


def from_json(value: Json) -> Any:  # noqa: ANN401 - the inverse of to_json, over all its types
    """The IR value that ``to_json`` turned into ``value``. Raises KeyError for an unknown type."""
    if isinstance(value, list):
        return tuple(from_json(part) for part in value)
    if not isinstance(value, dict):
        return value
    if "poly" in value:
        return Poly({_monomial(atoms): coefficient for coefficient, atoms in value["poly"]})
    cls, parts = _TYPES[value["is"]], [from_json(part) for part in value["of"]]
    if issubclass(cls, Struct):
        return cls(**dict(zip(cls.__struct_fields__, parts, strict=True)))
    return cls(*parts)


def _atom_to_json(atom: Atom) -> Json:
    if isinstance(atom, DataSize):
        return {"size": _form_to_json(atom.form)}
    if isinstance(atom, str):
        return atom
    if isinstance(atom, Unknown):
        return {
            "unknown": _form_to_json(atom.form),
            "reason": to_json(atom.reason),
            "depends": list(atom.depends),
        }
    return {"function": atom.kind, "operands": [to_json(operand) for operand in atom.operands]}


def _monomial(atoms: list[Json]) -> Monomial:
    return tuple(_atom(atom) for atom in atoms)


def _atom(value: Json) -> Atom:
    if isinstance(value, str):
        return value
    if "size" in value:
        return DataSize(_form(value["size"]))
    if "unknown" in value:
        reason, depends = from_json(value["reason"]), tuple(value["depends"])
        return Unknown(_form(value["unknown"]), reason, depends)
    return PolyFunction(
        value["function"], tuple(from_json(operand) for operand in value["operands"])
    )


def _form_to_json(form: SourceForm) -> Json:
    return [piece if isinstance(piece, str) else {piece.kind: piece.name} for piece in form]


def _form(pieces: list[Json]) -> SourceForm:
    return tuple([piece if isinstance(piece, str) else _source_name(piece) for piece in pieces])


def _source_name(piece: Json) -> SourceName:
    [(kind, name)] = piece.items()
    return SourceName(name, kind)

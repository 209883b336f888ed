"""Where memory comes from: what the front end tells the alias analysis besides names."""

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.types import CType
from rooflint.ir import Array, Provenance
from rooflint.ir.nodes import Storage


def repoint(context: LoweringContext, name: str) -> None:
    """The pointer that an array is known by may point elsewhere from here on."""
    array = context.arrays.get(name)
    if array is not None and array.provenance.reach == "argument":
        moved = array.provenance._replace(reach="pointer")
        context.arrays[name] = array._replace(provenance=moved)


def note_cell(
    context: LoweringContext, name: str, ctype: CType, storage: Storage, provenance: Provenance
) -> None:
    """Notes that a scalar or size of the IR lies in memory."""
    if name not in context.cells:
        context.cells[name] = Array(
            name, ctype.ir or "opaque", ctype.bytes, (), storage, readonly=ctype.const,
            provenance=provenance._replace(any_type=ctype.any_type, volatile=ctype.volatile),
        )  # fmt: skip

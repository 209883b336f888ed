"""Volumes of arrays as expressions of a procedure file: ``(b_j + 8)*(b_i + 2)*4``."""

from collections import Counter
from collections.abc import Collection, Sequence

from rooflint.records import NamedTuple

from rooflint_plugins.models.hybrid.derive.array_transfers import ArrayTransfer
from rooflint_plugins.models.hybrid.derive.blocks import AccessBox, BoxSide
from rooflint_plugins.models.hybrid.derive.map_clauses import ORIGIN
from rooflint_plugins.models.hybrid.derive.pages import PagedNest, PageLoop
from rooflint_plugins.models.hybrid.procedure.draft import DraftOperation, ProcedureDraft, product
from rooflint_plugins.models.hybrid.procedure.records import Kind, Per


class AxisNames(NamedTuple):
    """Symbols of one page loop: trips, block sides."""

    trips: tuple[str, ...]
    sides: tuple[str, ...]


def names_of(pages: Sequence[PageLoop]) -> list[AxisNames]:
    """Short names, the same index twice told apart by a number."""
    names = []
    uses: Counter[str] = Counter()
    for page in pages:
        words = []
        for axis in page.nest.axes:
            word = _plain(axis.index.partition("'")[0]) or "i"
            uses[word] += 1
            words.append(word if uses[word] == 1 else f"{word}_{uses[word]}")
        names.append(AxisNames(tuple([f"n_{w}" for w in words]), tuple([f"b_{w}" for w in words])))
    return names


def _plain(index: str) -> str:
    letters = [letter if letter.isalnum() or letter == "_" else " " for letter in index]
    return "_".join("".join(letters).split()).strip("_")


def volume_text(role: ArrayTransfer, sides: Sequence[str]) -> str:
    """Bytes of an array in a block."""
    return " + ".join(_box_text(box, sides) for box in role.boxes)


def whole_text(role: ArrayTransfer, trips: Sequence[str] = ()) -> str:
    """Bytes of all of an array: what its map clause says, else what the loops touch."""
    if role.mapped_bytes is not None:
        return f"{role.mapped_bytes:.15g}"
    return volume_text(role, trips)


def face_text(role: ArrayTransfer, sides: Sequence[str], axes: Collection[int]) -> str:
    """Bytes that one coprocessor gives, or takes, where its block borders on others.

    ``axes`` are those that blocks cut; along the others a coprocessor has everything itself.
    """
    parts = []
    for box in role.boxes:
        bare = [side._replace(low=0, high=0) for side in box.sides]
        for number, side in enumerate(box.sides):
            if side.low + side.high and any(axis in axes for axis, _ in side.terms):
                others = [_side_text(s, sides) for n, s in enumerate(bare) if n != number]
                width = str(side.low + side.high)
                parts.append(product([width, *others, str(box.element_bytes)]))
    return " + ".join(parts)


def _box_text(box: AccessBox, sides: Sequence[str]) -> str:
    factors = [_side_text(side, sides) for side in box.sides]
    if box.factor != 1:
        factors.append(f"{box.factor:.12g}")
    return product([*factors, str(box.element_bytes)])


def _side_text(side: BoxSide, sides: Sequence[str]) -> str:
    rest = 1 + side.fixed + side.halo
    words = []
    for axis, step in side.terms:
        words.append(sides[axis] if step == 1 else f"{step}*{sides[axis]}")
        rest -= step
    if not words:
        return "" if rest == 1 else str(rest)
    if rest:
        words.append(f"{rest}" if rest > 0 else f"- {-rest}")
    text = " + ".join(words).replace("+ - ", "- ")
    return f"({text})" if len(words) > 1 else text


def whole_bytes(role: ArrayTransfer, page: PageLoop) -> float:
    """All of an array, in numbers."""
    return role.bytes(page.trips) if role.mapped_bytes is None else role.mapped_bytes


def total(texts: Sequence[str]) -> str:
    """A sum; empty where there is nothing to add."""
    return " + ".join(filter(None, texts))


def transfer_of(
    kind: Kind, role: ArrayTransfer, text: str, per: Per = "coprocessor", *, overlap: bool = True
) -> DraftOperation:
    """A transfer of an array; its origin is the map clause, where that decides that it is moved."""
    if role.mapped is None:
        return DraftOperation(kind=kind, text=text, array=role.array, per=per, overlap=overlap)
    return DraftOperation(
        kind=kind,
        text=text,
        array=role.array,
        per=per,
        overlap=overlap,
        origin=ORIGIN,
        note=role.mapped.clause,
    )


def unique(found: PagedNest) -> dict[str, tuple[ArrayTransfer, int]]:
    """Every array once, with the position of its first page loop, whose box it has.

    It is loaded if that page loop needs it, stored if any leaves values.
    """
    arrays: dict[str, tuple[ArrayTransfer, int]] = {}
    for position, page in enumerate(found.pages):
        for role in page.roles:
            before, first = arrays.get(role.array, (role, position))
            if role.stored and not before.stored and before.mapped is None:
                before = before._replace(kind="in/out" if before.loaded else "output")
            arrays[role.array] = (before, first)
    return arrays


def set_symbols(
    written: ProcedureDraft, page: PageLoop, names: AxisNames, block: Sequence[int] | None = None
) -> None:
    """Values of the trips and, where there are blocks, of their sides."""
    written.symbols.update(zip(names.trips, map(float, page.trips), strict=True))
    if block is not None:
        written.symbols.update(zip(names.sides, map(float, block), strict=True))


def gathered_text(role: ArrayTransfer, sides: Sequence[str]) -> str:
    """Bytes of the elements that the points of a block read by index."""
    count, size = f"{role.references:.12g}", str(role.boxes[0].element_bytes)
    return product([count, product(sides), size])


def add_kernels(written: ProcedureDraft, page: PageLoop, sides: Sequence[str]) -> list[str]:
    """The kernels of a page, each with its flops and what it moves in the coprocessor's memory."""
    names = []
    for part in page.kernels:
        read = [
            gathered_text(role, sides) if role.kind == "gathered" else volume_text(role, sides)
            for role in part.roles
        ]
        flops = product([f"{part.flops:.12g}", product(sides)])
        names.append(written.kernel(f"k{len(written.kernels) + 1}", flops, total(read)))
    return names


def add_sums(lines: list[DraftOperation], page: PageLoop) -> None:
    """Each coprocessor sends its part of a sum."""
    lines += [DraftOperation("store", "8", name, overlap=False) for name in page.sums]


def add_host_memory(draft: ProcedureDraft, found: PagedNest) -> None:
    """All arrays have to be in system memory."""
    draft.fit(
        f"{footprint_bytes(found):.12g}", "HMEM", f"{', '.join(unique(found))} in system memory"
    )


def footprint_bytes(found: PagedNest) -> float:
    """All arrays of a nest, each once."""
    return sum([whole_bytes(role, found.pages[page]) for role, page in unique(found).values()])

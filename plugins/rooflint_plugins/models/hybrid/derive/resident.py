"""Resident procedures: arrays stay in the coprocessors while an outer loop repeats the nest.

C1 all on one coprocessor; C2 a block on each, faces exchanged through system memory every step; C3
also whole arrays to everyone every step.
"""

from collections.abc import Collection, Sequence
from typing import Literal

from rooflint_plugins.models.hybrid.derive import volumes
from rooflint_plugins.models.hybrid.derive.array_transfers import ArrayTransfer
from rooflint_plugins.models.hybrid.derive.pages import PagedNest, PageLoop
from rooflint_plugins.models.hybrid.derive.streamed import ClassCandidate
from rooflint_plugins.models.hybrid.evaluate.results import FitCheck
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.draft import (
    DraftOperation,
    ProcedureDraft,
    StageDraft,
    product,
)


def single_class(name: str, found: PagedNest) -> ClassCandidate:
    """C1: everything in one coprocessor's memory, loaded and stored once.

    What a map clause inside the repeating loop names is moved in every step instead.
    """
    draft = ProcedureDraft(name, "C1", one_count=True)
    draft.symbols["R"] = found.repeat
    names = volumes.names_of(found.pages)
    for page, own in zip(found.pages, names, strict=True):
        volumes.set_symbols(draft, page, own)
    stage = draft.stage("step", "R")
    sizes = [
        (role, volumes.whole_text(role, names[page].trips))
        for role, page in volumes.unique(found).values()
    ]
    moving = [(role, text) for role, text in sizes if not _is_kept(role)]
    _move_whole(stage.ops, stage.prologue, "load", moving)
    totals: list[str] = []
    for page, own in zip(found.pages, names, strict=True):
        kernels = volumes.add_kernels(draft, page, own.trips)
        stage.ops += [DraftOperation("kernel", kernel) for kernel in kernels]
        totals.append(product([f"{page.flops:.12g}", product(own.trips)]))
    _move_whole(stage.ops, stage.epilogue, "store", moving)
    arrays = ", ".join([role.array for role, _ in sizes])
    draft.fit(
        volumes.total([text for _, text in sizes]), "DMEM", f"all of {arrays} on one coprocessor"
    )
    draft.ops_total = f"R*({' + '.join(totals)})"
    volumes.add_host_memory(draft, found)
    return ClassCandidate("C1", draft)


def _move_whole(
    each: list[DraftOperation],
    once: list[DraftOperation],
    kind: Literal["load", "store"],
    sizes: Sequence[tuple[ArrayTransfer, str]],
) -> None:
    """Adds transfers of whole arrays to the operations of each step, or to those that run once."""
    for role, text in sizes:
        if not (role.loaded if kind == "load" else role.stored):
            continue
        repeated = _each_step(role)
        line = volumes.transfer_of(kind, role, text, "one", overlap=not repeated)
        (each if repeated else once).append(line)


def _is_kept(role: ArrayTransfer) -> bool:
    return role.mapped is not None and role.mapped.span == "kept"


def _each_step(role: ArrayTransfer) -> bool:
    return role.mapped is not None and role.mapped.span == "step"


def resident_class(name: str, found: PagedNest, system: System) -> ClassCandidate:
    """C2 or C3: a block on every coprocessor; several page loops where they share one partition."""
    arrays = [role for role, _ in volumes.unique(found).values()]
    shape = _shape(arrays)
    first = found.pages[0]
    block = halve_longest(first.trips, round(system.coprocessors))
    why = _not_resident(found) or _no_room(arrays, block, system)
    if why:
        return ClassCandidate(shape, None, why)
    names = volumes.names_of(found.pages[:1])[0]
    draft = ProcedureDraft(name, shape, one_count=True)
    draft.symbols["R"] = found.repeat
    volumes.set_symbols(draft, first, names, block)
    cut_axes = [axis for axis, side in enumerate(block) if side < first.trips[axis]]
    for number, page in enumerate(found.pages, start=1):
        stage = draft.stage("step" if len(found.pages) == 1 else f"step_{number}", "R")
        _exchange(stage, page, names, volumes.add_kernels(draft, page, names.sides), cut_axes)
    trips = product(names.trips)
    totals = [product([f"{page.flops:.12g}", trips]) for page in found.pages]
    _add_blocks(draft, arrays, names)
    draft.ops_total = product(["R", f"({volumes.total(totals)})" if len(totals) > 1 else totals[0]])
    volumes.add_host_memory(draft, found)
    return ClassCandidate(shape, draft)


def _shape(arrays: Sequence[ArrayTransfer]) -> str:
    return "C3" if any(role.whole for role in arrays) else "C2"


def _add_blocks(
    draft: ProcedureDraft, arrays: Sequence[ArrayTransfer], names: volumes.AxisNames
) -> None:
    for role in arrays:
        text = volumes.volume_text(role, names.sides)
        if role.loaded and not (_is_kept(role) or role.whole):
            draft.stages[0].prologue.append(volumes.transfer_of("load", role, text))
        if role.stored and not (_is_kept(role) or role.whole):
            draft.stages[-1].epilogue.append(volumes.transfer_of("store", role, text))
    room = volumes.total([volumes.volume_text(role, names.sides) for role in arrays])
    draft.fit(room, "DMEM", f"blocks of {', '.join([role.array for role in arrays])}")


def _not_resident(found: PagedNest) -> str:
    roles = found.roles
    steps = dict.fromkeys([role.array for role in roles if _each_step(role)])
    if steps:
        return f"map clauses inside the repeating loop move {', '.join(steps)} every step"
    kept = all(_is_kept(role) for role in roles if role.loaded or role.stored)
    if found.repeat < 2 and not kept:
        return "it runs once: resident data is not reused"
    return _unequal(found.pages)


def _no_room(arrays: Sequence[ArrayTransfer], block: Sequence[int], system: System) -> str:
    need = sum([_held(role, block) for role in arrays])
    fit = FitCheck("a block and its halo", need, system.memory_bytes)
    return "" if fit.ok else fit.shortage


def _exchange(
    stage: StageDraft,
    page: PageLoop,
    names: volumes.AxisNames,
    kernels: Sequence[str],
    axes: Collection[int],
) -> None:
    faces = []
    for role in page.roles:
        if role.whole:
            if role.loaded and not _is_kept(role):
                stage.ops.append(
                    volumes.transfer_of("load", role, volumes.whole_text(role), overlap=False)
                )
        elif _is_read(role) and (text := volumes.face_text(role, names.sides, axes)):
            faces.append((role.array, text))
    stage.ops += [DraftOperation("store", text, array) for array, text in faces]
    stage.ops += [DraftOperation("kernel", kernel) for kernel in kernels]
    stage.ops += [DraftOperation("load", text, array) for array, text in faces]
    volumes.add_sums(stage.ops, page)


def _is_read(role: ArrayTransfer) -> bool:
    return role.kind in ("input", "in/out", "private") if role.mapped else role.loaded


def _held(role: ArrayTransfer, block: Sequence[int]) -> float:
    return role.bytes(()) if role.whole else role.bytes(block)


def _unequal(pages: Sequence[PageLoop]) -> str:
    """Why page loops cannot share a partition; empty where they can.

    Each axis has to have the same range and to walk the same dimension of every array, or one loop
    would need what other coprocessors hold.
    """
    first = pages[0]
    walks: dict[str, tuple[object, ...]] = {}
    for page in pages:
        if len(page.trips) != len(first.trips) or any(
            abs(now - before) > 0.01 * before
            for now, before in zip(page.trips, first.trips, strict=True)
        ):
            return "its page loops have different ranges, whole arrays would be exchanged"
        for role in page.roles:
            walk = tuple([tuple(side.terms for side in box.sides) for box in role.boxes[:1]])
            if walks.setdefault(role.array, walk) != walk:
                return f"its page loops walk {role.array} in different ways: all of it is exchanged"
    return ""


def halve_longest(trips: Sequence[int], parts: int) -> tuple[int, ...]:
    """A block of each of ``parts`` coprocessors: the longest axis halved in turn, or cut evenly."""
    sides = list(trips)
    left = parts
    while left > 1:
        by = 2 if left % 2 == 0 else left
        longest = max(range(len(sides)), key=lambda axis: (sides[axis], -axis))
        sides[longest] = max(1, -(-sides[longest] // by))
        left //= by
    return tuple(sides)

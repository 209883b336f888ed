"""Streamed procedures: pages go through the coprocessors, the next one loads while one computes.

C4 one pass; C6 beside arrays that every coprocessor keeps whole; C5 several page loops; C8 arrays
that every page needs whole and no coprocessor can keep, which therefore pass by every page.
"""

from collections import Counter
from collections.abc import Callable, MutableMapping, Sequence
from math import prod
from typing import TypeAlias

from rooflint.records import NamedTuple

from rooflint_plugins.models.hybrid.derive import volumes
from rooflint_plugins.models.hybrid.derive.array_transfers import ArrayTransfer
from rooflint_plugins.models.hybrid.derive.blocks import AccessBox, BoxSide, largest_block
from rooflint_plugins.models.hybrid.derive.pages import PagedNest, PageLoop
from rooflint_plugins.models.hybrid.evaluate.results import FitCheck
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.draft import DraftOperation, ProcedureDraft, product

PAGES = 8
"""Pages of a coprocessor, at least: with fewer, little overlaps."""
SHARED = 0.999
"""Of the pages wanted: sides are whole numbers."""
PIECES = 4
"""Of an array that passes by, a piece takes this part of the room at most."""
BlockMemo: TypeAlias = MutableMapping[object, tuple[tuple[int, ...], tuple[int, ...]]]
"""Blocks that were found, with the extents they were found for: the search is the long part."""


class ClassCandidate(NamedTuple):
    """One class: its procedure, or why it is not possible."""

    shape: str
    written: ProcedureDraft | None
    reason: str = ""


class PagePlan(NamedTuple):
    """Arrays that a page loop keeps, lets pass and moves, and the block that fits beside it.

    What passes by comes whole, in pieces of ``piece_bytes``; or, with ``by_element``, only the
    elements that the page gathers.
    """

    moving: tuple[ArrayTransfer, ...]
    kept: tuple[ArrayTransfer, ...]
    passing: tuple[ArrayTransfer, ...]
    block: tuple[int, ...]
    piece_bytes: float = 0.0
    by_element: bool = False


def streamed_class(
    name: str, found: PagedNest, system: System, blocks: BlockMemo, *, passing: bool
) -> ClassCandidate | None:
    """The streamed class of a nest; None for C8 (``passing``) where nothing has to pass."""
    shape = "C8" if passing else "C5" if len(found.pages) > 1 else "C4"
    why = _on_device(found) or _between_stages(found)
    if why:
        return None if passing else ClassCandidate(shape, None, why)
    plans = _plans(found, system, blocks, passing=passing)
    if isinstance(plans, str):
        return ClassCandidate(shape, None, plans)
    if passing and not any(plan.passing for plan in plans):
        return None
    if shape == "C4" and plans[0].kept:
        shape = "C6"
    draft = ProcedureDraft(name, shape)
    draft.repeat = found.repeat
    if len(plans) == 1:  # what passes by does so once a page: no more pages than needed
        (only,), (page,) = plans, found.pages
        wanted = (1 if only.passing else PAGES) * system.coprocessors
        multiple = _multiple(only.moving, system)
        plans = [only._replace(block=_shared_out(only, page, wanted, multiple))]
    for page, names, plan in zip(found.pages, volumes.names_of(found.pages), plans, strict=True):
        _stage(draft, page, names, plan, system)
    volumes.add_host_memory(draft, found)
    return ClassCandidate(shape, draft)


def _plans(
    found: PagedNest, system: System, blocks: BlockMemo, *, passing: bool
) -> list[PagePlan] | str:
    plans: list[PagePlan] = []
    for page in found.pages:
        plan = _plan(page, system, blocks, passing=passing)
        if isinstance(plan, str):
            return plan
        plans.append(plan)
    return plans


def _on_device(found: PagedNest) -> str:
    held = [role.array for role in found.roles if role.mapped and role.mapped.span == "kept"]
    arrays = ", ".join(dict.fromkeys(held))
    return f"the data region around it keeps {arrays} on the device" if held else ""


def _between_stages(found: PagedNest) -> str:
    users = Counter([r.array for r in found.roles if r.mapped and r.mapped.way == "alloc"])
    arrays = ", ".join([array for array, count in users.items() if count > 1])
    where = f"{arrays} is on the device alone (map clause)"
    return f"{where} and its loops are two stages" if arrays else ""


def _plan(page: PageLoop, system: System, blocks: BlockMemo, *, passing: bool) -> PagePlan | str:
    """The plan with the largest block; of two ways to pass the one that moves less. Else why."""
    moving, whole = _parted(page.roles, lambda role: not role.whole)
    if not passing or not whole:
        return _fitted(PagePlan(moving, whole, (), block=()), page, system, blocks)
    plans = [_passing_whole(moving, whole, page, system)]
    gathered, rest = _parted(whole, lambda role: role.kind == "gathered")
    if gathered and system.channels["main"].gather_bytes:
        plans.append(PagePlan(moving, rest, gathered, block=(), by_element=True))
    made = [_fitted(plan, page, system, blocks) for plan in plans]
    fitting = [plan for plan in made if isinstance(plan, PagePlan)]
    return min(fitting, key=lambda p: _per_point(p, page, system)) if fitting else made[0]


def _parted(
    roles: Sequence[ArrayTransfer], rule: Callable[[ArrayTransfer], bool]
) -> tuple[tuple[ArrayTransfer, ...], tuple[ArrayTransfer, ...]]:
    return tuple(filter(rule, roles)), tuple([role for role in roles if not rule(role)])


def _passing_whole(
    moving: tuple[ArrayTransfer, ...],
    whole: Sequence[ArrayTransfer],
    page: PageLoop,
    system: System,
) -> PagePlan:
    """The smallest arrays are kept while they fill less than half of a bank, the others pass."""
    left = system.memory_bytes / system.banks / 2
    kept: list[ArrayTransfer] = []
    pieces: list[ArrayTransfer] = []
    for role in sorted(whole, key=lambda r: volumes.whole_bytes(r, page)):
        left -= volumes.whole_bytes(role, page)
        (kept if left >= 0 else pieces).append(role)
    return PagePlan(moving=moving, kept=tuple(kept), passing=tuple(pieces), block=())


def _fitted(plan: PagePlan, page: PageLoop, system: System, blocks: BlockMemo) -> PagePlan | str:
    room, copies = system.memory_bytes / system.banks, _copies(system)
    boxes = [b._replace(factor=b.factor * copies) for role in plan.moving for b in role.boxes]
    piece = 0.0
    if plan.by_element:
        boxes += [_fetched(role, page, copies) for role in plan.passing]
    elif plan.passing:
        largest = max([volumes.whole_bytes(role, page) for role in plan.passing])
        piece = min(largest, room / PIECES / copies)
    used = sum([volumes.whole_bytes(role, page) for role in plan.kept]) + piece * copies
    multiple = _multiple(plan.moving, system)
    block = _block(page.trips, boxes, room - used, multiple, blocks)
    if block is None:
        least = [1] * (len(page.trips) - 1) + [min(multiple, page.trips[-1])]
        need = used + sum([box.bytes(least) for box in boxes])
        return FitCheck("its smallest page", need, room).shortage
    return plan._replace(block=block, piece_bytes=piece)


def _multiple(moving: Sequence[ArrayTransfer], system: System) -> int:
    sizes = [box.element_bytes for role in moving for box in role.boxes]
    return max(1, system.channels["main"].align_bytes // max(sizes, default=1))


def _per_point(plan: PagePlan, page: PageLoop, system: System) -> float:
    points = prod(plan.block)
    moved_bytes = sum([role.bytes(plan.block) for role in plan.moving])
    if plan.by_element:
        return moved_bytes / points + sum([_fetched_bytes(role, system) for role in plan.passing])
    return (moved_bytes + sum([volumes.whole_bytes(role, page) for role in plan.passing])) / points


def _copies(system: System) -> int:
    """Buffers of every page: two, unless memory has a bank for each."""
    return 1 if system.banks > 1 else 2


def _fetched_bytes(role: ArrayTransfer, system: System) -> float:
    least = system.channels["main"].gather_bytes
    return role.references * max(least, role.boxes[0].element_bytes)


def _fetched(role: ArrayTransfer, page: PageLoop, copies: int) -> AccessBox:
    sides = tuple([BoxSide(((axis, 1),)) for axis in range(len(page.trips))])
    return AccessBox(role.boxes[0].element_bytes, sides, role.references * copies)


def _block(
    trips: tuple[int, ...],
    boxes: Sequence[AccessBox],
    limit: float,
    multiple: int,
    blocks: BlockMemo,
) -> tuple[int, ...] | None:
    """As ``largest_block``; one found before that no axis limited is the same for larger axes."""
    key = (tuple(boxes), limit, multiple)
    known = blocks.get(key)
    if known is not None:
        block, extents = known
        pairs = zip(block, extents, trips, strict=True)
        if all(side < before and side < now for side, before, now in pairs):
            return block
    found = largest_block(trips, boxes, limit, multiple)
    if found is not None:
        blocks[key] = (found, trips)
    return found


def _shared_out(
    plan: PagePlan, page: PageLoop, wanted_pages: float, multiple: int
) -> tuple[int, ...]:
    """Where the largest block makes too few pages, smaller ones that move least for a point.

    Of equal ways the outer side is cut, so that runs stay long.
    """
    sides = list(plan.block)

    def cut(axis: int, by: float) -> list[int]:
        least = min(multiple, sides[axis]) if axis == len(sides) - 1 else 1
        return [*sides[:axis], max(1, int(sides[axis] / by) // least * least), *sides[axis + 1 :]]

    def moved_bytes(block: Sequence[int]) -> float:
        return sum([role.bytes(block) for role in plan.moving]) / prod(block)

    while True:
        pages = prod([t / side for t, side in zip(page.trips, sides, strict=True)])
        ways = [cut(axis, min(2.0, wanted_pages / pages)) for axis in range(len(sides))]
        ways = [way for way in ways if way != sides]
        if pages >= wanted_pages * SHARED or not ways:
            return tuple(sides)
        sides = min(ways, key=moved_bytes)


def _stage(
    draft: ProcedureDraft, page: PageLoop, names: volumes.AxisNames, plan: PagePlan, system: System
) -> None:
    volumes.set_symbols(draft, page, names, plan.block)
    points, blocked = product(names.trips), product(names.sides)
    _add_memory(draft, names, plan, system)
    stage = draft.stage(names.trips[0].removeprefix("n_"), f"{points}/({blocked}*K)")
    for role in plan.kept:
        if role.loaded:
            stage.prologue.append(volumes.transfer_of("load", role, volumes.whole_text(role)))
        if role.stored:
            stage.epilogue.append(
                volumes.transfer_of("store", role, volumes.whole_text(role), "once")
            )
    moving = [(role, volumes.volume_text(role, names.sides)) for role in plan.moving]
    stage.ops += [volumes.transfer_of("load", role, text) for role, text in moving if role.loaded]
    stage.ops += [
        volumes.transfer_of("load", role, _passing_text(role, plan, blocked, system))
        for role in plan.passing
    ]
    stage.ops += [
        DraftOperation("kernel", name) for name in volumes.add_kernels(draft, page, names.sides)
    ]
    stage.ops += [volumes.transfer_of("store", role, text) for role, text in moving if role.stored]
    volumes.add_sums(stage.epilogue, page)
    draft.ops_total = volumes.total([draft.ops_total, product([f"{page.flops:.12g}", points])])


def _passing_text(role: ArrayTransfer, plan: PagePlan, blocked: str, system: System) -> str:
    if plan.by_element:
        return product([f"{_fetched_bytes(role, system):.12g}", blocked])
    return volumes.whole_text(role)


def _add_memory(
    draft: ProcedureDraft, names: volumes.AxisNames, plan: PagePlan, system: System
) -> None:
    memory = [volumes.volume_text(role, names.sides) for role in plan.moving]
    if plan.by_element:
        memory += [volumes.gathered_text(role, names.sides) for role in plan.passing]
    copies, pages = _copies(system), volumes.total(memory)
    parts = [f"{copies}*({pages})" if pages and copies > 1 else pages]
    parts += [volumes.whole_text(role) for role in plan.kept]
    if plan.piece_bytes:
        draft.symbols["piece"] = max(plan.piece_bytes, draft.symbols.get("piece", 0.0))
        parts.append(f"{copies}*piece")
    room = "DMEM/banks" if system.banks > 1 else "DMEM"
    draft.fit(volumes.total(parts), room, f"pages of {_list(plan)}")


def _list(plan: PagePlan) -> str:
    words = ", ".join([role.array for role in plan.moving])
    if plan.kept:
        words += f" and the whole of {', '.join([role.array for role in plan.kept])}"
    if plan.passing:
        how = "by its elements" if plan.by_element else "in pieces"
        words += f", {', '.join([role.array for role in plan.passing])} {how}"
    return words

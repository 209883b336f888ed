"""Resident procedures: arrays stay in the coprocessors while an outer loop repeats the nest.

C1 all on one coprocessor; C2 a block on each, faces exchanged through system memory every step; C3
also whole arrays to everyone every step.
"""

from collections.abc import Collection, Sequence

from rooflint_plugins.models.hybrid.derive.array_transfers import ArrayTransfer
from rooflint_plugins.models.hybrid.derive.pages import PagedNest, PageLoop
from rooflint_plugins.models.hybrid.derive.streamed import ClassCandidate
from rooflint_plugins.models.hybrid.derive.volumes import (
    AxisNames,
    add_host_memory,
    add_kernels,
    add_sums,
    face_text,
    moved,
    names_of,
    set_symbols,
    total,
    unique,
    volume_text,
    whole_text,
)
from rooflint_plugins.models.hybrid.evaluate.results import FitCheck
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.draft import (
    DraftOperation,
    ProcedureDraft,
    StageDraft,
    product,
)


def single(name: str, found: PagedNest) -> ClassCandidate:
    """C1: everything in one coprocessor's memory, loaded and stored once.

    What a map clause inside the repeating loop names is moved in every step instead.
    """
    roles = unique(found)
    written = ProcedureDraft(name, "C1", one_count=True)
    written.symbols["R"] = found.repeat
    named = dict(zip(map(id, found.pages), names_of(found.pages), strict=True))
    for page in found.pages:
        set_symbols(written, page, named[id(page)])
    stage = written.stage("step", "R")
    sizes = {a: whole_text(role, named[id(page)].trips) for a, (role, page) in roles.items()}
    for array, (role, _) in roles.items():
        if role.loaded and not _is_kept(role):
            each = _each_step(role)
            line = moved("load", role, sizes[array], "one", overlap=not each)
            (stage.ops if each else stage.prologue).append(line)
    totals: list[str] = []
    for page in found.pages:
        trips = named[id(page)].trips
        stage.ops += [DraftOperation("kernel", name) for name in add_kernels(written, page, trips)]
        totals.append(product([f"{page.flops:.12g}", product(trips)]))
    for array, (role, _) in roles.items():
        if role.stored and not _is_kept(role):
            each = _each_step(role)
            line = moved("store", role, sizes[array], "one", overlap=not each)
            (stage.ops if each else stage.epilogue).append(line)
    written.fit(
        total(list(sizes.values())), "DMEM", f"all of {', '.join(sizes)} on one coprocessor"
    )
    written.ops_total = f"R*({' + '.join(totals)})"
    add_host_memory(written, found)
    return ClassCandidate("C1", written)


def _is_kept(role: ArrayTransfer) -> bool:
    return role.mapped is not None and role.mapped.span == "kept"


def _each_step(role: ArrayTransfer) -> bool:
    return role.mapped is not None and role.mapped.span == "step"


def resident(name: str, found: PagedNest, system: System) -> ClassCandidate:
    """C2 or C3: a block on every coprocessor; several page loops where they share one partition."""
    roles = [role for page in found.pages for role in page.roles]
    shape = "C3" if any(role.whole for role in roles) else "C2"
    kept = all(_is_kept(role) for role in roles if role.loaded or role.stored)
    steps = [role.array for role in roles if _each_step(role)]
    if steps:
        moving = ", ".join(dict.fromkeys(steps))
        why = f"map clauses inside the repeating loop move {moving} every step"
        return ClassCandidate(shape, None, why)
    if found.repeat < 2 and not kept:
        return ClassCandidate(shape, None, "it runs once: nothing that stays is used again")
    why = _unequal(found.pages)
    if why:
        return ClassCandidate(shape, None, why)
    block = halved(found.pages[0].trips, round(system.coprocessors))
    pairs = zip(block, found.pages[0].trips, strict=True)
    axes = {axis for axis, (side, trip) in enumerate(pairs) if side < trip}
    arrays = unique(found)
    need = sum([_held(role, block) for role, _ in arrays.values()])
    if need > system.memory_bytes:
        lacking = FitCheck("a block and its halo", need, system.memory_bytes)
        return ClassCandidate(shape, None, lacking.shortage)
    names = names_of(found.pages[:1])[0]
    written = ProcedureDraft(name, shape, one_count=True)
    written.symbols["R"] = found.repeat
    set_symbols(written, found.pages[0], names, block)
    totals: list[str] = []
    for page in found.pages:
        totals.append(product([f"{page.flops:.12g}", product(names.trips)]))
        stage = written.stage("step" if len(found.pages) == 1 else f"step_{len(totals)}", "R")
        _exchange(stage, page, names, add_kernels(written, page, names.sides), axes)
    sizes = {a: volume_text(role, names.sides) for a, (role, _) in arrays.items()}
    for array, (role, _) in arrays.items():
        if _is_kept(role) or role.whole:
            continue
        if role.loaded:
            written.stages[0].prologue.append(moved("load", role, sizes[array]))
        if role.stored:
            written.stages[-1].epilogue.append(moved("store", role, sizes[array]))
    written.fit(total(list(sizes.values())), "DMEM", f"blocks of {', '.join(sizes)}")
    written.ops_total = product(["R", f"({total(totals)})" if len(totals) > 1 else totals[0]])
    add_host_memory(written, found)
    return ClassCandidate(shape, written)


def _exchange(
    stage: StageDraft,
    page: PageLoop,
    names: AxisNames,
    kernels: Sequence[str],
    axes: Collection[int],
) -> None:
    """One step of one page loop: whole arrays first, faces beside the kernel."""
    whole = [role for role in page.roles if role.whole and role.loaded and not _is_kept(role)]
    faces = {
        role: text
        for role in page.roles
        if not role.whole and _is_read(role) and (text := face_text(role, names.sides, axes))
    }
    stage.ops += [moved("load", role, whole_text(role), overlap=False) for role in whole]
    stage.ops += [DraftOperation("store", text, role.array) for role, text in faces.items()]
    stage.ops += [DraftOperation("kernel", kernel) for kernel in kernels]
    stage.ops += [DraftOperation("load", text, role.array) for role, text in faces.items()]
    add_sums(stage.ops, page)


def _is_read(role: ArrayTransfer) -> bool:
    """Whether neighbours need its values, whatever a map clause moves."""
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


def halved(trips: Sequence[int], parts: int) -> tuple[int, ...]:
    """A block of each of ``parts`` coprocessors: the longest axis halved in turn, or cut evenly."""
    sides = list(trips)
    left = parts
    while left > 1:
        by = 2 if left % 2 == 0 else left
        longest = max(range(len(sides)), key=lambda axis: (sides[axis], -axis))
        sides[longest] = max(1, -(-sides[longest] // by))
        left //= by
    return tuple(sides)

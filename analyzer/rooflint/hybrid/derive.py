"""Procedures of a loop nest: streamed through the coprocessors, or resident in them.

Every feasible class becomes a procedure in the language of procedure files, so it can be printed,
edited, evaluated and overridden like one that somebody wrote.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rooflint.hybrid.blocks import Box, Side, largest_block
from rooflint.hybrid.pages import Cut, Pages
from rooflint.hybrid.roles import Role
from rooflint.hybrid.system import System
from rooflint.hybrid.written import Line, Written, product

PAGES = 8
"""Pages of a coprocessor, at least: with fewer, little overlaps."""
_PLAIN = re.compile(r"\W+")


class Candidate(NamedTuple):
    """One class: its procedure, or why it is not possible (``needs_bytes``, by how much not)."""

    shape: str
    written: Written | None
    reason: str = ""


def candidates(name: str, found: Cut, system: System) -> tuple[Candidate, ...]:
    """The classes of a nest on a system, those that cannot be with the reason."""
    made = [_streamed(name, found, system), _single(name, found, system)]
    if len(found.pages) == 1:
        made.append(_resident(name, found, system))
    else:
        made.append(Candidate("C2", None, "pages of different loops exchange whole arrays"))
    return tuple(made)


class _Names(NamedTuple):
    """Symbols of one page loop: trips, block sides."""

    trips: tuple[str, ...]
    sides: tuple[str, ...]


def _names(pages: Sequence[Pages]) -> list[_Names]:
    """Short names, the same index twice told apart by a number."""
    found = []
    seen: dict[str, int] = {}
    for page in pages:
        words = []
        for axis in page.nest.axes:
            word = _PLAIN.sub("_", axis.index.partition("'")[0]).strip("_") or "i"
            seen[word] = seen.get(word, 0) + 1
            words.append(word if seen[word] == 1 else f"{word}_{seen[word]}")
        found.append(_Names(tuple([f"n_{w}" for w in words]), tuple([f"b_{w}" for w in words])))
    return found


def volume_text(role: Role, sides: Sequence[str]) -> str:
    """Bytes of an array in a block, as an expression: ``(b_j + 8)*(b_i + 2)*4``."""
    return " + ".join(_box_text(box, sides) for box in role.boxes)


def _box_text(box: Box, sides: Sequence[str]) -> str:
    factors = [_side_text(side, sides) for side in box.sides]
    if box.factor != 1:
        factors.append(f"{box.factor:.12g}")
    return product([*factors, str(box.element_bytes)])


def _side_text(side: Side, sides: Sequence[str]) -> str:
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


def _face_text(role: Role, sides: Sequence[str]) -> str:
    """Bytes that one coprocessor gives, or takes, at the borders of its block."""
    parts = []
    for box in role.boxes:
        bare = [side._replace(low=0, high=0) for side in box.sides]
        for number, side in enumerate(box.sides):
            if side.low + side.high and side.terms:
                others = [_side_text(s, sides) for n, s in enumerate(bare) if n != number]
                width = str(side.low + side.high)
                parts.append(product([width, *others, str(box.element_bytes)]))
    return " + ".join(parts)


def _whole(role: Role) -> str:
    return volume_text(role, ())


def _streamed(name: str, found: Cut, system: System) -> Candidate:
    """C4; C6 with arrays that every coprocessor has whole; C5 with several page loops."""
    shape = "C5" if len(found.pages) > 1 else "C4"
    written = Written(name, shape)
    channel = system.channels["main"]
    copies = 1 if system.banks > 1 else 2
    room = "DMEM/banks" if system.banks > 1 else "DMEM"
    totals: list[str] = []
    for page, names in zip(found.pages, _names(found.pages), strict=True):
        moving = [role for role in page.roles if role.kind != "broadcast"]
        whole = [role for role in page.roles if role.kind == "broadcast"]
        kept = sum([role.bytes(()) for role in whole])
        limit = system.memory_bytes / system.banks - kept
        boxes = [box._replace(factor=box.factor * copies) for role in moving for box in role.boxes]
        element = max([box.element_bytes for box in boxes], default=1)
        multiple = max(1, channel.align_bytes // element)
        block = largest_block(page.trips, boxes, limit, multiple)
        if block is None:
            least = kept + sum([box.bytes([1] * len(page.trips)) for box in boxes])
            shape = "C8" if kept > limit + kept else shape
            return Candidate(shape, None, _over("its smallest page", least, limit + kept))
        if len(found.pages) == 1:
            block = _shared_out(block, page.trips, PAGES * system.coprocessors)
        if whole and shape == "C4":
            shape = "C6"
        _params(written, page, names, block)
        memory = " + ".join(volume_text(role, names.sides) for role in moving)
        if memory:
            memory = f"{copies}*({memory})" if copies > 1 else memory
        parts = [memory, *[_whole(role) for role in whole]]
        written.fit(" + ".join(filter(None, parts)), room, f"pages of {_list(moving, whole)}")
        points, blocked = product(names.trips), product(names.sides)
        totals.append(product([f"{page.flops:.12g}", points]))
        kernel = written.kernel(
            f"k{len(totals)}",
            product([f"{page.flops:.12g}", blocked]),
            " + ".join(filter(None, [volume_text(role, names.sides) for role in page.roles])),
        )
        stage = written.stage(names.trips[0].removeprefix("n_"), f"{points}/({blocked}*K)")
        stage.prologue += [Line("load", _whole(role), role.array) for role in whole]
        stage.ops += [
            Line("load", volume_text(role, names.sides), role.array)
            for role in moving
            if role.loaded
        ]
        stage.ops.append(Line("kernel", kernel))
        stage.ops += [
            Line("store", volume_text(role, names.sides), role.array)
            for role in moving
            if role.stored
        ]
        _sums(stage.epilogue, page)
    written.shape = shape
    written.ops_total = " + ".join(totals)
    written.repeat = found.repeat
    _in_memory(written, found)
    return Candidate(shape, written)


def _shared_out(
    block: tuple[int, ...], trips: tuple[int, ...], wanted_pages: float
) -> tuple[int, ...]:
    """Where the largest block makes too few pages, blocks get smaller, outer sides first."""
    sides = list(block)
    for axis in range(len(sides)):
        pages = 1.0
        for side, trip in zip(sides, trips, strict=True):
            pages *= max(1, trip // side)
        if pages >= wanted_pages:
            break
        wanted = -(-wanted_pages // pages)
        sides[axis] = max(1, int(sides[axis] // wanted))
    return tuple(sides)


def _single(name: str, found: Cut, system: System) -> Candidate:
    """C1: everything in one coprocessor's memory, loaded and stored once."""
    roles = _unique(found)
    need = sum([role.bytes(page.trips) for role, page in roles.values()])
    if need > system.memory_bytes:
        return Candidate(
            "C1", None, _over("all of it on one coprocessor", need, system.memory_bytes)
        )
    written = Written(name, "C1")
    written.symbols["R"] = found.repeat
    named = dict(zip(map(id, found.pages), _names(found.pages), strict=True))
    for page in found.pages:
        _params(written, page, named[id(page)], None)
    stage = written.stage("step", "R")
    sizes = {
        array: volume_text(role, named[id(page)].trips) for array, (role, page) in roles.items()
    }
    totals: list[str] = []
    for page in found.pages:
        names = named[id(page)]
        total = product([f"{page.flops:.12g}", product(names.trips)])
        volumes = [volume_text(role, names.trips) for role in page.roles]
        kernel = written.kernel(f"k{len(totals) + 1}", total, " + ".join(filter(None, volumes)))
        stage.ops.append(Line("kernel", kernel))
        totals.append(total)
    stage.prologue += [
        Line("load", sizes[a], a, "once") for a, (role, _) in roles.items() if role.loaded
    ]
    stage.epilogue += [
        Line("store", sizes[a], a, "once") for a, (role, _) in roles.items() if role.stored
    ]
    written.fit(" + ".join(sizes.values()), "DMEM", f"all of {', '.join(sizes)} on one coprocessor")
    written.ops_total = f"R*({' + '.join(totals)})"
    _in_memory(written, found)
    return Candidate("C1", written)


def _resident(name: str, found: Cut, system: System) -> Candidate:
    """C2, faces exchanged every step; C3 where every coprocessor gets whole arrays every step."""
    (page,) = found.pages
    whole = [role for role in page.roles if role.kind == "broadcast"]
    parts = [role for role in page.roles if role.kind != "broadcast"]
    shape = "C3" if whole else "C2"
    if found.repeat < 2:
        return Candidate(shape, None, "it runs once: nothing that stays is used again")
    block = halved(page.trips, round(system.coprocessors))
    need = sum([role.bytes(block) for role in page.roles])
    if need > system.memory_bytes:
        return Candidate(shape, None, _over("a block and its halo", need, system.memory_bytes))
    (names,) = _names(found.pages)
    written = Written(name, shape)
    written.symbols["R"] = found.repeat
    _params(written, page, names, block)
    sizes = {role.array: volume_text(role, names.sides) for role in page.roles}
    kernel = written.kernel(
        "k1",
        product([f"{page.flops:.12g}", product(names.sides)]),
        " + ".join(filter(None, sizes.values())),
    )
    stage = written.stage("step", "R")
    faces = {role.array: _face_text(role, names.sides) for role in parts if role.loaded}
    stage.ops += [Line("load", _whole(role), role.array, overlap=False) for role in whole]
    stage.ops += [Line("store", text, array) for array, text in faces.items() if text]
    stage.ops.append(Line("kernel", kernel))
    stage.ops += [Line("load", text, array) for array, text in faces.items() if text]
    stage.prologue += [Line("load", sizes[r.array], r.array) for r in parts if r.loaded]
    stage.epilogue += [Line("store", sizes[r.array], r.array) for r in parts if r.stored]
    _sums(stage.ops, page)
    written.fit(" + ".join(sizes.values()), "DMEM", f"blocks of {', '.join(sizes)}")
    written.ops_total = product(["R", f"{page.flops:.12g}", product(names.trips)])
    _in_memory(written, found)
    return Candidate(shape, written)


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


def _unique(found: Cut) -> dict[str, tuple[Role, Pages]]:
    """Every array once: its largest box, loaded by its first page loop, stored by any."""
    arrays: dict[str, tuple[Role, Pages]] = {}
    for page in found.pages:
        for role in page.roles:
            known = arrays.get(role.array)
            if known is None:
                arrays[role.array] = (role, page)
                continue
            before, first = known
            if role.stored and not before.stored:
                before = before._replace(kind="in/out" if before.loaded else "output")
            arrays[role.array] = (before, first)
    return arrays


def _params(written: Written, page: Pages, names: _Names, block: Sequence[int] | None) -> None:
    written.symbols.update(zip(names.trips, map(float, page.trips), strict=True))
    if block is not None:
        written.symbols.update(zip(names.sides, map(float, block), strict=True))


def _sums(lines: list[Line], page: Pages) -> None:
    """Each coprocessor sends its part of a sum."""
    lines += [Line("store", "8", name, overlap=False) for name in page.sums]


def _in_memory(written: Written, found: Cut) -> None:
    roles = _unique(found)
    total = sum([role.bytes(page.trips) for role, page in roles.values()])
    written.fit(f"{total:.12g}", "HMEM", f"{', '.join(roles)} in system memory")


def _list(moving: Sequence[Role], whole: Sequence[Role]) -> str:
    words = ", ".join(role.array for role in moving)
    return words + (f" and the whole of {', '.join(r.array for r in whole)}" if whole else "")


def _over(what: str, need: float, room: float) -> str:
    over = need - room
    return f"{what} needs {need:.4g} B, {over:.4g} B more than the {room:.4g} B there are"

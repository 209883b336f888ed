"""How many iterations of the source's loop one pass over an assembly loop covers.

A vectoriser and an unroller leave no note of that in the code. What they cannot hide is how far the
addresses move: a pass that moves them by 128 bytes covers 16 iterations of a loop that moves them
by 8.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from rooflint.core.external.listing import AsmLoop

X86_OPERAND: Final = re.compile(r"(-?\w*)\((%\w+)?(?:,\s*(%\w+)(?:,\s*(\d))?)?\)")
A64_OPERAND: Final = re.compile(
    r"\[(\w+)(?:,\s*(?:#(-?\w+)(?:,\s*mul vl)?|(\w+)(?:,\s*lsl\s+#(\d+))?))?\](!|,\s*#-?\w+)?"
)
X86_MOVED: Final = re.compile(r"^(add|sub)[lq]?\s+\$(-?\w+),\s*(%\w+)$")
X86_STEP: Final = re.compile(r"^(inc|dec)[lq]?\s+(%\w+)$")
X86_LEA: Final = re.compile(r"^lea[lq]?\s+(-?\w+)\((%\w+)\),\s*(%\w+)$")
A64_MOVED: Final = re.compile(r"^(add|sub)s?\s+(\w+),\s*(\w+),\s*#(\w+)(?:,\s*lsl\s+#(\d+))?$")
SVE_MOVED: Final = re.compile(r"^inc([bhwd])\s+(\w+)(?:,\s*all(?:,\s*mul\s+#(\d+))?)?$")
A64_ADDED: Final = re.compile(r"^(add|sub)s?\s+(\w+),\s*(\w+),\s*(x\d+)$")
A64_SUM: Final = re.compile(r"^add\s+(x\d+),\s*(x\d+),\s*(x\d+)(?:,\s*lsl\s+#(\d+))?$")
A64_CONSTANT: Final = re.compile(r"^mov(k?)\s+[wx](\d+),\s*#(-?\w+)(?:,\s*lsl\s+#(\d+))?$")
A64_CALL: Final = re.compile(r"^blr?\b")
SVE_LENGTH: Final = re.compile(
    r"^(?:rdvl\s+(?P<bytes>x\d+),\s*#(?P<registers>\d+)"
    r"|cnt(?P<kind>[bhwd])\s+(?P<lanes>x\d+)(?:,\s*all(?:,\s*mul\s+#(?P<times>\d+))?)?)$"
)
SVE_BYTES: Final = {"b": 1, "h": 2, "w": 4, "d": 8}
KEPT: Final = 19
"""The first register that a function keeps for its caller (AAPCS64)."""
MOST: Final = 1024
"""Iterations of a pass beyond which an answer is not believed."""


def iterations_per_pass(
    loop: AsmLoop, strides_bytes: Iterable[int], multiple_of: int = 1, vector_bytes: int = 0
) -> int | None:
    """Iterations of the source per pass; None where no address moves by a constant.

    ``strides_bytes`` are what the accesses of the source move by in an iteration; ``multiple_of``
    is what a compiler's remark says of width and interleaving; ``vector_bytes`` is the length of a
    register where the code does not fix it (SVE).
    """
    strides = sorted({abs(stride) for stride in strides_bytes if stride})
    moved = Counter(abs(step) for step in moves_bytes(loop, vector_bytes) if step)
    if not moved:
        return _counted_down(loop, multiple_of, vector_bytes)
    votes: Counter[int] = Counter()
    for step, times in moved.items():
        for stride in strides:
            covered, rest = divmod(step, stride)
            if not rest and covered <= MOST and covered % multiple_of == 0:
                votes[covered] += times
    if not votes:
        return None
    best = max(votes.values())
    # the smallest: a long stride may divide a short step as well, never the other way round
    return min(covered for covered, count in votes.items() if count == best)


def _counted_down(loop: AsmLoop, multiple_of: int, vector_bytes: int) -> int | None:
    """By the loop's counter, where addresses are made of vectors (gathers)."""
    steps = {abs(step) for step in _increments(loop, vector_bytes).values() if step}
    if len(steps) != 1 or multiple_of < 2:
        return None
    step = steps.pop()
    return step if step <= MOST and step % multiple_of == 0 else None


def moves_bytes(loop: AsmLoop, vector_bytes: int = 0) -> list[int]:
    """What the memory operands move by in a pass, as far as that is a constant."""
    steps = _increments(loop, vector_bytes)
    found = []
    for instruction in loop.code:
        text = instruction.text
        if text.startswith(("lea", "prefetch", "nop")):
            continue
        for base, index, scale in _operands(text):
            by_base, by_index = steps.get(base, 0), steps.get(index, 0)
            if by_base is not None and by_index is not None:
                found.append(by_base + scale * by_index)
    return found


def _operands(text: str) -> list[tuple[str, str, int]]:
    """Base, index and scale of the memory operands of an instruction."""
    found = [(m[2] or "", m[3] or "", int(m[4] or 1)) for m in X86_OPERAND.finditer(text)]
    found += [(m[1], m[3] or "", 1 << int(m[4] or 0)) for m in A64_OPERAND.finditer(text)]
    return found


def _increments(loop: AsmLoop, vector_bytes: int) -> dict[str, int | None]:
    """By register, its constant change in a pass; None where it changes otherwise."""
    steps: dict[str, int | None] = {}
    sums: dict[str, list[tuple[str, str, int]]] = {}
    writes: Counter[str] = Counter()
    adds = any(A64_ADDED.match(instruction.text) for instruction in loop.code)
    fixed = _fixed(loop, vector_bytes) if adds else {}

    def change(register: str, by: int | None) -> None:
        writes[register] += 1
        before = steps.get(register, 0)
        steps[register] = None if before is None or by is None else before + by

    for instruction in loop.code:
        text = instruction.text
        if m := X86_MOVED.match(text):
            change(m[3], int(m[2], 0) * (1 if m[1] == "add" else -1))
        elif m := X86_STEP.match(text):
            change(m[2], 1 if m[1] == "inc" else -1)
        elif m := X86_LEA.match(text):
            change(m[3], int(m[1], 0) if m[2] == m[3] else None)
        elif m := A64_MOVED.match(text):
            size = int(m[4], 0) << int(m[5] or 0)
            change(m[2], (size if m[1] == "add" else -size) if m[2] == m[3] else None)
        elif (m := A64_ADDED.match(text)) and m[2] == m[3] and m[4] in fixed:
            change(m[2], fixed[m[4]] * (1 if m[1] == "add" else -1))
        elif (m := A64_SUM.match(text)) and m[1] not in (m[2], m[3]):
            sums.setdefault(m[1], []).append((m[2], m[3], 1 << int(m[4] or 0)))
            change(m[1], None)
        elif m := SVE_MOVED.match(text):
            lanes = vector_bytes // SVE_BYTES[m[1]] * int(m[3] or 1)
            change(m[2], lanes or None)
        else:
            for match in A64_OPERAND.finditer(text):
                if match[5]:
                    by = match[2] if match[5] == "!" else match[5].lstrip(", #")
                    change(match[1], int(by, 0) if by else None)
            written = _written(text)
            if written:
                change(written, None)
    for register, made in sums.items():
        moved = {_moved(steps, *terms) for terms in made}
        if writes[register] == len(made) and len(moved) == 1:
            steps[register] = moved.pop()
    return steps


def _moved(steps: dict[str, int | None], base: str, index: str, scale: int) -> int | None:
    """What a sum of two registers changes by in a pass."""
    by_base, by_index = steps.get(base, 0), steps.get(index, 0)
    return None if by_base is None or by_index is None else by_base + scale * by_index


def _fixed(loop: AsmLoop, vector_bytes: int) -> dict[str, int]:
    """Registers of AArch64 that hold a number or multiples of the vector length before the loop."""
    found: dict[str, int] = {}
    for instruction in loop.before:
        text = instruction.text
        if (m := SVE_LENGTH.match(text)) and vector_bytes:
            if m["bytes"]:
                found[m["bytes"]] = int(m["registers"]) * vector_bytes
            else:
                lanes = vector_bytes // SVE_BYTES[m["kind"]]
                found[m["lanes"]] = lanes * int(m["times"] or 1)
        elif (m := A64_CONSTANT.match(text)) and (not m[1] or f"x{m[2]}" in found):
            part, shift = int(m[3], 0), int(m[4] or 0)
            low = found[f"x{m[2]}"] & ~(0xFFFF << shift) if m[1] else 0
            found[f"x{m[2]}"] = low | part << shift
        elif A64_CALL.match(text):
            found = {name: held for name, held in found.items() if int(name[1:]) >= KEPT}
        else:
            found.pop(_written(text).replace("w", "x"), None)
    return found


def _written(text: str) -> str:
    """The general register that an instruction of x86 or AArch64 changes in another way."""
    if re.match(r"^(cmp|test|ucomi|vucomi|j|push|str|stp|st1|st\d|b\.|cb|tb|prf)", text):
        return ""
    if "%" in text:
        last = re.search(r"(%\w+)$", text)
        return last[1] if last and not re.match(r"%[xyzk]", last[1]) else ""
    first = re.match(r"^\w+\s+([xw]\d+)\b", text)
    return first[1] if first else ""

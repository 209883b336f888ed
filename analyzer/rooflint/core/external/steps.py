"""How many iterations of the source's loop one pass over an assembly loop covers.

A vectoriser and an unroller leave no note of that in the code. What they cannot hide is how far the
addresses move: a pass that moves them by 128 bytes covers 16 iterations of a loop that moves them
by 8.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Final

from rooflint.core.external.listing import AsmLoop
from rooflint.startup.late_pattern import late_pattern

X86_OPERAND: Final = late_pattern(r"(-?\w*)\((%\w+)?(?:,\s*(%\w+)(?:,\s*(\d))?)?\)")
A64_OPERAND: Final = late_pattern(
    r"\[(\w+)(?:,\s*(?:#(-?\w+)(?:,\s*mul vl)?|(\w+)(?:,\s*lsl\s+#(\d+))?))?\](!|,\s*#-?\w+)?"
)
X86_MOVED: Final = late_pattern(r"^(add|sub)[lq]?\s+\$(-?\w+),\s*(%\w+)$")
X86_STEP: Final = late_pattern(r"^(inc|dec)[lq]?\s+(%\w+)$")
X86_LEA: Final = late_pattern(r"^lea[lq]?\s+(-?\w+)\((%\w+)\),\s*(%\w+)$")
A64_MOVED: Final = late_pattern(r"^(add|sub)s?\s+(\w+),\s*(\w+),\s*#(\w+)(?:,\s*lsl\s+#(\d+))?$")
SVE_MOVED: Final = late_pattern(r"^inc([bhwd])\s+(\w+)(?:,\s*all(?:,\s*mul\s+#(\d+))?)?$")
A64_ADDED: Final = late_pattern(r"^(add|sub)s?\s+(\w+),\s*(\w+),\s*(x\d+)$")
A64_SUM: Final = late_pattern(r"^add\s+(x\d+),\s*(x\d+),\s*(x\d+)(?:,\s*lsl\s+#(\d+))?$")
A64_CONSTANT: Final = late_pattern(r"^mov(k?)\s+[wx](\d+),\s*#(-?\w+)(?:,\s*lsl\s+#(\d+))?$")
A64_CALL: Final = late_pattern(r"^blr?\b")
SVE_LENGTH: Final = late_pattern(
    r"^(?:rdvl\s+(?P<bytes>x\d+),\s*#(?P<registers>\d+)"
    r"|cnt(?P<kind>[bhwd])\s+(?P<lanes>x\d+)(?:,\s*all(?:,\s*mul\s+#(?P<times>\d+))?)?)$"
)
NO_RESULT: Final = late_pattern(r"^(cmp|test|ucomi|vucomi|j|push|str|stp|st1|st\d|b\.|cb|tb|prf)")
"""Comparisons, jumps, stores and prefetches."""
X86_RESULT: Final = late_pattern(r"(%(?![xyzk])\w+)$")
A64_RESULT: Final = late_pattern(r"^\w+\s+([xw]\d+)\b")
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
    strides = {abs(stride) for stride in strides_bytes if stride}
    moved = Counter(abs(step) for step in moves_bytes(loop, vector_bytes) if step)
    if not moved:
        return _counted_down(loop, multiple_of, vector_bytes)
    votes: Counter[int] = Counter()
    for (step, times), stride in product(moved.items(), strides):
        covered, rest = divmod(step, stride)
        if not rest and _is_credible(covered, multiple_of):
            votes[covered] += times
    # the smallest: a long stride may divide a short step as well, never the other way round
    return min(votes, key=lambda covered: (-votes[covered], covered), default=None)


def _is_credible(iterations: int, multiple_of: int) -> bool:
    return iterations <= MOST and iterations % multiple_of == 0


def _counted_down(loop: AsmLoop, multiple_of: int, vector_bytes: int) -> int | None:
    """By the loop's counter, where addresses are made of vectors (gathers)."""
    steps = {abs(step) for step in _increments(loop, vector_bytes).values() if step}
    if len(steps) != 1 or multiple_of < 2:
        return None
    step = steps.pop()
    return step if _is_credible(step, multiple_of) else None


def moves_bytes(loop: AsmLoop, vector_bytes: int = 0) -> list[int]:
    """Bytes by which the memory operands advance per pass, as far as these are constants."""
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
    found = [(m[2] or "", m[3] or "", int(m[4] or 1)) for m in X86_OPERAND.finditer(text)]
    found += [(m[1], m[3] or "", 1 << int(m[4] or 0)) for m in A64_OPERAND.finditer(text)]
    return found


def _increments(loop: AsmLoop, vector_bytes: int) -> dict[str, int | None]:
    adds = any(A64_ADDED.match(instruction.text) for instruction in loop.code)
    changes = _RegisterChanges(vector_bytes, _fixed(loop, vector_bytes) if adds else {})
    for instruction in loop.code:
        changes.read(instruction.text)
    return changes.steps_per_pass()


class _RegisterChanges:
    """Changes of registers in one pass; ``fixed`` ones hold a number that was set before."""

    def __init__(self, vector_bytes: int, fixed: dict[str, int]) -> None:
        self.vector_bytes, self.fixed = vector_bytes, fixed
        self.steps: dict[str, int | None] = {}
        self.sums: dict[str, list[tuple[str, str, int]]] = {}
        self.writes: Counter[str] = Counter()
        self.readers: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], bool]], ...] = (
            (X86_MOVED, self.x86_moved),
            (X86_STEP, self.x86_step),
            (X86_LEA, self.x86_lea),
            (A64_MOVED, self.a64_moved),
            (A64_ADDED, self.a64_added),
            (A64_SUM, self.a64_sum),
            (SVE_MOVED, self.sve_moved),
        )

    def read(self, text: str) -> None:
        """Takes in one instruction: by the first form that it has, else as any other write."""
        if not any((m := form.match(text)) and reader(m) for form, reader in self.readers):
            self.other(text)

    def steps_per_pass(self) -> dict[str, int | None]:
        """The changes, with registers that are sums of others resolved."""
        for register, terms in self.sums.items():
            moved = {_moved(self.steps, *term) for term in terms}
            if self.writes[register] == len(terms) and len(moved) == 1:
                self.steps[register] = moved.pop()
        return self.steps

    def change(self, register: str, by: int | None) -> bool:
        self.writes[register] += 1
        before = self.steps.get(register, 0)
        self.steps[register] = None if before is None or by is None else before + by
        return True

    def x86_moved(self, m: re.Match[str]) -> bool:
        return self.change(m[3], _signed(m[1], int(m[2], 0)))

    def x86_step(self, m: re.Match[str]) -> bool:
        return self.change(m[2], 1 if m[1] == "inc" else -1)

    def x86_lea(self, m: re.Match[str]) -> bool:
        return self.change(m[3], int(m[1], 0) if m[2] == m[3] else None)

    def a64_moved(self, m: re.Match[str]) -> bool:
        size = int(m[4], 0) << int(m[5] or 0)
        return self.change(m[2], _signed(m[1], size) if m[2] == m[3] else None)

    def a64_added(self, m: re.Match[str]) -> bool:
        known = m[2] == m[3] and m[4] in self.fixed
        return known and self.change(m[2], _signed(m[1], self.fixed[m[4]]))

    def a64_sum(self, m: re.Match[str]) -> bool:
        if m[1] in (m[2], m[3]):
            return False
        self.sums.setdefault(m[1], []).append((m[2], m[3], 1 << int(m[4] or 0)))
        return self.change(m[1], None)

    def sve_moved(self, m: re.Match[str]) -> bool:
        lanes = self.vector_bytes // SVE_BYTES[m[1]] * int(m[3] or 1)
        return self.change(m[2], lanes or None)

    def other(self, text: str) -> None:
        """Addresses that are changed in passing, and any other register that is written."""
        for match in A64_OPERAND.finditer(text):
            if match[5]:
                by = match[2] if match[5] == "!" else match[5].lstrip(", #")
                self.change(match[1], int(by, 0) if by else None)
        written = _written(text)
        if written is not None:
            self.change(written, None)


def _signed(operation: str, amount: int) -> int:
    return amount if operation == "add" else -amount


def _moved(steps: dict[str, int | None], base: str, index: str, scale: int) -> int | None:
    """The change of a sum of two registers per pass."""
    by_base, by_index = steps.get(base, 0), steps.get(index, 0)
    return None if by_base is None or by_index is None else by_base + scale * by_index


def _fixed(loop: AsmLoop, vector_bytes: int) -> dict[str, int]:
    """Registers of AArch64 that hold a number or multiples of the vector length before the loop."""
    held: dict[str, int] = {}
    for instruction in loop.before:
        text = instruction.text
        if (m := SVE_LENGTH.match(text)) and vector_bytes:
            held[m["bytes"] or m["lanes"]] = _vector_length(m, vector_bytes)
        elif (m := A64_CONSTANT.match(text)) and (not m[1] or f"x{m[2]}" in held):
            held[f"x{m[2]}"] = _constant(m, held)
        elif A64_CALL.match(text):
            held = {name: number for name, number in held.items() if int(name[1:]) >= KEPT}
        elif (written := _written(text)) is not None:
            held.pop(written.replace("w", "x"), None)
    return held


def _constant(m: re.Match[str], held: Mapping[str, int]) -> int:
    """The value of a register after ``mov``; ``movk`` changes only 16 bits of it."""
    part, shift = int(m[3], 0), int(m[4] or 0)
    rest = held[f"x{m[2]}"] & ~(0xFFFF << shift) if m[1] else 0
    return rest | part << shift


def _vector_length(m: re.Match[str], vector_bytes: int) -> int:
    """Of ``rdvl`` in bytes, of ``cnt`` in elements."""
    if m["bytes"]:
        return int(m["registers"]) * vector_bytes
    return vector_bytes // SVE_BYTES[m["kind"]] * int(m["times"] or 1)


def _written(text: str) -> str | None:
    if NO_RESULT.match(text):
        return None
    if "%" in text:
        last = X86_RESULT.search(text)
        return last[1] if last else None
    first = A64_RESULT.match(text)
    return first[1] if first else None

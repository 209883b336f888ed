"""Innermost loops of an assembly listing, as clang and gcc write them for x86-64 and AArch64."""

import os
from collections.abc import Iterable, Iterator
from typing import Final

from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

COMMENT: Final = late_pattern(r"\s*(?://|#(?:\s|$)).*$")
"""An AArch64 constant is a hash with no space after it."""
LABEL: Final = late_pattern(r"^([.\w$]+):")
PLACE: Final = late_pattern(r"^\s+\.loc\s+(\d+)\s+(\d+)")
FILE: Final = late_pattern(r'^\s+\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"((?:[^"\\]|\\.)*)")?')
LEFT: Final = late_pattern(r"^(?:ret\w*$|jmpq?\s|b\s)")
CALL: Final = late_pattern(r"^(?:callq?|blr?)\s")
INSTRUCTION: Final = late_pattern(r"^\s+([a-zA-Z][\w.]*(?:\s.*)?)$")
JUMP: Final = late_pattern(r"^(?:j\w+|b(?:\.?\w\w)?|cbn?z|tbn?z)\s(?:.*,\s*)?\s*([.\w$]+)$")


class AsmInstruction(NamedTuple):
    """One instruction with the source place it comes from: 0, 0 where the listing has none."""

    text: str
    file: int = 0
    line: int = 0


class AsmLoop(NamedTuple):
    """An innermost loop: all from its label to the jump back.

    branches   whether it jumps inside, so that no straight code is executed in each pass
    calls      whether it calls functions, whose code an analyser does not see
    files      names by number, for the places of the instructions
    before     what the function has in front of it, in the order of the listing
    """

    function: str
    label: str
    code: tuple[AsmInstruction, ...]
    branches: bool
    calls: bool
    files: dict[int, str]
    before: tuple[AsmInstruction, ...] = ()

    @property
    def text(self) -> str:
        """Assembly text for an analyser, the jump back included."""
        return "".join([f"\t{instruction.text}\n" for instruction in self.code])

    def share(self, file: str, first: int, last: int) -> float:
        """How much of the code that has a place comes from these lines of ``file``."""
        placed = [i for i in self.code if i.line]
        inside = [i for i in placed if first <= i.line <= last and self.files.get(i.file) == file]
        return len(inside) / len(placed) if placed else 0.0


class _AsmFunction:
    def __init__(self, name: str) -> None:
        self.name = name
        self.code: list[AsmInstruction] = []
        self.labels: dict[str, int] = {}

    def loops(self, files: dict[int, str]) -> Iterator[AsmLoop]:
        """Regions from a label to the last jump back to it that hold no other such region."""
        jumps = [(number, label, self.labels[label]) for number, label in self.jumps()]
        back = {label: (to, number) for number, label, to in jumps if to <= number}
        for region, label in sorted((region, label) for label, region in back.items()):
            if not any(_holds(region, inner) for inner in back.values()):
                targets = [to for _, _, to in jumps]
                yield self.loop(label, region, targets, files)

    def loop(
        self, label: str, region: tuple[int, int], targets: Iterable[int], files: dict[int, str]
    ) -> AsmLoop:
        first, last = region
        code = tuple(self.code[first : last + 1])
        # what jumps out of the middle is an exit; what jumps into it is another way through
        entered = any(first < to <= last for to in targets)
        # a way moved out of the loop lies behind the code that follows it
        left = any(LEFT.match(instruction.text) for instruction in code[:-1])
        return AsmLoop(
            function=self.name,
            label=label,
            code=code,
            branches=entered or left,
            calls=any(CALL.match(instruction.text) for instruction in code),
            files=files,
            before=tuple(self.code[:first]),
        )

    def jumps(self) -> Iterator[tuple[int, str]]:
        for number, instruction in enumerate(self.code):
            jump = JUMP.match(instruction.text)
            if jump is not None and jump[1] in self.labels:
                yield number, jump[1]


def _holds(outer: tuple[int, int], inner: tuple[int, int]) -> bool:
    return outer != inner and outer[0] <= inner[0] and inner[1] <= outer[1]


def innermost_loops(listing: str | Iterable[str]) -> list[AsmLoop]:
    """All innermost loops of a listing, in their order."""
    lines = listing.splitlines() if isinstance(listing, str) else listing
    files: dict[int, str] = {}
    functions = [_AsmFunction("")]
    file = line = 0
    for raw in lines:
        if label := LABEL.match(raw):
            if not label[1].startswith((".", "L")):
                functions.append(_AsmFunction(label[1]))
                file = line = 0
            functions[-1].labels[label[1]] = len(functions[-1].code)
        elif named := FILE.match(raw):
            files[int(named[1])] = os.path.normpath(os.path.join(named[2], named[3] or ""))
        elif place := PLACE.match(raw):
            file, line = int(place[1]), int(place[2])
        elif found := INSTRUCTION.match(COMMENT.sub("", raw)):
            functions[-1].code.append(AsmInstruction(found[1].strip(), file, line))
    return [loop for function in functions for loop in function.loops(files)]

"""Figures as doors print them: numbers and names read back from texts, and whether two meet.

A printed number stands for all values that print so; two doors disagree on a quantity of a loop if
no value prints as both say.
"""

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import combinations
from typing import Final, NamedTuple

from rooflint.verdict.words import KIND_WORDS, SHORT_WORDS, UNIT_WORDS

NUMBER: Final = r"\d+(?:\.\d+)?"
SCALES: Final = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
EXACT: Final = 1e-9
LOOP: Final = "loop"
"""The subject of what all instances of a loop have together."""


class Quantity(Enum):
    """A quantity of a loop that doors print."""

    LIMITER = "limiter"
    NOW = "cycles per iteration now"
    HIGH = "most cycles per iteration"
    POSSIBLE = "cycles per iteration possible"
    NOW_S = "time of the run now"
    HIGH_S = "most time of the run"
    POSSIBLE_S = "time of the run possible"
    SHARE = "share"
    GAIN = "gain"
    OF_LIMIT = "part of the limit"
    SPENT = "share of the loop in its limiter"
    CONFIDENCE = "confidence"
    RULE = "rule of the best advice"
    TERM = "cycles of a term"
    ROOF = "cycles of a roof"
    RUN_S = "time of all loops"
    CALL_S = "time of a call"
    LOOPS = "number of loops"
    RUN = "what the time of all loops is of"


class DoorFigure(NamedTuple):
    """A number or a name at a door; ``low`` and ``high`` are the values that print as ``text``.

    subject  what of the loop it is about: an instance, a rule, a resource
    """

    door: str
    quantity: Quantity
    subject: str
    text: str
    low: float = 0.0
    high: float = 0.0

    def meets(self, other: "DoorFigure") -> bool:
        """Whether some value prints as both."""
        if self.low == self.high == other.low == other.high == 0.0 and self.text != other.text:
            return False
        slack = EXACT * max(abs(self.high), abs(other.high))
        return self.low <= other.high + slack and other.low <= self.high + slack


class Contradiction(NamedTuple):
    """Two doors that print one quantity of a loop from different values."""

    place: str
    first: DoorFigure
    second: DoorFigure

    def __str__(self) -> str:
        one, two = self.first, self.second
        about = f"{one.quantity.value} ({one.subject})"
        return f"{self.place}: {about}: {one.door} '{one.text}', {two.door} '{two.text}'"


def contradictions(place: str, figures: Iterable[DoorFigure]) -> Iterator[Contradiction]:
    """The pairs of doors that disagree on a quantity of one loop, one for each quantity."""
    groups: dict[tuple[Quantity, str], list[DoorFigure]] = {}
    for each in figures:
        groups.setdefault((each.quantity, each.subject), []).append(each)
    for group in groups.values():
        apart = (pair for pair in combinations(group, 2) if not pair[0].meets(pair[1]))
        for one, two in list(apart)[:1]:
            yield Contradiction(place, one, two)


class DoorReader:
    """Figures of one door; ``loop`` is the identifier of the instance that it speaks of."""

    def __init__(self, door: str, loop: str) -> None:
        self.door, self.loop = door, loop

    def exact(
        self, quantity: Quantity, value: float | None, subject: str = "", within: float = EXACT
    ) -> Iterator[DoorFigure]:
        """A number with all its digits, or with some of them; nothing of None."""
        if value is not None:
            room = abs(value) * within
            yield DoorFigure(
                self.door,
                quantity,
                subject or self.loop,
                f"{value:.6g}",
                value - room,
                value + room,
            )

    def printed(
        self, quantity: Quantity, text: str | None, subject: str = "", scale: float = 1.0
    ) -> Iterator[DoorFigure]:
        """A number as it stands in a text, in units of ``scale``; ``< 1`` is all up to half."""
        if text is None:
            return
        below = text.startswith("<")
        value = 0.0 if below else float(text)
        half = 0.5 * 10.0 ** -len(text.partition(".")[2])
        low, high = (0.0, 0.5) if below else (value - half, value + half)
        yield DoorFigure(self.door, quantity, subject or self.loop, text, low * scale, high * scale)

    def named(
        self, quantity: Quantity, text: str | None, subject: str = ""
    ) -> Iterator[DoorFigure]:
        """A name; nothing of None."""
        if text is not None:
            yield DoorFigure(self.door, quantity, subject or self.loop, text)

    def share(
        self, text: str | None, quantity: Quantity, subject: str = ""
    ) -> Iterator[DoorFigure]:
        """``9`` or ``< 1`` percent."""
        yield from self.printed(quantity, text, subject, 0.01)

    def confidence(self, text: str | None, rule: str) -> Iterator[DoorFigure]:
        """That of a verdict with this advice; an editor has advice on loops of little time, too."""
        yield from self.named(Quantity.CONFIDENCE, text, f"{self.loop} {rule}".rstrip())

    def limiter(self, text: str) -> Iterator[DoorFigure]:
        """A limiter in its short or its long name; no other word, and no name cut short."""
        if (name := long_name(text)) is not None:
            yield from self.named(Quantity.LIMITER, name)

    def times(self, text: str, subject: str) -> Iterator[DoorFigure]:
        """``3.3 → 2.1 s``, ``≥0.75 s``, ``0.5–2.0 s``: of the whole run."""
        found = re.search(rf"≥?({NUMBER})(?:–({NUMBER}))?(?: → ({NUMBER}))? (s|ms|µs|ns)$", text)
        if found is not None:
            scale = SCALES[found[4]]
            yield from self.printed(Quantity.NOW_S, found[1], subject, scale)
            yield from self.printed(Quantity.HIGH_S, found[2], subject, scale)
            yield from self.printed(Quantity.POSSIBLE_S, found[3], subject, scale)

    def cycles(self, text: str) -> Iterator[DoorFigure]:
        """``4.0 → 1.7``, ``≥ 41``, ``3–90`` cycles per iteration."""
        found = re.match(rf"(?:≥ ?)?({NUMBER})(?:–({NUMBER}))?(?: → ({NUMBER}))?", text)
        if found is not None:
            yield from self.printed(Quantity.NOW, found[1])
            yield from self.printed(Quantity.HIGH, found[2])
            yield from self.printed(Quantity.POSSIBLE, found[3])

    def limit(self, text: str) -> Iterator[DoorFigure]:
        """``L2, 92 % of its limit``, ``DRAM, at its limit``, ``62 % of the time in f()``."""
        if found := re.match(rf"(.+?), ((?:< )?{NUMBER}) % of (?:its|their) limit", text):
            yield from self.limiter(found[1])
            yield from self.share(found[2], Quantity.OF_LIMIT)
        elif found := re.match(r"(.+?), at (?:its|their) limit", text):
            yield from self.limiter(found[1])
            yield DoorFigure(self.door, Quantity.OF_LIMIT, self.loop, found[0], 0.995, 1.0)
        elif found := re.search(rf"((?:< )?{NUMBER}) % (?:of the time )?(?:in |of the time)", text):
            yield from self.share(found[1], Quantity.SPENT)
        else:
            yield from self.limiter(re.split(", no known|, full|: ", text)[0])

    def limit_and_part(self, text: str) -> Iterator[DoorFigure]:
        """``divider 88 %``: a column of a table."""
        found = re.match(rf"(.+?)(?: ((?:< )?{NUMBER}) %)?$", text)
        assert found is not None
        yield from self.limiter(found[1])
        yield from self.share(found[2], Quantity.OF_LIMIT)

    def change(self, text: str) -> Iterator[DoorFigure]:
        """``RL201 4 sums 2.4×``."""
        if found := re.match(rf"(RL\d+) (?:.* )?({NUMBER})×$", text):
            yield from self.named(Quantity.RULE, found[1])
            yield from self.printed(Quantity.GAIN, found[2], found[1])

    def hint(self, text: str, rule: str) -> Iterator[DoorFigure]:
        """A hint; ``rule`` is that of the advice that it would speak of."""
        text = text.removeprefix("~")
        if found := re.match(rf"≥ ({NUMBER}) cy/it", text):
            yield from self.printed(Quantity.NOW, found[1])
        elif found := re.match(rf"random reads of .*: ({NUMBER})–({NUMBER}) cy each", text):
            yield from self.printed(Quantity.NOW, found[1])
            yield from self.printed(Quantity.HIGH, found[2])
        elif found := re.match(rf"([^:]+): ({NUMBER})×", text):
            yield from self.limiter(found[1])
            yield from self.printed(Quantity.GAIN, found[2], rule)
        elif found := re.match(rf"{NUMBER} iterations: start-up is ((?:< )?{NUMBER}) %", text):
            yield from self.share(found[1], Quantity.SPENT)
        elif not re.match(r"not (?:predicted|read)|\d+ instances|measured \d", text):
            yield from self.limit(text)

    def finding(self, text: str, code: str) -> Iterator[DoorFigure]:
        """The sentence of a finding: gains, cycles, share; not what more changes would gain, or the
        change with data that favour it."""
        text = re.sub(rf"(?<=×) to {NUMBER}×, as the data decide", "", text)
        text = re.sub(rf", with [^;]*\((?:RL\d+(?:, )?)+\) {NUMBER}×", "", text.replace("\\", ""))
        for number in re.findall(rf"({NUMBER}(?:–{NUMBER})?)[x×]", text.rpartition(";")[2]):
            for each in number.split("–"):
                yield from self.printed(Quantity.GAIN, each, code)
        for before, after in re.findall(rf"({NUMBER}) → ({NUMBER}) cy", text):
            yield from self.printed(Quantity.NOW, before)
            yield from self.printed(Quantity.POSSIBLE, after, f"{self.loop} {code}")
        if found := re.match(rf"(?:\S+: warning: |\S+: note: |{code} )*([^:;|]+): ", text):
            yield from self.limiter(found[1])
        if found := re.search(rf"((?:< )?{NUMBER}) % of the (?:run|file)", text):
            yield from self.share(found[1], Quantity.SHARE, LOOP)


def long_name(text: str) -> str | None:
    """The name of a resource as ``rooflint explain`` has it; None for another word."""
    long = {short: name for name, short in SHORT_WORDS.items()}
    name = long.get(text, text)
    every = {*KIND_WORDS.values(), *UNIT_WORDS.values(), "L1", "L2", "L3", "L4", "DRAM"}
    return name if name in every else None


def parts(
    read: DoorReader, quantity: Quantity, parts: Iterable[tuple[str, float]], within: float = EXACT
) -> Iterator[DoorFigure]:
    """Terms or roofs by resource: of several on one resource that of most cycles."""
    highest: dict[str, float] = {}
    for name, cycles in parts:
        if cycles:
            highest[name] = max(cycles, highest.get(name, 0.0))
    for name, cycles in highest.items():
        yield from read.exact(quantity, cycles, f"{read.loop} {name}", within)

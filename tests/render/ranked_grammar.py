"""A grammar of the text report, for tests alone: it reads the numbers back from the screen."""

import re
from typing import NamedTuple

SCALES = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
NUMBER = r"\d+(?:\.\d+)?"
ROW = re.compile(
    r"^(?:[▁-█] | {0,2})?\s*(?P<marks>[~≈≥]*)(?P<share><? ?\d+) % "
    r"(?P<path>\S+):(?P<line>\d+)(?: (?P<function>\S+))?\s+"
    rf"(?P<limit>[^\d≥–]\S*(?: [a-z]\S*)*)(?: (?P<of_limit><? ?\d+) %)?\s+"
    rf"(?P<least>≥)?(?P<now>{NUMBER})(?:–(?P<high>{NUMBER}))?(?: → (?P<possible>{NUMBER}))?"
    r" (?P<unit>s|ms|µs|ns)(?:\s+(?P<do>.*))?$"
)
DO = re.compile(rf"^(?P<rule>RL\d+) (?:.* )?(?P<gain>{NUMBER})×$")
HEADING = re.compile(
    rf"^(?P<path>\S+):(?P<line>\d+) .*: "
    rf"(?P<least>≥)?(?P<now>{NUMBER})(?:–(?P<high>{NUMBER}))? cy per"
)


class PrintedNumber(NamedTuple):
    """A number as it stands on the screen, in the unit of ``scale``."""

    text: str
    scale: float = 1.0

    def is_of(self, value: float) -> bool:
        """Whether it is ``value`` rounded to the digits that are printed."""
        digits = len(self.text.partition(".")[2])
        half = 0.5 * 10.0**-digits
        return abs(float(self.text) - value / self.scale) <= half * (1 + 1e-6)


class PrintedRow(NamedTuple):
    """A row of the table; None for what it does not have."""

    marks: str
    share: str
    line: int
    limit: str
    of_limit: str | None
    least: bool
    now: PrintedNumber
    high: PrintedNumber | None
    possible: PrintedNumber | None
    rule: str | None
    gain: PrintedNumber | None


def printed_row(text: str) -> PrintedRow:
    """The parts of a row; fails on a line that is none."""
    found = ROW.match(text)
    assert found is not None, text
    scale = SCALES[found["unit"]]

    def number(name: str) -> PrintedNumber | None:
        return None if found[name] is None else PrintedNumber(found[name], scale)

    change = DO.match(found["do"] or "")
    now = number("now")
    assert now is not None
    return PrintedRow(
        marks=found["marks"],
        share=found["share"],
        line=int(found["line"]),
        limit=found["limit"],
        of_limit=found["of_limit"],
        least=found["least"] is not None,
        now=now,
        high=number("high"),
        possible=number("possible"),
        rule=change["rule"] if change else None,
        gain=PrintedNumber(change["gain"]) if change else None,
    )


def is_percent(text: str, share: float) -> bool:
    """Whether ``9`` or ``< 1`` is the share."""
    if text.startswith("<"):
        return share < 0.005 + 1e-12
    return abs(int(text) - 100 * share) <= 0.5 + 1e-9

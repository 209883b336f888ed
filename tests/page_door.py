"""The page as a door: the data that its table, chart and details show, read back."""

import json
import re
from collections.abc import Container, Iterator, Sequence
from typing import Any, Final, TypeAlias

from rooflint.plugin_api.report import Report
from rooflint.plugin_api.verdict import Verdict
from rooflint.render.html import render_html
from rooflint.render.html.rows import LoopRow, loop_rows

from .printed_figures import LOOP, NUMBER, DoorFigure, DoorReader, Quantity, parts

Data: TypeAlias = Any
"""Parsed JSON."""
FOUR_DIGITS: Final = 6e-4


def document_of(text: str) -> Data:
    """The data block of a page."""
    (block,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(block)


class PageDoor:
    """The page of a report, on its first machine."""

    def __init__(self, report: Report) -> None:
        self.text = render_html(report)
        self._data = document_of(self.text)
        self._rows = self._placed(loop_rows(report))

    @property
    def heading(self) -> str:
        """The line on the run."""
        return str(self._data["texts"][self._data["machines"][0]["heading"]])

    @staticmethod
    def _placed(rows: Sequence[LoopRow]) -> dict[str, int]:
        return {
            verdict.id: at
            for at, row in enumerate(rows)
            if row.verdicts
            for verdict in row.verdicts[0][:1]
        }

    def figures(
        self, loop: Sequence[Verdict], work: float | None, repeated: Container[str]
    ) -> Iterator[DoorFigure]:
        """All that it has of a loop; ``work`` of its dot, and no findings of ``repeated`` codes."""
        at, read = self._rows[loop[0].id], DoorReader("page", loop[0].id)
        machine, texts = self._data["machines"][0], self._data["texts"]
        columns = {name: values[at] for name, values in machine["verdicts"].items()}

        def words(name: str) -> str:
            return "" if columns[name] is None else str(texts[columns[name]])

        rule = words("rule")
        for quantity, name, subject in (
            (Quantity.SHARE, "share", LOOP),
            (Quantity.NOW_S, "now", LOOP),
            (Quantity.HIGH_S, "high", LOOP),
            (Quantity.NOW, "cycles", ""),
            (Quantity.OF_LIMIT, "of_limit", ""),
            *(
                ((Quantity.POSSIBLE_S, "possible", LOOP), (Quantity.GAIN, "gain", rule))
                if rule
                else ()
            ),
        ):
            yield from read.exact(quantity, columns[name], subject, FOUR_DIGITS)
        yield from read.limiter(words("limiter"))
        yield from read.named(Quantity.RULE, rule or None)
        yield from read.confidence(words("confidence") or None, rule)
        share = re.search(rf"((?:< )?{NUMBER}) %", words("share_text"))
        yield from read.share(share[1] if share else None, Quantity.SHARE, LOOP)
        yield from read.limit_and_part(words("limit_text"))
        yield from read.times(words("time_text"), LOOP)
        yield from read.change(words("do_text"))
        yield from DoorReader("page hint", loop[0].id).hint(words("hint"), rule)
        terms, roofs, _, findings, _ = machine["details"][at]
        for kind, values in ((Quantity.TERM, terms), (Quantity.ROOF, roofs)):
            pairs = [(texts[values[n]], values[n + 1]) for n in range(0, len(values), 2)]
            yield from parts(read, kind, pairs, 6e-3)
        for place in findings:
            sentence = texts[self._data["findings"][place][1]]
            code = (re.match(r"RL\d+", sentence) or [""])[0]
            if code not in repeated:
                yield from DoorReader("page finding", loop[0].id).finding(sentence, code)
        yield from self._of_dot(loop[0], columns, work)

    def _of_dot(self, verdict: Verdict, columns: Data, work: float | None) -> Iterator[DoorFigure]:
        if columns["y"] and verdict.time.clock_ghz:
            now = work * verdict.time.clock_ghz / columns["y"] if work else None
            yield from DoorReader("page dot", verdict.id).exact(
                Quantity.NOW, now, within=FOUR_DIGITS
            )

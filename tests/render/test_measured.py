"""Words of a measurement: every verdict, doubt and suspect has some, and every refusal a remedy."""

from typing import get_args

import pytest
from rooflint.measure.confrontation.comparison import ModelComparison, Obstacle
from rooflint.measure.confrontation.suspects import Suspect, SuspectTerm
from rooflint.measure.program import IndexFill
from rooflint.measure.protocol import Doubt, Figure, MeasureVerdict, Quantiles
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.results import BuildFacts, PointMeasurement
from rooflint.render.measured import words

CYCLES = Quantiles(least=190.0, p10=200.0, median=210.0, p90=400.0)


def figure(verdict: MeasureVerdict, *doubts: Doubt) -> Figure:
    return Figure(
        cycles=CYCLES,
        seconds=1e-7,
        clock_ghz=2.0,
        processes=(200.0, 206.0, 300.0),
        batches=100,
        clean=80,
        touched_bytes=4096,
        verdict=verdict,
        doubts=doubts,
    )


def point(found: Figure | None, refusal: MeasureRefusal | None = None) -> PointMeasurement:
    return PointMeasurement(
        sizes={"n": 100},
        cores=1,
        state="warm",
        level="L2",
        touched_bytes=126_000,
        iterations=100.0,
        cy_per_iteration=2.0 if found is not None else None,
        figure=found,
        refusal=refusal,
    )


def test_everything_has_words() -> None:
    assert set(words.VERDICTS) == set(MeasureVerdict)
    assert set(words.DOUBTS) == set(Doubt)
    assert set(words.SUSPECTS) == set(SuspectTerm)
    texts = [words.suspect_text(Suspect(term=term, link="L1-L2")) for term in SuspectTerm]
    assert len(set(texts)) == len(SuspectTerm)


@pytest.mark.parametrize(
    ("indices", "said"), [("near", []), ("random", ["integers in arrays are random"])]
)
def test_unusual_data_are_said(indices: IndexFill, said: list[str]) -> None:
    assert set(words.INDICES) == set(get_args(IndexFill))
    build = BuildFacts(cpu="c", machine="m", is_host=True, compiler="gcc", indices=indices)
    assert list(words.notes(build)) == said


@pytest.mark.parametrize("code", list(RefusalCode))
def test_every_refusal_says_what_to_do(code: RefusalCode) -> None:
    refusal = MeasureRefusal(code=code, arguments=("f", "n", "m", "k", "l"))
    text = words.verdict_text(point(None, refusal))
    assert text.startswith("refused: ")
    assert "; " in text
    assert "{}" not in text


def test_verdicts() -> None:
    stable = words.verdict_text(point(figure(MeasureVerdict.STABLE)))
    assert stable == "stable, two lowest of 3 processes within 3.0%"
    disturbed = figure(MeasureVerdict.DISTURBED, Doubt.INTERRUPTED, Doubt.PROCESSES_DIFFER)
    assert words.verdict_text(point(disturbed)) == (
        "disturbed: other jobs interrupted most batches; the two lowest processes differ;"
        " processes from 2 to 3, an upper bound"
    )
    empty = words.verdict_text(point(figure(MeasureVerdict.NOT_THE_LOOP, Doubt.TOO_SHORT)))
    assert empty == "not the loop: a call returns at once, so the loop did not run"
    assert words.verdict_text(point(None)).startswith("refused: no batch was timed")


@pytest.mark.parametrize(
    ("obstacle", "prices", "text"),
    [
        (Obstacle.PRICES_FARTHER, "MEM", "prices memory, the data are in L2: not comparable"),
        (Obstacle.PRICES_FARTHER, "L3", "prices L3, the data are in L2: not comparable"),
        (Obstacle.PARTLY_PREDICTED, "", "does not cover every loop: not comparable"),
        (
            Obstacle.GUESSED_TRIPS,
            "",
            "data decide how often a loop runs (degree[i]): not comparable",
        ),
        (Obstacle.NOT_MEASURED, "", ""),
        (
            Obstacle.BRANCHES_LEFT_OUT,
            "",
            "prices branches that the data do not take: not comparable",
        ),
        (None, "", ""),
    ],
)
def test_what_cannot_be_compared(obstacle: Obstacle | None, prices: str, text: str) -> None:
    row = ModelComparison(
        model="roofline",
        cycles=4.0,
        ratio=2.0,
        bottleneck="",
        obstacle=obstacle,
        prices=prices,
        guessed=("degree[i]",) if obstacle is Obstacle.GUESSED_TRIPS else (),
    )
    assert words.model_text(row, point(figure(MeasureVerdict.STABLE))) == text
    assert words.ratio_text(row) == "2.00 x"


@pytest.mark.parametrize(
    ("amount", "text"), [(999, "999 B"), (126_000, "126 KB"), (1.5e6, "1.5 MB"), (2e9, "2 GB")]
)
def test_amounts_of_data(amount: float, text: str) -> None:
    assert words.data_size(amount) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0.14912, "0.149"), (999.4, "999"), (999.6, "1000"), (1234.5, "1234")],
)
def test_cycles(value: float | None, text: str) -> None:
    assert words.cycles(value) == text

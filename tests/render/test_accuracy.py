"""The accuracy table for people and programs."""

import json

from rooflint.measure.corpus.accuracy import Accuracy, AccuracyTable, CorpusShare, Outlier
from rooflint.measure.protocol import Doubt
from rooflint.render.layout import Style
from rooflint.render.measured.accuracy import accuracy_json, accuracy_markdown, accuracy_text

TABLE = AccuracyTable(
    shares=(CorpusShare(corpus="codes", kernels=4, measured=3, stable=2),),
    levels=(
        Accuracy(
            level="L1",
            model="ecm",
            count=2,
            median=0.9,
            p10=0.5,
            p90=1.25,
            within=(0.5, 0.5, 1.0),
            rank=None,
        ),
    ),
    points={"stable": 2},
    doubts={Doubt.TOO_SHORT.name: 1},
    refusals={"fault": 1},
    worst=(
        Outlier(
            corpus="codes",
            name="a|b.c:3 f",
            level="L1",
            model="ecm",
            measured=2.0,
            predicted=1.0,
            suspect="core",
        ),
    ),
)
EMPTY = AccuracyTable(shares=(), levels=(), points={}, doubts={}, refusals={}, worst=())


def test_text_has_columns() -> None:
    text = accuracy_text(TABLE, Style())
    assert "codes         4         3    75%       2" in text
    assert (
        "L1       ecm          2    0.90  0.50  1.25           50%          50%       100%" in text
    )
    assert "a call returns at once" in text
    assert text.endswith("\n")


def test_markdown_escapes_names() -> None:
    text = accuracy_markdown(TABLE)
    assert "| codes | 4 | 3 | 75% | 2 |" in text
    assert "a\\|b.c:3 f" in text
    assert "\n\n\n" not in text


def test_json_has_the_fields() -> None:
    data = json.loads(accuracy_json(TABLE))
    assert data["levels"][0]["within"] == [0.5, 0.5, 1.0]
    assert data["refusals"] == {"fault": 1}


def test_nothing() -> None:
    assert accuracy_text(EMPTY, Style()) == "nothing was measured\n"
    assert accuracy_markdown(EMPTY) == "Nothing was measured.\n"

"""Models that raise, loop, end their process or answer nonsense: said by name, the rest is done."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from rooflint.facts.kernels import Kernel
from rooflint.pipeline import Limits, Options, Source, analyse
from rooflint.plugin_api.hookspecs import Context, Needs
from rooflint.plugin_api.prediction import NotApplicable, Prediction
from rooflint.plugin_api.report import Report
from rooflint.registry import load_registry
from rooflint.render.html import render_html
from rooflint.render.json import render_json
from rooflint.render.layout import Style
from rooflint.render.ranked.report import render_ranked
from rooflint.verdict.steps import with_verdicts

Deed = Callable[[], Any]


def forever() -> NoReturn:
    while True:
        pass


def deep() -> NoReturn:
    deep()


def leave() -> NoReturn:
    raise SystemExit(5)


def nonsense(**fields: object) -> Deed:
    usual: dict[str, Any] = {"model": "guest", "bottleneck": "x", "sentence": "s", "headline": "h"}
    return lambda: Prediction(**{**usual, **fields})


def in_itself() -> Prediction:
    data: dict[str, Any] = {}
    data["data"] = data
    return Prediction("guest", "x", "s", "h", data=data)


class Guest:
    """A model of another distribution."""

    name = "guest"
    needs = Needs()

    def __init__(self, deed: Deed) -> None:
        self.deed = deed

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        answer: Prediction = self.deed()
        return answer


def reported(deed: Deed, tmp_path: Path, seconds: float = 20) -> Report:
    path = tmp_path / "a.c"
    path.write_text("void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2; }\n")
    registry = load_registry()
    registry = registry._replace(models=(*registry.models, Guest(deed)))
    options = Options(machines=("generic-2level",), limits=Limits(seconds=seconds))
    report = analyse([Source(str(path))], options, registry)
    report = with_verdicts(report)
    for text in (
        render_ranked(report, Style()),
        render_json(report),
        render_html(report),
    ):
        assert text
    return report


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        (lambda: 1 / 0, "ZeroDivisionError: division by zero"),
        (leave, "SystemExit: 5"),
        (deep, "RecursionError: maximum recursion depth exceeded"),
        (lambda: bytearray(1 << 50), "MemoryError"),
        (lambda: None, "returned NoneType, not a Prediction"),
        (lambda: ("guest", "x", "s", "h", None, (), {}), "returned tuple, not a Prediction"),
        (nonsense(model="roofline"), "returned a Prediction of 'roofline'"),
        (nonsense(bottleneck=7), "bottleneck is a int, expected a text"),
        (nonsense(headline=None), "headline is a NoneType, expected a text"),
        (nonsense(cycles_per_iteration="4"), "cycles_per_iteration is a str, expected a number"),
        (nonsense(assumptions="one"), "assumptions are no tuple of texts"),
        (nonsense(data=[1]), "data is a list, expected a mapping"),
        (nonsense(data={"x": [b"1"]}), "data holds a bytes, expected JSON values"),
        (nonsense(data={1: 2}), "data holds a key that is no text, expected JSON values"),
        (nonsense(data={"x": 10**5000}),
         "data holds an integer of more than 300 digits, expected JSON values"),
        (in_itself, "data holds values in values without end, expected JSON values"),
    ],
)  # fmt: skip
def test_what_cannot_be_an_answer(deed: Deed, reason: str, tmp_path: Path) -> None:
    report = reported(deed, tmp_path)
    assert report.plugin_failures == (f"model 'guest' failed on {tmp_path}/a.c:1: {reason}",)
    (result,) = report.files[0].functions[0].nests[0].kernels[0].results
    assert [prediction.model for prediction in result.predictions] == ["roofline"]


@pytest.mark.parametrize(
    "deed",
    [
        nonsense(cycles_per_iteration=float("nan"), data={"x": float("inf")}),
        nonsense(cycles_per_iteration=-1.0),
        nonsense(sentence="\x1b[2J\r\n\x00\ud800", headline=""),
        lambda: sys.stdout.write("on stdout") and nonsense()(),
    ],
)
def test_what_is_odd_and_can_be_shown(deed: Deed, tmp_path: Path) -> None:
    report = reported(deed, tmp_path)
    assert report.plugin_failures == ()
    assert "\x1b" not in render_ranked(report, Style())


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        (forever, r"took longer than 0\.5 s in forever, test_models\.py:\d+"),
        (lambda: os._exit(3), "ended with exit code 3"),
        (os.abort, "crashed with SIGABRT"),
    ],
)
def test_what_costs_the_file(deed: Deed, reason: str, tmp_path: Path) -> None:
    (file,) = reported(deed, tmp_path, seconds=0.5).files
    assert file.status == "failed"
    assert re.fullmatch(reason, file.diagnostics[0].message)

"""The sliders of a page in a real browser, moved by keys."""

from pathlib import Path

import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.report import Report, Variation, VariationStop
from rooflint.registry import load_registry
from rooflint.verdict.steps import with_verdicts

from .browser import Show, cells

pytestmark = pytest.mark.browser

TRIAD = str(Path(__file__).parents[2] / "examples" / "triad.c")
MACHINE = "generic-avx2"


def report_at(size: int = 10**6, cores: str | None = None) -> Report:
    chosen = Options(machines=(MACHINE,), estimators=("ecm",), sizes={"n": size}, cores=cores)
    return with_verdicts(analyse([Source(TRIAD)], chosen, load_registry()))


def test_a_slider_shows_a_run_at_another_value_and_only_one_moves(show: Show) -> None:
    stops = [(1000, report_at(1000)), (10**9, report_at(10**9))]
    size = Variation(name="n", own=10**6, stops=tuple([VariationStop(v, r) for v, r in stops]))
    cores = Variation(name="cores", own=None, stops=(VariationStop(4, report_at(cores="4")),))
    page = show(report_at()._replace(what_if=(size, cores)))
    own, heading = cells(page, "time"), page.locator("#run").inner_text()
    sizes, counts = page.locator(".slider").all()
    assert sizes.get_attribute("aria-valuetext") == "1 000 000"
    sizes.press("ArrowRight")
    assert sizes.get_attribute("aria-valuetext") == "1 000 000 000"
    assert page.locator(".what-if output").first.inner_text() == "1 000 000 000"
    assert cells(page, "time") != own
    assert page.locator("#run").inner_text() != heading
    assert "are of n = 1 000 000" in page.locator("#notes").inner_text()
    counts.press("ArrowRight")
    assert sizes.get_attribute("aria-valuetext") == "1 000 000"
    assert "4 cores" in page.locator("#run").inner_text()
    counts.press("ArrowLeft")
    assert cells(page, "time") == own
    assert page.locator("#run").inner_text() == heading

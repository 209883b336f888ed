"""The HTML report in a real browser, from a file, with mouse and keyboard.

``pytest -m browser`` runs these; they need playwright and a Chromium (``.ci/run`` installs both).
"""

import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.report import Report
from rooflint.registry import load_registry, with_requested
from rooflint.render.html import render_html

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
MACHINES = ("generic-avx2", "sandybridge-ep-e5-2680")
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script></noscript>"
ROWS = "#loops > tbody:not([hidden])"
OPENERS = f"{ROWS} > tr:first-child > th > button"

Driven: TypeAlias = Any
"""A page or browser: playwright's types are there only where it is installed."""
Show: TypeAlias = Callable[..., Driven]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Driven]:
    found = [path for name in PROGRAMS if (path := shutil.which(name))]
    assert found, f"no browser: one of {', '.join(PROGRAMS)} has to be installed"
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        # the sandbox needs rights that containers lack; the page is our own
        browser = playwright.chromium.launch(
            executable_path=found[0], args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def examples() -> Report:
    paths = sorted(str(path) for path in (ROOT / "examples").glob("*.c*"))
    registry = with_requested(load_registry(), ("ceilings",))
    return analyse([Source(path) for path in paths], Options(machines=MACHINES), registry)


@pytest.fixture
def show(chromium: Driven, tmp_path: Path) -> Iterator[Show]:
    """``show(report)`` opens its page; the test fails on any request, error or message box."""
    contexts: list[Driven] = []
    wrong: list[str] = []
    file = tmp_path / "report.html"
    own = f"request {file.as_uri()}"

    def dismiss(dialog: Driven) -> None:
        wrong.append("message box")
        dialog.dismiss()

    def open_page(report: Report, hash_: str = "", **options: object) -> Driven:
        file.write_text(render_html(report), encoding="utf-8")
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(f"error {error}"))
        page.on("console", lambda message: wrong.append(f"console {message.text}"))
        page.on("dialog", dismiss)
        page.on("request", lambda request: wrong.append(f"request {request.url}"))
        page.goto(file.as_uri() + hash_)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not [event for event in wrong if not event.startswith(own)]


def column(page: Driven, title: str) -> list[str]:
    """What the visible cells of a column say, top to bottom."""
    heads = page.locator("#loops > thead th").all()
    (place,) = [n for n, head in enumerate(heads) if head.is_visible()
                and head.locator("button").inner_text() == title]  # fmt: skip
    rows = page.locator(f"{ROWS} > tr:first-child").all()
    return [row.locator(f":nth-child({place + 1})").first.inner_text().strip() for row in rows]


def test_sorting(show: Show, examples: Report) -> None:
    page = show(examples)
    head = page.locator("#loops > thead th.function")
    assert head.get_attribute("aria-sort") == "none"
    before = column(page, "function")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, "function") == sorted(before)
    head.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, "function") == sorted(before, reverse=True)
    assert page.locator("#loops > thead [aria-sort=none]").count() == (
        page.locator("#loops > thead th").count() - 1
    )


def test_numbers_sort_as_numbers_and_gaps_come_last(show: Show, examples: Report) -> None:
    page = show(examples)
    title = f"{MACHINES[0]}\ncy / iteration"
    page.locator("#loops > thead th.cycles:visible button").first.click()
    said = column(page, title)
    known = [float(text) for text in said if text != "–"]
    assert len(set(known)) > 2
    assert known == sorted(known, reverse=True)
    page.locator("#loops > thead th.cycles:visible button").first.click()
    said = column(page, title)
    assert [float(text) for text in said if text != "–"] == sorted(known)
    gaps = said.count("–")
    assert said[len(said) - gaps :] == ["–"] * gaps


def test_filters(show: Show, sample_report: Report, examples: Report) -> None:
    page = show(examples)
    total = page.locator(ROWS).count()
    assert page.locator("#count").inner_text() == f"{total} of {total} loops"
    page.locator("#text").fill("memory JACOBI")
    named = column(page, "loop in")
    assert 0 < len(named) < total
    assert all("jacobi2d.c" in name for name in named)
    page.locator("#text").fill("no such loop anywhere")
    assert page.locator(ROWS).count() == 0
    assert page.locator("#nothing").is_visible()
    page.locator("#text").press("Escape")
    assert page.locator(ROWS).count() == total
    page.locator("#bound").select_option("compute-bound")
    assert 0 < page.locator(ROWS).count() < total
    for row in page.locator(ROWS).all():
        assert "compute-bound" in row.locator("tr:first-child").inner_text()

    page = show(sample_report)
    page.locator("#bound").select_option("not analysed")
    assert page.locator(ROWS).count() == 2
    page.locator("#bound").select_option("")
    page.locator("#problems").check()
    # spmv is not covered and a model failed, triad's size is guessed, two loops are refused
    assert page.locator(ROWS).count() == 4


def test_a_machine_and_a_model_choose_columns_and_panels(show: Show, examples: Report) -> None:
    page = show(examples)
    page.locator(OPENERS).first.click()
    assert page.locator(".card:visible").count() == 2
    assert page.locator("#loops > thead th.bound:visible").count() == 2
    page.locator("#machine").select_option(label=MACHINES[1])
    assert page.locator("#loops > thead th.bound:visible").count() == 1
    assert MACHINES[1] in page.locator("#loops > thead th.bound:visible").inner_text()
    assert page.locator(".card:visible h4").all_inner_texts() == [f"{MACHINES[1]}, 1 core"]
    assert page.locator("#loops > thead th.headline:visible").count() == 2
    page.locator("#model").select_option("roofline")
    assert page.locator("#loops > thead th.headline:visible").count() == 1
    assert page.locator(".card:visible .model:visible").count() == 1
    # a row opened later shows the same choice
    page.locator(OPENERS).nth(1).click()
    assert page.locator(".card:visible").count() == 2
    assert page.locator(".model:visible").count() == 2


def test_a_click_opens_code_plot_and_models(show: Show, examples: Report) -> None:
    page = show(examples)
    page.locator("#text").fill("triad")
    opener = page.locator(OPENERS).first
    panel = page.locator(f"#{opener.get_attribute('aria-controls')}")
    assert opener.get_attribute("aria-expanded") == "false"
    assert not panel.is_visible()
    page.locator(f"{ROWS} > tr:first-child").first.click(position={"x": 300, "y": 10})
    assert opener.get_attribute("aria-expanded") == "true"
    assert panel.is_visible()
    line = int(opener.inner_text().split(":")[1].split()[0])
    source = (ROOT / "examples" / opener.inner_text().split(":")[0]).read_text().splitlines()
    assert panel.locator(".code .own").inner_text().strip() == source[line - 1].strip()
    assert panel.locator("figure > svg").bounding_box()["width"] > 200
    assert panel.locator(".model").count() >= 2
    figures = panel.locator("details").first
    figures.locator("summary").click()
    assert figures.locator("table").first.is_visible()
    opener.click()
    assert not panel.is_visible()


def test_the_keyboard_is_enough(show: Show, examples: Report) -> None:
    page = show(examples)
    keyboard = page.keyboard

    def focused() -> int:
        place: int = page.evaluate(
            f"[...document.querySelectorAll('{OPENERS}')].indexOf(document.activeElement)"
        )
        return place

    keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "text"
    keyboard.press("ArrowDown")
    assert focused() == 0
    for key, place in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", -1),
                       ("ArrowDown", -1), ("Home", 0), ("ArrowUp", 0)):  # fmt: skip
        keyboard.press(key)
        assert focused() == place % page.locator(ROWS).count()
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    opener = page.locator(OPENERS).first
    for key, state in (("Enter", "true"), ("Escape", "false"), ("ArrowRight", "true"),
                       ("ArrowLeft", "false"), ("Space", "true")):  # fmt: skip
        keyboard.press(key)
        assert opener.get_attribute("aria-expanded") == state, key
    # one row is in the order of Tab, and what it opened follows it
    assert page.locator(f"{OPENERS}[tabindex='0']").count() == 1
    keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "code"
    keyboard.press("Escape")
    assert focused() == 0


def test_a_row_in_focus_is_never_under_the_head(show: Show, examples: Report) -> None:
    page = show(examples, viewport={"width": 800, "height": 300})
    page.locator(OPENERS).first.focus()
    rows = page.locator(ROWS).count()
    for key in ["ArrowDown"] * (rows - 1) + ["ArrowUp"] * (rows - 1):
        page.keyboard.press(key)
        head = page.locator("#loops > thead th").first.bounding_box()
        row = page.evaluate("document.activeElement.getBoundingClientRect().toJSON()")
        assert row["top"] >= head["y"] + head["height"] - 1
        assert row["bottom"] <= 300


def test_an_address_leads_to_its_loop(show: Show, examples: Report) -> None:
    page = show(examples)
    page.locator(OPENERS).nth(3).click()
    name = column(page, "loop in")[3]
    again = show(examples, "#" + page.url.partition("#")[2])
    opened = again.locator(f"{OPENERS}[aria-expanded=true]")
    assert opened.count() == 1
    assert opened.inner_text().strip() == name


def test_light_and_dark_follow_the_reader(show: Show, examples: Report) -> None:
    grounds = set()
    for scheme in ("light", "dark"):
        page = show(examples, color_scheme=scheme)
        page.locator(OPENERS).first.click()
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        plot = page.evaluate("getComputedStyle(document.querySelector('figure rect.p')).fill")
        assert ground == plot
        grounds.add(ground)
    assert grounds == {"rgb(255, 255, 255)", "rgb(13, 17, 23)"}


def test_names_from_outside_run_nothing(show: Show, sample_report: Report) -> None:
    file = sample_report.files[0]
    function = file.functions[0]._replace(name=HOSTILE, assumptions=(HOSTILE,))
    files = (file._replace(path=HOSTILE, functions=(function, *file.functions[1:])),)
    page = show(sample_report._replace(files=files))
    page.locator(OPENERS).first.click()
    assert page.locator("img, script:not(body > script)").count() == 0
    assert HOSTILE in page.locator(".panel").first.inner_text()
    page.wait_for_timeout(100)


def test_without_scripts_everything_is_in_sight(show: Show, sample_report: Report) -> None:
    page = show(sample_report, java_script_enabled=False)
    assert page.locator(".panel:visible").count() == 4
    assert page.locator(".panel figure svg").first.is_visible()


def test_it_fits_a_narrow_window(show: Show, sample_report: Report) -> None:
    page = show(sample_report, viewport={"width": 420, "height": 800})
    page.locator(OPENERS).first.click()
    panel = page.locator(".panel").first.bounding_box()
    assert panel["width"] <= 420
    for filter_ in ("text", "bound", "model", "machine", "problems"):
        box = page.locator(f"#{filter_}").bounding_box()
        assert box["x"] + box["width"] <= 420

"""The HTML report in a real browser, from a file, with mouse and keyboard."""

from pathlib import Path
from typing import TypeAlias

import pytest
from rooflint.ir import Span
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.advice import Advice, Edit, Fix, Gain, Numbers
from rooflint.plugin_api.report import FileReport, KernelReport, LoopWeight, NestReport, Report
from rooflint.registry import load_registry
from rooflint.render.html import render_html
from rooflint.verdict.steps import with_verdicts

from .browser import ROWS, Driven, Show, cells

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
MACHINES = ("generic-avx2", "sandybridge-ep-e5-2680")
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script></noscript><!--<script>"
SELECTED = "#rows .row[aria-selected=true]:not([hidden])"
TEXT_BOXES = """
(() => {
  const boxes = [];
  const labels = document.querySelectorAll("#chart .label");
  for (const each of labels) boxes.push([each.textContent, each.getBoundingClientRect().toJSON()]);
  return boxes;
})()
"""
Box: TypeAlias = dict[str, float]


@pytest.fixture(scope="module")
def examples() -> Report:
    paths = sorted(str(path) for path in (ROOT / "examples").glob("*.c*"))
    options = Options(machines=MACHINES, estimators=("ecm",))
    return analyse([Source(path) for path in paths], options, load_registry())


def project(report: Report, loops: int) -> Report:
    """A project of so many loops: the files again and again, each loop with a share of its own."""
    files: list[FileReport] = []
    left = loops
    while left > 0:
        for file in report.files:
            copy = part(file, len(files), left)
            left -= sum(1 for _ in copy.kernels())
            files.append(copy)
    machines = report.machines[:1]
    return with_verdicts(report._replace(files=tuple(files), machines=machines, verdicts=()))


def part(file: FileReport, number: int, most: int) -> FileReport:
    """A copy of a file with at most so many loops, under another name."""
    path = f"src/part{number:03}/{Path(file.path).name}"
    wanted = {kernel.id for kernel in list(file.kernels())[:most]}

    def weighed(kernel: KernelReport) -> KernelReport:
        share = 0.4 / (2 + number) ** 1.5 / (1 + kernel.line % 7)
        weight = LoopWeight(executions=1.0, share=share, share_origin="static")
        return kernel._replace(id=f"{path}:{kernel.id}", weight=weight)

    def cut(nest: NestReport) -> NestReport:
        return nest._replace(kernels=tuple([k for k in nest.kernels if k.id in wanted]))

    functions = [
        each._replace(nests=tuple([n for n in map(cut, each.nests) if n.kernels]))
        for each in file.functions
    ]
    return file._replace(
        path=path, functions=tuple([each.with_kernels(weighed) for each in functions])
    )


@pytest.fixture(scope="module")
def large(examples: Report) -> str:
    return render_html(project(examples, 1000))


@pytest.fixture(scope="module")
def overviews(examples: Report) -> dict[int, str]:
    return {loops: render_html(project(examples, loops)) for loops in (10, 100, 500)}


def selected(page: Driven) -> str:
    """The loop of the selected row."""
    text: str = page.locator(f"{SELECTED} .loop > span").inner_text()
    return text


def meet(one: Box, other: Box) -> bool:
    across = one["left"] < other["right"] and other["left"] < one["right"]
    return across and one["top"] < other["bottom"] and other["top"] < one["bottom"]


def overlaps(boxes: list[tuple[str, Box]]) -> list[tuple[str, str]]:
    """Pairs of texts that print over each other."""
    return [
        (one, other)
        for at, (one, box) in enumerate(boxes)
        for other, place in boxes[at + 1 :]
        if meet(box, place)
    ]


@pytest.mark.parametrize("loops", [10, 100, 500])
@pytest.mark.parametrize("width", [1280, 1920])
def test_no_label_is_printed_over_another(
    show: Show, overviews: dict[int, str], loops: int, width: int
) -> None:
    page = show(overviews[loops], viewport={"width": width, "height": 1000})
    labels = page.evaluate(TEXT_BOXES)
    assert any(".c:" in text for text, _ in labels)
    assert any(text.startswith("DRAM ") for text, _ in labels)
    assert len([text for text, _ in labels if ".c:" in text]) <= 10
    assert overlaps(labels) == []
    page.evaluate("window.written = []; dispatchEvent(new Event('resize'))")
    assert any(page.evaluate("window.written[0]") or page.wait_for_timeout(50) for _ in range(600))
    written = page.evaluate("window.written")
    assert {"flop per byte", "GFLOP/s"} <= {text for text, _ in written}
    assert overlaps([each for each in written if each[0]]) == []


def test_a_thousand_loops_are_small_and_few_elements(show: Show, large: str) -> None:
    assert len(large.encode()) <= 1_000_000
    page = show(large)
    assert page.locator("#count").inner_text() == "1000 of 1000 loops"
    assert 10 < page.locator("#rows > .row").count() < 80
    assert page.evaluate("document.getElementsByTagName('*').length") < 1500
    page.locator("#body").evaluate("body => { body.scrollTop = 500 * 26 }")
    reached = "document.querySelector('#rows .row').dataset.loop > 400"
    assert any(page.evaluate(reached) or page.wait_for_timeout(50) for _ in range(600))
    assert page.locator("#rows > .row").count() < 80


def test_sorting(show: Show, large: str) -> None:
    page = show(large)
    head = page.locator("#heads > [data-column=loop]")
    assert head.get_attribute("aria-sort") == "none"
    shares = [float(text.strip("~≈≥<% ")) for text in cells(page, "share")]
    assert shares == sorted(shares, reverse=True)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    first = cells(page, "loop")[0]
    head.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert cells(page, "loop")[0] != first
    assert page.locator("#heads > [aria-sort=none]").count() == 4
    page.locator("#heads > [data-column=limit] button").click()
    names = [text.rstrip("0123456789 %") for text in cells(page, "limit")]
    assert names == sorted(names)


def test_filters(show: Show, large: str) -> None:
    page = show(large)
    page.keyboard.press("/")
    page.keyboard.type("part00 JACOBI")
    counted = int(page.locator("#count").inner_text().split()[0])
    assert 0 < counted < 20
    assert all("jacobi2d.c" in text for text in cells(page, "loop"))
    page.locator("#text").fill("no such loop anywhere")
    assert page.locator(ROWS).count() == 0
    assert page.locator("#nothing").is_visible()
    page.locator("#text").press("Escape")
    button = page.locator("#legend button").first
    count = int(button.inner_text().split()[-1])
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert page.locator("#count").inner_text() == f"{1000 - count} of 1000 loops"
    button.click()
    assert page.locator("#count").inner_text() == "1000 of 1000 loops"


def hovered(page: Driven, column: int, row: int) -> str:
    """The card at a place of the chart; empty where there is no dot."""
    box = page.locator("#chart .u-over").bounding_box()
    page.mouse.move(box["x"] + column, box["y"] + row)
    card = page.locator("#card")
    return card.inner_text() if card.is_visible() else ""


def test_a_dot_has_a_card_and_leads_to_its_code_and_back(show: Show, examples: Report) -> None:
    page = show(project(examples, 12), viewport={"width": 1280, "height": 900})
    box = page.locator("#chart .u-over").bounding_box()
    label = next(b for t, b in page.evaluate(TEXT_BOXES) if ".c:" in t)
    middle = (label["top"] + label["bottom"]) / 2 - box["y"]
    reach = range(-60, int(label["right"] - label["left"]) + 60, 6)
    places = [(int(label["left"] - box["x"]) + step, int(middle)) for step in reach]
    (x, y), said = next((p, text) for p in places if (text := hovered(page, *p)))
    assert said.endswith("click: code") and " % · " in said
    page.mouse.click(box["x"] + x, box["y"] + y)
    assert selected(page) == said.split(" · ")[0]
    assert page.locator("#title").inner_text().startswith(said.split(" · ")[0])
    assert page.evaluate("document.activeElement.id") == "title"
    place = said.split(":")[1].split()[0]
    assert page.locator("#code .own > :first-child").inner_text() == place
    page.locator("#back").click()
    assert page.evaluate("document.activeElement.id") == "chart"
    assert page.evaluate("scrollY") == 0


def test_the_keyboard_is_enough(show: Show, large: str) -> None:
    page = show(large)
    chart = page.locator("#chart")
    assert chart.get_attribute("role") == "img"
    assert chart.get_attribute("aria-label").startswith("Roofline of ")
    chart.focus()
    page.keyboard.press("Home")
    first = selected(page)
    page.keyboard.press("ArrowRight")
    second = selected(page)
    assert second != first
    page.keyboard.press("ArrowLeft")
    assert selected(page) == first
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "title"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "chart"
    body = page.locator("#body")
    body.focus()
    page.keyboard.press("End")
    last = page.locator(SELECTED)
    assert last.get_attribute("aria-rowindex") == "1001"
    assert body.get_attribute("aria-activedescendant") == last.get_attribute("id")
    assert last.evaluate(
        "row => { const b = document.querySelector('#body').getBoundingClientRect(),"
        " r = row.getBoundingClientRect(); return r.top >= b.top - 1 && r.bottom <= b.bottom + 1 }"
    )
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert page.locator(SELECTED).get_attribute("aria-rowindex") == "2"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "body"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_findings_stand_beside_their_loop(show: Show, examples: Report) -> None:
    (file,) = [each for each in examples.files if each.path.endswith("triad.c")]
    kernel = file.functions[0].nests[0].kernels[0]
    function = file.functions[0].name
    line = kernel.line
    advice = Advice(
        "RL101", "walk", "walks", "warning", Span(line, 1, line, 9), function, "i", "f1",
        machine=MACHINES[0], gain=Gain(2.0, 2.0), numbers=Numbers("ecm", 8.0, 4.0, "cy/it", 1, 0.5),
        fix=Fix("safe", "swap the headers", (Edit(line, 3, line, 6, "FOR"),)),
    )  # fmt: skip
    report = examples._replace(files=(file._replace(findings=(advice,)),), verdicts=())
    page = show(report, f"#{file.path}:{line}")
    finding = page.locator("#findings .finding")
    assert finding.count() == 1
    assert "RL101" in finding.inner_text() and "cy/it" not in finding.inner_text()
    assert finding.locator(".cut").inner_text().startswith("-")
    assert "FOR" in finding.locator(".add").inner_text()
    assert page.locator("#code .found").count() == 1
    assert "2.0×" in page.locator(f"{SELECTED} .do").inner_text()


def test_a_machine_is_chosen(show: Show, examples: Report) -> None:
    page = show(examples)
    before = page.locator("#run").inner_text()
    page.locator("#machine").select_option(label=MACHINES[1])
    assert MACHINES[1] in page.locator("#run").inner_text()
    assert before != page.locator("#run").inner_text()


def test_an_address_leads_to_its_loop(show: Show, large: str) -> None:
    page = show(large)
    page.locator("#body").focus()
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    name = page.locator("#title").inner_text()
    again = show(large, "#" + page.url.partition("#")[2])
    assert again.locator("#title").inner_text() == name


def test_light_and_dark_follow_the_reader_and_the_button(show: Show, examples: Report) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        page = show(examples, color_scheme=scheme)
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.locator("#theme").click()
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    light, dark = "rgb(255, 255, 255)", "rgb(13, 17, 23)"
    assert grounds == [light, dark, dark, light]


def test_names_from_outside_run_nothing(show: Show, sample_report: Report) -> None:
    file = sample_report.files[0]
    function = file.functions[0]._replace(name=HOSTILE, assumptions=(HOSTILE,))
    files = (file._replace(path=HOSTILE, functions=(function, *file.functions[1:])),)
    page = show(sample_report._replace(files=files))
    assert page.locator("img, script:not(body > script)").count() == 0
    assert page.locator("body > script").count() == 3
    assert HOSTILE in page.locator("#title").inner_text()
    assert HOSTILE in page.locator("#notes").text_content()
    page.wait_for_timeout(100)


def test_without_scripts_it_says_so(show: Show, sample_report: Report) -> None:
    page = show(sample_report, java_script_enabled=False)
    assert "This page needs scripts" in page.locator("noscript").inner_text()
    assert "the parser gave up after 60 s" in page.locator("main").inner_text()


def test_it_fits_a_narrow_window(show: Show, sample_report: Report) -> None:
    page = show(sample_report, viewport={"width": 420, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    for part in ("text", "machine", "theme", "chart", "loops", "code"):
        box = page.locator(f"#{part}").bounding_box()
        assert box is None or box["x"] + box["width"] <= 420

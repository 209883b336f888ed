"""A real browser for tests of pages: its types, and the fixtures that open one.

``pytest -m browser`` runs such tests; they need playwright and a Chromium (``.ci/run`` installs
both).
"""

import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from rooflint.plugin_api.report import Report
from rooflint.render.html import render_html

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
ROWS = "#rows .row:not([hidden])"
WATCH_CANVAS = """
window.written = [];
const fill = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
  const { width } = this.measureText(text);
  const { e, f, b } = this.getTransform();
  const height = parseFloat(/([0-9.]+)px/.exec(this.font)[1]);
  const shift = { left: 0, start: 0, center: width / 2, right: width, end: width }[this.textAlign];
  const turned = b !== 0;
  const left = turned ? e - height / 2 : e + x - shift;
  const top = turned ? f - width / 2 : f + y - height / 2;
  window.written.push([text, {
    left, top, right: left + (turned ? height : width), bottom: top + (turned ? width : height) }]);
  return fill.call(this, text, x, y, ...rest);
};
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(event.violatedDirective);
});
"""
"""Boxes of texts that the library writes, in pixels of the canvas; violations of the policy."""

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


@pytest.fixture
def show(chromium: Driven, tmp_path: Path) -> Iterator[Show]:
    """``show(report)`` opens its page; the test fails on any request, error or message box."""
    contexts: list[Driven] = []
    pages: list[Driven] = []
    wrong: list[str] = []
    file = tmp_path / "report.html"
    own = f"request {file.as_uri()}"

    def dismiss(dialog: Driven) -> None:
        wrong.append("message box")
        dialog.dismiss()

    def open_page(report: Report | str, hash_: str = "", **options: object) -> Driven:
        text = report if isinstance(report, str) else render_html(report)
        file.write_text(text, encoding="utf-8")
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(WATCH_CANVAS)
        page.on("pageerror", lambda error: wrong.append(f"error {error}"))
        page.on("console", lambda message: wrong.append(f"console {message.text}"))
        page.on("dialog", dismiss)
        page.on("request", lambda request: wrong.append(f"request {request.url}"))
        page.goto(file.as_uri() + hash_)
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        if page.evaluate("typeof window.violations") != "undefined":
            assert page.evaluate("window.violations") == []
    for context in contexts:
        context.close()
    assert not [event for event in wrong if not event.startswith(own)]


def cells(page: Driven, name: str) -> list[str]:
    """The texts of a column in the rows that exist, top to bottom."""
    rows = page.locator(ROWS).all()
    said = [(int(row.get_attribute("aria-rowindex")), row.locator(f".{name}")) for row in rows]
    return [cell.inner_text().strip() for _, cell in sorted(said, key=lambda each: each[0])]

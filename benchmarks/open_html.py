"""How large an HTML report is and how long a browser takes to open it from disk.

    analyze DIR --format html -o report.html
    python benchmarks/open_html.py report.html

Needs playwright and a Chromium. Times are the page's own, from the start of navigation to the end
of its load event; every opening is in a fresh context of one browser.
"""

import argparse
import shutil
import statistics
from pathlib import Path

from playwright.sync_api import sync_playwright

OPENINGS = 11
LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"


def main() -> None:
    """Opens the file and prints a line."""
    parser = argparse.ArgumentParser(description="opens an HTML report and takes the time")
    parser.add_argument("file", type=Path)
    path = parser.parse_args().file.resolve()
    times_ms = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for _ in range(OPENINGS):
            page = browser.new_context().new_page()
            page.goto(path.as_uri())
            times_ms.append(page.evaluate(LOADED))
            loops = page.locator("#loops > tbody").count()
            page.context.close()
        browser.close()
    middle, worst = statistics.median(times_ms), max(times_ms)
    size_mb = path.stat().st_size / 1e6
    print(f"{loops} loops, {size_mb:.2f} MB, opened in {middle:.0f} ms (worst {worst:.0f} ms)")


if __name__ == "__main__":
    main()

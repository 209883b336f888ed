"""The site as a reader gets it: strict, with nothing of other hosts, and complete in its search."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rooflint.machine import builtin_dir, list_machines
from rooflint.render.explanations import WORDS, all_rules

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "docs" / "site" / "build.py"
LOADED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"([^\"]+)\"|<link\b[^>]*href=\"([^\"]+)\""
)
FROM_OTHERS = re.compile(r"(?:@import|url\()\s*['\"]?(?:https?:)?//")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    # a warning of the generator, such as a dead link or anchor, is an error
    subprocess.run([sys.executable, BUILD, folder], check=True)
    return folder / "html"


def test_nothing_comes_from_another_host(site: Path) -> None:
    pages = [page for page in site.rglob("*.html") if "pictures" not in page.parts]
    assert len(pages) > 120
    for page in pages:
        for found in LOADED.findall(page.read_text(encoding="utf-8")):
            assert not re.match(r"(https?:)?//", "".join(found)), (page, found)
    for style in site.rglob("*.css"):
        assert not FROM_OTHERS.search(style.read_text(encoding="utf-8")), style


def test_every_picture_is_there_and_made_by_the_product(site: Path) -> None:
    pictures = set()
    for page in site.rglob("*.html"):
        for source in re.findall(r"<img[^>]* src=\"([^\"]+)\"", page.read_text(encoding="utf-8")):
            picture = (page.parent / source).resolve()
            assert picture.is_file(), (page, source)
            pictures.add(picture)
    assert len(pictures) >= 3
    drawn = [picture for picture in pictures if picture.suffix == ".svg"]
    assert all("<svg" in picture.read_text(encoding="utf-8") for picture in drawn)
    # what stands in the README, too, is a screenshot
    assert {picture.name for picture in pictures - {*drawn}} == {"editor.png", "page.png"}


def test_a_search_finds_every_rule_machine_and_word(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    text = " ".join(f"{each['title']} {each['text']}" for each in index["docs"]).lower()
    machines = [entry.name for entry in list_machines((builtin_dir(),))]
    sought = [rule.code for rule in all_rules()] + machines + list(WORDS)
    assert [word for word in sought if word.lower() not in text] == []


def test_a_dead_link_stops_the_build(site: Path) -> None:
    page = site.parent / "pages" / "glossary.md"
    page.write_text(page.read_text(encoding="utf-8") + "\n[nowhere](no-such-page.md)\n", "utf-8")
    settings = site.parent / "mkdocs.yml"
    elsewhere = site.parent / "elsewhere"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(settings)]
    command += ["-d", str(elsewhere)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "no-such-page.md" in done.stderr

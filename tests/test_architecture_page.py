"""docs/architecture.md names every package, with the sentence that its docstring begins with."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
FOLDERS = (
    ROOT / "analyzer" / "rooflint",
    ROOT / "plugins" / "rooflint_plugins",
    ROOT / "lsp" / "rooflint_lsp",
)
TABLE = re.compile(r"(\| package \| why it exists \|\n\|---\|---\|\n)((?:\|.*\n)*)")


def packages() -> Iterator[tuple[str, str]]:
    """Each package by its dotted name, with the first paragraph of its docstring in one line."""
    for folder in FOLDERS:
        for path in sorted(folder.rglob("__init__.py")):
            name = ".".join(path.parent.relative_to(folder.parent).parts)
            text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            yield name, " ".join(text.partition("\n\n")[0].split())


@pytest.mark.parametrize(("name", "sentence"), list(packages()))
def test_every_package_says_in_one_sentence_why_it_exists(name: str, sentence: str) -> None:
    assert len(sentence.split()) >= 5, f"{name}: the docstring has to begin with a sentence"
    assert sentence.endswith("."), f"{name}: {sentence}"


def test_the_page_lists_the_packages_that_there_are(request: pytest.FixtureRequest) -> None:
    """``pytest tests/test_architecture_page.py --update-golden`` writes the table."""
    rows = "".join([f"| `{name}` | {sentence} |\n" for name, sentence in packages()])
    assert rows.count("\n") > 20
    text = PAGE.read_text(encoding="utf-8")
    if request.config.getoption("--update-golden"):
        text = TABLE.sub(lambda table: table[1] + rows, text)
        PAGE.write_text(text, encoding="utf-8")
    found = TABLE.search(text)
    assert found is not None
    assert found[2] == rows


def test_a_package_without_a_sentence_is_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "new" / "inner").mkdir(parents=True)
    (tmp_path / "new" / "__init__.py").write_text('"""One sentence\nin two lines.\n\nMore."""\n')
    (tmp_path / "new" / "inner" / "__init__.py").write_text("")
    monkeypatch.setitem(packages.__globals__, "FOLDERS", (tmp_path / "new",))
    assert list(packages()) == [("new", "One sentence in two lines."), ("new.inner", "")]

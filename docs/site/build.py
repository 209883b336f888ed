"""Builds the documentation's site: ``python docs/site/build.py [FOLDER]``, without a network.

The pages of ``docs``, of the rules, the editors and the repository are put into one tree, and their
links are rewritten. Pages of machines, the glossary and every picture are made by the product.
FOLDER (default: build/site) gets the tree as ``pages`` and the site as ``html``. Needs
``rooflint[docs]``.
"""

import contextlib
import io
import os
import posixpath
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from rooflint.cli.main import run
from rooflint.machine import builtin_dir, list_machines
from rooflint.machine.catalogue import MachineEntry
from rooflint.render.explanations import WORDS, all_rules, explanation
from rooflint.render.findings.links import SOURCE

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RULES = PurePosixPath("plugins/rooflint_plugins/rules")
ELSEWHERE = {
    "README.md": "reference.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "docs/README.md": "index.md",
    "machines/README.md": "machines/index.md",
    "benchmarks/README.md": "benchmarks.md",
    "editors/vscode/README.md": "editors/vscode.md",
    "editors/neovim/README.md": "editors/neovim.md",
    "editors/emacs/README.md": "editors/emacs.md",
}
"""Pages of the repository that lie elsewhere on the site, by their path."""
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s#]+)(#[^)\s]*)?\)")
MADE = re.compile(r"^<!-- made (\S+): (analyze .*) -->$", re.MULTILINE)
"""``<!-- made a.svg: analyze …``: a picture or page by its file's name, and the command for it."""
FENCE = re.compile(r"^```(\w+) .*$", re.MULTILINE)
"""The first line of code with more than its language, as rules' pages have it."""


class Site:
    """The tree of pages: where each page of the repository lies, and what is made for it."""

    def __init__(self, folder: Path) -> None:
        self.pages = folder / "pages"
        self.places = dict(page_places())

    def assemble(self) -> None:
        """Writes the tree anew."""
        shutil.rmtree(self.pages, ignore_errors=True)
        for source, place in self.places.items():
            if source != "docs/README.md":
                self.write(place, self.page(source, place))
        for entry in machines():
            self.write(f"machines/{entry.name}.md", machine_page(entry))
        self.write("rules/index.md", rules_page())
        self.write("glossary.md", glossary())
        self.append("machines/index.md", machine_table())
        shutil.copy(HERE / "site.css", self.pages)

    def write(self, place: str, text: str) -> None:
        """Writes a file of the tree."""
        path = self.pages / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def append(self, place: str, text: str) -> None:
        """Adds to a page."""
        with (self.pages / place).open("a", encoding="utf-8") as page:
            page.write(text)

    def page(self, source: str, place: str) -> str:
        """A page of the repository as it stands on the site."""
        text = (ROOT / source).read_text(encoding="utf-8")
        text = FENCE.sub(r"```\1", text)
        text = LINK.sub(lambda match: f"]({self.target(source, place, *match.groups())})", text)
        return MADE.sub(lambda match: self.made(place, *match.groups()), text)

    def target(self, source: str, place: str, link: str, anchor: str | None) -> str:
        """A link of a page: to another page of the site, else to the repository."""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
        known = self.places.get(path)
        if path.endswith(".png"):
            known = f"pictures/{posixpath.basename(path)}"
            (self.pages / "pictures").mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, self.pages / known)
        if known is None:
            return f"{SOURCE}/blob/main/{path}{anchor or ''}"
        return posixpath.relpath(known, posixpath.dirname(place)) + (anchor or "")

    def made(self, place: str, name: str, command: str) -> str:
        """Runs a command for the file that it makes; Markdown that shows or links it."""
        at = f"pictures/{posixpath.splitext(place)[0]}/{name}"
        path = self.pages / at
        path.parent.mkdir(parents=True, exist_ok=True)
        words = shlex.split(command)[1:]
        if path.suffix == ".svg":
            product(["analyze", *words, "--plot", str(path.parent)])
        else:
            product(["analyze", *words, "--format", "html", "-o", str(path)])
        if not path.exists():
            raise SystemExit(f"{place}: '{command}' made no {name}")
        link = posixpath.relpath(at, posixpath.dirname(place))
        return f"![{command}]({link})" if path.suffix == ".svg" else f"[The same as a page]({link})"


def page_places() -> Iterator[tuple[str, str]]:
    """Each page of the repository and its place on the site."""
    yield from ELSEWHERE.items()
    for page in sorted((ROOT / "docs").rglob("*.md")):
        source = page.relative_to(ROOT).as_posix()
        if source not in ELSEWHERE:
            yield source, source.removeprefix("docs/")
    for page in sorted((ROOT / RULES).glob("rl*.md")):
        yield f"{RULES}/{page.name}", f"rules/{page.name}"


def product(arguments: Sequence[str]) -> str:
    """What a command of the product prints; in the repository, whose examples commands name."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(printed):
        code = run(arguments)
    if code:
        raise SystemExit(f"rooflint {shlex.join(arguments)}: exit code {code}")
    printed.seek(0)
    return printed.read()


def machines() -> tuple[MachineEntry, ...]:
    """The machines that come with the product."""
    return list_machines((builtin_dir(),))


def machine_page(entry: MachineEntry) -> str:
    """A machine's figures as ``rooflint machine show`` prints them."""
    command = f"rooflint machine show {entry.name}"
    shown = product(["machine", "show", entry.name]).replace(f"{ROOT}{os.sep}", "")
    return f"# {entry.name}\n\n```text\n$ {command}\n{shown}```\n"


def machine_table() -> str:
    """All machines by name."""
    rows = [
        f"| [{each.name}]({each.name}.md) | {', '.join(each.aliases)} | {each.description} |\n"
        for each in machines()
    ]
    return f"\n## All machines\n\n| name | also called | |\n|---|---|---|\n{''.join(rows)}"


def rules_page() -> str:
    """All rules with their one sentence."""
    pages = rule_pages()
    rows = []
    for rule in all_rules():
        page = pages.get(rule.code, "../lint.md")
        rows.append(f"| [{rule.code}]({page}) | {rule.slug} | {rule.summary} |\n")
    return f"# Rules\n\n| code | name | finds |\n|---|---|---|\n{''.join(rows)}"


def rule_pages() -> Mapping[str, str]:
    """The page of each rule by its code."""
    files = sorted((ROOT / RULES).glob("rl*.md"))
    return {page.name.partition("_")[0].upper(): page.name for page in files}


def glossary() -> str:
    """The words that ``rooflint explain`` explains."""
    terms = [f"**{word}**{explanation(word).removeprefix(word)}\n" for word in sorted(WORDS)]
    head = "# Glossary\n\n`rooflint explain WORD` prints the same, and pages of rules and models:\n"
    return "\n".join([head, "```sh\nrooflint explain 'layer condition'\n```\n", *terms])


def settings() -> dict[str, Any]:
    """The settings of ``mkdocs.yml`` with the pages that are made."""
    loaded: dict[str, Any] = yaml.safe_load((HERE / "mkdocs.yml").read_text(encoding="utf-8"))
    made = {
        "Rules": [
            "rules/index.md",
            *[{code: f"rules/{page}"} for code, page in rule_pages().items()],
        ],
        "Machines": [
            "machines/index.md",
            {"Machine files": "machine-files.md"},
            *[f"machines/{entry.name}.md" for entry in machines()],
        ],
    }
    loaded["nav"] = [
        {title: made.get(title, pages) for title, pages in part.items()} for part in loaded["nav"]
    ]
    return loaded


def main(arguments: Sequence[str]) -> int:
    """Builds the site; every doubt of the generator is an error."""
    folder = Path(arguments[0] if arguments else ROOT / "build" / "site").resolve()
    Site(folder).assemble()
    written = folder / "mkdocs.yml"
    written.write_text(yaml.safe_dump(settings(), allow_unicode=True), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(written)]
    quiet = {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, env=os.environ | quiet, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

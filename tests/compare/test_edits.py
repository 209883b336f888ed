"""``rooflint compare`` names ten edits that cost time, with the reason, and no neutral one.

A file of ``edits/`` holds a function before and after an edit. Lines that begin with ``//!`` give
the edit and its form, the sizes, a pattern of the reason, and the builds whose code does
``otherwise``: there a costly edit costs nothing, or a neutral one costs time, and ``why`` says what
was measured or what the compiler does. All forms stand in one pair of trees, so that each build is
compared once.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from rooflint.cli.main import run

Changes = Callable[[str], Mapping[str, Mapping[str, Any]]]
BUILDS: Final = (
    "gcc -O2",
    "gcc -O3",
    "gcc -O3 -march=skylake-avx512",
    "gcc -O3 -ffast-math",
    "clang -O2",
    "clang -O3",
)
USUAL: Final = ("gcc -O3", "clang -O3")
"""Builds of each run of the tests; the others are asked by the long ones."""
MARK: Final = "//! "


class EditForm(NamedTuple):
    """A form of an edit: text before and after it, sizes by name, and the builds' verdicts."""

    file: str
    edit: str
    before: str
    after: str
    sizes: Mapping[str, str]
    reason: str
    otherwise: tuple[str, ...]


def read_form(path: Path) -> EditForm:
    head, _, rest = path.read_text(encoding="utf-8").partition(f"{MARK}before\n")
    before, _, after = rest.partition(f"{MARK}after\n")
    fields: dict[str, str] = {}
    for line in head.splitlines():
        key, _, value = line.removeprefix(MARK).partition(": ")
        fields[key] = value
    given = [each.partition("=") for each in fields.get("sizes", "").split(", ") if each]
    sizes = [(name, value) for name, _, value in given]
    return EditForm(
        file=path.name,
        edit=fields["edit"],
        before=before,
        after=after,
        sizes=dict(sizes),
        reason=fields.get("reason", ""),
        otherwise=tuple([each for each in fields.get("otherwise", "").split(", ") if each]),
    )


def forms_in(kind: str) -> tuple[EditForm, ...]:
    folder = Path(__file__).parent / "edits" / kind
    return tuple([read_form(path) for path in sorted(folder.iterdir())])


SLOWER, NEUTRAL = forms_in("slower"), forms_in("neutral")
FORMS = (*SLOWER, *NEUTRAL)
THRESHOLD = 1.1
"""The default of ``--threshold``."""


def cases(forms: Sequence[EditForm], *, otherwise: bool) -> list[Any]:
    return [
        pytest.param(
            form,
            build,
            id=f"{form.file}, {build}",
            marks=[] if build in USUAL else pytest.mark.long,
        )
        for form in forms
        for build in BUILDS
        if (build in form.otherwise) == otherwise
    ]


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Changes:
    """The changes of the functions that both trees have, by file, in a build."""
    by_build: dict[str, Mapping[str, Mapping[str, Any]]] = {}

    def of_build(build: str) -> Mapping[str, Mapping[str, Any]]:
        if build not in by_build:
            by_build[build] = _compared(tmp_path_factory.mktemp("trees"), build)
        return by_build[build]

    return of_build


def _compared(folder: Path, build: str) -> Mapping[str, Mapping[str, Any]]:
    compiler, *flags = build.split()
    settings = f'compiler = "{compiler}"\n[flags]\ndefault = {json.dumps(flags)}\n'
    for tree in ("before", "after"):
        (folder / tree).mkdir()
        (folder / tree / "rooflint.toml").write_text(settings, encoding="utf-8")
        for form in FORMS:
            sizes = "".join([f"// rooflint: {name}={size}\n" for name, size in form.sizes.items()])
            text = sizes + (form.before if tree == "before" else form.after)
            (folder / tree / form.file).write_text(text, encoding="utf-8")
    out = folder / "changes.json"
    trees = (str(folder / "before"), str(folder / "after"))
    options = ("--machine", "skx", "--no-cache", "--format", "json", "-o", str(out))
    assert run(["compare", *trees, *options]) == 1
    document = json.loads(out.read_text(encoding="utf-8"))
    return {each["path"]: each for each in document["changes"]}


def test_every_edit_is_there() -> None:
    assert len({form.edit for form in SLOWER}) == 10
    assert len({form.edit for form in NEUTRAL}) == 12
    assert len({form.file for form in FORMS}) == len(FORMS)
    for form in FORMS:
        assert form.before != form.after
        assert set(form.otherwise) < set(BUILDS)


@pytest.mark.parametrize(("form", "build"), cases(SLOWER, otherwise=False))
def test_a_slower_edit_is_named_with_its_reason(
    form: EditForm, build: str, changes: Changes
) -> None:
    change = changes(build)[form.file]
    assert change["ratio"] >= THRESHOLD
    assert re.search(form.reason, "; ".join(change["reasons"]))


@pytest.mark.parametrize(("form", "build"), cases(SLOWER, otherwise=True))
def test_what_a_compiler_mends_is_not_named(form: EditForm, build: str, changes: Changes) -> None:
    assert changes(build)[form.file]["ratio"] < THRESHOLD


@pytest.mark.parametrize(("form", "build"), cases(NEUTRAL, otherwise=False))
def test_a_neutral_edit_is_not_named(form: EditForm, build: str, changes: Changes) -> None:
    change = changes(build)[form.file]
    assert change["before_s"] is not None
    assert 1 / THRESHOLD < change["ratio"] < THRESHOLD


@pytest.mark.parametrize(("form", "build"), cases(NEUTRAL, otherwise=True))
def test_a_neutral_edit_that_costs_vectors_is_named(
    form: EditForm,
    build: str,
    changes: Changes,
) -> None:
    change = changes(build)[form.file]
    assert change["ratio"] >= THRESHOLD
    assert re.search(form.reason, "; ".join(change["reasons"]))

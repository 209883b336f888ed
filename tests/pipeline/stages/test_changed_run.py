"""Edits of a few files of a run: others keep what they have, and all is as of an empty store."""

from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from rooflint.incremental.disk_store import DiskStore
from rooflint.incremental.store import ContentKey
from rooflint.lint import lint_file
from rooflint.pipeline import Analysis, Options, Source
from rooflint.pipeline.in_child import Question
from rooflint.pipeline.measured.run_report import run_report
from rooflint.pipeline.stages.changed_run import ChangedRun
from rooflint.plugin_api.report import Report
from rooflint.registry import load_registry
from rooflint.verdict.steps import verdicts_beside
from rooflint.workers.child_process import ChildProcess

FILES: Mapping[str, str] = {
    "main.c": """void scale(double *a, int n, double x);
void smooth(double *a, double *b, int n);
double total(const double *a, int n);
extern int size(void);
int lines = 70000;
int main(void) {
  static double a[90000], b[90000];
  scale(a, size(), total(b, lines));
  smooth(a, b, lines);
  return 0;
}
""",
    "scale.c": """#include "by.h"
void scale(double *a, int n, double x) {
  for (int i = 0; i < n; i++)
    a[i] = 1.5 / x * a[i] / x * BY;
}
""",
    "smooth.c": """#include "by.h"
void smooth(double *a, double *b, int n) {
  for (int i = 1; i < n - 1; i++)
    b[i] = 0.25 * (a[i - 1] + a[i + 1]) + half(a[i]);
  for (int k = 0; k < 4; k++)
    b[k] = 0.0;
}
""",
    "total.c": """double total(const double *a, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += a[i] * 2.5;
  return sum;
}
static void unused(double *a, int m) {
  for (int i = 0; i < m; i++)
    a[i] = 0.0;
}
""",
    "by.h": "#define BY 2.0\nstatic double half(double x) { return 0.5 * x; }\n",
}
SOURCES = [name for name in FILES if name.endswith(".c")]


class EditedProgram:
    """Runs over a program whose ``files`` change; of the last one the paths ``asked`` of children,
    how many entries it ``read``, and whether it ``started`` from an earlier run."""

    def __init__(self, folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.files = dict(FILES)
        self.asked: list[str] = []
        self.read = 0
        self.last: Analysis | None = None
        self._folder, self._cache = folder, cache
        get, ask = DiskStore.get, ChildProcess.ask

        def noted(store: DiskStore, key: ContentKey) -> bytes | None:
            content = get(store, key)
            self.read += content is not None
            return content

        def counted(child: ChildProcess, question: object) -> None:
            if isinstance(question, Question):
                self.asked.append(Path(question.request.path).name)
            ask(child, question)

        monkeypatch.setattr(DiskStore, "get", noted)
        monkeypatch.setattr(ChildProcess, "ask", counted)

    @property
    def started(self) -> bool:
        assert self.last is not None
        return isinstance(self.last.stage, ChangedRun)

    def edit(self, name: str, old: str, new: str) -> None:
        assert old in self.files[name]
        self.files[name] = self.files[name].replace(old, new, 1)

    def __call__(self, *, kept: bool = True, in_full: bool = True) -> Report:
        for name, text in self.files.items():
            (self._folder / name).write_text(text)
        options = Options(
            machines=("icelake-sp-8360y",),
            cache_dir=str(self._cache) if kept else "",
            flags=("-O3", "-march=icelake-server"),
            advice=True,
            advice_in_full=in_full,
            estimators=("ecm",),
            jobs=1,
        )
        self.asked.clear()
        self.read = 0
        self.last = Analysis(options, load_registry(), lint_file)
        list(self.last.files([Source(str(self._folder / name)) for name in SOURCES]))
        return run_report(self.last).report


@pytest.fixture
def edited(tmp_path: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> EditedProgram:
    folder = tmp_path / "tree"
    folder.mkdir()
    return EditedProgram(folder, cache_dir, monkeypatch)


SAME = (
    ("scale.c", "{\n", "{ // word\n"),
    ("scale.c", "1.5", "2.25"),
    ("smooth.c", "void smooth", "\n\nvoid smooth"),
    ("smooth.c", "  for (int k", "\n\n    for (int k"),
    ("total.c", "static void unused", "/* nothing\n calls it */ static void unused"),
)
OTHER = (
    ("scale.c", "i < n", "i + 1 < n"),  # trips
    ("scale.c", "a[i] / x", "a[i] / x / x"),  # work
    ("main.c", "70000", "60000"),  # a size
    ("main.c", "int lines", "\nint lines"),  # a line that values of others name
    ("by.h", "2.0", "3.0"),  # a header
    ("total.c", "return sum;", "for (int k = 0; k < n; k++) sum += a[k]; return sum;"),
    ("total.c", "a[i] * 2.5", "a[i] / a[0]"),  # cycles
    ("smooth.c", "#include", "/* rooflint: n=77 */\n#include"),
)


@pytest.mark.parametrize(("name", "old", "new"), SAME)
@pytest.mark.parametrize("in_full", [True, False])
def test_other_files_keep_what_they_have(
    edited: EditedProgram, name: str, old: str, new: str, *, in_full: bool
) -> None:
    before = edited(in_full=in_full)
    edited.edit(name, old, new)
    changed = edited(in_full=in_full)
    assert edited.started and set(edited.asked) == {name}
    fresh = edited(in_full=in_full, kept=False)
    assert changed == fresh
    assert [v.weight for v in changed.verdicts] == [v.weight for v in before.verdicts]
    assert edited(in_full=in_full) == fresh and not edited.asked


@pytest.mark.parametrize(("name", "old", "new"), OTHER)
def test_whatever_else_may_change_is_an_ordinary_run(
    edited: EditedProgram, name: str, old: str, new: str
) -> None:
    edited()
    edited.edit(name, old, new)
    changed = edited()
    assert not edited.started
    assert changed == edited(kept=False)
    assert edited() == changed and not edited.asked
    edited.edit("scale.c", "{\n", "{ // word\n")
    again = edited()
    assert edited.started and edited.asked
    assert again == edited(kept=False)


def test_a_file_more_costs_no_entry_more(edited: EditedProgram) -> None:
    edited()
    edited.edit("scale.c", "{\n", "{ // word\n")
    edited()
    few, edited.files["more.c"] = edited.read, "void more(double *a) { a[0] = 1.0; }\n"
    SOURCES.append("more.c")
    try:
        edited()
        edited.edit("scale.c", "word", "words")
        edited()
    finally:
        SOURCES.remove("more.c")
    assert edited.started and edited.read == few


def test_edits_of_several_files_start_from_the_nearest_run(edited: EditedProgram) -> None:
    edited()
    for name, old, new in SAME[1:3]:
        edited.edit(name, old, new)
    assert edited() == edited(kept=False)
    edited.edit("total.c", "2.5", "3.5")
    assert edited() == edited(kept=False)
    for name, new, old in SAME[1:3]:
        edited.edit(name, old, new)
    changed = edited()
    assert edited.started and set(edited.asked) == set()
    assert changed == edited(kept=False)


def test_verdicts_at_other_shares_are_made_anew(edited: EditedProgram) -> None:
    report = edited()
    verdicts = iter(report.verdicts)
    known = [
        tuple([next(verdicts) for kernel in file.kernels() for _ in kernel.results])
        for file in report.files
    ]
    files, machines = report.files, report.machines
    for mask in ([True] * len(files), [False] * len(files), [False, True, False, True]):
        own = [each if is_known else None for each, is_known in zip(known, mask, strict=True)]
        assert verdicts_beside(files, machines, own) == report.verdicts
    first, *others = known[1]
    other = first._replace(weight=first.weight._replace(share=0.015625))
    assert verdicts_beside(files, machines, [known[0], (other, *others), *known[2:]]) is None
    bare = [
        file._replace(
            functions=tuple(
                [f.with_kernels(lambda k: k._replace(weight=None)) for f in file.functions]
            )
        )
        for file in files
    ]
    assert verdicts_beside(bare, machines, [None] * len(files)) is None


def test_a_failure_is_that_of_an_ordinary_run(edited: EditedProgram) -> None:
    edited()
    edited.edit("scale.c", "double x) {", "double x) { return undeclared;")
    changed = edited()
    assert changed == edited(kept=False)


def _law(edited: EditedProgram, seed: int, steps: int) -> None:
    chance = Random(seed)
    edited()
    done: list[tuple[str, str, str]] = []
    for _ in range(steps):
        for _ in range(chance.choice((1, 1, 2))):
            if done and chance.random() < 0.3:  # back to what an earlier run knows
                name, new, old = done.pop(chance.randrange(len(done)))
            else:
                name, old, new = chance.choice(SAME + OTHER)
                done.append((name, old, new))
            edited.files[name] = edited.files[name].replace(old, new, 1)
        assert edited() == edited(kept=False)


def test_random_edits_are_those_of_an_empty_store(edited: EditedProgram) -> None:
    _law(edited, 1, 3)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 7))
def test_many_random_edits_are_those_of_an_empty_store(edited: EditedProgram, seed: int) -> None:
    _law(edited, seed, 12)

"""An unchanged run over several files reads one entry; anything that changes makes it a miss."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.config.lint_settings import LintOverrides
from rooflint.frontend.parse.clang_c import Clang
from rooflint.incremental.disk_store import DiskStore
from rooflint.incremental.store import ContentKey
from rooflint.lint import lint_file
from rooflint.pipeline import Analysis, Options, Source
from rooflint.pipeline.measured.run_report import run_report
from rooflint.plugin_api.report import Report
from rooflint.registry import load_registry, with_rules
from rooflint.workers.child_process import ChildProcess
from rooflint.workers.stop_signals import StopSignals

Settle = Callable[[], None]
RUN_AND_VERDICTS = 2


class Runs:
    """Whole runs over ``a.c`` and ``b.c``, with the entries that each of them ``read``, and how
    many questions were ``asked`` of children."""

    def __init__(self, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read = self.asked = 0
        self._cache = cache
        get, ask = DiskStore.get, ChildProcess.ask

        def noted(store: DiskStore, key: ContentKey) -> bytes | None:
            content = get(store, key)
            self.read += content is not None
            return content

        def counted(child: ChildProcess, question: object) -> None:
            self.asked += 1
            ask(child, question)

        monkeypatch.setattr(DiskStore, "get", noted)
        monkeypatch.setattr(ChildProcess, "ask", counted)

    def analysis(self, **options: object) -> Analysis:
        given = {"machines": ("generic-2level",), "cache_dir": str(self._cache), "advice": True}
        chosen = Options(**{**given, **options})  # type: ignore[arg-type]
        registry = load_registry()
        return Analysis(chosen, with_rules(registry) if chosen.lint else registry, lint_file)

    def __call__(self, **options: object) -> Report:
        self.read = self.asked = 0
        self.last = self.analysis(**options)
        for _ in self.last.files([Source("a.c"), Source("b.c")]):
            pass
        return run_report(self.last).report


@pytest.fixture
def runs(cache_dir: Path, tree: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    return Runs(cache_dir, monkeypatch)


def test_an_unchanged_run_reads_its_reports_and_verdicts_alone(runs: Runs) -> None:
    cold = runs()
    assert runs() == cold
    assert (runs.read, runs.asked) == (RUN_AND_VERDICTS, 0)
    assert cold.doubts == runs().doubts
    assert runs.last.report().summary == cold.summary


def test_values_and_settings_are_of_the_run(runs: Runs) -> None:
    runs()
    for options in (
        {"cores": "2"},
        {"advice_in_full": False},
        {"advice": False},
        {"entry": "cold"},
    ):
        fresh = runs(cache_dir="", **options)
        assert runs(**options) == fresh
        assert runs(**options) == fresh
        assert runs.read == RUN_AND_VERDICTS


@pytest.mark.parametrize("name", ["a.c", "size.h"])
def test_a_changed_file_or_header_is_another_run(
    runs: Runs, tree: Path, settle: Settle, name: str
) -> None:
    before = runs()
    text = (tree / name).read_text()
    (tree / name).write_text(text.replace("64", "32").replace("2 *", "3 +"))
    settle()
    after = runs()
    assert runs.asked
    assert after != before
    assert after == runs(cache_dir="")
    (tree / name).write_text(text)
    settle()
    assert runs() == before


def test_a_header_that_appears_nearer_is_another_run(
    runs: Runs, tree: Path, settle: Settle
) -> None:
    (tree / "above").mkdir()
    os.rename(tree / "size.h", tree / "above" / "size.h")
    settle()
    flags = ("-Iabove",)
    runs(flags=flags)
    runs(flags=flags)
    assert runs.read == RUN_AND_VERDICTS
    (tree / "size.h").write_text("enum { N = 32 };\n")
    settle()
    assert runs(flags=flags) == runs(flags=flags, cache_dir="")


def test_a_run_with_a_header_that_was_written_since_it_was_read_is_not_kept(
    runs: Runs, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = (tree / "size.h").stat().st_mtime + 60
    os.utime(tree / "size.h", (later, later))
    with monkeypatch.context() as patch:
        patch.setattr(Clang, "text_read", lambda *_: b"enum { N = 65 };\n")
        cold = runs()
    assert runs() == cold
    assert runs.asked
    assert runs() == cold
    assert not runs.asked


def test_a_run_that_was_cut_short_is_not_kept(runs: Runs) -> None:
    cut = runs.analysis()
    stop = StopSignals()
    files = cut.files([Source("a.c"), Source("b.c")], stop)
    next(files)
    del files
    assert len(run_report(cut).report.files) == 1
    whole = runs()
    assert runs.asked
    assert len(whole.files) == 2


def test_a_damaged_entry_costs_time_only(runs: Runs, cache_dir: Path) -> None:
    cold = runs()
    for entry in [path for path in cache_dir.rglob("*") if path.is_file()]:
        entry.write_bytes(entry.read_bytes()[:-7])
    assert runs() == cold
    assert runs.asked


def test_a_lint_goes_on_with_headers_and_has_no_index(runs: Runs) -> None:
    cold = runs(lint=LintOverrides())
    assert runs(lint=LintOverrides()) == cold
    assert runs.asked == 0
    assert runs.read > RUN_AND_VERDICTS

"""What is analysed again after a change, and what is not: counted in children that were asked."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from rooflint.facts.kernels import Kernel
from rooflint.frontend.parse.clang_c import Clang
from rooflint.pipeline import Analysis, Options, Source
from rooflint.pipeline.in_child import Question
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.plugin_api.hookspecs import Context, Needs
from rooflint.plugin_api.prediction import NotApplicable
from rooflint.plugin_api.report import FileReport
from rooflint.registry import load_registry
from rooflint.workers.child_process import ChildProcess

Settle = Callable[[], None]


class Run:
    """Runs over files, with the names of those that were given to a child."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.asked: list[str] = []
        self.folder = folder
        ask = ChildProcess.ask

        def noted(child: ChildProcess, question: Question) -> None:
            if not question.contents:  # the others were parsed at their first stage
                self.asked.append(question.request.path)
            ask(child, question)

        monkeypatch.setattr(ChildProcess, "ask", noted)

    def __call__(self, *paths: str, **options: object) -> tuple[FileReport, ...]:
        chosen: Mapping[str, object] = {
            "machines": ("generic-2level",), "cache_dir": str(self.folder), **options,
        }  # fmt: skip
        models = chosen.get("registry") or load_registry()
        asked = {name: value for name, value in chosen.items() if name != "registry"}
        self.asked.clear()
        self.analysis = Analysis(Options(**asked), models)  # type: ignore[arg-type]
        return tuple(self.analysis.files([Source(path) for path in paths]))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, cache_dir: Path) -> Run:
    return Run(monkeypatch, cache_dir)


def trips(report: FileReport) -> tuple[float | None, ...]:
    return report.functions[0].nests[0].kernels[0].results[0].trips


def test_an_unchanged_tree_is_not_parsed(run: Run, tree: Path) -> None:
    cold = run("a.c", "b.c")
    assert run.asked == ["a.c", "b.c"]
    assert run("a.c", "b.c") == cold
    assert run.asked == []
    assert run.analysis.report().summary.analysed == 2
    assert run("b.c", "a.c") == cold[::-1]
    assert run.asked == []


def test_a_changed_file_is_parsed_alone(run: Run, tree: Path, settle: Settle) -> None:
    run("a.c", "b.c")
    (tree / "a.c").write_text("void a(double *x) { for (int i = 0; i < 9; i++) x[i] = 1; }\n")
    settle()
    a, b = run("a.c", "b.c")
    assert run.asked == ["a.c"]
    assert (trips(a), trips(b)) == ((9.0,), (64.0,))


def test_a_changed_header_concerns_all_that_include_it(
    run: Run, tree: Path, settle: Settle
) -> None:
    (tree / "c.c").write_text("void c(double *x) { for (int i = 0; i < 3; i++) x[i] = 1; }\n")
    settle()
    run("a.c", "b.c", "c.c")
    (tree / "size.h").write_text("enum { N = 65 };\n")
    settle()
    reports = run("a.c", "b.c", "c.c")
    assert run.asked == ["a.c", "b.c"]
    assert [trips(report) for report in reports] == [(65.0,), (65.0,), (3.0,)]


def test_a_header_of_a_header_counts(run: Run, tree: Path, settle: Settle) -> None:
    (tree / "size.h").write_text('#include "deep.h"\n')
    (tree / "deep.h").write_text("enum { N = 7 };\n")
    settle()
    run("a.c")
    (tree / "deep.h").write_text("enum { N = 8 };\n")
    settle()
    assert trips(run("a.c")[0]) == (8.0,)


def test_a_header_above_a_link(run: Run, tree: Path, settle: Settle) -> None:
    """``link/../limits2.h`` is beside the folder that the link leads to."""
    (tree / "far" / "deep").mkdir(parents=True)
    (tree / "link").symlink_to(tree / "far" / "deep")
    (tree / "far" / "limits2.h").write_text("enum { M = 5 };\n")
    (tree / "d.c").write_text(
        "#include <limits2.h>\nvoid d(double *x) { for (int i = 0; i < M; i++) x[i] = 1; }\n"
    )
    settle()
    first = run("d.c", flags=("-Ilink/..",))
    assert run("d.c", flags=("-Ilink/..",)) == first
    assert run.asked == []


def test_a_header_that_appears_nearer_counts(run: Run, tree: Path, settle: Settle) -> None:
    """``<size.h>`` is found in the second folder until the first has one."""
    for name in ("first", "second"):
        (tree / name).mkdir()
    (tree / "second" / "limits2.h").write_text("enum { M = 5 };\n")
    (tree / "d.c").write_text(
        "#include <limits2.h>\nvoid d(double *x) { for (int i = 0; i < M; i++) x[i] = 1; }\n"
    )
    settle()
    flags = ("-Ifirst", "-Isecond")
    assert trips(run("d.c", flags=flags)[0]) == (5.0,)
    run("d.c", flags=flags)
    assert run.asked == []
    (tree / "first" / "limits2.h").write_text("enum { M = 6 };\n")
    settle()
    assert trips(run("d.c", flags=flags)[0]) == (6.0,)
    (tree / "first" / "limits2.h").unlink()
    assert trips(run("d.c", flags=flags)[0]) == (5.0,)


def test_a_header_that_was_missing_appears(run: Run, tree: Path, settle: Settle) -> None:
    (tree / "size.h").unlink()
    (missing,) = run("a.c")
    assert missing.status != "ok"
    run("a.c")
    assert run.asked == []
    (tree / "size.h").write_text("enum { N = 4 };\n")
    settle()
    (found,) = run("a.c")
    assert (found.status, trips(found)) == ("ok", (4.0,))


def test_what_has_include_asks_for_counts(run: Run, tree: Path, settle: Settle) -> None:
    (tree / "e.c").write_text(
        '#if __has_include("fast.h")\nenum { K = 2 };\n#else\nenum { K = 3 };\n#endif\n'
        "void e(double *x) { for (int i = 0; i < K; i++) x[i] = 1; }\n"
    )
    settle()
    assert trips(run("e.c")[0]) == (3.0,)
    (tree / "fast.h").write_text("")
    settle()
    assert trips(run("e.c")[0]) == (2.0,)


@pytest.mark.parametrize(
    "options",
    [
        {"flags": ("-DX=1",)},
        {"machines": ("generic-avx2",)},
        {"sizes": {"n": 5}},
        {"cores": "1"},
        {"models": ("ecm",)},
        {"layers": "half-cache"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_every_setting_counts(run: Run, tree: Path, options: dict[str, object]) -> None:
    run("a.c")
    run("a.c", **options)
    assert run.asked == ["a.c"]
    run("a.c", **options)
    assert run.asked == []


def test_an_edited_machine_counts(run: Run, tree: Path) -> None:
    machine = tree / "mine.yaml"
    machine.write_text(
        "schema: 1\nname: mine\nextends: generic-2level\nsources: {default: here}\nclock_ghz: 2.0\n"
    )
    first = run("a.c", machines=(str(machine),))
    assert run("a.c", machines=(str(machine),)) == first
    assert run.asked == []
    machine.write_text(
        "schema: 1\nname: mine\nextends: generic-2level\nsources: {default: here}\nclock_ghz: 1.0\n"
    )
    assert run("a.c", machines=(str(machine),)) != first


class Guest:
    """A model of another distribution."""

    name = "guest"
    needs = Needs()
    fails = False

    def predict(self, kernel: Kernel, context: Context) -> NotApplicable:
        if self.fails:
            raise ZeroDivisionError
        return NotApplicable("not today")


def test_a_plugin_counts_and_its_failure_is_not_kept(run: Run, tree: Path) -> None:
    run("a.c")
    registry = load_registry()
    guests = registry._replace(models=(*registry.models, Guest()))
    run("a.c", registry=guests)
    assert run.asked == ["a.c"]
    run("a.c", registry=guests)
    assert run.asked == []
    failing = Guest()
    failing.fails = True
    (tree / "a.c").write_text("void a(double *x) { for (int i = 0; i < 9; i++) x[i] = 1; }\n")
    guests = registry._replace(models=(*registry.models, failing))
    for _ in range(2):
        run("a.c", registry=guests)
        assert run.asked == ["a.c"]


def just_written(header: Path) -> None:
    """Stamps that tell nothing: the file may have been written after it was read."""
    later = header.stat().st_mtime + 60
    os.utime(header, (later, later))


def test_a_header_that_has_just_been_written_is_known_by_what_was_read(
    run: Run, tree: Path
) -> None:
    """Its stamp does not tell whether it was written again within the same tick of the clock."""
    just_written(tree / "size.h")
    run("a.c")
    assert run("a.c") and run.asked == []
    (tree / "size.h").write_text("enum { N = 65 };\n")
    just_written(tree / "size.h")
    assert trips(run("a.c")[0]) == (65.0,)
    assert run.asked == ["a.c"]


def test_a_header_that_was_written_again_since_it_was_read_is_not_kept(
    run: Run, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    just_written(tree / "size.h")
    with monkeypatch.context() as patch:
        patch.setattr(Clang, "text_read", lambda *_: b"enum { N = 65 };\n")
        first = run("a.c")
    assert run("a.c") == first and run.asked == ["a.c"]
    assert run("a.c") == first and run.asked == []


def test_a_file_that_changes_while_it_is_read(
    run: Run, tree: Path, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result is of what was read, and kept for nothing else."""

    packed = SetupResolver.packed

    def meanwhile(resolver: SetupResolver, path: str) -> bytes:
        (tree / "a.c").write_text("void a(double *x) { for (int i = 0; i < 9; i++) x[i] = 1; }\n")
        return packed(resolver, path)

    before = (tree / "a.c").read_text()
    with monkeypatch.context() as patch:
        patch.setattr(SetupResolver, "packed", meanwhile)
        assert trips(run("a.c")[0]) == (9.0,)
    (tree / "a.c").write_text(before)
    settle()
    assert trips(run("a.c")[0]) == (64.0,)


def test_a_damaged_entry_costs_one_parse(run: Run, tree: Path, cache_dir: Path) -> None:
    first = run("a.c")
    for entry in [path for path in cache_dir.rglob("*") if path.is_file()]:
        entry.write_bytes(entry.read_bytes()[:-7])
    assert run("a.c") == first
    assert run.asked == ["a.c"]
    assert [w.partition(": ")[2] for w in run.analysis.warnings] == [
        "a damaged or foreign entry was removed, and its file is analysed again"
    ]
    assert run("a.c") == first
    assert (run.asked, run.analysis.warnings) == ([], ())


def test_unsaved_text_is_never_kept(run: Run, tree: Path, cache_dir: Path) -> None:
    analysis = Analysis(
        Options(machines=("generic-2level",), cache_dir=str(cache_dir)), load_registry()
    )
    list(analysis.files([Source("a.c", b"int x;\n")]))
    assert not cache_dir.exists()


def test_another_compiler_is_another_result(run: Run, tree: Path) -> None:
    first = run("a.c", compiler="gcc")
    assert run("a.c", compiler="gcc") == first
    assert run.asked == []
    run("a.c", compiler="clang")
    assert run.asked == ["a.c"]
    run("a.c", compiler="gcc-12")
    assert run.asked == ["a.c"]
    run("a.c", compiler="gcc")
    assert run.asked == []

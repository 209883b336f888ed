"""Figures of the store beside a report: exact, under other conditions, or before a change."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from msgspec.structs import replace
from rooflint.compile_flags.flags import CodeGeneration, Flags
from rooflint.incremental.measurements import (
    MeasurementStore,
    StoredMeasurement,
    compiler_file,
)
from rooflint.pipeline import Options, Source, analyse
from rooflint.pipeline.measured import reader as module
from rooflint.pipeline.measured.flag_digest import flag_digest, without_folders
from rooflint.pipeline.measured.reader import MeasurementReader
from rooflint.pipeline.signatures import signatures_of
from rooflint.plugin_api.report import FileReport, MeasuredLoop
from rooflint.registry import load_registry

CODE = """#define WEIGHT 3.0
void triad(int n, double *restrict a, const double *b, const double *c)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + WEIGHT * c[i];
    for (int i = 0; i < n; i++)
        a[i] = a[i] / 3;
}
"""
COMMAND_LINE = Options(sizes={"n": 1000})


class World:
    """A file with the function, a store, and one figure of the function in it."""

    def __init__(self, folder: Path, measurements: ModuleType) -> None:
        self.path = folder / "triad.c"
        self.path.write_text(CODE, encoding="utf-8")
        self.compiler = folder / "gcc"
        self.compiler.write_bytes(b"compiler")
        self.store = MeasurementStore(str(folder / "measured"))
        self.identity = measurements.identity_of(self.path)
        self.made = measurements.MEASUREMENT

    def add(self, taken: int = 1, **identity: object) -> None:
        self.store.add([self.measurement(taken, identity)])

    def measurement(self, taken: int, identity: dict[str, object]) -> StoredMeasurement:
        return replace(
            self.made,
            identity=replace(self.identity, **identity),
            cycles_per_iteration=float(taken),
            taken=taken,
            compiler_file=compiler_file(str(self.compiler)),
        )

    def report(self, options: Options = COMMAND_LINE) -> FileReport:
        report = analyse([Source(str(self.path))], options, load_registry())
        return MeasurementReader(self.store, options).with_measurements(report.files[0])

    def measured(self, options: Options = COMMAND_LINE) -> tuple[MeasuredLoop, ...]:
        (function,) = self.report(options).functions
        return function.measured


@pytest.fixture
def world(tmp_path: Path, measurements: ModuleType) -> World:
    return World(tmp_path, measurements)


def standings(measured: tuple[MeasuredLoop, ...]) -> list[str]:
    return [each.standing for each in measured]


def test_nothing_is_parsed_for_a_file_without_measurements(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("parsed")

    monkeypatch.setattr(module, "signatures_of", refused)
    assert world.measured() == ()
    world.add(function="another")
    assert world.measured() == ()


def test_an_exact_figure(world: World) -> None:
    world.add(19)
    (measured,) = world.measured()
    assert (measured.standing, measured.line, measured.machine) == ("exact", None, "generic-avx2")
    assert (measured.cycles_per_iteration, measured.level) == (19.0, "L1")
    assert measured.predictions == (("ecm", 2.0),)
    # nobody set the size, and the figure names its own
    assert standings(world.measured(Options())) == ["exact"]


@pytest.mark.parametrize(
    ("change", "standing"),
    [
        ({"sizes": {"n": 1001}}, "other conditions"),
        ({"sizes": {}}, "other conditions"),
        ({"cpu": "another"}, "other conditions"),
        ({"machine": "cell"}, "other conditions"),
        ({"cores": 2}, "other conditions"),
        ({"state": "cold"}, "other conditions"),
        ({"content": "0" * 32}, "before a change"),
        ({"flags": "0" * 32}, "before a change"),
    ],
)
def test_each_part_of_the_key_counts(
    world: World, change: dict[str, object], standing: str
) -> None:
    world.store.add([world.measurement(1, change)])
    assert standings(world.measured()) == [standing]


@pytest.mark.parametrize(
    ("edit", "standing"),
    [
        (lambda text: "// above\n\n" + text, "exact"),
        (lambda text: text.replace("3.0", "4.0"), "before a change"),
        (lambda text: text + "void other(double *x)\n{\n    x[0] = 1;\n}\n", "exact"),
        (lambda text: text + "struct later { int x; };\n", "before a change"),
    ],
)
def test_edits(world: World, edit: Callable[[str], str], standing: str) -> None:
    world.add()
    world.path.write_text(edit(CODE), encoding="utf-8")
    function = world.report().functions[0]
    assert standings(function.measured) == [standing]


def test_other_flags_and_another_compiler(world: World) -> None:
    world.add()
    fast = COMMAND_LINE._replace(flags=("-ffast-math",))
    assert standings(world.measured(fast)) == ["before a change"]
    world.compiler.write_bytes(b"another version")
    assert standings(world.measured()) == ["before a change"]


def test_a_compiler_that_is_not_here(world: World) -> None:
    world.compiler.unlink()
    world.add()
    assert standings(world.measured()) == ["other conditions"]


def test_the_youngest_exact_one_is_chosen(world: World) -> None:
    world.add(1, compiler="gcc 11")
    world.add(2, compiler="clang 14")
    world.add(3, content="0" * 32)
    (measured,) = world.measured()
    assert (measured.standing, measured.compiler) == ("exact", "clang 14")


def test_nests_have_their_own(world: World) -> None:
    world.add(1, nest=2)
    world.add(2, nest=4)
    first, second = sorted(world.measured(), key=lambda each: each.line or 0)
    assert [(e.line, e.cycles_per_iteration) for e in (first, second)] == [(4, 1.0), (6, 2.0)]
    world.path.write_text(CODE.replace("/ 3", "/ 5"), encoding="utf-8")
    (old,) = world.measured()
    assert (old.standing, old.line) == ("before a change", None)


def test_a_file_that_cannot_be_parsed_any_more(world: World) -> None:
    world.add()
    report = world.report()
    world.path.unlink()
    again = MeasurementReader(world.store, COMMAND_LINE).with_measurements(report)
    assert standings(again.functions[0].measured) == ["before a change"]


def test_a_buffer_is_parsed_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.add()
    report = world.report()
    reader = MeasurementReader(world.store, COMMAND_LINE)
    parsed: list[str] = []

    def counted(path: str, *rest: object) -> object:
        parsed.append(path)
        return signatures_of(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "signatures_of", counted)
    for text in (CODE, CODE, CODE.replace("3.0", "4.0"), CODE):
        expected = ["exact"] if text == CODE else ["before a change"]
        found = reader.with_measurements(report, text.encode())
        assert standings(found.functions[0].measured) == expected
    assert len(parsed) == 2


def test_folders_are_no_part_of_flags() -> None:
    plain = Flags("c", "gnu17", ("-DN=3",))
    assert flag_digest(plain._replace(options=("-I/far", "-DN=3"))) == flag_digest(plain)
    others = [
        plain._replace(options=("-DN=4",)),
        plain._replace(std="c99"),
        plain._replace(language="c++"),
        plain._replace(code=CodeGeneration(opt_level="2")),
        plain._replace(code=CodeGeneration(vectorize=False)),
        plain._replace(code=CodeGeneration(vectorize=True)),
    ]
    assert len({flag_digest(each) for each in (plain, *others)}) == 7
    assert without_folders(("-Iinclude", "-DN=3", "-isystem/opt", "-O3")) == ("-DN=3", "-O3")

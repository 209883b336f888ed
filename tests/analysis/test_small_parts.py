"""Ranking, cores, machine names, paths."""

import json
from pathlib import Path

import pytest
from rooflint.errors import UsageError
from rooflint.incremental.store import ContentKey, MemoryStore
from rooflint.ir import Clause, Region
from rooflint.machine import Machine, builtin_dir
from rooflint.pipeline import find_sources, machine_named, top_kernels
from rooflint.pipeline.ranking import total_cycles
from rooflint.pipeline.setup.cores import chosen_cores, default_cores, is_parallel
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    MachineResult,
    NestReport,
    Report,
    Summary,
    WorkReport,
)


def kernel(name: str, cycles: float | None, *trips: float | None) -> KernelReport:
    prediction = Prediction("m", "compute", "s", "h", cycles)
    result = MachineResult("toy", 1, "", {}, trips, (), (prediction,))
    work = WorkReport("f64", 1.0, {}, 0.0, 0.0)
    return KernelReport(name, 1, 1, True, (), work, (), (result,))


def report(*kernels: KernelReport) -> Report:
    nests = tuple(NestReport(1, 1, (each,)) for each in kernels)
    file = FileReport("x.c", "ok", (FunctionReport("f", 1, 1, nests, ()),))
    return Report("0", (), (file,), Summary(len(kernels), len(kernels)))


def names(found: Report) -> list[str]:
    return [k.id for f in found.files for g in f.functions for n in g.nests for k in n.kernels]


def test_top_takes_cycles_times_iterations_and_keeps_the_order() -> None:
    # 2 cy * 10 * 10 = 200; 50 cy * 3 = 150; unknown; 1 cy * 1000 = 1000
    kernels = [
        kernel("a", 2, 10, 10),
        kernel("b", 50, 3),
        kernel("c", None, 9),
        kernel("d", 1, 1e3),
    ]
    assert [total_cycles(each) for each in kernels] == [200, 150, -1, 1000]
    assert names(top_kernels(report(*kernels), 2)) == ["a", "d"]
    assert names(top_kernels(report(*kernels), 3)) == ["a", "b", "d"]
    assert names(top_kernels(report(*kernels), 9)) == ["a", "b", "c", "d"]


def test_top_of_equals_takes_the_first() -> None:
    assert names(top_kernels(report(*(kernel(n, 1, 1) for n in "abc")), 1)) == ["a"]


@pytest.fixture(scope="module")
def machine() -> Machine:
    return machine_named("sandybridge-ep-e5-2680", [builtin_dir()])


def regions(*kinds: str) -> tuple[Region, ...]:
    return tuple(Region(kind, (), ()) for kind in kinds)


@pytest.mark.parametrize(
    ("kinds", "parallel"),
    [
        ((), False),
        (("parallel for",), True),
        (("parallel", "for simd"), True),
        (("simd",), False),
        (("for",), True),
        (("parallel", "single"), False),
        (("parallel", "single", "taskloop"), True),
        (("parallel", "master"), False),
        (("target teams distribute parallel for",), True),
        (("parallel", "critical"), False),
    ],
)
def test_what_runs_on_all_threads(kinds: tuple[str, ...], parallel: bool) -> None:
    assert is_parallel(regions(*kinds)) is parallel


def test_default_cores(machine: Machine) -> None:
    assert default_cores((), machine) == (1, "serial code")
    inside = "one socket: inside an OpenMP parallel region"
    assert default_cores(regions("parallel for"), machine) == (8, inside)
    four = Region("parallel", (Clause("num_threads", "4"),), ())
    assert default_cores((four, *regions("for")), machine) == (4, "num_threads clause")
    open_clause = Region("parallel", (Clause("num_threads", "t"),), ())
    assert default_cores((open_clause,), machine) == (8, inside)


def test_who_decides_on_cores(machine: Machine) -> None:
    assert chosen_cores(machine, "node", 3, "socket") == (16, "command line")
    assert chosen_cores(machine, None, 3, "socket") == (3, "comment")
    assert chosen_cores(machine, None, None, "socket") == (8, "configuration")
    assert chosen_cores(machine, None, None, None) is None
    with pytest.raises(UsageError, match=r"comment: cores 40: .* has 2 x 8 cores"):
        chosen_cores(machine, None, 40, None)


def test_machine_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    dirs = [builtin_dir()]
    assert machine_named("cell", dirs).name == "cell"
    assert machine_named("cell.yaml", dirs).name == "cell"
    assert machine_named("snb", dirs).name == "sandybridge-ep-e5-2680"
    text = (builtin_dir() / "generic-2level.yaml").read_text(encoding="utf-8")
    Path("cell.yaml").write_text(text, encoding="utf-8")
    assert machine_named("cell.yaml", dirs).name == "generic-2level"
    with pytest.raises(UsageError, match=r"cel\.yaml is no file here: .*did you mean 'cell'"):
        machine_named("cel.yaml", dirs)
    with pytest.raises(UsageError, match=r"no machine file 'sub/cell\.yaml'"):
        machine_named("sub/cell.yaml", dirs)


def test_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("src/b.c", "src/a.cpp", "src/sub/c.cc", "src/.hidden/d.c", "src/e.h", "doc/x.md"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("")
    found = find_sources(["./src", "src/b.c", "doc", "none.c"])
    assert found.sources == ("src/a.cpp", "src/b.c", "src/sub/c.cc")
    assert found.problems == (
        "doc: no C or C++ files there",
        "none.c: no such file or directory",
    )
    assert found.unusable
    assert not find_sources(["doc"]).unusable


def test_a_database_among_the_paths(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("")
    database = tmp_path / "compile_commands.json"
    entries = [
        {"directory": str(tmp_path), "file": n, "command": f"cc {n}"} for n in ("a.c", "b.c")
    ]
    database.write_text(json.dumps(entries))
    found = find_sources([str(database)])
    assert found.sources == (str(tmp_path / "a.c"),)
    assert found.database == str(database)
    assert not found.unusable
    assert found.problems == (f"{database}: 1 of its 2 files do not exist",)


def test_what_was_not_used_for_longest_is_forgotten() -> None:
    a, b, c, d = map(ContentKey, "abcd")
    recent = MemoryStore[int](2)
    recent.put(a, 1)
    recent.put(b, 2)
    assert recent.get(a) == 1
    recent.put(c, 3)
    # a was asked for after b
    assert [recent.get(key) for key in (c, b, a)] == [3, None, 1]
    recent.put(a, 4)
    recent.put(d, 5)
    assert [recent.get(key) for key in (a, b, c, d)] == [4, None, None, 5]

"""The simulator against cachegrind on compiled kernels: same addresses, same caches, cold."""

import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Function
from rooflint.replay import ReplayLevel, ReplaySettings, native
from rooflint.replay.lowering import lower_function

SOURCE = Path(__file__).with_name("kernels.c")
KERNELS = ("triad", "stride", "transpose", "matmul", "stencil", "triangle")
FRAME_LINES = 16
"""The return address and saved registers, and code in the unified last level."""


@pytest.fixture(scope="module")
def program(simulator: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    missing = simulator.cachegrind.missing_tools()
    if missing:
        pytest.skip(f"the cross-check against cachegrind needs {missing}")
    if shutil.which("nm") is None:
        pytest.skip("the cross-check against cachegrind needs nm")
    path = tmp_path_factory.mktemp("cachegrind") / "kernels"
    simulator.cachegrind.compile_c([SOURCE], path)
    return path


@pytest.fixture(scope="module")
def addresses(program: Path) -> dict[str, int]:
    listed = subprocess.run(["nm", str(program)], check=True, capture_output=True, text=True)
    lines = (line.split() for line in listed.stdout.splitlines())
    return {line[2]: int(line[0], 16) for line in lines if len(line) == 3}


@pytest.fixture(scope="module")
def functions() -> dict[str, Function]:
    unit = extract(Request(str(SOURCE), Flags("c")))
    return {source.function.name: source.function for source in unit.functions}


def replayed_misses(
    function: Function, addresses: dict[str, int], *shapes: tuple[int, int, int]
) -> tuple[float, ...]:
    """The product's replay at the addresses of the program; second levels know no first one."""
    kernel = native.library()
    if kernel is None:
        pytest.skip("the package was installed without a C compiler")
    program = lower_function(function, addresses, {})
    levels = [ReplayLevel(size // line // ways, ways) for size, ways, line in shapes]
    settings = ReplaySettings(line_bytes=shapes[0][2])
    counts = native.replay(program, levels, settings, kernel)
    references = range(len(program.references))
    return tuple(
        [
            sum([counts.lines(0, n, each).misses for each in references])
            for n, _ in enumerate(shapes)
        ]
    )


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ((32768, 8, 64), (262144, 8, 64)),
        ((8192, 2, 64), (65536, 4, 64)),
        ((4096, 1, 32), (65536, 16, 32)),
    ],
    ids=["usual", "few ways", "direct mapped"],
)
def test_same_misses_as_cachegrind(
    simulator: ModuleType,
    program: Path,
    addresses: dict[str, int],
    functions: dict[str, Function],
    first: tuple[int, int, int],
    last: tuple[int, int, int],
) -> None:
    cachegrind = simulator.cachegrind
    counted, _ = cachegrind.run(program, cachegrind.Shape(*first), cachegrind.Shape(*last))
    levels = [
        simulator.Level(name, size // line // ways, ways, line)
        for name, (size, ways, line) in (("D1", first), ("LL", last))
    ]
    as_gcc = simulator.Policy(promote=True, updated_last=True)
    for name in KERNELS:
        trace = simulator.walks(functions[f"kernel_{name}"], addresses, {}, as_gcc)
        ours = simulator.simulate(simulator.line_passes(trace, first[2]), levels)
        theirs = counted[f"kernel_{name}"]
        if first[1] > 1:  # with one way, the order of accesses that gcc chooses decides
            replayed = replayed_misses(functions[f"kernel_{name}"], addresses, first, last)
            expected = pytest.approx((theirs.d1, theirs.ll), rel=0.01, abs=FRAME_LINES)
            assert replayed == expected, name
        for level, loads, stores in (
            (ours[0], theirs.d1_loads, theirs.d1_stores),
            (ours[1], theirs.ll_loads, theirs.ll_stores),
        ):
            found = (level.loads, level.write_allocates)
            assert found == pytest.approx((loads, stores), rel=0.01, abs=FRAME_LINES), (
                name,
                level.name,
            )
            # so many that three per cent would show
            assert loads + stores > 35 * FRAME_LINES, (name, level.name)


def test_reads_sums_per_function(simulator: ModuleType) -> None:
    # f's two lines of source: 1 + 4 misses of loads at the first level, 2 + 0 of stores
    text = """events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
fl=a.c
fn=f.constprop.0
1 9 0 0 5 1 1 3 2 1
7 9 0 0 5 4 0 3 0 0
fn=g
3 1 0 0 1 1 1
summary: 19 0 0 11 6 2 6 2 1
"""
    found = simulator.cachegrind.read_misses(text)
    assert found["f"] == (5, 2, 1, 1)
    # cachegrind leaves out zeros at the end of a line
    assert found["g"] == (1, 0, 1, 0)

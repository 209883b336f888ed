"""Operational intensity of 25 loops, counted by hand, with and without write-allocate.

Machines: generic-2level (L1 32 KiB, L2 256 KiB, 8 ways each) and sandybridge-ep (the same two and
20 MiB of L3) fetch what a store misses; Cell's local store (256 KiB, lines of 128 B) does not.
Bytes are those over the link to memory, or to the level named. Big arrays; doubles.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from rooflint.ir import Function

Ask = Callable[..., Any]
TOY, SNB, CELL = "generic-2level", "sandybridge-ep-e5-2680", "cell"
BIG = 1 << 24


# --- loops that touch everything once: work, bytes with write-allocate, bytes without

STREAMS = [
    # loads 8 B each, the store 8 B, and 8 B more for the line it fetches first
    ("scale", 1, 8 + 8 + 8, 8 + 8),  # 0.0417, 0.0625
    ("add", 1, 16 + 8 + 8, 16 + 8),  # 0.03125, 0.0417
    ("triad", 2, 16 + 8 + 8, 16 + 8),  # 0.0625, 0.0833
    ("schoenauer", 2, 24 + 8 + 8, 24 + 8),  # 0.05, 0.0625
    # what is loaded anyway needs no fetch of its own
    ("daxpy", 2, 16 + 8, 16 + 8),  # 0.0833
    ("update", 1, 16 + 8, 16 + 8),  # 0.0417
    ("sum", 1, 8, 8),  # 0.125
    ("dot", 2, 16, 16),  # 0.125
    ("squares", 2, 8, 8),  # 0.25
]


@pytest.mark.parametrize("name", [TOY, SNB, CELL])
@pytest.mark.parametrize(("loop", "flops", "allocating", "plain"), STREAMS)
def test_streams(
    ask: Ask,
    build: ModuleType,
    nests: ModuleType,
    name: str,
    loop: str,
    flops: int,
    allocating: int,
    plain: int,
) -> None:
    found = ask(nests.streaming(build)[loop], name, n=BIG)
    expected = flops / (plain if name == CELL else allocating)
    assert found.intensity() == pytest.approx(expected)
    # everything is touched once: nothing but compulsory misses
    assert found.ceilings.data["compulsory_intensity_per_byte"] == pytest.approx(expected)
    assert found.ceilings.data["raised"] is None


@pytest.mark.parametrize(("name", "expected"), [(TOY, 24), (SNB, 24), (CELL, 16)])
def test_a_copy_has_bytes_and_no_flops(
    ask: Ask, build: ModuleType, nests: ModuleType, name: str, expected: int
) -> None:
    found = ask(nests.streaming(build)["copy"], name, n=BIG)
    assert found.roofline["metric"] == "byte"
    assert list(found.bytes.values())[-1] == pytest.approx(expected)


@pytest.mark.parametrize("step", [1, 2, 4, 8, 16])
@pytest.mark.parametrize(("name", "line"), [(TOY, 64), (SNB, 64), (CELL, 128)])
def test_strided_sums(
    ask: Ask, build: ModuleType, nests: ModuleType, name: str, line: int, step: int
) -> None:
    # a sum of every step-th double: 8 * step B of a line each, at most the whole line
    found = ask(nests.strided_sum(build, step), name, n=BIG)
    assert found.intensity() == pytest.approx(1 / min(8 * step, line))


@pytest.mark.parametrize("name", [TOY, SNB, CELL])
def test_matrix_times_vector(ask: Ask, build: ModuleType, nests: ModuleType, name: str) -> None:
    # 2 flops over 8 B of the matrix; x stays, y is a double a row
    found = ask(nests.dgemv(build), name, m=20_000, n=10_000)
    assert found.intensity() == pytest.approx(0.25, rel=0.001)


# --- stencils, their layer conditions held and broken


@pytest.mark.parametrize(
    ("name", "link", "n", "expected"),
    [
        # three rows of a and one of b are kept in 256 KiB: 32 n B, so up to n = 8192
        (TOY, "L2-MEM", 4000, 24),
        (SNB, "L2-L3", 4000, 24),
        (CELL, "LS-MEM", 4000, 16),
        # beyond, each of the three rows comes anew: 16 B more
        (TOY, "L2-MEM", 20_000, 40),
        (SNB, "L2-L3", 20_000, 40),
        (CELL, "LS-MEM", 20_000, 32),
        # the L3 of 20 MiB keeps them still
        (SNB, "L3-MEM", 20_000, 24),
        # and 32 KiB do not keep rows of 32 KB
        (SNB, "L1-L2", 4000, 40),
    ],
)
def test_the_flat_stencil(
    ask: Ask, build: ModuleType, nests: ModuleType, name: str, link: str, n: int, expected: int
) -> None:
    found = ask(nests.jacobi2d(build), name, n=n)
    assert 4 / found.bytes[link] == pytest.approx(4 / expected, rel=0.003)


DEEP = [
    # one stream of a, three or five of 8 B; b is 8 B, or 16 with its fetch
    # four planes of 8 n^2 B in 20 MiB: up to n = 809
    (SNB, "L3-MEM", 512, 8 + 16, 0.01),
    # three planes of 2 MiB each are more than 256 KiB, a dozen rows of 4 KiB are not: 3 streams
    (SNB, "L2-L3", 512, 24 + 16, 0.01),
    (TOY, "L2-MEM", 512, 24 + 16, 0.01),
    (CELL, "LS-MEM", 512, 24 + 8, 0.03),
    # rows of 64 KiB: not even five of them in 256 KiB
    (TOY, "L2-MEM", 8192, 40 + 16, 0.001),
    (SNB, "L2-L3", 8192, 40 + 16, 0.001),
    (CELL, "LS-MEM", 8192, 40 + 8, 0.001),
    # four planes of 64 x 64 doubles are 128 KiB: kept; the halo is 3 % to either side of each axis
    (TOY, "L2-MEM", 64, 8 + 16, 0.1),
    (CELL, "LS-MEM", 64, 8 + 8, 0.2),
]


@pytest.mark.parametrize(("name", "link", "n", "expected", "halo"), DEEP)
def test_the_deep_stencil(
    ask: Ask,
    build: ModuleType,
    nests: ModuleType,
    name: str,
    link: str,
    n: int,
    expected: int,
    halo: float,
) -> None:
    # 8 flops: 0.333, 0.2, 0.143 with write-allocate; 0.5, 0.25, 0.167 without
    found = ask(nests.heat3d(build), name, n=n)
    assert 8 / found.bytes[link] == pytest.approx(8 / expected, rel=halo)


def test_cache_aware_intensity_of_the_deep_stencil(
    ask: Ask, build: ModuleType, nests: ModuleType
) -> None:
    # the core asks for 7 loads and a store: 8 flops over 64 B, whatever the caches keep
    found = ask(nests.heat3d(build), TOY, n=512)
    assert found.roofline["core_intensity_per_byte"] == pytest.approx(0.125)


# --- sparse matrices


@pytest.mark.parametrize("name", [TOY, SNB, CELL])
def test_a_sparse_row(ask: Ask, build: ModuleType, nests: ModuleType, name: str) -> None:
    # a value of 8 B and an index of 4 for 2 flops
    found = ask(nests.spmv(build), name, 1, n=BIG, **{"row[i+1]-row[i]": 16})
    assert found.intensity() == pytest.approx(2 / 12, rel=0.01)


def blocks(build: ModuleType, size: int) -> Function:
    """Blocks of ``size`` x ``size`` values, one index each."""
    val = build.array("val", "f64", "m", size * size)
    col, x = build.array("col", "i32", "m"), build.array("x", "f64", None)
    index = build.unknown("col[b]", "b")
    total = build.carried("s")
    for row in range(size):
        for column in range(size):
            element = val["b", row * size + column]
            total = total + element * x.at(index * (8 * size) + 8 * column)
    body = (build.condition(col["b"]), build.assign("s", total))
    return build.function("blocked", [val, col, x], build.loop("b", 0, "m", *body))


@pytest.mark.parametrize("name", [TOY, SNB, CELL])
@pytest.mark.parametrize(("size", "expected"), [(2, 2 / 9), (4, 2 / 8.25)])
def test_blocks_share_an_index(
    ask: Ask, build: ModuleType, name: str, size: int, expected: float
) -> None:
    # 2 x 2: 4 values and an index, 36 B for 8 flops; 4 x 4: 132 B for 32; the limit is 1/4
    found = ask(blocks(build, size), name, m=BIG)
    assert found.intensity() == pytest.approx(expected, rel=0.001)


@pytest.mark.parametrize("per_row", [5, 7, 16, 27, 64])
@pytest.mark.parametrize(("name", "fetched"), [(TOY, 8), (SNB, 8), (CELL, 0)])
def test_a_sparse_matrix_with_its_rows(
    ask: Ask, build: ModuleType, name: str, fetched: int, per_row: int
) -> None:
    # a row adds 4 B of its pointer and 8 B of y, fetched as well on two of the machines; the 8 B of
    # x are known at run time only, so that intensity is at most 2 * nnz / (12 * nnz + 20)
    val, col = build.array("val", "f64", None), build.array("col", "i32", None)
    row, x = build.array("row", "i32", "n"), build.array("x", "f64", None)
    y = build.array("y", "f64", "n")
    index = build.unknown("col[j]", "j")
    gathered = build.carried("s") + val["j"] * x.at(index * 8)
    lower, upper = build.unknown("row[i]", "i"), build.unknown("row[i+1]", "i")
    inner = build.loop("j", lower, upper, build.condition(col["j"]), build.assign("s", gathered))
    body = (build.condition(row["i"]), inner, y["i"].set(build.scalar("s")))
    function = build.function("csr", [val, col, row, x, y], build.loop("i", 0, "n", *body))
    sizes = {"n": 1 << 20, "row[i+1]-row[i]": per_row}
    each = [list(ask(function, name, k, **sizes).bytes.values())[-1] for k in (0, 1)]
    moved = each[0] + per_row * each[1]
    assert moved == pytest.approx(12 * per_row + 12 + fetched, rel=0.002)
    # with x as long as y, as the report of 28 B a row has it
    if fetched:
        assert 2 * per_row / (moved + 8) == pytest.approx(
            2 * per_row / (12 * per_row + 28), rel=1e-3
        )


# --- the report's other kernels


def lattice(build: ModuleType) -> Function:
    """A site of LBMHD: 73 loads, 79 stores, 1300 flops, each in an array of its own."""
    sources = [build.array(f"f{k}", "f64", "n") for k in range(73)]
    targets = [build.array(f"g{k}", "f64", "n") for k in range(79)]
    total = sources[0]["i"]
    for source in sources[1:]:
        total = total + source["i"]  # 72 adds
    statements = [build.assign("s", total)]
    for k, target in enumerate(targets):
        value = build.scalar("s")
        for _ in range(16 if k < 43 else 15):  # 43 * 16 + 36 * 15 = 1228
            value = value * 0.5
        statements.append(target["i"].set(value))
    return build.function("lbmhd", sources + targets, build.loop("i", 0, "n", *statements))


@pytest.mark.parametrize(("name", "doubles"), [(TOY, 231), (SNB, 231), (CELL, 152)])
def test_a_lattice_site(ask: Ask, build: ModuleType, name: str, doubles: int) -> None:
    # 73 + 2 * 79 doubles are 1848 B: 0.703; without fetching 73 + 79, 1216 B: 1.069
    found = ask(lattice(build), name, n=1 << 20)
    assert found.intensity() == pytest.approx(1300 / (8 * doubles), rel=1e-3)
    assert found.intensity() == pytest.approx(1.069 if name == CELL else 0.703, abs=5e-4)


@pytest.mark.parametrize("name", [TOY, SNB, CELL])
@pytest.mark.parametrize(("passes", "expected"), [(3, 1.09), (2, 1.64)])
def test_passes_of_a_transform(
    ask: Ask, build: ModuleType, name: str, passes: int, expected: float
) -> None:
    # 5 * 21 flops a point of 128^3, spread over passes that each read and write its 16 B
    nests = []
    a = build.array("a", "f64", "m")
    for number in range(passes):
        value = a[f"i{number}"]
        flops = 105 // passes + (number < 105 % passes)
        for _ in range(flops):
            value = value * 0.5
        # 105 flops over a point of two doubles: half of them at each
        nests.append(build.loop(f"i{number}", 0, "m", a[f"i{number}"].set(value)))
    function = build.function("fft", [a], *nests)
    found = [ask(function, name, k, m=BIG) for k in range(passes)]
    bytes_each = [list(each.bytes.values())[-1] for each in found]
    assert bytes_each == pytest.approx([16] * passes)  # of a double: 8 in, 8 out
    # a point has two doubles and 105 flops
    assert 105 / (2 * sum(bytes_each)) == pytest.approx(expected, abs=0.005)
    assert sum(e.intensity() * 16 for e in found) == pytest.approx(105)


@pytest.mark.parametrize(("name", "expected"), [(TOY, 48), (SNB, 48), (CELL, 32)])
def test_a_transform_out_of_place(ask: Ask, build: ModuleType, name: str, expected: int) -> None:
    # 5 log2 N flops over 16 B in, 16 out, 16 fetched: 0.104 log2 N
    a, b = build.array("a", "f64", "n", 2), build.array("b", "f64", "n", 2)
    body = [b["i", part].set(a["i", part] * 0.5 * 0.5 + 1.0) for part in (0, 1)]
    found = ask(build.function("fft", [a, b], build.loop("i", 0, "n", *body)), name, n=BIG)
    assert list(found.bytes.values())[-1] == pytest.approx(expected)
    if name != CELL:
        assert 5 / expected == pytest.approx(0.104, abs=2e-4)


@pytest.mark.parametrize(("name", "expected"), [(TOY, 48), (SNB, 48), (CELL, 32)])
def test_a_transposition(ask: Ask, build: ModuleType, name: str, expected: int) -> None:
    # an exchange is a pair of doubles: 16 B in, 16 out, 16 fetched; a column of 500 lines stays
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n", "n")
    inner = build.loop("j", 0, "n", a["i", "j"].set(b["j", "i"]))
    found = ask(build.function("t", [a, b], build.loop("i", 0, "n", inner)), name, n=500)
    assert found.roofline["metric"] == "exchange"
    assert found.intensity() == pytest.approx(1 / expected, rel=0.01)


# --- products of matrices: capacity, conflicts, padding


def product(build: ModuleType, row: int) -> Function:
    """The dot products of dgemm: i, j, k."""
    a, b, c = (build.array(name, "f64", row, row) for name in "abc")
    body = build.assign("s", build.carried("s") + a["i", "k"] * b["k", "j"])
    store = c["i", "j"].set(build.scalar("s"))
    inner = build.loop("j", 0, 1024, build.loop("k", 0, 1024, body), store)
    return build.function("dgemm", [a, b, c], build.loop("i", 0, 1024, inner))


def blocked(build: ModuleType, row: int) -> Function:
    """dgemm of 1024 x 1024 in blocks of 64, unit stride inside."""
    a, b, c = (build.array(name, "f64", row, row) for name in "abc")
    i, j, k = "ii + i", "jj + j", "kk + k"
    nest = build.loop("j", 0, 64, c[i, j].add(a[i, k] * b[k, j]))
    nest = build.loop("i", 0, 64, build.loop("k", 0, 64, nest))
    for index in ("kk", "jj", "ii"):
        nest = build.loop(index, 0, 1024, nest, step=64)
    return build.function("blocked", [a, b, c], nest)


CASES: list[tuple[str, str]] = [(TOY, "L2-MEM"), (SNB, "L2-L3")]


@pytest.mark.parametrize(("name", "link"), CASES)
def test_a_column_that_stays_and_one_that_does_not(
    ask: Ask, build: ModuleType, name: str, link: str
) -> None:
    # rows of 1032: the 1024 lines of a column (64 KiB) stay while the next seven columns use them:
    # 8 B of b; a row of a comes once for 1024 columns: 8 / 1024
    padded = ask(product(build, 1032), name, 1)
    assert padded.bytes[link] == pytest.approx(8 + 8 / 1024)
    # rows of 1024 are 8 KiB: 4 of the 32 KiB of a way, so that 4 sets of 8 ways take 1024 lines and
    # keep none: 64 B each
    crowded = ask(product(build, 1024), name, 1)
    assert crowded.bytes[link] == pytest.approx(64, rel=0.01)


@pytest.mark.parametrize(("name", "link"), CASES)
def test_padding_a_blocked_product(ask: Ask, build: ModuleType, name: str, link: str) -> None:
    # blocks of a and b come once for 64^3 iterations: 8 / 64 each; one of c once for all kk, in and
    # out: 16 / 1024. 0.2656 B: 7.53 flop/B (a simulator's 0.265: 7.56)
    padded = ask(blocked(build, 1032), name)
    assert padded.bytes[link] == pytest.approx(8 / 64 + 8 / 64 + 16 / 1024)
    assert 2 / padded.bytes[link] == pytest.approx(7.56, rel=0.005)
    # rows of 8 KiB: the 512 lines of a block of b share 4 * 8 sets of 8 ways, which hold 256 of
    # them, and come anew for each i: 512 * 64 B / 4096 = 8; the two rest and c for every kk:
    # 8 / 64 + 16 / 64
    crowded = ask(blocked(build, 1024), name)
    assert crowded.bytes[link] == pytest.approx(8 + 8 / 64 + 16 / 64)
    assert 2 / crowded.bytes[link] == pytest.approx(0.239, abs=5e-4)
    assert crowded.bytes[link] / padded.bytes[link] == pytest.approx(31.5, rel=0.01)

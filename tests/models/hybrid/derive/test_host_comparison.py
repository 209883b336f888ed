"""Against the host alone: its time, from which size coprocessors pay, how many of them."""

from pathlib import Path

import pytest
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline import Options
from rooflint.pipeline.front_end import unit_of
from rooflint_plugins.models.hybrid.answers import ProcedureAnswer, answer_of_nest
from rooflint_plugins.models.hybrid.derive.bound import bound, plain_sidecar
from rooflint_plugins.models.hybrid.derive.host_comparison import HostComparison
from rooflint_plugins.models.hybrid.derive.host_only import HostLink, HostRoofline
from rooflint_plugins.models.hybrid.text.text_answer import answer_lines

MATMUL = """void f(int n, double a[n][n], double b[n][n], double c[n][n])
{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
    double s = 0; for (int k = 0; k < n; k++) s += a[i][k] * b[k][j]; c[i][j] = s; } }
"""
TRIAD = """void f(int n, double *restrict a, const double *b, const double *c, double s)
{ for (int i = 0; i < n; i++) a[i] = b[i] + s * c[i]; }
"""
STEPS = """enum { N = 4000 };
void f(int times, double a[N][N], double b[N][N])
{ for (int t = 0; t < times; t++)
    for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)
      b[i][j] = 0.25 * (a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]); }
"""


def answer(folder: Path, code: str, machine: str, **values: float) -> ProcedureAnswer:
    path = folder / "x.c"
    path.write_text(code, encoding="utf-8")
    functions = [unit_of(str(path), Options()).functions[0].function]
    found = find_machine(machine, [builtin_dir()])
    return answer_of_nest(bound(plain_sidecar("f", "x.c"), functions, found, values))


def verdict(folder: Path, code: str, machine: str, **values: float) -> HostComparison:
    said = answer(folder, code, machine, **values).compared
    assert said is not None
    return said


def test_host_takes_the_longest_of_its_peak_and_links() -> None:
    links = (HostLink("L3-MEM", 8.0, 100e9, 30e6), HostLink("L2-L3", 12.0, 400e9, 1e6))
    host = HostRoofline(16, 330e9, links[:1])
    # 1e9 flops: 3.03 ms at the peak, 8e9 B over 100 GB/s: 80 ms
    alone = host.time(1e9, footprint_bytes=1e9)
    assert alone is not None
    assert (alone.seconds, alone.cores, alone.by) == (0.08, 16, "by its memory bandwidth")
    # 1e9 B once over 100 GB/s; ten times that where ten steps use it, but never more than above
    assert alone.at_best_s == 0.01
    assert [host.time(1e9, 1e9, repeat) for repeat in (5, 100)] == [
        alone._replace(at_best_s=0.05), alone._replace(at_best_s=0.08),
    ]  # fmt: skip


def test_what_fits_the_caches_crosses_the_links_below_once() -> None:
    links = (HostLink("L2-L3", 12.0, 400e9, 1e6), HostLink("L3-MEM", 8.0, 100e9, 30e6))
    host = HostRoofline(16, None, links)
    # 20 MB stay in the 30 MB of L3: 20e6 B from memory, 0.2 ms; 12e9 B over L2-L3, 30 ms
    alone = host.time(1e9, footprint_bytes=20e6)
    assert alone is not None
    assert (alone.seconds, alone.by) == (0.03, "by its L2-L3 bandwidth")
    assert HostRoofline(1, None, ()).time(1e9, 1e6) is None


@pytest.mark.parametrize(("footprint_bytes", "seconds"), [(30e6, 0.0003), (30e6 + 8, 0.08)])
def test_a_cache_holds_what_fills_it_and_no_more(footprint_bytes: float, seconds: float) -> None:
    host = HostRoofline(16, None, (HostLink("L3-MEM", 8.0, 100e9, 30e6),))
    # once over 100 GB/s, or 8 B for each of 1e9 flops
    alone = host.time(1e9, footprint_bytes)
    assert alone is not None
    assert alone.seconds == pytest.approx(seconds)


def test_matrices_pay_from_a_size_on(tmp_path: Path) -> None:
    said = verdict(tmp_path, MATMUL, "h100-pcie-server", n=8192)
    assert said.host is not None
    assert said.speedup is not None
    assert said.speedup > 1
    assert said.crossover is not None
    assert said.crossover.pays == "from"
    size = said.crossover.sizes["n"]
    # on both sides of it the verdict is another
    below = verdict(tmp_path, MATMUL, "h100-pcie-server", n=size // 2)
    above = verdict(tmp_path, MATMUL, "h100-pcie-server", n=2 * size)
    assert below.speedup is not None
    assert above.speedup is not None
    assert below.speedup < 1 < above.speedup


def test_the_same_crossover_from_either_side(tmp_path: Path) -> None:
    found = []
    for n in (256, 16384):
        crossing = verdict(tmp_path, MATMUL, "h100-pcie-server", n=n).crossover
        assert crossing is not None
        found.append(crossing.sizes["n"])
    assert found[0] == pytest.approx(found[1], rel=0.15)


def test_a_stream_never_pays_behind_a_bus(tmp_path: Path) -> None:
    said = verdict(tmp_path, TRIAD, "titan-node", n=1e7)
    assert said.crossover is not None
    assert said.crossover.pays == "never"
    # 24 B an element over 32 GB/s against 32 B over 102.4 GB/s, whatever their number
    assert said.speedup == pytest.approx((32 / 102.4) / (24 / 32))
    assert [each.coprocessors for each in said.devices] == [1, 2, 4]
    times = [each.best.seconds for each in said.devices if each.best]
    assert times == pytest.approx([7.5e-3] * 3)
    assert said.transfer_share == pytest.approx(1)


def test_several_devices_against_the_host_alone(tmp_path: Path) -> None:
    said = verdict(tmp_path, STEPS, "titan-node", times=1000)
    times = [each.best.seconds for each in said.devices if each.best]
    assert times == sorted(times, reverse=True)
    assert len(set(times)) == 3
    shapes = [each.best.procedure.shape for each in said.devices if each.best]
    assert shapes == ["C1", "C2", "C2"]


def test_the_answer_says_all_of_it(tmp_path: Path) -> None:
    lines = list(answer_lines(answer(tmp_path, STEPS, "titan-node", times=1000)))
    starts = [line.split()[0] for line in lines]
    for word in ("host", "balance", "what", "memory", "devices", "channel", "array", "rejected"):
        assert word in starts, word
    assert any("rejected  C1 (resident on one coprocessor):" in line for line in lines)
    assert any("pays from" in line and "time steps on" in line for line in lines)


def test_a_size_may_have_the_name_of_a_machine_symbol(tmp_path: Path) -> None:
    code = TRIAD.replace("int n", "int K").replace("< n", "< K")
    found = answer(tmp_path, code, "titan-node", K=1e7)
    assert found.estimate.system.coprocessors == 4
    assert found.sizes.values == {"K": 10_000_000}


def test_smaller_pages_are_cut_where_least_is_moved(tmp_path: Path) -> None:
    """A page of a product needs its rows of a and its columns of b: squares move least."""
    said = verdict(tmp_path, MATMUL, "h100-pcie-server", n=8192)
    found = said.best
    assert found.procedure.shape == "C4"
    # 8 pages for each of 4 cards: 32 blocks of 1024 x 2048
    assert (found.symbols["b_i"], found.symbols["b_j"]) == (1024, 2048)
    # each with 1024 rows, 2048 columns of 64 KiB in, over the card's own link of 63 GB/s
    assert found.main.t_tr_s == pytest.approx((1024 + 2048) * 8192 * 8 / 63e9)


def test_one_coprocessor_alone_has_one_link(tmp_path: Path) -> None:
    """C1 on cards with links of their own: the other three do not help to load the first."""
    said = verdict(tmp_path, MATMUL, "h100-pcie-server", n=8192)
    (single,) = [other.found for other in said.choice.others if other.shape == "C1"]
    assert single is not None
    # a and b in and c out: 3 * 512 MiB over 63 GB/s; 2 * 8192**3 flops at 26 Tflop/s
    once = single.main.prologue_s + single.main.epilogue_s
    assert once == pytest.approx(3 * 8192**2 * 8 / 63e9)
    assert single.seconds == pytest.approx(once + 2 * 8192**3 / 26e12)

"""Stores that bypass the caches: no fetch, nothing over the links between caches."""

from pathlib import Path

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates, Traffic
from rooflint.scenario.sizes import Size, Sizes

RATES = Rates(find_machine("snb", (builtin_dir(),)), 1)
SIGNATURE = "void f(int n, double *restrict a, const double *b, double *restrict c) {\n"
BODIES = {
    "builtin": "for (int i = 0; i < n; i++) __builtin_nontemporal_store(b[i], &a[i]);",
    "intrinsic": "for (int i = 0; i < n; i += 4) _mm256_stream_pd(a + i, _mm256_loadu_pd(b + i));",
}


def traffic(folder: Path, body: str) -> Traffic:
    file = folder / "f.c"
    include = "#include <immintrin.h>\n" if "_mm" in body else ""
    file.write_text(f"{include}{SIGNATURE}{body}\n}}\n")
    [source] = extract(Request(str(file), Flags("c", None, ()))).functions
    arrays = {array.name: array for array in source.function.arrays}
    n = 1 << 22
    sizes = Sizes({"n": Size(n, "command line")}, {"n": n})
    return FunctionTraffic(facts_of(source.function), arrays, sizes, 64).traffic(0, RATES)


@pytest.mark.parametrize("body", BODIES)
def test_a_copy_without_a_fetch(tmp_path: Path, body: str) -> None:
    # 8 B of b over every link, 8 B of a to memory alone; four elements an iteration by intrinsics
    times = 4 if body == "intrinsic" else 1
    near, inner, _, far = traffic(tmp_path, BODIES[body]).links
    assert (near.load_bytes, near.evict_bytes) == (8 * times, 8 * times)
    assert (inner.load_bytes, inner.write_allocate_bytes, inner.evict_bytes) == (8 * times, 0, 0)
    assert (far.load_bytes, far.write_allocate_bytes, far.evict_bytes) == (8 * times, 0, 8 * times)


@pytest.mark.parametrize(
    "request_ignored",
    ["", "#pragma omp simd nontemporal(a)\n", "#pragma vector nontemporal\n"],
)
def test_a_plain_copy_fetches(tmp_path: Path, request_ignored: str) -> None:
    """gcc and clang make plain stores of both requests, as their assembly shows."""
    body = f"{request_ignored}for (int i = 0; i < n; i++) a[i] = b[i];"
    far = traffic(tmp_path, body).links[-1]
    assert (far.load_bytes, far.write_allocate_bytes, far.evict_bytes) == (8, 8, 8)


def test_what_is_loaded_as_well_stays_in_the_caches(tmp_path: Path) -> None:
    body = "for (int i = 0; i < n; i++) __builtin_nontemporal_store(a[i] + b[i], &a[i]);"
    assert traffic(tmp_path, body).links[1].evict_bytes == 8


def test_other_arrays_fetch(tmp_path: Path) -> None:
    body = "for (int i = 0; i < n; i++) { __builtin_nontemporal_store(b[i], &a[i]); c[i] = b[i]; }"
    far = traffic(tmp_path, body).links[-1]
    assert (far.load_bytes, far.write_allocate_bytes, far.evict_bytes) == (8, 8, 16)

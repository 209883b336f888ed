"""Page loops in a row: one stage where they can share their pages, else one each."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline import Options
from rooflint.pipeline.front_end import unit_of
from rooflint_plugins.models.hybrid.derive.bound import BoundNest, bound, plain_sidecar
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate

HEAD = """enum { N = 2000 };
void f(int n, double *restrict a, double *restrict b, const double *restrict c, double s,
       double A[N][N], double B[N][N])
"""


def nest_of(folder: Path, body: str, machine: str = "titan-node", n: int = 8_000_000) -> BoundNest:
    path = folder / "x.c"
    path.write_text(f"{HEAD}{{\n{body}\n}}\n", encoding="utf-8")
    functions = [unit_of(str(path), Options()).functions[0].function]
    values = {"n": float(n)} if " n" in body else {}
    found = find_machine(machine, [builtin_dir()])
    return bound(plain_sidecar("f", "x.c"), functions, found, values)


def streamed(nest: BoundNest) -> ProcedureEstimate:
    """Its estimate in class C4 or C5, chosen or not."""
    tried = [nest.choice.best, *[other.found for other in nest.choice.others]]
    return next(found for found in tried if found and found.procedure.shape in ("C4", "C5"))


def loops(*bodies: str) -> str:
    return "\n".join(f"for (int i = 0; i < n; i++) {body}" for body in bodies)


@pytest.fixture
def of(tmp_path: Path) -> Callable[..., BoundNest]:
    """The nest of a function's body."""

    def call(body: str, machine: str = "titan-node") -> BoundNest:
        return nest_of(tmp_path, body, machine)

    return call


def test_what_one_writes_and_the_other_reads_stays_in_the_page(
    of: Callable[..., BoundNest],
) -> None:
    found = streamed(of(loops("a[i] = c[i] * s;", "b[i] = a[i] + c[i];")))
    (stage,) = found.procedure.stages
    assert [(op.kind, op.array or op.kernel) for op in stage.ops] == [
        ("load", "c"), ("kernel", "k1"), ("kernel", "k2"), ("store", "a"), ("store", "b"),
    ]  # fmt: skip
    # c once in, a and b once out: 24 B an element for two flops, 2.667 GOP/s over 32 GB/s
    assert found.perf_op_s / 1e9 == pytest.approx(8 / 3)
    page = 250_000
    ops = {name: kernel.ops for name, kernel in found.kernels.items()}
    assert ops == {"k1": page, "k2": page}


def test_a_local_array_between_two_loops_never_crosses(of: Callable[..., BoundNest]) -> None:
    inner = of("double t[8000000];\n" + loops("t[i] = c[i] * s;", "a[i] = t[i] + c[i];"))
    kinds = {role.array: role.kind for page in inner.found.pages for role in page.roles}
    assert kinds == {"c": "input", "t": "private", "a": "output"}
    # 16 B an element for two flops
    assert streamed(inner).perf_op_s / 1e9 == pytest.approx(4)


@pytest.mark.parametrize(
    "bodies",
    [
        ("a[i] = c[i] * s;", "b[i] = a[i + 1] + c[i];"),
        ("a[i] = c[i] * s;", "b[i] = a[n - 1 - i];"),
        ("b[i] = a[i - 1] + a[i + 1];", "a[i] = b[i];"),
    ],
    ids=["neighbour", "reversed", "overwritten"],
)
def test_what_other_pages_need_is_a_stage(
    of: Callable[..., BoundNest], bodies: tuple[str, str]
) -> None:
    found = streamed(of(loops(*bodies)))
    assert (found.procedure.shape, len(found.procedure.stages)) == ("C5", 2)


def test_rows_after_columns_are_two_stages(of: Callable[..., BoundNest]) -> None:
    """A transposition needs all pages: the array crosses four times instead of twice."""
    square = "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) "
    turned = streamed(of(f"{square} A[i][j] *= s;\n{square} B[i][j] = A[j][i] + B[i][j];"))
    assert len(turned.procedure.stages) == 2
    straight = streamed(of(f"{square} A[i][j] *= s;\n{square} B[i][j] = A[i][j] + B[i][j];"))
    assert len(straight.procedure.stages) == 1
    # A in and out, then A and B in and B out: five crossings against four
    assert turned.seconds / straight.seconds == pytest.approx(5 / 4, rel=1e-3)


def test_another_range_is_another_stage(of: Callable[..., BoundNest]) -> None:
    first = "for (int i = 0; i < n; i++) a[i] = c[i] * s;\n"
    found = streamed(of(first + "for (int i = 1; i < n; i++) b[i] = a[i];"))
    assert len(found.procedure.stages) == 2


def test_a_sum_is_needed_before_the_next_loop(of: Callable[..., BoundNest]) -> None:
    body = "double t = 0;\n" + loops("t += c[i];", "a[i] = c[i] * t;")
    assert len(streamed(of(body)).procedure.stages) == 2


def test_time_steps_share_pages_too(of: Callable[..., BoundNest]) -> None:
    square = "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) "
    body = (
        f"for (int t = 0; t < 50; t++) {{\n{square} A[i][j] *= s;\n{square} B[i][j] += A[i][j]; }}"
    )
    best = of(body).choice.best
    assert best is not None
    assert (best.procedure.shape, len(best.procedure.stages)) == ("C2", 1)
    # nothing but the blocks themselves, once in and once out: 4 arrays of 32 MB over 32 GB/s
    once = best.main.prologue_s + best.main.epilogue_s
    assert once == pytest.approx(4 * 32e6 / 32e9)
    assert best.main.transfer_s == 0


def test_a_function_that_is_not_all_parallel_has_its_heaviest_nest_estimated(
    of: Callable[..., BoundNest],
) -> None:
    body = "for (int i = 1; i < n; i++) a[i] = a[i - 1] + c[i];\n" + loops(
        "b[i] = c[i] * s * s + s;"
    )
    found = of(body)
    assert [role.array for role in found.found.pages[0].roles] == ["c", "b"]
    # one operation of four
    assert found.beside == (
        "loop i beside it has 25 % of the function's operations and is not estimated",
    )


def test_a_loop_apart_stays_apart_from_two_that_share_their_pages(
    of: Callable[..., BoundNest],
) -> None:
    apart = "for (int i = 1; i < n; i++) b[i] = c[i] * s;"
    both = loops("a[i] = c[i] * s;", "b[i] = a[i] + c[i];")
    pages = of(f"{apart}\n{both}").found.pages
    assert [page.trips for page in pages] == [(7_999_999,), (8_000_000,)]
    assert [sorted(role.array for role in page.roles) for page in pages] == [
        ["b", "c"],
        ["a", "b", "c"],
    ]

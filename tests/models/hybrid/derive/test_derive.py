"""Procedures from C: roles and volumes of arrays, classes, what the source does not tell."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from rooflint.errors import ConfigurationError
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.pipeline import Options
from rooflint.pipeline.front_end import unit_of
from rooflint_plugins.models.hybrid.derive.bound import bound
from rooflint_plugins.models.hybrid.derive.choice import Choice, choose
from rooflint_plugins.models.hybrid.derive.cutting import cut
from rooflint_plugins.models.hybrid.derive.pages import PagedNest
from rooflint_plugins.models.hybrid.derive.resident import halve_longest
from rooflint_plugins.models.hybrid.evaluate.evaluator import estimate
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.load import read_procedures
from rooflint_plugins.models.hybrid.procedure.records import Procedure
from rooflint_plugins.models.hybrid.procedure.writer import procedure_yaml

SOURCES = Path(__file__).parents[1] / "sources"
Systems = Callable[[str], System]


def machines(name: str) -> Machine:
    return find_machine(name, [builtin_dir()])


def function(path: Path) -> Function:
    return unit_of(str(path), Options()).functions[0].function


def write(folder: Path, text: str) -> Function:
    path = folder / "x.c"
    path.write_text(text, encoding="utf-8")
    return function(path)


def cut_of(code: Function, values: Mapping[str, int], align: int = 1) -> PagedNest:
    facts = facts_of(code)
    nest = [f for f in facts if f.kernel.loops[0] is facts[0].kernel.loops[0]]
    arrays = {array.name: array for array in code.arrays}
    return cut(nest, values, arrays, {}, align)


def volumes(found: ProcedureEstimate) -> dict[tuple[str, str], float]:
    """Bytes of one coprocessor and page by (kind, array), at the estimate's symbols."""
    return {
        (op.kind, op.array): op.bytes.expression.value(found.symbols)
        for stage in found.procedure.stages
        for op in (*stage.prologue, *stage.ops, *stage.epilogue)
        if op.bytes is not None
    }


def best(choice: Choice) -> ProcedureEstimate:
    assert choice.best is not None
    return choice.best


@pytest.fixture(scope="module")
def resid() -> Function:
    return function(SOURCES / "resid.c")


@pytest.fixture(scope="module")
def spmv() -> Function:
    return function(SOURCES / "spmv.c")


def test_residual_on_cp2_is_the_hand_written_procedure(resid: Function, systems: Systems) -> None:
    choice = choose("resid", cut_of(resid, {}, 16), systems("vm7"))
    found = best(choice)
    assert found.procedure.shape == "C4"
    symbols = found.symbols
    assert [symbols[f"b_i{n}"] for n in (3, 2, 1)] == [8, 8, 32]
    # (3.4), (3.5) with the exact halo: u 4000 elements, v and r 2048, 31 flops a point
    assert volumes(found) == {("load", "u"): 16000, ("load", "v"): 8192, ("store", "r"): 8192}
    assert found.kernels["k1"].ops == 31 * 2048
    assert found.main.iterations == pytest.approx(256**3 / (2048 * 4))
    assert found.ops == 31 * 256**3
    # all in all 32384 B of the bank
    assert found.fits[0].bytes == 32384
    assert found.fits[0].le == 32768


def test_residual_with_the_measured_kernel_is_the_printed_estimate(
    resid: Function, systems: Systems
) -> None:
    text = (
        "schema: hybrid-procedure/1\nname: resid\nbind: {function: resid}\n"
        "kernels: {k1: {perf: 31*2048*F/28394, measured: true}}\n"
    )
    (sidecar,) = read_procedures(text, "resid.yaml")
    found = best(bound(sidecar, [resid], machines("vm7"), {}).choice)
    assert found.perf_op_s / 1e6 == pytest.approx(1788.7723, rel=1e-6)  # table 3.3
    assert found.kernels["k1"].source.origin == "measured"
    # (3.6): 31 BW against 16 K Perf, here with 15.81 bytes a point instead of 16
    assert found.beta == pytest.approx(2.9244918 * 16 / 15.8125, rel=1e-6)


def test_time_steps_around_it_make_it_resident_on_a_gpu_node(
    tmp_path: Path, systems: Systems
) -> None:
    code = (SOURCES / "resid.c").read_text()
    head, body = code.split("    for (int i3", 1)
    body = "    for (int t = 0; t < steps; t++)\n    for (int i3" + body
    stepped = write(tmp_path, head.replace("float a3)", "float a3, int steps)") + body)
    found = cut_of(stepped, {"steps": 100})
    assert found.repeat == 100
    choice = choose("resid", found, systems("titan-node"))
    assert best(choice).procedure.shape == "C2"
    # blocks 128 x 128 x 256; u goes out and comes in on both sides of the two axes that are cut:
    # 2 * (2*128*256) * 4 B
    faces = 2 * (2 * 128 * 256) * 4
    stores = [op for op in best(choice).procedure.stages[0].ops if op.kind == "store"]
    assert [op.bytes.expression.value(best(choice).symbols) for op in stores if op.bytes] == [faces]
    assert {other.shape for other in choice.others} == {"C1", "C4"}
    slower = [other.found.seconds for other in choice.others if other.found]
    assert all(seconds > best(choice).seconds for seconds in slower)


def test_blocks_of_coprocessors_halve_the_longest_axis() -> None:
    assert halve_longest((256, 256, 256), 4) == (128, 128, 256)
    assert halve_longest((512, 128, 128), 4) == (128, 128, 128)
    assert halve_longest((300, 100), 3) == (100, 100)
    assert halve_longest((5,), 1) == (5,)


def test_sparse_product_asks_for_what_it_cannot_know(spmv: Function, systems: Systems) -> None:
    found = cut_of(spmv, {"n": 1000, "ptr[i+1]-ptr[i]": 27})
    (pages,) = found.pages
    assert [lack.array for lack in pages.missing] == ["x"]
    text = "schema: hybrid-procedure/1\nname: s\nbind: {function: spmv}\n"
    (sidecar,) = read_procedures(text, "s.yaml")
    with pytest.raises(ConfigurationError, match=r"x: read indirect through col; .*elements: {x"):
        bound(sidecar, [spmv], machines("titan-node"), {"n": 1000, "ptr[i+1]-ptr[i]": 27})


def test_sparse_product_has_the_volumes_of_the_hand_written_one(
    spmv: Function, systems: Systems, examples: Callable[[str], Procedure]
) -> None:
    text = """\
schema: hybrid-procedure/1
name: s
bind: {function: spmv}
params: {n: 150000, NZ: 36121058, Perf: 16.5GOP/s}
sizes: {"ptr[i+1]-ptr[i]": NZ/n}
elements: {x: n}
kernels: {k1: {perf: Perf}}
"""
    (sidecar,) = read_procedures(text, "s.yaml")
    system = systems("titan-node")
    found = best(bound(sidecar, [spmv], machines("titan-node"), {}).choice)
    moved = volumes(found)
    rows, nonzeros = found.symbols["b_i"], 36121058 / 150000
    assert found.ops == pytest.approx(2 * 36121058)
    assert found.kernels["k1"].ops == pytest.approx(2 * nonzeros * rows)  # (2.17)
    assert moved["load", "x"] == 150000 * 8  # (2.16): all of it, to every coprocessor
    assert moved["store", "y"] == 8 * rows  # (2.19)
    assert moved["load", "val"] == pytest.approx(8 * nonzeros * rows)
    assert moved["load", "col"] == pytest.approx(4 * nonzeros * rows)
    # resident values are those of the hand-written procedure: the same prologue
    hand = estimate(examples("spmv_resident"), system)
    assert found.main.prologue_s == pytest.approx(hand.main.prologue_s)


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("a[i] = b[i] + s * c[i];", {"a": "output", "b": "input", "c": "input"}),
        ("a[i] += b[i];", {"a": "in/out", "b": "input"}),
        ("a[i] = b[i] * c[0];", {"a": "output", "b": "input", "c": "broadcast"}),
        ("a[i] = b[i - 1] + b[i + 1];", {"a": "output", "b": "input"}),
        ("a[i] = b[n - 1 - i];", {"a": "output", "b": "input"}),
    ],
)
def test_roles(tmp_path: Path, body: str, kinds: dict[str, str]) -> None:
    code = write(
        tmp_path,
        "void f(int n, double *restrict a, const double *b, const double *c, double s)\n"
        f"{{ for (int i = 1; i < n - 1; i++) {body} }}\n",
    )
    (pages,) = cut_of(code, {"n": 1002}).pages
    assert {role.array: role.kind for role in pages.roles} == kinds


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("a[i] = a[i - 1] * s;", "a is read where another iteration writes"),
        ("a[idx[i]] += s;", "data-dependent addresses"),
        ("a[0] = b[i] * a[0];", "accessed at the same address in every iteration"),
        ("s = s * b[i] + 1.0;", "s of the previous iteration is needed"),
        ("{ s = 2.0 - s; a[i] = s; }", "s of the previous iteration is needed"),
        # every part of the sum is stored, so no coprocessor can begin with a part of its own
        ("{ s += b[i]; a[i] = s; }", "s of the previous iteration is needed"),
        # what an iteration without a new value stores comes from one before
        ("{ if (b[i] > 0.0) s = b[i]; a[i] = s; }", "s of the previous iteration is needed"),
        ("{ a[i] = s; s = b[i]; }", "s of the previous iteration is needed"),
        ("{ if (b[i] > s) break; a[i] = b[i] * s; }", "left early"),
    ],
)
def test_what_cannot_be_cut_says_why(tmp_path: Path, body: str, why: str) -> None:
    code = write(
        tmp_path,
        "void f(int n, double *restrict a, const double *restrict b, const int *idx, double s)\n"
        f"{{ for (int i = 1; i < n; i++) {body} }}\n",
    )
    found = cut_of(code, {"n": 1001})
    assert why in found.refused
    assert not found.pages


def test_a_loop_without_arrays_moves_nothing(tmp_path: Path, systems: Systems) -> None:
    code = write(
        tmp_path,
        "double f(int n)\n"
        "{ double s = 0; for (int i = 0; i < n; i++) s += 1.0 / (i + 0.5); return s; }\n",
    )
    system = systems("titan-node")
    found = best(choose("pi", cut_of(code, {"n": 10**9}), system))
    # only the parts of the sum travel: all coprocessors run at their peak
    assert found.perf_op_s == pytest.approx(4 * 1500e9, rel=1e-4)
    assert volumes(found) == {("store", "s"): 8}


def test_a_loop_that_skips_iterations_can_be_cut(tmp_path: Path) -> None:
    code = write(
        tmp_path,
        "void f(int n, double *restrict a, const double *b)\n"
        "{ for (int i = 0; i < n; i++) { if (b[i] < 0.0) continue; a[i] = 2.0 * b[i]; } }\n",
    )
    assert cut_of(code, {"n": 1000}).refused == ""


def test_a_sum_leaves_a_part_on_every_coprocessor(tmp_path: Path, systems: Systems) -> None:
    code = write(
        tmp_path,
        "double f(int n, const double *a, const double *b)\n"
        "{ double s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }\n",
    )
    found = cut_of(code, {"n": 10_000_000})
    assert found.pages[0].sums == ("s",)
    chosen = best(choose("dot", found, systems("titan-node")))
    assert volumes(chosen)["store", "s"] == 8


@pytest.mark.parametrize("sign", "<>")
def test_a_least_or_greatest_value_leaves_a_part_on_every_coprocessor(
    tmp_path: Path, sign: str
) -> None:
    code = write(
        tmp_path,
        "double f(int n, const double *a)\n"
        f"{{ double s = a[0]; for (int i = 1; i < n; i++) if (a[i] * 2.0 {sign} s) s = a[i] * 2.0;"
        " return s; }\n",
    )
    assert cut_of(code, {"n": 10_000_000}).pages[0].sums == ("s",)


def test_triad_is_the_hand_written_one(tmp_path: Path, systems: Systems) -> None:
    code = write(
        tmp_path,
        "void f(int n, double *restrict a, const double *b, const double *c, double s)\n"
        "{ for (int i = 0; i < n; i++) a[i] = b[i] + s * c[i]; }\n",
    )
    found = best(choose("triad", cut_of(code, {"n": 100_000_000}), systems("titan-node")))
    # 32 GB/s * 2 / 24 = 2.667 Gflop/s, whatever K; beta = (24 / 288 GB/s) / (4 * 24 / 32 GB/s)
    assert found.perf_op_s / 1e9 == pytest.approx(8 / 3)
    assert found.beta == pytest.approx(32 / 288 / 4)


def test_matrix_product_pages_hold_rows_and_columns(tmp_path: Path, systems: Systems) -> None:
    code = write(
        tmp_path,
        "enum { N = 1024 };\n"
        "void f(double c[N][N], double a[N][N], double b[N][N])\n"
        "{ for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {\n"
        "    double s = 0; for (int k = 0; k < N; k++) s += a[i][k] * b[k][j]; c[i][j] = s; } }\n",
    )
    (pages,) = cut_of(code, {}).pages
    sizes = {role.array: role.bytes((4, 8)) for role in pages.roles}
    assert sizes == {"c": 4 * 8 * 8, "a": 4 * 1024 * 8, "b": 8 * 1024 * 8}
    assert pages.flops == 2 * 1024


def test_passes_over_an_array_are_stages(tmp_path: Path, systems: Systems) -> None:
    code = write(
        tmp_path,
        "enum { N = 1000 };\n"
        "void f(int steps, double a[N][N], double b[N][N])\n"
        "{ for (int t = 0; t < steps; t++) {\n"
        "  for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)\n"
        "    b[i][j] = a[i - 1][j] + a[i + 1][j];\n"
        "  for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)\n"
        "    a[i][j] = 0.5 * b[i][j]; } }\n",
    )
    found = cut_of(code, {"steps": 10})
    assert (len(found.pages), found.repeat) == (2, 10)
    choice = choose("jacobi", found, systems("vm7"))
    assert best(choice).procedure.shape == "C5"
    assert [stage.name for stage in best(choice).stages] == ["i", "i_2"]
    # each step both arrays cross the channel once in each direction, halos besides
    assert best(choice).ops * best(choice).repeat == 10 * 998 * 998 * 2
    single = next(other for other in choice.others if other.shape == "C1")
    assert "needs 16 MB, 15.9 MB more than the 65.5 kB available" in single.reason


def test_what_is_derived_can_be_read_back(resid: Function, systems: Systems) -> None:
    system = systems("vm7")
    choice = choose("resid", cut_of(resid, {}, 16), system)
    (again,) = read_procedures(procedure_yaml(best(choice).procedure), "again.yaml")
    assert estimate(again, system).seconds == pytest.approx(best(choice).seconds)


def test_every_field_says_where_it_comes_from(spmv: Function, systems: Systems) -> None:
    text = (
        "schema: hybrid-procedure/1\nname: s\nbind: {function: spmv}\nparams: {n: 1000}\n"
        'sizes: {"ptr[i+1]-ptr[i]": 27}\nelements: {x: n}\nkernels: {k1: {perf: 1.0e+9}}\n'
    )
    (sidecar,) = read_procedures(text, "s.yaml")
    found = best(bound(sidecar, [spmv], machines("titan-node"), {}).choice)
    kernel = found.procedure.kernels["k1"]
    assert kernel.perf is not None
    assert (kernel.perf.origin, kernel.ops.origin) == ("sidecar", "derived")
    assert kernel.perf.place == "s.yaml:7"


def test_what_the_host_may_do_between_steps_keeps_nothing_on_the_coprocessors(
    tmp_path: Path, systems: Systems
) -> None:
    code = write(
        tmp_path,
        "int dummy(double *a);\n"
        "void f(int n, int times, double *restrict a, const double *restrict b)\n"
        "{ for (int nl = 0; nl < times; nl++) {\n"
        "    for (int i = 0; i < n; i++) a[i] = 2.0 * b[i];\n"
        "    dummy(a); } }\n",
    )
    found = cut_of(code, {"n": 1_000_000, "times": 100})
    assert (len(found.pages), found.repeat) == (1, 100)
    choice = choose("f", found, systems("titan-node"))
    # 16 B an element over 32 GB/s, every time
    assert best(choice).seconds == pytest.approx(100 * 16e6 / 32e9)
    reason = "dummy, called in every step, may use the arrays on the host"
    assert {o.shape: o.reason for o in choice.others} == {"C1": reason, "C2": reason}

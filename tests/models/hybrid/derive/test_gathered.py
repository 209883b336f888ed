"""Arrays read by index: whole to every coprocessor, in pieces, or element by element."""

from pathlib import Path

import pytest
from rooflint.errors import ConfigurationError
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline import Options
from rooflint.pipeline.front_end import unit_of
from rooflint_plugins.models.hybrid.derive.bound import BoundNest, bound
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.procedure.load import read_procedures

SOURCE = Path(__file__).parents[1] / "sources" / "spmv.c"
SIDECAR = """\
schema: hybrid-procedure/1
name: s
bind: {function: spmv}
params: {n: 1000000, NZ: 27000000}
sizes: {"ptr[i+1]-ptr[i]": NZ/n}
elements: {x: n}
"""


def nest(machine: str, **values: float) -> BoundNest:
    functions = [unit_of(str(SOURCE), Options()).functions[0].function]
    (sidecar,) = read_procedures(SIDECAR, "s.yaml")
    return bound(sidecar, functions, find_machine(machine, [builtin_dir()]), values)


def best(found: BoundNest) -> ProcedureEstimate:
    assert found.choice.best is not None
    return found.choice.best


def loads(found: ProcedureEstimate, part: str) -> dict[str, float]:
    """Bytes by array of the loads in ``prologue`` or ``ops`` of the only stage."""
    (stage,) = found.procedure.stages
    return {
        op.array: op.bytes.expression.value(found.symbols)
        for op in getattr(stage, part)
        if op.kind == "load" and op.bytes is not None
    }


def test_what_fits_is_sent_whole_once() -> None:
    found = best(nest("titan-node"))
    assert found.procedure.shape == "C6"
    assert loads(found, "prologue") == {"x": 8e6}
    assert set(loads(found, "ops")) == {"ptr", "val", "col"}


def test_what_no_local_store_holds_passes_by_every_page() -> None:
    """CP2 gathers nothing: all 8 MB of x for every page, in pieces of a quarter of the bank."""
    found = nest("vm7")
    estimate = best(found)
    assert estimate.procedure.shape == "C8"
    assert loads(estimate, "ops")["x"] == 8e6
    assert estimate.symbols["piece"] == 32768 / 4
    whole = next(other for other in found.choice.others if other.shape == "C4")
    # a row of 27 with its two ptr, aligned to 16 B, beside the vector: 8 MB into 32 KiB
    assert whole.reason.startswith("its smallest page needs 8 MB, 7.97 MB more than the 32.8 kB")


def test_where_the_channel_can_only_elements_are_fetched() -> None:
    """Cell's DMA lists: 27 elements a row, each at the cost of a bus line of 128 B."""
    found = best(nest("cell-spe"))
    assert found.procedure.shape == "C8"
    rows = found.symbols["b_i"]
    assert loads(found, "ops")["x"] == pytest.approx(27 * 128 * rows)
    # 4 + 8 + 27 * (8 + 4) B of a row beside them
    moved = sum(loads(found, "ops").values()) / rows
    assert moved == pytest.approx(27 * 128 + 27 * 12 + 4, rel=0.01)


def test_a_gathered_array_says_so_and_is_never_nothing() -> None:
    for machine in ("titan-node", "vm7", "cell-spe", "gh200"):
        found = nest(machine)
        roles = {role.array: role for page in found.found.pages for role in page.roles}
        assert roles["x"].kind == "gathered"
        estimate = best(found)
        everywhere = loads(estimate, "prologue") | loads(estimate, "ops")
        assert everywhere["x"] > 0


def test_what_is_written_by_index_asks_for_stages(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text(
        "void f(int n, double *restrict a, const double *b, const int *idx)\n"
        "{ for (int i = 0; i < n; i++) a[idx[i]] += b[i]; }\n",
        encoding="utf-8",
    )
    functions = [unit_of(str(path), Options()).functions[0].function]
    text = "schema: hybrid-procedure/1\nname: s\nbind: {function: f}\n"
    (sidecar,) = read_procedures(text, "s.yaml")
    machine = find_machine("titan-node", [builtin_dir()])
    message = r"data-dependent addresses .*; a procedure file can state its stages, see docs"
    with pytest.raises(ConfigurationError, match=message):
        bound(sidecar, functions, machine, {"n": 1000})

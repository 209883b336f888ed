"""All 153 estimates printed in the thesis, and its 50 comparisons with measurements."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.expression import parse

DATA = yaml.safe_load((Path(__file__).parent / "sudareva.yaml").read_text(encoding="utf-8"))
ROWS: list[dict[str, Any]] = DATA["estimates"]
COMPARED: list[dict[str, Any]] = DATA["theory_vs_practice"]
UNIT = {
    **{"GOP/s": 1e9, "MOP/s": 1e6, "GB/s": 1e9, "us": 1e-6, "s": 1.0, "%": 0.01},
    **{"MiB": 2**20, "KiB": 2**10, "": 1.0, "x": 1.0, "cmds": 1.0, "elem": 1.0},
}


def taken(found: ProcedureEstimate, what: str) -> float:
    kind, _, name = what.partition(".")
    values: dict[str, Callable[[], float]] = {
        "perf": lambda: found.perf_op_s,
        "kernel": lambda: found.kernels[name].perf_op_s,
        "bound": lambda: found.bounds_op_s[name],
        "T_C": lambda: found.main.t_cp_s,
        "T_tr": lambda: found.main.t_tr_s,
        "kernel_s": lambda: found.main.kernel_s,
        "transfer_s": lambda: found.main.transfer_s,
    }
    return values[kind]()


def multigrid_ratio(n: int) -> float:
    """Section 2.2.4: NPB books 58 N^3 an iteration; a V-cycle executes, per level of n^3 points,
    residual and smoothing 31 each, projection 30 and interpolation 35 (27 on inner levels) a coarse
    point, 30 on the 2^3 grid, and 31 once more on the finest."""
    true = 31 * n**3  # the residual outside the cycle
    level = n
    while level > 2:
        coarse = (level // 2) ** 3
        true += 31 * level**3  # smoothing
        true += 30 * coarse  # projection to the level below
        # residual and accumulating interpolation on all but the coarsest of these levels
        true += 31 * level**3
        true += (35 if level == n else 27) * coarse
        level //= 2
    return 58 * n**3 / (true + 30 * 2**3)


def computed(
    row: dict[str, Any],
    evaluate: Callable[..., ProcedureEstimate],
    systems: Callable[[str], System],
) -> float:
    if row["id"] == "MG6":
        return multigrid_ratio(512)
    if "expression" in row:
        symbols = dict(systems(row["machine"]).symbols) if "machine" in row else {}
        value = parse(row["expression"]).value(symbols | row.get("symbols", {}))
    else:
        found = evaluate(row["procedure"], row["machine"], row.get("values"))
        value = taken(found, row["take"])
    return value / UNIT[row["unit"]]


def ulp(printed: str) -> float:
    """One unit of the last printed digit."""
    return 10.0 ** -len(printed.partition(".")[2])


def test_all_rows_are_there() -> None:
    assert len(ROWS) == 153
    assert len(COMPARED) == 50
    verdicts = [row["verdict"] for row in ROWS]
    expected = {"round": 97, "exact": 36, "trunc": 16, "MISMATCH": 2, "off by 1 ulp": 2}
    assert {verdict: verdicts.count(verdict) for verdict in set(verdicts)} == expected


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_estimate(
    row: dict[str, Any],
    evaluate: Callable[..., ProcedureEstimate],
    systems: Callable[[str], System],
) -> None:
    value = computed(row, evaluate, systems)
    # the recomputed column is given to eight digits
    assert value == pytest.approx(row["recomputed"], rel=1e-7)
    printed = float(row["printed"])
    apart = abs(value - printed)
    if row["verdict"] == "MISMATCH":
        assert apart > ulp(row["printed"])
    elif row["verdict"] == "off by 1 ulp":
        assert apart <= 1.0001 * ulp(row["printed"])
    else:
        assert apart < ulp(row["printed"])


@pytest.mark.parametrize("row", COMPARED, ids=lambda row: row["id"])
def test_efficiency_of_theory_against_measurement(row: dict[str, Any]) -> None:
    efficiency = 100 * float(row["measured"]) / float(row["theory"])
    assert efficiency == pytest.approx(row["eff"], abs=0.005)
    assert abs(efficiency - float(row["eff_printed"])) < 1


def test_the_documentation_lists_every_comparison() -> None:
    page = Path(__file__).parents[4] / "docs" / "models" / "hybrid-practice.md"
    text = page.read_text(encoding="utf-8")
    for row in COMPARED:
        efficiency = 100 * float(row["measured"]) / float(row["theory"])
        cells = [row[key] for key in ("id", "machine", "procedure", "theory", "measured")]
        assert f"| {' | '.join(cells)} | {efficiency:.1f} % |" in text

"""Map clauses of ``omp target``: they say what moves, and are held against the accesses."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Clause
from rooflint.pipeline import Options
from rooflint.pipeline.front_end import unit_of
from rooflint_plugins.models.hybrid.derive.choice import choose
from rooflint_plugins.models.hybrid.derive.cutting import cut
from rooflint_plugins.models.hybrid.derive.map_clauses import items_of
from rooflint_plugins.models.hybrid.derive.pages import PagedNest
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.writer import procedure_yaml

Systems = Callable[[str], System]
HEAD = "void f(int n, int T, double *restrict a, double *restrict b, const int *idx)\n"
FOR = "#pragma omp target teams distribute parallel for"


def cut_of(folder: Path, body: str, values: Mapping[str, int]) -> PagedNest:
    path = folder / "x.c"
    path.write_text(f"{HEAD}{{\n{body}\n}}\n", encoding="utf-8")
    code = unit_of(str(path), Options()).functions[0].function
    facts = facts_of(code)
    nest = [f for f in facts if f.kernel.loops[0] is facts[0].kernel.loops[0]]
    return cut(nest, values, {array.name: array for array in code.arrays}, {}, 1, None, code)


def best(found: PagedNest, system: System) -> ProcedureEstimate:
    chosen = choose("f", found, system).best
    assert chosen is not None
    return chosen


def moved(found: ProcedureEstimate) -> dict[tuple[str, str], float]:
    return {
        (op.kind, op.array): op.bytes.expression.value(found.symbols)
        for stage in found.procedure.stages
        for op in (*stage.prologue, *stage.ops, *stage.epilogue)
        if op.bytes is not None
    }


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("to: a[0:n]", [("a", "to", ("n",))]),
        ("always, to: a[0:n], b[:m][0:4]", [("a", "to", ("n",)), ("b", "to", ("m", "4"))]),
        ("a", [("a", "tofrom", ())]),
        ("alloc: a[i][0:n]", [("a", "alloc", ("1", "n"))]),
        ("from: a[0:]", [("a", "from", ("?",))]),
        ("release: a", []),
        ("mapper(m), to: a[f(1, 2):n]", [("a", "to", ("n",))]),
    ],
)  # fmt: skip
def test_items_of_a_clause(value: str, found: list[tuple[str, str, tuple[str, ...]]]) -> None:
    items = items_of(Clause("map", value), "once", "target")
    assert [(each.array, each.way, each.lengths) for each in items] == found


def test_a_clause_says_what_moves(tmp_path: Path, systems: Systems) -> None:
    loop = "for (int i = 0; i < n; i++) a[i] = 2.0 * b[i];"
    found = cut_of(tmp_path, f"{FOR} map(to: b[0:n]) map(tofrom: a[0:n])\n{loop}", {"n": 8_000_000})
    chosen = best(found, systems("titan-node"))
    # 8 pages a coprocessor and 4 of them: 250 000 elements each; a goes in too, as the clause says
    page = 250_000 * 8
    assert moved(chosen) == {("load", "a"): page, ("load", "b"): page, ("store", "a"): page}
    assert "# source (map clause), map(to: b[0:n])" in procedure_yaml(chosen.procedure)
    assert found.contradictions == (
        "map(tofrom: a[0:n]), but nothing reads a before it is written: the load is unnecessary",
    )


@pytest.mark.parametrize(
    ("clauses", "body", "said"),
    [
        ("map(to: a[0:n], b[0:n])", "a[i] += b[i];", "but a is written: the results"),
        (
            "map(from: a[0:n]) map(to: b[0:n])",
            "a[i] += b[i];",
            "but a is read before it is written",
        ),
        (
            "map(from: a[0:n], b[0:n])",
            "a[i] = b[i] * 2;",
            "map(from: b[0:n]), but nothing writes b",
        ),
        ("map(tofrom: a[0:n])", "a[i] += b[i];", "b is used on the device without a map clause"),
        (
            "map(tofrom: a[0:n]) map(to: b[0:n], idx[0:n])",
            "a[i] += b[i];",
            "map(to: idx[0:n]), but the loops do not use idx",
        ),
    ],
)
def test_what_disagrees_is_said(tmp_path: Path, clauses: str, body: str, said: str) -> None:
    code = f"{FOR} {clauses}\nfor (int i = 0; i < n; i++) {body}"
    found = cut_of(tmp_path, code, {"n": 1000})
    assert any(said in sentence for sentence in found.contradictions), found.contradictions


def test_clauses_inside_the_time_loop_move_every_step(tmp_path: Path, systems: Systems) -> None:
    loop = f"{FOR} map(tofrom: a[0:n]) map(to: b[0:n])\nfor (int i = 0; i < n; i++) a[i] += b[i];"
    code = f"for (int t = 0; t < T; t++) {{\n{loop}\n}}"
    found = cut_of(tmp_path, code, {"n": 1_000_000, "T": 50})
    choice = choose("f", found, systems("titan-node"))
    resident = next(other for other in choice.others if other.shape == "C2")
    assert resident.reason == "map clauses inside the repeating loop move b, a every step"
    assert choice.best is not None
    # 24 B an element over 32 GB/s, 50 times
    assert choice.best.seconds == pytest.approx(50 * 24e6 / 32e9)


STEPS = f"""for (int t = 0; t < T; t++) {{
{FOR}
for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
{FOR}
for (int i = 1; i < n - 1; i++) a[i] = b[i];
}}"""


def test_a_data_region_keeps_arrays_on_the_device(tmp_path: Path, systems: Systems) -> None:
    region = f"#pragma omp target data map(tofrom: a[0:n]) map(alloc: b[0:n])\n{STEPS}"
    found = cut_of(tmp_path, region, {"n": 4_000_002, "T": 100})
    assert found.contradictions == ()
    chosen = best(found, systems("titan-node"))
    assert chosen.procedure.shape == "C2"
    # a quarter of a with its halo goes in and out once; b never moves
    block = (1_000_000 + 2) * 8
    prologue = [op for stage in chosen.procedure.stages for op in stage.prologue]
    assert [(op.kind, op.array) for op in prologue] == [("load", "a")]
    assert prologue[0].bytes is not None
    assert prologue[0].bytes.expression.value(chosen.symbols) == block
    streamed = next(o for o in choose("f", found, systems("titan-node")).others if o.shape == "C5")
    assert streamed.reason == "b is on the device alone (map clause) and its loops are two stages"


def test_entered_data_is_there_already(tmp_path: Path, systems: Systems) -> None:
    loop = f"{FOR}\nfor (int i = 0; i < n; i++) a[i] += b[i];"
    code = f"#pragma omp target enter data map(to: a[0:n], b[0:n])\n{loop}\n"
    found = cut_of(tmp_path, code, {"n": 1_000_000})
    assert found.contradictions == ()
    chosen = best(found, systems("titan-node"))
    assert (chosen.procedure.shape, moved(chosen)) == ("C2", {})
    notes = {role.array: role.note for role in found.pages[0].roles}
    assert notes == dict.fromkeys("ab", "on the device before and after")


def test_a_clause_gives_the_length_of_a_gathered_array(tmp_path: Path, systems: Systems) -> None:
    loop = "for (int i = 0; i < n; i++) a[i] = 2.0 * b[idx[i]];"
    asked = cut_of(tmp_path, loop, {"n": 1000})
    assert [lack.array for lack in asked.pages[0].missing] == ["b"]
    clause = f"{FOR} map(from: a[0:n]) map(to: b[0:2*n], idx[0:n])\n"
    found = cut_of(tmp_path, clause + loop, {"n": 1000})
    assert found.pages[0].missing == ()
    assert moved(best(found, systems("titan-node")))["load", "b"] == 2000 * 8

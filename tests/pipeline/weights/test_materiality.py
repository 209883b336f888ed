"""Findings that save too little of the program's or of the function's time are silent."""

from collections.abc import Sequence

import pytest
from rooflint.ir import Span
from rooflint.pipeline.weights.materiality import with_material_findings
from rooflint.plugin_api.advice import Advice, Gain, Numbers
from rooflint.plugin_api.report import COUNTS, STATIC, FileReport, ShareOrigin


def finding(
    run: float | None, share: float = 1.0, origin: ShareOrigin = STATIC, code: str = "RL1"
) -> Advice:
    numbers = Numbers(
        model="m", before=2, after=1, unit="cy/it", saved_seconds=1e-6, share=share,
        run_share=run, run_origin=origin,
    )  # fmt: skip
    return Advice(
        code=code, slug="rule", message="m", severity="note", span=Span(5, 1, 5, 20),
        function="f", loop="i", fingerprint="f", gain=Gain(2.0, 9.0), numbers=numbers,
    )  # fmt: skip


def shown(*found: Advice) -> Sequence[Advice]:
    file = with_material_findings(FileReport("k.c", "ok", findings=found))
    assert len(file.findings) + len(file.silent) == len(found)
    assert {each.guard for each in file.silent} <= {"min-saved"}
    return file.findings


@pytest.mark.parametrize(
    ("one", "matters"),
    [
        (finding(0.05), True),
        (finding(0.049), False),
        (finding(0.5, share=0.05), True),
        (finding(0.5, share=0.049), False),
        (finding(0.02, origin=COUNTS), True),
        (finding(0.019, origin=COUNTS), False),
        (finding(None, share=0.01), True),  # nobody knows what the program spends there
    ],
)
def test_a_change_has_to_save_enough(one: Advice, matters: bool) -> None:
    assert bool(shown(one)) is matters


def test_loops_of_a_function_that_one_change_makes_faster_count_together() -> None:
    both = finding(0.03), finding(0.02)
    assert shown(*both) == both
    assert shown(finding(0.03), finding(0.019)) == ()
    assert shown(finding(0.03), finding(0.02, code="RL2")) == ()
    # what saves next to nothing is not worth a line beside the others
    assert len(shown(finding(0.06), finding(0.009))) == 1

"""Several machines side by side, in text."""

import pytest
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import Report
from rooflint.render.compared import side_by_side
from rooflint.render.entries import entries_of
from rooflint.render.layout import Style


def compared(report: Report, width: int = 100) -> list[str]:
    return list(side_by_side(entries_of(report), report, Style(width), 2))


def test_a_column_per_machine(sample_report: Report) -> None:
    assert compared(sample_report) == [
        "              toy                wide",
        "  src/kernels.c",
        "    4  triad  1 GFLOP/s, L3-MEM  32 GFLOP/s, L3-MEM",
    ]


def test_one_machine_is_not_compared(sample_report: Report) -> None:
    assert not compared(sample_report._replace(machines=sample_report.machines[:1]))


def with_second_model(report: Report, machine: str) -> Report:
    """The first kernel has a word of a model ``x`` too, on one machine only."""
    file = report.files[0]
    function = file.functions[0]
    nest = function.nests[0]
    kernel = nest.kernels[0]
    said = Prediction("x", "core", "", "9 cy/CL")
    results = tuple(
        r._replace(predictions=(*r.predictions, said)) if r.machine == machine else r
        for r in kernel.results
    )
    nest = nest._replace(kernels=(kernel._replace(results=results),))
    function = function._replace(nests=(nest,))
    files = (file._replace(functions=(function,)), *report.files[1:])
    return report._replace(files=files)


def test_a_line_per_model(sample_report: Report) -> None:
    lines = compared(with_second_model(sample_report, "wide"))
    assert lines[2:] == [
        "    4  triad  roofline  1 GFLOP/s, L3-MEM  32 GFLOP/s, L3-MEM",
        "    4  triad  x         -                  9 cy/CL, core",
    ]


@pytest.mark.parametrize("width", [40, 48])
def test_narrow_terminals_get_a_line_per_machine(sample_report: Report, width: int) -> None:
    lines = compared(sample_report, width)
    assert all(len(line) <= width for line in lines)
    assert [line.split(":")[0].strip() for line in lines] == [
        "src/kernels.c",
        "4 triad",
        "toy",
        "wide",
    ]

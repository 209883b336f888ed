"""Plots in the HTML page: the whole picture for the first loops, the small one for the others."""

import re

import pytest
from rooflint.memory import LinkTraffic
from rooflint.plugin_api.drawing import PlotData, RoofPlot
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import (
    BandwidthRoof,
    FileReport,
    FunctionReport,
    KernelReport,
    LoopHeader,
    MachineReport,
    MachineResult,
    NestReport,
    Report,
    Summary,
    WorkReport,
)
from rooflint.render.html import loop_table, render_html

ROOF = RoofPlot(
    metric="flop",
    link="L3-MEM",
    intensity_per_byte=0.25,
    g_per_s=4.0,
    peak_g_per_s=64.0,
    bandwidth_gb_s=16.0,
)
WIDE, SMALL = 'width="760"', 'width="360"'


def page(*counted: str) -> str:
    """A page of a loop for each thing that is counted."""
    kernels = []
    for number, work in enumerate(counted):
        plot = PlotData(ROOF._replace(metric=work))
        said = Prediction("roofline", "L3-MEM", "…", "…", 2.0, plot=plot)
        result = MachineResult(
            machine="m",
            cores=1,
            cores_origin="serial code",
            sizes={},
            trips=(8.0,),
            traffic=(LinkTraffic("L3-MEM", 8.0, 0.0, 0.0),),
            predictions=(said,),
            pattern="load",
        )
        header = LoopHeader("i", 3 + number, "n", "1")
        work_done = WorkReport("f64", 1, {}, 1, 0)
        kernels.append(
            KernelReport(
                f"a.c:f/{number}", 3 + number, 1, True, (header,), work_done, (), (result,)
            )
        )
    function = FunctionReport("f", 1, 1, (NestReport(3, 9, tuple(kernels)),), ())
    file = FileReport("a.c", "ok", (function,))
    rate = BandwidthRoof(cores=1, link="L3-MEM", pattern="load", gb_s=16.0, origin="stated")
    machine = MachineReport("m", "m.yaml", bandwidths=(rate,))
    return render_html(Report("0", (machine,), (file,), Summary(1, 1)))


def test_after_the_first_loops_plots_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_table, "LARGE_PLOTS", 2)
    text = page("flop", "flop", "flop", "flop", "flop")
    # the overview is whole as well
    assert (text.count(WIDE), text.count(SMALL)) == (1 + 2, 3)


def test_each_thing_that_is_counted_has_an_overview() -> None:
    text = page("flop", "flop", "byte")
    assert re.findall(r"<title>(\d kernels?)", text) == ["2 kernels", "1 kernel"]

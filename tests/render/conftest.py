"""A report made by hand: two machines, a refusal, a failed file, a model that does not apply."""

import math

import pytest
from rooflint.ir import Diagnostic, Reason, Refusal, Span
from rooflint.plugin_api.advice import Advice, Edit, Fix, Gain, Numbers, RelatedPlace
from rooflint.plugin_api.drawing import LinkRoof, PlotData, RoofPlot
from rooflint.plugin_api.prediction import NotApplicable, Prediction
from rooflint.plugin_api.report import (
    BandwidthRoof,
    ComputeRoof,
    CoverageGap,
    FileReport,
    FunctionReport,
    KernelReport,
    LineTotals,
    LinkTraffic,
    LoopHeader,
    MachineReport,
    MachineResult,
    NestReport,
    Report,
    SizeValue,
    SkippedModel,
    Summary,
    Totals,
    WorkReport,
)

from .browser import chromium, show

__all__ = ["chromium", "show"]

COMPULSORY = "Every line of an array that a loop touches crosses the memory link exactly once."


def triad_result(machine: str, cores: int, bandwidth_gb_s: float, peak: float) -> MachineResult:
    """a[i] = b[i] + s*c[i]: 2 flop for 32 B with write-allocate, so 0.0625 flop/B."""
    attainable = min(peak, bandwidth_gb_s * 2 / 32)
    return MachineResult(
        machine=machine,
        cores=cores,
        cores_origin="serial code",
        sizes={"n": SizeValue(1_000_000, "role")},
        trips=(1_000_000.0,),
        traffic=(LinkTraffic("L3-MEM", 16.0, 8.0, 8.0),),
        predictions=(
            Prediction(
                model="roofline",
                bottleneck="L3-MEM",
                limit="memory",
                sentence=f"{attainable:.3g} of {peak:.3g} GFLOP/s: memory feeds"
                f" {bandwidth_gb_s:g} GB/s, and a flop needs 16 B.",
                headline=f"{attainable:.3g} GFLOP/s",
                cycles_per_iteration=2 / attainable * 2.0,
                assumptions=(COMPULSORY,),
                plot=PlotData(
                    RoofPlot(
                        metric="flop",
                        g_per_s=attainable,
                        intensity_per_byte=0.0625,
                        peak_g_per_s=peak,
                        bandwidth_gb_s=bandwidth_gb_s,
                        link="L3-MEM",
                        levels=(LinkRoof("L3-MEM", bandwidth_gb_s, 0.0625),),
                    )
                ),
                data={
                    "bound": "memory",
                    "link": "L3-MEM",
                    "metric": "flop",
                    "intensity_per_byte": 0.0625,
                    "attainable_g_per_s": attainable,
                    "peak_g_per_s": peak,
                    "bandwidth_gb_s": bandwidth_gb_s,
                    "ridge_per_byte": peak / bandwidth_gb_s,
                    "levels": [
                        {
                            "link": "L1-L2",
                            "intensity_per_byte": math.inf,
                            "attainable_g_per_s": peak,
                        }
                    ],
                },
            ),
        ),
        skipped=(SkippedModel("ecm", NotApplicable("the machine file has no core.ports").reason),),
        advice=(SWAP,),
        assumptions=("Caches are cold at entry.",),
    )


SWAP = Advice(
    "RL101",
    "column-walk",
    "inner i walks b in steps of 8000 B; order j, i is predicted 1.8x faster",
    "warning",
    Span(4, 3, 4, 30),
    "triad",
    "i",
    "f1",
    "toy",
    gain=Gain(1.8, 1.8),
    numbers=Numbers("ecm", 9.0, 5.0, "cy/it", 0.001, 0.4),
    related=(RelatedPlace(Span(5, 5, 5, 9), "b[i]"),),
    fix=Fix("safe", "swap the headers", (Edit(4, 3, 4, 30, "for (;;)"),)),
)


TOY = MachineReport(
    "toy",
    "toy.yaml",
    "default; its figures are typical, not measured",
    (BandwidthRoof(cores=1, link="L1-MEM", pattern="triad", gb_s=12.5, origin="stated"),),
    (ComputeRoof(cores=1, type="f64", metric="flop", g_per_s=8.0, origin="derived"),),
)


@pytest.fixture
def sample_report() -> Report:
    triad = KernelReport(
        id="0f3a",
        line=4,
        column=3,
        innermost=True,
        loops=(LoopHeader("i", 4, "n", "1"),),
        work=WorkReport("f64", 2.0, {"add.f64": 1.0, "mul.f64": 1.0}, 2.0, 1.0),
        not_covered=(),
        results=(triad_result("toy", 1, 16.0, 8.0), triad_result("wide", 4, 512.0, 32.0)),
    )
    spmv = KernelReport(
        id="77c1",
        line=13,
        column=5,
        innermost=True,
        loops=(LoopHeader("i", 12, "rows", "1"), LoopHeader("k", 13, "row[i+1] - row[i]", "1")),
        work=WorkReport("f64", 2.0, {"add.f64": 1.0, "mul.f64": 1.0}, 4.0, 0.0),
        not_covered=(CoverageGap(14, Reason("indirect", ("col",))),),
        results=(
            MachineResult(
                machine="toy",
                cores=8,
                cores_origin="one socket: inside an OpenMP parallel region",
                sizes={
                    "rows": SizeValue(4096, "command line"),
                    "row[i+1]-row[i]": SizeValue(27, "comment"),
                },
                trips=(4096.0, None),
                traffic=(LinkTraffic("L3-MEM", 12.0, 0.0, 0.0, (12.0, 76.0)),),
                predictions=(),
                skipped=(
                    SkippedModel("roofline", "ZeroDivisionError: division by zero", failed=True),
                ),
            ),
        ),
    )
    good = FileReport(
        path="src/kernels.c",
        status="partial",
        functions=(
            FunctionReport(
                name="triad",
                line=3,
                column=1,
                nests=(NestReport(4, 5, (triad,)),),
                totals=(
                    Totals("toy", 1, 2_000_000, (LineTotals("L3-MEM", 250_000, 125_000, 125_000),)),
                    Totals("wide", 4, None, (LineTotals("L3-MEM", 250_000, 125_000, 125_000),)),
                ),
                assumptions=("The arrays a, b, c do not overlap.",),
            ),
            FunctionReport("spmv", 11, 1, (NestReport(12, 15, (spmv,)),), ()),
        ),
        diagnostics=(
            Diagnostic(9, 1, "warning", "rooflint comment: 'thread(8)' is not understood"),
        ),
        refusals=(
            Refusal(20, 3, Reason("uncompiled-here", ("while (p)",))),
            Refusal(24, 3, Reason("uncompiled-here", ("while (p)",))),
        ),
    )
    broken = FileReport(
        path="src/broken.c",
        status="failed",
        diagnostics=(Diagnostic(1, 1, "error", "the parser gave up after 60 s"),),
    )
    return Report(
        version="0.0.test",
        machines=(
            TOY,
            MachineReport("wide", "wide.yaml"),
        ),
        files=(good, broken),
        summary=Summary(5, 3, {"uncompiled-here": 2}),
        plugin_failures=("model 'roofline' failed on src/kernels.c:13: ZeroDivisionError",),
    )

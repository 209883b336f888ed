"""What of a report is drawn: any model's roofs and ceilings, on every machine."""

from xml.etree import ElementTree as ET

import pytest
from rooflint.machine import Pattern
from rooflint.memory import LinkTraffic
from rooflint.plot import Scene, draw
from rooflint.plot.from_report import (
    drawing_of,
    file_name,
    kernel_plots,
    kernel_scene,
)
from rooflint.plot.overview import overview_scene, overview_scenes
from rooflint.plot.scene import ScenePeak
from rooflint.plugin_api.drawing import (
    CeilingStep,
    LinkRoof,
    PlotData,
    PlotPoint,
    RoofCeiling,
    RoofPlot,
)
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import (
    BandwidthRoof,
    ComputeRoof,
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
from rooflint.plugin_api.terms import CoreUnit, Limiter, LimiterKind
from rooflint.plugin_api.verdict import LoopTime, TimeRelation, Verdict, VerdictPlace, VerdictWeight

ROOF = RoofPlot(
    metric="flop",
    link="L3-MEM",
    intensity_per_byte=0.25,
    g_per_s=4.0,
    peak_g_per_s=64.0,
    bandwidth_gb_s=16.0,
)
# memory ceilings of 1 and 4 GFLOP/s at 1/4 flop/B are 4 and 16 GB/s
CEILINGS = RoofPlot(
    metric="flop",
    link="L3-MEM",
    limit="L3-MEM",
    cores=4,
    g_per_s=1.0,
    peak_g_per_s=64.0,
    bandwidth_gb_s=16.0,
    compute_now_g_per_s=16.0,
    memory_now_gb_s=4.0,
    intensity_per_byte=0.25,
    lines=(
        RoofCeiling("ilp", "compute", 16.0, True),
        RoofCeiling("simd", "compute", 64.0),
        RoofCeiling("affinity", "memory", 4.0, True),
        RoofCeiling("prefetch", "memory", 16.0),
    ),
    steps=(CeilingStep("prefetch", 4.0, 4.0),),
)


def result(machine: str, *plots: RoofPlot) -> MachineResult:
    predictions = tuple(
        Prediction(f"model{n}", "L3-MEM", "…", "…", plot=PlotData(each))
        for n, each in enumerate(plots)
    )
    return MachineResult(
        machine=machine,
        cores=1,
        cores_origin="serial code",
        sizes={},
        trips=(8.0,),
        traffic=(LinkTraffic("L1-L2", 8.0, 0.0, 0.0), LinkTraffic("L3-MEM", 8.0, 0.0, 0.0)),
        predictions=predictions,
        pattern="load",
    )


def bandwidth(cores: int, link: str, gb_s: float, pattern: Pattern = "load") -> BandwidthRoof:
    return BandwidthRoof(cores=cores, link=link, pattern=pattern, gb_s=gb_s, origin="stated")


def peak(cores: int, g_per_s: float, element_type: str = "f64") -> ComputeRoof:
    return ComputeRoof(
        cores=cores, type=element_type, metric="flop", g_per_s=g_per_s, origin="stated"
    )


M = MachineReport(
    "m",
    "m.yaml",
    "",
    (bandwidth(1, "L1-L2", 128.0), bandwidth(1, "L3-MEM", 16.0), bandwidth(4, "L3-MEM", 40.0)),
    (peak(1, 64.0), peak(4, 256.0)),
)


def kernel(name: str, *results: MachineResult) -> KernelReport:
    work = WorkReport("f64", 1, {}, 1, 0)
    return KernelReport(name, 3, 1, True, (LoopHeader("i", 3, "n", "1"),), work, (), results)


def report(
    *kernels: KernelReport,
    machines: tuple[MachineReport, ...] = (M, M._replace(name="other")),
) -> Report:
    function = FunctionReport("f", 1, 1, (NestReport(3, 4, kernels),), ())
    return Report("0", machines, (FileReport("src/a.c", "ok", (function,)),), Summary(1, 1))


def test_a_roof_of_any_model_is_drawn() -> None:
    drawn = drawing_of(result("m", ROOF))
    assert drawn is not None
    assert (drawn.roof.peak_g_per_s, drawn.roof.bandwidth_gb_s) == (64.0, 16.0)
    assert (drawn.point.intensity_per_byte, drawn.point.g_per_s) == (0.25, 4.0)
    assert drawn.roof.name == "m, 1 core"


def test_ceilings_go_before_a_bare_roof() -> None:
    drawn = drawing_of(result("m", ROOF, CEILINGS))
    assert drawn is not None
    assert drawn.roof.name == "m, 4 cores"
    assert drawn.roof.lines == CEILINGS.lines
    assert (drawn.roof.compute_now, drawn.roof.memory_now) == (16.0, 4.0)
    assert [step.name for step in drawn.point.steps] == ["prefetch"]
    assert drawn.point.limit == ""


def test_a_nearer_link_that_holds_the_kernel_is_named() -> None:
    held = CEILINGS._replace(limit="REG-L1", steps=(CeilingStep("x", 2.0, 2.0),))
    drawn = drawing_of(result("m", held))
    assert drawn is not None
    assert drawn.point.limit == "REG-L1"


@pytest.mark.parametrize(
    "plot",
    [
        ROOF._replace(intensity_per_byte=None),
        CEILINGS._replace(intensity_per_byte=None),
        CEILINGS._replace(peak_g_per_s=None, bandwidth_gb_s=None),
    ],
)
def test_without_a_place_or_a_roof_nothing_is_drawn(plot: RoofPlot) -> None:
    assert drawing_of(result("m", plot)) is None
    assert drawing_of(result("m", plot, ROOF)) is not None


def test_one_plot_a_kernel_and_one_of_all() -> None:
    found = report(kernel("a.c:f/i", result("m", ROOF)), kernel("a.c:f/j", result("m", CEILINGS)))
    plots = list(kernel_plots(found))
    assert [plot.name for plot in plots] == ["a.c_f_i", "a.c_f_j"]
    assert plots[0].scene.title == "src/a.c:3 f, for i"
    assert plots[1].scene.subtitle == "m, 1 of 4 cores: 0.25 flop/B; ×4 to the roof: prefetch"
    overview = overview_scene(found)
    assert overview is not None
    assert overview.title == "1 kernel"  # both stand on line 3 of one function
    for plot in plots:
        ET.fromstring(draw(plot.scene))


def test_several_machines_share_a_plot() -> None:
    found = report(
        kernel("k", result("slow", ROOF), result("fast", ROOF._replace(peak_g_per_s=128.0)))
    )
    (plot,) = kernel_plots(found)
    assert [roof.name for roof in plot.scene.roofs] == ["slow, 1 core", "fast, 1 core"]
    assert [point.name for point in plot.scene.points] == ["slow, 1 core", "fast, 1 core"]
    assert [point.roof for point in plot.scene.points] == [0, 1]


def moved(kernel: KernelReport, line: int) -> KernelReport:
    return kernel._replace(line=line)


def overview(
    *kernels: KernelReport, machines: tuple[MachineReport, ...] = (M, M._replace(name="other"))
) -> Scene:
    found = overview_scene(report(*kernels, machines=machines))
    assert found is not None
    return found


def test_the_overview_draws_the_machine_and_not_what_kernels_were_given() -> None:
    # a kernel in L1, whose model names that link's rate, raises no other link's roof
    near = ROOF._replace(link="L1-L2", bandwidth_gb_s=128.0, g_per_s=32.0)
    scene = overview(
        kernel("a", result("m", ROOF)), moved(kernel("b", result("m", near)), 7), machines=(M,)
    )
    (roof,) = scene.roofs
    assert (roof.link, roof.bandwidth_gb_s, roof.peak_g_per_s) == ("L3-MEM", 16.0, 64.0)
    assert roof.levels == (LinkRoof("L1-L2", 128.0),)
    # a name says where its intensity is over another link than the thick line's
    assert [point.name for point in scene.points] == ["a.c:3 f", "a.c:7 f (L1-L2)"]


def test_each_number_of_cores_has_roofs_of_its_own() -> None:
    four = result("m", ROOF._replace(bandwidth_gb_s=40.0))._replace(cores=4)
    scene = overview(kernel("a", result("m", ROOF)), kernel("b", four), machines=(M,))
    assert [(roof.name, roof.bandwidth_gb_s, roof.peak_g_per_s) for roof in scene.roofs] == [
        ("m, 1 core", 16.0, 64.0),
        ("m, 4 cores", 40.0, 256.0),
    ]
    assert [point.roof for point in scene.points] == [0, 1]


def test_patterns_with_other_rates_are_named() -> None:
    copies = (bandwidth(1, "L3-MEM", 20.0, "copy"), bandwidth(1, "L1-L2", 128.0, "copy"))
    machine = M._replace(bandwidths=(*M.bandwidths, *copies))
    loads = result("m", ROOF)
    # two lines read, one for the write-allocate, and one written
    moved = tuple([each._replace(load_bytes=16.0, evict_bytes=8.0) for each in loads.traffic])
    copy = loads._replace(pattern="copy", traffic=moved)
    scene = overview(kernel("a", result("m", ROOF)), kernel("b", copy), machines=(machine,))
    (roof,) = scene.roofs
    # of two patterns the higher; where both have one rate, no word
    assert (roof.bandwidth_gb_s, roof.pattern) == (20.0, "copy")
    assert roof.levels == (LinkRoof("L1-L2", 128.0),)
    assert "20 GB/s L3-MEM (copy)" in draw(scene)
    # the rates of a pattern that no kernel has are not drawn
    scene = overview(kernel("a", result("m", ROOF)), machines=(machine,))
    assert scene.roofs[0].bandwidth_gb_s == 16.0


def test_each_type_has_its_peak() -> None:
    machine = M._replace(peaks=(*M.peaks, peak(1, 128.0, "f32"), peak(1, 512.0, "f16")))
    single = kernel("b", result("m", ROOF))
    single = single._replace(work=single.work._replace(type="f32"))
    scene = overview(kernel("a", result("m", ROOF)), single, machines=(machine,))
    (roof,) = scene.roofs
    assert roof.peak_g_per_s == 128.0
    assert roof.peaks == (ScenePeak("f32", 128.0), ScenePeak("f64", 64.0))
    svg = draw(scene)
    assert "f32 peak 128 GFLOP/s" in svg
    assert "f64 peak 64" in svg


def test_a_machine_without_roofs_for_a_kernel_draws_none() -> None:
    bare = MachineReport("m", "m.yaml")
    assert overview_scene(report(kernel("a", result("m", ROOF)), machines=(bare,))) is None


def test_the_overview_shows_what_is_counted_most() -> None:
    copy = ROOF._replace(metric="byte", peak_g_per_s=None, intensity_per_byte=1.0)
    scene = overview(kernel("a", result("m", ROOF)), kernel("b", result("m", copy)))
    assert scene.work == "flop"
    assert len(scene.points) == 1


def test_each_thing_that_is_counted_has_an_overview() -> None:
    copy = ROOF._replace(metric="byte", peak_g_per_s=None, intensity_per_byte=1.0)
    found = report(
        kernel("a", result("m", ROOF)),
        kernel("b", result("m", copy)),
        kernel("c", result("m", ROOF)),
    )
    scenes = overview_scenes(found)
    assert [(scene.work, scene.unit, len(scene.points)) for scene in scenes] == [
        ("flop", "GFLOP/s", 2),
        ("byte", "GB/s", 1),
    ]


def test_cores_that_stand_idle_are_said() -> None:
    # the result is of one core, the ceilings are drawn for four
    found = kernel("k", result("m", CEILINGS), result("other", ROOF))
    scene = kernel_scene("a.c", "f", found)
    assert scene is not None
    assert [roof.name for roof in scene.roofs] == ["m, 1 of 4 cores", "other, 1 core"]
    assert [point.name for point in scene.points] == ["m, 1 of 4 cores", "other, 1 core"]
    # of all kernels together the roofs are those of the cores that run
    assert overview(found).subtitle == "m, 1 core; other, 1 core"


LEVELS = (
    LinkRoof("REG-L1", 256.0, 0.1),
    LinkRoof("L2-L3", 64.0, 0.2),
    LinkRoof("L3-MEM", 16.0, 0.25),
)


@pytest.mark.parametrize("plot", [ROOF, CEILINGS])
def test_levels_are_roofs_over_the_other_links(plot: RoofPlot) -> None:
    drawn = drawing_of(result("m", plot._replace(levels=LEVELS)))
    assert drawn is not None
    assert drawn.roof.levels == (LinkRoof("REG-L1", 256.0, 0.1), LinkRoof("L2-L3", 64.0, 0.2))


def test_compulsory_misses_alone_are_a_second_place() -> None:
    drawn = drawing_of(result("m", CEILINGS._replace(compulsory=PlotPoint(1.5, 2.0))))
    assert drawn is not None
    assert drawn.point.compulsory == PlotPoint(1.5, 2.0)


def test_the_cache_aware_axis_has_one_place_under_all_roofs() -> None:
    roof = ROOF._replace(levels=LEVELS, core_intensity_per_byte=0.125)
    found = kernel("k", result("m", roof, CEILINGS))
    scene = kernel_scene("a.c", "f", found, "carm")
    assert scene is not None
    assert scene.axis == "cache-aware intensity"
    # the roof is the nearest link's, of the cores that run; the others lie under it
    assert (scene.roofs[0].name, scene.roofs[0].link) == ("m, 1 core", "REG-L1")
    assert scene.roofs[0].bandwidth_gb_s == 256.0
    assert scene.roofs[0].levels == (LinkRoof("L2-L3", 64.0), LinkRoof("L3-MEM", 16.0))
    # it attains what its ceilings leave, 1 of the roof's 4
    (point,) = scene.points
    assert (point.intensity_per_byte, point.g_per_s) == (0.125, 1.0)
    assert kernel_scene("a.c", "f", kernel("k", result("m", ROOF)), "carm") is None


def test_nothing_to_draw() -> None:
    assert list(kernel_plots(report(kernel("a", result("m"))))) == []
    assert overview_scene(report(kernel("a", result("m")))) is None


def test_file_names() -> None:
    assert file_name("src/a.c:f<int>/i.j#2") == "src_a.c_f_int__i.j_2"
    assert file_name("../../x") == "x"
    assert file_name("///") == "kernel"
    assert len(file_name("x" * 500)) <= 120


def test_file_names_differ_in_more_than_case() -> None:
    found = report(*(kernel(name, result("m", ROOF)) for name in ("F", "f", "overview")))
    names = [plot.name for plot in kernel_plots(found, reserved=("overview",))]
    assert names == ["F", "f-2", "overview-2"]


def verdict_at(name: str, now: float, limiter: Limiter) -> Verdict:
    return Verdict(
        id=name,
        place=VerdictPlace("src/a.c", 3, "f"),
        machine="m",
        cores=1,
        time=LoopTime(TimeRelation.EQUALS, clock_ghz=2.0, now_cy=now),
        limiter=limiter,
    )


def shared(name: str, share: float) -> Verdict:
    found = verdict_at(name, 4.0, Limiter(LimiterKind.CHAIN))
    return found._replace(weight=VerdictWeight(share=share))


def test_a_point_is_where_the_verdict_has_the_loop() -> None:
    # 1 flop an iteration of 4 cy at 2 GHz: 0.5 GFLOP/s, below what both models have
    chain = Limiter(LimiterKind.CHAIN)
    slow = report(kernel("a", result("m", ROOF, CEILINGS)))._replace(
        verdicts=(verdict_at("a", 4.0, chain),)
    )
    (plot,) = kernel_plots(slow)
    (point,) = plot.scene.points
    assert point.g_per_s == 0.5
    # the way up of the ceilings still leads to the roof of 4
    assert [step.name for step in point.steps] == ["prefetch"]
    assert point.limit == ""
    (dot,) = (overview_scene(slow) or plot.scene).points
    assert dot.g_per_s == 0.5


def test_below_the_roof_the_limit_of_the_verdict_is_named() -> None:
    divider = Limiter(LimiterKind.PORT, unit=CoreUnit.DIVIDER)
    # 1 flop of 4 cy: no step leads above the point; of 0.5 cy: at the roof of 4 GFLOP/s
    for now, limit in ((4.0, "divider"), (0.5, "")):
        held = report(kernel("a", result("m", ROOF)))._replace(
            verdicts=(verdict_at("a", now, divider),)
        )
        (plot,) = kernel_plots(held)
        assert plot.scene.points[0].limit == limit


def test_without_a_verdict_the_point_is_the_model_s() -> None:
    found = report(kernel("a", result("m", ROOF)))
    unpriced = verdict_at("a", 4.0, Limiter(LimiterKind.CHAIN))
    unpriced = unpriced._replace(time=LoopTime(TimeRelation.UNKNOWN))
    for verdicts in ((), (unpriced,)):
        (plot,) = kernel_plots(found._replace(verdicts=verdicts))
        assert plot.scene.points[0].g_per_s == ROOF.g_per_s


def test_the_overview_begins_with_what_most_of_the_time_does() -> None:
    copy = ROOF._replace(metric="byte", peak_g_per_s=None, intensity_per_byte=1.0)
    found = report(*[kernel(n, result("m", copy if n in "bc" else ROOF)) for n in "abc"])
    assert [scene.work for scene in overview_scenes(found)] == ["byte", "flop"]  # of two loops
    verdicts = (shared("a", 0.9), shared("b", 0.1), shared("c", 0.0))
    flop, byte = overview_scenes(found._replace(verdicts=verdicts))
    assert (flop.work, byte.work) == ("flop", "byte")
    assert [point.is_minor for point in byte.points] == [False, True]
    assert [point.is_minor for point in overview_scenes(found)[0].points] == [False, False]

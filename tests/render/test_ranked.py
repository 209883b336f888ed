"""The ranked report from records: a project, a small file, missing headers, nothing at all."""

from collections.abc import Callable

import pytest
from rooflint.ir import Diagnostic, Reason, Refusal
from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    LoopHeader,
    MachineReport,
    MachineResult,
    NestReport,
    Report,
    SizeDoubt,
    SizeRange,
    SizeValue,
    Summary,
    WorkReport,
)
from rooflint.plugin_api.terms import CoreUnit, Limiter, LimiterKind, TimeTerm, link_resource
from rooflint.plugin_api.verdict import (
    Action,
    ActionKind,
    Applicability,
    BestAdvice,
    GapKind,
    LoopFloor,
    LoopTime,
    TimeRelation,
    Verdict,
    VerdictGap,
    VerdictPlace,
    VerdictReason,
    VerdictWeight,
    WeightOrigin,
)
from rooflint.render.layout import Style
from rooflint.render.phrases import excess_words
from rooflint.render.ranked.report import render_ranked
from rooflint.render.ranked.request import RankedRequest, ReportView, RerunCommand
from rooflint.scenario.sensitivity import BreakEven, Sensitivity, Stability
from rooflint.verdict.choose import SortKey
from rooflint.verdict.totals import budget_used

MACHINE = "skylake-sp-6148"
CHAIN, CALL = Limiter(LimiterKind.CHAIN), Limiter(LimiterKind.CALL)
MULTIPLY = Limiter(LimiterKind.PORT, unit=CoreUnit.MULTIPLY_ADD)
DIVIDER = Limiter(LimiterKind.PORT, unit=CoreUnit.DIVIDER)
DRAM = link_resource("L3-MEM")
GIGA = 1e9


def verdict(
    line: int, function: str, limiter: Limiter | None, seconds: float, share: float
) -> Verdict:
    """One execution of ``seconds`` at 1 GHz in 10^9 iterations: as many cycles per iteration."""
    return Verdict(
        id=f"lulesh.cc:{function}/{line}",
        place=VerdictPlace(path="lulesh.cc", line=line, function=function),
        machine=MACHINE,
        cores=1,
        compiler="gcc -O3",
        time=LoopTime(
            relation=TimeRelation.EQUALS,
            clock_ghz=1.0,
            iterations=GIGA,
            now_cy=seconds,
            possible_cy=seconds,
            low_cy=seconds,
            high_cy=seconds,
        ),
        limiter=limiter,
        weight=VerdictWeight(executions=1.0, share=share, origin=WeightOrigin.STATIC),
        confidence="high",
    )


def near(each: Verdict, of_limit: float) -> Verdict:
    assert each.limiter is not None
    return each._replace(floor=LoopFloor(1.0, each.limiter, of_limit))


def advised(each: Verdict, rule: str, kind: ActionKind, subject: str, gain: float) -> Verdict:
    advice = BestAdvice(
        rule=rule,
        gain=gain,
        applicability=Applicability.CHECK,
        confidence="medium",
        action=Action(kind, subject),
        title="4 partial sums",
    )
    assert each.time.now_cy is not None
    time = each.time._replace(possible_cy=each.time.now_cy / gain)
    return each._replace(advice=advice, time=time)


def unknown(line: int, kind: GapKind, name: str) -> Verdict:
    gap = VerdictGap(kind=kind, name=name, line=line)
    each = verdict(line, "g", None, 0.0, 0.0)
    return each._replace(time=LoopTime(TimeRelation.UNKNOWN), gaps=(gap,), weight=VerdictWeight())


def project() -> tuple[Verdict, ...]:
    called = verdict(711, "CalcFBHourglassForceForElems", CALL, 0.75, 0.08)
    sums = advised(
        near(verdict(573, "IntegrateStressForElems", CHAIN, 0.85, 0.09), 0.24),
        "RL201", ActionKind.PARTIAL_SUMS, "4", 2.4,
    )  # fmt: skip
    breaks = Sensitivity(Stability.PARTLY, (BreakEven("nodeElemCount", "from", 5, 4),))
    rows = (
        advised(
            near(verdict(1010, "CalcHourglassControlForElems", DIVIDER, 3.3, 0.35), 0.88),
            "RL202", ActionKind.HOIST, "x/h", 1.6,
        ),
        advised(
            near(verdict(2063, "CalcEnergyForElems", DRAM, 1.1, 0.12), 0.97),
            "RL104", ActionKind.FUSE, "2076", 1.7,
        ),
        near(verdict(1511, "CalcKinematicsForElems", MULTIPLY, 1.0, 0.11), 0.71),
        sums._replace(sensitivity=breaks),
        called._replace(
            time=called.time._replace(relation=TimeRelation.AT_LEAST),
            gaps=(VerdictGap(kind=GapKind.CALL, name="VoluDer", line=712),),
        ),
    )  # fmt: skip
    hot = [near(verdict(1600 + n, f"Medium{n}", DRAM, 0.2, 0.02), 1.0) for n in range(12)]
    small = [near(verdict(3000 + n, "Small", DRAM, 0.001, 0.0001), 1.0) for n in range(91)]
    return (*rows, *hot, *small, unknown(2500, GapKind.CALL, "callback"))


def size(name: str, typical: int, origin: str) -> SizeRange:
    return SizeRange(
        scope="f", name=name, size=name, low=1, typical=typical, high=100, origin=origin
    )


def report(verdicts: tuple[Verdict, ...], *files: FileReport, loops: int = 0) -> Report:
    return Report(
        version="0",
        machines=(MachineReport(name=MACHINE, file="", cores=20),),
        files=files,
        summary=Summary(loops, loops),
        verdicts=verdicts,
    )


def lulesh() -> Report:
    function = FunctionReport(
        name="f",
        line=1,
        column=1,
        nests=(),
        totals=(),
        values=(size("nx", 30, "source"), size("nodeElemCount", 8, "role")),
    )
    first = FileReport(path="lulesh.cc", status="ok", functions=(function,))
    others = [FileReport(path=f"lulesh-{n}.cc", status="ok") for n in range(4)]
    doubts = (SizeDoubt(names=("nodeElemCount",), typical=8, share=0.09),)
    return report(project(), first, *others)._replace(doubts=doubts)


FOLDER = RankedRequest(rerun=RerunCommand(paths=(".",)))


@pytest.mark.parametrize("width", [80, 96, 140])
def test_a_project(golden: Callable[[str, str], None], width: int) -> None:
    text = render_ranked(lulesh(), Style(width), FOLDER)
    golden(f"ranked/project-{width}.txt", text)
    lines = text.splitlines()
    assert len(lines) <= 40
    assert all(len(line) <= width for line in lines)


@pytest.mark.parametrize(
    ("seconds", "entries", "used"),
    [(600.0, 1, 1.0), (601.0, 1, 601 / 600), (601.0, 2, 601 / 1200), (601.0, 0, None)],
)
def test_a_run_has_ten_minutes_for_each_entry(
    seconds: float, entries: int, used: float | None
) -> None:
    file = FileReport(path="lulesh.cc", status="ok", entries=entries)
    run = report((verdict(3, "f", CHAIN, seconds, 1.0),), file)
    assert budget_used(run) == (None if used is None else pytest.approx(used))
    assert bool(excess_words(run)) is (used is not None and used > 1)


def hpcg() -> Report:
    """Programs of several files on two machines: ranges, instances, and files with errors."""

    def loop(
        path: str, line: int, name: str, limiter: Limiter, now: float, share: float
    ) -> Verdict:
        each = near(verdict(line, name, limiter, now, share), 0.19)
        place = VerdictPlace(path=path, line=line, function=name)
        return each._replace(id=f"{path}:{name}/{line}", place=place)

    def ranged(each: Verdict, times: float) -> Verdict:
        high = (each.time.now_cy or 0.0) * times
        return each._replace(time=each.time._replace(relation=TimeRelation.RANGE, high_cy=high))

    symgs, send = "src/ComputeSYMGS_ref.cpp", "src/ExchangeHalo.cpp"
    exchange = loop(send, 89, "ExchangeHalo", CALL, 0.4, 0.02)
    rows = (
        ranged(loop(symgs, 74, "ComputeSYMGS_ref", CHAIN, 12.3, 0.32), 3.2),
        ranged(loop(symgs, 93, "ComputeSYMGS_ref", CHAIN, 12.3, 0.32), 3.2),
        loop(symgs, 67, "ComputeSYMGS_ref", link_resource("L2-L3"), 2.6, 0.11),
        loop("src/ComputeDotProduct_ref.cpp", 61, "dot<double>", CHAIN, 1.3, 0.09),
        loop("src/ComputeDotProduct_ref.cpp", 61, "dot<float>", DRAM, 0.6, 0.04)._replace(id="x#2"),
        ranged(loop("src/ComputeSPMV_ref.cpp", 67, "ComputeSPMV_ref", CHAIN, 0.77, 0.06), 3.2),
        exchange._replace(
            time=exchange.time._replace(relation=TimeRelation.AT_LEAST),
            gaps=(VerdictGap(kind=GapKind.CALL, name="MPI_Send", line=90),),
        ),
        loop("src/SetupHalo.cpp", 44, "SetupHalo", DRAM, 0.1, 0.001)._replace(
            weight=VerdictWeight(origin=WeightOrigin.STATIC)
        ),
    )
    others = tuple(
        each._replace(machine="cell", time=each.time._replace(clock_ghz=2.0 + place))
        for place, each in enumerate(rows)
    )
    error = Diagnostic(line=3, column=1, severity="error", message="no such function")
    refused = Refusal(9, 1, Reason("uncompiled", ("x",)))
    files = (
        FileReport(path=symgs, status="ok"),
        FileReport(path=send, status="partial", diagnostics=(error,), refusals=(refused,)),
        FileReport(path="src/main.cpp", status="failed"),
    )
    machines = tuple([MachineReport(name=name, file="", cores=20) for name in (MACHINE, "cell")])
    doubt = SizeDoubt(names=("SparseMatrix:nonzerosInRow[*]",), typical=16, share=0.78)
    return report((*rows, *others), *files)._replace(machines=machines, doubts=(doubt,))


@pytest.mark.parametrize("width", [80, 96, 140])
def test_programs_on_two_machines(golden: Callable[[str, str], None], width: int) -> None:
    text = render_ranked(hpcg(), Style(width), FOLDER)
    golden(f"ranked/programs-{width}.txt", text)
    lines = text.splitlines()
    assert len(lines) <= 40
    assert all(len(line) <= width for line in lines)


def test_next_steps_repeat_what_the_run_was_about() -> None:
    rerun = RerunCommand(
        paths=("my src",), shared=("-D", "n=5"), own=("--compiler", "gcc"), flags=("-DMPI",)
    )
    text = render_ranked(lulesh(), Style(300), RankedRequest(rerun=rerun))
    assert text.splitlines()[-1] == (
        "Next   rooflint analyze 'my src' lulesh.cc:1010 -D n=5 --compiler gcc -- -DMPI"
        " | rooflint lint 'my src' -D n=5 -- -DMPI"
        " | rooflint analyze 'my src' --counts FILE -D n=5 --compiler gcc -- -DMPI"
    )
    assert (
        rerun._replace(paths=("a.c",))
        .analyze_place("a.c", 3)
        .startswith("rooflint analyze a.c:3 -D")
    )


def test_everything_lists_each_loop_and_then_its_details() -> None:
    text = render_ranked(lulesh(), Style(96), RankedRequest(view=ReportView.ALL))
    table, _, details = text.partition("\nlulesh.cc:1010 ")
    assert sum(line[:1] in "▁▂▃▇" for line in table.splitlines() if line) == 5 + 12 + 91
    assert "below 0.2 %" not in table
    assert details.count(" cy per iteration\n") == 5 + 12 + 91
    assert "Not predicted: call of callback()." in details


def test_columns_stand_where_the_contract_has_them() -> None:
    lines = render_ranked(lulesh(), Style(96)).splitlines()
    (head,) = [line for line in lines if "now → possible" in line]
    (row,) = [line for line in lines if ":1010 " in line and "%" in line]
    starts = [head.index(word) for word in ("loop", "limit", "now →", "do")]
    # bar 1, share 6, loop 34, limit 13, time 14
    assert starts == [9, 45, 60, 76]
    assert [row[start - 1] for start in starts] == [" "] * 4
    assert row[starts[1] :].startswith("divider 88 %")
    assert row[starts[2] :].startswith("3.3 → 2.1 s")


def test_colour_is_on_the_limit_and_the_gain_alone() -> None:
    plain = render_ranked(lulesh(), Style(96))
    painted = render_ranked(lulesh(), Style(96, colour=True))
    assert "\x1b[36mdivider 88 %\x1b[0m" in painted
    assert "\x1b[32mRL202 hoist x/h 1.6×\x1b[0m" in painted
    # the words are the same
    for code in ("36", "32", "2", "1"):
        painted = painted.replace(f"\x1b[{code}m", "")
    assert painted.replace("\x1b[0m", "") == plain


def test_quiet_is_the_table_alone() -> None:
    lines = render_ranked(lulesh(), Style(96), RankedRequest(quiet=True)).splitlines()
    assert "now → possible" in lines[0]
    # rows until 95 %: 75 % of five loops, and 2 % of each of ten
    assert len(lines) == 1 + 5 + 10


@pytest.mark.parametrize(
    ("key", "first"),
    [
        (SortKey.TIME, "1010"),
        (SortKey.GAIN, "573"),
        (SortKey.SAVES, "1010"),
        (SortKey.FILE, "573"),
    ],
)
def test_orders_of_the_table(key: SortKey, first: str) -> None:
    text = render_ranked(lulesh(), Style(96), RankedRequest(sort=key, quiet=True))
    assert f"lulesh.cc:{first} " in text.splitlines()[1]


def test_fewer_rows_on_request() -> None:
    text = render_ranked(lulesh(), Style(96), RankedRequest(top=2))
    assert "13 more to 95 %; 2 in the last 5 %; 91 below 0.2 %; 1 not predictable: " in text
    # more than those that make up 95 %
    lines = render_ranked(lulesh(), Style(96), RankedRequest(top=30, quiet=True)).splitlines()
    assert len(lines) == 1 + 30


def small_file() -> Report:
    terms = [
        TimeTerm(MULTIPLY, 0.4),
        TimeTerm(link_resource("REG-L1"), 0.37),
        TimeTerm(link_resource("L1-L2"), 0.5),
        TimeTerm(link_resource("L2-L3"), 0.5),
        TimeTerm(DRAM, 1.6),
    ]
    roofs = [TimeTerm(MULTIPLY, 0.06), TimeTerm(link_resource("L2-L3"), 1.0), TimeTerm(DRAM, 4.42)]
    triad = verdict(2, "triad", DRAM, 4.42, 1.0)._replace(
        id="triad.c:triad/i",
        place=VerdictPlace(path="triad.c", line=2, function="triad"),
        floor=LoopFloor(4.42, DRAM, 1.0),
        reasons=(VerdictReason.FLOOR_ABOVE_ESTIMATE,),
        terms=tuple(terms),
        floors=tuple(roofs),
        weight=VerdictWeight(1.0, 1.0, WeightOrigin.FILE),
    )
    result = MachineResult(
        machine=MACHINE,
        cores=1,
        cores_origin="serial code",
        sizes={"n": SizeValue(10_000_000, "command line")},
        trips=(1e7,),
        traffic=(),
        predictions=(),
    )
    kernel = KernelReport(
        id=triad.id,
        line=2,
        column=3,
        innermost=True,
        loops=(LoopHeader(index="i", line=2, trip_count="n", step="1"),),
        work=WorkReport(type="f64", flops=2.0, operations={}, loads=2.0, stores=1.0),
        not_covered=(),
        results=(result,),
    )
    nest = NestReport(2, 3, (kernel,))
    function = FunctionReport(name="triad", line=1, column=1, nests=(nest,), totals=())
    return report((triad,), FileReport(path="triad.c", status="ok", functions=(function,)))


@pytest.mark.parametrize("width", [80, 96, 140])
def test_one_small_file(golden: Callable[[str, str], None], width: int) -> None:
    golden(f"ranked/small-{width}.txt", render_ranked(small_file(), Style(width), FOLDER))


def missing_headers() -> Report:
    diagnostics = tuple(
        Diagnostic(
            line=line, column=1, severity="error", message="", kind="missing-header", subject=name
        )
        for line, name in ((1, "Eigen/Dense"), (2, "mpi.h"))
    )
    refusals = tuple([Refusal(line, 1, Reason("uncompiled", ("x",))) for line in range(4)])
    file = FileReport(path="a.cpp", status="partial", diagnostics=diagnostics, refusals=refusals)
    machine = MachineReport(name="generic-avx2", file="", cores=8, is_generic=True)
    return report((), file, loops=4)._replace(machines=(machine,))


@pytest.mark.parametrize("width", [80, 96, 140])
def test_missing_headers(golden: Callable[[str, str], None], width: int) -> None:
    golden(f"ranked/headers-{width}.txt", render_ranked(missing_headers(), Style(width), FOLDER))


def nothing() -> Report:
    at = VerdictPlace(path="parse.c", line=0, function="f")
    walks = [unknown(line, GapKind.SIZE, "a list of unknown length") for line in (14, 40, 71, 90)]
    calls = [unknown(line, GapKind.CALL, "ops->read") for line in (120, 133)]
    verdicts = [each._replace(place=at._replace(line=each.place.line)) for each in (*calls, *walks)]
    return report(tuple(verdicts), FileReport(path="parse.c", status="ok"), loops=6)


@pytest.mark.parametrize("width", [80, 96, 140])
def test_nothing_predictable(golden: Callable[[str, str], None], width: int) -> None:
    golden(f"ranked/nothing-{width}.txt", render_ranked(nothing(), Style(width), FOLDER))

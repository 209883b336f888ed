from pathlib import Path

import pytest
from msgspec.structs import replace
from rooflint.cli.measure import run
from rooflint.compile_flags.flags import Flags
from rooflint.ir.signature import Signature
from rooflint.ir.unit import Span
from rooflint.measure.counters.counting import CallCounts, LinkCount
from rooflint.measure.counters.tools import (
    AbsenceCause,
    CounterAbsence,
    Counters,
    CounterTool,
    ToolAbsence,
)
from rooflint.measure.program import MeasureMode, Program, ProgramSize, RunSettings, SizeOrigin
from rooflint.measure.records import (
    ArrayExtent,
    Batch,
    Calibration,
    Completion,
    ProcessRun,
    SandboxRecord,
)
from rooflint.measure.refusals import MeasureRefusal
from rooflint.measure.subject import Subject
from rooflint.workers.confinement import Confinement
from rooflint.workers.confinement_trial import Trial

TRIAD = """\
void triad(int n, double *restrict a, const double *b, const double *c, double s)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}
"""


@pytest.fixture
def triad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``triad.c`` in an empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "triad.c"
    path.write_text(TRIAD, encoding="utf-8")
    return path


GHZ = 2.0
BATCH = Batch(
    calls=100,
    wall_s=0.0,
    processor_s=0.0,
    ghz_before=GHZ,
    ghz_after=GHZ,
    ticks=0,
    mark_ticks=0,
    mark_passes=0,
    switches=0,
)


class Engine:
    """Builds nothing, and runs a triad that takes ``cycles`` an iteration and 100 a call."""

    def __init__(self) -> None:
        self.cycles = 2.0
        self.spread = 0.0
        self.refusal: MeasureRefusal | None = None
        self.processes = 0
        self.builds: list[bool] = []
        self.counters: Counters | CounterAbsence = (
            ToolAbsence(tool=CounterTool.PERF, cause=AbsenceCause.NOT_SUPPORTED),
            ToolAbsence(tool=CounterTool.LIKWID, cause=AbsenceCause.NOT_INSTALLED),
        )

    def build(
        self,
        subject: object,
        folder: str,
        sizes: tuple[tuple[str, int], ...] = (),
        compiler: str | None = None,
        setup: str | None = None,
        dry_run: bool = False,
        extra: tuple[str, ...] = (),
        definitions: object = None,
    ) -> Program | MeasureRefusal:
        self.builds.append(dry_run)
        Path(folder, "glue.c").write_text("/* glue */\n", encoding="utf-8")
        given = dict(sizes)
        origin: SizeOrigin = "given" if "n" in given else "default"
        return Program(
            function="triad",
            mode=MeasureMode.FUNCTION,
            executable=f"{folder}/program",
            commands=(("gcc", "-O3", "-c", "glue.c"),),
            compiler="gcc 12.2.0",
            flags=("-O3",),
            sizes=(ProgramSize(name="n", value=given.get("n", 1000), origin=origin),),
            arrays=(),
        )

    def run(self, program: Program, settings: RunSettings, seconds: float) -> ProcessRun:
        n = dict(settings.sizes)["n"]
        cycles = (100 + self.cycles * n) * (1 + self.spread * self.processes)
        self.processes += settings.batches > 0
        took = cycles / (GHZ * 1e9) * BATCH.calls
        pages = -(-8 * n // 4096) * 4096
        return ProcessRun(
            sandbox=SandboxRecord(seccomp=True, network=True),
            extents=tuple([ArrayExtent(name=name, low=0, high=pages) for name in "abc"]),
            calibration=Calibration(calls=100, restores=False),
            batches=(replace(BATCH, wall_s=took, processor_s=took),) * min(settings.batches, 20),
            completion=Completion(late_pages=0, ran_away=False),
        )

    def find_counters(self, core: str | None) -> Counters | CounterAbsence:
        return self.counters

    def count(self, *_: object) -> CallCounts:
        """Of 1000 iterations: 3 loads of 8 bytes and a write-allocate, 375 lines, and 125 back."""
        near = LinkCount(link="L1-L2", load=500.0, evict=125.0)
        far = LinkCount(link="L2-L3", load=1.0, evict=None)
        return CallCounts(
            tool=CounterTool.PERF, cycles=2000.0, instructions=1500.0, links=(near, far)
        )

    def refusal_of(self, *_: object) -> MeasureRefusal | None:
        return self.refusal


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, triad: Path) -> Engine:
    made = Engine()
    subject = Subject(
        path="triad.c",
        flags=Flags("c"),
        mode=MeasureMode.FUNCTION,
        signature=Signature(
            name="triad",
            span=Span(1, 1, 5, 2),
            parameters=(),
            spelling="void ()",
            is_c=True,
            content="0" * 32,
        ),
    )
    monkeypatch.setattr(run, "find_subject", lambda *_: subject)
    monkeypatch.setattr(run, "build_program", made.build)
    monkeypatch.setattr(run, "run_program", made.run)
    monkeypatch.setattr(run, "run_team", made.run)
    monkeypatch.setattr(run, "refusal_of", made.refusal_of)
    monkeypatch.setattr(run, "find_counters", made.find_counters)
    monkeypatch.setattr(run, "count_call", made.count)
    confined = Trial(Confinement(seccomp=True), frozenset())
    monkeypatch.setattr(run, "try_confinement", lambda: confined)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return made

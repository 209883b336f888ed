"""The report of a run: its loops in the order of their time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Literal, overload

from rooflint.api.frames import frame_of, record_of
from rooflint.api.html_table import html_table
from rooflint.api.loops import RankedLoop, loops_of
from rooflint.errors import UsageError
from rooflint.pipeline.ranking import with_kernels
from rooflint.plot.overview import overview_scenes
from rooflint.plugin_api.report import Report
from rooflint.records import NamedTuple
from rooflint.render.json import render_json
from rooflint.render.layout import Style, plural
from rooflint.render.ranked.report import render_ranked

WIDTH: Final = 100
"""Columns of the text."""


class LostFile(NamedTuple):
    """A file that could not be analysed, and why."""

    file: str
    reason: str


class RefusedLoop(NamedTuple):
    """A loop that was not analysed, and why."""

    file: str
    line: int
    reason: str


class RankedReport(Sequence[RankedLoop]):
    """Loops ranked by their time, machine by machine; an immutable sequence.

    ``print`` writes what ``rooflint analyze`` prints. A slice, ``top`` and ``filter`` are reports,
    too, and keep the files, machines and warnings of the run.

    loops     all of them
    files     that were analysed
    machines  by name, in the order asked for
    failed    files that could not be analysed
    refused   loops that were not analysed
    warnings  doubts about the run, a line each
    """

    __slots__ = ("_report", "loops", "warnings")

    loops: Final[tuple[RankedLoop, ...]]
    warnings: Final[tuple[str, ...]]

    def __init__(self, report: Report, warnings: Iterable[str] = ()) -> None:
        """Of a report with verdicts; ``analyze`` makes it."""
        self._report = report
        self.loops = loops_of(report)
        self.warnings = tuple(warnings)

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of the files that were analysed."""
        return tuple([file.path for file in self._report.files if file.status != "failed"])

    @property
    def machines(self) -> tuple[str, ...]:
        """Names of the machines, in the order asked for."""
        return tuple([machine.name for machine in self._report.machines])

    @property
    def failed(self) -> tuple[LostFile, ...]:
        """Files that could not be analysed."""
        lost = []
        for file in self._report.files:
            if file.status == "failed":
                errors = [d.message for d in file.diagnostics if d.severity == "error"]
                lost.append(LostFile(file.path, next(iter(errors), "unknown")))
        return tuple(lost)

    @property
    def refused(self) -> tuple[RefusedLoop, ...]:
        """Loops that were not analysed."""
        return tuple([
            RefusedLoop(file.path, refusal.line, str(refusal.reason))
            for file in self._report.files
            for refusal in file.refusals
        ])  # fmt: skip

    @overload
    def __getitem__(self, place: int) -> RankedLoop: ...

    @overload
    def __getitem__(self, place: slice) -> "RankedReport": ...

    def __getitem__(self, place: int | slice) -> "RankedLoop | RankedReport":
        if isinstance(place, slice):
            return self._only(self.loops[place])
        return self.loops[place]

    def __len__(self) -> int:
        return len(self.loops)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RankedReport) and self._report == other._report

    def __hash__(self) -> int:
        return hash(tuple([loop.id for loop in self.loops]))

    def top(self, count: int) -> "RankedReport":
        """The loops that take most time, ``count`` for each machine."""
        return self._only([
            loop
            for machine in self.machines
            for loop in [each for each in self.loops if each.machine == machine][:count]
        ])  # fmt: skip

    def filter(self, keep: Callable[[RankedLoop], bool]) -> "RankedReport":
        """The loops for which ``keep`` is true."""
        return self._only([loop for loop in self.loops if keep(loop)])

    def records(self) -> list[dict[str, object]]:
        """A dictionary for each loop, with the columns of ``to_frame``."""
        return [record_of(loop) for loop in self.loops]

    def to_frame(self, backend: Literal["pandas", "polars"] | None = None) -> Any:  # noqa: ANN401
        """A data frame with a row for each loop; without a backend, of what is installed.

        Raises UsageError where neither pandas nor polars is installed.
        """
        return frame_of(self.records(), backend)

    def to_json(self) -> str:
        """The report as ``rooflint analyze --format json`` writes it."""
        return render_json(self._report)

    def plot(self, ax: Any = None) -> Any:  # noqa: ANN401 - matplotlib's Axes, which has no types
        """The loops under the machine's roofs, on ``ax`` or a figure of its own; returns the axes.

        Raises UsageError without matplotlib, and where no loop can be drawn.
        """
        scenes = overview_scenes(self._report)
        if not scenes:
            raise UsageError("plot: no model draws any of these loops")
        try:
            from rooflint.plot.figure import draw_scene  # noqa: PLC0415 - needs matplotlib
        except ImportError:
            raise UsageError("plot: needs matplotlib: pip install 'rooflint[plot]'") from None
        return draw_scene(scenes[0], ax)

    def __str__(self) -> str:
        return render_ranked(self._report, Style(WIDTH, colour=False)).rstrip("\n")

    def __repr__(self) -> str:
        loops, files = plural(len(self.loops), "loop"), plural(len(self.files), "file")
        return f"<rooflint.Report: {loops} in {files} on {', '.join(self.machines)}>"

    def _repr_html_(self) -> str:
        """The ranking as a table, for notebooks."""
        return html_table([loop.verdict for loop in self.loops], repr(self))

    def _only(self, loops: Sequence[RankedLoop]) -> "RankedReport":
        kept = {(loop.id, loop.machine) for loop in loops}
        report = with_kernels(self._report, {loop.id for loop in loops})
        verdicts = tuple([each for each in report.verdicts if (each.id, each.machine) in kept])
        return RankedReport(report._replace(verdicts=verdicts), self.warnings)

    def __iter__(self) -> Iterator[RankedLoop]:
        return iter(self.loops)

"""The contract of ``rooflint estimate``: what a model is asked, and how its answers are shown.

A model joins by being an ``Estimator`` as well. It returns text, JSON values, pages made of plain
blocks and pictures made of numbers; the doors lay them out and draw them.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from rooflint.ir import Function
from rooflint.machine import Machine
from rooflint.plugin_api.prediction import Json
from rooflint.records import NamedTuple

Activity: TypeAlias = Literal["kernel", "load", "store", "host", "alone"]


class EstimateRequest(NamedTuple):
    """One command.

    path       a procedure file, or C or C++ source
    values     ``NAME=VALUE`` as typed, with units
    procedure  the one that is wanted of several
    source     the file that a sidecar is bound to
    refined    transfers at the rates measured for their pattern
    balance    the symbol whose balancing formula is wanted
    functions  reads a source file; raises UsageError
    """

    path: Path
    machines: tuple[Machine, ...]
    values: tuple[str, ...]
    procedure: str | None
    source: str | None
    refined: bool
    balance: str | None
    functions: Callable[[str], tuple[Function, ...]]


class TimeBar(NamedTuple):
    """An interval of a row of a time line, with what happens in it."""

    row: str
    activity: Activity
    label: str
    start_s: float
    length_s: float


class IterationTimeline(NamedTuple):
    """Work that overlaps in one iteration of a stage, which takes ``length_s``."""

    title: str
    bars: tuple[TimeBar, ...]
    length_s: float


class CurveMark(NamedTuple):
    """A value of the parameter worth a dot; ``op_s`` is None outside of the curve."""

    label: str
    value: float
    op_s: float | None
    is_balanced: bool


class PerformanceCurve(NamedTuple):
    """Performance over one parameter of the machine, on logarithmic axes.

    points  (value, op/s), by value
    unit    of a tick's label in the values' own unit
    """

    label: str
    points: tuple[tuple[float, float], ...]
    ticks: tuple[float, ...]
    unit: float
    marks: tuple[CurveMark, ...]


class EstimatePicture(NamedTuple):
    """A time line above curves side by side."""

    title: str
    sentence: str
    timeline: IterationTimeline
    curves: tuple[PerformanceCurve, ...]


class PageText(NamedTuple):
    """A paragraph."""

    text: str


class PageCode(NamedTuple):
    """A formula or a file, as it is."""

    text: str
    is_file: bool = False


class PageItems(NamedTuple):
    """A list of sentences."""

    texts: tuple[str, ...]


class PageTable(NamedTuple):
    """A table; it is left out where it has no rows."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


PageBlock: TypeAlias = PageText | PageCode | PageItems | PageTable


class PageCard(NamedTuple):
    """Blocks under a title; left out where all of them are empty."""

    title: str
    blocks: tuple[PageBlock, ...]


class EstimateSection(NamedTuple):
    """One estimate of a page: ``notes`` are folded away until somebody asks."""

    heading: str
    paragraphs: tuple[str, ...]
    picture: EstimatePicture
    table: PageTable
    cards: tuple[PageCard, ...]
    notes: tuple[PageCard, ...]


class EstimateSet(Protocol):
    """All answers to one request, in the order of procedures, then machines."""

    @property
    def refusals(self) -> tuple[str, ...]:
        """Why functions beside the estimated ones have no estimate."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing could be estimated."""

    @property
    def is_feasible(self) -> bool:
        """Whether all procedures fit their machines."""

    def text(self) -> str:
        """All answers, none of the lines wrapped."""

    def procedures(self) -> str:
        """The procedures as a file that can be edited and estimated again."""

    def data(self) -> list[Json]:
        """JSON values, an object for each answer."""

    def sections(self) -> list[EstimateSection]:
        """The answers for a page."""

    def picture(self) -> EstimatePicture:
        """The first answer's picture."""


@runtime_checkable
class Estimator(Protocol):
    """Further methods of a model that answers ``rooflint estimate``."""

    @property
    def assumptions(self) -> Mapping[str, str]:
        """Assumptions of all estimates, by number."""

    def estimate(self, request: EstimateRequest) -> EstimateSet:
        """The answers; UsageError or ConfigurationError where there are none."""

"""Parts of a report on the machines of a run: their roofs, and figures that are in doubt."""

from rooflint.machine.parts import Origin, Pattern
from rooflint.records import NamedTuple


class BandwidthRoof(NamedTuple):
    """The data rate of a link with ``cores`` active, for loops that access memory as ``pattern``.

    origin   ``stated`` in the machine file, or ``derived`` from other figures of it
    """

    cores: int
    link: str
    pattern: Pattern
    gb_s: float
    origin: Origin


class ComputeRoof(NamedTuple):
    """The peak of ``cores`` cores in 1e9 ``metric`` per second on elements of ``type``."""

    cores: int
    type: str
    metric: str
    g_per_s: float
    origin: Origin


class DoubtfulFigure(NamedTuple):
    """A figure, by dotted path, that its own measurement does not trust.

    ``spread``: of its two best ``rounds``; ``clean``: the undisturbed share of the samples.
    """

    figure: str
    rounds: int
    spread: float
    clean: float


class MachineReport(NamedTuple):
    """A machine the run used; ``note`` says when its figures are typical and nobody chose it.

    ``doubtful`` are a warning in all reports. ``bandwidths`` and ``peaks`` are its roofs for the
    cores, access patterns and element types of the run's kernels. ``cores``: all that it has.
    """

    name: str
    file: str
    note: str = ""
    bandwidths: tuple[BandwidthRoof, ...] = ()
    peaks: tuple[ComputeRoof, ...] = ()
    doubtful: tuple[DoubtfulFigure, ...] = ()
    cores: int = 0
    is_generic: bool = False

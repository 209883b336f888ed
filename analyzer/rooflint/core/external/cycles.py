"""The core's cycles from outside of the core plan, for models that can use them."""

from rooflint.records import NamedTuple


class ExternalCoreCycles(NamedTuple):
    """Cycles of one iteration of the source's loop.

    source    the analyser: ``llvm-mca``, ``osaca``
    t_ol_cy   that overlap with transfers
    t_nol_cy  that do not; None where the source does not tell them apart
    origin    program and compiler, with their versions
    reason    why there are no figures; None where there are
    """

    source: str
    t_ol_cy: float = 0.0
    t_nol_cy: float | None = None
    origin: str = ""
    reason: str | None = None

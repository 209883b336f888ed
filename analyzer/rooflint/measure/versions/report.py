"""A trial of two versions, with everything that a reader has to know about it."""

from msgspec import Struct

from rooflint.measure.versions.trial import VersionMeasurement


class VersionReport(Struct, frozen=True, kw_only=True):
    """Two versions of a function.

    change   code of the rule, or the file of the other version; ``title`` of the edit
    machine  whose models predict; ``is_host``: it describes this computer's core,
             ``doubtful`` its figures that are
    """

    path: str
    line: int
    function: str
    change: str
    title: str
    cpu: str
    machine: str
    is_host: bool
    compiler: str
    flags: tuple[str, ...]
    stubs: tuple[str, ...]
    notes: tuple[str, ...]
    doubtful: tuple[str, ...]
    measurement: VersionMeasurement

    @property
    def id(self) -> str:
        """Of the function in its file, with its change."""
        return f"{self.path}:{self.function}+{self.change}"

"""A trial of two versions, with everything that a reader has to know about it."""

from msgspec import Struct

from rooflint.measure.results import BuildFacts
from rooflint.measure.versions.trial import VersionMeasurement


class VersionReport(Struct, frozen=True, kw_only=True):
    """Two versions of a function, with the build of the one as it was.

    change   code of the rule, or the file of the other version; ``title`` of the edit
    """

    path: str
    line: int
    function: str
    change: str
    title: str
    build: BuildFacts
    measurement: VersionMeasurement

    @property
    def id(self) -> str:
        """Of the function in its file, with its change."""
        return f"{self.path}:{self.function}+{self.change}"

"""The files of a run on their way through its stages."""

from typing import TYPE_CHECKING

from rooflint.compile_flags.sources import Source
from rooflint.core import Compiler
from rooflint.frontend.request import Request
from rooflint.pipeline.files import FileResult
from rooflint.pipeline.in_child import Question
from rooflint.pipeline.results import FileKeys
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.records import NamedTuple

if TYPE_CHECKING:
    from rooflint.pipeline.stages.first_stage import ReadFile


class PreparedFile(NamedTuple):
    """A child's input for a file."""

    setup: AnalysisSetup
    request: Request
    compiler: Compiler


class PendingFile(NamedTuple):
    """A file on its way, and under which keys its result will be kept."""

    path: str
    setup: AnalysisSetup | None = None
    keys: FileKeys | None = None


class StagedFile(NamedTuple):
    """A file before its last stage; of one that is a program of its own, the packed ``scenario`` is
    None.
    """

    source: Source
    prepared: PreparedFile | FileResult
    read: "ReadFile | None" = None
    scenario: bytes | None = None


class AdvisableFile(NamedTuple):
    """A file that may have advice: its question, and the keys of its result."""

    question: Question
    keys: FileKeys | None

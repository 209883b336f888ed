"""Messages between an editor's server and the analysing child."""

from rooflint.pipeline.files import FileResult
from rooflint.pipeline.setup.options import Options
from rooflint.plugin_api.report import MachineReport
from rooflint.records import NamedTuple


class BufferRequest(NamedTuple):
    """A file to analyse.

    options   machines, models and sizes; what was found with the same ones is kept. With ``lint``
              the answer has findings and nothing else: of the functions on ``lines``, or those
              that only the whole file shows
    text      the buffer as the editor has it; None reads the file
    others    path and text of other buffers that are not saved: headers
    lines     only functions that have one of these lines, first and last; None: all
    revision  another one than before: configuration, machines and headers are read again
    known     with ``lint``: of all functions whose findings are known, without a search
    folder    what relative paths among the flags are relative to; None: where the child runs
    """

    options: Options
    path: str
    text: bytes | None = None
    others: tuple[tuple[str, bytes], ...] = ()
    lines: tuple[int, int] | None = None
    revision: int = 0
    folder: str | None = None
    known: bool = False


class BufferResult(NamedTuple):
    """The answer: the file's result, the machines it was made with, problems a line each.

    computed  how many functions were not known yet
    included  the files that it includes, as they were opened
    unknown   where ``known`` was asked: the first lines of the other functions
    """

    result: FileResult
    machines: tuple[MachineReport, ...]
    problems: tuple[str, ...] = ()
    computed: int = 0
    included: tuple[str, ...] = ()
    unknown: tuple[int, ...] = ()

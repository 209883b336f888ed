"""Subjects of two versions: each a copy of its file's text, so that both are built alike."""

from collections.abc import Sequence

from msgspec.structs import replace

from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.regular_files import read_regular
from rooflint.errors import AnalysisError
from rooflint.ir.signature import FileSignatures
from rooflint.ir.unit import Span
from rooflint.measure.program import MeasureMode
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.subject import Subject, subject_of
from rooflint.pipeline.signatures import signatures_of


class VersionFile:
    """A file, or a text in its place, with the signatures of its functions."""

    def __init__(self, path: str, flags: Flags, content: bytes, file: FileSignatures) -> None:
        self.path = path
        self.flags = flags
        self.content = content
        self._file = file

    @property
    def nests(self) -> Sequence[Span]:
        """Outermost loops of all functions."""
        return [span for each in self._file.signatures for span in each.loops]

    def subject(
        self, function: str | None = None, line: int | None = None
    ) -> Subject | MeasureRefusal:
        """The whole function of a name, around a line, or the only one with loops."""
        found = subject_of(self._file, self.path, self.flags, function, line)
        if isinstance(found, MeasureRefusal):
            return found
        path = self.path.replace("\\", "\\\\").replace('"', '\\"')
        text = self.content.decode("utf-8", "surrogateescape")
        return replace(
            found, mode=MeasureMode.FUNCTION, nest=None, text=f'#line 1 "{path}"\n{text}'
        )


def version_file(
    path: str, flags: Flags, content: bytes | None = None
) -> VersionFile | MeasureRefusal:
    """The file at ``path``, or ``content`` in its place."""
    try:
        text = read_regular(path) if content is None else content
        return VersionFile(path, flags, text, signatures_of(path, flags, text))
    except (OSError, AnalysisError) as error:
        return MeasureRefusal(code=RefusalCode.NOT_PARSED, arguments=(path, str(error)))

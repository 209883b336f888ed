"""The loops of buffers that change: where an edit allows it, from those of the text before."""

from contextlib import suppress
from typing import Final

from rooflint.errors import AnalysisError
from rooflint.frontend.edited.body_edits import changes_code, edited_file
from rooflint.frontend.edited.checks import difference
from rooflint.frontend.edited.kept_units import KeptUnits
from rooflint.frontend.edited.part_parse import EditedText, prepare_unit
from rooflint.frontend.edited.recording import recorded_file
from rooflint.frontend.edited.records import RecordedFile
from rooflint.frontend.edited.text_edits import text_edit
from rooflint.frontend.equations.extraction import ExtractedFile, extracted_file
from rooflint.frontend.moved_lines import moved_file
from rooflint.frontend.request import Request
from rooflint.incremental.store import ContentKey, MemoryStore, content_key
from rooflint.pipeline.weights.run_program import RunProgram
from rooflint.records import NamedTuple
from rooflint.workers.wire import Codec

KEPT_BUFFERS: Final = 4
REQUESTS: Final = Codec[Request](Request)


class ParsedBuffer(NamedTuple):
    """A buffer's loops and equations, and the program that it is by itself.

    ``recorded``: of the last text that was parsed, from which only comments may have moved since.
    """

    text: bytes
    found: ExtractedFile
    program: RunProgram
    recorded: RecordedFile

    @property
    def included_files(self) -> tuple[str, ...]:
        """The files that it includes."""
        parses = self.found.trace.parses
        return tuple(dict.fromkeys(name for parse in parses for name in parse.included))


class BufferReader:
    """Reads buffers; those of the last texts are still known."""

    def __init__(self, check_edits: bool) -> None:
        """With ``check_edits``, each answer to an edit is held against an extraction of the whole
        file, which is used where they differ, and ``differences`` has a line for it."""
        self._check_edits = check_edits
        self.differences: list[str] = []
        self._parsed = MemoryStore[ParsedBuffer](KEPT_BUFFERS)
        self._latest = MemoryStore[ParsedBuffer](KEPT_BUFFERS)
        self._units = KeptUnits()
        self._unprepared: EditedText | None = None

    def clear(self) -> None:
        """Forgets all buffers."""
        self._parsed.clear()
        self._latest.clear()
        self._units.clear()
        self._unprepared = None

    def prepare(self) -> None:
        """Gets ready for an edit of the buffer that was read whole last."""
        waiting, self._unprepared = self._unprepared, None
        if waiting is not None:
            with suppress(AnalysisError):  # the edit tells
                prepare_unit(waiting)

    def parsed_buffer(self, request: Request) -> ParsedBuffer:
        """The loops of a buffer. They only move where its lines do; where one function's body
        changed, or declarations that nothing names, no more than that is read again."""
        if request.text is None:
            return _parsed(b"", RecordedFile(extracted_file(request), None))
        key = content_key(REQUESTS.canonical(request))
        parsed = self._parsed.get(key)
        if parsed is None:
            parsed = self._edited(request) or self._whole(request)
            self._parsed.put(key, parsed)
        self._latest.put(_around(request), parsed)
        return parsed

    def _whole(self, request: Request) -> ParsedBuffer:
        recorded = recorded_file(request)
        record, text = recorded.record, request.text or b""
        if record is not None:
            self._unprepared = EditedText(
                request=request,
                record=record,
                edit=text_edit(record.text, text),
                trace=recorded.found.trace,
                units=self._units,
            )
        return _parsed(text, recorded)

    def _edited(self, request: Request) -> ParsedBuffer | None:
        last = self._latest.get(_around(request))
        if last is None or request.text is None:
            return None
        record, found = last.recorded.record, None
        if record is None or record.text != last.text or not changes_code(record, request.text):
            found = moved_file(last.found, last.text, request.text)
        recorded = last.recorded if found else edited_file(request, last.recorded, self._units)
        if recorded is None:
            return None
        edited = _parsed(request.text, recorded, found, last.program)
        return self._checked(request, last, edited) if self._check_edits else edited

    def _checked(self, request: Request, last: ParsedBuffer, edited: ParsedBuffer) -> ParsedBuffer:
        whole = recorded_file(request)
        wrong = difference(last.text, edited.found, whole.found)
        if not wrong:
            return edited
        self.differences.append(wrong)
        return _parsed(edited.text, whole)


def _around(request: Request) -> ContentKey:
    """All that a buffer's loops rest on besides its text."""
    return content_key(REQUESTS.canonical(request._replace(text=None)))


def _parsed(
    text: bytes,
    recorded: RecordedFile,
    found: ExtractedFile | None = None,
    before: RunProgram | None = None,
) -> ParsedBuffer:
    """``found``: where it is not that of the record, but moved since; ``before``: the program
    before an edit."""
    found = recorded.found if found is None else found
    if before is not None:
        program = before.after_edit(found.equations)
    else:
        program = RunProgram()
        program.add([found.equations])
    return ParsedBuffer(text=text, found=found, program=program, recorded=recorded)

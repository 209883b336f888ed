"""The file around an edited function, as far as the lowering of one function rests on it."""

from rooflint.frontend.edited.recording import usr_of
from rooflint.frontend.edited.records import FileRecord, FunctionRecord
from rooflint.frontend.edited.text_edits import TextEdit
from rooflint.frontend.lower.state.declaration_keys import LocalNumbers
from rooflint.frontend.lower.state.shared import BlankBodyError, TranslationUnitContext


class OtherWayError(Exception):
    """Only a full extraction can tell."""


def tell_others(
    shared: TranslationUnitContext, record: FileRecord, own: FunctionRecord, edit: TextEdit
) -> None:
    """Tells a parse of one function what the others of the file say.

    Raises OtherWayError where the numbers of local declarations rest on this function's.
    """
    shared.note_exposure(_RecordedExposure(shared, record))
    for same, numbers in record.numbers.items():
        outside = {
            _moved(offsets, edit): number
            for offsets, number in numbers.items()
            if not _lie_inside(offsets, own.begin, own.end)
        }
        if outside and len(outside) < len(numbers):
            raise OtherWayError
        if outside:
            shared.keys.numbers[same] = outside


def moved_numbers(numbers: LocalNumbers, edit: TextEdit) -> LocalNumbers:
    """The numbers of local declarations that lie outside of the edit."""
    return {
        same: {_moved(offsets, edit): number for offsets, number in each.items()}
        for same, each in numbers.items()
    }


def _moved(offsets: tuple[int, ...], edit: TextEdit) -> tuple[int, ...]:
    return tuple(map(edit.offset, offsets))


def _lie_inside(offsets: tuple[int, ...], begin: int, end: int) -> bool:
    """Raises OtherWayError where only some of them lie there."""
    inside = [begin <= each < end for each in offsets]
    if any(inside) and not all(inside):
        raise OtherWayError
    return inside[0]


def check_numbers(shared: TranslationUnitContext, record: FileRecord, own: tuple[int, int]) -> None:
    """Local declarations of other functions must not get their numbers from this one; raises
    OtherWayError."""
    for same in shared.keys.numbered:
        numbers = shared.keys.numbers[same]
        outside = [offsets for offsets in numbers if not _lie_inside(offsets, *own)]
        mixed = len(outside) < len(numbers) or same not in record.numbers
        if len(outside) > 1 or (outside and mixed):
            raise OtherWayError


class _RecordedExposure:
    """The exposure that the whole file was found to have."""

    def __init__(self, shared: TranslationUnitContext, record: FileRecord) -> None:
        self._shared = shared
        self._tables = record.tables
        self._exposing = dict(record.tables.exposing)

    def may_hold(self, key: int) -> bool:
        """Raises BlankBodyError for a variable that nothing has asked for yet."""
        by = self._exposing.get(usr_of(self._shared, key))
        if by is None:
            raise BlankBodyError(-1)
        return not self._tables.whole or bool(by)

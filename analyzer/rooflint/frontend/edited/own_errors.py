"""Errors inside of the function that is typed into: the usual state of a text while somebody types.

They are that function's alone where all other code compiles, and where no other headers would cure
them.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from rooflint.frontend.edited.kept_units import KeptUnits
from rooflint.frontend.edited.records import FileRecord, FunctionRecord
from rooflint.frontend.edited.surroundings import OtherWayError
from rooflint.frontend.edited.text_edits import TextEdit
from rooflint.frontend.extract import loaded_clang
from rooflint.frontend.parse.clang_arguments import absolute
from rooflint.frontend.parse.headers import real_tier, shim_tier
from rooflint.frontend.parse.open_parse import OpenParse, ParseInput, parsed_in_part
from rooflint.frontend.parse.plain_text import PlainText
from rooflint.frontend.request import Request
from rooflint.ir import Diagnostic

_MOST: Final = 10
"""Errors of one function: libclang ends at 20, and with it what a count of them tells."""
_CURABLE: Final = frozenset(("missing-header", "missing-type"))
"""Errors that a file is parsed in other ways for."""


def has_own_errors(
    parsed: OpenParse,
    request: Request,
    record: FileRecord,
    own: FunctionRecord,
    edit: TextEdit,
    blanked: bytes,
    units: KeptUnits,
) -> bool:
    """Whether the function has an error now, or had one before.

    Raises OtherWayError then, unless all errors of the file are the function's, now and before, and
    none of them changes how the rest of the file is read. ``blanked``: the text that was parsed.
    """
    if not (record.errors.all or parsed.errors):
        return False
    before = _inside(record.errors.all, PlainText(record.text), (own.begin, own.end))
    now = _inside(parsed.errors, parsed.source, (own.begin, own.end + edit.added))
    if before or now:
        _check_spread(parsed, record, before, now)
    if now:
        _check_headers(parsed, request, record, blanked, units)
    return bool(before or now)


def _check_spread(
    parsed: OpenParse,
    record: FileRecord,
    before: Sequence[Diagnostic],
    now: Sequence[Diagnostic],
) -> None:
    """Raises OtherWayError where there are errors elsewhere, where other headers may cure some, and
    where the file's tables are exposed otherwise because of them."""
    if len(before) < len(record.errors.all) or len(now) < len(parsed.errors) or _may_be_cured(now):
        raise OtherWayError
    if not set(record.errors.shown) <= set(record.errors.all):  # headers that are missing
        raise OtherWayError
    tables = record.tables
    if bool(before) != bool(now) and (tables.exposing or not tables.whole):
        raise OtherWayError


def _may_be_cured(errors: Sequence[Diagnostic]) -> bool:
    return len(errors) > _MOST or any(each.kind in _CURABLE for each in errors)


def _inside(
    errors: Iterable[Diagnostic], text: PlainText, place: tuple[int, int]
) -> list[Diagnostic]:
    """The errors on the lines of a range."""
    first, last = map(text.line, place)
    return [each for each in errors if first <= each.line <= last]


def _check_headers(
    parsed: OpenParse, request: Request, record: FileRecord, blanked: bytes, units: KeptUnits
) -> None:
    """Raises OtherWayError where the file may have fewer errors with the other headers.

    Bodies that were left out only add to these.
    """
    is_shims, language = record.headers == "shims", request.flags.language
    other = real_tier(language) if is_shims else shim_tier(language)
    own = request.flags.arguments
    if record.headers not in ("shims", "real") or record.arguments[: len(own)] != own:
        raise OtherWayError
    if other is None:
        return
    others = tuple((absolute(name), text) for name, text in request.others)
    parse = ParseInput(
        arguments=(*own, *other[0]),
        files=((absolute(request.path), blanked), *others, *other[1]),
        headers=record.headers,
    )
    handle = units.parse(request.path, parse, blanked)
    attempt = parsed_in_part(loaded_clang(), request.path, parse, handle, list)
    has_fewer = len(attempt.diagnostics) < len(parsed.diagnostics)
    if has_fewer or (not is_shims and len(attempt.diagnostics) == len(parsed.diagnostics)):
        raise OtherWayError

"""One parse of a file: which headers it is given, and the errors that libclang reports."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from rooflint.compile_flags import options
from rooflint.errors import AnalysisError
from rooflint.frontend.parse.clang_arguments import NO_LIMIT, absolute
from rooflint.frontend.parse.clang_c import (
    KEEP_GOING,
    RECORD_PREPROCESSING,
    SEVERITY_ERROR,
    SKIP_BODIES,
    Clang,
    Location,
)
from rooflint.frontend.parse.clang_messages import error_at, is_error, is_on_directive
from rooflint.frontend.parse.inputs import (
    Parse,
    fresh_digests,
    is_outside,
    search_path,
    template_places,
)
from rooflint.frontend.parse.plain_text import TextRanges
from rooflint.frontend.parse.shims import SHIM_ROOT
from rooflint.frontend.parse.source import SourceText
from rooflint.frontend.request import Request
from rooflint.ir import Diagnostic
from rooflint.records import NamedTuple

ABSENT_ROOT: Final = f"{SHIM_ROOT}/absent"
"""Folder of the files that stand in for headers that are not found."""
MOST_ROUNDS: Final = 4
"""Parses with empty headers: the first shows one that is missing, the second all others, and what
those include would be in a further one. A limit of time, by judgement."""
MOST_ERRORS: Final = 50
"""Errors that are kept besides missing headers: what one of those costs may be thousands."""
_UNQUOTABLE: Final = frozenset('"\n\r')
_OWN_ERROR: Final = "User-Defined Issue"
_NOT_SHOWN: Final = "does not compile; it is outside the tree, so its text is not shown"


class GivenNames:
    """Translates the absolute names of a source file and of the headers beside it back."""

    def __init__(self, given: str, absolute: str, included: Sequence[str]) -> None:
        """``given`` is the source file's name as it was asked for, ``absolute`` that for libclang.

        ``included`` are the names under which libclang opened the headers.
        """
        self._given = given
        self._absolute = absolute
        self._given_folder = os.path.dirname(given) or os.curdir
        self._folder = os.path.dirname(absolute) + os.sep
        self._included = included

    def given(self, name: str) -> str:
        """A file's name as it would be, had libclang got the source file's name as given."""
        if self._given == self._absolute or not name.startswith(self._folder):
            return name
        if name == self._absolute:
            return self._given
        return os.path.join(self._given_folder, name[len(self._folder) :])

    def in_text(self, text: str) -> str:
        """A text of libclang's with these files' names as given.

        It names files where a type has no name: ``(unnamed struct at a.c:3:1)``.
        """
        if self._given == self._absolute or self._folder not in text:
            return text
        # a longer name may begin with a shorter one
        for name in sorted((self._absolute, *self._included), key=len, reverse=True):
            if name in text:
                text = text.replace(name, self.given(name))
        return text


class ParseInput(NamedTuple):
    """libclang's arguments, virtual files, the source first, and options; ``headers`` names the
    tier of the files."""

    arguments: tuple[str, ...]
    files: tuple[tuple[str, bytes], ...]
    headers: str
    options: int = 0


class OpenParse(NamedTuple):
    """A parse that is still held by libclang, and what it was made with.

    own_errors  the diagnostics that the project asks for itself, with ``#error``
    options     of libclang
    errors      all diagnostics of this parse; ``diagnostics`` may leave some of them out
    templates   missing headers, and the templates that are read in their place
    """

    arguments: tuple[str, ...]
    files: tuple[tuple[str, bytes], ...]
    handle: int
    source: SourceText
    diagnostics: tuple[Diagnostic, ...]
    headers: str
    own_errors: frozenset[Diagnostic] = frozenset()
    options: int = 0
    errors: tuple[Diagnostic, ...] = ()
    templates: tuple[tuple[str, str], ...] = ()


def parse_with(
    clang: Clang,
    request: Request,
    data: bytes,
    tier: tuple[tuple[str, ...], tuple[tuple[str, bytes], ...]],
    headers: str,
    parses: list[Parse],
) -> OpenParse:
    """One parse with the headers of a tier, which ``headers`` names; adds to ``parses``.

    Raises AnalysisError when libclang gives no syntax tree.
    """
    arguments = (*request.flags.arguments, *tier[0])
    path = absolute(request.path)
    others = tuple((absolute(name), text) for name, text in request.others)
    files = ((path, data), *others, *tier[1])
    parse = ParseInput(arguments=arguments, files=files, headers=headers)
    return _parsed(clang, request.path, parse, parses)


def _parsed(clang: Clang, given: str, parse: ParseInput, parses: list[Parse]) -> OpenParse:
    path, data = parse.files[0]
    begin_ns = time.time_ns()
    handle = clang.parse(path, parse.arguments, parse.files, parse.options, given=given)
    included = clang.included(handle)
    read = partial(clang.text_read, handle)
    parses.append(
        Parse(
            arguments=parse.arguments,
            included=included,
            begin_ns=begin_ns,
            fresh=tuple(fresh_digests(included, begin_ns, read)),
        )
    )
    source = SourceText(clang, handle, path, data, partial(inactive_ranges, clang, parse))
    return _open_parse(clang, handle, parse, source, GivenNames(given, path, included))


def parsed_in_part(
    clang: Clang, given: str, parse: ParseInput, handle: int, inactive: Callable[[], TextRanges]
) -> OpenParse:
    """The parse behind ``handle``, of the file's text with parts of it blanked, each at its place.

    ``inactive``: the ranges of the file that ``#if`` leaves out.
    """
    path, data = parse.files[0]
    source = SourceText(clang, handle, path, data, inactive)
    return _open_parse(clang, handle, parse, source, GivenNames(given, path, ()))


def _open_parse(
    clang: Clang, handle: int, parse: ParseInput, source: SourceText, names: GivenNames
) -> OpenParse:
    diagnostics, own_errors = _diagnostics(clang, handle, source, names)
    return OpenParse(
        arguments=parse.arguments,
        files=parse.files,
        handle=handle,
        source=source,
        diagnostics=diagnostics,
        headers=parse.headers,
        own_errors=own_errors,
        options=parse.options,
        errors=diagnostics,
    )


def inactive_ranges(clang: Clang, parse: ParseInput) -> TextRanges:
    """The ranges of the file that ``#if`` leaves out; none where libclang gives no syntax tree."""
    path, data = parse.files[0]
    try:
        handle = clang.parse(path, parse.arguments, parse.files, RECORD_PREPROCESSING | SKIP_BODIES)
    except AnalysisError:
        return []
    skipped = SourceText(clang, handle, path, data).skipped()
    clang.disposeTranslationUnit(handle)
    return skipped


def _diagnostics(
    clang: Clang, handle: int, source: SourceText, names: GivenNames
) -> tuple[tuple[Diagnostic, ...], frozenset[Diagnostic]]:
    """All errors, and those of them that an ``#error`` makes."""
    found: list[Diagnostic] = []
    own: set[Diagnostic] = set()
    for number in range(clang.getNumDiagnostics(handle)):
        diagnostic = clang.getDiagnostic(handle, number)
        if clang.getDiagnosticSeverity(diagnostic) >= SEVERITY_ERROR:
            location = clang.getDiagnosticLocation(diagnostic)
            offset = source.offset(location)
            span = source.span(max(0, offset), max(0, offset))
            message = names.in_text(clang.text(clang.getDiagnosticSpelling(diagnostic)))
            if offset < 0:
                name, at = source.elsewhere(location)
                if name and is_outside(name, source.path):
                    message = f"{names.given(name)}:{at} {_NOT_SHOWN}"
            line, column = (span.line, span.column) if offset >= 0 else (0, 0)
            if is_error(message) and not _is_of_template(message, source, location):
                found.append(error_at(line, column, message))
                if clang.text(clang.getDiagnosticCategoryText(diagnostic)) == _OWN_ERROR:
                    own.add(found[-1])
        clang.disposeDiagnostic(diagnostic)
    return tuple(dict.fromkeys(found)), frozenset(own)


def _is_of_template(message: str, source: SourceText, location: Location) -> bool:
    """Whether a template has a line there that its build replaces, as ``#cmakedefine``."""
    if not is_on_directive(message):
        return False
    name, _ = source.elsewhere(location)
    return name.endswith(options.TEMPLATE_SUFFIXES)


def with_absent_headers(
    clang: Clang, request: Request, parsed: OpenParse, parses: list[Parse]
) -> OpenParse:
    """The parse with empty files in place of the headers that are missing; ``parsed`` without any.

    A missing header ends libclang's work on templates and all further messages. With an empty one,
    only those statements are lost that need what it declares. Where the project has the template
    that its build makes the header of, that is read: what it configures stays undefined. Headers
    that its build gathers are read where they lie, and are not missing. All others stay errors.
    """
    gathered = dict(request.flags.gathered)
    absent: dict[str, Diagnostic] = {}
    templates: dict[str, str] = {}
    best = parsed
    for _ in range(MOST_ROUNDS):
        fresh = {d.subject: d for d in best.diagnostics if _can_be_empty(d)}
        if not fresh.keys() - absent.keys():
            break
        absent = fresh | absent
        templates = _templates(absent.keys() - gathered.keys(), parsed)
        parse = _with_stand_ins(parsed, dict.fromkeys(absent, "") | gathered | templates)
        try:
            attempt = _parsed(clang, request.path, parse, parses)
        except AnalysisError:
            break
        clang.disposeTranslationUnit(best.handle)
        best = attempt
    if best is parsed:
        return parsed
    missing = [each for name, each in absent.items() if name not in gathered]
    return best._replace(
        diagnostics=(*missing, *_besides_headers(best)),
        templates=tuple(sorted(templates.items())),
    )


def _with_stand_ins(parsed: OpenParse, read: Mapping[str, str]) -> ParseInput:
    """The input of a parse with what is ``read`` for each header by its name, or nothing."""
    quotable = {name: "" if _UNQUOTABLE & set(path) else path for name, path in read.items()}
    stand_ins = [
        (f"{ABSENT_ROOT}/{name}", b'#include "%s"\n' % os.fsencode(path) if path else b"")
        for name, path in sorted(quotable.items())
    ]
    return ParseInput(
        arguments=(*parsed.arguments, NO_LIMIT, "-idirafter", ABSENT_ROOT),
        files=(*parsed.files, *stand_ins),
        headers=parsed.headers,
        options=KEEP_GOING,
    )


def _besides_headers(parsed: OpenParse) -> list[Diagnostic]:
    return [d for d in parsed.diagnostics if d.kind != "missing-header"][:MOST_ERRORS]


def _templates(names: Iterable[str], parsed: OpenParse) -> dict[str, str]:
    """The files that the build of the project makes missing headers of, by their names."""
    folders, _ = search_path(parsed.arguments)
    home = os.path.dirname(parsed.files[0][0])
    found: dict[str, str] = {}
    for name in names:
        places = template_places(name, (home, *folders))
        template = next((each for each in places if os.path.isfile(each)), "")
        if template:
            found[name] = template
    return found


def _can_be_empty(diagnostic: Diagnostic) -> bool:
    """Whether a missing header has a name that an empty file may bear."""
    name = diagnostic.subject
    if diagnostic.kind != "missing-header" or os.path.isabs(name):
        return False
    return os.pardir not in name.split("/") and "\\" not in name

"""One source file to a ``Unit``: parse, choose headers, lower functions, account for loops."""

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from rooflint.compile_flags.installed import is_installed
from rooflint.compile_flags.regular_files import read_regular
from rooflint.errors import AnalysisError
from rooflint.frontend.lower import (
    calls,  # noqa: F401 - a handler registers when imported
    literals,  # noqa: F401 - a handler, as above
    lvalues,  # noqa: F401 - a handler, as above
)
from rooflint.frontend.lower.instances import (
    FileLowering,
    FunctionCandidate,
    LoweredCandidate,
    instances_of,
)
from rooflint.frontend.lower.loops import loops  # noqa: F401 - a handler, as above
from rooflint.frontend.lower.state.shared import TranslationUnitContext, UnitTraits
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import (
    CONTINUE,
    RECURSE,
    Clang,
    Cursor,
)
from rooflint.frontend.parse.headers import real_tier, shim_tier
from rooflint.frontend.parse.inputs import Parse
from rooflint.frontend.parse.open_parse import OpenParse, parse_with, with_absent_headers
from rooflint.frontend.parse.source import SourceText
from rooflint.frontend.parse.tree import visit
from rooflint.frontend.profiled_places import profiled_places
from rooflint.frontend.request import Request
from rooflint.ir import Diagnostic, Reason, Refusal, Unit
from rooflint.records import NamedTuple

_FUNCTIONS = frozenset(
    (kinds.FUNCTION, kinds.METHOD, kinds.CONSTRUCTOR, kinds.DESTRUCTOR, kinds.CONVERSION)
)
_SCOPES = frozenset(
    (kinds.NAMESPACE, kinds.LINKAGE, kinds.STRUCT, kinds.CLASS, kinds.CLASS_TEMPLATE,
     kinds.CLASS_PARTIAL)
)  # fmt: skip
_TEMPLATES = frozenset((kinds.FUNCTION_TEMPLATE, kinds.CLASS_TEMPLATE, kinds.CLASS_PARTIAL))
_LOOKED_AT = _FUNCTIONS | _SCOPES | {kinds.FUNCTION_TEMPLATE}
_HEADERS = frozenset(("missing-header", "misspelt-header"))


class Trace(NamedTuple):
    """Inputs of an extraction: the file as read, and each parse that was tried."""

    data: bytes
    parses: tuple[Parse, ...]


class ParsedFile(NamedTuple):
    """A parsed file: its functions with bodies, and what was assumed and read for it."""

    parsed: OpenParse
    candidates: list[FunctionCandidate]
    shared: TranslationUnitContext
    assumptions: tuple[str, ...]
    trace: Trace


@cache
def loaded_clang() -> Clang:
    """libclang, loaded once."""
    return Clang()


def extract(request: Request) -> Unit:
    """The file's functions with loops, its diagnostics, and every loop that was refused.

    Raises AnalysisError when the file cannot be read or libclang gives no syntax tree.
    """
    with parsed_file(request) as file:
        return unit_of_parse(request, file)


@contextmanager
def parsed_file(request: Request) -> Iterator[ParsedFile]:
    """The file's functions in libclang's hands, as long as the context lasts.

    Raises AnalysisError when the file cannot be read or libclang gives no syntax tree.
    """
    with without_collection(), _open_file(request) as file:
        yield file


@contextmanager
def without_collection() -> Iterator[None]:
    """Tens of thousands of objects are made that all live to the end: nothing to collect."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def _open_file(request: Request) -> Iterator[ParsedFile]:
    data = _read(request)
    parses: list[Parse] = []
    clang = loaded_clang()
    assumptions = list(request.flags.assumptions)
    if (request.flags.std or "").endswith(("98", "03")):
        request = request._replace(flags=request.flags.with_std("gnu++11"))
        assumptions.append("parsed as gnu++11: our declarations of the library need it")
    parsed = _parse(clang, request, data, parses)
    try:
        candidates, shared = file_candidates(clang, request, parsed)
        if _errors_in_loops(parsed, candidates):
            parsed, candidates, shared = _second_try(
                clang, request, data, (parsed, candidates, shared), assumptions, parses
            )
        whole = with_absent_headers(clang, request, parsed, parses)
        if whole is not parsed:
            parsed = whole
            candidates, shared = file_candidates(clang, request, parsed)
            for name, template in parsed.templates:
                shown = os.path.basename(template)
                assumptions.append(f"{name} is missing: read as {shown}, with nothing configured")
        yield ParsedFile(
            parsed=parsed,
            candidates=candidates,
            shared=shared,
            assumptions=tuple(assumptions),
            trace=Trace(data, tuple(parses)),
        )
    finally:
        clang.disposeTranslationUnit(parsed.handle)


def _read(request: Request) -> bytes:
    data = request.text
    if data is None:
        try:
            data = read_regular(request.path)
        except OSError as error:
            raise AnalysisError(error.strerror or str(error), request.path) from None
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").encode()
    return data


def _parse(clang: Clang, request: Request, data: bytes, parses: list[Parse]) -> OpenParse:
    tier = shim_tier(request.flags.language)
    try:
        return parse_with(clang, request, data, tier, "shims", parses)
    except AnalysisError:
        reduced = request._replace(flags=request.flags.reduced())
        return parse_with(clang, reduced, data, tier, "shims", parses)


def file_candidates(
    clang: Clang, request: Request, parsed: OpenParse, blank: frozenset[int] = frozenset()
) -> tuple[list[FunctionCandidate], TranslationUnitContext]:
    """Functions with bodies in the file itself, in its order; those that begin at the offsets
    ``blank`` were left out of the parse."""
    source = parsed.source
    traits = UnitTraits(
        handle=parsed.handle,
        language=request.flags.language,
        aliasing=request.flags.aliasing,
        openmp=request.flags.code.obeys_openmp,
        errors=frozenset([d.line for d in parsed.diagnostics if d not in parsed.own_errors]),
        straight=request.straight,
        blank=blank,
    )
    shared = TranslationUnitContext(clang, source, traits)
    found: list[FunctionCandidate] = []
    templates: set[int] = set()
    root = clang.getTranslationUnitCursor(parsed.handle)

    def callback(cursor: Cursor, parent: Cursor) -> int:
        kind = cursor.kind
        if kind not in _LOOKED_AT or parent.kind == kinds.FUNCTION_TEMPLATE:
            return CONTINUE
        if parent.d0 == root.d0 and not source.is_here(cursor):
            return CONTINUE
        if kind in _TEMPLATES or parent.key in templates:
            templates.add(cursor.key)
        if kind in _SCOPES:
            return RECURSE
        begin, end = source.extent(cursor)
        if begin >= 0:
            found.append(FunctionCandidate(cursor, begin, end, cursor.key in templates))
        return CONTINUE

    visit(clang, root, callback)
    shared.note_functions([(each.begin, each.end) for each in found])
    return found, shared


def _errors_in_loops(parsed: OpenParse, candidates: list[FunctionCandidate]) -> bool:
    """Whether an error lies in a function that may loop, or before all of them."""
    lines = {d.line for d in parsed.diagnostics if d not in parsed.own_errors}
    if not lines:
        return False
    source = parsed.source
    covered: set[int] = set()
    for candidate in candidates:
        first, last = source.line(candidate.begin), source.line(candidate.end)
        touched = {line for line in lines if first <= line <= last}
        covered |= touched
        if touched and source.may_loop(candidate.begin, candidate.end):
            return True
    return bool(lines - covered)


Attempt = tuple[OpenParse, list[FunctionCandidate], TranslationUnitContext]


def _second_try(
    clang: Clang,
    request: Request,
    data: bytes,
    first: Attempt,
    assumptions: list[str],
    parses: list[Parse],
) -> Attempt:
    """The parse with the machine's own headers, or as old C; kept when it has fewer errors."""
    best = first
    for attempt in _other_ways(clang, request, data, first[0], parses):
        try:
            parsed = attempt()
        except AnalysisError:
            continue
        if len(parsed.diagnostics) < len(best[0].diagnostics):
            clang.disposeTranslationUnit(best[0].handle)
            best = (parsed, *file_candidates(clang, request, parsed))
        else:
            clang.disposeTranslationUnit(parsed.handle)
        if not best[0].diagnostics:
            break
    if best[0].headers.startswith("gnu89"):
        assumptions.append("parsed as gnu89: the file is older C than its flags say")
    return best


def _other_ways(
    clang: Clang, request: Request, data: bytes, first: OpenParse, parses: list[Parse]
) -> list[Callable[[], OpenParse]]:
    ways: list[Callable[[], OpenParse]] = []
    language = request.flags.language
    if language == "c" and any(d.kind == "missing-type" for d in first.diagnostics):
        old = request._replace(flags=request.flags.with_std("gnu89"))
        tier_of_old = shim_tier(language)
        ways.append(lambda: parse_with(clang, old, data, tier_of_old, "gnu89 shims", parses))
    tier = real_tier(language)
    if tier is not None and not _only_lacks_headers(first):
        ways.append(lambda: parse_with(clang, request, data, tier, "real", parses))
    return ways


def unit_of_parse(request: Request, file: ParsedFile) -> Unit:
    """The loops of a file that is in libclang's hands."""
    return unit_of_lowering(request, file, lowered_file(request, file))


class LoweredFile(NamedTuple):
    """The functions of a file that loop, each by itself, and what all of them have together.

    no_loops  offsets of ``do`` statements that run once, and of loops that never run
    problems  bugs that were met
    """

    lowered: tuple[LoweredCandidate, ...]
    no_loops: frozenset[int]
    problems: tuple[Diagnostic, ...] = ()


def lowered_file(request: Request, file: ParsedFile) -> LoweredFile:
    """Lowers the functions of a file that is in libclang's hands."""
    shared, source = file.shared, file.parsed.source
    looping = [c for c in file.candidates if request.straight or may_loop(c, source)]
    lowering = FileLowering(shared, source)
    lowered = [
        lowering.lower_candidate(candidate, instances)
        for candidate, instances in instances_of(shared, file.candidates, looping)
    ]
    return LoweredFile(
        lowered=tuple(lowered),
        no_loops=frozenset(shared.no_loops),
        problems=tuple(lowering.problems),
    )


def unit_of_lowering(request: Request, file: ParsedFile, lowering: LoweredFile) -> Unit:
    """The file's functions together, with the loops that no function has."""
    parsed, candidates = file.parsed, file.candidates
    source, lowered, problems = parsed.source, lowering.lowered, lowering.problems
    seen: set[int] = set().union(*[each.seen for each in lowered])
    gotos: set[int] = set().union(*[each.gotos for each in lowered])
    functions = tuple([function for each in lowered for function in each.functions])
    refused = _refused(parsed, seen | lowering.no_loops)
    refusals = [_refusal(source, offset, candidates, parsed, problems) for offset in refused]
    refusals += [_goto_loop(source, offset) for offset in sorted(gotos)]
    return Unit(
        request.path,
        request.flags.language,
        functions,
        (*parsed.diagnostics, *problems),
        tuple(refusals),
        source.comments(),
        tuple(dict.fromkeys(file.assumptions)),
        parsed.headers,
        len(seen.union(refused, gotos)),
        source.data.decode("utf-8", "replace") if functions or refusals else "",
        request.flags.borrowed,
        profiled_places(file.shared, request, [each.candidate.cursor for each in lowered]),
    )


def _refused(parsed: OpenParse, seen: set[int]) -> list[int]:
    """Offsets of loop keywords in active code that no lowered loop begins with."""
    source = parsed.source
    refused = [offset for offset in source.all_keywords if offset not in seen]
    if not refused or b"#" not in source.data:
        return refused
    return [offset for offset in source.loop_keywords(source.inactive) if offset not in seen]


def may_loop(candidate: FunctionCandidate, source: SourceText) -> bool:
    """A function with a loop keyword, a call that loops, or a macro that hides one."""
    return source.may_loop(candidate.begin, candidate.end) or source.uses_loop_macro(
        candidate.begin, candidate.end
    )


def _only_lacks_headers(parsed: OpenParse) -> bool:
    """Whether all that is wrong is a header that the machine's own headers do not have either."""
    return all(d.kind in _HEADERS and not is_installed(d.subject) for d in parsed.diagnostics)


def _goto_loop(source: SourceText, offset: int) -> Refusal:
    span = source.span(max(0, offset), max(0, offset))
    return Refusal(span.line, span.column, Reason("goto-loop"))


def _refusal(
    source: SourceText,
    offset: int,
    candidates: list[FunctionCandidate],
    parsed: OpenParse,
    problems: Sequence[Diagnostic],
) -> Refusal:
    span = source.span(offset, offset)
    inside = next((c for c in candidates if c.begin <= offset < c.end), None)
    first, last = (source.line(inside.begin), source.line(inside.end)) if inside else (1, span.line)
    near = [d for d in parsed.diagnostics if d.line and first <= d.line <= last]
    missing = [d.message for d in parsed.diagnostics if d.kind in _HEADERS]
    if any(first <= d.line <= last for d in problems):
        reason = Reason("internal-error")
    elif near:
        closest = min(near, key=lambda d: abs(d.line - span.line))
        reason = Reason("uncompiled-here", (missing[0] if missing else closest.message,))
    elif missing:
        reason = Reason("uncompiled", (missing[0],))
    else:
        reason = Reason("no-loop-shown" if inside is not None else "outside-functions")
    return Refusal(span.line, span.column, reason)

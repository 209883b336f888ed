"""Parsing alone, with libclang's own Python bindings: what the front end is measured against.

``clang.cindex`` on purpose, not the front end's own layer: a check must not share what it checks.
"""

import ctypes
import time

from clang import cindex
from rooflint.frontend.parse.headers import real_tier, shim_tier
from rooflint.frontend.request import Request


class _Ranges(ctypes.Structure):
    _fields_ = (("count", ctypes.c_uint), ("ranges", ctypes.POINTER(cindex.SourceRange)))


def parse(request: Request, headers: str = "real", options: int = 0) -> cindex.TranslationUnit:
    """The translation unit; ``headers`` is ``real`` or ``shims`` as a Unit names its tier.

    Raises TranslationUnitLoadError where libclang gives none.
    """
    language = request.flags.language
    tier = real_tier(language) if headers.endswith("real") else None
    arguments, files = tier or shim_tier(language)
    flags = request.flags.with_std("gnu89") if headers.startswith("gnu89") else request.flags
    unsaved = [(name, data.decode("utf-8")) for name, data in files]
    return cindex.TranslationUnit.from_source(
        request.path, [*flags.arguments, *arguments], unsaved, options
    )


def parse_seconds(request: Request) -> float:
    """CPU seconds of one parse with the machine's own headers, disposal not counted."""
    begin = time.process_time()
    unit = parse(request)
    seconds = time.process_time() - begin
    del unit
    return seconds


def skipped(request: Request, headers: str) -> list[tuple[int, int]]:
    """Byte ranges of the file that ``#if`` and its kin leave out, under the same headers."""
    record = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    unit = parse(request, headers, record)
    library = cindex.conf.lib
    library.clang_getSkippedRanges.restype = ctypes.POINTER(_Ranges)
    library.clang_getSkippedRanges.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    file = unit.get_file(request.path)
    listed = library.clang_getSkippedRanges(unit.obj, file.obj).contents
    found = []
    for number in range(listed.count):
        area = listed.ranges[number]
        found.append((area.start.offset, area.end.offset))
    return found

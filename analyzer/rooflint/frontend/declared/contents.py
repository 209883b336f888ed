"""Digests of all source that a function's machine code rests on: what makes a measurement old.

Of its own file: the function, those that it calls, and everything outside of functions. Headers of
the project count whole: macros and types of theirs may be used anywhere.
"""

from collections.abc import Iterable

from rooflint.compile_flags.regular_files import read_regular
from rooflint.frontend.extract import ParsedFile
from rooflint.frontend.parse.inputs import project_headers
from rooflint.frontend.request import Request
from rooflint.workers.digest import blake2b

DIGEST_BYTES = 16
Extent = tuple[int, int]
"""Byte offsets of the first character and of the one behind the last."""


class FileContents:
    """The contents of one parsed file."""

    def __init__(self, request: Request, file: ParsedFile) -> None:
        self.shared = file.shared
        self._text = file.shared.source.uncommented
        functions = {(each.begin, each.end) for each in file.candidates}
        outside = [self._text[begin:end] for begin, end in _between(functions, len(self._text))]
        self._common = [*filter(None, map(_code, outside)), *_headers(request, file)]

    def digest(self, function: Extent, called: Iterable[Extent]) -> str:
        """Of a function and those that it calls; the same wherever in the file they stand."""
        own = _code(self._text[slice(*function)])
        others = sorted({_code(self._text[slice(*each)]) for each in called} - {own})
        digest = blake2b(digest_size=DIGEST_BYTES)
        for part in (own, *others, b"", *self._common):
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
        return digest.hexdigest()


def _between(functions: Iterable[Extent], length: int) -> Iterable[Extent]:
    """The text outside of all functions, in order."""
    last = 0
    for begin, end in sorted(functions):
        if begin > last:
            yield last, begin
        last = max(last, end)
    yield last, length


def _code(text: bytes) -> bytes:
    """Lines without indentation and trailing blanks; empty ones are left out."""
    lines = (b" ".join(line.split()) for line in text.splitlines())
    return b"\n".join([line for line in lines if line])


def _headers(request: Request, file: ParsedFile) -> list[bytes]:
    unsaved = dict(request.others)
    contents = []
    for path in project_headers(request.path, file.trace.parses):
        if path in unsaved:
            contents.append(unsaved[path])
            continue
        try:
            contents.append(read_regular(path))
        except OSError:
            contents.append(b"")
    return contents

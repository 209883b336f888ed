"""Translation units that libclang keeps between the edits of a file.

What a file includes before its first declaration is read once, as the unit's precompiled preamble,
and a parse after an edit begins behind it.
"""

from typing import Final

from rooflint.errors import AnalysisError
from rooflint.frontend.extract import loaded_clang
from rooflint.frontend.parse.clang_c import PREAMBLE_FROM_THE_FIRST_PARSE
from rooflint.frontend.parse.open_parse import ParseInput

_MOST: Final = 4
"""Units kept at once: two files, each with two sets of headers. One holds a syntax tree and a
preamble, some tens of MB for a large C++ file."""


class KeptUnits:
    """The translation units of the files edited last."""

    def __init__(self) -> None:
        self._handles: dict[tuple[object, ...], int] = {}

    def parse(self, given: str, parse: ParseInput, text: bytes) -> int:
        """The handle of a parse of ``text`` in place of the file's. It is kept here, and the next
        parse with the same arguments ends its cursors.

        Raises AnalysisError when libclang gives no syntax tree.
        """
        clang = loaded_clang()
        path = parse.files[0][0]
        files = ((path, text), *parse.files[1:])
        key = (path, parse.arguments, parse.options, *[name for name, _ in files])
        handle = self._handles.pop(key, None)
        if handle is None:
            options = parse.options | PREAMBLE_FROM_THE_FIRST_PARSE
            handle = clang.parse(path, parse.arguments, files, options, given=given)
        else:
            try:
                clang.parse_again(handle, files, given)
            except AnalysisError:
                clang.disposeTranslationUnit(handle)
                raise
        self._handles[key] = handle  # the youngest is the last one
        self._keep(_MOST)
        return handle

    def clear(self) -> None:
        """Gives all units back to libclang."""
        self._keep(0)

    def _keep(self, most: int) -> None:
        for key in list(self._handles)[: max(0, len(self._handles) - most)]:
            loaded_clang().disposeTranslationUnit(self._handles.pop(key))

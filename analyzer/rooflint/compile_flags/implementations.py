"""Headers that hold a library's bodies behind a macro, which one source of a program defines.

``#ifdef STB_IMAGE_IMPLEMENTATION`` is the usual form: read as it is, such a header has no code.
"""

import os
import re
from collections.abc import Sequence
from typing import Final

from rooflint.compile_flags import options
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.regular_files import read_regular
from rooflint.startup.late_pattern import late_pattern

_MARK: Final = b"_IMPL"
_TESTED = late_pattern(
    rb"^[ \t]*#[ \t]*if(?:def[ \t]+|\b[^\n]*?\bdefined[ \t(]*)(\w+_IMPL(?:EMENTATION)?)\b",
    re.MULTILINE,
)
_DEFINED = late_pattern(rb"^[ \t]*#[ \t]*define[ \t]+(\w+_IMPL(?:EMENTATION)?)\b", re.MULTILINE)


def with_implementation(path: str, flags: Flags) -> Flags:
    """The flags of a file; of a header with bodies behind a macro, with that macro defined.

    Macros that the flags or the header itself set stay as they are.
    """
    if os.path.splitext(path)[1] not in options.HEADERS:
        return flags
    try:
        text = read_regular(path)
    except (OSError, ValueError):  # the analysis refuses it, with the reason
        return flags
    names = _waited_for(text, flags.options) if _MARK in text else []
    if not names:
        return flags
    note = f"parsed with {', '.join(names)} defined, as in the source that compiles its bodies"
    return flags._replace(
        options=(*flags.options, *(f"-D{name}" for name in names)),
        assumptions=(*flags.assumptions, note),
    )


def _waited_for(text: bytes, given: Sequence[str]) -> list[str]:
    known = {option[2:].partition("=")[0] for option in given if option[:2] in ("-D", "-U")}
    known.update(name.decode() for name in _DEFINED.findall(text))
    tested = dict.fromkeys(name.decode() for name in _TESTED.findall(text))
    return [name for name in tested if name not in known]

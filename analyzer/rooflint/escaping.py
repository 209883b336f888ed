r"""Names, comments and messages as people may see them: in one line, with nothing hidden in it.

Text of a stranger's tree can move a terminal's cursor, turn the direction of reading around, hide
between two letters, or be bytes that are no text at all (which Python carries as lone surrogates).
Every door shows such characters as codes: ``\x1b``, ``\u202e``, ``\xff`` for a byte of a name.
"""

import re
from typing import Final

# Control characters, line separators, everything that Unicode 15 lists as ignorable by default (it
# has no glyph, and turns or joins what surrounds it), interlinear marks, and lone surrogates.
HIDDEN: Final = (
    "\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN: Final = re.compile(f"[{HIDDEN}]")
_HIDDEN_IN_CODE: Final = re.compile(f"(?!\t)[{HIDDEN}]")
_HIDDEN_IN_JSON: Final = re.compile(f"(?!\n)[{HIDDEN}]")
_LINE_BREAKS: Final = ("\n", "\r", "\t")
_BYTES_OF_NAMES: Final = range(0xDC80, 0xDD00)
"""What ``surrogateescape`` makes of the bytes 0x80 to 0xff."""


def visible(text: str) -> str:
    """``text`` in one line, hidden characters as codes."""
    return _HIDDEN.sub(_code, text)


def visible_code(line: str) -> str:
    """A line of source: the same, but tabs stay tabs."""
    return _HIDDEN_IN_CODE.sub(_code, line)


def is_text(text: str) -> bool:
    """Whether it can be written as UTF-8; bytes of a file that are none cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def json_text(document: object, indent: int | None = 1) -> str:
    r"""JSON that is the same data with no hidden character in it: JSON's own ``\u202e``."""
    import json  # noqa: PLC0415 - 3 ms of start-up that a text report does not pay

    text = json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)
    # between its tokens JSON has line ends and spaces, inside strings they are escaped already
    return _HIDDEN_IN_JSON.sub(lambda match: json.dumps(match[0])[1:-1], text)


def _code(match: re.Match[str]) -> str:
    character = match[0]
    number = ord(character)
    if number in _BYTES_OF_NAMES:
        return f"\\x{number & 0xFF:02x}"
    if character in _LINE_BREAKS:
        return repr(character)[1:-1]
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"

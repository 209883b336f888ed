r"""Names, comments and messages as people may see them: in one line, with nothing hidden in it.

Text of a stranger's tree can move a terminal's cursor, turn the direction of reading around, hide
between two letters, or be bytes that are no text at all (which Python carries as lone surrogates).
Every door shows such characters as codes: ``\x1b``, ``\u202e``, ``\xff`` for a byte of a name.
"""

from typing import Final

HIDDEN: Final = (
    (0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160),
    (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F),
    (0x3164, 0x3164), (0xD800, 0xDFFF), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB), (0xFFFE, 0xFFFF), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""First and last of control characters, line separators, everything that Unicode 15 lists as
ignorable by default (it has no glyph, and turns or joins what surrounds it), interlinear marks, and
lone surrogates."""
_LINE_BREAKS: Final = {0x0A: r"\n", 0x0D: r"\r", 0x09: r"\t"}
_BYTES_OF_NAMES: Final = range(0xDC80, 0xDD00)
"""What ``surrogateescape`` makes of the bytes 0x80 to 0xff."""


class _Codes(dict[int, str]):
    """Maps each character to its replacement, as ``str.translate`` asks for it."""

    def __missing__(self, number: int) -> str:
        hidden = any(first <= number <= last for first, last in HIDDEN)
        code = self[number] = self.code(number) if hidden else chr(number)
        return code

    def code(self, number: int) -> str:
        if number in _BYTES_OF_NAMES:
            return f"\\x{number & 0xFF:02x}"
        if number in _LINE_BREAKS:
            return _LINE_BREAKS[number]
        if number < 0x100:
            return f"\\x{number:02x}"
        return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


class _JsonCodes(_Codes):
    """The same inside of strings of JSON."""

    def code(self, number: int) -> str:
        import json  # noqa: PLC0415 - as in ``json_text``

        return json.dumps(chr(number))[1:-1]


_CODES: Final = _Codes()
_CODES_IN_CODE: Final = _Codes({0x09: "\t"})
_CODES_IN_JSON: Final = _JsonCodes()


def visible(text: str) -> str:
    """``text`` in one line, hidden characters as codes."""
    return text if text.isascii() and text.isprintable() else text.translate(_CODES)


def visible_code(line: str) -> str:
    """A line of source: the same, but tabs stay tabs."""
    return line if line.isascii() and line.isprintable() else line.translate(_CODES_IN_CODE)


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
    lines = text.split("\n")
    return "\n".join([
        line if line.isascii() and line.isprintable() else line.translate(_CODES_IN_JSON)
        for line in lines
    ])  # fmt: skip

"""Closed forms and values as the source has them, for sentences that people read."""

import re

_MARK = re.compile(r"(?<![\w)\]])\?(?:access )?(?=\S)")
_CONVERSION = re.compile(r"\bconvert\(([^()]*)\)")


def plain(text: object) -> str:
    """``text`` without the marks of values that have no closed form: ``x`` for ``?x``.

    The ``?`` of a conditional expression stays. Conversions show what they convert.
    """
    said = _MARK.sub("", str(text))
    while (shorter := _CONVERSION.sub(r"\1", said)) != said:
        said = shorter
    return said

"""Closed forms and values as the source has them, for sentences that people read."""

import re

from rooflint.ir import Reason

_MARK = re.compile(r"(?<![\w)\]])\?(?:access )?(?=\S)")
_AGAIN = re.compile(r"\b([A-Za-z_]\w*)'\d+")
_CONVERSION = re.compile(r"\bconvert\(([^()]*)\)")


def plain(text: object) -> str:
    """``text`` without the marks of values that have no closed form: ``x`` for ``?x``.

    The ``?`` of a conditional expression stays. Conversions show what they convert.
    """
    said = _MARK.sub("", str(text))
    while (shorter := _CONVERSION.sub(r"\1", said)) != said:
        said = shorter
    return said


def as_written(text: object) -> str:
    """``plain`` with the source's own names: ``i`` for ``i'2``, the second thing called that."""
    return _AGAIN.sub(r"\1", plain(text))


def plain_reason(reason: Reason) -> Reason:
    """The same reason with its arguments as the source has them."""
    return Reason(
        reason.kind,
        tuple([plain(each) if isinstance(each, str) else plain_reason(each)
               for each in reason.arguments]),
    )  # fmt: skip

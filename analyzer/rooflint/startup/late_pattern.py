"""Regular expressions that are compiled where they are first used.

To compile one takes 0.1 ms, modules define more than a hundred, and a run uses a quarter of them.
"""

import re
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from re import compile as late_pattern
else:

    def late_pattern(text: str | bytes, flags: int = 0) -> "LatePattern":
        """The pattern, to be used as ``re.compile`` would give it, but not as an argument of it."""
        return LatePattern(text, flags)


__all__ = ["late_pattern"]
METHODS = ("finditer", "findall", "fullmatch", "match", "search", "split", "sub", "subn")


class LatePattern:
    """Stands for a pattern; its first use fetches the methods of the pattern itself."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._compile = partial(re.compile, text, flags)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        pattern = self._compile()
        for method in METHODS:
            setattr(self, method, getattr(pattern, method))
        return getattr(pattern, name)

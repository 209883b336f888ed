"""Lint rules: one module and one page each, found by their names (``rl101_column_walk``)."""

import re
from collections.abc import Iterator
from pathlib import Path

_RULE = re.compile(r"rl\d{3}_\w+")


def modules() -> Iterator[str]:
    """The modules of this folder that have a ``RULE``, in the order of their codes."""
    for path in sorted(Path(__file__).parent.glob("rl*.py")):
        if _RULE.fullmatch(path.stem):
            yield f"{__name__}.{path.stem}"

"""Lint rules: one module and one page each, discovered by their names (``rl101_column_walk``)."""

from collections.abc import Iterator
from pathlib import Path


def modules() -> Iterator[str]:
    """The modules of this folder that have a ``RULE``, in the order of their codes."""
    for path in sorted(Path(__file__).parent.glob("rl[0-9][0-9][0-9]_*.py")):
        yield f"{__name__}.{path.stem}"

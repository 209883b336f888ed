"""Where results are kept that cost seconds."""

from collections.abc import Iterable
from typing import Protocol


class TextStore(Protocol):
    """Texts by key, each valid as long as the files that it was made from are the same."""

    def read(self, key: str) -> str | None:
        """The text; None for a miss."""

    def write(self, key: str, text: str, made_from: Iterable[str] = ()) -> None:
        """Keeps a text, if there is room for it."""

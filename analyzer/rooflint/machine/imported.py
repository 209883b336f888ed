"""Machine files made from those of other tools, and the proof that they can be loaded."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from rooflint.errors import ConfigurationError
from rooflint.machine.load import load_machine
from rooflint.records import NamedTuple


class ImportedMachine(NamedTuple):
    """The text of a machine file and, in words, what of it is not the original's or is left out."""

    text: str
    losses: tuple[str, ...]


def check_imported(text: str, name: str, dirs: Sequence[Path], source: Path, line: int = 0) -> None:
    """Raises ConfigurationError, at ``line`` of ``source``, for the text of no possible machine."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.yaml"
        file.write_text(text, encoding="utf-8")
        try:
            load_machine(file, dirs)
        except ConfigurationError as error:
            reason = f"describes no possible machine: {error.problem}"
            raise ConfigurationError(reason, str(source), line) from None

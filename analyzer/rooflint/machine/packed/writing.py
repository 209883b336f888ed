"""Packs the machine files of a folder: ``python -m rooflint.machine.packed.writing FOLDER``."""

import sys
from collections.abc import Iterator
from pathlib import Path

from rooflint.machine.document import read_document
from rooflint.machine.inherit import parent_of
from rooflint.machine.load import load_machine
from rooflint.machine.packed import packed_content, packed_place


def pack_machines(folder: Path) -> None:
    """Writes the packed form of each machine file of ``folder``, and removes all others.

    Raises ConfigurationError for a file that is not valid.
    """
    kept = set()
    for file in sorted(folder.glob("*.yaml")):
        place = packed_place(file)
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(packed_content(load_machine(file), made_from(file)))
        kept.add(place)
    for place in (folder / "packed").glob("*"):
        if place not in kept:
            place.unlink()


def made_from(file: Path) -> Iterator[Path]:
    """A machine file and those that it extends, all in its folder."""
    yield file
    parent = parent_of(read_document(file), file, ())
    if parent is not None:
        yield from made_from(parent)


if __name__ == "__main__":
    pack_machines(Path(sys.argv[1]))

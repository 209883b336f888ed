"""Machine files as they were read when the program was installed: no YAML at each start.

A packed machine lies in the folder ``packed`` beside its file. It counts only while the files that
it was made from, and the modules that read them, are what they were; else the file is read.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from rooflint.machine.model import Machine
from rooflint.workers.digest import blake2b
from rooflint.workers.wire import Codec, WireError

FOLDER: Final = "packed"
SUFFIX: Final = ".machine"
DIGEST_BYTES: Final = 16
MACHINES: Final = Codec[Machine](Machine)
READERS: Final = Path(__file__).parents[1]
"""The folder of the modules that read machine files."""


def packed_machine(file: Path) -> Machine | None:
    """The machine of a file, by its packed form; None where there is none that counts."""
    try:
        content = packed_place(file).read_bytes()
        head, _, rest = content.partition(b"\n")
        files = [file.with_name(name) for name in head.decode().split("/")]
        if rest[:DIGEST_BYTES] != digest_of(files):
            return None
        machine = MACHINES.decode(rest[DIGEST_BYTES:])
    except (OSError, ValueError, WireError):
        return None
    return replace(machine, file=str(file))


def packed_content(machine: Machine, files: Iterable[Path]) -> bytes:
    """The packed form of a machine that was made from ``files`` of one folder."""
    files = list(files)
    names = "/".join(file.name for file in files)
    # its place is that where it is found
    body = MACHINES.encode(replace(machine, file=""))
    return names.encode() + b"\n" + digest_of(files) + body


def packed_place(file: Path) -> Path:
    """Where the packed form of a machine file lies."""
    return file.parent / FOLDER / (file.stem + SUFFIX)


def digest_of(files: Iterable[Path]) -> bytes:
    """Of these files, and of the modules that read them; raises OSError."""
    readers = [Path(each.path) for each in os.scandir(READERS) if each.name.endswith(".py")]
    state = blake2b(digest_size=DIGEST_BYTES)
    for path in (*sorted(readers), *files):
        content = path.read_bytes()
        state.update(len(content).to_bytes(8, "little"))
        state.update(content)
    return state.digest()

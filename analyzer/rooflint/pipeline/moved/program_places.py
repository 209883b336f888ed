"""The places of all files of a program, and which files have moved since an earlier run."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from rooflint.ir.equations import Equations
from rooflint.pipeline.moved.moved_file import MovedFile
from rooflint.pipeline.moved.placeless import PLACES, FilePlaces
from rooflint.program.solved.chains import step_begin
from rooflint.scenario.values import FileScenario
from rooflint.workers.wire import Codec

SCENARIOS: Final = Codec[FileScenario](FileScenario)


class ProgramPlaces:
    """Those of this run: of each file its path and its ``packed`` places, empty where every place
    counts."""

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        pairs = tuple(files)
        self._paths = tuple([path for path, _ in pairs])
        self.packed = tuple([packed for _, packed in pairs])

    @cached_property
    def by_path(self) -> Mapping[str, FilePlaces]:
        """The places of each file that has some."""
        pairs = zip(self._paths, self.packed, strict=True)
        return {path: PLACES.decode(packed) for path, packed in pairs if packed}

    def moves_since(self, before: Sequence[bytes]) -> Iterator[tuple[int, MovedFile]]:
        """The files that moved since the places were those, each with its number."""
        files = zip(self._paths, before, self.packed, strict=True)
        for number, (path, old, new) in enumerate(files):
            if old != new:
                yield number, MovedFile(path, PLACES.decode(old), PLACES.decode(new))

    def may_mistake(self, file: MovedFile, values: Iterable[bytes]) -> bool:
        """Whether steps of chains in these values may lie in a file of the same name in another
        folder."""
        shared = self._names[os.path.basename(file.path)] > 1
        return shared and leads_through(file.path, values)

    @cached_property
    def _names(self) -> Counter[str]:
        return Counter(map(os.path.basename, self._paths))


def moved_values(
    values: Sequence[bytes], number: int, file: MovedFile, equations: Equations
) -> tuple[bytes, ...]:
    """The packed values of all files where one of them has moved, whose ``equations`` are those of
    now."""
    own = {number: equations}
    return tuple([_moved(each, file, own.get(n)) for n, each in enumerate(values)])


def values_of_changed(
    values: Sequence[bytes],
    moves: Iterable[tuple[int, MovedFile]],
    changed: Mapping[int, Equations],
) -> Mapping[int, bytes]:
    """The packed values of the files that ``changed``, by their numbers, once files have moved."""
    found = {number: values[number] for number in changed}
    for number, file in moves:
        for each, packed in found.items():
            found[each] = _moved(packed, file, changed[each] if each == number else None)
    return found


def _moved(packed: bytes, file: MovedFile, own: Equations | None) -> bytes:
    """The packed values of any file once ``file`` has moved; ``own``: its equations, where the
    values are those of that one."""
    if own is not None:
        return SCENARIOS.encode(file.scenario(SCENARIOS.decode(packed), own))
    if not leads_through(file.path, (packed,)):
        return packed
    return SCENARIOS.encode(file.with_steps(SCENARIOS.decode(packed)))


def leads_through(path: str, values: Iterable[bytes]) -> bool:
    """Whether a chain of these packed values may have a step in the file, or in one of its name."""
    mark = step_begin(path).encode("utf-8", "surrogatepass")
    return any(mark in packed for packed in values)

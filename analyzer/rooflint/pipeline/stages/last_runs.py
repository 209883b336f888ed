"""The last runs over the same files with the same options: what an edit of a few files starts from.

Their key has no content of a file.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from rooflint.incremental.store import ContentKey
from rooflint.pipeline.advice.places import LoopPlaces
from rooflint.pipeline.files import PlacelessForm
from rooflint.pipeline.results import EarlierResults
from rooflint.pipeline.weights.placed_times import FileShares, ProgramShares
from rooflint.records import NamedTuple
from rooflint.workers.wire import Codec

MOST_RUNS: Final = 3
"""That are known: an edit, the text before it, and another one."""
MOST_CHANGED: Final = 8
"""Files that differ in a run that starts from an earlier one."""


FILE_SHARES: Final = Codec[FileShares](FileShares)


class LastRun(NamedTuple):
    """A run by its key, and its program beside the results.

    values    the key of the values that files have in the program
    forms     of the equations of each file
    loops     that got advice, by the path of their file
    shares    those of the program without its files
    files     the packed shares of each file, by its normal path
    contents  digests of the files, in order
    """

    run: ContentKey
    values: ContentKey
    forms: tuple[PlacelessForm, ...]
    loops: Mapping[str, LoopPlaces]
    shares: ProgramShares
    files: Mapping[str, bytes]
    contents: tuple[str, ...] = ()

    def shares_of(self, path: str) -> ProgramShares:
        """The shares of one file, by its normal path."""
        packed = self.files.get(path, b"")
        return self.shares._replace(files={path: FILE_SHARES.decode(packed)} if packed else {})


def packed_files(shares: ProgramShares) -> Mapping[str, bytes]:
    """The shares of each file of a program."""
    return {path: FILE_SHARES.encode(each) for path, each in shares.files.items()}


class LastRunsEntry(NamedTuple):
    """The stored last runs, the newest first."""

    runs: tuple[LastRun, ...] = ()


LAST_RUNS: Final = Codec[LastRunsEntry](LastRunsEntry)


class LastRuns:
    """Those of one key."""

    def __init__(self, known: EarlierResults, key: ContentKey, contents: Sequence[str]) -> None:
        """``contents``: of this run."""
        self._known, self._key = known, key
        self.contents = tuple(contents)

    def nearest(self) -> LastRun | None:
        """The run from which the fewest files differ, if those are few."""
        runs = [each for each in self._entry().runs if len(each.contents) == len(self.contents)]
        nearest = min(runs, key=lambda each: len(self.numbers_since(each)), default=None)
        if nearest is None or not 0 < len(self.numbers_since(nearest)) <= MOST_CHANGED:
            return None
        return nearest

    def numbers_since(self, run: LastRun) -> list[int]:
        """The numbers of the files that differ from those of a run."""
        pairs = zip(run.contents, self.contents, strict=True)
        return [number for number, (old, new) in enumerate(pairs) if old != new]

    def keep(self, run: LastRun) -> None:
        """Keeps this run in front of the others."""
        last = run._replace(contents=self.contents)
        others = [each for each in self._entry().runs if each.contents != self.contents]
        entry = LastRunsEntry((last, *others[: MOST_RUNS - 1]))
        self._known.keep_entry(LAST_RUNS, self._key, entry)

    def _entry(self) -> LastRunsEntry:
        return self._known.entry(LAST_RUNS, self._key) or LastRunsEntry()

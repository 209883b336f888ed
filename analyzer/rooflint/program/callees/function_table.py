"""The functions that have a body in one of a program's files."""

from collections.abc import Sequence

from rooflint.ir.equations import Equations
from rooflint.ir.unit import Span
from rooflint.records import NamedTuple


class ProgramFunction(NamedTuple):
    """A function with a body; ``file`` is the number of the file whose copy of it counts.

    ``span`` is None in a header.
    """

    key: str
    name: str
    path: str
    file: int
    span: Span | None
    entry: bool


class FunctionTable:
    """The functions of a program: by file and key, since programs of one run may share names."""

    def __init__(self, files: Sequence[Equations]) -> None:
        self.functions: list[ProgramFunction] = []
        self.own: list[dict[str, int]] = [{} for _ in files]
        self._by_key: dict[str, list[int]] = {}
        self._overriders: dict[str, dict[str, None]] = {}
        self._candidates: dict[tuple[int, str], list[int]] = {}
        # A header's own reading, where it is one of the files, counts before its copies in others.
        for copied in (False, True):
            for number, file in enumerate(files):
                self._enter(number, file, copied=copied)

    def _enter(self, number: int, file: Equations, *, copied: bool) -> None:
        for function in file.functions:
            if bool(function.header) is not copied:
                continue
            quantity = file.quantities[function.result]
            copies = self._by_key.setdefault(quantity.key, [])
            if (function.header and copies) or quantity.key in self.own[number]:
                continue
            position = self.own[number][quantity.key] = len(self.functions)
            copies.append(position)
            self.functions.append(
                ProgramFunction(
                    key=quantity.key,
                    name=quantity.name,
                    path=function.header or file.path,
                    file=number,
                    span=function.span,
                    entry=function.entry,
                )
            )
            for base in function.overrides:
                overriders = self._overriders.setdefault(file.quantities[base].key, {})
                overriders[quantity.key] = None

    def candidates(self, file: int, key: str) -> list[int]:
        """The bodies that a call of the function may run: its own file's, and overriders."""
        place = file, key
        if place not in self._candidates:
            self._candidates[place] = self._bodies(file, key)
        return self._candidates[place]

    def _bodies(self, file: int, key: str) -> list[int]:
        found: dict[int, None] = {}
        waiting, seen = [key], {key}
        while waiting:
            each = waiting.pop()
            own = self.own[file].get(each)
            found.update(dict.fromkeys(self._by_key.get(each, ()) if own is None else (own,)))
            fresh = [one for one in self._overriders.get(each, ()) if one not in seen]
            seen.update(fresh)
            waiting += fresh
        return list(found)

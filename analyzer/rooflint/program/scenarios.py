"""The scenario of a program: for each of its files, the values that sizes and loops have in it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from rooflint.ir import Span
from rooflint.ir.equations import DefinedFunction, Equations, Quantity
from rooflint.program.linking import LinkedFile, ProgramEquations, link_files
from rooflint.program.relations.given_sizes import (
    NOTHING_COMMENTED,
    CommentedSizes,
    GivenSizes,
    given_sizes,
    used_names,
)
from rooflint.program.run_counts import NOTHING_COUNTED, RunCounts
from rooflint.program.solved.edits import edited_program
from rooflint.program.solved.solution import ProgramSolution
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import TypicalTrips
from rooflint.program.weights import ProgramWeights
from rooflint.scenario.sizes import SizeLayer
from rooflint.scenario.values import (
    FileScenario,
    LoopValue,
    NamesOfFunction,
    ScenarioValue,
)

SizeKey: TypeAlias = tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
NOTHING_REPORTED: Final[Mapping[int, float]] = {}
_SHARED_KINDS: Final = frozenset(("variable", "element", "length", "member", "result"))


class ProgramScenario:
    """The values of a program whose files were read."""

    def __init__(
        self,
        files: Iterable[Equations],
        commented: Mapping[str, CommentedSizes] = NOTHING_COMMENTED,
        before: "ProgramScenario | None" = None,
    ) -> None:
        """``commented``: sizes that comments set, by the paths of the files; ``before``: the
        scenario before an edit, of which all is kept that the edit leaves alone."""
        files = tuple(files)
        edited = None if before is None else edited_program(before.equations, files)
        self._program = link_files(files) if edited is None else edited
        self._commented = commented
        self._files = {file.equations.path: file for file in self._program.files}
        self._solutions: dict[SizeKey, ProgramSolution] = {}
        self._known = {} if before is None or edited is None else before._solutions

    def of_file(self, path: str, given: Sequence[SizeLayer] = ()) -> FileScenario:
        """The part of a file; sizes ``given``, in falling priority, hold wherever they are named.

        A file that was not read has no values.
        """
        file = self._files.get(path)
        if file is None:
            return FileScenario()
        solution = self._solution(given)
        if path not in solution.of_files:
            scenario = _FileValues(solution, file).scenario()
            solution.of_files[path] = solution.with_earlier_parts(path, scenario)
        values = solution.of_files[path]
        return values._replace(calls=solution.calls(path), in_teams=tuple(solution.in_teams(path)))

    def weights(
        self,
        given: Sequence[SizeLayer] = (),
        counts: Mapping[str, RunCounts] = NOTHING_COUNTED,
        reported: Mapping[int, float] = NOTHING_REPORTED,
    ) -> ProgramWeights:
        """The weights of all functions and loops, with these sizes and the counts of a run.

        ``reported``: trips of loops as reports show them, by their positions in the program.
        """
        return self._solution(given).weights(counts, reported)

    def _solution(self, given: Sequence[SizeLayer]) -> ProgramSolution:
        key = tuple([(layer.origin, tuple(sorted(layer.sizes.items()))) for layer in given])
        if key not in self._solutions:
            known = self._known.get(key)
            self._solutions[key] = ProgramSolution(self._program, self.given_sizes(given), known)
        return self._solutions[key]

    @property
    def equations(self) -> ProgramEquations:
        """All files."""
        return self._program

    def solved(self, given: Sequence[SizeLayer]) -> tuple[ProgramSolver, TypicalTrips]:
        """The values of the program with these sizes, as the source and as roles tell them."""
        solution = self._solution(given)
        return solution.solver, solution.typical

    def given_sizes(self, given: Sequence[SizeLayer]) -> GivenSizes:
        """The quantities and trips that these sizes and the comments of the files set."""
        return given_sizes(self._program, given, self._commented)

    def matched(self, given: Sequence[SizeLayer]) -> frozenset[str]:
        """Names among those ``given`` that a trip count rests on."""
        return self.given_sizes(given).matched

    def names(self) -> frozenset[str]:
        """All names that trip counts rest on."""
        return used_names(self._program)


class _FileValues:
    """Collects the values of one file."""

    def __init__(self, solution: ProgramSolution, file: LinkedFile) -> None:
        self._solution = solution
        self._file = file
        self._values: list[ScenarioValue] = []
        self._known: dict[int, int | None] = {}

    def scenario(self) -> FileScenario:
        """The values of all names and loops."""
        equations = self._file.equations
        functions: list[NamesOfFunction] = []
        inner: dict[str, int | None] = {}
        for function in equations.functions:
            names = dict(self._names(function))
            if function.span is not None:
                functions.append(NamesOfFunction(function.span, names))
            for name, value in names.items():
                inner[name] = value if inner.setdefault(name, value) == value else None
        loops, shared = self._loops(), self._shared()
        return FileScenario(
            values=tuple(self._values),
            functions=tuple(functions),
            inner={name: value for name, value in inner.items() if value is not None},
            shared=shared,
            loops=loops,
            matched=self._solution.given.matched,
        )

    def _names(self, function: DefinedFunction) -> Iterator[tuple[str, int]]:
        """Names of a function; of two variables of one name neither, unless they are equal, nor of
        members of several types."""
        found: dict[str, int | None] = {}
        quantities = self._file.equations.quantities
        own = (*function.parameters, *function.variables)
        named = [(number, quantities[number].name) for number in own]
        named += [(number, shared_name(quantities[number])) for number in function.members]
        for number, name in named:
            value = self._value(number)
            if name in found and not self._same(found[name], value):
                found[name] = None
            else:
                found[name] = value
        for name, value in found.items():
            if value is not None:
                yield name, value

    def _same(self, one: int | None, other: int | None) -> bool:
        if one is None or other is None:
            return one is other
        return self._values[one][2:5] == self._values[other][2:5]

    def _shared(self) -> dict[str, int]:
        """Names of the program: of members of several types neither, unless they are equal."""
        found: dict[str, int | None] = {}
        own = {n for f in self._file.equations.functions for n in (*f.parameters, *f.variables)}
        for number, quantity in enumerate(self._file.equations.quantities):
            if number in own or quantity.kind not in _SHARED_KINDS:
                continue
            key = shared_name(quantity)
            value = self._value(number)
            if key in found and not self._same(found[key], value):
                found[key] = None
            else:
                found[key] = value
        return {key: value for key, value in found.items() if value is not None}

    def _value(self, number: int) -> int | None:
        position = self._file.positions[number]
        if position not in self._known:
            value = self._solution.value(position)
            self._known[position] = None if value is None else self._enter(value)
        return self._known[position]

    def _enter(self, value: ScenarioValue) -> int:
        self._values.append(value)
        return len(self._values) - 1

    def _loops(self) -> tuple[LoopValue, ...]:
        """One for each place."""
        found: dict[Span, LoopValue] = {}
        for loop in self._file.loops:
            if loop.loop.header:
                continue
            function = loop.loop.function
            scope = self._file.equations.quantities[function].name if function >= 0 else ""
            value = self._solution.trips(loop, scope, trips_name(loop.loop.span.line))
            own = LoopValue(loop.loop.span, self._enter(value), loop.resumes)
            first = found.setdefault(own.span, own)
            if loop.resumes and not first.resumes:
                found[own.span] = first._replace(resumes=True)
        return tuple([found[span] for span in sorted(found)])


def trips_name(line: int) -> str:
    """The trip count of a loop among the values of a file."""
    return f"trips of line {line}"


def shared_name(quantity: Quantity) -> str:
    """``n`` of a variable, ``.n`` of a member, ``n()`` of a result."""
    if quantity.kind == "member":
        return f".{quantity.name}"
    return f"{quantity.name}()" if quantity.kind == "result" else quantity.name

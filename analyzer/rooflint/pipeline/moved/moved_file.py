"""Solutions of a program moved along with the places of one of its files."""

from collections.abc import Mapping
from functools import cached_property

from rooflint.ir.equations import Equations, target_at_line
from rooflint.ir.unit import Span
from rooflint.pipeline.moved.placeless import FilePlaces
from rooflint.program.scenarios import trips_name
from rooflint.program.solved.chains import step_place
from rooflint.scenario.values import ChainStep, FileScenario, ScenarioValue


class MovedFile:
    """A file of which every place became another one, in the same order.

    path  as its equations have it
    """

    def __init__(self, path: str, before: FilePlaces, after: FilePlaces) -> None:
        self.path = path
        self.points = dict(zip(before.points, after.points, strict=True))
        self.lines: Mapping[int, int] = {
            old[0]: new[0] for old, new in self.points.items() if not old[1]
        }

    def span(self, span: Span) -> Span:
        """Where a function or loop lies now; those of headers stay."""
        begin, end = span[:2], span[2:]
        if begin not in self.points or end not in self.points:
            return span
        (line, column), (end_line, end_column) = self.points[begin], self.points[end]
        return Span(line=line, column=column, end_line=end_line, end_column=end_column)

    def scenario(self, before: FileScenario, file: Equations) -> FileScenario:
        """The values of the file itself, without weights, whose equations are those of now."""
        lines_before = {new: old for old, new in self.lines.items()}
        calls = {
            target_at_line(key, lines_before[line]): target_at_line(key, line)
            for key, line in _called_lines(file)
        }
        spans = [each.span for each in file.functions if each.span is not None]
        return before._replace(
            values=tuple(map(self._renamed, map(self._with_steps, before.values))),
            functions=tuple(
                [
                    each._replace(span=span)
                    for each, span in zip(before.functions, spans, strict=True)
                ]
            ),
            loops=tuple([each._replace(span=self.span(each.span)) for each in before.loops]),
            calls={calls.get(site, site): cost for site, cost in before.calls.items()},
            in_teams=tuple(map(self.span, before.in_teams)),
        )

    def with_steps(self, before: FileScenario) -> FileScenario:
        """The values of any file, whose chains lead through this one."""
        return before._replace(values=tuple(map(self._with_steps, before.values)))

    def _with_steps(self, value: ScenarioValue) -> ScenarioValue:
        return value._replace(chain=tuple(map(self._step, value.chain)))

    def _step(self, step: ChainStep) -> ChainStep:
        return step._replace(place=self._steps.get(step.place, step.place))

    def _renamed(self, value: ScenarioValue) -> ScenarioValue:
        return value._replace(name=self._trip_names.get(value.name, value.name))

    @cached_property
    def _steps(self) -> Mapping[str, str]:
        return {
            step_place(self.path, old): step_place(self.path, new)
            for old, new in self.lines.items()
        }

    @cached_property
    def _trip_names(self) -> Mapping[str, str]:
        return {trips_name(old): trips_name(new) for old, new in self.lines.items()}


def _called_lines(file: Equations) -> set[tuple[str, int]]:
    """The calls whose cost is that of their line, by the keys of what they call."""
    copies = {(file.quantities[c.callee].key, c.line) for c in file.calls if c.length is not None}
    called = {*copies, *((call.signature, call.line) for call in file.pointer_calls)}
    return {(key, line) for key, line in called if line}

"""Keys of functions of a buffer: digests of all that the findings of a function rest on."""

from collections.abc import Sequence
from typing import Final

from rooflint.incremental.function_outcomes import FunctionInputs, FunctionQuestion
from rooflint.incremental.store import ContentKey, content_key
from rooflint.ir import IdentityKey, Unit
from rooflint.pipeline.files import NO_SCOPE
from rooflint.pipeline.live.same_objects import are_same_values
from rooflint.records import NamedTuple
from rooflint.scenario.values import FileScenario, FunctionScenario
from rooflint.workers.wire import Codec

ABOVE: Final = 8
"""So many lines above a function may have comments that concern it."""


class _Surroundings(NamedTuple):
    """All that the findings of functions rest on besides these, but for where they stand.

    ``weighed``: of each function, whether its share of the time is known, and its cold nodes.
    """

    text: tuple[str, ...]
    comments: tuple[str, ...]
    weighed: tuple[tuple[bool, tuple[int, ...]], ...]


class _PartInputs(NamedTuple):
    functions: tuple[FunctionInputs, ...]
    surroundings: _Surroundings


PART_INPUTS: Final = Codec[_PartInputs](_PartInputs)


class _KnownKey(NamedTuple):
    """The key of a part, with values and surroundings that it is for."""

    values: tuple[FunctionScenario, ...]
    surroundings: _Surroundings
    key: ContentKey

    def is_of(self, values: Sequence[FunctionScenario], surroundings: _Surroundings) -> bool:
        same = all(map(are_same_values, self.values, values))
        return same and self.surroundings == surroundings


_Sources = tuple[IdentityKey, ...]


class PartKeys:
    """Keys of parts of one file. To digest loops takes time: a part of the very functions that the
    last text had keeps its key."""

    def __init__(self, setting: ContentKey) -> None:
        self._setting = setting
        self._last: dict[_Sources, _KnownKey] = {}
        self._used: dict[_Sources, _KnownKey] = {}
        self._text = ""
        self._lines: list[str] = []

    def begin_text(self) -> None:
        """Forgets what the last text did not ask for."""
        self._last, self._used = self._used, {}

    def key(self, unit: Unit, scenario: FileScenario) -> ContentKey:
        """A digest, because loops take more memory than what is found in them."""
        sources = tuple(map(IdentityKey, unit.functions))
        values = tuple(map(scenario.of, unit.functions))
        surroundings = _Surroundings(
            text=tuple(self._text_of(unit)),
            comments=tuple([comment.text for comment in unit.comments]),
            weighed=tuple([(own.is_weighed, own.cold) for own in values]),
        )
        known = self._used.get(sources) or self._last.get(sources)
        if known is None or not known.is_of(values, surroundings):
            key = self._digest(unit, values, surroundings)
            known = _KnownKey(values=values, surroundings=surroundings, key=key)
        self._used[sources] = known
        return known.key

    def _text_of(self, unit: Unit) -> list[str]:
        if unit.text is not self._text:
            self._text, self._lines = unit.text, unit.text.split("\n")
        text: list[str] = []
        for source in unit.functions:
            text += self._lines[max(0, source.span.line - 1 - ABOVE) : source.span.end_line]
        return text

    def _digest(
        self, unit: Unit, values: Sequence[FunctionScenario], surroundings: _Surroundings
    ) -> ContentKey:
        functions = [
            FunctionQuestion(source=source, scope=NO_SCOPE, values=own).inputs
            for source, own in zip(unit.functions, values, strict=True)
        ]
        inputs = _PartInputs(functions=tuple(functions), surroundings=surroundings)
        return content_key(self._setting, PART_INPUTS.canonical(inputs))

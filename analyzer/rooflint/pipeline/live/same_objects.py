"""Functions of a buffer that are the very objects of its last text, as most of them are."""

from collections.abc import Callable
from operator import is_
from typing import Any, Final, TypeVar

from rooflint.ir import IdentityKey, SourceFunction
from rooflint.records import NamedTuple
from rooflint.scenario.values import FileScenario, FunctionScenario, LoopValue

_OF_VALUES: Final = tuple(map(FileScenario._fields.index, ("values", "inner", "shared")))
"""The fields of a file's scenario that sizes of all of its functions come from."""
Answer = TypeVar("Answer")


def are_same_values(one: FunctionScenario, other: FunctionScenario) -> bool:
    """Whether a function has the same values in two texts, as far as identity tells."""
    if one.in_team != other.in_team or one.own != other.own:
        return False
    same = all(is_(one.file[field], other.file[field]) for field in _OF_VALUES)
    return same and (one.file.loops is other.file.loops or _loops(one) == _loops(other))


def _loops(values: FunctionScenario) -> list[LoopValue]:
    own = set(values.spans)
    return [each for each in values.file.loops if each.span in own]


class _KnownAnswer(NamedTuple):
    values: FunctionScenario
    conditions: object
    answer: Any

    def holds(self, values: FunctionScenario, conditions: object) -> bool:
        return are_same_values(self.values, values) and self.conditions == conditions


class AnswersOfText:
    """Answers about the functions of one file, from its last text on."""

    def __init__(self) -> None:
        self._last: dict[IdentityKey, list[_KnownAnswer]] = {}
        self._used: dict[IdentityKey, list[_KnownAnswer]] = {}

    def begin_text(self) -> None:
        """Forgets what the last text did not ask for."""
        self._last, self._used = self._used, {}

    def answer(
        self,
        source: SourceFunction,
        values: FunctionScenario,
        conditions: object,
        compute: Callable[[], Answer],
    ) -> Answer:
        """As KnownAnswers has it."""
        key = IdentityKey(source)
        used = self._used.setdefault(key, [])
        for each in (*used, *self._last.get(key, ())):
            if each.holds(values, conditions):
                known = each
                break
        else:
            known = _KnownAnswer(values=values, conditions=conditions, answer=compute())
        if all(each is not known for each in used):
            used.append(known)
        answer: Answer = known.answer
        return answer

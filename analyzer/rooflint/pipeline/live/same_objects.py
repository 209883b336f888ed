"""Functions of a buffer that are the very objects of its last text, as most of them are."""

from collections.abc import Callable
from operator import is_
from typing import Any, Final, TypeVar

from rooflint.ir import IdentityKey, SourceFunction
from rooflint.records import NamedTuple
from rooflint.scenario.values import FileScenario, FunctionScenario

_OF_VALUES: Final = tuple(
    map(FileScenario._fields.index, ("values", "functions", "inner", "shared", "loops"))
)
"""The fields of a file's scenario that sizes and trip counts of its functions come from."""
Answer = TypeVar("Answer")


def are_same_values(one: FunctionScenario, other: FunctionScenario) -> bool:
    """Whether two functions have the same values, as far as identity tells."""
    if one.in_team != other.in_team:
        return False
    return all(is_(one.file[field], other.file[field]) for field in _OF_VALUES)


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

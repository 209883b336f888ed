"""Functions of a buffer that are the very objects of its last text, as most of them are."""

from collections.abc import Callable
from operator import is_
from typing import Any, Final, TypeVar

from rooflint.incremental.function_outcomes import AboutFunction, KnownAnswers
from rooflint.ir import IdentityKey
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
    question: AboutFunction
    answer: Any

    def is_to(self, question: AboutFunction) -> bool:
        """Whether it answers a question about the same function."""
        same = are_same_values(self.question.values, question.values)
        return same and self.question.conditions == question.conditions


class AnswersOfText(KnownAnswers):
    """Answers about the functions of one file, from its last text on."""

    def __init__(self) -> None:
        self._last: dict[IdentityKey, list[_KnownAnswer]] = {}
        self._used: dict[IdentityKey, list[_KnownAnswer]] = {}

    def begin_text(self) -> None:
        """Forgets what the last text did not ask for."""
        self._last, self._used = self._used, {}

    def answer(self, question: AboutFunction, compute: Callable[[], Answer]) -> Answer:
        """As KnownAnswers has it."""
        key = IdentityKey(question.source)
        used = self._used.setdefault(key, [])
        known = next((each for each in used if each.is_to(question)), None)
        if known is None:
            earlier = (each for each in self._last.get(key, ()) if each.is_to(question))
            known = next(earlier, None) or _KnownAnswer(question=question, answer=compute())
            used.append(known)
        answer: Answer = known.answer
        return answer

"""Answers about functions that an earlier text of their file had as well."""

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from rooflint.ir import SourceFunction
from rooflint.scenario.values import FunctionScenario

Answer = TypeVar("Answer")


class KnownAnswers(Protocol):
    """Knows answers about functions from one text of a file to the next."""

    def answer(
        self,
        source: SourceFunction,
        values: FunctionScenario,
        conditions: object,
        compute: Callable[[], Answer],
    ) -> Answer:
        """The answer about the very same function with the same values and under equal conditions,
        else that of ``compute``."""


class _NothingKnown:
    def answer(
        self,
        source: SourceFunction,
        values: FunctionScenario,
        conditions: object,
        compute: Callable[[], Answer],
    ) -> Answer:
        return compute()


NOTHING_KNOWN: Final[KnownAnswers] = _NothingKnown()

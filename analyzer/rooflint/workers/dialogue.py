"""The protocol between this process and a child: a question of one type, an answer of another."""

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar, get_type_hints

from rooflint.workers.frames import Frame
from rooflint.workers.limits import Failure
from rooflint.workers.wire import SCHEMA_BYTES, Codec, WireError

Question = TypeVar("Question")
Answer = TypeVar("Answer")

ASKED, ANSWERED, FAILED = range(3)
FAILURE: Final = Codec[Failure](Failure)
SAME_PROGRAM: Final = bytes(SCHEMA_BYTES)
"""In place of a schema between a process and its copy."""


class Dialogue(Generic[Question, Answer]):
    """The types of questions and answers, which both sides agree on."""

    def __init__(self, question: object, answer: object, *, forked: bool = False) -> None:
        self._types = (question, answer)
        self._questions = Codec[Question](question)
        self._answers = Codec[Answer](answer)
        self._forked = forked

    def with_fork(self) -> "Dialogue[Question, Answer]":
        """The same with a child that is a copy of this process, and so has the same types.

        To work out the schemas would take 7 ms of each run.
        """
        return Dialogue(*self._types, forked=True)

    def question(self, question: Question) -> bytes:
        """A question as it travels; WireError where it is too large."""
        body = self._questions.encode(question)
        return Frame(ASKED, self._schema(self._questions), body).packed()

    def asked(self, frame: Frame) -> Question:
        """The question of a message; WireError for anything else."""
        return _value(frame, ASKED, self._questions, self._schema(self._questions))

    def answer(self, answer: Answer) -> bytes:
        """An answer as it travels; WireError where it is too large, TypeError where not plain."""
        body = self._answers.encode(answer)
        return Frame(ANSWERED, self._schema(self._answers), body).packed()

    def answered(self, frame: Frame) -> Answer | Failure:
        """The answer of a message, or the Failure in its place; WireError for anything else."""
        if frame.kind == FAILED:
            return _value(frame, FAILED, FAILURE, FAILURE.schema)
        return _value(frame, ANSWERED, self._answers, self._schema(self._answers))

    def _schema(self, codec: Codec[Any]) -> bytes:
        return SAME_PROGRAM if self._forked else codec.schema


def failure_message(failure: Failure) -> bytes:
    """A Failure as it travels in place of an answer."""
    return Frame(FAILED, FAILURE.schema, FAILURE.encode(failure)).packed()


def dialogue_of(function: Callable[[Any], Any]) -> Dialogue[Any, Any]:
    """The dialogue that the types of a function's parameter and result declare."""
    hints = get_type_hints(function)
    answer = hints.pop("return", Any)
    return Dialogue(next(iter(hints.values()), Any), answer)


def _value(frame: Frame, kind: int, codec: Codec[Answer], schema: bytes) -> Answer:
    if frame.kind != kind or frame.schema != schema:
        raise WireError("a message of another type")
    return codec.decode(frame.body)

"""The protocol between this process and a child: a question of one type, an answer of another."""

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar, get_type_hints

from rooflint.workers.frames import Frame
from rooflint.workers.limits import Failure
from rooflint.workers.wire import Codec, WireError

Question = TypeVar("Question")
Answer = TypeVar("Answer")

ASKED, ANSWERED, FAILED = range(3)
FAILURE: Final = Codec[Failure](Failure)


class Dialogue(Generic[Question, Answer]):
    """The types of questions and answers, which both sides agree on."""

    def __init__(self, question: object, answer: object) -> None:
        self._questions = Codec[Question](question)
        self._answers = Codec[Answer](answer)

    def agree(self) -> None:
        """Work out the schemas, so that a child that is forked afterwards has them."""
        for codec in (self._questions, self._answers, FAILURE):
            assert codec.schema

    def question(self, question: Question) -> bytes:
        """A question as it travels; WireError where it is too large."""
        return Frame(ASKED, self._questions.schema, self._questions.encode(question)).packed()

    def asked(self, frame: Frame) -> Question:
        """The question of a message; WireError for anything else."""
        return _value(frame, ASKED, self._questions)

    def answer(self, answer: Answer) -> bytes:
        """An answer as it travels; WireError where it is too large, TypeError where not plain."""
        return Frame(ANSWERED, self._answers.schema, self._answers.encode(answer)).packed()

    def answered(self, frame: Frame) -> Answer | Failure:
        """The answer of a message, or the Failure in its place; WireError for anything else."""
        if frame.kind == FAILED:
            return _value(frame, FAILED, FAILURE)
        return _value(frame, ANSWERED, self._answers)


def failure_message(failure: Failure) -> bytes:
    """A Failure as it travels in place of an answer."""
    return Frame(FAILED, FAILURE.schema, FAILURE.encode(failure)).packed()


def dialogue_of(function: Callable[[Any], Any]) -> Dialogue[Any, Any]:
    """The dialogue that the types of a function's parameter and result declare."""
    hints = get_type_hints(function)
    answer = hints.pop("return", Any)
    return Dialogue(next(iter(hints.values()), Any), answer)


def _value(frame: Frame, kind: int, codec: Codec[Answer]) -> Answer:
    if frame.kind != kind or frame.schema != codec.schema:
        raise WireError("a message of another type")
    return codec.decode(frame.body)

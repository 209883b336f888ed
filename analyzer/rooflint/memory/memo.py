"""Methods that compute each answer once per object."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, TypeVarTuple

Owner = TypeVar("Owner")
Answer = TypeVar("Answer")
Arguments = TypeVarTuple("Arguments")
_MISSING = object()


def memoized_method(
    method: Callable[[Owner, *Arguments], Answer],
) -> Callable[[Owner, *Arguments], Answer]:
    """``method`` of an immutable object, whose answers the object keeps by its arguments.

    The arguments are hashable and positional. The answers go with the object.
    """
    attribute = f"_answers_of_{method.__name__}"

    @wraps(method)
    def answer_once(owner: Owner, *arguments: *Arguments) -> Answer:
        answers = owner.__dict__.get(attribute)
        if answers is None:
            answers = owner.__dict__[attribute] = {}
        answer = answers.get(arguments, _MISSING)
        if answer is _MISSING:
            answer = answers[arguments] = method(owner, *arguments)
        return answer  # type: ignore[no-any-return]

    return answer_once

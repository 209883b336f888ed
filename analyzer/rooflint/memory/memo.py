"""Methods that compute each answer once per object."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, TypeVarTuple

Owner = TypeVar("Owner")
Answer = TypeVar("Answer")
Arguments = TypeVarTuple("Arguments")


def memoized_method(
    method: Callable[[Owner, *Arguments], Answer],
) -> Callable[[Owner, *Arguments], Answer]:
    """``method`` of an immutable object, whose answers the object keeps by its arguments.

    The arguments are hashable and positional. The answers go with the object.
    """
    attribute = f"_answers_of_{method.__name__}"

    @wraps(method)
    def answer_once(owner: Owner, *arguments: *Arguments) -> Answer:
        try:
            return owner.__dict__[attribute][arguments]  # type: ignore[no-any-return]
        except KeyError:
            pass  # outside of the handler, so that an error of the method stands alone
        answer = method(owner, *arguments)
        owner.__dict__.setdefault(attribute, {})[arguments] = answer
        return answer

    return answer_once

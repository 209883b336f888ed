"""The answer of a change: the new function with the steps made, or why it is refused."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeAlias

from msgspec import Struct

from rooflint.dependence import Assumption
from rooflint.ir import Function
from rooflint.records import NamedTuple

Argument: TypeAlias = int | str | tuple[str, ...] | tuple[int, ...]


class TransformStep(NamedTuple):
    """One change: its kind, the loop it is made at, and its arguments by name.

    ``loop`` names a loop of the function as it was before this step (``tree.sites``); it is empty
    for a change of the whole function.
    """

    kind: str
    loop: str
    arguments: tuple[tuple[str, Argument], ...] = ()

    def __str__(self) -> str:
        parts = [self.loop] if self.loop else []
        for name, value in self.arguments:
            text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
            parts.append(f"{name} {text}")
        return f"{self.kind.replace('_', ' ')} {'; '.join(parts)}"


class ChangedFunction(Struct, frozen=True):
    """A function after one or more steps; the nodes keep the origins they had.

    assumes  what must hold for the change to be legal: ``a and b do not overlap``
    exact    the same bits come out; False where sums are reordered or rounded otherwise
    """

    function: Function
    steps: tuple[TransformStep, ...]
    assumes: tuple[Assumption, ...] = ()
    exact: bool = True

    def then(self, change: Callable[[Function], "Result"]) -> "Result":
        """This and one more change after it."""
        result = change(self.function)
        if isinstance(result, ChangeRefusal):
            return result
        assumes = dict.fromkeys((*self.assumes, *result.assumes))
        return ChangedFunction(
            function=result.function,
            steps=(*self.steps, *result.steps),
            assumes=tuple(assumes),
            exact=self.exact and result.exact,
        )


class ChangeRefusal(NamedTuple):
    """The change is not made, and why."""

    reason: str


Result: TypeAlias = ChangedFunction | ChangeRefusal
Arguments = ParamSpec("Arguments")


class RefusalError(Exception):
    """A change cannot be made; ``args[0]`` says why. No caller of a ``change`` sees it."""


def change(make: Callable[Arguments, ChangedFunction]) -> Callable[Arguments, Result]:
    """A change that answers with ``ChangeRefusal`` where ``make`` raises RefusalError."""

    @wraps(make)
    def answer(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return make(*args, **kwargs)
        except RefusalError as refusal:
            return ChangeRefusal(str(refusal))

    return answer


def accept_change(result: Result) -> ChangedFunction:
    """The result of a change that another one is made of; raises RefusalError where it is none."""
    if isinstance(result, ChangeRefusal):
        raise RefusalError(result.reason)
    return result


def done(
    function: Function,
    kind: str,
    loop: str,
    *,
    assumes: tuple[Assumption, ...] = (),
    exact: bool = True,
    **arguments: Argument,
) -> ChangedFunction:
    """The result of one step."""
    step = TransformStep(kind, loop, tuple(arguments.items()))
    return ChangedFunction(function=function, steps=(step,), assumes=assumes, exact=exact)

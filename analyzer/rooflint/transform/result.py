"""What a transformation answers: the changed function with its steps, or why not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from rooflint.dependence import Assumption
from rooflint.ir import Function

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


@dataclass(frozen=True, slots=True)
class Transformed:
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
        if isinstance(result, Refused):
            return result
        assumes = dict.fromkeys((*self.assumes, *result.assumes))
        return Transformed(
            result.function,
            (*self.steps, *result.steps),
            tuple(assumes),
            self.exact and result.exact,
        )


class Refused(NamedTuple):
    """The change is not made, and why."""

    reason: str


Result: TypeAlias = Transformed | Refused


def done(
    function: Function,
    kind: str,
    loop: str,
    *,
    assumes: tuple[Assumption, ...] = (),
    exact: bool = True,
    **arguments: Argument,
) -> Transformed:
    """The result of one step."""
    step = TransformStep(kind, loop, tuple(arguments.items()))
    return Transformed(function, (step,), assumes, exact)

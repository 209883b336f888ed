"""The place of a statement in its function: the loop and the path of a branch around it."""

from rooflint.records import NamedTuple


class CodePlace(NamedTuple):
    """Positions of the function's result, of a loop and of a path of a branch; -1 for none.

    ``in_switch``: whether a ``break`` would leave a ``switch``.
    """

    function: int = -1
    loop: int = -1
    arm: int = -1
    in_switch: bool = False


class CodePosition:
    """The place of the statement that is being read."""

    def __init__(self) -> None:
        self.place = CodePlace()

    def go_to(self, place: CodePlace) -> CodePlace:
        """Moves to a place and returns the one before, to come back to."""
        before, self.place = self.place, place
        return before

"""A reference of a walk in the replay in Python."""

from collections.abc import Callable

from rooflint.records import NamedTuple


class MovingReference(NamedTuple):
    """A reference at one iteration of a walk; lines have ``1 << shift`` bytes.

    ``modulus``: of the classes of sets.
    """

    address: int
    stride: int
    bytes: int
    reference: int
    shift: int
    modulus: int

    @property
    def lines(self) -> range:
        """The lines that it touches."""
        return range(self.address >> self.shift, (self._end >> self.shift) + 1)

    def after(self, iterations: int) -> "MovingReference":
        """The reference so many iterations later."""
        return self._replace(address=self.address + self.stride * iterations)

    def steps(self, is_chosen: Callable[[int], bool]) -> int:
        """Iterations until it touches other lines, chosen ones if it now has none.

        Lines of a long stride repeat their classes after as many iterations as there are classes.
        """
        if any(map(is_chosen, self.lines)):
            return self._until(1)
        if abs(self.stride) <= 1 << self.shift:
            way = 1 if self.stride > 0 else -1
            line = self.lines[-1] if way > 0 else self.lines[0]
            return self._until(self._ahead(line, way, is_chosen), whole=True)
        for steps in range(1, self.modulus):
            if any(map(is_chosen, self.after(steps).lines)):
                return steps
        return self.modulus

    @property
    def _end(self) -> int:
        return self.address + self.bytes - 1

    def _until(self, ahead: int, *, whole: bool = False) -> int:
        """Iterations to a line so far ahead; ``whole``: of the end that moves to it alone."""
        size, first, last = 1 << self.shift, self.lines[0], self.lines[-1]
        if self.stride > 0:
            by_end = -(-((last + ahead) * size - self._end) // self.stride)
            by_begin = -(-((first + 1) * size - self.address) // self.stride)
            return by_end if whole else min(by_end, by_begin)
        by_begin = -(-(self.address - ((first - ahead) * size + size - 1)) // -self.stride)
        by_end = -(-(self._end - (last * size - 1)) // -self.stride)
        return by_begin if whole else min(by_begin, by_end)

    def _ahead(self, line: int, way: int, is_chosen: Callable[[int], bool]) -> int:
        """Lines to the next one of a chosen class."""
        ahead = 1
        while ahead < self.modulus and not is_chosen(line + way * ahead):
            ahead += 1
        return ahead

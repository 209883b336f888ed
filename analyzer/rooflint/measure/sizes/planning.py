"""Which sizes each point of a survey has: given ones, those that fill a level, or a sweep's."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from rooflint.errors import UsageError, near_miss
from rooflint.measure.program import Program
from rooflint.measure.records import ProcessRun
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.sizes.levels import LevelTarget, fitting_size
from rooflint.measure.sizes.sweep import Sweep

Prober = Callable[[Mapping[str, int], int], ProcessRun | MeasureRefusal]
"""A process that finds what a call touches at these sizes, with so many bytes at most."""
MOST_LATE = 2
"""Probes that may run into the limit of time: each costs a third of what is left."""
SEARCH_ROOM = 2
"""A probe may touch so many times the target before it is stopped."""


class SizeRequest(Struct, frozen=True, kw_only=True):
    """Points that were asked for: ``targets`` or a ``sweep``, else the given ``sizes`` alone.

    hold_bytes  of a sweep: the other free sizes keep the amount of data
    """

    sizes: Mapping[str, int]
    targets: tuple[LevelTarget, ...] = ()
    sweep: Sweep | None = None
    hold_bytes: int | None = None

    @property
    def count(self) -> int:
        """How many points that are."""
        return len(self.targets) or (len(self.sweep.sizes) if self.sweep is not None else 1)


class PointSizes(Struct, frozen=True, kw_only=True):
    """Sizes that a point sets, or why there are none; ``target`` is the level they were made for.

    limited  memory or time allows no larger data
    """

    sizes: Mapping[str, int]
    target: str = ""
    limited: bool = False
    refusal: MeasureRefusal | None = None


class SizePlanner:
    """The sizes of a program: ``fixed`` hold where no point sets them, ``free`` are those that
    nobody has told. These grow together: a function may require that some of them agree, and
    indices in arrays lie below the largest."""

    def __init__(
        self,
        program: Program,
        request: SizeRequest,
        used: Mapping[str, int],
        assumed: frozenset[str],
    ) -> None:
        """``used`` are the sizes of the analysis, ``assumed`` those of them that nobody told it.

        Raises UsageError for a sweep over a size that the program lacks.
        """
        self.program = program
        self.request = request
        self.settable = [size.name for size in program.sizes if size.settable]
        own = {size.name: size.value for size in program.sizes}
        told = {n: value for n, value in used.items() if n in own and n not in assumed}
        self.fixed: dict[str, int] = {**own, **told, **request.sizes}
        self.free = self._free({*told, *request.sizes})
        self._check_sweep()

    def _free(self, known: Set[str]) -> tuple[str, ...]:
        given = {size.name for size in self.program.sizes if size.origin == "given"}
        return tuple([name for name in self.settable if name not in known | given])

    def points(self, probe: Prober) -> Iterator[PointSizes]:
        """The sizes of each point, found when it is asked for."""
        if self.request.targets:
            for target in self.request.targets:
                yield self._filled(self.free, target, {}, probe)
        elif self.request.sweep is not None:
            name = self.request.sweep.name
            for value in self.request.sweep.sizes:
                yield self._swept(name, value, probe)
        else:
            yield PointSizes(sizes={})

    def settings(self, sizes: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
        """Every size that a run can set, with the value it has at a point."""
        values = {**self.fixed, **sizes}
        return tuple([(name, values[name]) for name in self.settable])

    def _swept(self, name: str, value: int, probe: Prober) -> PointSizes:
        if self.request.hold_bytes is None:
            return PointSizes(sizes={name: value})
        others = tuple([each for each in self.free if each != name])
        held = LevelTarget(level="", data_bytes=self.request.hold_bytes)
        return self._filled(others, held, {name: value}, probe)

    def _filled(
        self, names: tuple[str, ...], target: LevelTarget, also: Mapping[str, int], probe: Prober
    ) -> PointSizes:
        """All ``names`` as large as the target allows."""
        if not names:
            return PointSizes(
                sizes=also, target=target.level, refusal=self._no_size("that is open")
            )
        refusals: list[MeasureRefusal] = []
        amounts: list[int] = []

        def touched(value: int) -> int | None:
            if sum(map(_is_late, refusals)) >= MOST_LATE:
                return None
            sizes = {**also, **dict.fromkeys(names, value)}
            found = probe(sizes, target.data_bytes * SEARCH_ROOM)
            if isinstance(found, MeasureRefusal):
                refusals.append(found)
                return None
            amounts.append(found.touched_bytes)
            return found.touched_bytes

        size = fitting_size(touched, target.data_bytes)
        is_late = any(map(_is_late, refusals))
        found = PointSizes(
            sizes={**also, **dict.fromkeys(names, size or 0)},
            target=target.level,
            limited=target.limited or is_late,
        )
        if is_late and target.whole:
            return replace(found, sizes=also, refusal=self._slow(target))
        if size is not None:
            return found
        return replace(found, sizes=also, refusal=self._unfilled(target, refusals, amounts))

    def _slow(self, target: LevelTarget) -> MeasureRefusal:
        """There is not enough time for the data."""
        return MeasureRefusal(
            code=RefusalCode.SLOW_LEVEL, arguments=(self.program.function, target.level)
        )

    def _unfilled(
        self, target: LevelTarget, refusals: Sequence[MeasureRefusal], amounts: Sequence[int]
    ) -> MeasureRefusal:
        """No size fits: why, by the refusals and the amounts of data of those tried."""
        is_stopped = any(each.code is RefusalCode.OVER_MEMORY for each in refusals)
        if is_stopped or max(amounts, default=0) > target.data_bytes:
            return self._past(target)
        return refusals[0] if refusals else self._no_size("that changes what it touches")

    def _past(self, target: LevelTarget) -> MeasureRefusal:
        """The smallest sizes touch too much."""
        room = target.level or f"{target.data_bytes} bytes"
        return MeasureRefusal(code=RefusalCode.PAST_LEVEL, arguments=(self.program.function, room))

    def _no_size(self, wanted: str) -> MeasureRefusal:
        names = ", ".join([size.name for size in self.program.sizes]) or "none"
        return MeasureRefusal(
            code=RefusalCode.UNKNOWN_SIZE, arguments=(self.program.function, wanted, names)
        )

    def _check_sweep(self) -> None:
        sweep, names = self.request.sweep, self.settable
        if sweep is None or sweep.name in names:
            return
        expected = f"it has {', '.join(names)}" if names else "it has none that a run can set"
        hint = near_miss(sweep.name, names)
        raise UsageError(
            f"--sweep: {self.program.function} has no size '{sweep.name}', {expected}{hint}"
        )


def _is_late(refusal: MeasureRefusal) -> bool:
    return refusal.code in (RefusalCode.NO_RETURN, RefusalCode.BUDGET)

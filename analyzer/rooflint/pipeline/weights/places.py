"""The places of a file whose share of the program's time is known before the file is linted."""

from collections.abc import Iterator

from rooflint.ir import Span
from rooflint.pipeline.profiled.finding_shares import LEAST_SHARE
from rooflint.pipeline.weights.placed_times import PlacedTimes
from rooflint.plugin_api.report import STATIC
from rooflint.scenario.values import WeighedPlaces


def weighed_places(times: PlacedTimes, path: str, *, measured: bool) -> WeighedPlaces:
    """Those of one file; none is cold where a run was ``measured``, which tells after the lint."""
    functions = dict(times.functions_of(path))
    cold = () if measured else tuple(sorted({*_cold(times, path, functions)}))
    unreached = () if measured else tuple(sorted(times.unreached_in(path)))
    return WeighedPlaces(functions=tuple(sorted(functions)), cold=cold, unreached=unreached)


def _cold(times: PlacedTimes, path: str, functions: dict[Span, float]) -> Iterator[Span]:
    shares = [*functions.items(), *times.loops_of(path)]
    return (span for span, share in shares if share < LEAST_SHARE[STATIC])

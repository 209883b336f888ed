"""A run again at other values of one size, or on other numbers of cores.

Each stop is a run of its own, with the program's sizes solved again, so that it says what
``analyze -D NAME=VALUE`` says: no closed form has to hold between the stops.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from rooflint.errors import UsageError, near_miss
from rooflint.pipeline.setup.options import Options
from rooflint.plugin_api.program_report import SizeRange
from rooflint.plugin_api.report import FunctionReport, Report, Variation, VariationStop
from rooflint.records import NamedTuple
from rooflint.scenario.sizes import size_key

CORES: Final = "cores"
FACTORS: Final = (0.25, 0.5, 2, 4)
"""Of a size's own value, where no values are named."""


class VariedQuantity(NamedTuple):
    """A size, or ``cores``, that takes other values; without ``values`` some around its own."""

    name: str
    values: tuple[int, ...] = ()


def with_what_if(
    report: Report,
    varied: Sequence[VariedQuantity],
    options: Options,
    run: Callable[[Options], Report],
) -> Report:
    """The report with runs at other values.

    Raises UsageError for a size that no loop of the run has.
    """
    return report._replace(what_if=tuple([_what_if(report, each, options, run) for each in varied]))


def _what_if(
    report: Report, varied: VariedQuantity, options: Options, run: Callable[[Options], Report]
) -> Variation:
    if varied.name == CORES:
        own = int(options.cores) if options.cores and options.cores.isdecimal() else None
        values = varied.values or tuple(_core_counts(report))
    else:
        own = _own_size(report, varied.name, options.sizes)
        values = varied.values or _around(own)
    stops = [
        VariationStop(value=each, report=run(_options_at(options, varied.name, each)))
        for each in sorted(set(values))
        if each != own
    ]
    return Variation(name=varied.name, own=own, stops=tuple(stops))


def _options_at(options: Options, name: str, value: int) -> Options:
    if name == CORES:
        return options._replace(cores=str(value))
    others = {n: size for n, size in options.sizes.items() if size_key(n) != size_key(name)}
    return options._replace(sizes={**others, name: value})


def _around(own: int) -> tuple[int, ...]:
    return tuple([value for factor in FACTORS if (value := int(own * factor)) > 0])


def _core_counts(report: Report) -> Iterator[int]:
    """Powers of two up to all cores that every machine has, and all of them."""
    most = min([each.cores for each in report.machines if each.cores], default=1)
    count = 1
    while count < most:
        yield count
        count *= 2
    yield most


def _own_size(report: Report, name: str, given: Mapping[str, int]) -> int:
    """The value of a size in the run; of several with one name the largest."""
    known = dict(_sizes_of(report))
    known |= {size_key(each): value for each, value in given.items()}
    found = known.get(size_key(name))
    if found is None:
        message = f"--what-if {name}: no loop of the run has this size{near_miss(name, known)}"
        raise UsageError(message)
    return found


def _sizes_of(report: Report) -> Iterator[tuple[str, int]]:
    """Every size by its name, alone and after its function or type, the larger ones later."""
    functions = [each for file in report.files for each in file.functions]
    found = [pair for each in functions for pair in _of_function(each)]
    for name, value in sorted(found, key=lambda each: each[1]):
        yield size_key(name), value


def _of_function(function: FunctionReport) -> Iterator[tuple[str, int]]:
    for size in function.values:
        yield from _solved(size)
    for kernel in function.kernels():
        for result in kernel.results:
            yield from [(name, size.value) for name, size in result.sizes.items()]


def _solved(size: SizeRange) -> Iterator[tuple[str, int]]:
    """The names of a size of the program, and the step that its value begins with."""
    yield from ((name, size.typical) for name in (size.name, size.size))
    if size.scope:
        yield f"{size.scope}:{size.name}", size.typical
    yield from ((step.name, step.value) for step in size.chain[:1])

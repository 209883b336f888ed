"""The verdicts of a run, made once after the models.

    price    all loops: time, limiter, gaps, executions
    weigh    shares of the run's time; of the file's where nobody knows the run
    measure  beside a measured time
    advise   the best advice of the lint, if it ran
    doubt    confidence and reasons

Each step is a pure function of the report. An error in one costs that loop's verdict alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Final, TypeAlias

from rooflint.plugin_api.program_report import LoopWeight
from rooflint.plugin_api.report import (
    COUNTS,
    COUNTS_AND_SIZES,
    PROFILE,
    FileReport,
    KernelReport,
    MachineReport,
    MachineResult,
    Report,
)
from rooflint.plugin_api.verdict import Verdict, VerdictReason, WeightOrigin
from rooflint.records import NamedTuple
from rooflint.verdict.advise import advise, with_loop_advice
from rooflint.verdict.doubt import Doubts, doubt, limiter_sensitivity, measure
from rooflint.verdict.price import ReportedLoop, price, without_price

_ORIGINS: Final[Mapping[str, WeightOrigin]] = {
    COUNTS: WeightOrigin.COUNTS,
    COUNTS_AND_SIZES: WeightOrigin.COUNTS,
    PROFILE: WeightOrigin.PROFILE,
}


class _PricedLoop(NamedTuple):
    """A verdict on its way, and what it is made of."""

    source: ReportedLoop
    result: MachineResult
    verdict: Verdict


_Step: TypeAlias = Callable[[_PricedLoop], Verdict]


def with_verdicts(report: Report, known: tuple[Verdict, ...] | None = None) -> Report:
    """The report with the verdicts of all its kernels, and the findings about each.

    A door that shows verdicts asks for them, once a run: others need not pay for it. ``known``:
    the verdicts on an equal report.
    """
    files = tuple(map(with_loop_advice, report.files))
    verdicts = verdicts_of(files, report.machines) if known is None else known
    return report._replace(files=files, verdicts=verdicts)


def verdicts_of(
    files: Iterable[FileReport], machines: Iterable[MachineReport]
) -> tuple[Verdict, ...]:
    """One verdict for each kernel and machine, in the order of the report."""
    by_name = {machine.name: machine for machine in machines}
    priced = [loop for file in files for loop in _priced(file)]
    return tuple(_completed(_weighed(priced), by_name))


def verdicts_beside(
    files: Iterable[FileReport],
    machines: Iterable[MachineReport],
    known: Iterable[tuple[Verdict, ...] | None],
) -> tuple[Verdict, ...] | None:
    """As ``verdicts_of``, where those of most files are ``known`` from an earlier run; None where
    their loops have other shares of the time now."""
    files = tuple(files)
    by_name = {machine.name: machine for machine in machines}
    loops = list(chain.from_iterable(map(_machines, files)))
    weights = [kernel.weight or LoopWeight() for kernel, _ in loops]
    shares = _shares_by_weight(weights, [machine for _, machine in loops])
    if not shares:
        return None
    is_of_run = any(map(_is_of_run, weights))
    found: list[Verdict] = []
    for file, verdicts in zip(files, known, strict=True):
        count = sum(1 for _ in _machines(file))
        own = shares[len(found) : len(found) + count]
        if verdicts is None:
            found += _completed(_at_shares(file, own, is_of_run=is_of_run), by_name)
        elif _have_shares(verdicts, own):
            found += verdicts
        else:
            return None
    return tuple(found)


def _have_shares(verdicts: Iterable[Verdict], shares: Sequence[float | None]) -> bool:
    return [each.weight.share for each in verdicts] == shares


def _at_shares(
    file: FileReport, shares: Sequence[float | None], *, is_of_run: bool
) -> Iterator[_PricedLoop]:
    if is_of_run:
        return map(_with_own_share, _priced(file))
    pairs = zip(_priced(file), shares, strict=True)
    return (_with_share(each, share, WeightOrigin.STATIC) for each, share in pairs)


def _is_of_run(weight: LoopWeight | None) -> bool:
    return weight is not None and weight.share is not None and not weight.of_entry


def time_shares(files: Iterable[FileReport]) -> dict[str, float]:
    """Each kernel's share of the time of all files by its id, the largest on any machine.

    Weights need no price: loops have one only where nobody knows the run.
    """
    files = tuple(files)
    loops = [(kernel, machine) for file in files for kernel, machine in _machines(file)]
    weights = [kernel.weight or LoopWeight() for kernel, _ in loops]
    found = _shares_by_weight(weights, [machine for _, machine in loops])
    shares: dict[str, float] = {}
    for (kernel, _), share in zip(loops, found or _shares_by_price(files), strict=True):
        shares[kernel.id] = max(share or 0.0, shares.get(kernel.id, 0.0))
    return shares


def _machines(file: FileReport) -> Iterator[tuple[KernelReport, str]]:
    for source in _sources(file):
        for result in source.kernel.results:
            yield source.kernel, result.machine


def _shares_by_weight(weights: Sequence[LoopWeight], machines: Iterable[str]) -> list[float | None]:
    """The shares of loops with these weights; empty where no weight tells."""
    known = [weight for weight in weights if weight.share is not None]
    if not known:
        return []
    if all(weight.of_entry for weight in known):
        return _parts(list(zip(machines, [weight.cycles for weight in weights], strict=True)))
    return [weight.share for weight in weights]


def _shares_by_price(files: Iterable[FileReport]) -> list[float | None]:
    loops = [loop for file in files for loop in _priced(file)]
    return [each.verdict.weight.share for each in _weighed(loops)]


def _parts(times: Sequence[tuple[str, float | None]]) -> list[float | None]:
    """Each time as a part of all those of its machine."""
    total: dict[str, float] = {}
    for machine, time in times:
        total[machine] = total.get(machine, 0.0) + (time or 0.0)
    return [
        time / total[machine] if time is not None and total[machine] > 0 else None
        for machine, time in times
    ]


def _completed(
    loops: Iterable[_PricedLoop], machines: Mapping[str, MachineReport]
) -> Iterator[Verdict]:
    generic = {name for name, machine in machines.items() if machine.is_generic}
    cores = {name: machine.cores for name, machine in machines.items()}
    steps: tuple[_Step, ...] = (
        lambda each: measure(each.verdict, each.source, each.result),
        lambda each: advise(each.verdict, each.source, cores),
        lambda each: doubt(
            each.verdict,
            each.result,
            Doubts(each.result.machine in generic, limiter_sensitivity(each.result)),
        ),
    )
    for priced in loops:
        loop = priced
        for step in steps:
            loop = _stepped(loop, step)
        yield loop.verdict._replace(cores_of_machine=cores.get(loop.result.machine, 0))


def _priced(file: FileReport) -> Iterator[_PricedLoop]:
    for source in _sources(file):
        for result in source.kernel.results:
            yield _PricedLoop(
                source, result, _judged(source, result, partial(price, source, result))
            )


def _stepped(loop: _PricedLoop, step: _Step) -> _PricedLoop:
    return loop._replace(verdict=_judged(loop.source, loop.result, partial(step, loop)))


def _judged(source: ReportedLoop, result: MachineResult, step: Callable[[], Verdict]) -> Verdict:
    try:
        return step()
    except MemoryError:  # a limit of the process, and no bug
        raise
    except Exception:  # a bug here costs one verdict, not the report
        return without_price(source, result, VerdictReason.INTERNAL)


def _sources(file: FileReport) -> Iterator[ReportedLoop]:
    for function in file.functions:
        for nest in function.nests:
            for kernel in nest.kernels:
                yield ReportedLoop(file, function, kernel)


def _weighed(loops: Sequence[_PricedLoop]) -> Iterator[_PricedLoop]:
    """Loops with their share of the time, all on one scale.

    Shares of one run are those of the report, and loops outside of that run have none. Of several
    entries, such as the functions of a library, each runs once; where nothing tells how often a
    function runs, each does.
    """
    weights = [each.source.kernel.weight for each in loops]
    if any(map(_is_of_run, weights)):
        return map(_with_own_share, loops)
    is_known = any(each is not None and each.share is not None for each in weights)
    return _with_shares_of_all(loops, by_weight=is_known)


def _with_shares_of_all(loops: Sequence[_PricedLoop], *, by_weight: bool) -> Iterator[_PricedLoop]:
    """Shares of the time of all loops: by the weights in cycles, else by verdicts in seconds."""
    origin = WeightOrigin.STATIC if by_weight else WeightOrigin.FILE
    times = [_cycles_of(each) if by_weight else each.verdict.run_s for each in loops]
    machines = [each.verdict.machine for each in loops]
    shares = _parts(list(zip(machines, times, strict=True)))
    for each, share in zip(loops, shares, strict=True):
        yield _with_share(each, share, origin)


def _cycles_of(loop: _PricedLoop) -> float | None:
    weight = loop.source.kernel.weight
    return weight.cycles if weight is not None else None


def _with_own_share(loop: _PricedLoop) -> _PricedLoop:
    weight = loop.source.kernel.weight
    if weight is None or weight.share is None:
        return _with_share(loop, None, WeightOrigin.STATIC)
    origin = _ORIGINS.get(weight.share_origin, WeightOrigin.STATIC)
    own = loop.verdict.weight._replace(own_part=_own_part(loop))
    loop = loop._replace(verdict=loop.verdict._replace(weight=own))
    return _with_share(loop, weight.share, origin)


def _own_part(loop: _PricedLoop) -> float:
    """Of the predicted time, the part that the loop's share of the program is of."""
    weight, cycles = loop.source.kernel.weight, loop.verdict.time.now_cy
    if weight is None or weight.cycles is None or weight.iterations is None:
        return 1.0
    if not loop.result.calls or not cycles or not weight.iterations:
        return 1.0
    return min(1.0, weight.cycles / (cycles * weight.iterations))


def _with_share(loop: _PricedLoop, share: float | None, origin: WeightOrigin) -> _PricedLoop:
    weight = loop.verdict.weight._replace(share=share, origin=origin)
    return loop._replace(verdict=loop.verdict._replace(weight=weight))

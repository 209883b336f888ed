"""A loop of a report: the verdict that every door shows, its figures, and what it rests on."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rooflint.plot import draw
from rooflint.plot.from_report import kernel_scene
from rooflint.plugin_api.action import Confidence
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import KernelReport, MachineResult, Report
from rooflint.plugin_api.verdict import Verdict, WeightOrigin
from rooflint.verdict.choose import ranked_loops
from rooflint.verdict.words import resource_words

GUESS = "role"
"""Origin of sizes that have a value by their role alone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedLoop:
    """A loop on a machine; None is unknown.

    index                 of the loop, as the source calls it
    limit                 the limiter in the words of the reports: ``DRAM``, ``latency chain``
    cycles_per_iteration  of one core at the machine's clock, all active cores together
    iterations            of one execution of the loop
    seconds               of all its executions in a run
    share                 of the run's time; None where a guessed size decides it
    estimated_share       the same with what is guessed, as the reports show it with ``≈``
    gain                  time now over the time with the best advice; 1 where there is none
    gflops                floating-point operations per second, in 1e9
    sizes                 values of the size parameters, and ``guessed``, those without a source
    confidence            ``high``, ``medium`` or ``low``
    finding               the advice that saves most; ``findings`` are all
    predictions           the models' answers behind the verdict
    verdict               the record that reports, hints and pages show
    """

    id: str
    file: str
    line: int
    end_line: int
    function: str
    index: str
    machine: str
    cores: int
    limit: str | None
    cycles_per_iteration: float | None
    iterations: float
    seconds: float | None
    share: float | None
    estimated_share: float | None
    gain: float
    gflops: float | None
    sizes: Mapping[str, int] = field(hash=False)
    guessed: tuple[str, ...]
    confidence: Confidence | None
    finding: Advice | None = field(repr=False)
    findings: tuple[Advice, ...] = field(repr=False)
    predictions: tuple[Prediction, ...] = field(repr=False, hash=False)
    verdict: Verdict = field(repr=False, hash=False)
    kernel: KernelReport = field(repr=False, hash=False)

    def _repr_svg_(self) -> str | None:
        """The roofline plot, for notebooks; nothing where no model draws the loop."""
        scene = kernel_scene(self.file, self.function, self.kernel)
        return None if scene is None else draw(scene)


def loops_of(report: Report) -> tuple[RankedLoop, ...]:
    """The loops of a report with verdicts: machine by machine, those of most time first."""
    results = dict(_results(report))
    certain = _certain_machines(report, results)
    ranked = []
    for machine in dict.fromkeys(each.machine for each in report.verdicts):
        own = [each for each in report.verdicts if each.machine == machine]
        ranking = ranked_loops(own, None, all_of=True)
        order = [verdict for loop in ranking.shown for verdict in loop]
        order += [verdict for loop in _unpriced(own, order) for verdict in loop]
        ranked += [_loop(each, *results[_key(each)], certain=machine in certain) for each in order]
    return tuple(ranked)


def _unpriced(own: Iterable[Verdict], ranked: Iterable[Verdict]) -> Iterator[tuple[Verdict, ...]]:
    """The verdicts without a number, in the order of the source."""
    known = {each.id for each in ranked}
    for each in own:
        if each.id not in known:
            yield (each,)


def _key(verdict: Verdict) -> tuple[str, str]:
    return verdict.id, verdict.machine


def _results(
    report: Report,
) -> Iterator[tuple[tuple[str, str], tuple[KernelReport, MachineResult]]]:
    for file in report.files:
        for kernel in file.kernels():
            for result in kernel.results:
                yield (kernel.id, result.machine), (kernel, result)


def _certain_machines(
    report: Report, results: Mapping[tuple[str, str], tuple[KernelReport, MachineResult]]
) -> set[str]:
    """Machines on which no guessed size decides a share: none takes part, or a run was measured."""
    guesses: dict[str, bool] = {}
    for verdict in report.verdicts:
        _, result = results[_key(verdict)]
        measured = verdict.weight.origin is WeightOrigin.PROFILE
        guesses[verdict.machine] = guesses.get(verdict.machine, False) or (
            not measured and bool(_guessed(result))
        )
    return {machine for machine, guessed in guesses.items() if not guessed}


def _guessed(result: MachineResult) -> tuple[str, ...]:
    return tuple([name for name, size in result.sizes.items() if size.origin == GUESS])


def _loop(
    verdict: Verdict, kernel: KernelReport, result: MachineResult, *, certain: bool
) -> RankedLoop:
    best = verdict.advice
    finding = next((each for each in result.advice if best and each.code == best.rule), None)
    now = verdict.time.now_cy
    return RankedLoop(
        id=verdict.id,
        file=verdict.place.path,
        line=verdict.place.line,
        end_line=kernel.end_line,
        function=verdict.place.function,
        index=kernel.loops[-1].index if kernel.loops else "",
        machine=verdict.machine,
        cores=verdict.cores,
        limit=None if verdict.limiter is None else resource_words(verdict.limiter),
        cycles_per_iteration=now,
        iterations=verdict.time.iterations,
        seconds=verdict.run_s,
        share=verdict.weight.share if certain else None,
        estimated_share=verdict.weight.share,
        gain=verdict.time.gain,
        gflops=kernel.work.flops * verdict.time.clock_ghz / now if now else None,
        sizes={name: size.value for name, size in result.sizes.items()},
        guessed=_guessed(result),
        confidence=verdict.confidence,
        finding=finding,
        findings=result.advice,
        predictions=result.predictions,
        verdict=verdict,
        kernel=kernel,
    )

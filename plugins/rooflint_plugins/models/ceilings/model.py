"""Ceilings: which optimisations a loop misses, what each is worth, which one to take next.

    P = min(C, B * I)             1e9 work/s = min(1e9 work/s, GB/s * work/B)

C is the highest compute ceiling and B the highest memory ceiling that the loop may reach with what
it has broken so far. The side that binds is raised, step by step, until the roof is reached; the
gains multiply along the way, and ceilings never raised can be skipped.

Ceilings that the loop breaks by nature or already lie at the bottom, as the report orders them per
kernel (balance right above the threads for SpMV); the factors of ceilings of one kind multiply, so
the order moves lines and not the roof. Links nearer than memory cap the memory side and have no
ceilings of their own.

S. Williams, A. Waterman, D. Patterson: Roofline. CACM 52(4), 2009, pp. 65-76, and the technical
report UCB/EECS-2008-134 (sections 2 to 4 and appendix A).
"""

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Final

from rooflint.facts import Kernel
from rooflint.memory import LinkTraffic, Rates
from rooflint.memory.rates import COUNTED_AS, stream_of
from rooflint.plugin_api.drawing import PlotData
from rooflint.plugin_api.hookspecs import Context, Model, Needs, hookimpl
from rooflint.plugin_api.prediction import DataField, NotApplicable, Prediction

from rooflint_plugins.models.ceilings import ladders, verdicts
from rooflint_plugins.models.ceilings.answers import (
    CeilingsAnswer,
    CeilingSide,
    LevelIntensity,
    data_of,
    denoise,
)
from rooflint_plugins.models.ceilings.concurrency import Concurrency, concurrency_of
from rooflint_plugins.models.ceilings.intensity import misses_of, raised_of
from rooflint_plugins.models.ceilings.picture import picture_of
from rooflint_plugins.models.ceilings.stack import Stack, climb, region_of
from rooflint_plugins.models.ceilings.subject import (
    CeilingSubject,
    can_thread,
    imbalance,
    mix_of,
    plan_of,
)
from rooflint_plugins.models.ceilings.words import intensity_words, sentence_of, short

PAGE_FACTOR = 13.5 / 8
"""Failed prefetching over TLB-miss stalls in Figure A6."""
CONTROLLER_FACTOR = 2.0
"""All traffic on one of two controllers halves the bandwidth (Figure A4)."""
ESTIMATES = "derived ceilings are estimates from the machine's core and memory figures"
FIRST_TOUCH = "data lies in the memory of the threads that read it: first touch is not visible here"
UNITS = {"flop": "GFLOP/s", "iop": "GIOP/s", "exchange": "Gexchange/s", "byte": "GB/s"}


FIELDS: Final = (
    DataField("region", "the sides of the roof that limit the loop"),
    DataField("base_g_per_s", "performance under the unbroken ceilings", "1e9/s"),
    DataField("ceilings", "each ceiling with its height, and whether the loop breaks it"),
    DataField("path", "the ceilings to lift, in order, with the gain of each"),
    DataField("skipped", "ceilings that need not be lifted"),
    DataField("roof_g_per_s", "the roof at the end of the path", "1e9/s"),
)


class CeilingsModel:
    """The model as a plugin."""

    name = "ceilings"
    title = "ceilings"
    fields = FIELDS
    needs = Needs(models=("roofline",))

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """The way from where the kernel is to its roof."""
        roofline = context.results["roofline"]
        metric = str(roofline.data.get("metric", "flop"))
        work = _work(roofline, context)
        found = answer(metric, work, context)
        if isinstance(found, NotApplicable):
            return found
        unit = UNITS.get(metric, f"G{metric}/s")
        base, roof = found.climb.base, found.climb.roof
        judged = {j.rung.name: j for side in found.sides for j in side.judged}
        return Prediction(
            model=self.name,
            bottleneck=found.limit,
            sentence=intensity_words(found, unit)
            + sentence_of(found.climb, found.bound, judged, unit),
            headline=f"{short(base)} of {short(roof)} {unit}",
            cycles_per_iteration=work / base * context.machine.clock_ghz,
            assumptions=found.assumptions,
            data=data_of(found, unit),
            plot=None if context.brief else PlotData(picture_of(found)),
        )


def answer(metric: str, work: float, context: Context) -> CeilingsAnswer | NotApplicable:
    """Both sides of the roof over a kernel that does ``work`` an iteration, and the climb to it."""
    if not work:
        return NotApplicable("no work to count")
    plan = plan_of(context)
    machine = context.machine
    subject = CeilingSubject(context, plan=plan, metric=metric, work=work, scope=context.cores)
    subject = _with_scope(subject)
    link = _outermost(context)
    memory = _memory_side(subject, link) if link else None
    known = (*_compute_sides(subject), memory, _cache_cap(subject))
    sides = [side for side in known if side is not None]
    mix = _mix_side(subject, sides)
    sides += [mix] if mix else []
    if not sides:
        return NotApplicable(f"machine {machine.name} gives no rate for {metric}")
    stacks = [side.stack for side in sides]
    found = climb(stacks)
    misses = concurrency = None
    if memory and link:
        misses = misses_of(context, link)
        pattern = stream_of(context.traffic.links[-1], context.traffic.pattern)
        concurrency = concurrency_of(context.rates, pattern)
    return CeilingsAnswer(
        metric=metric,
        scope=subject.scope,
        sides=tuple(sides),
        link=link.link if link else None,
        intensity=work / link.total_bytes if link else None,
        climb=found,
        region=region_of(stacks),
        assumptions=tuple(_assumptions(subject, sides, concurrency)),
        levels=tuple(_levels(subject)),
        misses=misses,
        raised=raised_of(stacks, found, misses) if misses else None,
        concurrency=concurrency,
    )


def _with_scope(subject: CeilingSubject) -> CeilingSubject:
    context, cores = subject.context, subject.context.machine.cores_per_socket
    if context.cores == 1 and cores > 1 and can_thread(subject):
        return subject._replace(scope=cores)
    return subject


def _assumptions(
    subject: CeilingSubject, sides: Sequence[CeilingSide], concurrency: Concurrency | None
) -> Iterator[str]:
    yield from subject.plan.assumptions if subject.plan else ()
    judged = [j for side in sides for j in side.judged]
    if any(j.rung.origin == "derived" for j in judged):
        yield ESTIMATES
    if any(j.verdict.evidence == verdicts.UNSEEN for j in judged):
        yield FIRST_TOUCH
    if concurrency is not None:
        yield concurrency.words


def _work(roofline: Prediction, context: Context) -> float:
    rate, cycles = roofline.data.get("attainable_g_per_s"), roofline.cycles_per_iteration
    if not isinstance(rate, int | float) or cycles is None:
        return 0.0
    return denoise(rate * cycles / context.machine.clock_ghz)


def _outermost(context: Context) -> LinkTraffic | None:
    rates = context.rates.of(context.traffic)
    for moved in reversed(context.traffic.links):
        if moved.total_bytes > 0 and moved.link in rates:
            return moved
    return None


def _levels(subject: CeilingSubject) -> Iterator[LevelIntensity]:
    context = subject.context
    rates = Rates(context.machine, subject.scope) if subject.serial else context.rates
    known = rates.of(context.traffic)
    for moved in context.traffic.links:
        if moved.total_bytes > 0 and moved.link in known:
            intensity = subject.work / moved.total_bytes
            yield LevelIntensity(moved.link, known[moved.link].gb_s, intensity)


def _compute_sides(subject: CeilingSubject) -> Iterable[CeilingSide]:
    context, metric = subject.context, subject.metric
    kind = context.facts.work.type
    if metric == "byte":
        return
    ladder = ladders.compute_ladder(
        context.machine, COUNTED_AS.get(kind, kind), metric, subject.scope
    )
    if ladder is None:
        return
    ladder = _with_threads(ladder, subject, subject.scope / context.cores)
    per_cycle = ladder.floor / (context.machine.clock_ghz * context.cores)
    most, _ = imbalance(subject)
    if most > 1:
        rung = ladders.derived_rung("load-balance", most)
        ladder = ladders.Ladder(ladder.floor / most, (*ladder.rungs, rung))
    judged = verdicts.judge_compute(ladder.rungs, per_cycle, subject)
    yield _side("compute", ladder.floor, judged, serial=subject.serial)


def _mix_side(subject: CeilingSubject, others: Sequence[CeilingSide]) -> CeilingSide | None:
    """Instruction mix: what issue width, load ports and divider leave for arithmetic.

    Vectors and threads carry it with them, as they do what the ports allow. It is a ceiling of its
    own where it binds below the roof even then. Where the machine file states ceilings by the share
    of floating-point instructions, those say it already.
    """
    code, context = subject.code, subject.context
    compute = next((side for side in others if side.stack.side == "compute"), None)
    if code is None or subject.metric != "flop" or compute is None or _states_share(compute):
        return None
    mix = mix_of(code)
    busy, what = max(
        (code.issue_cy, "loads, stores and others"),
        (code.non_overlapping_cy, "loads"),
        (mix.divides_cy, "divisions and roots"),
    )
    if busy <= 0:
        return None
    now = subject.work / busy * context.machine.clock_ghz * context.cores
    shared = [j for j in compute.judged if j.rung.name in ("tlp", "simd")]
    floor, top = now, now
    for judged in shared:
        floor /= judged.step.reached
        top *= judged.rung.factor / judged.step.reached
    if top >= min([side.stack.top for side in others]) * (1 - 1e-6):
        return CeilingSide(Stack("compute", floor, tuple(j.step for j in shared)), ())
    factor = compute.stack.top / top
    rung = ladders.derived_rung("instruction-mix", factor, f"fewer {what} a flop")
    text = f"{mix.share:.0%} of the instructions are arithmetic"
    text += f": {what} take {busy:.3g} cy per iteration"
    own = verdicts.JudgedCeiling(rung, verdicts.CeilingVerdict(False, text))
    steps = tuple(j.step for j in (*shared, own))
    return CeilingSide(Stack("compute", floor, steps), (own,))


def _states_share(side: CeilingSide) -> bool:
    return any(verdicts.fp_percent(judged.rung.name) is not None for judged in side.judged)


def _memory_side(subject: CeilingSubject, moved: LinkTraffic) -> CeilingSide | None:
    context, link = subject.context, moved.link
    pattern, rates = stream_of(moved, context.traffic.pattern), context.rates
    per_g = subject.work / moved.total_bytes
    if not link.endswith("-MEM"):
        return None
    ladder = ladders.memory_ladder(rates.with_cores(subject.scope), pattern, context.cores)
    if ladder is None:  # what all cores draw together is unknown: no gain from threads
        ladder = ladders.memory_ladder(rates, pattern, context.cores)
    if ladder is None:
        return None
    now = rates.of(context.traffic)[link].gb_s
    ladder = _with_threads(ladder, subject, max(1.0, ladder.top / now))
    extra = _missed(subject, {rung.name for rung in ladder.rungs})
    floor = ladder.floor / math.prod([rung.factor for rung in extra])
    rungs = (*ladder.rungs[:1], *extra, *ladder.rungs[1:])
    side = _side("memory", floor * per_g, verdicts.judge_memory(rungs, subject), serial=False)
    return side._replace(link=link, gb_s_per_g=1 / per_g)


def _missed(subject: CeilingSubject, known: Container[str]) -> list[ladders.Rung]:
    """Page and controller balance where the loop misses them and the machine file has neither.

    Not on a local store, into which software moves whole blocks.
    """
    if subject.context.machine.local_store is not None:
        return []
    return [
        ladders.derived_rung(name, factor, remedy)
        for name, factor, rule, remedy in (
            ("page-balance", PAGE_FACTOR, verdicts.pages, "interchange or block: stay in a page"),
            (
                "controller-balance",
                CONTROLLER_FACTOR,
                verdicts.controllers,
                "pad the leading dimension",
            ),
        )
        if name not in known and not rule(subject, factor).broken
    ]


def _cache_cap(subject: CeilingSubject) -> CeilingSide | None:
    context = subject.context
    traffic = context.traffic
    inner = [m for m in traffic.links if m.total_bytes > 0 and not m.link.endswith("-MEM")]

    def lowest(rates: Rates) -> tuple[float, str]:
        known = rates.of(traffic)
        fed = [
            (known[m.link].gb_s * subject.work / m.total_bytes, m.link)
            for m in inner
            if m.link in known
        ]
        return min(fed, default=(math.inf, ""))

    now, link = lowest(context.rates)
    if math.isinf(now):
        return None
    if not subject.serial:
        return CeilingSide(Stack("cache", now), (), link)
    later, link = lowest(Rates(context.machine, subject.scope))
    rung = ladders.derived_rung("tlp", max(1.0, later / now))
    step = verdicts.JudgedCeiling(rung, verdicts.CeilingVerdict(False, "")).step
    return CeilingSide(Stack("cache", now, (step,)), (), link)


def _with_threads(ladder: ladders.Ladder, subject: CeilingSubject, gain: float) -> ladders.Ladder:
    rungs = ladder.rungs
    if not subject.serial or gain <= 1:
        return ladder
    if rungs and rungs[0].name == "tlp":
        first = rungs[0]._replace(factor=rungs[0].factor * gain)
        return ladders.Ladder(ladder.floor / gain, (first, *rungs[1:]))
    rung = ladders.derived_rung("tlp", gain)
    return ladders.Ladder(ladder.floor / gain, (*rungs[:1], rung, *rungs[1:]))


def _side(
    kind: str, floor: float, judged: list[verdicts.JudgedCeiling], *, serial: bool
) -> CeilingSide:
    """Broken ceilings lowest, then the machine's order; idle cores come after what one core
    lacks, which is less work to mend."""

    def height(place: int) -> tuple[bool, bool, int]:
        step = judged[place].step
        idle = serial and step.name == "tlp" and not step.broken
        return (not step.broken, idle, place)

    ordered = tuple(judged[place] for place in sorted(range(len(judged)), key=height))
    name = "compute" if kind == "compute" else "memory"
    return CeilingSide(Stack(name, floor, tuple(j.step for j in ordered)), ordered)  # type: ignore[arg-type]


@hookimpl
def rooflint_models() -> list[Model]:
    """The built-in model of ceilings."""
    return [CeilingsModel()]

"""Which ceilings a loop already breaks, each verdict with its evidence.

The signals are those of the source and the compiler flags: threads from OpenMP regions and
``--cores``; independent chains from the loop-carried path of the code plan; vectors from its width;
balance from the instructions that remain after fusing; the memory ceilings from strides, first
touches, footprints and prefetches. What cannot be told is said in the evidence.
"""

from collections.abc import Callable
from typing import Final

from rooflint.records import NamedTuple

from rooflint_plugins.models.ceilings.ladders import Rung
from rooflint_plugins.models.ceilings.stack import StackStep
from rooflint_plugins.models.ceilings.subject import (
    CeilingSubject,
    first_touch,
    imbalance,
    mix_of,
    own_strides,
    prefetches,
)

PAGE_BYTES = 4096
NEARLY = 5e-3
"""Heights are ratios of stated figures, rounded to 0.01 GFLOP/s; the lowest in machines/, 2.2, is
known to 0.23 %, and a ratio of two such to 0.46 %. So 74.67 / 37.33 (2.00027) is a balance of 2."""
NO_CORE = "the machine file has no core: assumed not reached"
UNSEEN = "first touch is outside the function: assumed to be by the threads that read"
CHAINED: Final = ("recurrence", "reduction", "memory-reduction", "extreme")
"""Reasons for scalar code that are a chain from iteration to iteration."""


class CeilingVerdict(NamedTuple):
    """``reached``: of the ceiling's factor, from 1; None means all of it where it is broken."""

    broken: bool
    evidence: str
    reached: float | None = None


class JudgedCeiling(NamedTuple):
    """A ceiling with its verdict."""

    rung: Rung
    verdict: CeilingVerdict

    @property
    def step(self) -> StackStep:
        """For the stack: how much of the height the loop has."""
        factor, (broken, _, reached) = self.rung.factor, self.verdict
        if broken:
            return StackStep(name=self.rung.name, factor=factor, reached=factor, broken=True)
        part = min(max(reached or 1.0, 1.0), factor)
        return StackStep(
            name=self.rung.name,
            factor=factor,
            reached=part,
            broken=is_reached(part, factor) and not is_reached(1.0, factor),
        )


def is_reached(value: float, height: float) -> bool:
    """Whether a loop has all of a height, as far as heights are known."""
    return value >= height * (1 - NEARLY)


def threads(subject: CeilingSubject, factor: float) -> CeilingVerdict:
    """Thread-level parallelism: all cores that the ceilings count are busy."""
    cores = subject.context.cores
    if subject.serial:
        return CeilingVerdict(False, f"runs on {cores} of {subject.scope} cores")
    if cores == 1:
        alone = subject.context.machine.cores_per_socket == 1
        text = (
            "the socket has one core" if alone else "no loop of the nest is known to be independent"
        )
        return CeilingVerdict(True, text)
    where = "in a parallel region" if subject.context.facts.kernel.regions else "requested"
    return CeilingVerdict(True, f"{cores} cores, {where}")


def chains(subject: CeilingSubject, factor: float, allowed: float) -> CeilingVerdict:
    """Instruction-level parallelism; ``allowed`` flop a cycle and core are due to other steps."""
    code = subject.code
    if code is None:
        return CeilingVerdict(False, NO_CORE)
    waits = code.recurrence_cy
    if waits <= 0:
        return CeilingVerdict(True, "no iteration waits for the previous one")
    reached = subject.work / waits / allowed
    text = f"{waits:.3g} cy per iteration on the loop-carried path"
    if is_reached(reached, factor):
        return CeilingVerdict(True, f"{text}: less than the work takes")
    reason = code.vector.reason
    why = f"; {reason}" if reason is not None and reason.kind in CHAINED else ""
    return CeilingVerdict(False, text + why, reached)


def vectors(subject: CeilingSubject, factor: float) -> CeilingVerdict:
    """Vector instructions over the whole width of the registers."""
    code, simd = subject.code, subject.context.machine.simd
    if code is None or simd is None:
        return CeilingVerdict(False, NO_CORE)
    plan = code.vector
    if plan.width < 2:
        return CeilingVerdict(
            False, f"not vectorised: {plan.reason}" if plan.reason else "scalar code"
        )
    used = plan.register_bytes or simd.register_bytes
    text = f"{plan.width} iterations per instruction"
    if used < simd.register_bytes:
        share = factor * used / simd.register_bytes
        return CeilingVerdict(False, f"{text}, {used} of {simd.register_bytes} B registers", share)
    return CeilingVerdict(True, f"{text} ({simd.isa})")


def pairs(subject: CeilingSubject, factor: float) -> CeilingVerdict:
    """Balance: adds and multiplies in such numbers, fused or not, that all their pipes are busy.

    Compared with adds alone, on which the ceilings below rest.
    """
    code, core = subject.code, subject.context.machine.core
    if code is None or core is None:
        return CeilingVerdict(False, NO_CORE)
    mix = mix_of(code)
    if not mix.arithmetic:
        return CeilingVerdict(False, "neither adds nor multiplies")
    width = code.vector.register_bytes if code.vector.width > 1 else None
    alone = core.operation("add", subject.context.facts.work.type, width)
    reached = mix.per_cycle / alone.per_cycle if alone else 1.0
    counts = ((mix.fused, "fma"), (mix.adds, "add"), (mix.muls, "mul"))
    words = ", ".join([f"{count:g} {name}" for count, name in counts if count])
    if is_reached(reached, factor):
        return CeilingVerdict(True, f"{words}: in balance")
    return CeilingVerdict(
        False, f"{words}: at most {max(reached, 1.0) / factor:.0%} of the peak", reached
    )


def fp_percent(name: str) -> float | None:
    """12.5 of ``fp-12.5-percent``, as machine files name such a ceiling; None of other names."""
    share = name.removeprefix("fp-").removesuffix("-percent")
    is_share = name == f"fp-{share}-percent" and share.replace(".", "", 1).isdecimal()
    return float(share) if is_share else None


def fp_share(subject: CeilingSubject, percent: float) -> CeilingVerdict:
    """The floating-point share of all instructions."""
    if subject.code is None:
        return CeilingVerdict(False, NO_CORE)
    mix = mix_of(subject.code)
    share = 100 * mix.arithmetic / mix.total if mix.total else 0.0
    text = f"{share:.0f} % of the instructions are floating-point"
    return CeilingVerdict(is_reached(share, percent), text)


def shares(subject: CeilingSubject, factor: float) -> CeilingVerdict:
    """Threads get equal pieces of a loop."""
    most, index = imbalance(subject)
    if most <= 1:
        return CeilingVerdict(True, "pieces of equal size")
    return CeilingVerdict(
        False, f"work varies with {index}, cut in equal pieces: {most:.2f} x the mean"
    )


def unit_stride(subject: CeilingSubject, factor: float) -> CeilingVerdict:
    """Consecutive elements, so that lines are used whole and the prefetcher runs ahead."""
    line = subject.context.machine.line_bytes
    for stream, stride in own_strides(subject):
        if stride is None:
            reason = f" ({stream.reason})" if stream.reason else ""
            return CeilingVerdict(False, f"{stream.array} is accessed indirectly{reason}")
        if abs(stride) >= line:
            return CeilingVerdict(False, f"{stream.array} moves {abs(stride)} B per iteration")
    return CeilingVerdict(True, "every stream moves less than a line per iteration")


def affinity(subject: CeilingSubject, factor: float) -> CeilingVerdict:
    """Data in the memory of the socket whose threads read it."""
    context = subject.context
    if context.cores <= context.machine.domain_cores("MEM"):
        return CeilingVerdict(True, "the active cores share one memory")
    touch, names = first_touch(subject)
    if touch == "serial":
        return CeilingVerdict(False, f"{names} is first written by one thread")
    if touch == "parallel":
        return CeilingVerdict(True, f"{names}: first written by all threads")
    return CeilingVerdict(True, UNSEEN)


def prefetch(subject: CeilingSubject, factor: float, stated: bool) -> CeilingVerdict:
    """Lines asked for before they are needed."""
    if prefetches(subject):
        return CeilingVerdict(True, "the loop prefetches")
    if stated:
        return CeilingVerdict(False, "no prefetch instruction in the loop")
    regular = unit_stride(subject, factor)
    if regular.broken:
        return CeilingVerdict(True, "regular streams: the hardware prefetches")
    return CeilingVerdict(False, f"{regular.evidence}: no hardware prefetching")


def snoop_filter(subject: CeilingSubject, factor: float) -> CeilingVerdict:
    """The data set is small enough for the caches that the snoop filter watches."""
    context = subject.context
    line = context.machine.line_bytes
    touched = sum([array.touched for array in context.traffic.arrays]) * line
    held = context.machine.caches[-1] if context.machine.caches else None
    if held is None:
        return CeilingVerdict(False, "no caches in the machine file")
    size = held.size_bytes * -(-context.machine.cores_total // held.shared_by_cores)
    text = f"the loops touch {touched / 2**20:.3g} MiB, all caches hold {size / 2**20:.3g}"
    return CeilingVerdict(touched <= size, text)


def pages(subject: CeilingSubject, factor: float) -> CeilingVerdict:
    """Several accesses to a page before the next one."""
    for stream, stride in own_strides(subject):
        if stride is not None and abs(stride) >= PAGE_BYTES:
            return CeilingVerdict(
                False, f"{stream.array} moves a page or more per iteration: {stride} B"
            )
    return CeilingVerdict(True, "no stream leaves its page in every iteration")


def controllers(subject: CeilingSubject, factor: float) -> CeilingVerdict:
    """Accesses spread over the memory controllers."""
    strides = [stride for _, stride in own_strides(subject)]
    if strides and all(s is not None and s % PAGE_BYTES == 0 for s in strides):
        return CeilingVerdict(
            False, "every stream moves by whole pages: one controller serves them all"
        )
    return CeilingVerdict(True, "neighbouring lines lie on different controllers")


Rule = Callable[[CeilingSubject, float], CeilingVerdict]
COMPUTE: dict[str, Rule] = {
    "tlp": threads,
    "simd": vectors,
    "fma": pairs,
    "balance": pairs,
    "load-balance": shares,
}
MEMORY: dict[str, Rule] = {
    "tlp": threads,
    "unit-stride": unit_stride,
    "affinity": affinity,
    "snoop-filter": snoop_filter,
    "page-balance": pages,
    "controller-balance": controllers,
}


def judge_compute(
    rungs: tuple[Rung, ...], floor_per_cycle: float, subject: CeilingSubject
) -> list[JudgedCeiling]:
    """All compute ceilings; ``floor_per_cycle`` is the work a cycle below the first, one core.

    Chains come last: what they allow is compared with what the other steps have made of the floor.
    """
    found: list[JudgedCeiling] = []
    allowed = floor_per_cycle
    for rung in rungs:
        percent = fp_percent(rung.name)
        rule = COMPUTE.get(rung.name)
        if percent is not None:
            verdict = fp_share(subject, percent)
        elif rule is not None:
            verdict = rule(subject, rung.factor)
        elif rung.name.startswith("ilp"):
            continue
        else:
            verdict = CeilingVerdict(False, "cannot be seen in source")
        found.append(JudgedCeiling(rung, verdict))
        if rung.name not in ("tlp", "load-balance"):
            allowed *= found[-1].step.reached
    ilp = [rung for rung in rungs if rung.name.startswith("ilp")]
    found += [JudgedCeiling(rung, _judge_chains(rung, subject, allowed)) for rung in ilp]
    return sorted(found, key=lambda judged: rungs.index(judged.rung))


def _judge_chains(rung: Rung, subject: CeilingSubject, allowed: float) -> CeilingVerdict:
    verdict = chains(subject, rung.factor, allowed)
    if not verdict.broken and "simd" in rung.name:
        wide = vectors(subject, rung.factor)
        return wide if wide.broken else verdict
    return verdict


def judge_memory(rungs: tuple[Rung, ...], subject: CeilingSubject) -> list[JudgedCeiling]:
    """All memory ceilings; the lowest, whatever its name, is reached by unit-stride accesses."""
    found = []
    for place, rung in enumerate(rungs):
        if rung.name == "sw-prefetch":
            verdict = prefetch(subject, rung.factor, rung.origin == "stated")
        else:
            rule = MEMORY.get(rung.name)
            if rule is None and place == 0:
                rule = unit_stride
            verdict = (
                rule(subject, rung.factor)
                if rule
                else CeilingVerdict(False, "cannot be seen in source")
            )
        found.append(JudgedCeiling(rung, verdict))
    return found

"""The plan of measurements, and the figures that come back."""

import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from rooflint.errors import UsageError
from rooflint.machine.parts import PATTERNS, FigureQuality, Pattern
from rooflint.machine.probe.disturbance import Disturbance, disturbance
from rooflint.machine.probe.host_load import host_load
from rooflint.machine.probe.quality import RoundSample, StepKey, settle_all
from rooflint.machine.probe.topology import CacheInfo, Topology
from rooflint.records import NamedTuple

ASKED_BYTES: Mapping[Pattern, tuple[int, int]] = {
    "load": (1, 0), "triad": (3, 1), "update": (1, 1), "copy": (1, 1), "store": (0, 1),
}  # fmt: skip
"""Words that a step of each pattern reads and writes; ``update`` writes where it read."""

SECONDS = 0.35
MEMORY_SECONDS = 0.7
LONGEST_S = 60
ROUNDS, ROUNDS_S = 8, 300.0
"""Everything is measured twice, and again what has not settled, up to so many rounds spread evenly
over so many seconds: other work on the machine comes and goes within minutes."""
LEAST_ROUNDS = 2
STEP_SECONDS = 0.1
STEP_COUNTS = (1024, 1536, 2048, 2560, 3072, 3584, 4096, 6144, 8192, 16384)
"""Lines loaded one after the other, each in a page of its own or close together: where that starts
to differ, the TLB is full."""
PAGES_APART = 3
"""Keeps prefetchers of neighbouring pages from helping, as in columns of a large matrix."""
PER_CACHE = 4
"""Data for memory measurements are so many times as large as the caches above it."""
MIB = 1 << 20


NO_CACHE = CacheInfo(level=1, size_bytes=MIB, ways=1, line_bytes=64, cores=1)
"""In place of the last cache where the kernel knows none."""


class MeasuredRate(NamedTuple):
    """GB/s as the program asks for them, of all ``cores`` together."""

    level: str
    pattern: Pattern
    cores: int
    asked_gb_s: float


class HostFigures(NamedTuple):
    """Everything measured; latencies in ns by level, peaks in Gflop/s of all cores by type.

    ``walk_ns``: what a load takes longer where each of so many lies in another page.
    """

    vector_bytes: int
    fma: bool
    isa: str
    clock_ghz: float
    peak_gflop_s: Mapping[str, float]
    latency_ns: Mapping[str, float]
    rates: tuple[MeasuredRate, ...]
    walk_ns: Mapping[int, float]
    quality: Mapping[StepKey, FigureQuality] = MappingProxyType({})
    disturbance: Disturbance = Disturbance(0.0, 0.0, 1.0)


class BenchmarkCall(NamedTuple):
    """One call of the benchmark; ``key`` says what its answer is."""

    key: StepKey
    arguments: tuple[str, ...]
    about: str


def plan(topology: Topology) -> tuple[BenchmarkCall, ...]:
    """The calls for one machine; their number grows with the logarithm of its cores."""
    cpus = [str(cpu) for cpu in topology.cpus]
    steps = [BenchmarkCall(StepKey("clock", "", 1), ("clock", f"{SECONDS}"), "clock")]
    for kind in ("f64", "f32"):
        about = f"multiply-adds {kind}, {len(cpus)} cores"
        steps.append(
            BenchmarkCall(
                StepKey("peak", kind, len(cpus)), ("peak", kind, f"{SECONDS}", *cpus), about
            )
        )
    line = topology.line_bytes
    for level, size, counts, seconds in _places(topology):
        arguments = ("wait", str(size(1) // 2), str(line), f"{seconds}", cpus[0])
        steps.append(BenchmarkCall(StepKey(level, "wait", 1), arguments, f"{level} latency"))
        for cores in counts:
            for pattern in PATTERNS:
                amount = (str(size(cores)), f"{seconds}")
                about = f"{level} {pattern}, {cores} core{'s' if cores > 1 else ''}"
                call = ("rate", pattern, *amount, *cpus[:cores])
                steps.append(BenchmarkCall(StepKey(level, pattern, cores), call, about))
    # an odd number of lines, so that all sets are used
    for kind, apart in (
        ("lines", PAGES_APART),
        ("pages", PAGES_APART * topology.page_bytes // line),
    ):
        for count in STEP_COUNTS:
            step = str((apart | 1) * line)
            call = ("step", str(count), step, f"{STEP_SECONDS}", cpus[0])
            steps.append(
                BenchmarkCall(
                    StepKey(kind, "step", count), call, f"{count} {kind} one after the other"
                )
            )
    return tuple(steps)


def _places(topology: Topology) -> list[tuple[str, Callable[[int], int], list[int], float]]:
    """Level, bytes a thread for so many cores, core counts, seconds a measurement."""
    places: list[tuple[str, Callable[[int], int], list[int], float]] = []
    nearer: CacheInfo | None = None
    for cache in topology.caches:
        sharing = min(cache.cores, len(topology.cpus))
        counts = sorted({1, sharing})
        if nearer is not None:
            room = 2 * nearer.size_bytes // nearer.cores
            counts = [n for n in counts if cache.size_bytes // (2 * n) >= room or n == 1]
        places.append((f"L{cache.level}", _half(cache), counts, SECONDS))
        nearer = cache
    domain = len(topology.domains[0])
    every = {1, domain, topology.cores_per_socket, len(topology.cpus)}
    counts = sorted(every | {2**k for k in range(domain.bit_length()) if 2**k < domain})
    places.append(("MEM", _beyond(topology), counts, MEMORY_SECONDS))
    return places


def _half(cache: CacheInfo) -> Callable[[int], int]:
    return lambda cores: cache.size_bytes // (2 * min(cores, cache.cores))


def _beyond(topology: Topology) -> Callable[[int], int]:
    last = topology.caches[-1] if topology.caches else NO_CACHE

    def size(cores: int) -> int:
        wanted = max(PER_CACHE * last.size_bytes // min(cores, last.cores), 16 * MIB)
        room = topology.memory_bytes // 2 // cores if topology.memory_bytes else wanted
        return max(MIB, min(wanted, room))

    return size


def measure(
    program: Path, topology: Topology, tell: Callable[[str], None], seconds: float = ROUNDS_S
) -> HostFigures:
    """Runs the plan; ``tell`` gets a line of progress before each step.

    Steps that have not settled are repeated until ``seconds`` are over.

    Raises UsageError when the benchmark fails.
    """
    vector_bytes, fma, isa = _call(program, ("info",)).split()
    before = host_load()
    samples = _rounds(program, plan(topology), tell, seconds)
    settled = settle_all(samples)
    found = {key: each.figure for key, each in settled.items()}
    return HostFigures(
        vector_bytes=int(vector_bytes),
        fma=fma == "1",
        isa=isa,
        clock_ghz=found[StepKey("clock", "", 1)],
        peak_gflop_s={key[1]: value for key, value in found.items() if key[0] == "peak"},
        latency_ns={key[0]: value for key, value in found.items() if key[1] == "wait"},
        rates=_measured_rates(found),
        walk_ns=_walks(found),
        quality={key: each.quality for key, each in settled.items()},
        disturbance=disturbance(
            before, host_load(), [each for rounds in samples.values() for each in rounds]
        ),
    )


def _walks(found: Mapping[StepKey, float]) -> dict[int, float]:
    return {
        key.number: value - found[StepKey("lines", "step", key.number)]
        for key, value in found.items()
        if key.place == "pages"
    }


def _measured_rates(found: Mapping[StepKey, float]) -> tuple[MeasuredRate, ...]:
    rates = [
        MeasuredRate(level=level, pattern=pattern, cores=cores, asked_gb_s=value)
        for (level, word, cores), value in found.items()
        for pattern in PATTERNS
        if pattern == word
    ]
    return tuple(rates)


def _rounds(
    program: Path,
    steps: tuple[BenchmarkCall, ...],
    tell: Callable[[str], None],
    seconds: float,
) -> dict[StepKey, list[RoundSample]]:
    """Every round of every step; a step that has settled is not repeated."""
    samples: dict[StepKey, list[RoundSample]] = {step.key: [] for step in steps}
    start, left = time.monotonic(), list(steps)
    for done in range(ROUNDS):
        if done >= LEAST_ROUNDS:
            settled = settle_all(samples)
            left = [step for step in left if settled[step.key].quality.doubtful]
            if left:
                _wait_until(start + done * seconds / ROUNDS)
        for number, step in enumerate(left, 1):
            spent = time.monotonic() - start
            if done and spent > seconds:
                return samples
            tell(f"[round {done + 1}, {number}/{len(left)}, {spent:.0f} s] {step.about}")
            samples[step.key].append(_sample(_call(program, step.arguments)))
    return samples


def _sample(answer: str) -> RoundSample:
    figure, clean, wall, cpu, clock, adds, stream = map(float, answer.split())
    return RoundSample(
        figure=figure,
        clean=clean,
        wall_s=wall,
        cpu_s=cpu,
        clock_ghz=clock,
        adds_per_cy=adds,
        stream_gb_s=stream,
    )


def _wait_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))


def _call(program: Path, arguments: tuple[str, ...]) -> str:
    try:
        result = subprocess.run(
            [str(program), *arguments],
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"machine probe: benchmark {arguments[0]} failed: {error}") from error
    if result.returncode or not result.stdout.strip():
        reason = result.stderr.strip().partition("\n")[0] or f"exit code {result.returncode}"
        raise UsageError(f"machine probe: benchmark {' '.join(arguments[:2])} failed: {reason}")
    return result.stdout.strip()

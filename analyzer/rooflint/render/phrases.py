"""Parts of a report in words: loops, verdicts, work, gaps, traffic, sizes and their origins.

Nothing here knows a model or a machine by name.
"""

import shlex
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Final

from rooflint.ir.reasons import CALLS
from rooflint.plugin_api import report
from rooflint.plugin_api.prediction import LimitKind, LimitShare, Prediction, ShownFigure
from rooflint.plugin_api.verdict import Verdict, WeightOrigin
from rooflint.render.layout import Colour, line_words, number, plural, ranges, truncate
from rooflint.scenario import EntryOrigin, EntryState
from rooflint.scenario.values import ChainStep
from rooflint.verdict.totals import budget_used

AGAIN = "'"
"""Follows the name of a second index ``i`` of a function: ``i'2``."""
CALL = "call:"
KINDS = {
    "ptr": "pointers",
    "opaque": "unknown type",
    "void": "unknown type",
    "bool": "truth values",
}
FLOPS = ("add", "sub", "mul", "div", "sqrt", "fma")
LONGEST_TRIP_COUNT = 72
MOST_CONFLICTS = 3
"""Pairs of arrays that conflict, named in a sentence."""
"""Characters; a longer closed form is cut, and JSON has it whole."""
SMALLEST_BYTES = 0.001
WHOLE = "all of "
MOST_DOUBTFUL = 3
"""Figures that a warning lists; JSON has them all."""
MEMORY: Final = "MEM"
GUESSED: Final = "role"
"""The origin of a size that nobody set and that the program does not decide."""
_ORIGINS: Final = MappingProxyType({"command line": "-D", GUESSED: "guessed"})
MOST_GUESSED: Final = 6
"""Names that the head of a report lists; JSON has them all."""
DATA_PATHS: Final[tuple[LimitKind, ...]] = ("memory", "link")


def origin_words(origin: str) -> str:
    """Who decided a size: ``-D``, ``guessed``, ``source``."""
    return _ORIGINS.get(origin, origin)


def nest_words(loops: tuple[report.LoopHeader, ...]) -> str:
    """``for i in n, k in row[i+1]-row[i]``; an index that the source has twice has its own name."""
    parts = []
    for loop in loops:
        step = "" if loop.step in ("1", "-1") else f" step {loop.step}"
        index = loop.index.partition(AGAIN)[0]
        parts.append(f"{index} in {truncate(loop.trip_count, LONGEST_TRIP_COUNT)}{step}")
    return "for " + ", ".join(parts)


def layer_words(reuse: report.ReuseReport) -> Iterator[str]:
    """Layers with the level that holds each and for which sizes; blocks and padding that help."""
    stays = list(_residence(reuse))
    if stays:
        yield "; ".join(stays)
    for block in reuse.blocks:
        left = block.share_left
        misses = "" if left is None else f", with {100 * left:.0f} % of its misses left"
        yield (
            f"{block.loop} in blocks of {block.iterations} keeps {block.layer} in {block.level}"
            f"{misses}"
        )
    for kinds in reuse.misses:
        if kinds.conflicts:
            yield _conflict_words(kinds)
    if reuse.padding is not None:
        pad = reuse.padding
        yield (
            f"padding each row of {pad.array} ({pad.row_bytes} B) by {pad.more_bytes} B would "
            f"remove most conflict misses in {pad.level}"
        )


def _conflict_words(kinds: report.MissKinds) -> str:
    """``conflict misses in L1: a by b 62 %``."""
    whole = max(kinds.conflict, sum([each.lines for each in kinds.conflicts]))
    named = [
        f"{each.array} by {' and '.join(each.others) if each.others != (each.array,) else 'itself'}"
        f" {100 * each.lines / whole:.0f} %"
        for each in kinds.conflicts[:MOST_CONFLICTS]
    ]
    return f"conflict misses in {kinds.level}: {', '.join(named)}"


def _residence(reuse: report.ReuseReport) -> Iterator[str]:
    """``rows of a in L2 (2*n <= 4096)``, at the sizes of the result."""
    now = next((regime.resides for regime in reuse.regimes if regime.now), {})
    first_conditions = {
        (condition.layer, condition.level): condition.holds
        for condition in reversed(reuse.conditions)
    }
    last = reuse.conditions[-1].level if reuse.conditions else ""
    for layer, level in now.items():
        if level != "MEM":
            holds = first_conditions.get((layer, level))
            yield f"{layer} in {level}" + (f" ({holds})" if holds else "")
        elif not layer.startswith(WHOLE):
            holds = first_conditions.get((layer, last))
            yield f"{layer} in no cache" + (f" (in {last}: {holds})" if holds else "")


def verdict(prediction: Prediction) -> tuple[str, Colour]:
    """The bottleneck in words, by its kind; a word of the model's own as it is."""
    if prediction.limit == "compute":
        return "compute-bound", "green"
    if prediction.limit in DATA_PATHS:
        return "memory-bound", "yellow"
    return f"limited by {prediction.bottleneck}", "cyan"


def sentence(prediction: Prediction) -> str:
    """The model's sentence, after the verdict where it does not say that itself."""
    words = verdict(prediction)[0]
    known = words.partition(" ")[0] in prediction.sentence
    known = known or prediction.bottleneck in prediction.sentence
    return prediction.sentence if known else f"{words}: {prediction.sentence}"


def cycles_words(prediction: Prediction) -> str:
    """``1.5``; ``≥ 1.5`` where the loop does more than the model counts."""
    bound = "≥ " if prediction.lower_bound else ""
    return bound + number(prediction.cycles_per_iteration)


def figure_words(prediction: Prediction) -> str:
    """``accesses 3 cy, hits 0.5``: figures that the model wants beside its headline."""
    return ", ".join([
        " ".join(filter(None, (figure.name, _figure_value(figure), figure.unit)))
        for figure in prediction.figures
    ])  # fmt: skip


def _figure_value(figure: ShownFigure) -> str:
    if isinstance(figure.value, bool):
        return "yes" if figure.value else "no"
    return figure.value if isinstance(figure.value, str) else number(figure.value)


def work_words(work: report.WorkReport, gaps: Iterable[report.CoverageGap]) -> str:
    """``2 flop (1 add, 1 mul; f64), 1 compare.f64, 1 call of exp, 3 loads, 1 store``.

    Calls that ``gaps`` name are left to them.
    """
    flops, others, calls = _by_kind(work, _uncounted(gaps))
    parts = []
    if work.flops:
        parts.append(f"{number(work.flops)} flop{f' ({_counted(flops)})' if flops else ''}")
    elif others:
        parts.append(f"no flop ({_counted(others)})")
        others = {}
    parts += [f"{number(count)} {_typed(name)}" for name, count in sorted(others.items())]
    parts += [f"{_times(count, 'call')} of {name}" for name, count in sorted(calls.items())]
    accesses = ((work.loads, "load"), (work.stores, "store"))
    parts += [_times(count, noun) for count, noun in accesses if count]
    return ", ".join(parts) or "no arithmetic, no array accesses"


def _times(count: float, noun: str) -> str:
    """``1 load``, ``0.5 loads``."""
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def _by_kind(
    work: report.WorkReport, uncounted: Container[str]
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Operations that are flops, others, and calls by name without those that are gaps."""
    flops: dict[str, float] = {}
    others: dict[str, float] = {}
    calls: dict[str, float] = {}
    for name, count in work.operations.items():
        operation, _, kind = name.rpartition(".")
        called = operation.removeprefix(CALL)
        if called != operation:
            if called not in uncounted:
                calls[called] = calls.get(called, 0) + count
        elif operation in FLOPS and kind[:1] in ("f", "c", "b") and kind != "bool":
            flops[name] = count
        else:
            others[name] = count
    return flops, others, calls


def _uncounted(gaps: Iterable[report.CoverageGap]) -> frozenset[str]:
    return frozenset([gap.reason.subject for gap in gaps if gap.reason.kind in CALLS])


def _typed(name: str) -> str:
    """``compare.f64``; types that are the analysis's own word in the reader's."""
    operation, _, kind = name.rpartition(".")
    return f"{operation} of {KINDS[kind]}" if kind in KINDS else name


def _counted(operations: dict[str, float]) -> str:
    """``3 add, 1 mul; f64``: the type once where all operations share it."""
    types = {name.rpartition(".")[2] for name in operations}
    shared = len(types) == 1
    parts = [
        f"{number(count)} {name.rpartition('.')[0] if shared else _typed(name)}"
        for name, count in sorted(operations.items())
    ]
    kind = types.pop() if shared else ""
    return ", ".join(parts) + (f"; {KINDS.get(kind, kind)}" if shared else "")


def gap_words(gaps: Iterable[report.CoverageGap]) -> str:
    """``line 9: indirect through col; lines 3-5: call of f``: each reason once."""
    by_reason: dict[str, list[int]] = {}
    for gap in gaps:
        by_reason.setdefault(str(gap.reason), []).append(gap.line)
    return "; ".join(f"{line_words(lines)}: {reason}" for reason, lines in by_reason.items())


def has_uncounted_call(kernel: report.KernelReport) -> bool:
    """Whether some of the loop's time is in functions that are not in the numbers."""
    names = {
        name.removeprefix(CALL).rpartition(".")[0]
        for name in kernel.work.operations
        if name.startswith(CALL)
    }
    called = not all(names <= result.calls.keys() for result in kernel.results)
    return called or bool(_uncounted(kernel.not_covered))


def traffic_words(links: Iterable[report.LinkTraffic]) -> str:
    """Bytes of every link; neighbours that carry the same are named together."""
    runs = [(moved, [link.link for link in run]) for moved, run in groupby(links, key=_moved)]
    if [moved for moved, _ in runs] == ["0 B"]:
        return "none"
    return "; ".join(
        f"{names[0]} to {names[-1]} {moved}" if names[1:] else f"{names[0]} {moved}"
        for moved, names in runs
    )


def _moved(link: report.LinkTraffic) -> str:
    """``32 B (16 load + 8 write-allocate + 8 evict)``; ``16 B (load)``; ``12 to 76 B``."""
    if link.bounds is not None:
        low, high = link.bounds
        return f"{_bytes(low)} to {_bytes(high)} B"
    kinds = (
        (link.load_bytes, "load"),
        (link.write_allocate_bytes, "write-allocate"),
        (link.evict_bytes, "evict"),
    )
    moving = [(value, name) for value, name in kinds if value]
    if 0 < link.total_bytes < SMALLEST_BYTES or not moving:
        return f"{_bytes(link.total_bytes)} B"
    parts = [f"{_bytes(value)} {name}" for value, name in moving] if moving[1:] else [moving[0][1]]
    return f"{_bytes(link.total_bytes)} B ({' + '.join(parts)})"


def _bytes(value: float) -> str:
    """A value that no iteration notices is not worth its digits."""
    return f"<{SMALLEST_BYTES}" if 0 < value < SMALLEST_BYTES else number(value)


def doubt_words(machine: str, figures: Sequence[str]) -> str:
    """``warning: the measurement of 2 figures of host was disturbed: clock_ghz, …``; or nothing."""
    if not figures:
        return ""
    more = len(figures) - MOST_DOUBTFUL
    others = f" and {more} more" if more > 0 else ""
    listed = ", ".join(figures[:MOST_DOUBTFUL])
    measured = f"the measurement of {plural(len(figures), 'figure')} of {machine} was disturbed"
    return f"warning: {measured}: {listed}{others}"


def limit_words(limit: LimitShare, title: str) -> str:
    """``at 38 % of its ECM limit: 3.2 cy per iteration measured``."""
    measured = f"{number(limit.measured_cycles)} cy per iteration measured"
    return f"at {number(100 * limit.share)} % of its {title} limit: {measured}"


def entry_words(result: report.MachineResult) -> Iterator[str]:
    """The state of the caches when the function is called, and what decided it."""
    entry = result.entry
    if entry is None:
        return
    if entry.origin is EntryOrigin.PROGRAM_START:
        yield "caches are cold on entry: the program calls this function once"
        return
    chosen = entry.origin is not EntryOrigin.REPEATED_CALLS
    origin = f" ({entry.origin.value})" if chosen else ""
    if entry.state is EntryState.COLD:
        yield f"caches are cold on entry{origin}"
        return
    if entry.level == MEMORY:
        yield f"steady state{origin}: the data do not stay cached from call to call"
    else:
        yield f"steady state{origin}: each call of the function finds the data in {entry.level}"


def opposite_words(result: report.MachineResult) -> str:
    """``with cold caches: ecm 30 cy/CL (3.8 cy per iteration)``; empty where nothing differs."""
    entry = result.entry
    if entry is None or not entry.opposite:
        return ""
    steady = entry.state is EntryState.STEADY
    state = "with cold caches" if steady else "in the steady state"
    figures = [
        f"{each.model} {each.headline} ({number(each.cycles_per_iteration)} cy per iteration)"
        for each in entry.opposite
    ]
    return f"{state}: {', '.join(figures)}"


def basis_words(
    result: report.MachineResult, notes: list[int], values: Sequence[report.SizeRange] = ()
) -> str:
    """Sizes by origin, cores, notes: ``n = 250 (guessed); 1 core (serial code); notes 1-2``.

    A size that the program decides has the step that it begins with: ``n = 27000 (nx = 30,
    main.c:5)``.
    """
    begins = {(each.size, each.typical, each.origin): each.chain for each in values}
    by_origin: dict[str, list[str]] = {}
    for name, size in result.sizes.items():
        chain = begins.get((name, size.value, size.origin), ())
        origin = _whence(size.origin, chain)
        by_origin.setdefault(origin, []).append(f"{name} = {size.value}")
    parts = [f"{', '.join(sizes)} ({origin})" for origin, sizes in by_origin.items()]
    origin = f" ({result.cores_origin})" if result.cores_origin else ""
    parts.append(f"{plural(result.cores, 'core')}{origin}")
    if notes:
        parts.append(f"note{'s' if len(notes) > 1 else ''} {ranges(notes)}")
    return "; ".join(parts)


def _whence(origin: str, chain: Sequence[ChainStep]) -> str:
    """Where a value comes from: the first step of its chain, else its place or its origin."""
    if len(chain) > 1:
        return str(chain[0])
    place = chain[0].place if chain else ""
    words = origin_words(origin)
    return f"{words}, {place}" if place and place != origin else words


def excess_words(run: report.Report) -> str:
    """``the run takes 6.7 times the 10 minutes that …``; nothing within them."""
    used = budget_used(run)
    if used is None or used <= 1:
        return ""
    several = any(file.entries > 1 for file in run.files)
    subject = "runs of the entries take" if several else "the run takes"
    return (
        f"{subject} {used:.2g} times the 10 minutes that guesses may make"
        f" {'each' if several else 'it'} last: most of the time does not rest on guessed sizes"
    )


def percent(share: float) -> str:
    """``11 %``, ``0.4 %``."""
    return f"{100 * share:.{0 if share >= 0.01 else 1}f} %"


def definition(name: str) -> str:
    """``-D 'p[*]=NUMBER'`` as a shell takes it."""
    return f"-D {shlex.quote(f'{name}=NUMBER')}"


def scenario_words(run: report.Report) -> str:
    """``scenario: 4 sizes decided, 2 guessed (length, rep)``; nothing where there are no sizes."""
    values = [each for file in run.files for f in file.functions for each in f.values]
    if not values:
        return ""
    guessed = dict.fromkeys((v.scope, v.name) for v in values if v.origin == GUESSED)
    decided = {(v.scope, v.name) for v in values} - guessed.keys()
    name = f"scenario {run.scenario}" if run.scenario else "scenario"
    text = f"{name}: {plural(len(decided), 'size')} decided"
    return f"{text}, {len(guessed)} guessed ({_names_of(guessed)})" if guessed else text


def _names_of(guessed: Iterable[tuple[str, str]]) -> str:
    names = list(dict.fromkeys(name for _, name in guessed))
    more = f" and {len(names) - MOST_GUESSED} more" if len(names) > MOST_GUESSED else ""
    return f"{', '.join(names[:MOST_GUESSED])}{more}"


def run_words(run: report.Report, verdicts: Iterable[Verdict]) -> str:
    """``one run ≈``; of a library, each entry once; without a program, each function."""
    origins = {each.weight.origin for each in verdicts}
    if WeightOrigin.FILE in origins:
        return "each function once ≈"
    kernels = [kernel for file in run.files for kernel in file.kernels()]
    several = any(each.weight is not None and each.weight.of_entry for each in kernels)
    words = "each entry once" if several else "one run"
    return f"{words} ≈" if WeightOrigin.STATIC in origins else words

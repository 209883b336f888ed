from collections.abc import Iterator, Mapping
from functools import partial

from rooflint.facts import as_written
from rooflint.ir import Access, Loop, Poly, UnknownValueError, walk
from rooflint.plugin_api.advice import Edit, Fix
from rooflint.plugin_api.rule import Action, ActionKind, Change, Guard, Match, RuleContext
from rooflint.rule_kit import openmp
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.source_edit.edits import EditableSource
from rooflint.transform.nest.legality import reordering_blocker
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.scalars import scalars_of
from rooflint.transform.result import ChangedFunction

WORTH = 1.1
"""Of the average, what the longest share has to take."""


def _scheduled(match: Match, context: RuleContext) -> str:
    schedule = openmp.clause(openmp.shared_at(context, match.place).region, "schedule")
    if schedule is None or schedule.replace(" ", "") == "static":
        return ""
    return f"schedule({schedule}) mixes long and short iterations"


class TriangularSchedule(RuleDefaults):
    code = "RL407"
    slug = "triangular-schedule"
    summary = "a parallel loop's iterations grow or shrink, and each thread gets a block of them"
    status = "preview"
    models = ("ecm", "roofline")
    needs = ("memory.bandwidth",)
    guards = (
        Guard("scheduled", "the schedule is not static, or has chunks", _scheduled,
              structural=True),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Parallel loops with an inner loop whose length depends on theirs."""
        for shared in openmp.shared_loops(context):
            inner = _varying(shared.site.loop)
            ratio = None if inner is None else _imbalance(context, shared, inner)
            if inner is not None and ratio is not None and ratio >= WORTH:
                yield _match(context, shared, inner, ratio)


RULE = TriangularSchedule()


def _varying(loop: Loop) -> Loop | None:
    for node in walk(loop.body):
        if isinstance(node, Loop) and loop.index in node.trip_count.names():
            return node
    return None


def _imbalance(context: RuleContext, shared: openmp.WorksharedLoop, inner: Loop) -> float | None:
    """The longest of the equal blocks over their average, trips taken for linear in the index."""
    loop, facts = shared.site.loop, shared.kernels[0]
    values = context.kernel(facts).sizes.values
    cores = context.kernel(facts).cores
    first = _number(loop.lower, values)
    last = _number(loop.upper - loop.step, values)
    if first is None or last is None or cores < 2:
        return None
    ends = [_number(inner.trip_count, {**values, loop.index: each}) for each in (first, last)]
    if None in ends:
        return None
    low, high = sorted([max(0, each) for each in ends if each is not None])
    average = (low + high) / 2
    return (high - (high - low) / (2 * cores)) / average if average else None


def _number(poly: Poly, values: Mapping[str, int]) -> int | None:
    try:
        return poly.evaluate(values)
    except UnknownValueError:
        return None


def _match(context: RuleContext, shared: openmp.WorksharedLoop, inner: Loop, ratio: float) -> Match:
    index = as_written(shared.site.loop.index)

    def seconds() -> Mapping[str, tuple[float, float]]:
        found: dict[str, tuple[float, float]] = {}
        for model in TriangularSchedule.models:
            even = openmp.predicted_seconds(context, shared.kernels, model)
            if even is not None:
                found[model] = (even * ratio, even)
        return found

    return Match(
        shared.site.name,
        f"the trip count of {as_written(inner.index)} varies with {index}: of equal blocks,"
        f" the longest takes {ratio:.2g} times the average",
        (
            Change(
                "schedule(static, 1)",
                fix=partial(_fix, context, shared),
                seconds=seconds,
                action=Action(ActionKind.OTHER, "schedule(static, 1)"),
            ),
        ),
    )


def _fix(context: RuleContext, shared: openmp.WorksharedLoop, result: ChangedFunction) -> Fix:
    text, span = EditableSource(context.text), context.source.spans[shared.region.origin]
    title = "schedule(static, 1)"
    above = span.line - 1
    if above < 1 or above + 1 > len(text.starts):
        return Fix("sketch", title)
    line = text.bytes[text.starts[above - 1] : text.starts[above] - 1]
    if not _is_directive(line) or openmp.clause(shared.region, "schedule") is not None:
        return Fix("sketch", title, sketch=f"#pragma omp {shared.region.kind} {title}")
    end = len(line.rstrip()) + 1
    edit = Edit(line=above, column=end, end_line=above, end_column=end, text=f" {title}")
    return Fix("safe" if _is_exact(shared) else "unsafe", title, (edit,))


def _is_directive(line: bytes) -> bool:
    """Whether a line is an OpenMP directive that ends in it, without a comment."""
    words = line.replace(b"#", b" # ", 1).split()
    return words[:3] == [b"#", b"pragma", b"omp"] and b"\\" not in line and b"/" not in line


def _is_exact(shared: openmp.WorksharedLoop) -> bool:
    """Whether results do not depend on which thread runs an iteration. A thread's part of a sum is
    made of its own iterations, and a call may ask for its number. What an iteration finds of the
    one before is the thread's own: it is ``firstprivate``, say."""
    loop = shared.site.loop
    if openmp.clause(shared.region, "reduction") is not None or reordering_blocker((loop,)):
        return False
    roles = {scalar.role for scalar in scalars_of(loop.body).values()}
    return roles <= {"private"} and not any(_stays(access, loop) for access in _stores(loop))


def _stores(loop: Loop) -> list[Access]:
    return [a for s in statements_in(loop.body) for a in s.accesses if a.write]


def _stays(store: Access, loop: Loop) -> bool:
    """Whether iterations may store to one place: no race only where each thread has its own."""
    return bool(store.offset.unknowns()) or loop.index not in store.offset.mentions()

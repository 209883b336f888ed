from collections.abc import Iterator
from functools import partial

from rooflint.facts import KernelFacts, as_written
from rooflint.ir import Function
from rooflint.plugin_api.rule import Action, ActionKind, Change, Guard, Match, RuleContext, Setup
from rooflint.records import NamedTuple
from rooflint.rule_kit import openmp, queries
from rooflint.rule_kit.cache_fit import stays_cached
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.subscripts import left_dimension
from rooflint.transform.annotations import parallelise
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangeRefusal, Result

CANONICAL = ("for", "range-for", "inlined")
WORTH = 10
"""Times the cost of a fork and join that the work between them has to take."""


def _in_region(match: Match, context: RuleContext) -> str:
    regions = queries.kernel_of(match, context).kernel.regions
    return f"it is already inside omp {regions[-1].kind}" if regions else ""


def _too_short(match: Match, context: RuleContext) -> str:
    found = queries.kernels_in(context, match.place)
    site = context.sites[match.place]
    inside = found[0].kernel.loops[len(site.outer) :]
    times = openmp.openings(found[0].kernel.loops, inside, context.kernel(found[0]).sizes.values)
    said = [openmp.predicted_seconds(context, found, model) for model in ParallelOuter.models]
    seconds = min([each for each in said if each is not None], default=0.0) / max(times, 1.0)
    if seconds >= WORTH * openmp.FORK_JOIN_S:
        return ""
    return (
        f"the loop takes {queries.time_words(seconds)} each time, less than {WORTH} times the"
        f" {queries.time_words(openmp.FORK_JOIN_S)} of a fork and join"
    )


def _few_iterations(match: Match, context: RuleContext) -> str:
    trips = _trips(context, context.sites[match.place])
    if trips >= 2:
        return ""
    return "there is only one iteration to share"


def _not_canonical(match: Match, context: RuleContext) -> str:
    form = context.sites[match.place].loop.form
    return "" if form in CANONICAL else f"a {form} loop: OpenMP shares only counted for loops"


def _out_of_dimension(match: Match, context: RuleContext) -> str:
    for access, size in left_dimension(context, match.place):
        words = queries.words_of(access)
        return f"{words} leaves its dimension of {size}: rows are not independent"
    return ""


class ParallelOuter(RuleDefaults):
    code = "RL401"
    slug = "parallel-outer"
    summary = "a loop with independent iterations runs on one core"
    aliases = ("PWR050", "PWR051")
    models = ("ecm", "roofline")
    needs = ("memory.bandwidth",)
    guards = (
        Guard("in-region", "an OpenMP directive already shares the work", _in_region,
              structural=True),
        Guard("not-canonical", "the loop is written in a form that OpenMP does not accept",
              _not_canonical, structural=True),
        Guard("out-of-dimension", "a subscript leaves its row, so rows depend on each other",
              _out_of_dimension, structural=True),
        Guard("few-iterations", "the loop runs once", _few_iterations),
        Guard("too-short", "starting threads and waiting for them costs more than the work",
              _too_short),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Nests; of each the outermost loop that may run in parallel and has enough iterations."""
        if context.machine.cores_per_socket < 2:
            return
        for site in context.sites.values():
            if not site.outer and queries.kernels_in(context, site.name):
                yield _match(context, _choice(context, site))


RULE = ParallelOuter()


class _ParallelLoop(NamedTuple):
    site: Site
    result: Result


def _choice(context: RuleContext, outermost: Site) -> _ParallelLoop:
    first = _ParallelLoop(outermost, parallelise(context.function, outermost.name))
    is_legal = not isinstance(first.result, ChangeRefusal)
    if is_legal and _trips(context, outermost) >= context.machine.cores_per_socket:
        return first
    legal = [*([first] if is_legal else []), *_inner_choices(context, outermost, is_legal)]
    return max(legal, key=lambda each: _busy_cores(context, each.site), default=first)


def _inner_choices(
    context: RuleContext, outermost: Site, outermost_is_legal: bool
) -> list[_ParallelLoop]:
    legal: list[_ParallelLoop] = []
    for site in context.sites.values():
        if not site.outer or site.outer[0] is not outermost.loop:
            continue
        # loops inside the first choice are choices too: it may have few iterations
        taken = legal if outermost_is_legal else legal[1:]
        inside = any(each.site.loop is outer for outer in site.outer for each in taken)
        if not inside and queries.kernels_in(context, site.name):
            result = parallelise(context.function, site.name)
            if not isinstance(result, ChangeRefusal):
                legal.append(_ParallelLoop(site, result))
    return legal


def _busy_cores(context: RuleContext, site: Site) -> tuple[float, int]:
    """How many cores a loop gives work, and that outer ones are better at the same number."""
    return min(_trips(context, site), context.machine.cores_per_socket), -len(site.outer)


def _trips(context: RuleContext, site: Site) -> float:
    facts = queries.kernels_in(context, site.name)
    if not facts:
        return 0
    return context.kernel(facts[0]).traffic.space.trips[len(site.outer)]


def _match(context: RuleContext, choice: _ParallelLoop) -> Match:
    site, result = choice
    cores = context.machine.cores_per_socket
    compiler = context.compiler
    flag = "" if compiler.openmp else " (-fopenmp)"
    words = f"sharing {as_written(site.loop.index)} among {cores} cores{flag}"

    def apply(function: Function) -> Result:
        same = function is context.function
        return result if same else parallelise(function, site.name)

    index = as_written(site.loop.index)
    if isinstance(result, ChangeRefusal):
        evidence = f"1 of {cores} cores works on the loops of {index}"
    else:
        facts = max(queries.kernels_in(context, site.name), key=lambda f: f.work.flops)
        saturates = _saturation(context, facts)
        said = f"; memory saturates at {saturates}" if saturates and saturates < cores else ""
        evidence = f"iterations of {index} are independent, 1 of {cores} cores works{said}"
    return Match(
        site.name,
        evidence,
        (
            Change(
                words,
                apply,
                setup=Setup(compiler=compiler._replace(openmp=True)) if flag else Setup(),
                fix=partial(openmp.directive_fix, context, site.loop),
                action=Action(ActionKind.THREADS, str(cores)),
            ),
        ),
    )


def _saturation(context: RuleContext, facts: KernelFacts) -> int | None:
    """The cores that take all the memory bandwidth of a socket; None where they never do."""
    if stays_cached(context, [facts]):
        return None
    prediction = context.predictions(facts).get("ecm")
    return openmp.saturating_cores(prediction, context.machine, context.machine.cores_per_socket)

"""The limiters of some loops of a file at other values of the guessed sizes."""

from collections.abc import Iterator

from rooflint.config.comments import parse_comments
from rooflint.errors import UsageError
from rooflint.incremental.function_outcomes import NO_COUNTS
from rooflint.ir import SourceFunction, Unit
from rooflint.pipeline.advice.places import LoopPlaces
from rooflint.pipeline.files import NO_SCOPE, counted_file
from rooflint.pipeline.functions import FunctionAnalysis
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.trials import BISECTIONS
from rooflint.plugin_api.report import LimiterReport
from rooflint.records import NamedTuple


class LoopLimiters(NamedTuple):
    """The limiter of a loop on each machine, in the order asked; None: no guess is behind it.

    function, loop  lines and columns; instances of a template share them, and keep their order
    """

    function: tuple[int, int]
    loop: tuple[int, int]
    limiters: tuple[LimiterReport | None, ...]


def loop_limiters(
    unit: Unit, setup: AnalysisSetup, loops: LoopPlaces, bisections: int = BISECTIONS
) -> Iterator[LoopLimiters]:
    """Those of the kernels at these places, in the order of the file."""
    directives = parse_comments(unit.comments)
    counted = counted_file(setup.counts, unit)
    spans = [source.span for source in unit.functions]
    for source in unit.functions:
        if not any(span[:2] in loops for span in source.spans):
            continue
        scope = directives.scope(source.span, spans) if directives.settings else NO_SCOPE
        counts = counted.of(source) if counted is not None else NO_COUNTS
        analysis = FunctionAnalysis(source, scope, setup, counts, setup.scenario.of(source))
        try:
            yield from _of_function(analysis, source, loops, bisections)
        except UsageError:  # the analysis itself says so
            continue


def _of_function(
    analysis: FunctionAnalysis, source: SourceFunction, loops: LoopPlaces, bisections: int
) -> Iterator[LoopLimiters]:
    origins = {n for n, span in enumerate(source.spans) if span[:2] in loops}
    for origin, limiters in analysis.limiters(origins, bisections):
        yield LoopLimiters(source.span[:2], source.spans[origin][:2], limiters)

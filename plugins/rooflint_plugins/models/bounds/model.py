"""The generalized roofline: a loop scheduled cycle by cycle on a core, without running it.

    P_issue = W / |I|      P_latency = W / |S|      P_stall = W / |I u B|      P_all = W / |S u B|
    P_overlap = W / |S_x u S_y|                                  all at the loop's own intensity

The loop's instructions, as the compiler would choose them, go through fetch, buffers, ports and
links in program order, each at the earliest cycle; what repeats is found and not run again. I are
the cycles in which a class of instructions starts or holds a unit, S those until its results are
there, B those in which a buffer is full. The smallest set of classes that fills all cycles is the
bottleneck.

V. C. Cabezas, M. Püschel: Extending the roofline model: bottleneck analysis with microarchitectural
constraints, IISWC 2014.
"""

from typing import Final

from rooflint.facts import Kernel
from rooflint.plugin_api.hookspecs import Context, Needs
from rooflint.plugin_api.prediction import DataField, NotApplicable, Prediction

from rooflint_plugins import called
from rooflint_plugins.models.bounds.answer import answer_of

MOST_CALL_CY: Final = 100_000.0
"""Of an iteration in calls; more is not scheduled cycle by cycle: what else there is takes no time
that shows beside it."""


FIELDS: Final = (
    DataField("flop_per_cycle", "performance of one core in the steady state", "1/cy"),
    DataField("period_iterations", "iterations after which the schedule repeats"),
    DataField("bounds", "issue, latency, stall and overlap bounds"),
    DataField("tight", "the smallest set of resources that fills all cycles"),
    DataField("sensitivity", "gains from faster resources"),
)


class Bounds:
    """Issue, latency, stall and overlap bounds of the steady state."""

    name = "bounds"
    title = "bounds"
    fields = FIELDS
    needs = Needs(machine=("core.operations",))

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """Performance and its bounds in flops per cycle of one core, and what explains them."""
        if called.priced_cycles(kernel) > MOST_CALL_CY:
            return called.in_calls(self.name, kernel, context.cores) or NotApplicable(
                "calls take all of the time"
            )
        answer = answer_of(context)
        if answer is None or not answer.period.cycles:
            return NotApplicable("nothing is left to execute once invariant values are known")
        cycles = answer.iteration_cy / context.cores
        if context.brief:
            return Prediction(
                model=self.name,
                bottleneck="",
                sentence="",
                headline=f"{cycles:.3g} cy",
                cycles_per_iteration=cycles,
            )
        from rooflint_plugins.models.bounds.explanation import (  # noqa: PLC0415 - not in a lint
            explanation,
        )

        return explanation(self.name, answer, context)

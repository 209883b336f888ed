"""A loop's report in a few words: for hints, lenses and the choice of loops."""

from typing import Final

from rooflint.plugin_api.drawing import PlotData
from rooflint.plugin_api.report import KernelReport
from rooflint.records import NamedTuple
from rooflint.render.entries import has_guessed_sizes
from rooflint.render.phrases import has_uncounted_call, short_verdict

LONGEST_HINT: Final = 32
GUESS: Final = "~"


class LoopSummary(NamedTuple):
    """A loop in a few words.

    verdict   ``memory-bound``, ``L1-L2-bound``, ``compute-bound``
    number    the headline of the first model that has one: ``2.66 GFLOP/s``
    guessed   whether nobody set some size, or a call is not in the numbers
    share     of the machine's peak that the model allows, 0 to 1; None where it names no peak
    """

    verdict: str
    number: str
    guessed: bool
    share: float | None

    @property
    def text(self) -> str:
        """At most LONGEST_HINT characters."""
        mark = GUESS if self.guessed else ""
        for word in (self.verdict, self.verdict.replace("memory-bound", "mem-bound")):
            text = f"{mark}{word} {self.number}"
            if len(text) <= LONGEST_HINT:
                return text
        return (
            f"{mark}{self.number}" if len(self.number) < LONGEST_HINT else f"{mark}{self.verdict}"
        )


def loop_summary(kernel: KernelReport) -> LoopSummary | None:
    """The first prediction on the first machine in a few words; None without a prediction."""
    predictions = kernel.results[0].predictions if kernel.results else ()
    if not predictions:
        return None
    prediction = predictions[0]
    return LoopSummary(
        verdict=short_verdict(prediction),
        number=prediction.headline,
        guessed=has_guessed_sizes(kernel) or has_uncounted_call(kernel),
        share=share_of_peak(prediction.plot),
    )


def share_of_peak(plot: PlotData | None) -> float | None:
    """Attained over the peak of the roof that the loop is drawn under."""
    roof = plot.roof if plot is not None else None
    return roof.g_per_s / roof.peak_g_per_s if roof is not None and roof.peak_g_per_s else None

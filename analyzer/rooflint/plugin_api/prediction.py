"""A model's result for a kernel: the part every renderer understands, and the model's own data."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from rooflint.plugin_api.drawing import PlotData
from rooflint.plugin_api.terms import TimeTerms
from rooflint.records import NamedTuple

DEEPEST_DATA: Final = 6
"""Levels of lists and objects in a model's data; this program's own models have four."""

if TYPE_CHECKING:
    Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
else:

    def _json(levels: int) -> Any:  # noqa: ANN401 - a type
        """The same without end: answers of other processes are decoded to this very type."""
        scalar = None | bool | int | float | str
        if levels == 0:
            return scalar
        inner = _json(levels - 1)
        return scalar | list[inner] | dict[str, inner]

    Json = _json(DEEPEST_DATA - 1)

LimitKind: TypeAlias = Literal["compute", "memory", "link", "other"]
"""``link`` is a link of the machine nearer than memory's; ``other`` is a model's own word."""


class DataField(NamedTuple):
    """One field of a model's ``data`` in words, for every place that shows it.

    sentence   what it says, in one sentence
    unit       of a number: ``cy``; empty for a plain count or a text
    is_shown   whether reports and hovers print it beside the headline; else it is left to the full
               figures of the page, JSON and ``explain``
    schema     JSON Schema of the value; empty where anything may come
    """

    name: str
    sentence: str
    unit: str = ""
    is_shown: bool = False
    schema: Mapping[str, Json] = {}


class ModelText(NamedTuple):
    """A model in words: its title as sentences have it, and what the fields of its data are."""

    name: str
    title: str
    fields: tuple[DataField, ...] = ()


class ShownFigure(NamedTuple):
    """A field of ``data`` that is shown beside the headline."""

    name: str
    value: str | bool | int | float
    unit: str = ""


class Prediction(NamedTuple):
    """One model's answer for one kernel on one machine with a number of cores.

    bottleneck            the resource that limits, as the model names it: ``L3-MEM``, ``compute``
    sentence              the answer in one plain sentence, numbers with units
    cycles_per_iteration  core cycles per iteration of the kernel's own loop; None when unknown
    headline              the one number a person wants first, with unit: ``1.05 GFLOP/s``
    assumptions           what the answer rests on, each a sentence
    data                  the model's own figures, JSON values only; contract in docs/json.md
    plot                  what is drawn of it, if anything
    limit                 the kind of ``bottleneck`` on the machine: the pipeline sets it, no model
    figures               fields of ``data`` that the model says are to be shown: so does this
    lower_bound           the code does more than the cycles cover: the pipeline sets this too
    terms                 what verdicts are made of; a model without them is shown and not compared
    """

    model: str
    bottleneck: str
    sentence: str
    headline: str
    cycles_per_iteration: float | None = None
    assumptions: tuple[str, ...] = ()
    data: Mapping[str, Json] = {}
    limit: LimitKind = "other"
    plot: PlotData | None = None
    figures: tuple[ShownFigure, ...] = ()
    lower_bound: bool = False
    terms: TimeTerms | None = None


def limit_kind(bottleneck: str, links: Sequence[str]) -> LimitKind:
    """The kind of a bottleneck on a machine with these ``links``, nearest first.

    ``compute``, ``memory`` and names of links are words of the contract; all others are a model's.
    """
    if bottleneck == "compute":
        return "compute"
    if bottleneck == "memory" or bottleneck in links[-1:]:
        return "memory"
    return "link" if bottleneck in links else "other"


class NotApplicable(NamedTuple):
    """A model has nothing to say of a kernel, and why."""

    reason: str


class LimitShare(NamedTuple):
    """Predicted over measured cycles of a loop: a ``share`` of 0.38 is 38 % of the model's limit.

    ``measured_cycles``: per iteration, by the time of a profile and the counts of a run.
    """

    model: str
    share: float
    measured_cycles: float

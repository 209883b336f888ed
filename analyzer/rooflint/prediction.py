"""What a model says of a kernel: the part every renderer understands, and the model's own data."""

from collections.abc import Mapping
from typing import NamedTuple

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


class Prediction(NamedTuple):
    """One model's answer for one kernel on one machine with a number of cores.

    bottleneck            the resource that limits, as the model names it: ``L3-MEM``, ``compute``
    sentence              the answer in one plain sentence, numbers with units
    cycles_per_iteration  core cycles per iteration of the kernel's own loop; None when unknown
    headline              the one number a person wants first, with unit: ``1.05 GFLOP/s``
    assumptions           what the answer rests on, each a sentence
    data                  the model's own figures, JSON values only; contract in docs/json.md
    """

    model: str
    bottleneck: str
    sentence: str
    headline: str
    cycles_per_iteration: float | None = None
    assumptions: tuple[str, ...] = ()
    data: Mapping[str, Json] = {}


class NotApplicable(NamedTuple):
    """A model has nothing to say of a kernel, and why."""

    reason: str

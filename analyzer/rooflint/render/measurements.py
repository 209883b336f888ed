"""Measurements of the user's store in words, beside the predictions of a loop."""

from collections.abc import Iterator

from rooflint.plugin_api.report import FunctionReport, KernelReport, MeasuredLoop, NestReport
from rooflint.render.layout import number


def measured_around(function: FunctionReport, kernel: KernelReport) -> Iterator[MeasuredLoop]:
    """All that a kernel is a part of."""
    for each in function.measured:
        if each.line is None or each.line == _nest_of(function, kernel).line:
            yield each


def measured_words(measured: MeasuredLoop, function: FunctionReport) -> str:
    """The words behind the label ``measured``: figures only where they are of this very loop."""
    if measured.standing == "before a change":
        return "before the last change"
    if measured.standing == "other conditions":
        return f"under other conditions: {_conditions(measured)}, {measured.cpu}"
    predicted = ", ".join(
        f"{p.model} {number(p.cycles_per_iteration)}" for p in measured.predictions
    )
    beside = f" (predicted {predicted})" if predicted else ""
    whole = measured.line is None and sum(len(nest.kernels) for nest in function.nests) > 1
    of = ", the whole function" if whole else ""
    figure = f"{number(measured.cycles_per_iteration)} cy per iteration{beside}"
    return f"{figure}{of}; {_conditions(measured)}, {measured.compiler}, {measured.cpu}"


def measured_summary(measured: MeasuredLoop, model: str = "") -> str:
    """``measured 1.9 (predicted 2.0)``, by ``model`` where it was compared, else by the first."""
    if measured.standing == "before a change":
        return "measured before the last change"
    if measured.standing == "other conditions":
        return "measured under other conditions"
    text = f"measured {number(measured.cycles_per_iteration)}"
    by_model = {each.model: each.cycles_per_iteration for each in measured.predictions}
    if not by_model:
        return text
    return f"{text} (predicted {number(by_model.get(model, next(iter(by_model.values()))))})"


def _conditions(measured: MeasuredLoop) -> str:
    sizes = ", ".join(f"{name} = {value}" for name, value in sorted(measured.sizes.items()))
    return f"{sizes}, data in {measured.level}" if sizes else f"data in {measured.level}"


def _nest_of(function: FunctionReport, kernel: KernelReport) -> NestReport:
    return next(nest for nest in function.nests if kernel in nest.kernels)

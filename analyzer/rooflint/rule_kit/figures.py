"""Figures of a model's answer as typed records."""

from typing import TypeVar

from msgspec import Struct, ValidationError, convert

from rooflint.plugin_api.prediction import Prediction

FiguresT = TypeVar("FiguresT", bound=Struct)


def figures_of(prediction: Prediction | None, kind: type[FiguresT]) -> FiguresT | None:
    """The fields of a prediction's ``data`` that ``kind`` names; None where they are not there."""
    if prediction is None:
        return None
    try:
        return convert(prediction.data, kind)
    except ValidationError:
        return None

"""The JSON Schema of reports, with the data of the models that describe their fields."""

import json
from collections.abc import Iterable
from importlib.resources import files

from rooflint.plugin_api.prediction import Json
from rooflint.plugin_api.report import ModelText


def report_schema(models: Iterable[ModelText] = ()) -> dict[str, Json]:
    """The schema of a report; each model adds what its fields hold, with no line changed here.

    A field with a schema has to be in the data; fields that are not described may be there too.
    """
    text = (files("rooflint.render") / "report.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Json] = json.loads(text)
    definitions = schema["$defs"]
    assert isinstance(definitions, dict)
    prediction = definitions["prediction"]
    assert isinstance(prediction, dict) and isinstance(prediction["allOf"], list)
    prediction["allOf"] += [_condition(model) for model in models if model.fields]
    return schema


def _condition(model: ModelText) -> dict[str, Json]:
    required: list[Json] = [field.name for field in model.fields if field.schema]
    properties: dict[str, Json] = {
        field.name: {"description": field.sentence, **field.schema} for field in model.fields
    }
    data: dict[str, Json] = {"properties": properties, "required": required}
    return {
        "if": {"properties": {"model": {"const": model.name}}},
        "then": {"properties": {"data": data}},
    }

"""Reading a model's data, which may hold anything."""

from collections.abc import Mapping

from rooflint.prediction import Json


def items(data: Mapping[str, Json], key: str) -> list[dict[str, Json]]:
    """The records of a list."""
    listed = data.get(key)
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def number(data: Mapping[str, Json], key: str) -> float | None:
    """A number, or None where there is none."""
    value = data.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

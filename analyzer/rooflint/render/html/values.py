"""A model's own data as HTML, whatever it holds: tables of records, lists, names with values."""

from collections.abc import Iterable, Mapping, Sequence

from rooflint.plugin_api.prediction import DataField, Json
from rooflint.render.html.markup import element, escape, figure, table

DEEPEST = 6
"""Data nested deeper appear in JSON only."""


def data_table(data: Mapping[str, Json], fields: Iterable[DataField] = ()) -> str:
    """Names and values; nothing where there is no data. ``fields``: units and what names mean."""
    known = {field.name: field for field in fields}
    rows = [
        f"{_name(name, known.get(name))}<td>{value_markup(value, DEEPEST)}"
        for name, value in data.items()
    ]
    return element("table", f"<tbody>{''.join(rows)}", class_="record") if rows else ""


def _name(name: str, field: DataField | None) -> str:
    unit = f" ({field.unit})" if field is not None and field.unit else ""
    meaning = f' title="{escape(field.sentence)}"' if field is not None else ""
    return f'<tr><th scope="row"{meaning}>{escape(name + unit)}'


def value_markup(value: Json, depth: int = DEEPEST) -> str:
    """One value of any kind."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or isinstance(value, int | float):
        return figure(value)
    if isinstance(value, str):
        return escape(value)
    if depth == 0:
        return "…"
    if isinstance(value, Mapping):
        return _record(value, depth - 1)
    return _sequence(value, depth - 1)


def _record(record: Mapping[str, Json], depth: int) -> str:
    rows = "".join(
        [
            f'<tr><th scope="row">{escape(name)}<td>{value_markup(value, depth)}'
            for name, value in record.items()
        ]
    )
    return element("table", f"<tbody>{rows}", class_="record") if rows else ""


def _sequence(values: Sequence[Json], depth: int) -> str:
    """Records with the same names are a table; anything else stands one after the other."""
    records = [value for value in values if isinstance(value, Mapping)]
    if records and len(records) == len(values):
        names = list(dict.fromkeys(name for record in records for name in record))
        cells = ([value_markup(record.get(name), depth) for name in names] for record in records)
        return table(names, cells)
    return ", ".join([value_markup(value, depth) for value in values])

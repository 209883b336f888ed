"""The data of a page, as its script reads them."""

import json
import re
from typing import Any, TypeAlias

Data: TypeAlias = Any
"""Parsed JSON."""


def data_of(text: str) -> Data:
    """The data block, as a browser reads it: up to the first end of a script."""
    (block,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(block)


def column(data: Data, name: str, machine: int = 0) -> list[Data]:
    """A column of the verdicts."""
    values: list[Data] = data["machines"][machine]["verdicts"][name]
    return values


def words(data: Data, name: str, machine: int = 0) -> list[str | None]:
    """The same, of texts."""
    return [
        None if place is None else data["texts"][place] for place in column(data, name, machine)
    ]


def identifiers(data: Data, machine: int = 0) -> list[str]:
    """The identifiers of the JSON report: on the page without the path before them."""
    files = [data["texts"][place] for place in data["loops"]["file"]]
    return [f"{path}:{own}" for path, own in zip(files, words(data, "id", machine), strict=True)]

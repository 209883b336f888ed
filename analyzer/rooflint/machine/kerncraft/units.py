"""Quantities as kerncraft writes them: ``2.7 GHz``, ``64 B/cy``, ``21.12 kB``."""

import re

from rooflint.machine.document import YamlNode

PREFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
UNKNOWN = "INFORMATION_REQUIRED"
"""The placeholder of kerncraft's generator for a figure that a person has to fill in."""

_QUANTITY = re.compile(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z/]*)\s*")


def is_open(node: YamlNode | None) -> bool:
    """Whether nobody has given the figure: no entry, null or the generator's placeholder."""
    if node is None or node.data is None:
        return True
    return isinstance(node.data, str) and node.data.strip().startswith(UNKNOWN)


def quantity(node: YamlNode, path: str, unit: str) -> float:
    """The figure in the plain ``unit`` (``Hz``, ``B/s``, ``B/cy``, ``B``); a bare number has it.

    Prefixes are powers of 1000. Raises ConfigurationError for anything else.
    """
    value = node.data
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value)
    else:
        number = _parsed(node, path, unit)
    if not 0 <= number < float("inf"):
        raise node.error(f"{path}: expected a quantity in {unit} of at least 0, got {value}")
    return number


def _parsed(node: YamlNode, path: str, unit: str) -> float:
    found = _QUANTITY.fullmatch(node.data) if isinstance(node.data, str) else None
    if found and (found[2] == unit or found[2][1:] == unit):
        prefix = found[2].removesuffix(unit)
        try:
            return float(found[1]) * PREFIXES[prefix]
        except (KeyError, ValueError):
            pass
    shown = f'"{node.data[:40]}"' if isinstance(node.data, str) else "no text"
    raise node.error(f"{path}: expected a quantity in {unit} such as 8 {unit}, got {shown}")

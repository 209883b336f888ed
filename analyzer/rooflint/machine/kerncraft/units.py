"""Quantities as kerncraft writes them: ``2.7 GHz``, ``64 B/cy``, ``21.12 kB``."""

from rooflint.machine.document import YamlNode

PREFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_NUMBER = frozenset("0123456789.eE+-")
UNKNOWN = "INFORMATION_REQUIRED"
"""The placeholder of kerncraft's generator for a figure that a person has to fill in."""


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
    text = node.data.strip() if isinstance(node.data, str) else ""
    if text.endswith(unit):
        scaled = text.removesuffix(unit)
        prefix = scaled[-1:] if scaled[-1:].isalpha() else ""
        number = scaled.removesuffix(prefix).strip()
        if prefix in PREFIXES and _NUMBER.issuperset(number):
            try:
                return float(number) * PREFIXES[prefix]
            except ValueError:
                pass
    shown = f'"{node.data[:40]}"' if isinstance(node.data, str) else "no text"
    raise node.error(f"{path}: expected a quantity in {unit} such as 8 {unit}, got {shown}")

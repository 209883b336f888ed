"""Lint rules: one module and one page each, discovered by their names (``rl101_column_walk``)."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
from rooflint.plugin_api.hookspecs import RuleStatus
from rooflint.rule_kit.features import CodeFeature

TABLE = Path(__file__).with_name("rules.json")


class BuiltInRule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The names and needs of a rule of this folder, known before its ``module`` is imported.

    Most runs ask few of the rules. The other attributes are those of ``hookspecs.Rule`` and of
    ``RuleDefaults``.
    """

    module: str
    code: str
    slug: str
    summary: str
    aliases: tuple[str, ...] = ()
    status: RuleStatus = "stable"
    models: tuple[str, ...]
    needs: tuple[str, ...] = ()
    requires: tuple[CodeFeature, ...] = ()
    defects: bool = False
    whole_file: bool = False
    """Whether it looks at a file, and not at one function at a time."""


def table() -> tuple[BuiltInRule, ...]:
    """All rules of this folder, by code; ``pytest tests/rules/test_table.py --update-golden``
    writes the file from the modules."""
    return msgspec.json.decode(TABLE.read_bytes(), type=tuple[BuiltInRule, ...])


def modules() -> Iterator[str]:
    """The modules of this folder that have a ``RULE``, in the order of their codes."""
    for path in sorted(Path(__file__).parent.glob("rl[0-9][0-9][0-9]_*.py")):
        yield f"{__name__}.{path.stem}"

"""Pages of rules: the Markdown beside a rule's module."""

import sys
from pathlib import Path

from rooflint.config.lint_settings import Note
from rooflint.plugin_api.hookspecs import Rule
from rooflint.registry import working_rule


def rule_page(rule: Rule | Note) -> str:
    """The whole page; of a rule without one its code, name and summary."""
    if isinstance(rule, Note):
        return _title(rule)
    rule = working_rule(rule)
    path = Path(str(getattr(sys.modules[type(rule).__module__], "__file__", ""))).with_suffix(".md")
    if path.is_file():
        return path.read_text(encoding="utf-8")
    return _title(rule)


def _title(rule: Rule | Note) -> str:
    return f"# {rule.code} {rule.slug}\n\n{rule.summary[:1].upper()}{rule.summary[1:]}.\n"

"""Pages of rules: the Markdown beside a rule's module."""

import sys
from pathlib import Path

from rooflint.config.lint_settings import Note
from rooflint.plugin_api.hookspecs import Rule


def rule_page(rule: Rule | Note) -> str:
    """The whole page; of a rule without one its code, name and summary."""
    path = Path(str(getattr(sys.modules[type(rule).__module__], "__file__", ""))).with_suffix(".md")
    if not isinstance(rule, Note) and path.is_file():
        return path.read_text(encoding="utf-8")
    return f"# {rule.code} {rule.slug}\n\n{rule.summary[:1].upper()}{rule.summary[1:]}.\n"

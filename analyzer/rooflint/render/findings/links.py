"""Addresses of the project's pages, for tools that show findings far from an installation."""

from typing import Final

from rooflint.plugin_api.rule_code import family_of, prefix_of

SOURCE: Final = "https://example.org/rooflint"
"""A placeholder until the project has a home, as in pyproject.toml; .ci/release refuses it."""
PREFIX: Final = "RL"
"""Of the rules that come with the program."""
NOTES: Final = "0"
"""The family of its notes on files and comments, which one page describes."""


def rule_link(code: str, slug: str, version: str) -> str:
    """The page of a built-in rule or note, as of a version; empty for a rule of another package."""
    if prefix_of(code) != PREFIX:
        return ""
    if family_of(code) == NOTES:
        page = "docs/lint.md"
    else:
        page = f"plugins/rooflint_plugins/rules/{code.lower()}_{slug.replace('-', '_')}.md"
    return f"{SOURCE}/blob/v{version}/{page}"

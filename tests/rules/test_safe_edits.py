"""Which rules make edits that ``lint --fix`` applies: each has a program in ``tests/aliasing``."""

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from rooflint.lint.functions import LintOutcome
from rooflint_plugins.rules import modules

COMPILED = {"RL101", "RL102", "RL104", "RL107", "RL306", "RL407"}
"""Rules whose fixes ``tests/aliasing/test_safe_fixes.py`` compiles and runs before and after."""


def flagged() -> Iterator[tuple[str, str, str]]:
    """Rule, flags and text of every example on a rule's page that must be flagged."""
    for path in modules():
        module = import_module(path)
        page = Path(str(module.__file__)).with_suffix(".md")
        for block in page.read_text(encoding="utf-8").split("\n```"):
            head, _, text = block.partition("\n")
            words = head.split()
            if words[:2] in (["c", "flag"], ["c++", "flag"]):
                yield module.RULE.code, " ".join(words[2:]), text


@pytest.mark.long
def test_no_other_rule_makes_safe_edits(lint: Callable[..., LintOutcome]) -> None:
    codes = set()
    for code, flags, text in flagged():
        compiler = "" if flags.startswith(("gcc", "clang")) else "gcc "
        for finding in lint(code, text, compiler + flags).findings:
            if finding.fix is not None and finding.fix.safety == "safe" and finding.fix.edits:
                codes.add(code)
    # the example on RL107's page cannot be edited: other files may use its array
    assert codes | {"RL107"} == COMPILED

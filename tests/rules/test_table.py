"""The table of the built-in rules says what their modules say, and imports none of them."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module

import msgspec
import pytest
from rooflint.plugin_api.rule import sees_files
from rooflint.registry import load_registry, with_rules, working_rule
from rooflint_plugins.rules import TABLE, BuiltInRule, modules, table


def entries() -> Iterator[BuiltInRule]:
    """The table as the modules have it."""
    for name in modules():
        rule = import_module(name).RULE
        yield BuiltInRule(
            module=name,
            code=rule.code,
            slug=rule.slug,
            summary=rule.summary,
            aliases=rule.aliases,
            status=rule.status,
            models=rule.models,
            needs=rule.needs,
            requires=rule.requires,
            defects=rule.defects,
            whole_file=sees_files(rule),
        )


def test_the_table_is_that_of_the_modules(request: pytest.FixtureRequest) -> None:
    found = tuple(entries())
    if request.config.getoption("--update-golden"):
        TABLE.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    assert table() == found


def test_codes_follow_each_other() -> None:
    codes = [rule.code for rule in table()]
    assert codes == sorted(set(codes))


def test_the_rule_itself_is_that_of_its_module() -> None:
    registry = with_rules(load_registry(search_path=()))
    assert len(registry.rules) == len(table())
    for rule in registry.rules:
        module = sys.modules.get(rule.module) if isinstance(rule, BuiltInRule) else None
        working = working_rule(rule)
        assert module is None or working is module.RULE
        assert working.code == rule.code
        assert working_rule(working) is working


def test_rules_are_listed_without_their_modules() -> None:
    program = (
        "import sys; from rooflint.registry import load_registry, with_rules\n"
        "rules = with_rules(load_registry(search_path=())).rules\n"
        "print(len(rules), [name for name in sys.modules if '.rules.rl' in name])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(len(table())), "[]"]

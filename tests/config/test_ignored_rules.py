"""A rule that a file ignores: the rest of it stays, and what cannot be edited is left alone."""

import tomllib
from pathlib import Path

import pytest
from rooflint.config.ignored_rules import ignore_rule, with_ignored
from rooflint.config.settings import Config
from rooflint.errors import ConfigurationError


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'ignore = ["RL101"]\n'),
        ("# ours\ncores = 1\n", '# ours\ncores = 1\nignore = ["RL101"]\n'),
        ("cores = 1\n\n[sizes]\nn = 1\n", 'cores = 1\nignore = ["RL101"]\n\n[sizes]\nn = 1\n'),
        ("[sizes]\nn = 1\n", 'ignore = ["RL101"]\n[sizes]\nn = 1\n'),
        (
            'ignore = ["RL4"]  # ours\n[sizes]\nn = 1\n',
            'ignore = ["RL4", "RL101"] # ours\n[sizes]\nn = 1\n',
        ),
        ("ignore = []\r\n", 'ignore = ["RL101"]\r\n'),
        ('ignore = ["RL101"]\n', 'ignore = ["RL101"]\n'),
    ],
)
def test_the_rule_is_added(before: str, after: str) -> None:
    assert with_ignored(before, (), "RL101") == after
    assert tomllib.loads(after)["ignore"][-1] == "RL101"


@pytest.mark.parametrize("text", ['ignore = [\n  "RL4",\n]\n', "a = [\n  1,\n[2],\n]\n"])
def test_what_cannot_be_edited_is_left_alone(text: str, tmp_path: Path) -> None:
    path = tmp_path / "rooflint.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=r"its ignored rules cannot be edited; write them"):
        ignore_rule(Config(file=str(path)), tmp_path, "RL101")
    assert path.read_text() == text


def test_without_a_file_there_is_a_new_one(tmp_path: Path) -> None:
    path = ignore_rule(Config(), tmp_path, "RL101")
    assert (path, path.read_text()) == (
        tmp_path / "rooflint.toml",
        'ignore = ["RL101"]\n',
    )
    shared = tmp_path / "pyproject.toml"
    shared.write_text("[tool.rooflint]\ncores = 1\n")
    ignore_rule(Config(file=str(shared)), tmp_path, "RL101")
    assert tomllib.loads(shared.read_text())["tool"]["rooflint"]["ignore"] == ["RL101"]

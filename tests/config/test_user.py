"""The user's own configuration."""

from pathlib import Path

import pytest
from rooflint.config.user import read_user_config
from rooflint.errors import ConfigurationError


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "rooflint" / "config.toml"
    path.parent.mkdir()
    return path


def test_nobody_is_trusted_unasked(file: Path) -> None:
    assert read_user_config().trusted == ()
    file.write_text("[measure]\n")
    assert not read_user_config().trusts("/")


def test_a_folder_and_all_below_it(file: Path, tmp_path: Path) -> None:
    inside, beside = tmp_path / "tree", tmp_path / "tree2"
    file.write_text(f"[measure]\ntrusted = ['{inside}']\n")
    config = read_user_config()
    assert config.trusts(str(inside))
    assert config.trusts(str(inside / "src"))
    assert not config.trusts(str(beside))
    assert not config.trusts(str(tmp_path))


def test_a_link_out_of_a_trusted_folder_is_not_trusted(file: Path, tmp_path: Path) -> None:
    inside, outside = tmp_path / "tree", tmp_path / "other"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    file.write_text(f"[measure]\ntrusted = ['{inside}']\n")
    assert not read_user_config().trusts(str(inside / "link"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("trust = 1", ":1: unknown key 'trust', expected measure"),
        ("measure = 1", ":1: measure: expected a table"),
        ("[measure]\ntrust = []", ":2: measure: unknown key 'trust', expected trusted; did you"),
        ("[measure]\ntrusted = true", ":2: measure.trusted: expected a list of folders, got True"),
        ("[measure]\ntrusted = [1]", ":2: measure.trusted: expected a list of folders"),
        ("[measure]\ntrusted = ['src']", ":2: measure.trusted: 'src' is relative"),
    ],
)
def test_mistakes_name_file_and_line(file: Path, text: str, problem: str) -> None:
    file.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        read_user_config()
    assert str(caught.value).startswith(f"{file}{problem}")

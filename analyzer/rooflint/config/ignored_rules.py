"""Writes a rule that a project ignores into its configuration file; comments and order stay."""

import tomllib
from pathlib import Path
from typing import Final

from rooflint.config.file import SHARED_FILE, SHARED_TABLE
from rooflint.config.settings import OWN_FILES, Config
from rooflint.config.sizes_table import SettingsChange, read_toml, with_setting
from rooflint.escaping import json_text

IGNORE: Final = "ignore"


def ignore_rule(config: Config, folder: str | Path, code: str) -> Path:
    """Has the file that ``config`` was read from ignore a rule, or a new file in ``folder``.

    Returns the file; raises ConfigurationError where it cannot be edited.
    """
    path = Path(config.file) if config.file else Path(folder) / OWN_FILES[0]
    keys = SHARED_TABLE if path.name == SHARED_FILE else ()
    lines = f"{IGNORE} = [{json_text(code, indent=None)}]"
    change = SettingsChange(path=path, keys=keys, lines=lines, subject="ignored rules")
    change.write(lambda text: with_ignored(text, keys, code))
    return path


def with_ignored(text: str, keys: tuple[str, ...], code: str) -> str | None:
    """The text with the rule in ``ignore`` of the table at ``keys``; None where it cannot be."""
    expected = table = tomllib.loads(text)
    for key in keys:
        table = table.setdefault(key, {})
        if not isinstance(table, dict):
            return None
    ignored = table.setdefault(IGNORE, [])
    if code in ignored:
        return text
    ignored.append(code)
    mark = "\r\n" if "\r\n" in text else "\n"
    value = json_text(ignored, indent=None)
    changed = with_setting(text.splitlines(), keys, IGNORE, value)
    joined = "".join(f"{line}{mark}" for line in changed)
    return joined if read_toml(joined) == expected else None

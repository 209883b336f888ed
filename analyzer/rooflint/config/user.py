"""The user's own configuration, which no tree that is analysed has a say in.

[measure]
trusted = ["~/src/solver"]    # folders whose code 'rooflint measure' may run unasked
"""

import os
from pathlib import Path
from typing import Final

from msgspec import Struct

from rooflint.config.file import ConfigFile, read_config_file
from rooflint.errors import near_miss

FILE: Final = "config.toml"
MEASURE: Final = "measure"
TRUSTED: Final = "trusted"


class UserConfig(Struct, frozen=True, kw_only=True):
    """``trusted``: folders whose code may be run without a question."""

    trusted: tuple[str, ...] = ()

    def trusts(self, folder: str) -> bool:
        """Whether ``folder`` is one of them or lies below one."""
        inside = os.path.realpath(folder)
        return any(os.path.commonpath((inside, each)) == each for each in self.trusted)


def user_config_path() -> str:
    """Where it is; empty where the user has no folder for configurations."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA") or ""
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "rooflint", FILE) if os.path.isabs(base) else ""


def read_user_config() -> UserConfig:
    """Its settings, none where there is no file; ConfigurationError with ``file:line``."""
    path = user_config_path()
    if not path or not os.path.isfile(path):
        return UserConfig()
    file = read_config_file(Path(path))
    for key in file.table:
        if key != MEASURE:
            raise file.wrong(
                f"unknown key '{key}', expected {MEASURE}{near_miss(key, [MEASURE])}", key
            )
    return UserConfig(trusted=_trusted(file))


def _trusted(file: ConfigFile) -> tuple[str, ...]:
    table = file.table.get(MEASURE, {})
    if not isinstance(table, dict):
        raise file.wrong(f"{MEASURE}: expected a table with {TRUSTED} = [...]", MEASURE)
    for key in table:
        if key != TRUSTED:
            hint = near_miss(key, [TRUSTED])
            message = f"{MEASURE}: unknown key '{key}', expected {TRUSTED}{hint}"
            raise file.wrong(message, MEASURE, key)
    return tuple([_folder(each, file) for each in _list(table.get(TRUSTED, []), file)])


def _list(value: object, file: ConfigFile) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        expected = f"expected a list of folders, got {value!r}"
        raise file.wrong(f"{MEASURE}.{TRUSTED}: {expected}", MEASURE, TRUSTED)
    return value


def _folder(text: str, file: ConfigFile) -> str:
    folder = os.path.expanduser(text)
    if not os.path.isabs(folder):
        message = f"{MEASURE}.{TRUSTED}: '{text}' is relative, expected an absolute folder"
        raise file.wrong(message, MEASURE, TRUSTED)
    return os.path.realpath(folder)

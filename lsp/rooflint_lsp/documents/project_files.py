"""Configurations and machine files in an editor: what is wrong with the text as it is now."""

from collections.abc import Sequence
from enum import Enum, auto
from pathlib import Path
from typing import Final

from rooflint.config.file import SHARED_FILE
from rooflint.config.lint_settings import LintOverrides
from rooflint.config.settings import OWN_FILES, load_config
from rooflint.errors import ConfigurationError, RooflintError
from rooflint.machine import builtin_dir
from rooflint.machine.describe import machine_problems
from rooflint.machine.identity import pattern_errors
from rooflint.pipeline import Options, SetupResolver
from rooflint.registry import load_registry

MACHINE_SUFFIXES: Final = (".yaml", ".yml")
MACHINE_KEYS: Final = frozenset(("schema", "sources", "clock_ghz", "extends"))
"""At the top of a document; other YAML has hardly two of them."""
MAX_CHARACTERS: Final = 1 << 20


class ProjectFileKind(Enum):
    """A configuration or a machine."""

    CONFIGURATION = auto()
    MACHINE = auto()


def project_file_kind(path: Path, text: str) -> ProjectFileKind | None:
    """None where the file is of others."""
    if path.name in OWN_FILES or (path.name == SHARED_FILE and "tool.rooflint" in text):
        return ProjectFileKind.CONFIGURATION
    keys = {line.partition(":")[0].rstrip() for line in text.splitlines() if ":" in line}
    if path.suffix in MACHINE_SUFFIXES and len(keys & MACHINE_KEYS) > 1:
        return ProjectFileKind.MACHINE
    return None


def project_file_problems(path: Path, text: str) -> Sequence[ConfigurationError]:
    """Mistakes in a file that reads ``text``; one may lie in a file that this one extends."""
    if len(text) > MAX_CHARACTERS:
        return ()
    kind = project_file_kind(path, text)
    if kind is ProjectFileKind.CONFIGURATION:
        return _configuration_problems(path, text)
    if kind is ProjectFileKind.MACHINE:
        dirs = (builtin_dir(), *load_registry().machine_dirs)
        return pattern_errors(path, text) or machine_problems(path, dirs, text=text)
    return ()


def _configuration_problems(path: Path, text: str) -> Sequence[ConfigurationError]:
    try:
        config = load_config(path, text)
        SetupResolver(Options(lint=LintOverrides()), load_registry()).check(config)
        SetupResolver(Options(), load_registry()).check(config)
    except ConfigurationError as error:
        return (error,)
    except RooflintError as error:
        return (ConfigurationError(str(error), str(path)),)
    return ()

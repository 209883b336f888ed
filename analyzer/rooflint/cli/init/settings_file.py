"""The file that ``rooflint init`` writes: keys with values that hold, others as comments."""

import json
import os
from pathlib import Path

from rooflint.cli.init.machine_choice import MachineChoice
from rooflint.cli.machine.detection import MATCH_WORDS
from rooflint.compile_flags.build_system import BuildKind, BuildSystem
from rooflint.config.file import SHARED_FILE
from rooflint.config.settings import OWN_FILES, ConfigFinder, load_config
from rooflint.errors import UsageError

FILE_NAME = OWN_FILES[0]
HEAD = "# Settings of Rooflint; the command line wins. The README lists all keys."


def governing_file(root: Path) -> str:
    """The configuration from a folder above that applies in ``root`` today; empty without one.

    Raises UsageError where ``root`` has one of its own, ConfigurationError where one is wrong.
    """
    for name in OWN_FILES:
        if os.path.lexists(root / name):
            raise UsageError(f"init: {root / name} exists: edit it, or remove it first")
    shared = root / SHARED_FILE
    if shared.is_file() and load_config(shared).lines:
        raise UsageError(f"init: {shared} has [tool.rooflint]: edit that, or remove it first")
    return ConfigFinder().config_for(root / FILE_NAME).file


def settings_text(build: BuildSystem, choice: MachineChoice) -> str:
    """The content of the file."""
    lines = [HEAD, _machine_line(choice), *_build_lines(build)]
    return "\n".join(lines) + "\n"


def write_settings(root: Path, text: str) -> None:
    """Writes a new file; raises UsageError where it cannot, or where there is one."""
    path = root / FILE_NAME
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"init: cannot write {path}: {reason}") from error


def _machine_line(choice: MachineChoice) -> str:
    words = MATCH_WORDS[choice.found.match]
    if not choice.name:
        return f'# machine = "mine.yaml"    # {words}'
    return f"machine = {json.dumps(choice.name)}    # {words}"


def _build_lines(build: BuildSystem) -> list[str]:
    if build.kind is BuildKind.DATABASE:
        path = Path(build.database).as_posix()
        if path.isprintable():
            return [f"compile-commands = {json.dumps(path, ensure_ascii=False)}"]
        return ["# compile-commands: the nearest compile_commands.json"]
    if build.folder:
        command = build.command
        shown = f"    # after: {command}" if command.isprintable() else ""
        return [f"# compile-commands = {json.dumps(build.folder)}{shown}"]
    if build.kind is BuildKind.NONE:
        return ["# [flags]", '# default = ["-O3", "-march=native"]    # for all files']
    return ['# compile-commands = "build"    # the folder that the preset names']

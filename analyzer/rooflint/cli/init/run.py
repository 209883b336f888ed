"""A run of ``rooflint init``: what is there, the file for it, and what to do next."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from rooflint.cli.exit_codes import ExitCode
from rooflint.cli.init.build_words import build_doubts, build_words
from rooflint.cli.init.machine_choice import MachineChoice, choose_machine
from rooflint.cli.init.settings_file import FILE_NAME, governing_file, settings_text, write_settings
from rooflint.cli.machine.detection import machine_words, processor_words
from rooflint.compile_flags.build_system import BuildSystem, build_system
from rooflint.errors import UsageError
from rooflint.escaping import visible


def run_init(paths: Sequence[str]) -> int:
    """Writes the configuration of ``paths``, one folder at most.

    Raises UsageError for what is no folder, and where a configuration is there already.
    """
    if len(paths) > 1:
        raise UsageError(f"init: expected one DIR, got {len(paths)}")
    root = Path(paths[0]) if paths else Path()
    if not root.is_dir():
        raise UsageError(f"init: {root}: expected a folder, the root of a project")
    above = governing_file(root)
    build, choice = build_system(str(root)), choose_machine()
    write_settings(root, settings_text(build, choice))
    doubts = [*build_doubts(build), *choice.doubts]
    if above:
        doubts.append(f"{above} no longer applies here; 'extends' in {FILE_NAME} keeps it")
    sys.stdout.writelines(f"{visible(line)}\n" for line in _lines(root, build, choice, doubts))
    return ExitCode.FINE


def _lines(
    root: Path, build: BuildSystem, choice: MachineChoice, doubts: Sequence[str]
) -> list[str]:
    rows = [
        ("Wrote", str(root / FILE_NAME)),
        ("Build", build_words(build)),
        ("CPU", processor_words(choice.processor)),
        ("Machine", machine_words(choice.found)),
        *[("Doubt", doubt) for doubt in doubts],
        *[("Next", command) for command in _commands(root, build)],
    ]
    return [f"{label:<9}{text}" for label, text in rows]


def _commands(root: Path, build: BuildSystem) -> list[str]:
    change = [] if root.resolve() == Path().resolve() else [f"cd {shlex.quote(str(root))}"]
    return [*change, *filter(None, [build.command]), "rooflint analyze ."]

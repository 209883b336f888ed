"""``rooflint machine list|show|check``: machine files, what they say, whether they are sound."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rooflint.analysis import machine_named
from rooflint.cli_arguments import Parser
from rooflint.errors import UsageError, near_miss
from rooflint.machine import MachineEntry, builtin_dir, check, describe, list_machines
from rooflint.registry import load_registry

FINE, FINDINGS = 0, 1
ACTIONS = {
    "list": "every machine, with its other names",
    "show": "the figures of a machine, each with its source",
    "check": "what is wrong or suspicious with machine files",
}
USAGE = """usage: rooflint machine list | show NAME|FILE... | check [NAME|FILE...]

{actions}

A machine is one YAML file; a path works wherever a name does.
"""


def machine(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    if not arguments or arguments[0] in ("-h", "--help"):
        lines = "\n".join(f"  {name:<7}{text}" for name, text in ACTIONS.items())
        sys.stdout.write(USAGE.format(actions=lines))
        return FINE
    action, rest = arguments[0], arguments[1:]
    if action not in ACTIONS:
        expected = f"expected {', '.join(ACTIONS)}{near_miss(action, ACTIONS)}"
        raise UsageError(f"machine: unknown action '{action}', {expected}")
    parser = Parser(f"rooflint machine {action}", ACTIONS[action])
    if action != "list":
        parser.add_argument("paths", nargs="*", metavar="NAME|FILE")
    given = parser.parse(rest)
    dirs = (builtin_dir(), *load_registry().machine_dirs)
    if action == "list":
        return _list(dirs)
    if action == "show":
        if not given.paths:
            raise UsageError("machine show: no NAME or FILE given; see 'rooflint machine list'")
        return _show(given.paths, dirs)
    return _check(given.paths, dirs)


def _list(dirs: Sequence[Path]) -> int:
    entries = list_machines(dirs)
    width = max((len(entry.name) for entry in entries), default=0)
    for entry in entries:
        names = f" ({', '.join(entry.aliases)})" if entry.aliases else ""
        about = entry.problem or entry.description
        sys.stdout.write(f"{entry.name:<{width}}  {about}{names}\n")
    return FINE


def _show(names: Sequence[str], dirs: Sequence[Path]) -> int:
    sys.stdout.write("\n".join(describe(machine_named(name, dirs)) for name in names))
    return FINE


def _check(names: Sequence[str], dirs: Sequence[Path]) -> int:
    """Exit code 1 when there is something to say: a finding, not a mistake in the call."""
    entries = list_machines(dirs)
    files = [_file(name, entries) for name in names] or [entry.file for entry in entries]
    problems = 0
    for file in files:
        found = check(file, dirs)
        problems += len(found)
        sys.stdout.writelines(f"{line}\n" for line in found or [f"{file}: fine"])
    return FINDINGS if problems else FINE


def _file(name: str, entries: Sequence[MachineEntry]) -> Path:
    path = Path(name)
    if path.is_file():
        return path
    stem = name.removesuffix(".yaml")
    for entry in entries:
        if stem == entry.name or stem in entry.aliases:
            return entry.file
    known = near_miss(stem, [known for e in entries for known in (e.name, *e.aliases)])
    raise UsageError(f"no machine file '{name}'{known}; see 'rooflint machine list'")

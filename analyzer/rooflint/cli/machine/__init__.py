"""``rooflint machine list|detect|show|check|import|probe``: machine files and their figures."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from rooflint.cli.arguments import Parser, positive
from rooflint.cli.exit_codes import ExitCode
from rooflint.errors import UsageError, near_miss
from rooflint.machine import MachineEntry, builtin_dir, list_machines
from rooflint.machine.describe import check, describe
from rooflint.registry import load_registry

ACTIONS = {
    "list": "lists every machine with its aliases",
    "detect": "names the machine file that describes this computer's processor",
    "show": "prints a machine's figures, each with its source",
    "check": "reports errors and doubtful figures of machine files",
    "import": "converts a kerncraft file, XML of hwloc, likwid-topology -O, or JSON of llvm-mca",
    "probe": "measures this computer; needs a C compiler, Linux and 2 to 5 minutes",
}
USAGE = """usage: rooflint machine list | detect | show NAME|FILE... | check [NAME|FILE...]
       rooflint machine import FILE [-o OUT.yaml] [--base NAME]
       rooflint machine probe [-o OUT.yaml] [--cc COMPILER] [--seconds S] [--accept-doubtful]

{actions}

A machine is one YAML file; a path works wherever a name does.
"""


def machine(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    if not arguments or arguments[0] in ("-h", "--help"):
        lines = "\n".join(f"  {name:<8}{text}" for name, text in ACTIONS.items())
        sys.stdout.write(USAGE.format(actions=lines))
        return ExitCode.FINE
    action, rest = arguments[0], arguments[1:]
    if action not in ACTIONS:
        expected = f"expected {', '.join(ACTIONS)}{near_miss(action, ACTIONS)}"
        raise UsageError(f"machine: unknown action '{action}', {expected}")
    given = build_parser(action).parse(rest)
    if given.paths and action in ("list", "detect"):
        raise UsageError(f"machine {action}: expected no argument, got '{given.paths[0]}'")
    return _RUN[action](given, (builtin_dir(), *load_registry().machine_dirs))


def build_parser(action: str) -> Parser:
    """The options of an action."""
    parser = Parser(f"rooflint machine {action}", ACTIONS[action])
    parser.set_defaults(paths=[])
    if action not in ("list", "detect", "probe"):
        parser.add_argument(
            "paths", nargs="*", metavar="FILE" if action == "import" else "NAME|FILE"
        )
    if action in ("import", "probe"):
        about = "write here instead of to standard output; the machine is called as the file"
        parser.add_argument("-o", "--output", metavar="OUT.yaml", type=Path, help=about)
    if action == "import":
        about = "lends what llvm-mca does not state (default: the machine file with the same core)"
        parser.add_argument("--base", metavar="NAME", help=about)
    if action == "probe":
        parser.add_argument(
            "--cc", metavar="COMPILER", help="the C compiler; else cc, gcc or clang"
        )
        about = "spread the rounds of figures that have not settled over so long (default: 300)"
        parser.add_argument("--seconds", metavar="SECONDS", type=positive, default=300, help=about)
        about = "write the file even if other work on the machine disturbed its figures"
        parser.add_argument("--accept-doubtful", action="store_true", help=about)
    return parser


def _list(_: Namespace, dirs: Sequence[Path]) -> int:
    entries = list_machines(dirs)
    width = max((len(entry.name) for entry in entries), default=0)
    for entry in entries:
        names = f" ({', '.join(entry.aliases)})" if entry.aliases else ""
        about = entry.problem or entry.description
        sys.stdout.write(f"{entry.name:<{width}}  {about}{names}\n")
    return ExitCode.FINE


def _detect(_: Namespace, dirs: Sequence[Path]) -> int:
    from rooflint.cli.machine.detection import detection_lines
    from rooflint.machine.identity import identify, machine_patterns, read_processor

    processor = read_processor()
    found = identify(processor, machine_patterns(dirs))
    sys.stdout.writelines(f"{line}\n" for line in detection_lines(processor, found))
    return ExitCode.FINE


def _show(given: Namespace, dirs: Sequence[Path]) -> int:
    if not given.paths:
        raise UsageError("machine show: no NAME or FILE given; see 'rooflint machine list'")
    from rooflint.pipeline import machine_named

    sys.stdout.write("\n".join(describe(machine_named(name, dirs)) for name in given.paths))
    return ExitCode.FINE


def _check(given: Namespace, dirs: Sequence[Path]) -> int:
    from rooflint.machine.identity import pattern_errors

    entries = list_machines(dirs)
    files = [_file(name, entries) for name in given.paths] or [entry.file for entry in entries]
    problems = 0
    for file in files:
        found = check(file, dirs) or [str(error) for error in pattern_errors(file)]
        problems += len(found)
        sys.stdout.writelines(f"{line}\n" for line in found or [f"{file}: fine"])
    return ExitCode.FINDINGS if problems else ExitCode.FINE


def _import(given: Namespace, dirs: Sequence[Path]) -> int:
    from rooflint.machine.document import read_text
    from rooflint.machine.kerncraft import import_kerncraft
    from rooflint.machine.llvm import import_llvm_model, is_llvm_model
    from rooflint.machine.topology import import_topology, is_topology

    paths, output = given.paths, given.output
    if len(paths) != 1:
        raise UsageError(f"machine import: expected one FILE, got {len(paths)}")
    source = Path(paths[0])
    name = output.stem if output else None
    text = read_text(source)
    if is_llvm_model(text):
        imported = import_llvm_model(source, text, name or source.stem, given.base, dirs)
    elif given.base is not None:
        raise UsageError(f"machine import: --base is for JSON of llvm-mca, and {source} is not")
    elif is_topology(text):
        imported = import_topology(source, text, name or source.stem, dirs)
    else:
        imported = import_kerncraft(source, name, dirs)
    _write("import", imported.text, output)
    sys.stderr.writelines(f"{source}: not carried over: {loss}\n" for loss in imported.losses)
    return ExitCode.FINE


def _probe(given: Namespace, dirs: Sequence[Path]) -> int:
    """Progress and doubts go to standard error; exit code 1 when the figures look wrong.

    Doubtful figures are written only if the user accepts them.
    """
    from rooflint.machine.probe.host import probe_host

    if given.paths:
        wrong = f"expected no FILE, got '{given.paths[0]}'; write with -o FILE"
        raise UsageError(f"machine probe: {wrong}")
    name = given.output.stem if given.output else "host"
    probed = probe_host(name, _tell, given.cc, dirs, given.seconds)
    sys.stderr.writelines(f"{remark}\n" for remark in (*probed.remarks, *probed.doubts))
    if probed.doubtful:
        sys.stderr.write(f"doubtful, disturbed by other work: {', '.join(probed.doubtful)}\n")
        if not given.accept_doubtful:
            sys.stderr.write(
                "no file written: repeat on a quieter machine, or give --accept-doubtful\n"
            )
            return ExitCode.DISTURBED
    _write("probe", probed.text, given.output)
    return ExitCode.FINDINGS if probed.doubts else ExitCode.FINE


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _write(action: str, text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"machine {action}: cannot write {output}: {reason}") from error


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


_RUN = {
    "list": _list,
    "detect": _detect,
    "show": _show,
    "check": _check,
    "import": _import,
    "probe": _probe,
}

"""The command line: ``rooflint COMMAND`` and ``analyze``, which is ``rooflint analyze``.

Exit codes are those of ``exit_codes``. Results go to stdout, everything else to stderr. Commands
are imported when they run: what one of them needs, the others do not pay for.
"""

import errno
import gc
import io
import os
import sys
from collections.abc import Sequence

from rooflint.cli.exit_codes import ExitCode
from rooflint.errors import RooflintError, near_miss
from rooflint.startup.own_modules import import_own_modules_directly

TYPE_CHECKING = False  # a type checker takes it as true; to import ``typing`` takes 3 ms
if TYPE_CHECKING:
    from typing import NoReturn

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What a disk answers that takes no more."""

YOUNG_OBJECTS = 2_000_000
"""Allocations between two collections of garbage, eight times as many as in the children. What
start-up and reports allocate stays to the end, and hardly any of it is in circles: going through it
takes 10 ms in a short run, and a tenth of a run that knows the results of 300 files."""

COMMANDS = {
    "init": ("init", "write a first configuration for a project; names the next command"),
    "analyze": ("analyze", "report what limits each loop and how fast it could be"),
    "lint": ("lint", "find loops that can be made faster, with predicted gains"),
    "compare": ("run_compare", "predicted time per function of two trees, commits or machines"),
    "measure": ("measure", "run a loop and hold its time against the models"),
    "estimate": ("run_estimate", "estimate a procedure on host and coprocessors"),
    "machine": ("machine", "list, show or check machine files"),
    "explain": ("explain", "explain a rule, a model or a term of the reports"),
    "cache": ("cache", "show or clear cached results"),
    "dump": ("dump", "print the loops as the analysis sees them"),
    "sizes": ("sizes", "name the sizes that decide most, ask for them, keep the answers"),
    "new-plugin": ("new_plugin", "write a package with a model, a rule, a format and a machine"),
    "completion": ("completion", "print a script that completes commands in a shell"),
    "lsp": ("lsp", "serve an editor: hints, findings and plots as you type"),
}
"""The function of each command, in the module of the command's name, and its line of help."""
USAGE = """usage: rooflint COMMAND ...

Reports what limits each loop of C and C++ source and how fast it could be, before anything runs.

commands:
{commands}

'rooflint COMMAND --help' describes each; 'analyze ...' is short for 'rooflint analyze ...'.
'rooflint --version --verbose' adds what a report of a fault needs, and tests the confinement of
hostile source on this machine.
"""


def main() -> "NoReturn":
    """Entry point ``rooflint``."""
    _prepare()
    leave(run(sys.argv[1:]))


def analyze() -> "NoReturn":
    """Entry point ``analyze``."""
    _prepare()
    leave(run(["analyze", *sys.argv[1:]], program="analyze"))


def _prepare() -> None:
    gc.set_threshold(YOUNG_OBJECTS)
    import_own_modules_directly()
    open_streams()


def open_streams() -> None:
    """Makes stdout and stderr take whatever is written to them.

    A stream that the caller closed gets a place to go: otherwise the next file opened would get its
    number, and messages would end up in it. What the terminal's encoding lacks is written as
    ``\\u221e``.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
            os.set_inheritable(number, True)
        os.close(number)
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def leave(code: int) -> "NoReturn":
    """Ends the process without tearing down what the system frees faster."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # the reader of a pipe is gone, or the disk is full
        code = code or ExitCode.INTERNAL
    os._exit(code)


def run(arguments: Sequence[str], program: str = "rooflint") -> int:
    """One command from its arguments to its exit code; errors for people end up on stderr."""
    try:
        code = _dispatch(arguments, program)
        sys.stdout.flush()
        return code
    except RooflintError as error:
        complain(program, str(error))
        return ExitCode.USAGE
    except BrokenPipeError:
        # head and the like close the pipe when they have enough: no reason to complain, but
        # nothing more can be written, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FINE
    except KeyboardInterrupt as request:
        from rooflint.cli.interruption import interruption_code

        complain(program, "interrupted")
        return interruption_code(request)
    except SystemExit as exit_request:
        return exit_request.code if isinstance(exit_request.code, int) else ExitCode.USAGE
    except OSError as error:
        from rooflint.current_folder import current_folder_is_gone

        if current_folder_is_gone():
            complain(program, "the current folder does not exist any more: change to one that does")
            return ExitCode.USAGE
        if error.errno not in FULL:
            complain(program, internal_error(error, arguments))
            return ExitCode.INTERNAL
        complain(program, f"stdout cannot be written: {error.strerror}")
        return ExitCode.USAGE
    except Exception as error:
        complain(program, internal_error(error, arguments))
        return ExitCode.INTERNAL


def internal_error(error: BaseException, arguments: Sequence[str]) -> str:
    """The error, its place and how to reproduce it; the traceback only when asked for."""
    import shlex
    import traceback

    if os.environ.get("ROOFLINT_DEBUG"):
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    again = shlex.join(["rooflint", *arguments])
    return (
        f"internal error: {type(error).__name__}: {error}{where}; "
        f"please report it with the traceback of: ROOFLINT_DEBUG=1 {again}"
    )


def complain(program: str, message: str) -> None:
    """One line on stderr, without what would move the cursor of a terminal."""

    from rooflint.escaping import visible

    print(f"{program}: {visible(message)}", file=sys.stderr)


def _dispatch(arguments: Sequence[str], program: str) -> int:
    if not arguments:
        print(usage(), end="", file=sys.stderr)
        return ExitCode.USAGE
    name, rest = arguments[0], arguments[1:]
    if name in ("-h", "--help"):
        print(usage(), end="")
        return ExitCode.FINE
    if name == "--version":
        from rooflint.cli.version import print_version

        return print_version(rest)
    if name not in COMMANDS:
        expected = ", ".join(COMMANDS)
        complain(
            program,
            f"unknown command '{name}', expected {expected}{near_miss(name, COMMANDS)}",
        )
        return ExitCode.USAGE
    from importlib import import_module

    from rooflint.startup.stand_ins import import_others

    import_others()
    command = getattr(import_module(f"rooflint.cli.{name.replace('-', '_')}"), COMMANDS[name][0])
    if name == "lsp":  # SIGTERM ends a server at once, and its children with it
        code: int = command(rest)
        return code
    from rooflint.cli.interruption import termination_as_interrupt

    with termination_as_interrupt():
        code = command(rest, program) if name == "analyze" else command(rest)
        return code


def usage() -> str:
    """The top-level help."""
    commands = "\n".join(f"  {name:<12}{text}" for name, (_, text) in COMMANDS.items())
    return USAGE.format(commands=commands)

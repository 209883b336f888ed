"""The manual page: every command with its options, as the parsers have them."""

import argparse
from collections.abc import Iterator
from typing import Final

import rooflint
from rooflint.cli.arguments import Parser
from rooflint.cli.completion import build_parser as completion_parser
from rooflint.cli.completion.commands import parser_of
from rooflint.cli.exit_codes import ExitCode
from rooflint.cli.machine import ACTIONS
from rooflint.cli.main import COMMANDS

EXIT_WORDS: Final = {
    ExitCode.FINE: "no findings at or above the threshold",
    ExitCode.FINDINGS: "findings at or above the threshold, or slower functions",
    ExitCode.USAGE: "a wrong option, path or configuration",
    ExitCode.LOST: "a file could not be analysed",
    ExitCode.DISTURBED: "a measurement was disturbed",
    ExitCode.INTERNAL: "an internal error; the other files are done",
    ExitCode.INTERRUPTED: "interrupted; finished files are printed",
    ExitCode.TERMINATED: "terminated; finished files are printed",
}
FILES: Final = {
    "rooflint.toml": "settings of a project: the nearest one above a source file",
    "compile_commands.json": "compiler flags of each file: the nearest one, also in build/",
    "$XDG_CONFIG_HOME/rooflint/config.toml": "the user's own: folders whose code may be measured",
}
SYNOPSIS: Final = ".B rooflint\n.I COMMAND\n\\&...\n.br\n.B analyze\n\\&..."


def man_page() -> str:
    """``rooflint.1``, in troff's man macros."""
    about = "Reports what limits each loop of C and C++ source and how fast it could be."
    lines = [
        f'.TH ROOFLINT 1 "" "rooflint {rooflint.__version__}" "User Commands"',
        *(".SH NAME", r"rooflint, analyze \- what limits each loop of C and C++ source"),
        *(".SH SYNOPSIS", SYNOPSIS),
        *(".SH DESCRIPTION", about),
        "It reads source and runs nothing, but for rooflint measure and rooflint machine probe.",
        ".SH COMMANDS",
    ]
    for name, (_, text) in COMMANDS.items():
        if name == "machine":
            for action, about_action in ACTIONS.items():
                full = f"machine {action}"
                lines += _command(full, about_action, parser_of(full))
        else:
            parser = completion_parser() if name == "completion" else parser_of(name)
            lines += _command(name, text, parser)
    lines.append(".SH EXIT STATUS")
    for code, text in EXIT_WORDS.items():
        lines += (".TP", f".B {code.value}", _text(text))
    lines.append(".SH FILES")
    for file, text in FILES.items():
        lines += (".TP", f".I {_text(file)}", _text(text))
    return "\n".join([*lines, ""])


def _command(name: str, about: str, parser: Parser) -> Iterator[str]:
    actions = [each for each in parser.all_actions() if each.dest not in ("help", "version")]
    shown = [str(each.metavar) for each in actions if not each.option_strings]
    arguments = " ".join(f"[{metavar} ...]" for metavar in shown)
    yield f".SS rooflint {_text(name)} {_text(arguments)}".rstrip()
    yield f"{_text(about[:1].upper() + about[1:])}."
    for action in actions:
        if action.help != argparse.SUPPRESS:
            yield from (".TP", _heading(action), _text(_help(action)))


def _heading(action: argparse.Action) -> str:
    names = ", ".join(f"\\fB{_text(option)}\\fR" for option in action.option_strings)
    if action.nargs == 0:
        return names
    value = f"\\fI{_text(_value(action))}\\fR"
    return f"{names} {value}" if names else value


def _value(action: argparse.Action) -> str:
    if action.metavar is None and action.choices:
        return "|".join(map(str, action.choices))
    return str(action.metavar or action.dest.upper())


def _help(action: argparse.Action) -> str:
    return (action.help or "") % {**vars(action), "prog": "rooflint"}


def _text(words: str) -> str:
    """Words that troff prints as they are; a line that begins with a point would be a request."""
    escaped = words.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped

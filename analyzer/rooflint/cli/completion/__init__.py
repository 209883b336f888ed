"""``rooflint completion SHELL``: a script that completes commands, options and names."""

import sys
from collections.abc import Sequence

from rooflint.cli.arguments import Parser
from rooflint.cli.exit_codes import ExitCode
from rooflint.errors import UsageError

DESCRIPTION = """Prints a script that completes commands, options, machines, rules and models. It
contains every word, so that completing starts no program: write it to a file once, and again
after an update.

  rooflint completion bash > ~/.local/share/bash-completion/completions/rooflint
  echo 'source ~/.local/share/bash-completion/completions/rooflint' >> ~/.bashrc
  rooflint completion zsh > ~/.zfunc/_rooflint        # a folder of fpath, before compinit
  rooflint completion fish > ~/.config/fish/completions/rooflint.fish
"""
SHELLS = ("bash", "zsh", "fish")


def completion(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    given = build_parser().parse(arguments)
    if given.paths not in [[shell] for shell in SHELLS]:
        raise UsageError(f"completion: expected one shell of {', '.join(SHELLS)}")
    from rooflint.cli.completion.commands import completed_commands, names
    from rooflint.cli.completion.scripts import SCRIPTS

    sys.stdout.write(SCRIPTS[given.paths[0]](completed_commands(), names()))
    return ExitCode.FINE


def build_parser() -> Parser:
    """The options of the command."""
    parser = Parser("rooflint completion", DESCRIPTION)
    parser.add_argument("paths", nargs="*", metavar="SHELL", help=f"{', '.join(SHELLS)}")
    return parser

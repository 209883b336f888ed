"""The script of each shell."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from rooflint.cli.completion.bash import bash_script
from rooflint.cli.completion.commands import CompletedCommand, CompletedValue
from rooflint.cli.completion.fish import fish_script
from rooflint.cli.completion.zsh import zsh_script

WriteScript: TypeAlias = Callable[
    [Sequence[CompletedCommand], Mapping[CompletedValue, Sequence[str]]], str
]
SCRIPTS: Final[Mapping[str, WriteScript]] = {
    "bash": bash_script,
    "zsh": zsh_script,
    "fish": fish_script,
}

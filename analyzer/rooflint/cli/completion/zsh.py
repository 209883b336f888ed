"""The completion script for zsh."""

from collections.abc import Mapping, Sequence

from rooflint.cli.completion.bash import answer_cases
from rooflint.cli.completion.commands import CompletedCommand, CompletedValue

HEAD = """\
#compdef rooflint analyze
# Completion of rooflint and analyze in zsh, written by 'rooflint completion zsh'.
_rooflint() {
    emulate -L zsh
    local cur=$words[CURRENT] prev=$words[CURRENT-1] command=analyze answers= options=
    if [[ ${words[1]:t} == rooflint ]]; then
        command=
        (( CURRENT > 2 )) && command=$words[2]
        (( CURRENT > 3 )) && [[ $command == machine ]] && command="machine $words[3]"
    fi
    if (( ${words[2,CURRENT-1][(I)--]} )); then
        _files  # flags of a compiler follow
        return
    fi
    if [[ $cur == --*=* ]]; then
        prev=${cur%%=*} cur=${cur#*=}
        compset -P '*='
    fi
"""
TAIL = """\
    if [[ $answers == *[![:space:]]* ]]; then
        [[ $cur == *,* ]] && compset -P '*,'  # of a list the last name
        compadd -- ${=answers}
    elif [[ $cur == -* ]]; then
        compadd -- ${=options}
    else
        _files
    fi
}
_rooflint "$@"
"""


def zsh_script(
    commands: Sequence[CompletedCommand], names: Mapping[CompletedValue, Sequence[str]]
) -> str:
    """A function for a folder of ``fpath``, in a file called ``_rooflint``."""
    return "\n".join([HEAD.rstrip("\n"), *answer_cases(commands, names), TAIL])

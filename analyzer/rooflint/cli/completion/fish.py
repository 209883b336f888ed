"""The completion script for fish."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rooflint.cli.completion.commands import CompletedArgument, CompletedCommand, CompletedValue

HEAD = """\
# Completion of rooflint and analyze in fish, written by 'rooflint completion fish'.
function __rooflint_is
    set -l words (commandline -opc)
    contains -- -- $words; and return 1  # flags of a compiler follow
    set -l command $words[2]
    test "$command" = machine; and set command $words[2..3]
    test "$command" = "$argv"
end
function __rooflint_no_flags
    not contains -- -- (commandline -opc)
end
"""
ANALYZE: Final = "analyze"
MACHINE: Final = "machine"


def fish_script(
    commands: Sequence[CompletedCommand], names: Mapping[CompletedValue, Sequence[str]]
) -> str:
    """A file for a folder of ``fish_complete_path``; it runs no program but fish's own."""
    lines = [HEAD.rstrip("\n")]
    lines += [f"set -g __rooflint_{kind.value}s {' '.join(words)}" for kind, words in names.items()]
    for command in commands:
        condition = f"-n '__rooflint_is {command.name}'"
        for argument in command.arguments:
            lines += _lines(f"complete -c rooflint {condition}", argument)
            if command.name == ANALYZE:
                lines += _lines("complete -c analyze -n __rooflint_no_flags", argument)
    return "\n".join(lines) + "\n"


def _lines(start: str, argument: CompletedArgument) -> Iterator[str]:
    spellings = [_spelling(each) for each in argument.spellings]
    if not argument.takes_value:
        yield from (f"{start} {spelling}" for spelling in spellings)
    elif argument.value is CompletedValue.PATH:
        yield from (f"{start} {spelling} -r -F" for spelling in spellings)
    elif spellings:
        yield from (f"{start} {spelling} -x -a '{_answers(argument)}'" for spelling in spellings)
    else:
        yield f"{start} -f -a '{_answers(argument)}'"


def _spelling(option: str) -> str:
    if option.startswith("--"):
        return f"-l {option[2:]}"
    return f"-s {option[1:]}" if len(option) == 2 else f"-o {option[1:]}"


def _answers(argument: CompletedArgument) -> str:
    if argument.value is CompletedValue.WORDS:
        return " ".join(argument.words)
    variable = f"$__rooflint_{argument.value.value}s"
    if argument.value is CompletedValue.RULE:
        # of a list the last name
        return f'(__fish_complete_list , "string join \\\\n -- {variable}")'
    return variable

"""The completion script for bash."""

from collections.abc import Iterator, Mapping, Sequence

from rooflint.cli.completion.commands import CompletedArgument, CompletedCommand, CompletedValue

HEAD = """\
# Completion of rooflint and analyze in bash, written by 'rooflint completion bash'.
_rooflint() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=analyze word lead
    local answers= options=
    # bash makes --name=value three words
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    if [[ ${COMP_WORDS[0]##*/} == rooflint ]]; then
        command=
        ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
        ((COMP_CWORD > 2)) && [[ $command == machine ]] && command="machine ${COMP_WORDS[2]}"
    fi
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $word == -- ]] && return  # flags of a compiler follow
    done
"""
TAIL = """\
    lead=
    if [[ $answers == *[![:space:]]* ]]; then
        # of a list the last name
        [[ $cur == *,* ]] && lead=${cur%,*},
        COMPREPLY=($(compgen -P "$lead" -W "$answers" -- "${cur##*,}"))
    elif [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
    fi
}
complete -o bashdefault -o default -F _rooflint rooflint analyze
"""
"""Without an answer bash completes paths."""


def bash_script(
    commands: Sequence[CompletedCommand], names: Mapping[CompletedValue, Sequence[str]]
) -> str:
    """A script to be sourced; it runs no program but bash's own."""
    return "\n".join([HEAD.rstrip("\n"), *answer_cases(commands, names), TAIL])


def answer_cases(
    commands: Sequence[CompletedCommand], names: Mapping[CompletedValue, Sequence[str]]
) -> Iterator[str]:
    """Lines that set ``answers`` and ``options``, as bash and zsh read them."""
    for kind, words in names.items():
        yield f'    local {kind.value}s="{" ".join(words)}"'
    yield "    case $command in"
    for command in commands:
        yield from (f'    "{command.name}")', *_case(command), "        ;;")
    yield "    esac"


def _case(command: CompletedCommand) -> Iterator[str]:
    options = [each for argument in command.arguments for each in argument.spellings]
    yield f'        options="{" ".join(options)}"'
    yield "        case $prev in"
    for argument in command.arguments:
        if argument.spellings and argument.takes_value:
            yield f"        {'|'.join(argument.spellings)}) {_values(argument) or 'options='} ;;"
    for argument in command.arguments:
        if not argument.spellings and (values := _values(argument)):
            yield f"        *) [[ $cur == -* ]] || {values} ;;"
    yield "        esac"


def _values(argument: CompletedArgument) -> str:
    """The statement that sets the words of a value; empty for paths."""
    if argument.value is CompletedValue.PATH:
        return ""
    if argument.value is CompletedValue.WORDS:
        return f'answers="{" ".join(argument.words)}"'
    return f"answers=${argument.value.value}s"

"""Every command with its options, as the parsers have them, and the words that complete values."""

import argparse
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Final

from rooflint.cli import (
    analyze,
    cache,
    compare,
    dump,
    estimate,
    explain,
    init,
    lsp,
    machine,
    new_plugin,
)
from rooflint.cli.arguments import Parser
from rooflint.cli.completion import SHELLS
from rooflint.cli.lint import options as lint_options
from rooflint.cli.main import COMMANDS
from rooflint.cli.measure import options as measure_options
from rooflint.cli.sizes import options as sizes_options
from rooflint.machine import builtin_dir, list_machines
from rooflint.records import NamedTuple
from rooflint.registry import load_registry
from rooflint.render import PLAIN, BuiltinRenderers, FindingsRenderers
from rooflint.render.changes import FORMATS as COMPARISON_FORMATS
from rooflint.render.explanations import WORDS, all_models, all_rules


class CompletedValue(Enum):
    """Values of an argument: the names of a kind, words of its own, or paths."""

    MACHINE = "machine"
    MODEL = "model"
    RULE = "rule"
    TERM = "term"
    WORDS = "words"
    PATH = "path"


class CompletedArgument(NamedTuple):
    """An argument; ``spellings`` are empty for a positional one, ``words`` are those of its own."""

    spellings: tuple[str, ...]
    takes_value: bool
    value: CompletedValue
    words: tuple[str, ...] = ()


class CompletedCommand(NamedTuple):
    """A command of one or two words (``machine show``), and everything that may follow it."""

    name: str
    arguments: tuple[CompletedArgument, ...]


_PARSERS: Final[Mapping[str, Callable[[], Parser]]] = {
    "init": init.build_parser,
    "analyze": lambda: analyze.build_parser("analyze"),
    "lint": lint_options.build_parser,
    "compare": compare.build_parser,
    "measure": measure_options.build_parser,
    "estimate": estimate.build_parser,
    "explain": explain.build_parser,
    "cache": cache.build_parser,
    "dump": dump.build_parser,
    "sizes": sizes_options.build_parser,
    "new-plugin": new_plugin.build_parser,
    "lsp": lsp.build_parser,
}
_VALUES: Final = {
    "--machine": CompletedValue.MACHINE,
    "--model": CompletedValue.MODEL,
    "NAME|FILE": CompletedValue.MACHINE,
    "RULES": CompletedValue.RULE,
    "WORD|FILE:LINE": CompletedValue.TERM,
}
"""By an option, else by the name of its value."""
_SAFE: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-")


def parser_of(name: str) -> Parser:
    """The parser of a command, or of an action such as ``machine show``; KeyError for others."""
    first, _, action = name.partition(" ")
    if first == "machine" and action in machine.ACTIONS:
        return machine.build_parser(action)
    return _PARSERS[name]()


def completed_commands() -> tuple[CompletedCommand, ...]:
    """The commands that have a parser; those of ``machine`` by action."""
    known = (*_PARSERS, *[f"machine {action}" for action in machine.ACTIONS])
    whole = [_command(name, parser_of(name)) for name in known]
    return (*whole, *[_fixed(name, *rest) for name, rest in _FIXED.items()])


def names() -> dict[CompletedValue, tuple[str, ...]]:
    """The names of each kind that are one word for a shell, sorted."""
    entries = list_machines((builtin_dir(), *load_registry().machine_dirs))
    rules = all_rules()
    codes = [rule.code for rule in rules]
    return {
        CompletedValue.MACHINE: _safe(name for e in entries for name in (e.name, *e.aliases)),
        CompletedValue.MODEL: _safe(all_models()),
        CompletedValue.RULE: _safe(codes),
        CompletedValue.TERM: _safe([*codes, *[r.slug for r in rules], *all_models(), *WORDS]),
    }


_FIXED: Final = {
    "": (tuple(COMMANDS), ("--help", "--version")),
    "machine": (tuple(machine.ACTIONS), ("--help",)),
    "completion": (SHELLS, ("--help",)),
}
"""Words and options after a command without a parser of its own; the first is ``rooflint``."""


def _fixed(name: str, words: tuple[str, ...], options: tuple[str, ...]) -> CompletedCommand:
    flags = CompletedArgument(spellings=options, takes_value=False, value=CompletedValue.WORDS)
    following = CompletedArgument(
        spellings=(), takes_value=True, value=CompletedValue.WORDS, words=words
    )
    return CompletedCommand(name=name, arguments=(flags, following))


def _command(name: str, parser: Parser) -> CompletedCommand:
    formats = _FORMATS[name]() if name in _FORMATS else ()
    arguments = [_argument(action, formats) for action in parser.all_actions()]
    return CompletedCommand(name=name, arguments=tuple(arguments))


def _report_formats(built_in: object) -> tuple[str, ...]:
    renderers = load_registry({"built-in formats": built_in}).renderers
    return _safe(renderer.name for renderer in renderers)


_FORMATS: Final[Mapping[str, Callable[[], tuple[str, ...]]]] = {
    "analyze": lambda: _report_formats(BuiltinRenderers(PLAIN)),
    "lint": lambda: _report_formats(FindingsRenderers(PLAIN)),
    "compare": lambda: COMPARISON_FORMATS,
    "measure": lambda: measure_options.FORMATS,
    "sizes": lambda: sizes_options.FORMATS,
}
"""Values of ``--format``, where the parser does not list them."""


def _argument(action: argparse.Action, formats: tuple[str, ...]) -> CompletedArgument:
    words = tuple(map(str, action.choices or ())) or _alternatives(action.metavar)
    if "--format" in action.option_strings:
        words = words or formats
    keys = (*action.option_strings, action.metavar)
    value = next((_VALUES[key] for key in keys if key in _VALUES), None)
    if value is None:
        value = CompletedValue.WORDS if words else CompletedValue.PATH
    return CompletedArgument(
        spellings=tuple(action.option_strings),
        takes_value=action.nargs != 0,
        value=value,
        words=words,
    )


def _alternatives(metavar: object) -> tuple[str, ...]:
    """``info|clear``: words in lower case are the values themselves."""
    words = metavar.split("|") if isinstance(metavar, str) else []
    return tuple([word for word in words if word.islower()]) if len(words) > 1 else ()


def _safe(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({word for word in words if word and _SAFE.issuperset(word)}))

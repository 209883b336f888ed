"""Arguments of the commands: argparse with one-line errors, near misses and strict values."""

import argparse
import os.path
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NoReturn

import rooflint
from rooflint.errors import UsageError, near_miss

_CHECKING: Final = partial(argparse.RawDescriptionHelpFormatter, width=80)
"""argparse tries each option's help as it is added; of any width, which would ask the terminal."""
_ONE_VALUE: Final = "expected one argument"
"""What argparse says of an option that has no value; it has no type for it."""


class Parser(argparse.ArgumentParser):
    """argparse that raises UsageError and takes PATHs before, between and after options."""

    def __init__(self, program: str, description: str, epilog: str = "") -> None:
        super().__init__(
            prog=program,
            description=description,
            epilog=epilog,
            formatter_class=_CHECKING,
            allow_abbrev=False,
            exit_on_error=False,
        )
        version = f"rooflint {rooflint.__version__}"
        self.add_argument("--version", action="version", version=version)

    def format_help(self) -> str:
        """As wide as the terminal."""
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        return super().format_help()

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options; UsageError for one that does not exist, with the nearest that does."""
        try:
            given, rest = self.parse_known_args(arguments)
        except argparse.ArgumentError as error:
            raise self._usage_error(error) from None
        for word in rest:
            if word.startswith("-") and len(word) > 1:
                name = word.partition("=")[0]
                known = [option for action in self._actions for option in action.option_strings]
                raise UsageError(f"unknown option '{name}'{near_miss(name, known)}")
        if rest:
            given.paths = [*given.paths, *rest]
        return given

    def all_actions(self) -> list[argparse.Action]:
        """Options and positional arguments, in the order in which they were added."""
        return list(self._actions)

    def _usage_error(self, error: argparse.ArgumentError) -> UsageError:
        problem = error.message
        if problem == _ONE_VALUE:
            named = ["/".join(action.option_strings) for action in self._actions]
            action = self._actions[named.index(error.argument_name or "")]
            problem = f"expected {action.metavar or 'a value'} after it"
        return UsageError(f"{error.argument_name}: {problem}" if error.argument_name else problem)

    def error(self, message: str) -> NoReturn:
        """Called by argparse for all else that is wrong."""
        raise UsageError(message)


def split_flags(arguments: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Our arguments and, after ``--``, the compiler's."""
    if "--" not in arguments:
        return arguments, ()
    cut = list(arguments).index("--")
    return arguments[:cut], arguments[cut + 1 :]


def cores(text: str) -> str:
    """``1``, ``socket``, ``node`` or a number; how many a machine has is its own affair."""
    from rooflint.config.settings import parse_cores

    try:
        return parse_cores(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("cores: ")) from None


def compiler(text: str) -> str:
    """A clang or a gcc, by name or path."""
    from rooflint.core.compiler import is_compiler

    if not is_compiler(os.path.basename(text)):
        raise argparse.ArgumentTypeError(f"'{text}', expected a clang or gcc, by name or path")
    return text


def size(text: str) -> tuple[str, int]:
    """A name and its value: ``N=4096``."""
    from rooflint.scenario.sizes import parse_size

    return parse_size(text)


def positive(text: str) -> int:
    """A whole number above 0."""
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"'{text}', expected a whole number above 0")
    return int(text)


def comma_list(text: str) -> list[str]:
    """Names between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def option_type(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """``parse`` with errors that name the option."""

    def parsed(text: str) -> Any:  # noqa: ANN401 - what ``parse`` makes of it
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parsed

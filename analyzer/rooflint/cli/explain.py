"""``rooflint explain WORD``: a rule, a model, a word of the reports; or ``FILE:LINE``."""

import os
import sys
from collections.abc import Sequence

from rooflint.cli.arguments import Parser
from rooflint.cli.exit_codes import ExitCode
from rooflint.errors import UsageError
from rooflint.render.explanations import WORDS, all_models, all_rules, explanation

DESCRIPTION = """Explains a rule, a model or a term of the reports; for FILE:LINE, lists the
rules that matched the loop there, and why some of them are silent. Options are for FILE:LINE.
"""


def explain(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    if any(map(is_place, arguments)):
        from rooflint.cli.explain_place import explain_place

        return explain_place(arguments)
    given = build_parser().parse(arguments)
    options = [word for word in arguments if word.startswith("-")]
    if options:
        raise UsageError(f"{options[0]} is for FILE:LINE of a file that exists, not for a word")
    if not given.paths:
        models = ", ".join(sorted(all_models()))
        rules = [f"  {each.code}  {each.slug:<22}{each.summary}\n" for each in all_rules()]
        sys.stdout.write(f"models: {models}\nwords:  {', '.join(WORDS)}\nrules:\n{''.join(rules)}")
        return ExitCode.FINE
    sys.stdout.write(explanation(" ".join(given.paths)))
    return ExitCode.FINE


def build_parser() -> Parser:
    """The words, and the options for a place."""
    from rooflint.cli.explain_place import add_place_options

    parser = Parser("rooflint explain", DESCRIPTION)
    parser.add_argument("paths", nargs="*", metavar="WORD|FILE:LINE")
    add_place_options(parser)
    return parser


def is_place(word: str) -> bool:
    """Whether a word is ``FILE:LINE`` of an existing file."""
    path, _, line = word.rpartition(":")
    return line.isdecimal() and os.path.isfile(path)

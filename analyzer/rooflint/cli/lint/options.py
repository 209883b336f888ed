"""The options of ``rooflint lint``."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from rooflint.cli.arguments import Parser, comma_list, option_type
from rooflint.cli.options import add_entry, add_predicting, add_profiles, add_running
from rooflint.config.lint_settings import (
    CONFIDENCES,
    POLICIES,
    one_of,
    parse_fail_on,
    parse_gain,
    parse_time,
)

PROGRAM: Final = "rooflint lint"
DESCRIPTION = """Finds loops of C and C++ source that can be made faster: what to change, and what
speed-up the models predict. By default a finding needs a predicted speed-up of 1.2, and saves 5 %
or more of the program's time.
"""
EPILOG = """exit codes: 0 nothing at or above --fail-on, 1 findings, 2 wrong options or
configuration, 3 a file could not be analysed, 70 a bug of this program or of a plugin, 130 or 143
interrupted; 1 wins over 3, and the others over both

examples:
  rooflint lint src/ -p build/
  rooflint lint kernel.c --select RL1,RL201 -D n=4000 -- -O3 -march=native
  rooflint lint src/ --format sarif -o rooflint.sarif --diff-base origin/main

docs/lint.md has the rules' list and the configuration; 'rooflint explain RL101' explains a rule.
"""


def build_parser() -> Parser:
    """The options of ``lint``."""
    parser = Parser(PROGRAM, DESCRIPTION, EPILOG)
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="files, folders, or a compile_commands.json")
    add("--header-filter", action="append", type=comma_list, metavar="GLOBS",
        help="also analyse included headers that match GLOBS, such as 'include/**'")  # fmt: skip
    add("--select", action="append", type=comma_list, metavar="RULES",
        help="run only these rules: codes, prefixes, names or ALL, comma-separated")  # fmt: skip
    add(
        "--ignore", action="append", type=comma_list, metavar="RULES", help="do not run these rules"
    )
    add("--preview", action="store_true", help="include preview rules")
    add("--structural", action="store_true",
        help="report every match, without thresholds and guards")  # fmt: skip
    add("--all-loops", action="store_true",
        help="also report what saves less than 5 %% of the program's time, and code that it does"
        " not reach")  # fmt: skip
    add(
        "--min-gain",
        type=option_type(parse_gain),
        metavar="X",
        help="minimum speed-up (default 1.2)",
    )
    add("--min-time", type=option_type(parse_time), metavar="TIME",
        help="minimum time of a loop nest per call (default: none where the loop's share of the"
        " program's time is known, which has to be 1 %% or more; else 10us)")  # fmt: skip
    add("--min-confidence", type=_choice(CONFIDENCES), metavar="LEVEL",
        help="minimum confidence: low, medium (default) or high")  # fmt: skip
    add("--fail-on", type=option_type(parse_fail_on), metavar="SEVERITY",
        help="exit 1 for findings of at least this severity: note, warning (default) or error;"
        " 'gain>=2' for a speed-up, or never")  # fmt: skip
    add("--show-skipped", action="store_true",
        help="list loops that are not modelled and rules that cannot run")  # fmt: skip
    add_predicting(parser)
    add_profiles(parser)
    add_entry(parser)
    add("--policy", type=_choice(POLICIES), metavar="all|any",
        help="report findings that hold on all machines (default) or on any")  # fmt: skip
    add("--format", metavar="NAME",
        help="full (default on a terminal), gcc (default elsewhere), json, sarif, github, gitlab,"
        " junit, rdjson or markdown")  # fmt: skip
    add("-o", "--output-file", dest="output", metavar="FILE",
        help="write the findings to FILE instead of stdout")  # fmt: skip
    add("--statistics", action="store_true", help="count findings and predicted savings per rule")
    add("--baseline", metavar="FILE", help="report only findings that are not in FILE")
    add("--write-baseline", metavar="FILE", help="write all findings to FILE, for --baseline")
    add(
        "--prune-baseline",
        action="store_true",
        help="remove baseline entries that no finding matches",
    )
    add(
        "--diff-base",
        metavar="REF",
        help="report only loop nests changed since the merge base with REF",
    )
    add("--fix", action="store_true", help="apply only bit-exact fixes")
    add(
        "--diff",
        action="store_true",
        help="print the changes --fix would make, without making them",
    )
    add("--hook", action="store_true", help="for pre-commit: gcc format, the top 20 findings")
    add("--isolated", action="store_true", help="read no configuration file")
    add("--show-settings", action="store_true",
        help="print effective settings and their source, then exit")  # fmt: skip
    add("--strict-parse", action="store_true", help="exit 3 if any file is parsed only in part")
    add_running(parser)
    return parser


def _choice(words: Sequence[str]) -> Callable[[str], Any]:
    return option_type(lambda text: one_of(text, words))

"""``rooflint estimate PROCEDURE.yaml --machine NAME``: what host and coprocessors can reach."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rooflint.analysis import Options as Parsing
from rooflint.analysis import machine_named, unit_of
from rooflint.cli_arguments import Parser, split_flags
from rooflint.errors import UsageError, near_miss
from rooflint.hybrid.balance import Balance, Change, balance, what_if
from rooflint.hybrid.bound import bound
from rooflint.hybrid.choice import Choice, reasons
from rooflint.hybrid.data import estimate_data
from rooflint.hybrid.estimate import Options, estimate
from rooflint.hybrid.expression import ExpressionError
from rooflint.hybrid.load import load_procedures, quantity
from rooflint.hybrid.picture import picture
from rooflint.hybrid.procedure import Procedure
from rooflint.hybrid.results import Estimate
from rooflint.hybrid.symbolic import balance_equation
from rooflint.hybrid.system import System, system_of
from rooflint.hybrid.words import assumption_lines, estimate_lines
from rooflint.ir import Function
from rooflint.machine import builtin_dir
from rooflint.prediction import Json
from rooflint.registry import load_registry

FINE, FINDINGS = 0, 1
FORMATS = ("text", "json")
ABOUT = """Estimates a procedure of loads, kernels and stores on a host with coprocessors:
performance at most, what limits it, what would balance the machine. Exit code 1 when it does
not fit the coprocessors' memory."""
EXAMPLES = """examples:
  rooflint estimate examples/procedures/ft3d_two_stage.yaml --machine titan-node
  rooflint estimate fft.yaml --machine vm7 -D N1=64 -D perf.f1=1.5GOP/s --refined
  rooflint estimate mg.yaml --machine vm7 --balance BW -D BW=3.2GB/s
"""


class Answer(NamedTuple):
    """One procedure on one machine."""

    found: Estimate
    balanced: Balance
    changes: tuple[Change, ...]
    symbolic: str
    choice: Choice | None = None


def run_estimate(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    mine, flags = split_flags(arguments)
    given = _parser().parse(mine)
    if given.assumptions:
        sys.stdout.writelines(f"{line}\n" for line in assumption_lines())
        return FINE
    if given.format not in FORMATS:
        hint = near_miss(given.format, FORMATS)
        raise UsageError(f"--format: unknown format '{given.format}', expected text or json{hint}")
    if len(given.paths) != 1:
        raise UsageError(f"estimate: expected one PROCEDURE.yaml, got {len(given.paths)}")
    if not given.machines:
        message = "estimate: no --machine given; it needs one with coprocessors, such as titan-node"
        raise UsageError(f"{message}; see 'rooflint machine list'")
    dirs = (builtin_dir(), *load_registry().machine_dirs)
    systems = [system_of(machine_named(name, dirs)) for name in given.machines]
    procedures = _chosen(Path(given.paths[0]), given.procedure)
    values = dict(_value(text) for text in given.values)
    options = Options(refined=given.refined)
    functions = _functions(given.source, procedures, flags)
    answers = [
        _answer(procedure, system, values, options, given.balance)
        if procedure.stages
        else _bound(procedure, system, values, given.balance, functions)
        for procedure in procedures
        for system in systems
    ]
    _write(_json(answers) if given.format == "json" else _text(answers), given.output)
    if given.picture:
        first = answers[0]
        known = values
        if first.choice is not None:  # the others were sizes of the source
            known = {n: v for n, v in values.items() if n in first.found.procedure.params}
        _write(picture(first.found, first.balanced, known, options), given.picture)
    return FINE if all(answer.found.feasible for answer in answers) else FINDINGS


def _parser() -> Parser:
    parser = Parser("rooflint estimate", ABOUT, EXAMPLES)
    add = parser.add_argument
    add("paths", nargs="*", metavar="PROCEDURE.yaml")
    add(
        "--machine",
        action="append",
        dest="machines",
        metavar="NAME|FILE",
        help="a machine with coprocessors; repeat it to compare",
    )
    add(
        "-D",
        action="append",
        dest="values",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter, a symbol of the machine (K, BW, DMEM, F, ...) or perf.KERNEL",
    )
    add(
        "--source",
        metavar="FILE",
        help="the C or C++ file that a sidecar without stages is bound to",
    )
    add("--procedure", metavar="NAME", help="the one of this name, of a file with several")
    add(
        "--refined",
        action="store_true",
        help="transfers at the rates measured for their pattern, with latencies",
    )
    add(
        "--balance",
        metavar="SYMBOL",
        help="also the formula of this symbol that balances the longest stage",
    )
    add("--format", default="text", metavar="|".join(FORMATS))
    add("-o", "--output", metavar="FILE", help="write here instead of to standard output")
    add(
        "--picture",
        metavar="FILE.svg",
        help="one iteration of the longest stage, performance over K and over BW",
    )
    add("--assumptions", action="store_true", help="list what estimates take for granted")
    return parser  # fmt: skip


def _chosen(path: Path, name: str | None) -> tuple[Procedure, ...]:
    procedures = load_procedures(path)
    if name is None:
        return procedures
    found = tuple([procedure for procedure in procedures if procedure.name == name])
    if not found:
        known = [procedure.name for procedure in procedures]
        hint = near_miss(name, known)
        raise UsageError(f"--procedure: {path} has no '{name}', it has {', '.join(known)}{hint}")
    return found


def _value(text: str) -> tuple[str, float]:
    name, separator, value = text.partition("=")
    name = name.strip()
    if not separator or not name:
        raise UsageError(f"-D {text}: expected NAME=VALUE, such as -D N=4096 or -D BW=32GB/s")
    try:
        return name, quantity(value).value({})
    except ExpressionError as error:
        raise UsageError(
            f"-D {text}: {error}, expected a number such as 4096, 1e6 or 32GB/s"
        ) from None


def _answer(
    procedure: Procedure,
    system: System,
    values: dict[str, float],
    options: Options,
    symbol: str | None,
) -> Answer:
    found = estimate(procedure, system, values, options)
    formula = balance_equation(found, symbol) if symbol else ""
    balanced, changes = balance(found, values, options), what_if(found, values, options)
    return Answer(found, balanced, changes, formula)


def _functions(
    source: str | None, procedures: Sequence[Procedure], flags: Sequence[str]
) -> tuple[Function, ...]:
    """The functions of the file that sidecars are bound to."""
    sidecars = [procedure for procedure in procedures if not procedure.stages]
    if not sidecars:
        return ()
    bind = sidecars[0].bind
    path = source or (bind.file if bind else "")
    if not path:
        message = f"{sidecars[0].file}: '{sidecars[0].name}' has no stages and names no bind.file"
        raise UsageError(f"{message}; name the source with --source FILE")
    if source is None and not Path(path).is_absolute():
        path = str(Path(sidecars[0].file).parent / path)
    return tuple([s.function for s in unit_of(path, Parsing(flags=tuple(flags))).functions])


def _bound(
    procedure: Procedure,
    system: System,
    values: dict[str, float],
    symbol: str | None,
    functions: Sequence[Function],
) -> Answer:
    choice = bound(procedure, functions, system, values)
    found = choice.best
    assert found is not None
    formula = balance_equation(found, symbol) if symbol else ""
    known = {name: value for name, value in values.items() if name in found.procedure.params}
    return Answer(found, balance(found, known), what_if(found, known), formula, choice)


def _text(answers: Sequence[Answer]) -> str:
    return "\n".join("".join(f"{line}\n" for line in _lines(answer)) for answer in answers)


def _lines(answer: Answer) -> Iterator[str]:
    yield from estimate_lines(answer.found, answer.balanced, answer.changes)
    if answer.choice is not None:
        for line in reasons(answer.choice.others):
            yield f"  not taken {line}"
        written = answer.choice.written
        if written is not None:
            yield "  derived"
            yield from [f"    {line}" for line in written.yaml({}).splitlines()]
    if answer.symbolic:
        yield f"  formula   {answer.symbolic}"


def _json(answers: Sequence[Answer]) -> str:
    entries: list[Json] = []
    for answer in answers:
        entry = estimate_data(answer.found, answer.balanced, answer.changes)
        entry["formula"] = answer.symbolic or None
        if answer.choice is not None:
            entry["alternatives"] = list(reasons(answer.choice.others))
            written = answer.choice.written
            entry["source"] = written.yaml({}) if written else None
        entries.append(entry)
    document = {"schema_version": 1, "estimates": entries}
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _write(text: str, output: str | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"estimate: cannot write {output}: {reason}") from error

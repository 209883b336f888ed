"""``rooflint estimate FILE --machine NAME``: what a procedure, or a loop, can reach at most."""

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from rooflint.cli.analyze import width
from rooflint.cli.arguments import Parser, split_flags
from rooflint.cli.exit_codes import ExitCode
from rooflint.errors import ConfigurationError, UsageError, near_miss
from rooflint.facts import facts_of
from rooflint.hybrid.answer import (
    Answer,
    Formula,
    answer_of,
    answer_of_nest,
    answers_json,
    answers_text,
    answers_yaml,
)
from rooflint.hybrid.bound import bound, plain_sidecar
from rooflint.hybrid.estimate import SCALED, Options
from rooflint.hybrid.expression import ExpressionError
from rooflint.hybrid.load import load_procedures, quantity
from rooflint.hybrid.picture import picture
from rooflint.hybrid.procedure import Procedure
from rooflint.hybrid.system import system_of
from rooflint.hybrid.words import assumption_lines
from rooflint.ir import Function
from rooflint.machine import Machine, builtin_dir
from rooflint.pipeline import Options as Parsing
from rooflint.pipeline import machine_named, unit_of
from rooflint.registry import load_registry
from rooflint.render.estimates import estimates_page
from rooflint.render.layout import wrap
from rooflint.scenario.sizes import canonical

FORMATS = {"json": answers_json, "html": estimates_page, "text": answers_text, "yaml": answers_yaml}
HANGING = 12
PROCEDURES = (".yaml", ".yml")
ABOUT = """Estimates a procedure of loads, kernels and stores on a host with coprocessors:
performance at most, what limits it, what would balance the machine. Of a C or C++ file, or of a
sidecar bound to one, the procedure is derived, and the host alone is compared. Exit code 1 when
it does not fit the coprocessors' memory, or when nothing could be derived."""
EXAMPLES = """examples:
  rooflint estimate examples/triad.c --machine titan-node -D n=1e8
  rooflint estimate examples/triad.c --machine titan-node --format yaml -o triad.yaml
  rooflint estimate examples/procedures/ft3d_two_stage.yaml --machine titan-node
  rooflint estimate fft.yaml --machine vm7 -D N1=64 -D perf.f1=1.5GOP/s --refined
  rooflint estimate mg.yaml --machine vm7 --balance BW -D BW=3.2GB/s
"""


class Asked(NamedTuple):
    """What holds for every procedure and machine of the command."""

    values: dict[str, float]
    options: Options
    formula: Formula | None


def run_estimate(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    mine, flags = split_flags(arguments)
    given = _parser().parse(mine)
    if given.assumptions:
        sys.stdout.writelines(f"{line}\n" for line in assumption_lines())
        return ExitCode.FINE
    if given.format not in FORMATS:
        hint = near_miss(given.format, FORMATS)
        expected = "expected html, json, text or yaml"
        raise UsageError(f"--format: unknown format '{given.format}', {expected}{hint}")
    if len(given.paths) != 1:
        raise UsageError(
            f"estimate: expected one PROCEDURE.yaml or source file, got {len(given.paths)}"
        )
    if not given.machines:
        message = "estimate: no --machine given; it needs one with coprocessors, such as titan-node"
        raise UsageError(f"{message}; see 'rooflint machine list'")
    dirs = (builtin_dir(), *load_registry().machine_dirs)
    machines = [machine_named(name, dirs) for name in given.machines]
    for machine in machines:
        system_of(machine)  # one without coprocessors is refused before anything is parsed
    values = dict(_value(text) for text in given.values)
    asked = Asked(values, Options(refined=given.refined), _formula(given.balance))
    path = Path(given.paths[0])
    if path.suffix in PROCEDURES:
        procedures = _chosen(path, given.procedure)
        functions = _functions(given.source, procedures, flags)
    else:
        functions = _of_source(str(path), given.procedure, flags)
        procedures = tuple([plain_sidecar(function.name, str(path)) for function in functions])
    answers = list(_answers(procedures, machines, asked, functions))
    if not answers:
        return ExitCode.FINDINGS
    text = FORMATS[given.format](answers)
    _write(_wrapped(text, given.output) if given.format == "text" else text, given.output)
    if given.picture:
        first = answers[0]
        drawn = picture(first.found, first.balanced, first.values, first.options, first.perf_at)
        _write(drawn, given.picture)
    return ExitCode.FINE if all(answer.found.feasible for answer in answers) else ExitCode.FINDINGS


def _formula(symbol: str | None) -> Formula | None:
    """The writer of the formula of ``symbol``; nothing else imports sympy, which takes 0.3 s."""
    if not symbol:
        return None
    from rooflint.hybrid.symbolic import balance_equation

    return partial(balance_equation, wanted=symbol)


def _wrapped(text: str, output: str | None) -> str:
    columns = width(output)
    lines = []
    for line in text.splitlines():
        if len(line) <= columns:
            lines.append(line)
        elif line.startswith(" "):
            first, *others = wrap(line[HANGING:], columns, HANGING)
            lines += [line[:HANGING] + first[HANGING:], *others]
        else:
            lines += wrap(line, columns, 0, 2)
    return "".join(f"{line}\n" for line in lines)


def _parser() -> Parser:
    parser = Parser("rooflint estimate", ABOUT, EXAMPLES)
    add = parser.add_argument
    add("paths", nargs="*", metavar="FILE", help="a procedure file, or C or C++ source")
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
        help="a parameter, a size of the source, a symbol of the machine (K, BW, DMEM, F, ...)"
        " or perf.KERNEL",
    )
    add(
        "--source",
        metavar="FILE",
        help="the C or C++ file that a sidecar without stages is bound to",
    )
    add(
        "--procedure",
        metavar="NAME",
        help="the one of this name, of a file with several; the function, of source",
    )
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
    add(
        "--format",
        default="text",
        metavar="|".join(FORMATS),
        help="yaml prints the procedures, as derived and with where every value comes from",
    )
    add("-o", "--output", metavar="FILE", help="write here instead of to standard output")
    add(
        "--picture",
        metavar="FILE.svg",
        help="one iteration of the longest stage, performance over K and over BW",
    )
    add("--assumptions", action="store_true", help="list what estimates take for granted")
    return parser  # fmt: skip


def _answers(
    procedures: Sequence[Procedure],
    machines: Sequence[Machine],
    asked: Asked,
    functions: Sequence[Function],
) -> Iterator[Answer]:
    """Every procedure on every machine; of several functions, those that cannot be say why."""
    taken: set[str] = set()
    several = len(procedures) > 1
    for procedure in procedures:
        for machine in machines:
            if procedure.stages:
                yield answer_of(procedure, system_of(machine), *asked)
                continue
            try:
                nest = bound(procedure, functions, machine, asked.values, asked.options)
            except ConfigurationError as error:
                if not several:
                    raise
                sys.stderr.write(f"estimate: {error}\n")
                continue
            taken |= nest.names
            yield answer_of_nest(nest, asked.options, asked.formula)
    if taken:
        _check_used(asked.values, taken)


def _check_used(values: dict[str, float], taken: set[str]) -> None:
    for name in values:
        if name not in taken and name not in SCALED:
            hint = near_miss(name, taken) or f"; there are {', '.join(sorted(taken))}"
            raise UsageError(f"-D {name}: the procedure has no such size or parameter{hint}")


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
    name = canonical(name)
    if not separator or not name:
        raise UsageError(f"-D {text}: expected NAME=VALUE, such as -D N=4096 or -D BW=32GB/s")
    try:
        return name, quantity(value).value({})
    except ExpressionError as error:
        raise UsageError(
            f"-D {text}: {error}, expected a number such as 4096, 1e6 or 32GB/s"
        ) from None


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


def _of_source(path: str, name: str | None, flags: Sequence[str]) -> tuple[Function, ...]:
    """The functions of a source file that have loops to estimate; one of them by its name."""
    functions = [s.function for s in unit_of(path, Parsing(flags=tuple(flags))).functions]
    if name is not None:
        found = [function for function in functions if function.name == name]
        if not found:
            known = [function.name for function in functions]
            hint = near_miss(name, known)
            raise UsageError(
                f"--procedure: {path} has no function '{name}', it has {', '.join(known)}{hint}"
            )
        return tuple(found)
    with_work = [f for f in functions if any(each.work.flops for each in facts_of(f))]
    if not with_work:
        raise UsageError(f"estimate: {path} has no loop with floating-point operations")
    return tuple(with_work)


def _write(text: str, output: str | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"estimate: cannot write {output}: {reason}") from error

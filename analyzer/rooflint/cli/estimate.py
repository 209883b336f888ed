"""``rooflint estimate FILE --machine NAME``: what a procedure, or a loop, can reach at most."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from rooflint.cli.arguments import Parser, split_flags
from rooflint.cli.exit_codes import ExitCode
from rooflint.cli.report.output import width
from rooflint.errors import UsageError, near_miss
from rooflint.escaping import json_text
from rooflint.ir import Function
from rooflint.machine import Machine, builtin_dir
from rooflint.pipeline import Options, machine_named
from rooflint.pipeline.front_end import unit_of
from rooflint.plugin_api.estimator import EstimateRequest, EstimateSet, Estimator
from rooflint.registry import Registry, load_registry, with_requested
from rooflint.render.layout import wrap

ESTIMATOR = "hybrid"
FORMATS = ("json", "html", "text", "yaml")
HANGING = 12
ABOUT = """Estimates a procedure of loads, kernels and stores on a host with coprocessors: an upper
bound of its performance, its limit, and the change that would balance the machine. From a C or C++
file, or a sidecar bound to one, derives the procedure and compares it with the host alone. Exit
code 1 if it does not fit the coprocessors' memory or cannot be derived."""
EXAMPLES = """examples:
  rooflint estimate examples/triad.c --machine titan-node -D n=1e8
  rooflint estimate examples/triad.c --machine titan-node --format yaml -o triad.yaml
  rooflint estimate examples/procedures/ft3d_two_stage.yaml --machine titan-node
  rooflint estimate fft.yaml --machine vm7 -D N1=64 -D perf.f1=1.5GOP/s --refined
  rooflint estimate mg.yaml --machine vm7 --balance BW -D BW=3.2GB/s
"""


def run_estimate(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    mine, flags = split_flags(arguments)
    given = build_parser().parse(mine)
    registry = load_registry()
    estimator = _estimator(registry)
    if given.assumptions:
        for name, text in estimator.assumptions.items():
            sys.stdout.write(f"{name:<4} {text}\n")
        return ExitCode.FINE
    _check(given)
    dirs = (builtin_dir(), *registry.machine_dirs)
    machines = tuple([machine_named(name, dirs) for name in given.machines])
    estimates = estimator.estimate(_request(given, machines, flags))
    for refusal in estimates.refusals:
        sys.stderr.write(f"estimate: {refusal}\n")
    if estimates.is_empty:
        return ExitCode.FINDINGS
    _write(_formatted(estimates, given.format, given.output), given.output)
    if given.picture:
        from rooflint.plot.estimate_picture import draw_estimate

        _write(draw_estimate(estimates.picture()), given.picture)
    return ExitCode.FINE if estimates.is_feasible else ExitCode.FINDINGS


def _estimator(registry: Registry) -> Estimator:
    models = {model.name: model for model in with_requested(registry, (ESTIMATOR,)).models}
    model = models[ESTIMATOR]
    if not isinstance(model, Estimator):  # a plugin of another distribution took the name
        raise UsageError(f"estimate: model '{ESTIMATOR}' does not estimate procedures")
    return model


def _check(given: Namespace) -> None:
    """Raises UsageError for what is missing or unknown."""
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


def _request(
    given: Namespace, machines: tuple[Machine, ...], flags: Sequence[str]
) -> EstimateRequest:
    def functions(path: str) -> tuple[Function, ...]:
        unit = unit_of(path, Options(flags=tuple(flags)))
        return tuple([source.function for source in unit.functions])

    return EstimateRequest(
        path=Path(given.paths[0]),
        machines=machines,
        values=tuple(given.values),
        procedure=given.procedure,
        source=given.source,
        refined=given.refined,
        balance=given.balance,
        functions=functions,
    )


def _formatted(estimates: EstimateSet, name: str, output: str | None) -> str:
    match name:
        case "json":
            return json_text({"schema_version": 1, "estimates": estimates.data()}) + "\n"
        case "html":
            from rooflint.render.estimates import estimates_page

            return estimates_page(estimates.sections())
        case "yaml":
            return estimates.procedures()
        case _:
            return _wrapped(estimates.text(), output)


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


def build_parser() -> Parser:
    """The options of ``rooflint estimate``."""
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
        help="the procedure to use of a file with several, or the function of a source",
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
        help="yaml prints the procedures as derived, with the origin of every value",
    )
    add("-o", "--output", metavar="FILE", help="write here instead of to standard output")
    add(
        "--picture",
        metavar="FILE.svg",
        help="one iteration of the longest stage, performance over K and over BW",
    )
    add("--assumptions", action="store_true", help="list the assumptions of all estimates")
    return parser  # fmt: skip


def _write(text: str, output: str | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"estimate: cannot write {output}: {reason}") from error

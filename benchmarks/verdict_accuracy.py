"""How near the verdicts' times come to measured ones, and how often they name the right side.

    python benchmarks/verdict_accuracy.py MACHINE MEASURED --compiler gcc-12 [--tsvc FOLDER]

MACHINE is a machine file of the host that was measured, or a name. MEASURED is a JSON file with
``flags`` and ``kernels``: each has ``name``, ``function``, ``source`` (null for a loop of TSVC_2),
and ``levels``: by level the ``arguments`` or ``defines``, and ``cy_per_call`` and ``ns_per_call``.
Caches are compared in cycles, memory in time, since a machine file's clock need not be the host's.

The side that limits is seen in the measured times too: data where a loop in L2 takes 1.25 times as
long as in L1 or more, the core where it takes 1.1 times as long or less; others are left out.
"""

import argparse
import json
import math
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rooflint.compile_flags.sources import Source
from rooflint.pipeline import Analysis, Options
from rooflint.pipeline.measured.run_report import run_report
from rooflint.plugin_api.report import Report
from rooflint.plugin_api.terms import LimitSide
from rooflint.plugin_api.verdict import Verdict
from rooflint.registry import load_registry, with_requested

MODELS = ("roofline", "ecm")
IS_DATA, IS_CORE = 1.25, 1.1
"""Time per iteration in L2 over that in L1, from which and up to which the side is clear."""


class Comparison(NamedTuple):
    """A kernel with its data in one level: predicted over measured, by rule; and the verdict."""

    kernel: str
    level: str
    verdict: float
    by_model: Mapping[str, float]
    side: LimitSide | None
    measured_iteration: float


class Run(NamedTuple):
    """One analysis: cycles of a call by the verdicts and by each model, and of its main loop."""

    cycles: float
    by_model: Mapping[str, float]
    main: Verdict
    iterations: float


def reported(file: Path, options: Options) -> Report:
    """The report of one file."""
    registry = with_requested(load_registry(), MODELS)
    analysis = Analysis(options, registry)
    list(analysis.files([Source(str(file))]))
    return run_report(analysis).report


def run_of(report: Report, function: str, passes: int) -> Run | None:
    """The loops of ``function``; ``passes``: enclosing loops that only repeat the kernel."""
    by_model: dict[str, float] = defaultdict(float)
    total = 0.0
    main: tuple[float, Verdict, float] | None = None
    verdicts = {verdict.id: verdict for verdict in report.verdicts}
    for each in report.files[0].functions:
        for kernel in [k for nest in each.nests for k in nest.kernels if each.name == function]:
            result, verdict = kernel.results[0], verdicts[kernel.id]
            if len(result.trips) <= passes or verdict.time.now_cy is None:
                continue
            iterations = math.prod([trip or 1.0 for trip in result.trips[passes:]])
            spent = verdict.time.now_cy * iterations
            total += spent
            for prediction in result.predictions:
                by_model[prediction.model] += (prediction.cycles_per_iteration or 0.0) * iterations
            if main is None or spent > main[0]:
                main = (spent, verdict, iterations)
    return None if main is None else Run(total, by_model, main[1], main[2])


def prepared(kernel: Mapping[str, Any], level: str, tsvc: Path | None, folder: Path) -> Path | None:
    """The source with the sizes of one measurement, or None where a loop has none here."""
    if kernel["source"] is not None:
        file = folder / f"{kernel['name']}.c"
        file.write_text(kernel["source"], encoding="utf-8")
        return file
    defines = kernel["levels"][level].get("defines")
    if tsvc is None or defines is None:
        return None
    changed = folder / "_".join([f"{name}_{value}" for name, value in defines.items()])
    if not changed.exists():
        changed.mkdir()
        for path in [*tsvc.glob("src/*.h"), tsvc / "src" / "tsvc.c"]:
            lines = path.read_text(encoding="utf-8").splitlines()
            for name, value in defines.items():
                lines = [f"#define {name} {value}" if f"#define {name} " in x else x for x in lines]
            (changed / path.name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return changed / "tsvc.c"


def comparisons(
    machine: str, compiler: str, document: Mapping[str, Any], tsvc: Path | None
) -> Iterator[Comparison]:
    """Every kernel at every level."""
    reports: dict[tuple[Path, str], Report] = {}
    with tempfile.TemporaryDirectory() as name:
        for kernel in document["kernels"]:
            for level, measured in kernel["levels"].items():
                file = prepared(kernel, level, tsvc, Path(name))
                if file is None:
                    continue
                sizes = {
                    key: value
                    for key, value in measured.get("arguments", {}).items()
                    if isinstance(value, int)
                }
                if (file, level) not in reports:
                    options = Options(
                        machines=(machine,),
                        models=MODELS,
                        jobs=1,
                        sizes=sizes,
                        flags=tuple(document["flags"]),
                        compiler=compiler,
                        residency=level,
                        isolated=True,
                    )
                    reports[file, level] = reported(file, options)
                passes = int(kernel["source"] is None)
                run = run_of(reports[file, level], kernel["function"], passes)
                if run is None:
                    print(f"{kernel['name']} {level}: no prediction", file=sys.stderr)
                    continue
                clock = run.main.time.clock_ghz
                own = measured["cy_per_call"]
                if level == "MEM":
                    own = measured["ns_per_call"] * clock
                yield Comparison(
                    kernel=kernel["name"],
                    level=level,
                    verdict=run.cycles / own,
                    by_model={model: cycles / own for model, cycles in run.by_model.items()},
                    side=run.main.limiter.side if run.main.limiter is not None else None,
                    measured_iteration=own / run.iterations,
                )


def within(ratios: list[float], factor: float) -> float:
    """The share of ratios within ``factor``, either way."""
    near = [ratio for ratio in ratios if ratio > 0 and max(ratio, 1 / ratio) <= factor]
    return len(near) / len(ratios) if ratios else 0.0


def measured_sides(rows: list[Comparison]) -> dict[str, LimitSide]:
    """By kernel, the side that limits it in L2, where its times show one."""
    by_level = {(row.kernel, row.level): row for row in rows}
    found: dict[str, LimitSide] = {}
    for (kernel, level), row in by_level.items():
        near = by_level.get((kernel, "L1"))
        if level != "L2" or near is None:
            continue
        ratio = row.measured_iteration / near.measured_iteration
        if ratio >= IS_DATA:
            found[kernel] = LimitSide.DATA
        elif ratio <= IS_CORE:
            found[kernel] = LimitSide.CORE
    return found


def row_of(row: Comparison, measured: LimitSide | None) -> str:
    """A kernel at a level: ratios, and sides, the measured one where it is clear."""
    models = ", ".join([f"{model} {ratio:.2f}" for model, ratio in row.by_model.items()])
    side = row.side.value if row.side is not None else "-"
    shown = f" (measured {measured.value})" if measured is not None and row.level == "L2" else ""
    return f"{row.kernel:20} {row.level:4} {row.verdict:6.2f} {side}{shown} {models}"


def main() -> int:
    """Prints a table by level and rule, and the sides."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("machine")
    parser.add_argument("measured", type=Path)
    parser.add_argument("--compiler", required=True, help="the one that made the measured code")
    parser.add_argument("--tsvc", type=Path, help="folder of TSVC_2")
    parser.add_argument("--rows", action="store_true", help="print every kernel")
    options = parser.parse_args()
    document = json.loads(options.measured.read_text(encoding="utf-8"))
    rows = list(comparisons(options.machine, options.compiler, document, options.tsvc))
    clear = measured_sides(rows)
    for row in rows if options.rows else ():
        print(row_of(row, clear.get(row.kernel)))
    print("| predictor | level | kernels | within 1.25x | within 1.5x | median ratio |")
    print("| --- | --- | --: | --: | --: | --: |")
    for name in ("verdict", *MODELS):
        for level in ("L1", "L2", "MEM"):
            ratios = [
                row.verdict if name == "verdict" else row.by_model[name]
                for row in rows
                if row.level == level and (name == "verdict" or name in row.by_model)
            ]
            cells = f"{len(ratios)} | {within(ratios, 1.25):.0%} | {within(ratios, 1.5):.0%}"
            print(f"| {name} | {level} | {cells} | {statistics.median(ratios):.2f} |")
    named = {row.kernel: row.side for row in rows if row.level == "L2"}
    right = sum(named[kernel] is side for kernel, side in clear.items())
    print(f"\nside right: {right} of {len(clear)} ({right / max(1, len(clear)):.0%})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Figures that no machine has: refused by name and line, or predicted with finite numbers."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rooflint.cli.main import run
from rooflint.errors import ConfigurationError
from rooflint.machine import builtin_dir
from rooflint.machine.load import load_machine
from rooflint.machine.ranges import range_of
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.report import Report
from rooflint.registry import ON_REQUEST, load_registry, with_requested

KERNELS = """
#include <math.h>
void triad(int n, double *restrict a, const double *b, const double *c, double s)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}
double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] / sqrt(b[i]);
    return sum;
}
void column(int n, double a[n][n])
{
    for (int j = 0; j < n; j++)
        for (int i = 1; i < n; i++)
            a[i][j] = 0.5 * a[i - 1][j];
}
void copy(int n, int *a, const int *b)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = b[i];
}
"""
MACHINES = ("sandybridge-ep-e5-2680", "skylake-sp-6148", "cell", "k100-node", "h100-pcie-server")
FAR_OFF = (1e308, 1e-320, 5e-324, 1.7e38, 1e-30, 10**400, 10**30)


def whole(name: str) -> dict[str, Any]:
    """A machine file with what it extends, as plain values."""
    values: dict[str, Any] = yaml.safe_load((builtin_dir() / f"{name}.yaml").read_text("utf-8"))
    parent = values.pop("extends", None)
    return {**whole(parent), **values} if parent else values


def numbers(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the figures are."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("schema", "sources", "ports", "identify"):
                yield from numbers(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from numbers(inner, (*path, place))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def changed(values: dict[str, Any], path: tuple[Any, ...], figure: float) -> str:
    """The file with another figure at ``path``."""
    copy = json.loads(json.dumps(values))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = figure
    return json.dumps(copy, indent=1)  # which is YAML too


WHOLE = {name: whole(name) for name in MACHINES}
PLACES = {
    tuple(key for key in path if isinstance(key, str)): (name, path)
    for name in MACHINES
    for path in numbers(WHOLE[name])
}
"""One of each kind: entries of a list are alike."""


def report_of(machine: Path, source: Path) -> Report:
    registry = with_requested(load_registry(), ON_REQUEST)
    options = Options(machines=(str(machine),), cores="1")
    return analyse([Source(str(source))], options, registry)


def not_finite(value: object, path: str = "") -> Iterator[str]:
    """Where a prediction has infinities, or no numbers."""
    if isinstance(value, float) and not math.isfinite(value):
        yield path
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from not_finite(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from not_finite(inner, path)


def wrong(report: Report) -> list[str]:
    """Everything that a report may not have, whatever the machine."""
    found = [d.message for f in report.files for d in f.diagnostics if d.severity == "error"]
    for file in report.files:
        for function in file.functions:
            for nest in function.nests:
                for kernel in nest.kernels:
                    for result in kernel.results:
                        found += [f"{s.model}: {s.reason}" for s in result.skipped if s.failed]
                        for p in result.predictions:
                            where = f"{function.name} {p.model}"
                            found += not_finite(p.data, where)
                            found += not_finite(p.cycles_per_iteration, where)
    return found


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "k.c"
    path.write_text(KERNELS)
    return path


@pytest.mark.parametrize(("name", "path"), PLACES.values(), ids=map(".".join, PLACES))
def test_what_no_machine_has_is_refused(name: str, path: tuple[Any, ...], tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    for figure in FAR_OFF:
        file.write_text(changed(WHOLE[name], path, figure))
        with pytest.raises(ConfigurationError, match=rf"^{file}:\d+: .*expected") as error:
            load_machine(file, [builtin_dir()])
        assert len(str(error.value)) < 400


@pytest.mark.parametrize("key", ["clock_ghz", "gb_s", "cy_per_line_up", "size_kib", "cy", "rob"])
def test_the_ends_of_what_is_allowed(key: str, tmp_path: Path, source: Path) -> None:
    file = tmp_path / "m.yaml"
    whole_file = WHOLE["sandybridge-ep-e5-2680"]
    path = next(path for path in numbers(whole_file) if path[-1] == key)
    low, high, _ = range_of(key)
    for figure in (low, high):
        file.write_text(changed(whole_file, path, figure))
        try:
            load_machine(file, [builtin_dir()])
        except ConfigurationError as error:  # such as a cache larger than the next
            assert str(error).startswith(f"{file}:")
            continue
        assert wrong(report_of(file, source)) == [], figure


@pytest.mark.parametrize("figure", ["1e308", "1e-320"])
def test_an_absurd_clock_is_a_line_of_the_command(
    figure: str, tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.yaml"
    file.write_text(
        "schema: 1\nname: mine\nextends: generic-2level\nsources: {default: here}\n"
        f"clock_ghz: {figure.replace('e', '.0e').replace('e3', 'e+3')}\n"
    )
    assert run(["analyze", str(source), "--machine", str(file)]) == 2
    assert (
        f"{file}:5: clock_ghz: expected a number from 0.001 to 100 GHz" in capsys.readouterr().err
    )

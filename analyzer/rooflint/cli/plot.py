"""``analyze --plot DIR``: a picture of each loop and one of all of them, written to a folder."""

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from rooflint.cli.options import AXES
from rooflint.errors import UsageError, near_miss
from rooflint.plugin_api.report import Report

if TYPE_CHECKING:
    from rooflint.plot.from_report import Axis

PLOTTED = ("ceilings",)
"""Models that a run with plots asks besides the usual ones."""
FORMATS = ("svg", "png", "pdf")
OVERVIEW = "overview"


def check_plot(folder: str, file_format: str) -> None:
    """Says before the run what would keep the plots from being written."""
    if file_format not in FORMATS:
        expected = f"expected {', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        hint = near_miss(file_format, FORMATS)
        raise UsageError(f"--plot-format: unknown format '{file_format}', {expected}{hint}")
    if file_format != "svg" and find_spec("matplotlib") is None:
        raise UsageError(
            f"--plot-format {file_format}: needs matplotlib: pip install 'rooflint[plot]'"
        )
    if not folder:
        raise UsageError("--plot: expected DIR after it")
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--plot {folder}: cannot be made: {error.strerror}") from None


def write_plots(report: Report, folder: str, file_format: str, axis: str = AXES[0]) -> str:
    """Writes the plots of a report; returns what was written, in words."""
    from rooflint.plot.from_report import kernel_plots
    from rooflint.plot.overview import overview_scenes

    draw = _renderer(file_format)
    across: Axis = "carm" if axis == "carm" else "operational"
    overviews = overview_scenes(report, across)
    # what is counted most has the plain name
    names = [OVERVIEW, *[f"{OVERVIEW}-{scene.work}" for scene in overviews[1:]]][: len(overviews)]
    paths = [os.path.join(folder, f"{name}.{file_format}") for name in names]
    written = 0
    for plot in kernel_plots(report, names, across):
        write_plot(draw(plot.scene), os.path.join(folder, f"{plot.name}.{file_format}"))
        written += 1
    if not written:
        return f"--plot {folder}: no loop can be plotted, nothing written"
    for scene, path in zip(overviews, paths, strict=True):
        write_plot(draw(scene), path)
    plots = f"{written} plot{'s' if written != 1 else ''}"
    return f"{plots} in {folder}" + (f", all loops in {' and '.join(paths)}" if paths else "")


def _renderer(file_format: str) -> Callable[..., bytes]:
    if file_format == "svg":
        from rooflint.plot import draw

        return lambda scene: draw(scene).encode("utf-8")
    from rooflint.plot.figure import render

    return lambda scene: render(scene, file_format)


def write_plot(content: bytes, path: str) -> None:
    """Raises UsageError where the file cannot be written."""
    try:
        with open(path, "wb") as stream:
            stream.write(content)
    except OSError as error:
        raise UsageError(f"--plot: {path}: cannot be written: {error.strerror}") from None

"""Two versions beside each other, for a terminal and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Final

import rooflint
from rooflint.escaping import json_text, visible
from rooflint.measure.protocol import Figure, MeasureVerdict
from rooflint.measure.refusals import refusal_text
from rooflint.measure.versions.equality import RELATIVE, Agreement
from rooflint.measure.versions.gain import PredictedGain
from rooflint.measure.versions.report import VersionReport
from rooflint.measure.versions.trial import VersionMeasurement
from rooflint.plugin_api.advice import Gain, gain_words
from rooflint.plugin_api.prediction import Json
from rooflint.render.layout import Colour, Style, with_label, wrap
from rooflint.render.measured import words
from rooflint.render.measured.data import SCHEMA_VERSION, conditions_data, refusal_data

INDENT: Final = 2
LABEL: Final = 11
FINE_BELOW: Final = 2.0
COARSE_FROM: Final = 9.95
"""Gains below it print with two decimals: that unchanged code gains nothing shows in the second."""
AGREEMENTS: Final = {
    Agreement.BITS: "equal in every bit",
    Agreement.RELATIVE: (
        f"equal within {RELATIVE['f64']:g} ({RELATIVE['f32']:g} for float) but not in every bit"
    ),
}


def render_text(report: VersionReport, style: Style) -> str:
    """The trial in lines; ends with a newline."""
    return "".join([f"{line}\n" for line in _lines(report, style)])


def _lines(report: VersionReport, style: Style) -> Iterator[str]:
    yield from wrap(visible(_head(report)), style.width, 0, INDENT)
    found = report.measurement
    if found.agreement is not None:
        yield from _row("results", AGREEMENTS[found.agreement], style)
    if found.refusal is not None:
        yield from _row("gain", f"refused: {refusal_text(found.refusal)}", style, "red")
        return
    yield from _figure("before", found.before, style)
    yield from _figure("after", found.after, style)
    yield from _row("gain", gain_text(found), style, "green" if found.placement else None)
    if found.conditions is not None:
        text = words.conditions_text(found.conditions, found.before)
        yield from wrap(text, style.width, INDENT, INDENT * 2)
    for note in words.notes(report.build):
        yield from wrap(visible(note), style.width, 0, INDENT)


def _head(report: VersionReport) -> str:
    found = report.measurement
    change = f"{report.change} ({report.title})" if report.title else report.change
    data = f"({words.data_size(found.touched_bytes)}, {found.level})" if found.level else ""
    sizes = f"{words.sizes_text(found.sizes)} {data}".strip()
    point = words.comma_list(sizes, words.compiler_text(report.build), "1 core", found.state)
    return f"{report.path}:{report.line} {report.function}, {change}: {point}"


def _figure(name: str, found: Figure | None, style: Style) -> Iterator[str]:
    if found is None:
        return
    colour: Colour = "green" if found.verdict is MeasureVerdict.STABLE else "yellow"
    value = f"{words.cycles(found.cycles.p10)} cy/call"
    yield from _row(name, f"{value:<17} {words.figure_text(found)}", style, colour)


def _row(name: str, text: str, style: Style, colour: Colour | None = None) -> list[str]:
    label = f"{name:<{LABEL}} "
    lines = with_label(label, text, style, INDENT, INDENT + len(label))
    return [style.paint(line.rstrip(), colour) if colour else line.rstrip() for line in lines]


def gain_text(found: VersionMeasurement) -> str:
    """``predicted 2.4x, measured 2.3x: inside``."""
    if found.gain is None:
        return "not measured"
    measured = f"measured {ratio_text(found.gain.ratio)}"
    spread = f"groups {', '.join(map(ratio_text, found.gain.groups))}"
    if found.predicted is None or found.placement is None:
        return f"not predicted at this size, {measured} ({spread})"
    predicted = f"predicted {gain_words(Gain(found.predicted.low, found.predicted.high))}"
    return f"{predicted}, {measured}: {found.placement.value} ({spread})"


def ratio_text(ratio: float) -> str:
    """``2.3x``, ``12x``; ``1.00x`` near one."""
    digits = 2 if ratio < FINE_BELOW else 1 if ratio < COARSE_FROM else 0
    return f"{ratio:.{digits}f}x"


def render_json(reports: Sequence[VersionReport]) -> str:
    """The document; ends with a newline."""
    document: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "rooflint": rooflint.__version__,
        "changes": [_data(report) for report in reports],
    }
    return json_text(document) + "\n"


def _data(report: VersionReport) -> dict[str, Json]:
    found = report.measurement
    return {
        "schema_version": SCHEMA_VERSION,
        "id": report.id,
        "path": report.path,
        "line": report.line,
        "function": report.function,
        "change": report.change,
        "title": report.title,
        "sizes": dict(found.sizes),
        "state": found.state,
        "target": found.target or None,
        "residency": found.level or None,
        "touched_bytes": found.touched_bytes,
        "results": None if found.agreement is None else found.agreement.value,
        "before": _figure_data(found.before),
        "after": _figure_data(found.after),
        "predicted": _predicted(found.predicted),
        "measured": None if found.gain is None else found.gain.ratio,
        "groups": [] if found.gain is None else list(found.gain.groups),
        "placement": None if found.placement is None else found.placement.name.lower(),
        "verdict": found.verdict.value,
        "refusal": refusal_data(found.refusal),
        "conditions": conditions_data(report.build, found.conditions),
        "machine": report.build.machine,
        "machine_is_host": report.build.is_host,
    }


def _figure_data(found: Figure | None) -> Json:
    if found is None:
        return None
    return {
        "cy_per_call": found.cycles.p10,
        "ns_per_call": found.seconds * 1e9,
        "clock_ghz": found.clock_ghz,
        "processes": list(found.processes),
        "verdict": found.verdict.value,
        "reasons": [words.DOUBTS[doubt] for doubt in found.doubts],
    }


def _predicted(found: PredictedGain | None) -> Json:
    return None if found is None else {"low": found.low, "high": found.high}

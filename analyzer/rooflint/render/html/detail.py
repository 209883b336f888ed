"""The panel of a row: the loop's code and plot, and each machine's results with their basis."""

from collections.abc import Iterable, Iterator

from rooflint.plot import draw, draw_compact
from rooflint.plot.bounds_scenes import bounds_scenes
from rooflint.plot.from_report import kernel_scenes, kernel_title
from rooflint.plugin_api.prediction import DataField, Prediction
from rooflint.plugin_api.report import (
    CoverageGap,
    KernelReport,
    LinkTraffic,
    MachineResult,
    Regime,
    Report,
)
from rooflint.render import phrases
from rooflint.render.entries import KernelEntry, silent_models
from rooflint.render.html.code import frame, refusal_frame
from rooflint.render.html.markup import element, escape, figure, items, table
from rooflint.render.html.rows import FIRST, Row, results_by_machine
from rooflint.render.html.values import data_table
from rooflint.render.layout import line_words, number, plural
from rooflint.render.measurements import measured_around, measured_summary, measured_words

NAMES_LISTED = 20


def detail(row: Row, report: Report, *, small: bool = False) -> str:
    """The panel of one row; with a ``small`` plot, of roof and ceilings alone."""
    if row.entry is None:
        said = "" if row.refusal is None else element("p", escape(str(row.refusal.reason)))
        return said + (refusal_frame(row.file, row.line) if row.refusal is not None else "")
    entry = row.entry
    results = results_by_machine(entry, report)
    several = len(report.machines) > 1
    cards = "".join([_card(entry, result, place, report) for place, result in results.items()])
    pictures = element("div", frame(entry) + _plot(entry, small), class_="side")
    compared = _comparison(row, results) if several else ""
    machines = element("div", cards, class_="cards")
    return f"{_head(entry)}{pictures}{compared}{machines}"


def _head(entry: KernelEntry) -> str:
    kernel = entry.kernel
    parts = [element("h3", escape(f"{entry.place} {phrases.nest_words(kernel.loops)}"))]
    names = list(dict.fromkeys(entry.functions))
    if len(entry.functions) > 1:
        more = f" and {len(names) - NAMES_LISTED} more" if len(names) > NAMES_LISTED else ""
        listed = ", ".join(names[:NAMES_LISTED])
        text = f"{plural(len(entry.functions), 'instance')} with the same numbers: {listed}{more}"
        parts.append(element("p", escape(text)))
    work = phrases.work_words(kernel.work, kernel.not_covered)
    parts.append(element("p", f"<b>per iteration</b> {escape(work)}"))
    if kernel.not_covered:
        parts.append(f"<p><b>not covered</b>{items(_gaps(kernel.not_covered))}")
    return "".join(parts)


def _gaps(gaps: Iterable[CoverageGap]) -> Iterator[str]:
    by_reason: dict[str, list[int]] = {}
    for gap in gaps:
        by_reason.setdefault(str(gap.reason), []).append(gap.line)
    for reason, lines in by_reason.items():
        yield f"{line_words(lines)}: {reason}"


def _plot(entry: KernelEntry, small: bool) -> str:
    place = (entry.file.path, entry.function.name, entry.kernel)
    scenes = [scene for _, scene in kernel_scenes(*place)]
    for each in bounds_scenes(kernel_title(*place), entry.kernel):
        scenes += [each.merged] if small else [each.merged, each.levels]
    drawer = draw_compact if small else draw
    return "".join([element("figure", drawer(s, styled=False).strip()) for s in scenes])


def _comparison(row: Row, results: dict[int, MachineResult]) -> str:
    models = dict.fromkeys(model for _, model in row.figures if model != FIRST)
    rows = [cells for model in models for cells in _model_rows(row, model, results)]
    links = dict.fromkeys(link.link for result in results.values() for link in result.traffic)
    for link in links:
        moved = [_moved(link, result.traffic) for result in results.values()]
        rows.append([f"{escape(link)} traffic", *moved])
    machines = [f"{r.machine}, {plural(r.cores, 'core')}" for r in results.values()]
    return table(["", *machines], rows, "data compare")


def _model_rows(row: Row, model: str, machines: Iterable[int]) -> Iterator[list[str]]:
    figures = [row.figures.get((machine, model)) for machine in machines]
    yield [escape(model), *[escape(each.headline) if each else "–" for each in figures]]
    cycles = [each.cycles if each else None for each in figures]
    if any(value is not None for value in cycles):
        yield [
            f"{escape(model)}, cy per iteration",
            *[figure(value) if each else "–" for each, value in zip(figures, cycles, strict=True)],
        ]


def _moved(name: str, links: Iterable[LinkTraffic]) -> str:
    text = phrases.traffic_words(link for link in links if link.link == name)
    return escape(text.removeprefix(f"{name} ") or "–")


def _card(entry: KernelEntry, result: MachineResult, place: int, report: Report) -> str:
    parts = []
    if len(report.machines) > 1:
        parts.append(element("h4", escape(f"{result.machine}, {plural(result.cores, 'core')}")))
    calls = phrases.has_uncounted_call(entry.kernel)
    fields = {model.name: model.fields for model in report.models}
    parts += [_prediction(p, fields.get(p.model, ()), calls=calls) for p in result.predictions]
    if opposite := phrases.opposite_words(result):
        parts.append(element("p", escape(opposite)))
    for skipped in result.skipped:
        if skipped.failed:
            text = f"<b>{escape(skipped.model)}</b> failed: {escape(skipped.reason)}"
            parts.append(element("p", text, class_="bad"))
    parts.append(_section("Measured", items(_measured(entry, result))))
    parts.append(_section("Advice", _advice(result)))
    parts.append(_section("Traffic per iteration", _traffic(result.traffic)))
    parts.append(_section("Data that stays in each cache", _reuse(entry.kernel, result)))
    parts.append(_section("With", element("p", escape(_basis(result)))))
    parts.append(_section("Assuming", items(entry.assumptions(result))))
    parts.append(_section("No answer", items(silent_models(result))))
    return element("section", "".join(parts), data_m=place, class_="card")


def _measured(entry: KernelEntry, result: MachineResult) -> Iterator[str]:
    """Exact figures beside the machine whose models they were held against; others everywhere."""
    for each in measured_around(entry.function, entry.kernel):
        if each.standing != "exact":
            yield measured_words(each, entry.function)
        elif each.machine == result.machine:
            yield f"{measured_summary(each)}: {measured_words(each, entry.function)}"


def _section(title: str, content: str) -> str:
    return f"<h5>{escape(title)}</h5>{content}" if content else ""


def _prediction(prediction: Prediction, fields: Iterable[DataField], *, calls: bool) -> str:
    cycles = prediction.cycles_per_iteration
    time = "" if cycles is None else f" · {number(cycles)} cy per iteration"
    without = " without the calls" if calls else ""
    head = f"<b>{escape(prediction.model)}</b> <strong>{escape(prediction.headline)}</strong>"
    words = "; ".join(
        filter(None, (phrases.sentence(prediction), phrases.figure_words(prediction)))
    )
    said = f"<p>{head}{escape(time + without)}<br>{escape(words)}</p>"
    data = data_table(prediction.data, fields)
    if data:
        said += element("details", f"<summary>figures</summary>{data}")
    return element("div", said, data_k=prediction.model, class_="model")


def _advice(result: MachineResult) -> str:
    rows = []
    for advice in result.advice:
        fix = f"<pre>{escape(advice.fix.sketch)}</pre>" if advice.fix and advice.fix.sketch else ""
        text = escape(f"{advice.message}, confidence {advice.confidence}")
        rows.append(f"<li><b>{escape(advice.code)}</b> {text}{fix}")
    return element("ul", "".join(rows)) if rows else ""


def _traffic(links: Iterable[LinkTraffic]) -> str:
    heads = ["link", "load B", "write-allocate B", "evict B"]
    rows = []
    for link in links:
        moved = [link.load_bytes, link.write_allocate_bytes, link.evict_bytes]
        cells = [figure(value) for value in moved]
        if link.bounds is not None:
            low, high = link.bounds
            cells[0] = f"{figure(low)} to {figure(high)} in all"
        rows.append([escape(link.link), *cells])
    return table(heads, rows)


def _reuse(kernel: KernelReport, result: MachineResult) -> str:
    reuse = result.reuse
    layers = list(dict.fromkeys(layer for regime in reuse.regimes for layer in regime.resides))
    links = list(dict.fromkeys(t.link for regime in reuse.regimes for t in regime.traffic))
    heads = ["sizes", *layers, *[f"{link} lines in, out" for link in links]]
    rows = [_regime(regime, layers, links) for regime in reuse.regimes]
    kinds = [
        [escape(m.level), figure(m.compulsory), figure(m.capacity), figure(m.conflict)]
        for m in reuse.misses
    ]
    misses = table(["lines missed by", "compulsory", "capacity", "conflict"], kinds)
    return table(heads, rows) + misses + items(phrases.layer_words(reuse))


def _regime(regime: Regime, layers: Iterable[str], links: Iterable[str]) -> list[str]:
    condition = escape(regime.condition or "any")
    moved = {t.link: f"{t.misses}, {t.evicts}" for t in regime.traffic}
    return [
        f"<strong>▶ {condition}</strong> (now)" if regime.now else condition,
        *[escape(regime.resides.get(layer, "–")) for layer in layers],
        *[escape(moved.get(link, "–")) for link in links],
    ]


def _basis(result: MachineResult) -> str:
    text = phrases.basis_words(result, [])
    if result.vector is not None:
        width = plural(result.vector.width, "iteration")
        why = f" ({result.vector.reason})" if result.vector.reason else ""
        text += f"; {width} at once{why}"
    return text

"""Answers of ``rooflint estimate`` as the sections of a page."""

from collections.abc import Iterator

from rooflint.machine.quantities import format_duration, format_rate, format_volume
from rooflint.plugin_api import estimator

from rooflint_plugins.models.hybrid.answers import ProcedureAnswer
from rooflint_plugins.models.hybrid.derive.choice import CLASSES, reasons
from rooflint_plugins.models.hybrid.derive.host_comparison import HostComparison
from rooflint_plugins.models.hybrid.evaluate.assumptions import TEXTS, assumptions_of, caveats
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.text import text_estimate
from rooflint_plugins.models.hybrid.text.picture import picture_of
from rooflint_plugins.models.hybrid.text.text_answer import procedure_text
from rooflint_plugins.models.hybrid.text.text_host import host_words, transfer_cells


def section_of(answer: ProcedureAnswer) -> estimator.EstimateSection:
    """One answer."""
    found = answer.estimate
    shape = found.procedure.shape
    words = f" ({shape}: {CLASSES[shape]})" if shape in CLASSES else f" ({shape})" if shape else ""
    against = host_words(answer.compared) if answer.compared is not None else []
    paragraphs = (text_estimate.sentence(found), *against, found.procedure.description)
    assumed = tuple([f"{name}: {TEXTS[name]}" for name in assumptions_of(found)])
    return estimator.EstimateSection(
        heading=f"{found.procedure.name}{words} on {found.system.name}",
        paragraphs=tuple([text for text in paragraphs if text]),
        picture=picture_of(answer),
        table=estimator.PageTable(
            text_estimate.STAGE_HEADS,
            tuple([text_estimate.stage_cells(stage, "–") for stage in found.stages]),
        ),
        cards=tuple(_cards(answer)),
        notes=(
            estimator.PageCard("Assumptions", (estimator.PageItems(assumed),)),
            estimator.PageCard(
                "Procedure as a file", (estimator.PageCode(procedure_text(answer), is_file=True),)
            ),
        ),
    )


def _cards(answer: ProcedureAnswer) -> Iterator[estimator.PageCard]:
    found = answer.estimate
    yield _balance(answer)
    yield estimator.PageCard("Kernels", (_kernels(found),))
    yield estimator.PageCard("Memory", (_memory(found),))
    if answer.compared is not None:
        yield from _nest_cards(answer, answer.compared)
    yield estimator.PageCard("Caution", (estimator.PageItems(tuple(caveats(found))),))


def _nest_cards(answer: ProcedureAnswer, compared: HostComparison) -> Iterator[estimator.PageCard]:
    yield _devices(compared)
    arrays = estimator.PageTable(("array", "part", "bytes", "by"), tuple(transfer_cells(compared)))
    yield estimator.PageCard("Arrays", (arrays,))
    yield estimator.PageCard(
        "Map clauses and accesses", (estimator.PageItems(compared.contradictions),)
    )
    yield estimator.PageCard(
        "Rejected", (estimator.PageItems(tuple(reasons(compared.choice.others))),)
    )
    sizes = [(name, str(size.value), size.origin) for name, size in answer.sizes.by_name.items()]
    yield estimator.PageCard(
        "Sizes", (estimator.PageTable(("name", "value", "from"), tuple(sizes)),)
    )
    yield estimator.PageCard("Beside it", (estimator.PageItems(answer.beside),))


def _balance(answer: ProcedureAnswer) -> estimator.PageCard:
    rows = [(c.words, format_rate(c.perf_op_s), f"{c.gain:.3g}×") for c in answer.changes]
    return estimator.PageCard(
        "Balance",
        (
            estimator.PageText(text_estimate.balance_words(answer.estimate, answer.balanced)),
            estimator.PageCode(answer.formula),
            estimator.PageTable(("what if", "at most", "gain"), tuple(rows)),
        ),
    )


def _kernels(found: ProcedureEstimate) -> estimator.PageTable:
    rows = [
        (
            name,
            f"{rate.ops:.4g}",
            format_rate(rate.perf_op_s) if rate.ops else "–",
            f"{text_estimate.ORIGIN[rate.source.origin]}: {rate.how}",
        )
        for name, rate in found.kernels.items()
    ]
    bounds = found.bounds_op_s.items()
    rows += [("", "", format_rate(value), f"bound {name}") for name, value in bounds]
    return estimator.PageTable(("kernel", "operations a call", "at", "from"), tuple(rows))


def _memory(found: ProcedureEstimate) -> estimator.PageTable:
    rows = [
        (
            fit.why,
            format_volume(fit.bytes),
            format_volume(fit.le),
            "fits" if fit.ok else fit.shortage,
        )
        for fit in found.fits
    ]
    return estimator.PageTable(("what", "needs", "room", ""), tuple(rows))


def _devices(compared: HostComparison) -> estimator.PageCard:
    host = compared.host
    rows = []
    if host is not None:
        rows.append(
            (f"host, {_count(host.cores, 'core')}", format_duration(host.seconds), "1×", host.by)
        )
    for device in compared.devices:
        name = _count(device.coprocessors, "coprocessor")
        best = device.best
        if best is None:
            rows.append((name, "–", "–", "does not fit"))
            continue
        gain = "–" if host is None else f"{host.seconds / best.seconds:.3g}×"
        rows.append((name, format_duration(best.seconds), gain, best.procedure.shape))
    busy = f"The channel is busy {100 * compared.transfer_share:.0f} % of the time."
    heads = ("on", "T", "as fast as the host", "")
    return estimator.PageCard(
        "Coprocessors against the host alone",
        (estimator.PageTable(heads, tuple(rows)), estimator.PageText(busy)),
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

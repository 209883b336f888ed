"""The answers of ``rooflint estimate`` as one HTML page that needs nothing else."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import rooflint
from rooflint.hybrid.answer import Answer
from rooflint.hybrid.assumptions import TEXTS, applied, caveats
from rooflint.hybrid.choice import CLASSES, reasons
from rooflint.hybrid.picture import picture
from rooflint.hybrid.verdict import Verdict, host_words, role_cells
from rooflint.hybrid.words import (
    ORIGIN,
    STAGE_HEADS,
    balance_words,
    rate,
    sentence,
    stage_cells,
    too_large,
)
from rooflint.machine.quantities import decimal_bytes_text, time_text
from rooflint.render.html.document import document
from rooflint.render.html.markup import element, escape, items, table
from rooflint.render.layout import plural

LOOKS = Path(__file__).parent / "html" / "page.css"


def estimates_page(answers: Sequence[Answer]) -> str:
    """All answers, one section each; ends with a newline."""
    title = plural(len(answers), "estimate")
    head = f"<h1>Rooflint <small>{escape(rooflint.__version__)}</small></h1>"
    head += f"<p>{escape(title)}: upper bounds of what host and coprocessors can reach"
    body = element("header", head) + element("main", "".join(map(_section, answers)))
    return document(title, body, (LOOKS.read_text(encoding="utf-8"),))


def _section(answer: Answer) -> str:
    found = answer.found
    shape = found.procedure.shape
    words = f" ({shape}: {CLASSES[shape]})" if shape in CLASSES else f" ({shape})" if shape else ""
    parts = [element("h2", escape(f"{found.procedure.name}{words} on {found.system.name}"))]
    said = [sentence(found)]
    if answer.said is not None:
        said += host_words(answer.said)
    parts += [element("p", escape(each)) for each in (*said, found.procedure.description) if each]
    drawn = picture(
        found, answer.balanced, answer.values, answer.options, answer.perf_at, alone=False
    )
    parts.append(element("div", element("figure", drawn), class_="side"))
    parts.append(_stages(answer))
    cards = [element("div", card, class_="card") for card in _cards(answer) if card]
    parts.append(element("div", "".join(cards), class_="cards"))
    assumed = items([f"{name}: {TEXTS[name]}" for name in applied(found)])
    parts.append(element("details", f"<summary>Assumptions</summary>{assumed}"))
    text = element("pre", escape_lines(answer.text))
    parts.append(element("details", f"<summary>Procedure as a file</summary>{text}"))
    return element("section", "".join(parts))


def escape_lines(text: str) -> str:
    """Text of several lines for content."""
    return "\n".join([escape(line) for line in text.splitlines()])


def _cards(answer: Answer) -> Iterator[str]:
    yield _titled("Balance", _balance(answer))
    yield _titled("Kernels", _kernels(answer))
    yield _titled("Memory", _memory(answer))
    if answer.said is not None:
        yield _titled("Coprocessors against the host alone", _devices(answer.said))
        cells = [map(escape, row) for row in role_cells(answer.said)]
        yield _titled("Arrays", table(("array", "part", "bytes", "by"), cells))
        yield _titled("Map clauses and accesses", items(answer.said.contradictions))
        yield _titled("Not taken", items(reasons(answer.said.choice.others)))
        sizes = [
            (escape(name), escape(str(size.value)), escape(size.origin))
            for name, size in answer.sizes.by_name.items()
        ]
        yield _titled("Sizes", table(("name", "value", "from"), sizes))
        yield _titled("Beside it", items(answer.beside))
    yield _titled("Caution", items(caveats(answer.found)))


def _titled(title: str, content: str) -> str:
    return element("h3", escape(title)) + content if content else ""


def _stages(answer: Answer) -> str:
    rows = [stage_cells(stage, "–") for stage in answer.found.stages]
    return table(STAGE_HEADS, [map(escape, row) for row in rows])


def _balance(answer: Answer) -> str:
    words = balance_words(answer.found, answer.balanced)
    text = element("p", escape(words)) if words else ""
    if answer.formula:
        text += element("p", element("code", escape(answer.formula)))
    rows = [(c.words, rate(c.perf_op_s), f"{c.gain:.3g}×") for c in answer.changes]
    return text + table(("what if", "at most", "gain"), [map(escape, row) for row in rows])


def _kernels(answer: Answer) -> str:
    rows = [
        (
            name,
            f"{each.ops:.4g}",
            rate(each.perf_op_s) if each.ops else "–",
            f"{ORIGIN[each.origin]}: {each.how}",
        )
        for name, each in answer.found.kernels.items()
    ]
    known = answer.found.bounds_op_s.items()
    bounds = [("", "", rate(value), f"bound {name}") for name, value in known]
    heads = ("kernel", "operations a call", "at", "from")
    return table(heads, [map(escape, row) for row in (*rows, *bounds)])


def _memory(answer: Answer) -> str:
    rows = [
        (
            fit.why,
            decimal_bytes_text(fit.bytes),
            decimal_bytes_text(fit.le),
            "fits" if fit.ok else too_large(fit),
        )
        for fit in answer.found.fits
    ]
    return table(("what", "needs", "room", ""), [map(escape, row) for row in rows])


def _devices(said: Verdict) -> str:
    host = said.host
    rows = []
    if host is not None:
        rows.append((f"host, {plural(host.cores, 'core')}", time_text(host.seconds), "1×", host.by))
    for each in said.devices:
        name = plural(each.coprocessors, "coprocessor")
        if each.best is None:
            rows.append((name, "–", "–", "does not fit"))
            continue
        gain = "–" if host is None else f"{host.seconds / each.best.seconds:.3g}×"
        rows.append((name, time_text(each.best.seconds), gain, each.best.procedure.shape))
    busy = f"The channel is busy {100 * said.transfer_share:.0f} % of the time."
    heads = ("on", "T", "as fast as the host", "")
    return table(heads, [map(escape, row) for row in rows]) + element("p", escape(busy))

"""The answers of ``rooflint estimate`` as one HTML page that needs nothing else."""

from collections.abc import Sequence
from pathlib import Path

import rooflint
from rooflint.plot.estimate_picture import draw_estimate
from rooflint.plugin_api.estimator import (
    EstimateSection,
    PageBlock,
    PageCard,
    PageCode,
    PageItems,
    PageTable,
    PageText,
)
from rooflint.render.html.document import document
from rooflint.render.html.markup import element, escape, items, table
from rooflint.render.layout import plural

LOOKS = Path(__file__).parent / "html" / "base.css"


def estimates_page(sections: Sequence[EstimateSection]) -> str:
    """All answers, one section each; ends with a newline."""
    title = plural(len(sections), "estimate")
    head = f"<h1>Rooflint <small>{escape(rooflint.__version__)}</small></h1>"
    head += f"<p>{escape(title)}: upper bounds of what host and coprocessors can reach"
    body = element("header", head) + element("main", "".join(map(_section, sections)))
    return document(title, body, (LOOKS.read_text(encoding="utf-8"),))


def _section(section: EstimateSection) -> str:
    parts = [element("h2", escape(section.heading))]
    parts += [element("p", escape(text)) for text in section.paragraphs]
    drawing = element("figure", draw_estimate(section.picture, embedded=True))
    parts += [element("div", drawing, class_="side"), _block(section.table)]
    cards = [element("div", card, class_="card") for card in map(_card, section.cards) if card]
    parts.append(element("div", "".join(cards), class_="cards"))
    for note in section.notes:
        content = "".join(map(_block, note.blocks))
        parts.append(element("details", f"<summary>{escape(note.title)}</summary>{content}"))
    return element("section", "".join(parts))


def _card(card: PageCard) -> str:
    content = "".join(map(_block, card.blocks))
    return element("h3", escape(card.title)) + content if content else ""


def _block(block: PageBlock) -> str:
    match block:
        case PageText(text):
            return element("p", escape(text)) if text else ""
        case PageCode(text, is_file=True):
            return element("pre", "\n".join([escape(line) for line in text.splitlines()]))
        case PageCode(text):
            return element("p", element("code", escape(text))) if text else ""
        case PageItems(texts):
            return items(texts)
        case PageTable(heads, rows):
            return table(heads, [map(escape, row) for row in rows])

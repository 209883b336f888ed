"""Text for an editor: markdown with everything of the user's escaped, or plain text."""

import json
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from rooflint.escaping import visible
from rooflint.records import NamedTuple


class HoverFormat(NamedTuple):
    """How the client wants text: markdown or plain, pictures in it, links that run commands."""

    markdown: bool
    picture: bool = False
    links: bool = False


def escape_markdown(text: str) -> str:
    """Text that markdown shows as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|~$" else c for c in visible(text))


def plain(text: str, style: HoverFormat) -> str:
    """Text as it is."""
    return escape_markdown(text) if style.markdown else visible(text)


def bold(text: str, style: HoverFormat) -> str:
    """Text to be read first."""
    return f"**{escape_markdown(text)}**" if style.markdown else visible(text)


def link(title: str, command: str, argument: Mapping[str, object], style: HoverFormat) -> str:
    """A link that runs a command of the server; empty where the client follows none."""
    if not (style.markdown and style.links):
        return ""
    words = quote(json.dumps([argument]), safe="")
    return f"[{escape_markdown(title)}](command:{command}?{words})"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], style: HoverFormat) -> str:
    """Cells of markup, the first column left and the others right."""
    every = [head, *rows]
    if not style.markdown:
        return "\n".join([": ".join([row[0], " | ".join(row[1:])]) for row in every])
    lines = [f"| {' | '.join(row)} |" for row in every]
    lines.insert(1, "|---|" + "--:|" * (len(head) - 1))
    return "\n".join(lines)

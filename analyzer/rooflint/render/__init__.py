"""Report to text: one renderer per format, none of which knows a model or a machine by name.

The built-in formats come through the same hook as a third party's; the door that knows the
terminal makes them with its width and colours.
"""

from collections.abc import Callable
from functools import partial
from typing import Final, Literal, TypeAlias, get_args

from rooflint.plugin_api.hookspecs import Renderer, hookimpl
from rooflint.plugin_api.report import Report
from rooflint.records import NamedTuple
from rooflint.render.layout import Style
from rooflint.render.ranked.request import PLAIN_REQUEST, RankedRequest

PLAIN = Style()
FindingsFormat: TypeAlias = Literal[
    "gcc", "sarif", "github", "gitlab", "junit", "rdjson", "markdown", "statistics"
]


class ReportFormat(NamedTuple):
    """An output format by name."""

    name: str
    write: Callable[[Report], str]

    def render(self, report: Report) -> str:
        """The report in this format."""
        return self.write(report)


def _json(report: Report) -> str:
    from rooflint.render.json import render_json

    return render_json(report)


JSON: Final = ReportFormat("json", _json)


def _text(style: Style, request: RankedRequest, report: Report) -> str:
    from rooflint.render.ranked.report import render_ranked

    return render_ranked(report, style, request)


def _html(report: Report) -> str:
    from rooflint.render.html import render_html

    return render_html(report)


def _full(style: Style, report: Report) -> str:
    from rooflint.render.findings.full import render_full

    return render_full(report, style)


def _findings(name: FindingsFormat, report: Report) -> str:
    match name:
        case "sarif":
            from rooflint.render.findings.sarif import render_sarif as render
        case "github":
            from rooflint.render.findings.github import render_github as render
        case "gitlab":
            from rooflint.render.findings.gitlab import render_gitlab as render
        case "junit":
            from rooflint.render.findings.junit import render_junit as render
        case "rdjson":
            from rooflint.render.findings.rdjson import render_rdjson as render
        case "markdown":
            from rooflint.render.findings.markdown import render_markdown as render
        case "statistics":
            from rooflint.render.findings.statistics import render_statistics as render
        case _:  # compilers' own format
            from rooflint.render.findings.gcc import render_gcc as render
    return render(report)


class BuiltinRenderers:
    """A plugin with the formats for predictions."""

    def __init__(self, style: Style, request: RankedRequest = PLAIN_REQUEST) -> None:
        self.style, self.request = style, request

    @hookimpl
    def rooflint_renderers(self) -> list[Renderer]:
        """Text, JSON and HTML."""
        text = ReportFormat("text", partial(_text, self.style, self.request))
        return [text, JSON, ReportFormat("html", _html)]


class FindingsRenderers:
    """A plugin with the formats for findings: for people and for other tools."""

    def __init__(self, style: Style = PLAIN) -> None:
        self.style = style

    @hookimpl
    def rooflint_renderers(self) -> list[Renderer]:
        """``full``, ``json`` and the formats of other tools, loaded when they are asked for."""
        tools = [ReportFormat(name, partial(_findings, name)) for name in get_args(FindingsFormat)]
        return [ReportFormat("full", partial(_full, self.style)), JSON, *tools]

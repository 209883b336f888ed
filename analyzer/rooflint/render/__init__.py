"""Report to text: one renderer a format, none of them knows a model or a machine by name.

The built-in formats come through the same hook as a third party's; the door that knows the
terminal makes them with its width and colours.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from rooflint.plugin_api.hookspecs import Renderer, hookimpl
from rooflint.plugin_api.report import Report
from rooflint.render.json import render_json
from rooflint.render.layout import Style
from rooflint.render.text import render_text

PLAIN = Style()
RenderReport: TypeAlias = Callable[[Report], str]


class TextRenderer:
    """``--format text``."""

    name = "text"

    def __init__(self, style: Style) -> None:
        self.style = style

    def render(self, report: Report) -> str:
        """The report for a terminal."""
        return render_text(report, self.style)


class JsonRenderer:
    """``--format json``."""

    name = "json"

    def render(self, report: Report) -> str:
        """The documented contract."""
        return render_json(report)


class LazyRenderer:
    """A format whose modules are loaded when it is asked for."""

    def __init__(self, name: str, load: Callable[[], RenderReport]) -> None:
        self.name = name
        self._load = load

    def render(self, report: Report) -> str:
        """The report in this format."""
        return self._load()(report)


def _html() -> RenderReport:
    from rooflint.render.html import render_html

    return render_html


def _gcc() -> RenderReport:
    from rooflint.render.findings.gcc import render_gcc

    return render_gcc


def _sarif() -> RenderReport:
    from rooflint.render.findings.sarif import render_sarif

    return render_sarif


def _github() -> RenderReport:
    from rooflint.render.findings.github import render_github

    return render_github


def _gitlab() -> RenderReport:
    from rooflint.render.findings.gitlab import render_gitlab

    return render_gitlab


def _junit() -> RenderReport:
    from rooflint.render.findings.junit import render_junit

    return render_junit


def _rdjson() -> RenderReport:
    from rooflint.render.findings.rdjson import render_rdjson

    return render_rdjson


def _markdown() -> RenderReport:
    from rooflint.render.findings.markdown import render_markdown

    return render_markdown


def _statistics() -> RenderReport:
    from rooflint.render.findings.statistics import render_statistics

    return render_statistics


FINDINGS: Final[Mapping[str, Callable[[], RenderReport]]] = {
    "gcc": _gcc,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
    "junit": _junit,
    "rdjson": _rdjson,
    "markdown": _markdown,
    "statistics": _statistics,
}
"""Formats that show findings of the lint, and nothing else."""


class BuiltinRenderers:
    """A plugin with the formats for predictions."""

    def __init__(self, style: Style) -> None:
        self.style = style

    @hookimpl
    def rooflint_renderers(self) -> list[Renderer]:
        """Text, JSON and HTML."""
        return [TextRenderer(self.style), JsonRenderer(), LazyRenderer("html", _html)]


class FullRenderer:
    """``lint --format full``."""

    name = "full"

    def __init__(self, style: Style) -> None:
        self.style = style

    def render(self, report: Report) -> str:
        """Findings with the code that they concern."""
        from rooflint.render.findings.full import render_full

        return render_full(report, self.style)


class FindingsRenderers:
    """A plugin with the formats for findings: for people and for other tools."""

    def __init__(self, style: Style = PLAIN) -> None:
        self.style = style

    @hookimpl
    def rooflint_renderers(self) -> list[Renderer]:
        """``full``, ``json`` and those of FINDINGS."""
        lazy = [LazyRenderer(name, load) for name, load in FINDINGS.items()]
        return [FullRenderer(self.style), JsonRenderer(), *lazy]

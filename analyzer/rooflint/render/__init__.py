"""Report to text: one renderer a format, none of them knows a model or a machine by name.

The built-in formats come through the same hook as a third party's; the door that knows the
terminal makes them with its width and colours.
"""

from importlib import import_module

from rooflint.plugin_api.hookspecs import Renderer, hookimpl
from rooflint.plugin_api.report import Report
from rooflint.render.json import render_json
from rooflint.render.layout import Style
from rooflint.render.text import render_text

PLAIN = Style()


class TextRenderer:
    """``--format text``."""

    name = "text"

    def __init__(self, style: Style) -> None:
        self.style = style

    def render(self, report: Report) -> str:
        """What a person wants first."""
        return render_text(report, self.style)


class JsonRenderer:
    """``--format json``."""

    name = "json"

    def render(self, report: Report) -> str:
        """The documented contract."""
        return render_json(report)


class LazyRenderer:
    """A format whose modules are loaded when it is asked for."""

    def __init__(self, name: str, module: str) -> None:
        self.name = name
        self._module = module

    def render(self, report: Report) -> str:
        """What ``render_NAME`` of the module makes of it."""
        text: str = getattr(import_module(self._module), f"render_{self.name}")(report)
        return text


class BuiltinRenderers:
    """A plugin with the formats for what the models say of loops."""

    def __init__(self, style: Style) -> None:
        self.style = style

    @hookimpl
    def rooflint_renderers(self) -> list[Renderer]:
        """Text, JSON and HTML."""
        return [
            TextRenderer(self.style),
            JsonRenderer(),
            LazyRenderer("html", "rooflint.render.html"),
        ]


FINDINGS = ("gcc", "sarif", "github", "gitlab", "junit", "rdjson", "markdown", "statistics")
"""Formats that show what the lint found, and nothing else."""


class FullRenderer:
    """``lint --format full``."""

    name = "full"

    def __init__(self, style: Style) -> None:
        self.style = style

    def render(self, report: Report) -> str:
        """Findings with the code that they speak of."""
        text: str = import_module("rooflint.render.findings.full").render_full(report, self.style)
        return text


class FindingsRenderers:
    """A plugin with the formats for findings: for people and for other tools."""

    def __init__(self, style: Style = PLAIN) -> None:
        self.style = style

    @hookimpl
    def rooflint_renderers(self) -> list[Renderer]:
        """``full``, ``json`` and those of FINDINGS."""
        own = "rooflint.render.findings"
        lazy = [LazyRenderer(name, f"{own}.{name}") for name in FINDINGS]
        return [FullRenderer(self.style), JsonRenderer(), *lazy]

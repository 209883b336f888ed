"""Capabilities of the client, and the options with which it started the server."""

from collections.abc import Mapping
from typing import Any

from lsprotocol import types
from rooflint.records import NamedTuple


class Client(NamedTuple):
    """Answers to all questions about the client.

    markdown     hovers may be markdown; else plain text
    svg          it wants the plot in them
    links        links in hovers run commands
    reports      it shows reports itself, and gets them as text
    status       it wants ``rooflint/status``
    prompt       it asks the user for a size, by a command of its own
    pull         it asks for diagnostics; else they are sent
    versioned    edits can name the version of a document
    refresh_*    it can be told to ask again
    configured   it has settings to be asked for
    watches      files can be watched on request
    progress     the server may start a progress bar
    shows        it opens a page in a browser
    settings     those it sent along, for want of a better way
    """

    markdown: bool = False
    svg: bool = False
    links: bool = False
    reports: bool = False
    status: bool = False
    prompt: bool = False
    pull: bool = False
    versioned: bool = False
    refresh_hints: bool = False
    refresh_lenses: bool = False
    refresh_diagnostics: bool = False
    configured: bool = False
    watches: bool = False
    progress: bool = False
    shows: bool = False
    settings: Any = None


def client_of(asked: types.InitializeParams) -> Client:
    """The client that ``initialize`` describes."""
    able = asked.capabilities
    options: Mapping[str, Any] = asked.initialization_options or {}
    if not isinstance(options, Mapping):
        options = {}
    formats = _at(able, "text_document.hover.content_format") or ()
    return Client(
        markdown=types.MarkupKind.Markdown in formats,
        svg=options.get("svgHover") is True,
        links=options.get("commandLinks") is True,
        reports=options.get("reportView") is True,
        status=options.get("statusNotifications") is True,
        prompt=options.get("setSizePrompt") is True,
        pull=_at(able, "text_document.diagnostic") is not None,
        versioned=bool(_at(able, "workspace.workspace_edit.document_changes")),
        refresh_hints=bool(_at(able, "workspace.inlay_hint.refresh_support")),
        refresh_lenses=bool(_at(able, "workspace.code_lens.refresh_support")),
        refresh_diagnostics=bool(_at(able, "workspace.diagnostics.refresh_support")),
        configured=bool(_at(able, "workspace.configuration")),
        watches=bool(_at(able, "workspace.did_change_watched_files.dynamic_registration")),
        progress=bool(_at(able, "window.work_done_progress")),
        shows=bool(_at(able, "window.show_document.support")),
        settings=options.get("settings"),
    )


def _at(able: object, path: str) -> Any:  # noqa: ANN401 - whatever the protocol has there
    """A capability by its path; None where the client does not speak of it."""
    for name in path.split("."):
        able = getattr(able, name, None)
    return able

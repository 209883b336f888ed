"""The requests of the protocol, answered from the last report or by one question to the child."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from lsprotocol import types

from rooflint_lsp.documents.document import Documents, TextPosition
from rooflint_lsp.documents.open_files import OpenFile, ShownReport
from rooflint_lsp.documents.tracking import TrackedLoop, TrackedReport
from rooflint_lsp.protocol.client import client_of
from rooflint_lsp.protocol.project_files import PAUSE_S, ProjectFiles
from rooflint_lsp.protocol.server import Server
from rooflint_lsp.views.accesses import access_text
from rooflint_lsp.views.actions import KINDS, ActionOptions, code_actions
from rooflint_lsp.views.diagnostics import file_diagnostics
from rooflint_lsp.views.hints import inlay_hints
from rooflint_lsp.views.hover import HoverPlace, hover_text
from rooflint_lsp.views.lenses import code_lenses
from rooflint_lsp.views.markup import HoverFormat

CONFIGURATION_FILES: Final = (
    "**/compile_commands.json",
    "**/compile_flags.txt",
    "**/*.toml",
    "**/*.yaml",
)
PATIENCE_S: Final = 2.0
HEADER_FILES: Final = "**/*.{h,hpp,hh,hxx,inl,cuh}"


def add_features(server: Server) -> None:
    """Everything that a client may ask or tell, commands aside."""
    project_files = ProjectFiles(server)
    _life(server)
    _documents(server, project_files)
    _shown(server)
    _diagnostics(server, project_files)


def _life(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        workspace = server.workspace
        folders = list(workspace.folders.values())
        # pygls has no other way to have documents of one's own kind
        server.protocol._workspace = Documents(
            workspace.root_uri,
            types.TextDocumentSyncKind.Incremental,
            folders,
            workspace.position_encoding,
        )
        if not folders and workspace.root_uri:
            server.workspace.add_folder(types.WorkspaceFolder(workspace.root_uri, ""))
        server.configure(client_of(params))

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        server.send_status(None)
        if server.client.watches:
            patterns = (*CONFIGURATION_FILES, HEADER_FILES)
            options = types.DidChangeWatchedFilesRegistrationOptions(
                [types.FileSystemWatcher(pattern) for pattern in patterns]
            )
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            await server.client_register_capability_async(
                types.RegistrationParams([types.Registration("watched", method, options)])
            )

    @server.feature(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        for file in server.files.values():
            file.stop()
        server.close()


def _documents(server: Server, project_files: ProjectFiles) -> None:
    for event, handlers in (
        (types.TEXT_DOCUMENT_DID_OPEN, (server.did_open, project_files.follow)),
        (
            types.TEXT_DOCUMENT_DID_CHANGE,
            (server.did_change, partial(project_files.follow, pause_s=PAUSE_S)),
        ),
        (types.TEXT_DOCUMENT_DID_SAVE, (server.did_save,)),
        (types.TEXT_DOCUMENT_DID_CLOSE, (server.did_close, project_files.forget)),
    ):
        server.feature(event)(partial(_with_uri, handlers))

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: types.DidChangeConfigurationParams) -> None:
        if params.settings:
            server.configuration.receive(params.settings)
        server.configuration.invalidate()
        server.settings_changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        server.analyse_again()
        project_files.again()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.configuration.invalidate()
        for file in server.files.values():
            file.folder = server.folder_of(file.uri)
        server.settings_changed()


def _with_uri(handlers: Sequence[Callable[[str], None]], params: Any) -> None:  # noqa: ANN401
    for handler in handlers:
        handler(params.text_document.uri)


def _shown(server: Server) -> None:
    async def shown(uri: str, told: bool) -> tuple[OpenFile, ShownReport] | None:
        """The last answer on a file; a client that can be refreshed gets it without waiting."""
        file = server.file(uri)
        if file is None:
            return None
        if not told or not file.settings.enable:
            await file.until_idle()
        return (file, file.shown) if file.shown is not None else None

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        known = await shown(params.text_document.uri, server.client.refresh_hints)
        if known is None:
            return []
        file, report = known
        first, last = params.range.start.line, params.range.end.line
        file.looked_at = first
        markdown = server.client.markdown
        return inlay_hints(report, file.document, file.settings, first, last, markdown)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        known = await shown(params.text_document.uri, server.client.refresh_lenses)
        return list(code_lenses(*known)) if known is not None else []

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=list(KINDS))
    )
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        known = await shown(params.text_document.uri, True)
        if known is None:
            return []
        file, report = known
        only = tuple([str(getattr(kind, "value", kind)) for kind in params.context.only or ()])
        wishes = ActionOptions(only, server.client.versioned, server.client.prompt)
        return code_actions(file.document, report, params, wishes)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        known = await shown(params.text_document.uri, True)
        if known is None:
            return None
        file, report = known
        place = file.document.place(params.position)
        loop = _loop_at(report.marks, place)
        if loop is not None:
            return await _hover(server, file, report, loop)
        style = HoverFormat(server.client.markdown)
        text = access_text(report.marks, file.document, place, style)
        return types.Hover(_content(text, style)) if text is not None else None


def _loop_at(marks: TrackedReport, place: TextPosition) -> TrackedLoop | None:
    found = [loop for loop in marks.loops if loop.start.line <= place.line <= loop.stop.line]
    inside = [loop for loop in found if loop.start <= place <= loop.stop]
    return (inside or found)[-1] if found else None


async def _hover(
    server: Server, file: OpenFile, shown: ShownReport, loop: TrackedLoop
) -> types.Hover | None:
    """The verdict that hints show; its plot is drawn aside."""
    client = server.client
    style = HoverFormat(client.markdown, client.svg, client.links)
    draw = partial(hover_text, shown, loop, HoverPlace(file.uri, loop.start.line), style)
    header = types.Range(file.document.position(loop.start), file.document.position(loop.stop))
    text = await asyncio.get_running_loop().run_in_executor(server.pages, draw)
    if text is None:
        return None
    return types.Hover(_content(text, style), header)


def _content(text: str, style: HoverFormat) -> types.MarkupContent:
    kind = types.MarkupKind.Markdown if style.markdown else types.MarkupKind.PlainText
    return types.MarkupContent(kind, text)


def _diagnostics(server: Server, project_files: ProjectFiles) -> None:
    options = types.DiagnosticOptions(
        identifier="rooflint", inter_file_dependencies=True, workspace_diagnostics=True
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def of_document(params: types.DocumentDiagnosticParams) -> Any:  # noqa: ANN401
        file = server.file(params.text_document.uri)
        if file is None:
            found = await project_files.diagnostics(params.text_document.uri)
            return types.RelatedFullDocumentDiagnosticReport(found)
        # an answer of old would show findings a line off until the next edit
        await file.until_idle()
        if not server.client.refresh_diagnostics and file.lint is not None:
            # there is no way to tell of more later
            await asyncio.wait([file.lint], timeout=PATIENCE_S)
        name = str(file.number)
        if params.previous_result_id == name:
            return types.RelatedUnchangedDocumentDiagnosticReport(name)
        return types.RelatedFullDocumentDiagnosticReport(file_diagnostics(file), result_id=name)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def of_workspace(params: types.WorkspaceDiagnosticParams) -> Any:  # noqa: ANN401
        previous = {each.uri: each.value for each in params.previous_result_ids}
        items: list[types.WorkspaceDocumentDiagnosticReport] = []
        for known in server.all_diagnostics():
            uri, version, name, found = known
            if previous.get(uri) == name:
                items.append(
                    types.WorkspaceUnchangedDocumentDiagnosticReport(
                        uri=uri, result_id=name, version=version
                    )
                )
            else:
                items.append(
                    types.WorkspaceFullDocumentDiagnosticReport(
                        uri=uri, items=found, version=version, result_id=name
                    )
                )
        return types.WorkspaceDiagnosticReport(items)

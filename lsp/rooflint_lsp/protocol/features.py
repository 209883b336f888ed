"""The requests of the protocol, answered from the last report or by one question to the child."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from lsprotocol import types
from rooflint.escaping import visible
from rooflint.pipeline.live.service import BufferResult
from rooflint.plugin_api.report import FileReport, FunctionReport
from rooflint.render.measurements import measured_summary

from rooflint_lsp.documents.document import Documents, TextPosition
from rooflint_lsp.documents.open_files import OpenFile
from rooflint_lsp.documents.tracking import TrackedLoop, TrackedReport
from rooflint_lsp.protocol.client import client_of
from rooflint_lsp.protocol.server import Server
from rooflint_lsp.views.actions import KINDS, REPORT, ActionOptions, code_actions
from rooflint_lsp.views.diagnostics import file_diagnostics
from rooflint_lsp.views.hints import function_words, inlay_hints
from rooflint_lsp.views.hover import HoverFormat, HoverSubject, hover_text

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
    _life(server)
    _documents(server)
    _shown(server)
    _diagnostics(server)


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


def _documents(server: Server) -> None:
    for event, handler in (
        (types.TEXT_DOCUMENT_DID_OPEN, server.did_open),
        (types.TEXT_DOCUMENT_DID_CHANGE, server.did_change),
        (types.TEXT_DOCUMENT_DID_SAVE, server.did_save),
        (types.TEXT_DOCUMENT_DID_CLOSE, server.did_close),
    ):
        server.feature(event)(partial(_with_uri, handler))

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: types.DidChangeConfigurationParams) -> None:
        if params.settings:
            server.configuration.receive(params.settings)
        server.configuration.invalidate()
        server.settings_changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        server.analyse_again()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.configuration.invalidate()
        for file in server.files.values():
            file.folder = server.folder_of(file.uri)
        server.settings_changed()


def _with_uri(handler: Callable[[str], None], params: Any) -> None:  # noqa: ANN401
    handler(params.text_document.uri)


def _shown(server: Server) -> None:
    async def shown(uri: str, told: bool) -> tuple[OpenFile, TrackedReport] | None:
        """The last answer on a file; a client that can be refreshed gets it without waiting."""
        file = server.file(uri)
        if file is None:
            return None
        if not told or not file.settings.enable:
            await file.until_idle()
        return (file, file.shown.marks) if file.shown is not None else None

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        known = await shown(params.text_document.uri, server.client.refresh_hints)
        if known is None:
            return []
        file, marks = known
        first, last = params.range.start.line, params.range.end.line
        file.looked_at = first
        markdown = server.client.markdown
        return inlay_hints(marks, file.document, file.settings, first, last, markdown)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        known = await shown(params.text_document.uri, server.client.refresh_lenses)
        if known is None or not known[0].settings.code_lens:
            return []
        file, marks = known
        report = file.shown.report if file.shown is not None and file.fresh else None
        measured = await server.with_measurements(file, report) if report is not None else None
        return list(_lenses(file, marks, measured))

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=list(KINDS))
    )
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        known = await shown(params.text_document.uri, True)
        if known is None:
            return []
        file, marks = known
        only = tuple([str(getattr(kind, "value", kind)) for kind in params.context.only or ()])
        wishes = ActionOptions(only, server.client.versioned, server.client.prompt)
        return code_actions(file.document, marks, params, wishes)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        known = await shown(params.text_document.uri, True)
        if known is None:
            return None
        file, marks = known
        place = file.document.place(params.position)
        loop = _loop_at(marks, place)
        return await _hover(server, file, loop) if loop is not None else None


def _lenses(
    file: OpenFile, marks: TrackedReport, measured: FileReport | None
) -> Sequence[types.CodeLens]:
    lenses = []
    functions = measured.functions if measured is not None else ()
    figures = {(each.name, each.line): each.measured for each in functions}
    for function in marks.functions:
        if loops := function.untouched_loops:
            position = file.document.position(function.start)
            argument = {"uri": file.uri, "line": loops[0].start.line}
            own = figures.get((function.report.name, function.report.line), ())
            words = [function_words(loops), *dict.fromkeys(map(measured_summary, own))]
            command = types.Command(visible(", ".join(words)), REPORT, arguments=[argument])
            lenses.append(types.CodeLens(types.Range(position, position), command))
    return lenses


def _loop_at(marks: TrackedReport, place: TextPosition) -> TrackedLoop | None:
    found = [loop for loop in marks.loops if loop.start.line <= place.line <= loop.stop.line]
    inside = [loop for loop in found if loop.start <= place <= loop.stop]
    return (inside or found)[-1] if found else None


async def _hover(server: Server, file: OpenFile, loop: TrackedLoop) -> types.Hover:
    """All models on the loop, of the text as it is; what the hint rests on where that fails."""
    assert file.shown is not None
    report = file.shown.report
    known = HoverSubject(report, loop.function, loop.kernel)
    answer = await server.details(file, loop.start.line, file.settings.detailed)
    if isinstance(answer, BufferResult):
        marks = TrackedReport(answer.result.report, file.document.lines)
        now = [each for each in marks.loops if each.header[0] == loop.start]
        if now:
            report = await server.with_measurements(file, answer.result.report)
            function = _same(now[0].function, report)
            known = HoverSubject(report, function, now[0].kernel)
    client = server.client
    style = HoverFormat(client.markdown, client.svg)
    text = await asyncio.get_running_loop().run_in_executor(server.pages, hover_text, known, style)
    kind = types.MarkupKind.Markdown if style.markdown else types.MarkupKind.PlainText
    header = types.Range(file.document.position(loop.start), file.document.position(loop.stop))
    return types.Hover(types.MarkupContent(kind, text), header)


def _same(function: FunctionReport, report: FileReport) -> FunctionReport:
    """The function with what a later report says of it."""
    place = function.name, function.line
    return next((f for f in report.functions if (f.name, f.line) == place), function)


def _diagnostics(server: Server) -> None:
    options = types.DiagnosticOptions(
        identifier="rooflint", inter_file_dependencies=True, workspace_diagnostics=True
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def of_document(params: types.DocumentDiagnosticParams) -> Any:  # noqa: ANN401
        file = server.file(params.text_document.uri)
        if file is None:
            return types.RelatedFullDocumentDiagnosticReport([])
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

"""The analysis of everything in the workspace folders, with a progress bar that can be stopped."""

import asyncio
import hashlib
from typing import Final

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path
from rooflint.pipeline import find_sources
from rooflint.pipeline.live.service import BufferRequest, BufferResult

from rooflint_lsp.documents.analyser import BACKGROUND
from rooflint_lsp.documents.configuration import is_excluded
from rooflint_lsp.documents.document import Document
from rooflint_lsp.documents.open_files import ClosedFile, ShownReport
from rooflint_lsp.documents.settings import Settings
from rooflint_lsp.documents.tracking import TrackedReport
from rooflint_lsp.protocol.commands import PREFIX, Argument, Params
from rooflint_lsp.protocol.progress import CommandProgress
from rooflint_lsp.protocol.server import Server
from rooflint_lsp.views.diagnostics import diagnostics

TITLE: Final = "Rooflint: analysing the workspace"


def add_workspace(server: Server) -> None:
    """The command that goes over the workspace."""
    server.add_command(f"{PREFIX}analyseWorkspace", analyse_workspace)


async def analyse_workspace(
    server: Server, argument: Argument, params: Params
) -> dict[str, int | bool]:
    """Analyse all files of all folders; their diagnostics are published as they get ready."""
    found = await _sources(server)
    progress = await CommandProgress.begin(server, params.work_done_token, TITLE)
    loops = failed = done = 0
    cancelled = False
    try:
        for folder, path in found:
            if cancelled := progress.cancelled:
                break
            progress.report(done, len(found), path)
            settings = await server.configuration.for_folder(folder)
            loop_count = await _analyse(server, folder, path, settings)
            failed += loop_count is None
            loops += loop_count or 0
            done += 1
    finally:
        progress.end(f"{done} of {len(found)} files")
        server.refresh()
    return {"files": done, "loops": loops, "failed": failed, "cancelled": cancelled}


async def _sources(server: Server) -> list[tuple[str, str]]:
    """Each file once, with the folder that it is first met in."""
    found: dict[str, str] = {}
    for folder in [each.uri for each in server.workspace.folders.values()]:
        root = to_fs_path(folder)
        settings = await server.configuration.for_folder(folder)
        if root is None or not settings.enable:
            continue
        sources = (await asyncio.to_thread(find_sources, [root])).sources
        for path in sources:
            if not is_excluded(path, root, settings):
                found.setdefault(path, folder)
    return [(folder, path) for path, folder in found.items()]


async def _analyse(server: Server, folder: str, path: str, settings: Settings) -> int | None:
    """The number of loops in a file; None where it could not be analysed."""
    uri = from_fs_path(path) or ""
    file = server.file(uri)
    if file is not None:
        await file.until_idle()
        return file.shown.seen.result.summary.loops if file.shown is not None else None
    try:
        text = await asyncio.to_thread(_read, path)
    except OSError:
        return None
    look = BufferRequest(
        settings.options,
        path,
        text.encode("utf-8", "replace"),
        revision=server.revision,
        folder=to_fs_path(folder),
    )
    answer = await server.analyser.ask(look, BACKGROUND)
    if not isinstance(answer, BufferResult) or answer.result.report.status == "failed":
        return None
    document = server.workspace._create_text_document(uri, text, 0, "")
    assert isinstance(document, Document)
    marks = TrackedReport(answer.result.report, document.lines)
    if settings.diagnostics:
        await server.linting.lint_all(marks, look._replace(options=settings.lint_options))
    report = answer.result.report
    shown = ShownReport(seen=answer, report=report, marks=marks, verdicts={}).judged({})
    listed = diagnostics(shown, document, settings)
    name = hashlib.blake2b(repr(listed).encode(), digest_size=8).hexdigest()
    server.closed_files[uri] = ClosedFile(uri, name, listed)
    if not server.client.pull:
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, listed))
    return answer.result.summary.loops


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        return file.read()

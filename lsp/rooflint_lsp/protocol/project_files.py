"""Open configurations and machine files: checked when they open and after each pause in typing."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from lsprotocol import types
from pygls.uris import to_fs_path

from rooflint_lsp.documents.document import Document
from rooflint_lsp.documents.project_files import project_file_problems
from rooflint_lsp.protocol.server import Server
from rooflint_lsp.views.project_problems import problem_diagnostics

PAUSE_S: Final = 0.25
"""As long as for sources by default."""


class ProjectFiles:
    """The documents of a server that no analysis is of."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._checks: dict[str, asyncio.Task[None]] = {}
        self._wrong: set[str] = set()

    def follow(self, uri: str, pause_s: float = 0.0) -> None:
        """Checks a document, after a pause that each call restarts, if it is one of these."""
        if self._server.file(uri) is None and to_fs_path(uri) is not None:
            self._stop(uri)
            if not self._server.client.pull:
                work = self._checked(uri, pause_s)
                self._checks[unquote(uri)] = asyncio.get_running_loop().create_task(work)

    def forget(self, uri: str) -> None:
        """A document was closed."""
        if self._stop(uri):
            self._publish(uri, [])
            self._wrong.discard(uri)

    def again(self) -> None:
        """A file that these may extend has changed."""
        for uri in list(self._checks):
            self.follow(uri)

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """Of the document as it is now; none where it is not one of these."""
        path = to_fs_path(uri)
        document = self._server.workspace.text_documents.get(uri)
        if path is None or not isinstance(document, Document):
            return []
        loop = asyncio.get_running_loop()
        work = partial(project_file_problems, Path(path), document.source)
        problems = await loop.run_in_executor(self._server.pages, work)
        return problem_diagnostics(problems, Path(path), document)

    async def _checked(self, uri: str, pause_s: float) -> None:
        await asyncio.sleep(pause_s)
        self._publish(uri, await self.diagnostics(uri))

    def _publish(self, uri: str, found: list[types.Diagnostic]) -> None:
        """Sends what changes; most documents are of others and have nothing."""
        if found or uri in self._wrong:
            self._wrong.add(uri)
            self._server.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, found)
            )

    def _stop(self, uri: str) -> bool:
        check = self._checks.pop(unquote(uri), None)
        if check is not None:
            check.cancel()
        return check is not None

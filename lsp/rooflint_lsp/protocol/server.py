"""The server: documents come in, results of the analysing child go out, and nothing blocks.

client ─ didOpen, didChange ─▶ OpenFile ─ pause ─▶ Analyser ─ BufferRequest ─▶ child
client ◀─ refresh, diagnostics ─ OpenFile.shown ◀─ BufferResult ─────────────┘
client ─ hints, hovers, lenses, actions ─▶ OpenFile.shown: its verdicts, in their present places
client ─ report, compare ─▶ Analyser, about one function with all models
"""

import asyncio
import logging
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final
from urllib.parse import unquote

import rooflint
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method
from rooflint.escaping import visible
from rooflint.pipeline import measurements_folder
from rooflint.pipeline.live.service import BufferRequest, BufferResult, Failure
from rooflint.plugin_api.report import FileReport

from rooflint_lsp.documents.analyser import TYPING, Analyser
from rooflint_lsp.documents.configuration import Configuration, is_excluded
from rooflint_lsp.documents.document import Document
from rooflint_lsp.documents.linting import Linting
from rooflint_lsp.documents.measured import MeasuredReports
from rooflint_lsp.documents.open_files import ClosedFile, OpenFile, path_of
from rooflint_lsp.documents.settings import SECTION, Settings
from rooflint_lsp.protocol.client import Client
from rooflint_lsp.views.diagnostics import file_diagnostics
from rooflint_lsp.views.status import status_of

log: Final = logging.getLogger("rooflint")
Answer = BufferResult | Failure | None
Command = Callable[["Server", Any, types.ExecuteCommandParams], Any]


class Protocol(LanguageServerProtocol):
    """The usual protocol with commands that can be cancelled and know their progress bar."""

    _server: "Server"

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Any:  # type: ignore[override]  # noqa: ANN401
        """Run a command."""
        return await self._server.execute(params)


class Server(LanguageServer):
    """The server's state."""

    def __init__(self, analyser: Analyser, explain: Callable[[str], str]) -> None:
        super().__init__(
            "rooflint",
            rooflint.__version__,
            protocol_cls=Protocol,
            converter_factory=default_converter,
            max_workers=2,
        )
        self.analyser = analyser
        self.explain = explain
        self.client = Client()
        self.configuration = Configuration(None, self.warn)
        self.files: dict[str, OpenFile] = {}
        self.closed_files: dict[str, ClosedFile] = {}
        self.measured = MeasuredReports()
        self.pages = ThreadPoolExecutor(1, "rooflint-pages")
        self.commands: dict[str, Command] = {}
        self.linting = Linting(
            self, partial(Analyser, behind=True, check_edits=analyser.check_edits)
        )
        self.revision = 0
        self._said: set[str] = set()

    # what the client is told

    def report_server_error(self, error: Exception, source: object) -> None:
        """Logs a bug of the server: a window for each would be worse than the bug."""
        log.error("%s: %s", getattr(source, "__name__", source), error)

    def warn(self, message: str) -> None:
        """Show a message to the user once."""
        if message not in self._said:
            self._said.add(message)
            self.window_show_message(
                types.ShowMessageParams(types.MessageType.Warning, f"Rooflint: {visible(message)}")
            )

    def refresh(self) -> None:
        """Request that the client asks for hints, lenses and diagnostics again."""
        if self.client.refresh_hints:
            self._ask_again(types.WORKSPACE_INLAY_HINT_REFRESH)
        if self.client.refresh_lenses:
            self._ask_again(types.WORKSPACE_CODE_LENS_REFRESH)
        if self.client.pull and self.client.refresh_diagnostics:
            self._ask_again(types.WORKSPACE_DIAGNOSTIC_REFRESH)

    def _ask_again(self, method: str) -> None:
        self.protocol.send_request(method, None).add_done_callback(_ignored)

    def publish(self, file: OpenFile) -> None:
        """Send the diagnostics of a file to a client that does not pull them."""
        if not self.client.pull:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(
                    file.uri, file_diagnostics(file), file.document.version
                )
            )

    def all_diagnostics(self) -> Iterator[tuple[str, int | None, str, list[types.Diagnostic]]]:
        """Of every file that was analysed: URI, version, a name for the state, diagnostics."""
        for file in self.files.values():
            yield file.uri, file.document.version, str(file.number), file_diagnostics(file)
        for closed in self.closed_files.values():
            if self.file(closed.uri) is None:
                yield closed.uri, None, closed.name, closed.diagnostics

    def send_status(self, file: OpenFile | None) -> None:
        """Send the status to a client that requested it."""
        if self.client.status:
            self.protocol.notify("rooflint/status", status_of(file))

    # documents

    def file(self, uri: str) -> OpenFile | None:
        """The open document, if it is analysed."""
        return self.files.get(unquote(uri))

    def folder_of(self, uri: str) -> str | None:
        """The innermost workspace folder that contains a document; the first one if none does."""
        folders = [str(folder.uri) for folder in self.workspace.folders.values()]
        around = [f for f in folders if unquote(uri).startswith(unquote(f).rstrip("/") + "/")]
        if around:
            return max(around, key=len)
        return folders[0] if folders and not uri.startswith("file:") else None

    def did_open(self, uri: str) -> None:
        """A document was opened."""
        document = self.workspace.get_text_document(uri)
        assert isinstance(document, Document)
        folder = self.folder_of(uri)
        path = path_of(uri, document.language_id or "", folder)
        if path is not None:
            file = self.files[unquote(uri)] = OpenFile(document, path, folder)
            self.start(file, self._open(file))

    def did_close(self, uri: str) -> None:
        """A document was closed."""
        file = self.files.pop(unquote(uri), None)
        if file is not None:
            file.stop()
            if not self.client.pull:
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def did_change(self, uri: str) -> None:
        """A document was edited: the shown result moves at once, and the analysis follows after a
        pause.
        """
        file = self.file(uri)
        if file is None:
            return
        hidden = file.follow()
        if hidden:
            self.publish(file)
        if file.settings.run == "onType" or file.shown is None:
            self.analyse_later(file)
        for other in self.including(file.path):
            if other.settings.run == "onType":
                self.analyse_later(other)

    def did_save(self, uri: str) -> None:
        """A document was saved."""
        file = self.file(uri)
        if file is not None and file.settings.run == "onSave" and not file.fresh:
            self.start(file, self.analyse(file))
        for other in self.including(file.path) if file else ():
            if other.settings.run == "onSave":
                self.start(other, self.analyse(other))

    def including(self, path: str) -> Iterator[OpenFile]:
        """Open documents that include the file at ``path``."""
        return (file for file in self.files.values() if file.includes(path))

    # analysis

    def start(self, file: OpenFile, work: Any) -> None:  # noqa: ANN401 - a coroutine
        """Start ``work`` on a file, which replaces its work in progress."""
        file.stop()
        file.work = asyncio.get_running_loop().create_task(work)
        file.work.add_done_callback(_logged)

    def analyse_later(self, file: OpenFile) -> None:
        """Analyse a file after a pause, which each call restarts."""
        self.start(file, self._paused(file))

    async def _open(self, file: OpenFile) -> None:
        file.settings = await self.configuration.for_folder(file.folder)
        if file.settings.run != "manual":
            await self.analyse(file)
        else:
            self.send_status(file)

    async def _paused(self, file: OpenFile) -> None:
        await asyncio.sleep(file.settings.debounce_ms / 1000)
        await self.analyse(file)

    def is_analysed_unasked(self, file: OpenFile) -> bool:
        """Whether a file is analysed without a request."""
        settings = file.settings
        return (
            settings.enable
            and len(file.document.lines) <= settings.max_file_lines
            and not is_excluded(file.path, file.root, settings)
        )

    async def analyse(self, file: OpenFile, asked: bool = False) -> Answer:
        """Analyse the current text of a file and show the result; ``asked``: regardless of the
        settings.
        """
        file.settings = await self.configuration.for_folder(file.folder)
        if not (asked or self.is_analysed_unasked(file)):
            if file.shown is not None:
                file.hide()
                self.publish(file)
                self.refresh()
            self.send_status(file)
            return None
        self.send_status(file)
        self.analyser.limit(file.settings.time_limit_seconds)
        change, lines = file.document.changes, list(file.document.lines)
        answer = await self.analyser.ask(self.buffer_request(file), TYPING)
        if answer is not None:
            await self._take(file, answer, change, lines)
        return answer

    async def _take(
        self, file: OpenFile, answer: BufferResult | Failure, change: int, lines: list[str]
    ) -> None:
        if isinstance(answer, Failure):
            file.failure = answer.reason
            log.warning("%s: %s %s", file.path, answer.reason, answer.detail)
            if answer.kind == "refused":
                self.warn(answer.reason)
        else:
            for problem in answer.problems:
                self.warn(problem)
            if answer.result.report.status == "failed" and file.shown is not None:
                file.failure = answer.result.report.diagnostics[0].message
            else:
                report = await self.with_measurements(file, answer.result.report)
                file.show(answer, report, lines, change)
                if file.fresh and (file.settings.diagnostics or file.settings.hints != "off"):
                    file.lint = asyncio.get_running_loop().create_task(self.linting.lint(file))
                    file.lint.add_done_callback(_logged)
                    file.lint.add_done_callback(lambda _: self.send_status(file))
        self.refresh()
        self.publish(file)
        asyncio.get_running_loop().call_soon(self.send_status, file)  # once the work is done

    def lint_request(self, file: OpenFile) -> BufferRequest:
        """The question for findings that only the whole file shows."""
        return self.buffer_request(file)._replace(options=file.settings.lint_options)

    def findings_changed(self, file: OpenFile) -> None:
        """A file has new findings."""
        file.judge()
        self.publish(file)
        self.refresh()
        self.send_status(file)

    def buffer_request(
        self, file: OpenFile, settings: Settings | None = None, lines: tuple[int, int] | None = None
    ) -> BufferRequest:
        """The request for the current text of a file, optionally with other settings or for some
        lines only.
        """
        others = [
            (other.path, other.text)
            for other in self.files.values()
            if other is not file and (other.is_header or file.includes(other.path))
        ]
        return BufferRequest(
            options=(settings or file.settings).options,
            path=file.path,
            text=file.text,
            others=tuple(others),
            lines=lines,
            revision=self.revision,
            folder=file.root,
        )

    async def with_measurements(self, file: OpenFile, report: FileReport) -> FileReport:
        """A report of the current text of a file beside what was measured before."""
        if not os.path.isdir(measurements_folder()):
            return report
        work = partial(self.measured.report, report, self.buffer_request(file))
        return await asyncio.get_running_loop().run_in_executor(self.pages, work)

    async def measured_anew(self, file: OpenFile) -> None:
        """There is a new measurement of a file."""
        if file.shown is not None:
            file.judge(await self.with_measurements(file, file.shown.seen.result.report))
            self.publish(file)
            self.refresh()
            self.send_status(file)

    def analyse_again(self) -> None:
        """Configuration, machines or headers changed: analyse all open files again."""
        self.revision += 1
        for file in self.files.values():
            if file.shown is not None or file.settings.run != "manual":
                self.start(file, self.analyse(file))

    def settings_changed(self) -> None:
        """Read the settings again; changes that only concern the display need no analysis."""
        for file in self.files.values():
            self.start(file, self._configured(file, file.settings))

    async def _configured(self, file: OpenFile, before: Settings) -> None:
        now = await self.configuration.for_folder(file.folder)
        if file.shown is not None and now.analysis == before.analysis:
            file.settings = now
            file.number += 1
            self.publish(file)
            self.refresh()
            self.send_status(file)
            if not file.fresh and now.run == "onType":
                await self.analyse(file)
        elif file.shown is not None or now.run != "manual":
            await self.analyse(file)

    def close(self) -> None:
        """End the children; may be called again."""
        self.analyser.close()
        self.linting.close()

    # commands

    def add_command(self, name: str, command: Command) -> None:
        """Make a command known to the client."""
        self.commands[name] = command
        self.protocol.fm.commands[name] = command

    async def execute(self, params: types.ExecuteCommandParams) -> Any:  # noqa: ANN401
        """Run a command; its only argument is a JSON object."""
        command = self.commands.get(params.command)
        if command is None:
            raise ValueError(f"unknown command {params.command}")
        argument = params.arguments[0] if params.arguments else None
        return await command(self, argument if isinstance(argument, dict) else {}, params)

    async def fetch(self, scope: str | None) -> Any:  # noqa: ANN401
        """The client's settings for a folder."""
        items = [types.ConfigurationItem(scope, SECTION)]
        return (await self.workspace_configuration_async(types.ConfigurationParams(items)))[0]

    def configure(self, client: Client) -> None:
        """The client has stated its capabilities."""
        self.client = client
        fetch = self.fetch if client.configured else None
        self.configuration = Configuration(fetch, partial(self.warn))
        self.configuration.receive(client.settings)


def _ignored(future: Any) -> None:  # noqa: ANN401
    """A client may refuse to ask again."""
    if not future.cancelled() and (error := future.exception()) is not None:
        log.info("the client refused: %s", error)


def _logged(task: asyncio.Task[Any]) -> None:
    """A bug in the background has nobody else to see it."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("internal error", exc_info=error)

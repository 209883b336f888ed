"""A language server in a process of its own for each position encoding, and a client that edits."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

pytest.importorskip("pygls", reason="pygls comes with the extra [test]")
pytest.importorskip("pytest_lsp", reason="pytest-lsp comes with the extra [test]")

from lsprotocol import types as t
from pytest_lsp import LanguageClient, make_test_lsp_client

WAIT_S = 60.0
"""For what must come: long, because the machine may have other things to do."""
COMMAND = (sys.executable, "-m", "rooflint", "lsp")
ENCODINGS = ("utf-8", "utf-16", pytest.param("utf-32", marks=pytest.mark.long))
"""Each has a server of its own; two are enough where time counts."""
WIDTHS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


class Editor:
    """A client, the documents it has open, and what the server told it."""

    def __init__(self, client: LanguageClient, folder: Path, encoding: str) -> None:
        self.client = client
        self.folder = folder
        self.encoding = encoding
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.refreshed: dict[str, int] = {}
        self.statuses: list[Any] = []
        self.applied: list[t.WorkspaceEdit] = []
        self.registered: list[t.Registration] = []
        self.result: t.InitializeResult | None = None
        self._listen()

    def _listen(self) -> None:
        for method in (
            t.WORKSPACE_INLAY_HINT_REFRESH,
            t.WORKSPACE_CODE_LENS_REFRESH,
        ):
            self.client.feature(method)(self._counter(method))

        def apply(params: t.ApplyWorkspaceEditParams) -> t.ApplyWorkspaceEditResult:
            self.applied.append(params.edit)
            return t.ApplyWorkspaceEditResult(applied=True)

        def register(params: t.RegistrationParams) -> None:
            self.registered += params.registrations

        def status(params: Any) -> None:
            self.statuses.append(params)

        self.client.feature("rooflint/status")(status)
        self.client.feature(t.WORKSPACE_APPLY_EDIT)(apply)
        self.client.feature(t.CLIENT_REGISTER_CAPABILITY)(register)

    def _counter(self, method: str) -> Callable[[Any], None]:
        def count(params: Any) -> None:
            self.refreshed[method] = self.refreshed.get(method, 0) + 1

        return count

    async def start(self, options: dict[str, Any] | None = None, **able: bool) -> None:
        """Start a session; ``able``: what the client can do beside the usual."""
        capabilities = capabilities_of(self.encoding, **able)
        folder = t.WorkspaceFolder(self.folder.as_uri(), self.folder.name)
        self.result = await self.client.initialize_session(
            t.InitializeParams(
                capabilities=capabilities,
                workspace_folders=[folder],
                initialization_options={"statusNotifications": True, **(options or {})},
            )
        )

    @property
    def pid(self) -> int:
        """The server's process."""
        assert self.client._server is not None
        return self.client._server.pid

    def width(self, text: str) -> int:
        """Its length in units of the encoding."""
        return (
            len(text.encode(self.encoding + ("" if self.encoding == "utf-8" else "-le")))
            // (WIDTHS[self.encoding])
        )

    def position(self, uri: str, offset: int) -> t.Position:
        """An offset into the text as a position; a form feed ends no line."""
        before = self.texts[uri][:offset]
        line = before.count("\n")
        return t.Position(line, self.width(before.rpartition("\n")[2]))

    def open(self, name: str, text: str, language: str = "c", saved: bool = True) -> str:
        """Open a document; ``saved``: with a file of its content."""
        path = Path(os.path.normpath(self.folder / name))
        if saved:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        uri = path.as_uri()
        self.texts[uri], self.versions[uri] = text, 1
        self.client.text_document_did_open(
            t.DidOpenTextDocumentParams(t.TextDocumentItem(uri, language, 1, text))
        )
        return uri

    def edit(self, uri: str, old: str, new: str) -> None:
        """Replace the first ``old``, as one incremental change."""
        start = self.texts[uri].index(old)
        place = t.Range(self.position(uri, start), self.position(uri, start + len(old)))
        self.texts[uri] = self.texts[uri].replace(old, new, 1)
        self.versions[uri] += 1
        self.client.text_document_did_change(
            t.DidChangeTextDocumentParams(
                t.VersionedTextDocumentIdentifier(self.versions[uri], uri),
                [t.TextDocumentContentChangePartial(place, new)],
            )
        )

    def close(self, uri: str) -> None:
        """Close a document."""
        self.client.text_document_did_close(
            t.DidCloseTextDocumentParams(t.TextDocumentIdentifier(uri))
        )

    async def hints(self, uri: str) -> dict[int, str]:
        """What is shown now, by line, with the cycles of the tooltip; at the end of the line."""
        document = t.TextDocumentIdentifier(uri)
        everything = t.Range(t.Position(0, 0), t.Position(1_000_000, 0))
        found = await self.client.text_document_inlay_hint_async(
            t.InlayHintParams(document, everything)
        )
        lines = self.texts[uri].split("\n")
        for hint in found or ():
            assert isinstance(hint.label, str)
            assert len(hint.label) <= 40
            line = lines[hint.position.line]
            assert hint.position.character == self.width(line.rstrip())
        return {hint.position.line: with_cycles(hint) for hint in found or ()}

    async def until(self, ask: Callable[[], Awaitable[Any]], wanted: Callable[[Any], Any]) -> Any:
        """Ask again until the answer is as wanted; the answer."""
        for _ in range(int(WAIT_S / 0.02)):
            answer = await ask()
            if wanted(answer):
                return answer
            await asyncio.sleep(0.02)
        raise AssertionError(f"still {answer!r} after {WAIT_S} s")

    async def hinted(
        self, uri: str, wanted: Callable[[dict[int, str]], Any] = bool, searched: bool = True
    ) -> Any:
        """The hints, once they are as wanted; ``searched``: and no finding can change them."""

        async def ask() -> dict[int, str] | None:
            if searched and not (await self.command("status", uri=uri))["searched"]:
                return None
            return await self.hints(uri)

        return await self.until(ask, lambda hints: hints is not None and wanted(hints))

    async def told(self, wanted: Callable[[], Any]) -> None:
        """Wait until the client was told something."""

        async def ask() -> Any:
            return wanted()

        await self.until(ask, bool)

    async def command(self, name: str, /, **argument: Any) -> Any:
        """Run a command of the server."""
        return await self.client.workspace_execute_command_async(
            t.ExecuteCommandParams(f"rooflint.server.{name}", [argument])
        )

    async def actions(self, uri: str, line: int, only: list[str] | None = None) -> list[Any]:
        """Code actions on a line."""
        place = t.Position(line, 0)
        context = t.CodeActionContext([], only=only)
        params = t.CodeActionParams(t.TextDocumentIdentifier(uri), t.Range(place, place), context)
        return list(await self.client.text_document_code_action_async(params) or ())

    def configure(self, scope: str | None = None, **settings: Any) -> None:
        """Change the settings, and say so."""
        self.client.set_configuration(settings, section="rooflint", scope_uri=scope)
        self.client.workspace_did_change_configuration(t.DidChangeConfigurationParams(None))

    def edited(self, uri: str, edits: Any) -> str:
        """The text after edits by the server, as an editor applies them."""
        text = self.texts[uri]
        lines = text.split("\n")
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)

        def offset(position: t.Position) -> int:
            line = lines[position.line] if position.line < len(lines) else ""
            columns = range(len(line) + 1)
            column = next(c for c in columns if self.width(line[:c]) == position.character)
            return starts[position.line] + column

        for each in sorted(edits, key=lambda e: offset(e.range.start), reverse=True):
            start, end = offset(each.range.start), offset(each.range.end)
            text = text[:start] + each.new_text + text[end:]
        return text


def with_cycles(hint: t.InlayHint) -> str:
    """``DRAM, at its limit (6.0)``: the label, and the time now by the tooltip."""
    tooltip = hint.tooltip
    text = tooltip if isinstance(tooltip, str) else getattr(tooltip, "value", "")
    cycles = text.partition("\n")[2].partition(" cy per iteration")[0].partition(" → ")[0]
    return f"{hint.label} ({cycles})"


def capabilities_of(
    encoding: str,
    refresh: bool = True,
    pull: bool = False,
    markdown: bool = True,
    configuration: bool = True,
    progress: bool = True,
    versioned: bool = True,
) -> t.ClientCapabilities:
    """What a client with these abilities declares."""
    formats = [t.MarkupKind.Markdown, t.MarkupKind.PlainText][0 if markdown else 1 :]
    return t.ClientCapabilities(
        general=t.GeneralClientCapabilities(position_encodings=[t.PositionEncodingKind(encoding)]),
        workspace=t.WorkspaceClientCapabilities(
            configuration=configuration,
            inlay_hint=t.InlayHintWorkspaceClientCapabilities(refresh_support=refresh),
            code_lens=t.CodeLensWorkspaceClientCapabilities(refresh_support=refresh),
            diagnostics=t.DiagnosticWorkspaceClientCapabilities(refresh_support=refresh),
            workspace_edit=t.WorkspaceEditClientCapabilities(document_changes=versioned),
            did_change_watched_files=t.DidChangeWatchedFilesClientCapabilities(
                dynamic_registration=True
            ),
        ),
        text_document=t.TextDocumentClientCapabilities(
            hover=t.HoverClientCapabilities(content_format=formats),
            diagnostic=t.DiagnosticClientCapabilities() if pull else None,
        ),
        window=t.WindowClientCapabilities(work_done_progress=progress),
    )


def children_of(pid: int) -> list[int]:
    """The processes that ``pid`` has started and that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(entry.name))
    return found


@pytest.fixture(scope="session")
def children() -> Callable[[int], list[int]]:
    return children_of


@pytest.fixture(scope="session")
def command() -> tuple[str, ...]:
    return COMMAND


async def started(folder: Path, encoding: str, *more: str) -> Editor:
    client = make_test_lsp_client()
    # results of other runs must not be what is tested
    environment = {**os.environ, "ROOFLINT_CACHE_DIR": str(folder / ".cache")}
    await client.start_io(*COMMAND, *more, env=environment)
    return Editor(client, folder, encoding)


async def ended(editor: Editor) -> None:
    server = editor.client._server
    try:
        if server is not None and server.returncode is None:
            await asyncio.wait_for(editor.client.shutdown_session(), WAIT_S)
    finally:
        if server is not None and server.returncode is None:
            os.kill(server.pid, signal.SIGKILL)
        await editor.client.stop()  # type: ignore[no-untyped-call]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """These tests come last: clients leave threads, and a process with threads does not fork.

    The children that other tests start would be slower, and would not have those tests' plugins.
    """
    here = Path(__file__).parent
    items.sort(key=lambda item: here in item.path.parents)


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=ENCODINGS)
async def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Editor]:
    """One server for each encoding, shared by all tests that leave it as it was."""
    editor = await started(tmp_path_factory.mktemp("workspace"), request.param)
    await editor.start({"reportView": True}, pull=True)
    yield editor
    await ended(editor)


@pytest_asyncio.fixture(loop_scope="session")
async def editor(shared: Editor) -> AsyncIterator[Editor]:
    """The shared server's editor with the usual settings and no document open."""
    shared.configure(debounceMs=0, hints="all")
    yield shared
    for uri in list(shared.texts):
        shared.close(uri)
        shared.texts.pop(uri)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def lasting(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """A server for what does not depend on encodings, to a client that is sent diagnostics."""
    editor = await started(tmp_path_factory.mktemp("alone"), "utf-16")
    await editor.start({"svgHover": True, "reportView": True})
    yield editor
    await ended(editor)


@pytest_asyncio.fixture(loop_scope="session")
async def alone(lasting: Editor) -> AsyncIterator[Editor]:
    """The same with the usual settings and no document open."""
    lasting.configure(debounceMs=0, hints="all")
    yield lasting
    for uri in list(lasting.texts):
        lasting.close(uri)
        lasting.texts.pop(uri)


Starter = Callable[..., Awaitable[Editor]]


@pytest_asyncio.fixture(loop_scope="session")
async def start(tmp_path: Path) -> AsyncIterator[Starter]:
    """Starts servers of the test's own."""
    editors: list[Editor] = []

    async def one(options: dict[str, Any] | None = None, *more: str, **able: bool) -> Editor:
        editor = await started(tmp_path, "utf-16", *more)
        editors.append(editor)
        editor.client.set_configuration({"debounceMs": 0, "hints": "all"}, section="rooflint")
        await editor.start(options, **able)
        return editor

    yield one
    for editor in editors:
        await ended(editor)


@pytest.fixture
def hang() -> Iterator[Callable[[Editor], Callable[[], None]]]:
    """Stops the children of a server as if they hung; what it answers makes them go on."""
    pids: list[int] = []

    def go_on() -> None:
        while pids:
            try:
                os.kill(pids.pop(), signal.SIGCONT)
            except ProcessLookupError:
                continue

    def stop(editor: Editor) -> Callable[[], None]:
        for pid in children_of(editor.pid):
            os.kill(pid, signal.SIGSTOP)
            pids.append(pid)
        return go_on

    yield stop
    go_on()

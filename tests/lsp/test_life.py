"""How it starts and ends, and what a crash or a hang of the parser costs."""

import asyncio
import os
import signal
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as t
from pytest_lsp import make_test_lsp_client

pytestmark = pytest.mark.asyncio(loop_scope="session")

LOOP = """void f(int n, float *a)
{
    for (int i = 0; i < n * n * n; i++)
        a[i] = 2 * a[i];
}
"""
LINE = 2
Start = Callable[..., Awaitable[Any]]
Children = Callable[[int], list[int]]


async def gone(pids: list[int]) -> bool:
    """Whether the processes end."""
    for _ in range(1000):
        if not any(running(pid) for pid in pids):
            return True
        await asyncio.sleep(0.02)
    return False


def running(pid: int) -> bool:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] != "Z"


async def test_a_killed_server_leaves_nobody(start: Start, children: Children) -> None:
    editor = await start()
    uri = editor.open("f.c", LOOP)
    await editor.hinted(uri)
    await editor.until(lambda: found(children, editor.pid), lambda pids: len(pids) == 2)
    pids = children(editor.pid)
    os.kill(editor.pid, signal.SIGKILL)
    assert await gone(pids)
    # the client may hear of it later, and would ask a dead server to shut down
    assert await editor.client._server.wait() == -signal.SIGKILL


async def found(children: Children, pid: int) -> list[int]:
    return children(pid)


@pytest.mark.long
async def test_what_a_crash_and_a_hang_cost(start: Start, children: Children) -> None:
    editor = await start({"settings": {}})
    settings = {"debounceMs": 0, "hints": "all", "diagnostics": False}
    editor.configure(**settings, timeLimitSeconds=1)
    uri = editor.open("f.c", LOOP)
    before = await editor.hinted(uri)

    # a child that dies costs one answer
    for pid in children(editor.pid):
        os.kill(pid, signal.SIGKILL)
    editor.edit(uri, "void f", "/* */ void f")
    await editor.told(lambda: any(s.state == "failed" for s in editor.statuses))
    assert await editor.hints(uri) == before
    editor.edit(uri, "float", "double")
    double = await editor.hinted(uri, lambda hints: hints.get(LINE, before[LINE]) != before[LINE])
    assert (await editor.command("status", uri=uri))["state"] == "ready"

    # one that hangs as well: that of the hints, which starts before the one that looks for changes
    os.kill(min(children(editor.pid)), signal.SIGSTOP)
    editor.edit(uri, "void f", "/* */ void f")
    await editor.told(lambda: "gave no answer within 10 s" in str(editor.statuses))
    assert await editor.hints(uri) == double
    editor.edit(uri, "double", "float")
    await editor.hinted(uri, lambda hints: hints == before)

    # the user may end it too
    old = children(editor.pid)
    await editor.command("restartAnalyser")
    assert await gone(old)
    editor.edit(uri, "float", "double")
    await editor.hinted(uri, lambda hints: hints == double)
    last = children(editor.pid)
    assert not set(old) & set(last)

    await editor.client.shutdown_session()
    assert editor.client._server.returncode == 0
    assert await gone(last)


async def test_exit_without_shutdown_is_an_error(start: Start) -> None:
    editor = await start()
    editor.client.exit(None)
    assert await editor.client._server.wait() == 1


async def test_the_end_of_the_input_is_the_end(command: tuple[str, ...]) -> None:
    pipe = asyncio.subprocess.PIPE
    server = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe)
    out, said = await server.communicate(b"")
    assert out == b""
    assert b"Traceback" not in said


async def test_one_client_on_a_socket(tmp_path: Path, command: tuple[str, ...]) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = await asyncio.create_subprocess_exec(*command, "--tcp", "--port", str(port))
    client = make_test_lsp_client()
    for _ in range(1000):
        try:
            await client.start_tcp("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.02)
        else:
            break
    asked = t.InitializeParams(capabilities=t.ClientCapabilities(), process_id=os.getpid())
    result = await client.initialize_session(asked)
    assert result.server_info is not None
    assert result.server_info.name == "rooflint"
    uri = (tmp_path / "f.c").as_uri()
    client.text_document_did_open(
        t.DidOpenTextDocumentParams(t.TextDocumentItem(uri, "c", 1, LOOP))
    )
    everything = t.Range(t.Position(0, 0), t.Position(9, 0))
    # without a way to be told of news a client gets its answer when it is there
    hints = await client.text_document_inlay_hint_async(
        t.InlayHintParams(t.TextDocumentIdentifier(uri), everything)
    )
    assert [hint.label for hint in hints or ()] == ["DRAM, at its limit"]
    await client.shutdown_session()
    assert await server.wait() == 0
    await client.stop()  # type: ignore[no-untyped-call]


async def test_a_client_of_few_abilities(start: Start) -> None:
    editor = await start(
        {"settings": {"hints": "all", "machine": "cell", "debounceMs": 0}},
        refresh=False, markdown=False, configuration=False, progress=False, versioned=False,
    )  # fmt: skip
    uri = editor.open("f.c", LOOP)
    hints = await editor.hints(uri)
    assert set(hints) == {LINE}
    place = t.HoverParams(t.TextDocumentIdentifier(uri), t.Position(LINE, 6))
    hover = await editor.client.text_document_hover_async(place)
    assert hover.contents.kind == t.MarkupKind.PlainText
    assert hover.contents.value.splitlines()[1].endswith("of the run · confidence medium")
    assert "**" not in hover.contents.value
    actions = await editor.actions(uri, LINE, ["quickfix"])
    assert actions[0].edit.document_changes is None
    assert uri in actions[0].edit.changes
    report = await editor.command("report", uri=uri)
    assert Path(report["path"]).read_text().startswith("<!DOCTYPE html>")
    Path(report["path"]).unlink()

"""The command that measures, and figures beside loops: only by a click, only with trust."""

import asyncio
import contextlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lsprotocol import types as t
from msgspec.structs import replace
from pygls.exceptions import JsonRpcException
from rooflint.incremental.measurements import (
    MeasurementStore,
    compiler_file,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")

TRIAD = """void triad(int n, double *restrict a, const double *b, const double *c)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
}
"""
ENDLESS = """void endless(int n, volatile double *a)
{
    for (int i = 0; i < n; i++)
        a[i] = 1;
    for (;;)
        a[0] = 2;
}
"""
SETTINGS = {"debounceMs": 0, "hints": "all", "codeLens": "functions"}
LINE = 2


class Questions:
    """The user, who gives one answer to every question."""

    def __init__(self, editor: Any, answer: str) -> None:
        self.answer = answer
        self.asked: list[str] = []

        def reply(params: t.ShowMessageRequestParams) -> t.MessageActionItem | None:
            self.asked.append(params.message)
            return next((each for each in params.actions or () if each.title == self.answer), None)

        editor.client.feature(t.WINDOW_SHOW_MESSAGE_REQUEST)(reply)


@pytest.fixture
def stored(measurements: ModuleType) -> Callable[[Path, Path], None]:
    """Puts 1.9 cycles per iteration of the function ``triad``, as if measured now, into a store."""

    def store(path: Path, cache: Path) -> None:
        program = compiler_file(sys.executable)
        identity = measurements.identity_of(path)
        measurement = replace(measurements.MEASUREMENT, identity=identity, compiler_file=program)
        MeasurementStore(str(cache / "measured")).add([measurement])

    return store


async def hover(editor: Any, uri: str) -> str:
    params = t.HoverParams(t.TextDocumentIdentifier(uri), t.Position(LINE, 6))
    found = await editor.client.text_document_hover_async(params)
    return str(found.contents.value)


async def lens(editor: Any, uri: str) -> str:
    params = t.CodeLensParams(t.TextDocumentIdentifier(uri))
    _, found = await editor.client.text_document_code_lens_async(params)
    return str(found.command.title)


async def test_a_client_states_trust(start: Any) -> None:
    editor = await start()
    user = Questions(editor, "Run")
    uri = editor.open("triad.c", TRIAD)
    await editor.hinted(uri)
    for trusted in ({}, {"trusted": False}, {"trusted": "true"}, {"trusted": 1}):
        with pytest.raises(JsonRpcException, match="trusted: true"):
            await editor.command("measure", uri=uri, line=LINE, **trusted)
    assert user.asked == []


@pytest.mark.long
async def test_a_function_is_measured_and_shown(start: Any) -> None:
    editor = await start()
    editor.configure(**SETTINGS)
    user = Questions(editor, "Run")
    uri = editor.open("triad.c", TRIAD)
    await editor.hinted(uri)
    assert "measured" not in await hover(editor, uri)
    assert "measured" not in await lens(editor, uri)
    for _ in range(2):  # the second run of a workspace asks nothing
        done = await editor.command("measure", uri=uri, line=LINE, trusted=True)
        assert done["code"] in (0, 4)
    (question,) = user.asked
    assert "rooflint measure runs code of" in question
    assert "builds    " in question
    assert "calls     triad" in question
    # more time on a busy computer
    assert re.search(r"limited   1024 MiB of memory, \d+ s, no network, no files", question)
    assert "triad.c:1 triad: n=1000" in done["message"]
    assert done["message"] in [each.message for each in editor.client.messages]
    if done["code"] == 0:  # a busy computer may disturb it
        assert "**measured** 0." in await hover(editor, uri)


@pytest.mark.long
async def test_a_stored_figure_is_shown_until_the_code_changes(start: Any, stored: Any) -> None:
    editor = await start()
    editor.configure(**SETTINGS)
    uri = editor.open("triad.c", TRIAD)
    stored(Path(editor.folder, "triad.c"), editor.folder / ".cache")
    await editor.hinted(uri)
    assert "**measured** 1.9 cy per iteration" in await hover(editor, uri)
    assert "measured 1.9 cy per iteration" in await lens(editor, uri)
    editor.edit(uri, "void", "/* moved */\n\nvoid")
    editor.edit(uri, "/* moved */\n\n", "")
    assert "**measured** 1.9 cy per iteration" in await hover(editor, uri)
    editor.edit(uri, "3.0", "4.0")
    await editor.hinted(uri)
    text = await hover(editor, uri)
    assert "**measured** before the last change" in text
    assert "1.9" not in text
    await editor.until(lambda: lens(editor, uri), lambda said: "before the last change" in said)


async def test_without_the_answer_nothing_runs(start: Any) -> None:
    editor = await start()
    user = Questions(editor, "Cancel")
    uri = editor.open("triad.c", TRIAD)
    await editor.hinted(uri)
    for _ in range(2):
        done = await editor.command("measure", uri=uri, line=LINE, trusted=True)
        assert done["message"] == "given up"
    assert len(user.asked) == 2
    assert not (Path(editor.folder) / ".cache" / "measured").exists()


async def test_what_cannot_be_measured(start: Any) -> None:
    editor = await start()
    Questions(editor, "Run")
    uri = editor.open("triad.c", TRIAD)
    await editor.hinted(uri)
    editor.edit(uri, "3.0", "4.0")
    with pytest.raises(JsonRpcException, match="save it first"):
        await editor.command("measure", uri=uri, line=LINE, trusted=True)
    editor.edit(uri, "4.0", "3.0")
    with pytest.raises(JsonRpcException, match="line: expected a whole number, got None"):
        await editor.command("measure", uri=uri, trusted=True)
    with pytest.raises(JsonRpcException, match="no open C or C"):
        await editor.command("measure", uri="file:///nowhere.c", line=0, trusted=True)


async def test_it_is_given_up_on_request(start: Any, children: Any) -> None:
    editor = await start()
    user = Questions(editor, "Run")
    uri = editor.open("endless.c", ENDLESS)
    await editor.hinted(uri)
    argument = {"uri": uri, "line": LINE, "trusted": True}
    params = t.ExecuteCommandParams("rooflint.server.measure", [argument], "mine")
    editor.client.progress_reports["mine"] = []
    running = asyncio.ensure_future(editor.client.workspace_execute_command_async(params))
    await editor.told(lambda: user.asked)
    with pytest.raises(JsonRpcException, match="a measurement is running"):
        await editor.command("measure", uri=uri, line=LINE, trusted=True)
    await editor.told(lambda: list(filter(measures, children(editor.pid))))
    editor.client.window_work_done_progress_cancel(t.WorkDoneProgressCancelParams("mine"))
    assert (await running)["message"] == "given up"
    assert not list(filter(measures, children(editor.pid)))


def measures(pid: int) -> bool:
    """Whether a process runs the command, and is no child that the server analyses in."""
    with contextlib.suppress(OSError):
        return b"\0measure\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False

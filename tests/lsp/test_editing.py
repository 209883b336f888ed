"""What is shown while one types: at once what moved, after the analysis what changed."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as t
from pygls.exceptions import JsonRpcException

pytestmark = pytest.mark.asyncio(loop_scope="session")

TWO = """void scale(int n, float *a)
{
    for (int i = 0; i < n * n * n; i++)
        a[i] = 2 * a[i];
}

void copy(int n, float *restrict a, const float *b)
{
    for (int i = 0; i < n * n * n; i++)
        a[i] = b[i];
}
"""
FIRST, SECOND = 2, 8
Hang = Callable[[Any], Callable[[], None]]


async def test_an_edited_loop_loses_its_hint_and_the_others_move(alone: Any, hang: Hang) -> None:
    uri = alone.open("two.c", TWO)
    before = await alone.hinted(uri)
    go_on = hang(alone)
    alone.edit(uri, "2 * a[i];", "2\n            / a[i] / a[i] / a[i] / a[i];")
    # nobody can have analysed that, and nobody has to: the second loop is one line further down
    assert await alone.hints(uri) == {SECOND + 1: before[SECOND]}
    go_on()
    after = await alone.hinted(uri, lambda hints: FIRST in hints)
    assert after[SECOND + 1] == before[SECOND]
    assert after[FIRST] != before[FIRST]


async def test_broken_code_keeps_what_was_known(alone: Any) -> None:
    uri = alone.open("two.c", TWO)
    before = await alone.hinted(uri)
    alone.edit(uri, "float *a)\n", "float *a) (\n")
    await alone.command("analyseFile", uri=uri)
    assert await alone.hints(uri) == before
    alone.edit(uri, "float *a) (\n", "float *a)\n")
    alone.edit(uri, "float *a)", "double *a)")
    after = await alone.hinted(uri, lambda hints: hints.get(FIRST) != before[FIRST])
    assert after[SECOND] == before[SECOND]


async def test_a_loop_that_is_gone_is_not_kept(alone: Any) -> None:
    uri = alone.open("two.c", TWO)
    await alone.hinted(uri)
    alone.edit(uri, "void copy", "#if 0\nvoid copy")
    alone.texts[uri] += ""
    alone.edit(uri, "a[i] = b[i];\n}\n", "a[i] = b[i];\n}\n#endif\n")
    assert set(await alone.hinted(uri, lambda hints: len(hints) == 1)) == {FIRST}


async def test_an_analysis_that_is_superseded_shows_nothing(alone: Any, hang: Hang) -> None:
    uri = alone.open("two.c", TWO)
    before = await alone.hinted(uri)
    go_on = hang(alone)
    alone.edit(uri, "void scale", "\n\nvoid scale")
    await asyncio.sleep(0.05)
    alone.edit(uri, "\n\nvoid scale", "void scale")
    go_on()
    await alone.command("analyseFile", uri=uri)
    assert await alone.hints(uri) == before


async def test_a_buffer_that_is_not_saved_counts(alone: Any) -> None:
    uri = alone.open("never.c", TWO, saved=False)
    assert set(await alone.hinted(uri)) == {FIRST, SECOND}


async def test_a_document_without_a_file(alone: Any) -> None:
    uri = "untitled:Untitled-1"
    alone.texts[uri], alone.versions[uri] = TWO, 1
    item = t.TextDocumentItem(uri, "c", 1, TWO)
    alone.client.text_document_did_open(t.DidOpenTextDocumentParams(item))
    assert set(await alone.hinted(uri)) == {FIRST, SECOND}


async def test_headers_count_as_they_are_in_their_buffers(alone: Any) -> None:
    header = alone.open("real.h", "typedef float real;\n")
    source = TWO.replace("float", "real")
    uri = alone.open("with_header.c", f'#include "real.h"\n{source}')
    single = await alone.hinted(uri)
    alone.edit(header, "float", "double")
    double = await alone.hinted(uri, lambda hints: hints.get(FIRST + 1) != single[FIRST + 1])
    # twice the bytes for the same flop
    assert single[FIRST + 1] == "1 of 8 cores: 2.5× with threads (1.5)"
    assert double[FIRST + 1] == "1 of 8 cores: 2.5× with threads (3.0)"


async def test_a_header_changed_on_disk(alone: Any) -> None:
    header = Path(alone.folder, "disk.h")
    header.write_text("typedef float real;\n")
    uri = alone.open("disk.c", '#include "disk.h"\n' + TWO.replace("float", "real"))
    single = await alone.hinted(uri)
    header.write_text("typedef double real;\n")
    watched(alone, header)
    await alone.hinted(uri, lambda hints: hints.get(FIRST + 1) != single[FIRST + 1])


def watched(editor: Any, path: Path) -> None:
    event = t.FileEvent(path.as_uri(), t.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(t.DidChangeWatchedFilesParams([event]))


async def test_files_to_watch_are_asked_for(alone: Any) -> None:
    await alone.told(lambda: alone.registered)
    patterns = str(alone.registered[0].register_options)
    for name in ("compile_commands.json", "toml", "yaml", "{h,hpp"):
        assert name in patterns


async def test_flags_of_the_compilation_database_and_its_change(alone: Any) -> None:
    folder = Path(alone.folder, "flags")
    folder.mkdir()
    database = folder / "compile_commands.json"

    def write(real: str) -> None:
        entry = f'{{"directory": "{folder}", "file": "r.c", "command": "cc -DREAL={real} -c r.c"}}'
        database.write_text(f"[{entry}]")

    write("float")
    uri = alone.open("flags/r.c", TWO.replace("float", "REAL"))
    single = await alone.hinted(uri)
    write("double")
    watched(alone, database)
    double = await alone.hinted(uri, lambda hints: hints.get(FIRST) != single[FIRST])
    assert (single[FIRST], double[FIRST]) == (
        "1 of 8 cores: 2.5× with threads (1.5)",
        "1 of 8 cores: 2.5× with threads (3.0)",
    )


async def test_a_request_can_be_cancelled(alone: Any, hang: Hang) -> None:
    uri = alone.open("two.c", TWO)
    before = await alone.hinted(uri)
    go_on = hang(alone)
    alone.edit(uri, "void copy", "\nvoid copy")
    ask = t.DocumentDiagnosticParams(t.TextDocumentIdentifier(uri))
    pulled = asyncio.ensure_future(
        alone.client.protocol.send_request_async(t.TEXT_DOCUMENT_DIAGNOSTIC, ask, msg_id="d1")
    )
    # hints and hovers are answered while the child is not
    assert set(await alone.hints(uri)) == {FIRST, SECOND + 1}
    place = t.HoverParams(t.TextDocumentIdentifier(uri), t.Position(FIRST, 6))
    assert await alone.client.text_document_hover_async(place) is not None
    assert not pulled.done()
    alone.client.cancel_request(t.CancelParams("d1"))
    with pytest.raises(JsonRpcException) as error:
        await pulled
    assert error.value.code == t.LSPErrorCodes.RequestCancelled
    assert (await alone.hints(uri))[FIRST] == before[FIRST]
    go_on()


async def test_a_hover_with_its_picture(alone: Any) -> None:
    uri = alone.open("two.c", TWO)
    await alone.hinted(uri)
    place = t.HoverParams(t.TextDocumentIdentifier(uri), t.Position(FIRST, 6))
    text = (await alone.client.text_document_hover_async(place)).contents.value
    assert "![roofline](data:image/svg+xml;base64," in text
    assert len(text) < 60_000


async def test_findings_are_sent_to_a_client_that_does_not_ask(alone: Any) -> None:
    uri = alone.open("sum.c", "double s(int n, const double *x)\n{\n    double t = 0;\n"
        "    for (int i = 0; i < n * n * n; i++)\n        t += x[i];\n    return t;\n"
        "}\n")  # fmt: skip
    sent = alone.client.diagnostics
    await alone.told(lambda: "RL201" in [d.code for d in sent.get(uri, ())])
    alone.configure(debounceMs=0, severity={"RL201": "warning"})
    await alone.told(
        lambda: (
            [d.severity for d in sent[uri] if d.code == "RL201"] == [t.DiagnosticSeverity.Warning]
        )
    )
    alone.configure(debounceMs=0, severity={"RL201": "off"})
    await alone.told(lambda: "RL201" not in [d.code for d in sent[uri]])
    alone.close(uri)
    alone.texts.pop(uri)
    await alone.told(lambda: not sent[uri])


async def test_comments_that_are_not_understood(alone: Any) -> None:
    uri = alone.open("typo.c", TWO.replace("void copy", "// rooflint: trap(i=1)\nvoid copy"))
    sent = alone.client.diagnostics
    await alone.told(lambda: any("trap" in d.message for d in sent.get(uri, ())))
    assert sent[uri][0].range.start == t.Position(6, 0)

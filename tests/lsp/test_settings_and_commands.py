"""Settings by folder, what changes them for a session, and the commands."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as t
from pygls.exceptions import JsonRpcException

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCALE = """void scale(int n, float *a)
{
    for (int i = 0; i < n * n * n; i++)
        a[i] = 2 * a[i];
}
"""
SUM = """double s(int n, const double *x)
{
    double t = 0;
    for (int i = 0; i < n * n * n; i++)
        t += x[i];
    return t;
}
"""
LINE = 2
Hang = Callable[[Any], Callable[[], None]]


async def test_toggling_analyses_nothing(alone: Any, hang: Hang) -> None:
    uri = alone.open("scale.c", SCALE)
    before = await alone.hinted(uri)
    go_on = hang(alone)
    assert await alone.command("toggleHints") == {"hints": "off"}
    await alone.hinted(uri, lambda hints: not hints)
    assert await alone.command("toggleHints") == {"hints": "all"}
    assert await alone.hinted(uri) == before
    alone.configure(debounceMs=0, hints="off")
    await alone.command("toggleHints", hints="problems")
    assert await alone.hinted(uri) == before
    go_on()
    with pytest.raises(JsonRpcException, match="all or problems or off"):
        await alone.command("toggleHints", hints="none")
    await alone.command("toggleHints", hints="all")


async def test_by_default_a_quarter_of_the_loops_has_a_hint(alone: Any) -> None:
    few = [SCALE.replace("scale", f"few{n}").replace("n * n * n", "8") for n in range(5)]
    uri = alone.open("scale.c", SCALE + "".join(few))
    await alone.command("toggleHints", hints="problems")
    assert set(await alone.hinted(uri, lambda hints: len(hints) == 1)) == {LINE}
    await alone.command("toggleHints", hints="all")
    assert len(await alone.hinted(uri, lambda hints: len(hints) == 6)) == 6


async def test_another_machine_has_other_numbers(alone: Any) -> None:
    uri = alone.open("scale.c", SCALE)
    default = await alone.hinted(uri)
    alone.configure(debounceMs=0, hints="all", machine="cell")
    cell = await alone.hinted(uri, lambda hints: hints and hints != default)
    await alone.command("selectMachine", machine="skylake-sp-6148")
    chosen = await alone.hinted(uri, lambda hints: hints and hints not in (default, cell))
    assert chosen[LINE] == "1 of 40 cores: 3.9× with threads (0.77)"
    listed = await alone.command("machines")
    assert listed["chosen"] == ["skylake-sp-6148"]
    assert listed["default"] == "generic-avx2"
    assert "cell" in str(listed["machines"])
    await alone.command("selectMachine", machine=None)
    assert await alone.hinted(uri, lambda hints: hints == cell) == cell


async def test_other_cores_have_other_numbers(alone: Any) -> None:
    uri = alone.open("scale.c", SCALE)
    alone.configure(debounceMs=0, hints="all", machine="skylake-sp-6148", cores="1")
    one = await alone.hinted(uri)
    assert (await alone.command("status", uri=uri))["machine"] == "skylake-sp-6148 (1 core)"
    await alone.command("selectCores", cores="socket")
    await alone.hinted(uri, lambda hints: hints and hints != one)
    assert (await alone.command("status", uri=uri))["machine"] == "skylake-sp-6148 (20 cores)"
    for wrong in ("sockets", 0, True):
        with pytest.raises(JsonRpcException, match="cores"):
            await alone.command("selectCores", cores=wrong)
    assert (await alone.command("status", uri=uri))["machine"] == "skylake-sp-6148 (20 cores)"
    await alone.command("selectCores", cores=None)
    assert await alone.hinted(uri, lambda hints: hints == one) == one


async def test_a_machine_that_does_not_exist_is_said_once(alone: Any) -> None:
    uri = alone.open("scale.c", SCALE)
    await alone.hinted(uri)
    alone.configure(debounceMs=0, machine="sandybrigde", hints="sometimes")
    await alone.told(lambda: "sandybrigde" in str(alone.client.messages))
    await alone.told(lambda: "rooflint.hints" in str(alone.client.messages))
    alone.configure(debounceMs=0, hints="sometimes")
    await alone.hinted(uri)
    assert str(alone.client.messages).count("rooflint.hints") == 1


async def test_sizes_and_what_is_left_out(alone: Any) -> None:
    uri = alone.open("left/scale.c", SCALE)
    await alone.hinted(uri)
    alone.configure(debounceMs=0, hints="all", sizes={"n": 1_000_000_000})
    # known now, so nothing is guessed
    await alone.hinted(uri, lambda hints: hints.get(LINE, "").endswith("(1.5)"))
    for off in ({"exclude": ["left"]}, {"maxFileLines": 3}, {"enable": False}):
        alone.configure(debounceMs=0, hints="all", **off)
        await alone.hinted(uri, lambda hints: not hints)
        alone.configure(debounceMs=0, hints="all")
        await alone.hinted(uri)


async def test_files_on_save_and_on_command_only(alone: Any) -> None:
    alone.configure(debounceMs=0, hints="all", run="manual")
    uri = alone.open("scale.c", SCALE)
    await alone.told(lambda: any(getattr(s, "uri", "") == uri for s in alone.statuses))
    assert await alone.hints(uri) == {}
    counts = await alone.command("analyseFile", uri=uri)
    assert (counts["loops"], counts["analysed"], counts["shown"]) == (1, 1, 1)
    single = await alone.hinted(uri)
    alone.configure(debounceMs=0, hints="all", run="onSave")
    alone.edit(uri, "float", "double")
    assert await alone.hints(uri) == single  # the loop itself is as it was
    alone.client.text_document_did_save(t.DidSaveTextDocumentParams(t.TextDocumentIdentifier(uri)))
    await alone.hinted(uri, lambda hints: hints != single)


async def test_each_folder_has_its_settings(alone: Any) -> None:
    other = Path(alone.folder.parent, "other folder")
    other.mkdir()
    alone.client.set_configuration(
        {"debounceMs": 0, "hints": "all", "machine": "machines/mine.yaml"},
        section="rooflint",
        scope_uri=other.as_uri(),
    )
    (other / "machines").mkdir()
    (other / "machines" / "mine.yaml").write_text(
        "schema: 1\nname: mine\nextends: generic-avx2\ndescription: ours\n"
        "sources: {default: none}\nmemory:\n  bandwidth:\n"
        "    - {level: MEM, pattern: load, cores: 1, gb_s: 4.0}\n"
    )
    event = t.WorkspaceFoldersChangeEvent([t.WorkspaceFolder(other.as_uri(), "other")], [])
    alone.client.workspace_did_change_workspace_folders(t.DidChangeWorkspaceFoldersParams(event))
    here = alone.open("scale.c", SCALE)
    there = alone.open("../other folder/scale.c", SCALE)
    # 8 B at 16 and at 4 GB/s are 0.5 and 2 ns
    assert await alone.hinted(here) == {LINE: "1 of 8 cores: 2.5× with threads (1.5)"}
    assert await alone.hinted(there) == {LINE: "DRAM, at its limit (6.0)"}
    event = t.WorkspaceFoldersChangeEvent([], [t.WorkspaceFolder(other.as_uri(), "other")])
    alone.client.workspace_did_change_workspace_folders(t.DidChangeWorkspaceFoldersParams(event))


async def test_the_configuration_file_and_its_change(alone: Any) -> None:
    folder = Path(alone.folder, "configured")
    folder.mkdir()
    configuration = folder / "rooflint.toml"
    configuration.write_text("[sizes]\nn = 10\n")
    uri = alone.open("configured/scale.c", SCALE)
    assert await alone.hinted(uri) != {LINE: "1 of 8 cores: 2.5× with threads (1.5)"}
    configuration.write_text("")
    event = t.FileEvent(configuration.as_uri(), t.FileChangeType.Changed)
    alone.client.workspace_did_change_watched_files(t.DidChangeWatchedFilesParams([event]))
    await alone.hinted(uri, lambda hints: hints == {LINE: "1 of 8 cores: 2.5× with threads (1.5)"})


async def test_reports(alone: Any) -> None:
    uri = alone.open("scale.c", SCALE)
    await alone.hinted(uri)
    page = await alone.command("report", uri=uri, line=LINE)
    assert page["html"].startswith("<!DOCTYPE html>")
    assert "scale" in page["title"]
    text = await alone.command("report", uri=uri, format="text")
    assert text["text"].startswith("rooflint: 1 loop in ")
    for model in ("ecm", "roofline", "bounds", "ceilings"):
        assert model in text["text"]
    compared = await alone.command(
        "compareMachines", uri=uri, line=LINE, machines=["cell", "sandybridge-ep-e5-2680"]
    )
    assert "cell" in compared["html"]
    assert "sandybridge-ep-e5-2680" in compared["html"]
    with pytest.raises(JsonRpcException, match="no open C or C"):
        await alone.command("report", uri="file:///nowhere.c")
    with pytest.raises(JsonRpcException, match="expected a whole number, got -1"):
        await alone.command("report", uri=uri, line=-1)


async def test_explanations(alone: Any) -> None:
    ridge = await alone.command("explain", word="ridge point")
    assert "bandwidth reaches the compute peak" in ridge["markdown"]
    with pytest.raises(JsonRpcException, match="neither a model nor a term"):
        await alone.command("explain", word="nonsense")


async def test_a_size_is_written_into_the_text(alone: Any) -> None:
    uri = alone.open("scale.c", SCALE)
    await alone.hinted(uri)
    alone.applied.clear()
    await alone.command("setSize", uri=uri, line=0, name="n", value=4096)
    assert alone.edited(uri, alone.applied[0].document_changes[0].edits) == (
        f"// rooflint: n=4096\n{SCALE}"
    )


async def test_a_size_is_written_into_the_configuration(alone: Any) -> None:
    path = Path(alone.folder, "sized", "rooflint.toml")
    path.parent.mkdir(exist_ok=True)
    path.write_text("# ours\ncores = 1\n")
    uri = alone.open("sized/scale.c", SCALE)
    await alone.hinted(uri)
    size = {"uri": uri, "line": 0, "name": "scale:n", "value": 4096, "project": True}
    await alone.command("setSize", **size)
    written = '# ours\ncores = 1\n\n[sizes]\n"scale:n" = 4096\n'
    assert path.read_text() == written
    with pytest.raises(JsonRpcException, match="'many' is no whole number"):
        await alone.command("setSize", **size | {"value": "many"})
    path.write_text("sizes = { n = 1 }\n")
    with pytest.raises(JsonRpcException, match="its sizes cannot be edited; write them yourself"):
        await alone.command("setSize", **size)
    path.unlink()


async def test_the_status(alone: Any) -> None:
    uri = alone.open("scale.c", SCALE)
    await alone.hinted(uri)
    status = await alone.command("status", uri=uri)
    assert (status["state"], status["machine"]) == ("ready", "generic-avx2 (1 core)")
    assert (status["hints"], status["loops"], status["message"]) == ("all", 1, "")
    assert (status["worth"], status["generic"], status["searched"]) == (1, True, True)
    assert status["text"] == "1 of 1 · generic machine, not yours"
    await alone.told(lambda: alone.statuses[-1].state == "ready")


async def test_the_workspace_with_a_progress_bar(alone: Any) -> None:
    for number in range(3):
        path = Path(alone.folder, "many", f"f{number}.c")
        path.parent.mkdir(exist_ok=True)
        path.write_text(SCALE.replace("scale", f"scale{number}"))
    path.write_text(SUM)
    alone.configure(debounceMs=0, exclude=["scale.c", "t*.c", "left", "flags", "configured"])
    done = await alone.command("analyseWorkspace")
    assert not done["cancelled"]
    assert done["files"] >= 3
    (token,) = [t for t, reports in alone.client.progress_reports.items() if reports][-1:]
    reports = alone.client.progress_reports[token]
    assert isinstance(reports[0], t.WorkDoneProgressBegin)
    assert reports[0].cancellable
    assert isinstance(reports[-1], t.WorkDoneProgressEnd)
    sent = alone.client.diagnostics[path.as_uri()]
    assert "RL201" in [each.code for each in sent]


async def test_the_workspace_is_given_up_on_request(alone: Any, hang: Hang) -> None:
    path = Path(alone.folder, "many", "f0.c")
    path.parent.mkdir(exist_ok=True)
    path.write_text(SCALE)
    (path.parent / "f1.c").write_text(SCALE)
    go_on = hang(alone)
    params = t.ExecuteCommandParams("rooflint.server.analyseWorkspace", [{}], "mine")
    alone.client.progress_reports["mine"] = []
    running = asyncio.ensure_future(alone.client.workspace_execute_command_async(params))
    await alone.told(lambda: len(alone.client.progress_reports.get("mine", ())) >= 2)
    alone.client.window_work_done_progress_cancel(t.WorkDoneProgressCancelParams("mine"))
    await alone.command("status")  # the cancellation has arrived
    go_on()
    done = await running
    assert done["cancelled"]
    assert done["files"] <= 1


COLUMNS = """double a[600][600], b[600][600];
void columns(void)
{
    for (int j = 0; j < 600; j++)
        for (int i = 0; i < 600; i++)
            a[i][j] = b[i][j];
}
"""
MAIN = """int main(void)
{
    columns();
    return s(8, &a[0][0]) > 0;
}
"""


async def test_hot_loops_are_ranked_and_a_fix_is_applied_by_its_code(alone: Any) -> None:
    uri = alone.open("columns.c", COLUMNS + SUM.replace("n * n * n", "8") + MAIN)

    async def listed() -> Any:
        return await alone.command("hotLoops", uri=uri)

    answer = await alone.until(listed, lambda found: any(each["rule"] for each in found["loops"]))
    first, second = answer["loops"]
    assert answer["title"].startswith("2 loops, 1 worth a change")
    assert (first["line"], first["character"], first["function"]) == (4, 8, "columns")
    assert first["share"] > second["share"]
    assert first["shareText"].endswith(" % of the run")
    assert first["hint"] == (await alone.hints(uri))[4].partition(" (")[0]
    assert second["rule"] is None
    alone.applied.clear()
    assert await alone.command("applyFix", uri=uri, line=4, code="RL101")
    text = alone.edited(uri, alone.applied[0].document_changes[0].edits)
    assert text.index("int i = 0") < text.index("int j = 0")
    with pytest.raises(JsonRpcException, match="no fix of RL999 on line 5"):
        await alone.command("applyFix", uri=uri, line=4, code="RL999")


GATHER = """double gather(int n, const double *restrict x, const int *restrict index)
{
    double t = 0;
    for (int i = 0; i < 20000000; i++)
        t += x[index[i]];
    return t;
}
"""


async def test_what_no_edit_can_do_is_inserted_as_a_sketch(alone: Any) -> None:
    uri = alone.open("gather.c", GATHER)

    async def sketches() -> Any:
        actions = await alone.actions(uri, 3, ["quickfix"])
        return [each for each in actions if each.title.startswith("Insert sketch of RL")]

    first = (await alone.until(sketches, bool))[0]
    code = first.title.split()[3].rstrip(":")
    text = alone.edited(uri, first.edit.document_changes[0].edits)
    comment = text.splitlines()[3]
    assert comment.startswith(f"    // {code}: ")
    assert "    // //" not in text
    kept = [line for line in text.splitlines(keepends=True) if not line.startswith("    //")]
    assert "".join(kept) == GATHER


async def test_a_missing_header_is_named_where_it_is_included(alone: Any) -> None:
    uri = alone.open("eigen.c", f'#include "Eigen/Dense"\n{SCALE}')
    alone.configure(debounceMs=0, hints="problems")
    hints = await alone.hinted(uri, lambda found: len(found) == 2)
    assert hints[0].startswith("not read: Eigen/Dense not found")
    alone.edit(uri, '#include "Eigen/Dense"', "#include <stddef.h>")
    assert 0 not in await alone.hinted(uri)

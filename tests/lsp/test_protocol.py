"""Every feature over the protocol, in all position encodings, with a form feed and emoji above."""

from typing import Any

import pytest
from lsprotocol import types as t
from pygls.exceptions import JsonRpcException

pytestmark = pytest.mark.asyncio(loop_scope="session")

# "for" of the first loop: line 4; an emoji is 4, 2, 1 units, an e with an accent 2, 1, 1
TRIAD = """/* \U0001f600 \f\N{LINE SEPARATOR} */
#define TWO 2.0\f
void triad(int n, double *restrict a, const double *b, const double *c)
{
    /* caf\u00e9 \U0001f600 */ for (int i = 0; i < n * n * n; i++) { // \U0001f600
        a[i] = b[i] + TWO * c[i];
    }
}

double total(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n * n * n; i++)
        sum += x[i];
    return sum;
}
"""
FIRST, SECOND = 4, 12
COLUMNS = """double grid[2000][2000];
void clear(void)
{
    for (int j = 0; j < 2000; j++)
        for (int i = 0; i < 2000; i++)
            grid[i][j] = 2.0 * grid[i][j];
}
"""


async def test_a_hint_stands_at_the_end_of_each_header(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    hints = await editor.hinted(uri)
    # 8 B each of b and c loaded, a fetched and evicted: 32 B at the machine's 16 GB/s on one core
    # are 2 ns, 6 cycles of 3 GHz, with an n that nobody gave: 215**3 elements are in no cache
    assert hints[FIRST] == "1 of 8 cores: 2.5× with threads (6.0)"
    assert set(hints) == {FIRST, SECOND}


async def test_hints_of_a_part_of_the_file(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    await editor.hinted(uri)
    part = t.Range(t.Position(10, 0), t.Position(20, 0))
    found = await editor.client.text_document_inlay_hint_async(
        t.InlayHintParams(t.TextDocumentIdentifier(uri), part)
    )
    assert [hint.position.line for hint in found] == [SECOND]
    assert "cy per iteration · ≈ 40 % of the run" in found[0].tooltip.value


async def test_a_size_in_a_comment_is_that_of_its_function(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    before = await editor.hinted(uri)
    editor.edit(uri, "void triad", "// rooflint: n=10\nvoid triad")
    hints = await editor.hinted(uri, lambda hints: hints.get(FIRST + 1) != before[FIRST])
    # 3 arrays of 10**3 elements, 24 kB, stay in the nearest cache
    assert hints[FIRST + 1] == "issue, at its limit (0.28)"
    assert hints[SECOND + 1] == before[SECOND]


PLANE = """void scale(int n, double a[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] *= 2.0;
}
"""


async def test_a_guess_that_decides_the_limit_is_marked(editor: Any) -> None:
    uri = editor.open("plane.c", PLANE)
    # n is 190 to 500 in half of the programs: 0.3 MB, in L2, to 2 MB, in L3
    (hint,) = (await editor.hinted(uri)).values()
    assert hint.startswith("~")
    editor.edit(uri, "void scale", "// rooflint: n=250\nvoid scale")
    hints = await editor.hinted(uri, lambda hints: hints.get(3) != hint)
    assert hints == {3: hint[1:]}


async def test_hovers_have_the_answer_first_and_no_picture_unasked(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    await editor.hinted(uri)
    at = editor.position(uri, editor.texts[uri].index("for (int"))
    hover = await editor.client.text_document_hover_async(
        t.HoverParams(t.TextDocumentIdentifier(uri), at)
    )
    text = hover.contents.value
    assert hover.contents.kind == t.MarkupKind.Markdown
    answer, time, cause = [line.strip() for line in text.splitlines()[:3]]
    assert answer.startswith("**1 of 8 cores: 2.5× with threads**")
    assert time == "6.0 → 2.4 cy per iteration · ≈ 60 % of the run · confidence medium"
    assert cause == "Iterations of i are independent, 1 of 8 cores works; memory saturates at 3."
    assert "| cy per iteration | now |" in text
    assert "n = 215 guessed" in text
    assert "data:image" not in text
    assert "command:" not in text
    header = "for (int i = 0; i < n * n * n; i++)"
    assert (hover.range.start, hover.range.end) == (
        at,
        editor.position(uri, editor.texts[uri].index(header) + len(header)),
    )


async def test_the_accesses_of_a_body_have_their_walk(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    await editor.hinted(uri)
    at = editor.position(uri, editor.texts[uri].index("b[i] +"))
    hover = await editor.client.text_document_hover_async(
        t.HoverParams(t.TextDocumentIdentifier(uri), at)
    )
    lines = hover.contents.value.splitlines()
    assert lines[0].strip() == "**b in the loop over i**"
    assert lines[1].strip() == "8 B per iteration, contiguous"


async def test_no_hover_beside_a_loop(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    await editor.hinted(uri)
    nothing = await editor.client.text_document_hover_async(
        t.HoverParams(t.TextDocumentIdentifier(uri), t.Position(0, 3))
    )
    assert nothing is None


async def test_a_lens_sums_up_the_file_and_on_request_each_function(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    await editor.hinted(uri)
    ask = t.CodeLensParams(t.TextDocumentIdentifier(uri))

    async def lenses() -> Any:
        return await editor.client.text_document_code_lens_async(ask)

    advised = "Rooflint: 2 loops, 2 worth a change (≈ "
    [summary] = await editor.until(lenses, lambda one: one[0].command.title.startswith(advised))
    assert summary.range.start.line == 0
    editor.configure(debounceMs=0, hints="all", codeLens="functions")
    listed = await editor.until(lenses, lambda found: len(found) == 3)
    assert [lens.range.start.line for lens in listed] == [0, 2, 9]
    assert listed[1].command.title == "1 loop: 1 of 8 cores: 2.5× with threads"
    report = await editor.client.workspace_execute_command_async(
        t.ExecuteCommandParams(listed[1].command.command, listed[1].command.arguments)
    )
    assert "triad" in str(report)


async def found(editor: Any, uri: str) -> list[Any]:
    answer = await editor.client.text_document_diagnostic_async(
        t.DocumentDiagnosticParams(t.TextDocumentIdentifier(uri))
    )
    return list(answer.items)


async def test_findings_are_diagnostics_on_the_header(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    listed = await editor.until(
        lambda: found(editor, uri), lambda items: any(d.code == "RL201" for d in items)
    )
    reduction = next(d for d in listed if d.code == "RL201")
    header = "for (int i = 0; i < n * n * n; i++)"
    start = editor.texts[uri].rindex(header)
    assert reduction.range.start == editor.position(uri, start)
    assert reduction.range.end.line == SECOND
    assert reduction.severity == t.DiagnosticSeverity.Information
    assert reduction.source == "rooflint"
    assert reduction.code_description.href.endswith(".md")


async def test_a_diagnostic_moves_with_its_line_and_goes_with_it(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    await editor.until(
        lambda: found(editor, uri), lambda items: any(d.code == "RL201" for d in items)
    )
    editor.edit(uri, "void triad", "\n\n/* \U0001f600 */\nvoid triad")
    moved = [d for d in await found(editor, uri) if d.code == "RL201"]
    assert [d.range.start.line for d in moved] == [SECOND + 3]
    editor.edit(uri, "sum += x[i];", "sum = x[i];")
    await editor.until(
        lambda: found(editor, uri), lambda items: all(d.code != "RL201" for d in items)
    )


async def test_unchanged_diagnostics_are_said_to_be(editor: Any) -> None:
    uri = editor.open("plain.c", "int x;\n")
    ask = t.DocumentDiagnosticParams(t.TextDocumentIdentifier(uri))

    async def full() -> Any:
        return await editor.client.text_document_diagnostic_async(ask)

    first = await full()
    again = t.DocumentDiagnosticParams(
        t.TextDocumentIdentifier(uri), previous_result_id=first.result_id
    )
    second = await editor.client.text_document_diagnostic_async(again)
    assert second.kind == t.DocumentDiagnosticReportKind.Unchanged


async def test_suppressing_writes_a_comment_that_is_understood(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    await editor.until(
        lambda: found(editor, uri), lambda items: any(d.code == "RL201" for d in items)
    )
    actions = await editor.actions(uri, SECOND, ["quickfix"])
    suppress = next(a for a in actions if a.title == "Suppress RL201 here")
    change = suppress.edit.document_changes[0]
    assert change.text_document.version == 1
    text = editor.edited(uri, change.edits)
    assert "\n    // rooflint: allow(RL201) accepted\n    for (int i" in text
    editor.edit(uri, editor.texts[uri], text)
    await editor.until(
        lambda: found(editor, uri), lambda items: all(d.code != "RL201" for d in items)
    )


async def test_suppressing_in_a_function_and_a_file(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    await editor.until(
        lambda: found(editor, uri), lambda items: any(d.code == "RL201" for d in items)
    )
    offered = str([a.command for a in await editor.actions(uri, SECOND, ["quickfix"])])
    assert "rooflint.server.suppress" in offered
    place = {"uri": uri, "line": SECOND, "code": "RL201"}
    for scope, text in (
        (
            "function",
            TRIAD.replace("double total", "// rooflint: allow(RL201) accepted\ndouble total"),
        ),
        ("file", f"// rooflint: file-allow(RL201) accepted\n{TRIAD}"),
    ):
        editor.applied.clear()
        assert await editor.command("suppress", **place, scope=scope) is True
        assert editor.edited(uri, editor.applied[0].document_changes[0].edits) == text
    for wrong in ({"scope": "world"}, {"code": "RL201) \n"}, {"code": None}):
        with pytest.raises(JsonRpcException, match="expected"):
            await editor.command("suppress", **place | wrong)
    editor.edit(uri, editor.texts[uri], text)
    await editor.until(
        lambda: found(editor, uri), lambda items: all(d.code != "RL201" for d in items)
    )


async def test_a_project_ignores_a_rule(editor: Any) -> None:
    path = editor.folder / "ignored" / "rooflint.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text('# ours\nignore = ["RL4"]  # threads\n')
    uri = editor.open("ignored/triad.c", TRIAD)
    await editor.until(
        lambda: found(editor, uri), lambda items: any(d.code == "RL201" for d in items)
    )
    place = {"uri": uri, "line": SECOND, "code": "RL201"}
    assert await editor.command("suppress", **place, scope="project") is True
    assert path.read_text() == '# ours\nignore = ["RL4", "RL201"] # threads\n'
    await editor.until(
        lambda: found(editor, uri), lambda items: all(d.code != "RL201" for d in items)
    )


async def test_all_safe_changes_at_once(editor: Any) -> None:
    uri = editor.open("columns.c", COLUMNS)
    await editor.until(
        lambda: found(editor, uri), lambda items: any(d.code == "RL101" for d in items)
    )
    (action,) = await editor.actions(uri, 0, ["source.fixAll"])
    assert action.kind == "source.fixAll.rooflint"
    text = editor.edited(uri, action.edit.document_changes[0].edits)
    assert text.index("int i = 0") < text.index("int j = 0")
    # not in a list that nobody asked it for
    assert action.title not in [each.title for each in await editor.actions(uri, 3)]


async def test_a_fix_is_an_edit_with_its_gain(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    await editor.until(
        lambda: found(editor, uri), lambda items: any(d.code == "RL201" for d in items)
    )
    actions = await editor.actions(uri, SECOND, ["quickfix"])
    fix = next(a for a in actions if a.title.startswith("allow partial sums: predicted "))
    text = editor.edited(uri, fix.edit.document_changes[0].edits)
    assert "\n    #pragma omp simd reduction(+:sum)\n    for (int i" in text
    assert "may change rounding" in fix.title


async def test_sizes_can_be_set_and_the_rest_is_commands(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    await editor.hinted(uri)
    actions = await editor.actions(uri, FIRST, ["quickfix"])
    actions += await editor.actions(uri, FIRST, ["refactor"])
    size = next(a for a in actions if a.title.startswith("Set size n in triad"))
    text = editor.edited(uri, size.edit.document_changes[0].edits)
    assert "\n// rooflint: n=" in text
    assert text.index("// rooflint") < text.index("void triad")
    project = next(a for a in actions if a.title.startswith("Set size triad:n for the project ("))
    # an action with a command and no edit is read as a command by the client's library
    assert "rooflint.server.setSize" in str(project.command)
    commands = str([a.command for a in actions])
    assert commands.count("rooflint.server.report") == 1
    assert commands.count("rooflint.server.compareMachines") == 1
    assert "rooflint.server.explain" in commands
    # a light bulb lists these kinds, and nothing of ``source``
    assert "rooflint.server.explain" in str(await editor.actions(uri, FIRST, ["quickfix"]))
    assert "rooflint.server.report" in str(await editor.actions(uri, FIRST, ["refactor"]))


async def test_a_light_bulb_has_eight_rows(editor: Any) -> None:
    """Of two findings: each change and suppression, then what no other list has."""
    divided = TRIAD.replace("*x)", "*x, double y)").replace("+= x[i]", "+= x[i] / y / y")
    uri = editor.open("triad.c", divided)
    await editor.until(
        lambda: found(editor, uri), lambda items: any(d.code == "RL203" for d in items)
    )
    titles = [a.title for a in await editor.actions(uri, SECOND)]
    assert len(titles) == 8
    assert [title for title in titles if title.startswith("Suppress")] == [
        "Suppress RL202 here",
        "Suppress RL202 in the function, file or project…",
        "Suppress RL203 here",
    ]
    assert titles[5].startswith("Set size n in total (")
    assert titles[6:] == ["Show the report of total", "Explain RL202"]


async def test_actions_of_other_kinds_are_not_offered_unasked(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    await editor.hinted(uri)
    assert await editor.actions(uri, FIRST, ["source"]) == []
    assert await editor.actions(uri, 0) == []


async def test_the_server_counts_as_the_client_wished(editor: Any) -> None:
    assert editor.result.capabilities.position_encoding == editor.encoding


async def test_diagnostics_of_the_workspace(editor: Any) -> None:
    uri = editor.open("triad.c", TRIAD)
    await editor.until(
        lambda: found(editor, uri), lambda items: any(d.code == "RL201" for d in items)
    )
    closed = editor.folder / "closed" / "sum.c"
    closed.parent.mkdir(exist_ok=True)
    closed.write_text(TRIAD[TRIAD.index("double total") :])
    await editor.command("analyseWorkspace")
    ask = t.WorkspaceDiagnosticParams(previous_result_ids=[])
    items = (await editor.client.workspace_diagnostic_async(ask)).items
    by_uri = {item.uri: item for item in items}
    for each in (uri, closed.as_uri()):
        assert "RL201" in [d.code for d in by_uri[each].items]
    known = [t.PreviousResultId(item.uri, item.result_id) for item in items]
    again = t.WorkspaceDiagnosticParams(previous_result_ids=known)
    unchanged = (await editor.client.workspace_diagnostic_async(again)).items
    assert {item.kind for item in unchanged} == {t.DocumentDiagnosticReportKind.Unchanged}

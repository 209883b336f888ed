"""Commands on loops: the list of hot loops, and a fix that is applied from a hover."""

from lsprotocol import types
from rooflint.escaping import visible
from rooflint.verdict.choose import share_of
from rooflint.verdict.sentences import share_sentence

from rooflint_lsp.documents.open_files import OpenFile
from rooflint_lsp.protocol.commands import (
    PREFIX,
    Argument,
    CommandError,
    Params,
    open_file,
    whole_number,
)
from rooflint_lsp.protocol.server import Server
from rooflint_lsp.views import actions
from rooflint_lsp.views.chosen import HintedLoop, hot_loops
from rooflint_lsp.views.hints import file_words

HOT_LOOPS = f"{PREFIX}hotLoops"


def add_loop_commands(server: Server) -> None:
    """The commands of this module."""
    server.add_command(HOT_LOOPS, list_hot_loops)
    server.add_command(actions.FIX, apply_fix)


async def list_hot_loops(server: Server, argument: Argument, params: Params) -> dict[str, object]:
    """The loops of an open file by their share of the time, with the hints that they have."""
    file = open_file(server, argument)
    await file.until_idle()
    shown = file.shown
    if shown is None:
        return {"title": "", "loops": []}
    loops = [_listed(file, each) for each in hot_loops(shown)]
    return {"title": file_words(shown), "loops": loops}


def _listed(file: OpenFile, each: HintedLoop) -> dict[str, object]:
    verdict = each.verdict
    start = file.document.position(each.loop.start)
    return {
        "uri": file.uri,
        "line": start.line,
        "character": start.character,
        "function": visible(verdict.place.function),
        "share": share_of(verdict),
        "shareText": share_sentence(verdict) if verdict.weight.share is not None else "",
        "hint": visible(each.text),
        "rule": verdict.advice.rule if verdict.advice is not None else None,
    }


async def apply_fix(server: Server, argument: Argument, params: Params) -> bool:
    """Make the change that a finding on ``line`` proposes; whether the client took it."""
    file = open_file(server, argument)
    line, code = whole_number(argument, "line"), argument.get("code")
    findings = file.shown.marks.findings if file.shown is not None else ()
    for placed in findings:
        edits = actions.fix_edits(file.document, placed)
        if placed.line == line and placed.finding.code == code and edits:
            wishes = actions.ActionOptions(versioned=server.client.versioned)
            edit = actions.workspace_edit(file.document, edits, wishes)
            label = placed.finding.fix.title if placed.finding.fix is not None else ""
            answer = await server.workspace_apply_edit_async(
                types.ApplyWorkspaceEditParams(edit, visible(label))
            )
            return bool(answer.applied)
    raise CommandError(f"no fix of {code} on line {line + 1}")

"""Commands on loops: the list of hot loops, a fix from a hover, findings that are accepted."""

import asyncio
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Final

from lsprotocol import types
from rooflint.config.ignored_rules import ignore_rule
from rooflint.config.settings import ConfigFinder
from rooflint.escaping import visible
from rooflint.plugin_api.rule_code import is_code
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


class SuppressionScope(Enum):
    """Where a rule's findings are accepted."""

    FUNCTION = "function"
    FILE = "file"
    PROJECT = "project"


QUESTION: Final = {
    "This function": SuppressionScope.FUNCTION,
    "This file": SuppressionScope.FILE,
    "The project (rooflint.toml)": SuppressionScope.PROJECT,
}
"""What the user may choose from."""


def add_loop_commands(server: Server) -> None:
    """The commands of this module."""
    server.add_command(HOT_LOOPS, list_hot_loops)
    server.add_command(actions.FIX, apply_fix)
    server.add_command(actions.SUPPRESS, suppress)


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


async def suppress(server: Server, argument: Argument, params: Params) -> bool:
    """Accept the findings of a rule in a ``scope``; without one the user is asked.

    A function and a file get a comment, a project an entry in the nearest configuration. Whether
    anything was written.
    """
    file = open_file(server, argument)
    line, code = whole_number(argument, "line"), argument.get("code")
    if not isinstance(code, str) or not is_code(code):
        raise CommandError(f"code: expected that of a rule, got {code!r}")
    scope = await _scope_of(server, argument.get("scope"), code)
    if scope is None:
        return False
    if scope is SuppressionScope.PROJECT:
        await asyncio.get_running_loop().run_in_executor(server.pages, partial(_ignore, file, code))
        server.analyse_again()
        return True
    edit = (
        actions.file_suppression(file.document, code)
        if scope is SuppressionScope.FILE
        else actions.suppression(file.document, _function_line(file, line), code)
    )
    wishes = actions.ActionOptions(versioned=server.client.versioned)
    changes = actions.workspace_edit(file.document, [edit], wishes)
    answer = await server.workspace_apply_edit_async(
        types.ApplyWorkspaceEditParams(changes, f"Suppress {code}")
    )
    return bool(answer.applied)


async def _scope_of(server: Server, given: object, code: str) -> SuppressionScope | None:
    if given is None:
        items = [types.MessageActionItem(title) for title in QUESTION]
        asked = types.ShowMessageRequestParams(types.MessageType.Info, f"Suppress {code} in", items)
        chosen = await server.window_show_message_request_async(asked)
        return None if chosen is None else QUESTION.get(chosen.title)
    for scope in SuppressionScope:
        if scope.value == given:
            return scope
    expected = ", ".join([scope.value for scope in SuppressionScope])
    raise CommandError(f"scope: expected one of {expected}, got {given!r}")


def _function_line(file: OpenFile, line: int) -> int:
    """The line where the function around a line begins, from 0; CommandError outside of all."""
    functions = file.shown.marks.functions if file.shown is not None else ()
    before = [each.start.line for each in functions if each.start.line <= line]
    if not before:
        raise CommandError(f"no function on line {line + 1}")
    return max(before)


def _ignore(file: OpenFile, code: str) -> None:
    config = ConfigFinder().config_for(Path(file.path))
    ignore_rule(config, file.root or str(Path(file.path).parent), code)

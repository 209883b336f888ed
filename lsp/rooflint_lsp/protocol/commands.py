"""Commands: what a client runs by name, with one JSON object as the argument.

None of them waits in the protocol's thread of execution: questions go to the analysing child, pages
are made in a thread of their own.
"""

import asyncio
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import rooflint
from lsprotocol import types
from rooflint.config.settings import ConfigFinder
from rooflint.config.sizes_table import table_of
from rooflint.errors import RooflintError
from rooflint.machine import DEFAULT, MachineEntry, builtin_dir, list_machines
from rooflint.pipeline.live.service import BufferResult, Failure
from rooflint.plugin_api.report import Report
from rooflint.registry import load_registry
from rooflint.render.html import render_html
from rooflint.render.layout import Style
from rooflint.render.ranked.report import render_ranked
from rooflint.render.ranked.request import RankedRequest, ReportView
from rooflint.scenario.sizes import parse_size
from rooflint.verdict.steps import with_verdicts

from rooflint_lsp.documents.analyser import HOVER
from rooflint_lsp.documents.open_files import OpenFile
from rooflint_lsp.documents.settings import Settings, read_settings
from rooflint_lsp.protocol.server import Server
from rooflint_lsp.views import actions
from rooflint_lsp.views.status import status_of

PREFIX: Final = "rooflint.server."
Argument = Mapping[str, Any]
Params = types.ExecuteCommandParams
Made = TypeVar("Made")


class CommandError(RooflintError):
    """A command that cannot be done; the client gets the text."""


def add_commands(server: Server) -> None:
    """All commands but those that go over the workspace."""
    named = {
        actions.REPORT: report,
        actions.EXPLAIN: explain,
        actions.COMPARE: compare_machines,
        actions.SET_SIZE: set_size,
        f"{PREFIX}analyseFile": analyse_file,
        f"{PREFIX}machines": machines,
        f"{PREFIX}selectMachine": select_machine,
        f"{PREFIX}selectCores": select_cores,
        f"{PREFIX}toggleHints": toggle_hints,
        f"{PREFIX}status": status,
        f"{PREFIX}restartAnalyser": restart_analyser,
    }
    for name, command in named.items():
        server.add_command(name, command)


async def report(server: Server, argument: Argument, params: Params) -> dict[str, str]:
    """A file's report, or that of the function on ``line``."""
    file = open_file(server, argument)
    lines = None
    if "line" in argument:
        line = whole_number(argument, "line") + 1
        lines = (line, line)
    seen = await _seen(server, file, file.settings.detailed, lines)
    made = _report(seen)
    text = argument.get("format") == "text"
    page = await _in_thread(server, partial(_text_report if text else render_html, made))
    return await _show(server, f"Rooflint: {Path(file.path).name}", page, "txt" if text else "html")


def _text_report(made: Report) -> str:
    """The details of all loops."""
    return render_ranked(with_verdicts(made), Style(), RankedRequest(view=ReportView.LOOPS))


async def compare_machines(server: Server, argument: Argument, params: Params) -> dict[str, str]:
    """The loops of a function on several machines; without ``machines`` on all there are."""
    file = open_file(server, argument)
    line = whole_number(argument, "line") + 1
    names = argument.get("machines")
    if not isinstance(names, list) or not names:
        names = [entry.name for entry in await _in_thread(server, _entries) if not entry.problem]
    settings = file.settings._replace(machine=tuple(map(str, names)), cores=None)
    seen = await _seen(server, file, settings.detailed, (line, line))
    page = await _in_thread(server, partial(render_html, _report(seen)))
    return await _show(server, f"Machines: {Path(file.path).name}:{line}", page, "html")


async def explain(server: Server, argument: Argument, params: Params) -> dict[str, str]:
    """Explain a rule, a model or a term."""
    word = argument.get("word")
    if not isinstance(word, str) or not word:
        raise CommandError('explain: expected {word: "..."}')
    text = await _in_thread(server, partial(server.explain, word))
    if not server.client.reports:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
    return {"title": word, "markdown": text}


async def set_size(server: Server, argument: Argument, params: Params) -> None:
    """Set a size: by a comment above the function that has the line, or for the ``project``."""
    file = open_file(server, argument)
    name, value = argument.get("name"), argument.get("value")
    size = parse_size(f"{name}={value}")
    if argument.get("project") is True:
        await _in_thread(server, partial(_configure, file, *size))
        server.analyse_again()
        return
    line = whole_number(argument, "line")
    edit = actions.size_comment(file.document, line, *size)
    wishes = actions.ActionOptions(versioned=server.client.versioned)
    await server.workspace_apply_edit_async(
        types.ApplyWorkspaceEditParams(
            actions.workspace_edit(file.document, [edit], wishes), f"Set size {size[0]}"
        )
    )


async def analyse_file(server: Server, argument: Argument, params: Params) -> dict[str, int]:
    """Analyse an open file now, whatever the settings say of when."""
    file = open_file(server, argument)
    server.start(file, server.analyse(file, asked=True))
    await file.until_idle()
    if file.failure or file.shown is None:
        raise CommandError(file.failure or "no answer")
    summary = file.shown.seen.result.summary
    shown = len(list(file.shown.marks.loops))
    return {"loops": summary.loops, "analysed": summary.analysed, "shown": shown}


async def machines(server: Server, argument: Argument, params: Params) -> dict[str, object]:
    """Machines to choose from, and those chosen."""
    entries = await _in_thread(server, _entries)
    chosen = server.configuration.machines or (await server.configuration.for_folder(None)).machine
    return {
        "machines": [
            {
                "name": entry.name,
                "description": entry.description,
                "aliases": list(entry.aliases),
                "file": str(entry.file),
            }
            for entry in entries
            if not entry.problem
        ],
        "chosen": list(chosen),
        "default": DEFAULT,
    }


async def select_machine(server: Server, argument: Argument, params: Params) -> None:
    """Use other machines for this session; null takes that back."""
    given = argument.get("machine")
    chosen: tuple[str, ...] | None = None
    if given is not None:
        chosen = _checked({"machine": given}).machine
    server.configuration.machines = chosen
    server.settings_changed()


async def select_cores(server: Server, argument: Argument, params: Params) -> None:
    """Predict for other cores for this session; null takes that back."""
    given = argument.get("cores")
    server.configuration.cores = None if given is None else _checked({"cores": given}).cores
    server.settings_changed()


async def toggle_hints(server: Server, argument: Argument, params: Params) -> dict[str, str]:
    """Show other hints for this session; without an argument none, or those of before."""
    configuration = server.configuration
    given = argument.get("hints")
    if given is not None:
        configuration.hints = _checked({"hints": given}).hints
    else:
        now = (await configuration.for_folder(None)).hints
        configuration.hints = None
        usual = (await configuration.for_folder(None)).hints
        configuration.hints = "off" if now != "off" else usual if usual != "off" else "problems"
    server.settings_changed()
    return {"hints": configuration.hints}


async def status(server: Server, argument: Argument, params: Params) -> dict[str, object]:
    """The status of a file or of the server, as ``rooflint/status`` sends it."""
    return status_of(open_file(server, argument) if "uri" in argument else None)


async def restart_analyser(server: Server, argument: Argument, params: Params) -> None:
    """End the analysing children; the next question starts one."""
    server.analyser.restart()
    server.linting.restart()


def _configure(file: OpenFile, name: str, value: int) -> None:
    """Writes a size into the nearest configuration, or into a new one of the workspace folder."""
    config = ConfigFinder().config_for(Path(file.path))
    folder = file.root or str(Path(file.path).parent)
    table_of(config, folder, file.settings.scenario).write({name: value})


def open_file(server: Server, argument: Argument) -> OpenFile:
    """The open document that a command is about."""
    file = server.file(str(argument.get("uri", "")))
    if file is None:
        raise CommandError(f"{argument.get('uri')}: no open C or C++ document")
    return file


def whole_number(argument: Argument, name: str) -> int:
    """A line or another count of the argument."""
    value = argument.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise CommandError(f"{name}: expected a whole number, got {value!r}")
    return value


def _checked(given: Argument) -> Settings:
    settings, problems = read_settings(given)
    if problems:
        raise CommandError(problems[0])
    return settings


async def _seen(
    server: Server, file: OpenFile, settings: Settings, lines: tuple[int, int] | None
) -> BufferResult:
    answer = await server.analyser.ask(server.buffer_request(file, settings, lines), HOVER)
    if not isinstance(answer, BufferResult):
        raise CommandError(answer.reason if isinstance(answer, Failure) else "no answer")
    return answer


def _report(seen: BufferResult) -> Report:
    result = seen.result
    return Report(
        version=rooflint.__version__,
        machines=seen.machines,
        files=(result.report,),
        summary=result.summary,
    )


async def _show(server: Server, title: str, page: str, ending: str) -> dict[str, str]:
    """Hand a page to a client that shows it, else have it opened from a file."""
    if server.client.reports:
        return {"title": title, "html" if ending == "html" else "text": page}
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="rooflint-", suffix=f".{ending}", delete=False
    ) as file:
        file.write(page)
    if server.client.shows:
        uri = Path(file.name).as_uri()
        await server.window_show_document_async(types.ShowDocumentParams(uri, external=True))
    else:
        message = types.ShowMessageParams(types.MessageType.Info, f"{title}: {file.name}")
        server.window_show_message(message)
    return {"title": title, "path": file.name}


def _entries() -> Sequence[MachineEntry]:
    return list_machines((builtin_dir(), *load_registry().machine_dirs))


async def _in_thread(server: Server, make: Callable[[], Made]) -> Made:
    return await asyncio.get_running_loop().run_in_executor(server.pages, make)

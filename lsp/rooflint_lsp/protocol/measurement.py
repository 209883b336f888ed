"""The command that measures a function: the only one by which code of a workspace runs.

Nothing but the command starts it, and the client has to state with each call that the user trusts
the workspace. ``rooflint measure`` runs as a process of its own: it builds, confines and stores.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from lsprotocol import types
from rooflint.escaping import visible
from rooflint.plugin_api.report import FunctionReport, MachineResult
from rooflint.records import NamedTuple

from rooflint_lsp.documents.open_files import OpenFile
from rooflint_lsp.documents.tracking import TrackedFunction
from rooflint_lsp.protocol.commands import PREFIX, Argument, CommandError, Params
from rooflint_lsp.protocol.progress import CommandProgress
from rooflint_lsp.protocol.server import Server

MEASURE: Final = f"{PREFIX}measure"
RUN, CANCEL = "Run", "Cancel"
FROM_COMMAND_LINE: Final = "command line"
POLL_S: Final = 0.1
END_S: Final = 5.0
"""Time to remove what it has built, and to end the process that it measures."""
GIVEN_UP: Final[dict[str, str | int]] = {"message": "given up", "code": 130}
MEASURED: Final = frozenset((0, 4))
"""Exit codes of a run whose result says all: stable, or disturbed."""


class _EndedCommand(NamedTuple):
    """A process that has ended by itself."""

    code: int
    out: str
    errors: str


class MeasureCommand:
    """One measurement at a time; ``_agreed`` are workspaces in which the user agreed to one."""

    def __init__(self) -> None:
        self._agreed: set[str] = set()
        self._busy = False

    async def __call__(
        self, server: Server, argument: Argument, params: Params
    ) -> dict[str, str | int]:
        """Measures the function on ``line`` (from 0) of the open file ``uri``."""
        if argument.get("trusted") is not True:
            raise CommandError(
                "measure runs code of the workspace: the client has to state that the user"
                " trusts it (trusted: true)"
            )
        file = server.file(str(argument.get("uri", "")))
        if file is None:
            raise CommandError(f"{argument.get('uri')}: no open C or C++ document")
        if self._busy:
            raise CommandError("a measurement is running; cancel it first")
        self._busy = True
        try:
            return await self._measure(server, file, argument, params)
        finally:
            self._busy = False

    async def _measure(
        self, server: Server, file: OpenFile, argument: Argument, params: Params
    ) -> dict[str, str | int]:
        await file.until_idle()
        _check_saved(file)
        function = _function(file, argument.get("line"))
        command = _command(file, function)
        title = f"Rooflint: measuring {visible(function.name)}"
        progress = await CommandProgress.begin(server, params.work_done_token, title)
        try:
            if not await self._is_agreed(server, file, command, progress):
                return GIVEN_UP
            ended = await _run(_with(command, "--yes"), file, progress)
        finally:
            progress.end("")
        if ended is None:
            return GIVEN_UP
        text = ended.out if ended.code in MEASURED else ended.out + ended.errors
        message = "\n".join(map(visible, text.strip().splitlines()))
        kind = types.MessageType.Info if ended.code in MEASURED else types.MessageType.Warning
        server.window_show_message(types.ShowMessageParams(kind, message))
        await server.measured_anew(file)
        return {"message": message, "code": ended.code}

    async def _is_agreed(
        self, server: Server, file: OpenFile, command: Sequence[str], progress: CommandProgress
    ) -> bool:
        """Asks before the first run in a workspace; without a sandbox before each."""
        place = file.folder or os.path.dirname(file.path)
        ended = await _run(_with(command, "--dry-run", "--format", "json"), file, progress)
        if ended is None:
            return False
        if ended.code:
            raise CommandError(visible(ended.errors.strip()) or "measure failed")
        proposal = json.loads(ended.out)
        if place in self._agreed and proposal["is_confined"]:
            return True
        actions = [types.MessageActionItem(RUN), types.MessageActionItem(CANCEL)]
        question = types.ShowMessageRequestParams(
            types.MessageType.Warning, proposal["question"], actions
        )
        answer = await server.window_show_message_request_async(question)
        if answer is None or answer.title != RUN:
            return False
        self._agreed.add(place)
        return True


def add_measurement(server: Server) -> None:
    """The command that measures."""
    server.add_command(MEASURE, MeasureCommand())


def _check_saved(file: OpenFile) -> None:
    try:
        same = Path(file.path).read_bytes() == file.text
    except OSError:
        same = False
    if not same:
        raise CommandError(f"{os.path.basename(file.path)}: save it first, the file is measured")


def _function(file: OpenFile, line: object) -> FunctionReport:
    """The function with loops around a line of the current text."""
    if isinstance(line, bool) or not isinstance(line, int):
        raise CommandError(f"line: expected a whole number, got {line!r}")
    functions = file.shown.marks.functions if file.shown is not None and file.fresh else ()
    around = [each for each in functions if each.mark.line <= line]
    if not around:
        raise CommandError(f"no analysed function at line {line + 1}")
    return max(around, key=_start).report


def _start(function: TrackedFunction) -> int:
    return function.mark.line


def _command(file: OpenFile, function: FunctionReport) -> list[str]:
    """``rooflint measure`` with the settings that the function was analysed with."""
    options = file.settings.options
    # the folder in which it starts may be a stranger's: no module of it is imported
    words = [sys.executable, "-P", "-m", "rooflint", "measure", os.path.abspath(file.path)]
    words += ["--function", function.name]
    results = [r for nest in function.nests for k in nest.kernels for r in k.results[:1]]
    machine = options.machines[0] if options.machines else results[0].machine
    words += ["--machine", machine]
    for size in sorted(set(_set_sizes(results))):
        words += ["-D", size]
    if options.build_dir is not None:
        words += ["-p", options.build_dir]
    return [*words, "--", *options.flags] if options.flags else words


def _set_sizes(results: Iterable[MachineResult]) -> Iterator[str]:
    """Those that the user has set: another function may have no size of such a name."""
    for result in results:
        for name, size in result.sizes.items():
            if size.origin == FROM_COMMAND_LINE:
                yield f"{name}={size.value}"


def _with(command: Sequence[str], *options: str) -> list[str]:
    """Options stand before the compiler's flags."""
    end = command.index("--") if "--" in command else len(command)
    return [*command[:end], *options, *command[end:]]


async def _run(
    command: Sequence[str], file: OpenFile, progress: CommandProgress
) -> _EndedCommand | None:
    """A process in the workspace folder; None where the user gave it up, and it was ended."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=file.root or os.path.dirname(file.path),
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"},
        start_new_session=True,
    )
    reading = asyncio.ensure_future(process.communicate())
    try:
        while not reading.done() and not progress.cancelled:
            await asyncio.wait([reading], timeout=POLL_S)
    finally:
        if not reading.done():
            await _end(process, reading)
    if process.returncode is None or progress.cancelled:
        return None
    out, errors = reading.result()
    return _EndedCommand(
        process.returncode, out.decode("utf-8", "replace"), errors.decode("utf-8", "replace")
    )


async def _end(
    process: asyncio.subprocess.Process, reading: "asyncio.Future[tuple[bytes, bytes]]"
) -> None:
    """Ends a process and what it started, which gets a while to clean up."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        await asyncio.wait([reading], timeout=END_S)
        if reading.done():
            return

"""An editor's status bar, as ``rooflint/status`` sends it."""

from rooflint.escaping import visible

from rooflint_lsp.documents.open_files import OpenFile, ShownReport


def status_of(file: OpenFile | None) -> dict[str, object]:
    """The status of a file, or of the server as a whole."""
    if file is None:
        return _status("", "ready", "", "", "problems", 0, 0)
    shown = file.shown
    loops = len(list(shown.marks.loops)) if shown is not None else 0
    problems = len(list(shown.marks.findings)) if shown is not None else 0
    machine = _machine(shown) if shown is not None else ""
    hints = file.settings.hints
    return _status(file.uri, _state(file), machine, file.failure, hints, loops, problems)


def _state(file: OpenFile) -> str:
    if not file.settings.enable:
        return "off"
    if file.busy and not file.fresh:
        return "analysing"
    if file.failure:
        return "failed"
    return "ready" if file.shown is not None else "starting"


def _machine(shown: ShownReport) -> str:
    """``cell (8 cores)``: the first machine, and how many cores its first loop has."""
    if not shown.seen.machines:
        return ""
    name = shown.seen.machines[0].name
    for loop in shown.marks.loops:
        if loop.kernel.results:
            cores = loop.kernel.results[0].cores
            return f"{name} ({cores} core{'s' if cores != 1 else ''})"
    return name


def _status(
    uri: str, state: str, machine: str, message: str, hints: str, loops: int, problems: int
) -> dict[str, object]:
    return {
        "uri": uri or None,
        "state": state,
        "machine": machine or None,
        "message": visible(message),
        "hints": hints,
        "loops": loops,
        "problems": problems,
    }

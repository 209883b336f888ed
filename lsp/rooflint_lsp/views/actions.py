"""Code actions of a loop: changes with their gain, sizes, and the ways to look further."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from lsprotocol import types
from rooflint.escaping import visible
from rooflint.plugin_api.advice import Edit, Fix, Gain, gain_words
from rooflint.plugin_api.report import KernelReport
from rooflint.records import NamedTuple

from rooflint_lsp.documents.document import Document, TextPosition
from rooflint_lsp.documents.positions import from_bytes
from rooflint_lsp.documents.tracking import TrackedFinding, TrackedLoop, TrackedReport
from rooflint_lsp.views.diagnostics import SOURCE

REPORT: Final = "rooflint.server.report"
EXPLAIN: Final = "rooflint.server.explain"
COMPARE: Final = "rooflint.server.compareMachines"
SET_SIZE_PROMPT: Final = "rooflint.setSize"
KINDS: Final = (
    types.CodeActionKind.QuickFix,
    "source.rooflint.report",
    "source.rooflint.explain",
    "source.rooflint.compareMachines",
)
MOST_SIZES: Final = 3
DEFAULT: Final = "default"


class ActionOptions(NamedTuple):
    """Capabilities of the client, and the actions that it asked for.

    only      kinds of actions it wants; empty: all
    versioned edits name the version of the document
    prompt    sizes are asked from the user by a command of the client
    """

    only: tuple[str, ...] = ()
    versioned: bool = True
    prompt: bool = False

    def wants(self, kind: str) -> bool:
        """Whether actions of ``kind`` are asked for; a kind includes those below it."""
        return not self.only or any(kind == o or kind.startswith(f"{o}.") for o in self.only)


def code_actions(
    document: Document, marks: TrackedReport, asked: types.CodeActionParams, wishes: ActionOptions
) -> list[types.CodeAction]:
    """Fixes, suppressions, sizes and commands for the loops whose headers the range touches."""
    start, end = document.place(asked.range.start), document.place(asked.range.end)
    loops = [loop for loop in marks.loops if _touches(loop.start, loop.stop, start, end)]
    findings = [
        placed for placed in marks.findings if _touches(placed.start, placed.stop, start, end)
    ]
    actions: list[types.CodeAction] = []
    if wishes.wants(types.CodeActionKind.QuickFix):
        for placed in findings:
            actions += _of_finding(document, placed, asked.context.diagnostics, wishes)
        actions += _sizes(document, loops, wishes)
    actions += [each for each in _commands(document, loops, findings) if wishes.wants(_kind(each))]
    return actions


def _touches(
    start: TextPosition, end: TextPosition, first: TextPosition, last: TextPosition
) -> bool:
    return start.line <= last.line and first.line <= end.line


def _kind(action: types.CodeAction) -> str:
    return str(getattr(action.kind, "value", action.kind))


def _of_finding(
    document: Document,
    placed: TrackedFinding,
    shown: Sequence[types.Diagnostic],
    wishes: ActionOptions,
) -> Iterator[types.CodeAction]:
    finding = placed.finding
    own = [d for d in shown if d.source == SOURCE and d.code == finding.code] or None
    # after an edit the lint has not come back from, the places of a fix may be others
    if finding.fix is not None and finding.fix.edits and placed.change == document.changes:
        yield types.CodeAction(
            title=f"{visible(finding.fix.title)}{_promise(finding.gain, finding.fix)}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=own,
            edit=workspace_edit(document, [_edit(document, e) for e in finding.fix.edits], wishes),
            is_preferred=finding.fix.safety == "safe" or None,
        )
    yield types.CodeAction(
        title=f"Suppress {finding.code} here",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=own,
        edit=workspace_edit(document, [suppression(document, placed.line, finding.code)], wishes),
    )


def _promise(gain: Gain | None, fix: Fix) -> str:
    """``: predicted 5.4x faster``, and a warning where the results may differ."""
    return (f": predicted {gain_words(gain)} faster" if gain is not None else "") + (
        " (may change rounding or rest on assumptions that only you can check)"
        if fix.safety == "unsafe"
        else ""
    )


def suppression(document: Document, line: int, code: str) -> types.TextEdit:
    """A comment above the loop that accepts the finding."""
    return _comment_above(document, line, f"allow({code}) accepted")


def size_comment(document: Document, line: int, name: str, value: int) -> types.TextEdit:
    """A comment above ``line`` that sets a size."""
    return _comment_above(document, line, f"{name}={value}")


def _comment_above(document: Document, line: int, text: str) -> types.TextEdit:
    below = document.lines[line] if line < len(document.lines) else "\n"
    indent = below[: len(below) - len(below.lstrip())].strip("\r\n")
    end = "\r\n" if below.endswith("\r\n") else "\n"
    place = document.position(TextPosition(line, 0))
    return types.TextEdit(types.Range(place, place), f"{indent}// rooflint: {text.strip()}{end}")


def _sizes(
    document: Document, loops: Iterable[TrackedLoop], wishes: ActionOptions
) -> Iterator[types.CodeAction]:
    offered: set[tuple[int, str]] = set()
    for loop in loops:
        line = loop.function.line - 1 + loop.start.line - loop.header[0].line
        for name, value in guessed_sizes(loop.kernel):
            if (line, name) in offered or len(offered) >= MOST_SIZES:
                continue
            offered.add((line, name))
            argument = {"uri": document.uri, "line": line, "name": name, "value": value}
            prompt = types.Command(visible(f"Set {name}"), SET_SIZE_PROMPT, arguments=[argument])
            edit = size_comment(document, line, name, value)
            yield types.CodeAction(
                title=visible(f"Set size {name} in {loop.function.name} ({value} is a guess)"),
                kind=types.CodeActionKind.QuickFix,
                edit=None if wishes.prompt else workspace_edit(document, [edit], wishes),
                command=prompt if wishes.prompt else None,
            )


def guessed_sizes(kernel: KernelReport) -> Iterator[tuple[str, int]]:
    """Sizes of a kernel that have their default, with it."""
    if kernel.results:
        for name, size in kernel.results[0].sizes.items():
            if size.origin == DEFAULT:
                yield name, size.value


def _commands(
    document: Document, loops: Sequence[TrackedLoop], findings: Sequence[TrackedFinding]
) -> Iterator[types.CodeAction]:
    words: dict[str, str] = {p.finding.code: p.finding.code for p in findings}
    for loop in loops[-1:]:
        place = {"uri": document.uri, "line": loop.start.line}
        name = loop.function.name
        yield _action("source.rooflint.report", f"Show the report of {name}", REPORT, place)
        yield _action(
            "source.rooflint.compareMachines", "Compare machines for this loop", COMPARE, place
        )
        if loop.kernel.results:
            words |= {p.model: f"the {p.model} model" for p in loop.kernel.results[0].predictions}
    for word, title in words.items():
        yield _action("source.rooflint.explain", f"Explain {title}", EXPLAIN, {"word": word})


def _action(kind: str, title: str, command: str, argument: dict[str, Any]) -> types.CodeAction:
    shown = visible(title)
    return types.CodeAction(
        title=shown, kind=kind, command=types.Command(shown, command, arguments=[argument])
    )


def _edit(document: Document, edit: Edit) -> types.TextEdit:
    """An edit of a report (bytes from 1) in the client's units."""
    start = _position(document, edit.line, edit.column)
    return types.TextEdit(
        types.Range(start, _position(document, edit.end_line, edit.end_column)), edit.text
    )


def _position(document: Document, line: int, column: int) -> types.Position:
    text = document.lines[line - 1] if 0 < line <= len(document.lines) else ""
    return document.position(TextPosition(line - 1, from_bytes(text, column)))


def workspace_edit(
    document: Document, edits: Sequence[types.TextEdit], wishes: ActionOptions
) -> types.WorkspaceEdit:
    """Edits of one document; with its version where the client checks that."""
    if not wishes.versioned:
        return types.WorkspaceEdit(changes={document.uri: list(edits)})
    named = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(named, list(edits))])

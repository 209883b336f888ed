"""Code actions of a loop: changes with their gain, sizes, and the ways to look further."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Any, Final

from lsprotocol import types
from rooflint.escaping import visible
from rooflint.plugin_api.advice import Advice, Edit, Fix, gain_text
from rooflint.plugin_api.report import FunctionReport, KernelReport
from rooflint.plugin_api.verdict import Verdict
from rooflint.records import NamedTuple
from rooflint.verdict.words import resource_words

from rooflint_lsp.documents.document import Document, TextPosition
from rooflint_lsp.documents.open_files import ShownReport
from rooflint_lsp.documents.positions import from_bytes
from rooflint_lsp.documents.tracking import TrackedFinding, TrackedLoop
from rooflint_lsp.views.diagnostics import SOURCE, verdict_of

REPORT: Final = "rooflint.server.report"
EXPLAIN: Final = "rooflint.server.explain"
COMPARE: Final = "rooflint.server.compareMachines"
SET_SIZE: Final = "rooflint.server.setSize"
SET_SIZE_PROMPT: Final = "rooflint.setSize"
FIX: Final = "rooflint.server.applyFix"
SUPPRESS: Final = "rooflint.server.suppress"
EXPLAIN_KIND: Final = "quickfix.rooflint.explain"
REPORT_KIND: Final = "refactor.rooflint.report"
COMPARE_KIND: Final = "refactor.rooflint.compareMachines"
"""Below the kinds that a light bulb lists: VS Code keeps ``source`` and what is below out of it."""
FIX_ALL_KIND: Final = "source.fixAll.rooflint"
"""Asked for by name only, as on saving."""
KINDS: Final = (
    types.CodeActionKind.QuickFix,
    EXPLAIN_KIND,
    REPORT_KIND,
    COMPARE_KIND,
    FIX_ALL_KIND,
)
MOST_ROWS: Final = 8
"""Rows of a light bulb; a longer list is no help."""
WIDEST_SKETCH: Final = 96
"""Characters of a line of a comment that is inserted."""
MOST_SIZES: Final = 3
GUESSED: Final = "role"


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


class ActionRank(IntEnum):
    """The order in which actions stay where there are too many: the lower, the longer.

    WAY_ON  the report, and of the first finding its explanation and its wider suppression
    OTHER   the same of further findings, and the explanation of the limit
    """

    CHANGE = 0
    WAY_ON = 1
    SIZE = 2
    PROJECT_SIZE = 3
    COMPARISON = 4
    OTHER = 5


def code_actions(
    document: Document, shown: ShownReport, asked: types.CodeActionParams, wishes: ActionOptions
) -> list[types.CodeAction]:
    """Fixes, suppressions, sizes and commands for the loops whose headers the range touches."""
    marks = shown.marks
    start, end = document.place(asked.range.start), document.place(asked.range.end)
    loops = [loop for loop in marks.loops if _touches(loop.start, loop.stop, start, end)]
    findings = [
        placed for placed in marks.findings if _touches(placed.start, placed.stop, start, end)
    ]
    ranked: list[tuple[ActionRank, types.CodeAction]] = []
    if wishes.wants(types.CodeActionKind.QuickFix):
        ranked += _of_findings(document, shown, findings, asked.context.diagnostics, wishes)
        ranked += _sizes(document, loops, wishes)
    commands = _commands(document, shown, loops, findings)
    ranked += filter(lambda each: wishes.wants(_kind(each[1])), commands)
    if wishes.only and wishes.wants(FIX_ALL_KIND):
        ranked += [(ActionRank.CHANGE, each) for each in _fix_all(document, shown, wishes)]
    return most_useful(ranked)


def _of_findings(
    document: Document,
    shown: ShownReport,
    findings: Sequence[TrackedFinding],
    listed: Sequence[types.Diagnostic],
    wishes: ActionOptions,
) -> Iterator[tuple[ActionRank, types.CodeAction]]:
    for placed in findings:
        verdict = verdict_of(shown, placed)
        for action in _of_finding(document, placed, verdict, listed, wishes):
            yield ActionRank.CHANGE, action
        rank = ActionRank.WAY_ON if placed is findings[0] else ActionRank.OTHER
        yield rank, _wider_suppression(document, placed)


def most_useful(ranked: Sequence[tuple[ActionRank, types.CodeAction]]) -> list[types.CodeAction]:
    """As many actions as a light bulb has rows, in their order."""
    kept = sorted(range(len(ranked)), key=lambda number: ranked[number][0])[:MOST_ROWS]
    return [ranked[number][1] for number in sorted(kept)]


def _fix_all(
    document: Document, shown: ShownReport, wishes: ActionOptions
) -> Iterator[types.CodeAction]:
    """One action with all safe fixes of the file; of those that overlap the first."""
    edits: list[types.TextEdit] = []
    for placed in sorted(shown.marks.findings, key=lambda each: each.start):
        fix = placed.finding.fix
        own = fix_edits(document, placed) if fix is not None and fix.safety == "safe" else []
        if not any(_overlap(one.range, two.range) for one in own for two in edits):
            edits += own
    if edits:
        yield types.CodeAction(
            title="Make all bit-exact changes",
            kind=FIX_ALL_KIND,
            edit=workspace_edit(document, edits, wishes),
        )


def _overlap(one: types.Range, two: types.Range) -> bool:
    """Whether two edits touch the same text, or insert at the same place."""
    return one == two or (one.start < two.end and two.start < one.end)


def _touches(
    start: TextPosition, end: TextPosition, first: TextPosition, last: TextPosition
) -> bool:
    return start.line <= last.line and first.line <= end.line


def _kind(action: types.CodeAction) -> str:
    return str(getattr(action.kind, "value", action.kind))


def _of_finding(
    document: Document,
    placed: TrackedFinding,
    verdict: Verdict | None,
    listed: Sequence[types.Diagnostic],
    wishes: ActionOptions,
) -> Iterator[types.CodeAction]:
    finding, fix = placed.finding, placed.finding.fix
    own = [d for d in listed if d.source == SOURCE and d.code == finding.code] or None
    edits = fix_edits(document, placed)
    if edits and fix is not None:
        yield types.CodeAction(
            title=f"{visible(fix.title)}{_promise(finding, verdict)}{_caution(fix)}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=own,
            edit=workspace_edit(document, edits, wishes),
            is_preferred=fix.safety == "safe" or None,
        )
    elif fix is None or not fix.edits:
        yield _insertion(document, placed, _promise(finding, verdict), own, wishes)
    yield types.CodeAction(
        title=f"Suppress {finding.code} here",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=own,
        edit=workspace_edit(document, [suppression(document, placed.line, finding.code)], wishes),
    )


def _wider_suppression(document: Document, placed: TrackedFinding) -> types.CodeAction:
    code = placed.finding.code
    title = f"Suppress {code} in the function, file or project…"
    argument = {"uri": document.uri, "line": placed.line, "code": code}
    return _action(types.CodeActionKind.QuickFix, title, SUPPRESS, argument)


def _insertion(
    document: Document,
    placed: TrackedFinding,
    promise: str,
    own: list[types.Diagnostic] | None,
    wishes: ActionOptions,
) -> types.CodeAction:
    """The action of a finding that no edit can serve."""
    finding = placed.finding
    title = visible(finding.fix.title) if finding.fix is not None else finding.slug
    return types.CodeAction(
        title=f"Insert sketch of {finding.code}: {title}{promise}",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=own,
        edit=workspace_edit(document, [sketch_comment(document, placed)], wishes),
    )


def fix_edits(document: Document, placed: TrackedFinding) -> list[types.TextEdit]:
    """The edits of a finding's fix; none after an edit that the lint has not come back from, for
    the places may be others then.
    """
    fix = placed.finding.fix
    if fix is None or placed.change != document.changes:
        return []
    return [_edit(document, each) for each in fix.edits]


def _promise(finding: Advice, verdict: Verdict | None) -> str:
    """``: predicted 5.4× faster``, as the verdict has it; nothing for a note."""
    gain = finding.gain.low if finding.gain is not None else None
    if verdict is not None and verdict.advice is not None and verdict.advice.rule == finding.code:
        gain = verdict.time.gain
    return "" if gain is None else f": predicted {gain_text(gain)} faster"


def _caution(fix: Fix) -> str:
    if fix.safety != "unsafe":
        return ""
    return " (may change rounding or rest on assumptions that only you can check)"


def sketch_comment(document: Document, placed: TrackedFinding) -> types.TextEdit:
    """The change as a comment above the loop: the code as it becomes, or the finding in words."""
    finding = placed.finding
    fix = finding.fix
    title = fix.title if fix is not None else finding.message
    lines = textwrap.wrap(f"{finding.code}: {title}", WIDEST_SKETCH)
    if fix is not None:
        lines += [line.removeprefix("// ") for line in fix.sketch.splitlines()]
    return _lines_above(document, placed.line, [f"// {visible(line)}".rstrip() for line in lines])


def suppression(document: Document, line: int, code: str) -> types.TextEdit:
    """A comment above the loop that accepts the finding."""
    return _comment_above(document, line, f"allow({code}) accepted")


def file_suppression(document: Document, code: str) -> types.TextEdit:
    """A comment on the first line that accepts all findings of a rule in the file."""
    return _comment_above(document, 0, f"file-allow({code}) accepted")


def size_comment(document: Document, line: int, name: str, value: int) -> types.TextEdit:
    """A comment above ``line`` that sets a size."""
    return _comment_above(document, line, f"{name}={value}")


def _comment_above(document: Document, line: int, text: str) -> types.TextEdit:
    return _lines_above(document, line, [f"// rooflint: {text.strip()}"])


def _lines_above(document: Document, line: int, texts: Sequence[str]) -> types.TextEdit:
    below = document.lines[line] if line < len(document.lines) else "\n"
    indent = below[: len(below) - len(below.lstrip())].strip("\r\n")
    end = "\r\n" if below.endswith("\r\n") else "\n"
    place = document.position(TextPosition(line, 0))
    text = "".join([f"{indent}{each}{end}" for each in texts])
    return types.TextEdit(types.Range(place, place), text)


def _sizes(
    document: Document, loops: Iterable[TrackedLoop], wishes: ActionOptions
) -> Iterator[tuple[ActionRank, types.CodeAction]]:
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
            in_function = types.CodeAction(
                title=visible(f"Set size {name} in {loop.function.name} ({value} is a guess)"),
                kind=types.CodeActionKind.QuickFix,
                edit=None if wishes.prompt else workspace_edit(document, [edit], wishes),
                command=prompt if wishes.prompt else None,
            )
            yield ActionRank.SIZE, in_function
            scoped = project_name(loop.function, name)
            argument = {**argument, "name": scoped, "project": True}
            title = visible(f"Set size {scoped} for the project ({value} is a guess)")
            command = SET_SIZE_PROMPT if wishes.prompt else SET_SIZE
            in_project = types.CodeAction(
                title=title,
                kind=types.CodeActionKind.QuickFix,
                command=types.Command(title, command, arguments=[argument]),
            )
            yield ActionRank.PROJECT_SIZE, in_project


def project_name(function: FunctionReport, size: str) -> str:
    """A size with its scope, as the configuration takes it: ``gemm:n``."""
    for each in function.values:
        if each.size == size and each.scope:
            return f"{each.scope.rpartition('::')[2]}:{each.name}"
    return size


def guessed_sizes(kernel: KernelReport) -> Iterator[tuple[str, int]]:
    """Sizes of a kernel that are guessed, with their values."""
    if kernel.results:
        for name, size in kernel.results[0].sizes.items():
            if size.origin == GUESSED:
                yield name, size.value


def _commands(
    document: Document,
    shown: ShownReport,
    loops: Sequence[TrackedLoop],
    findings: Sequence[TrackedFinding],
) -> Iterator[tuple[ActionRank, types.CodeAction]]:
    words = {placed.finding.code: (ActionRank.OTHER, placed.finding.code) for placed in findings}
    for placed in findings[:1]:
        words[placed.finding.code] = (ActionRank.WAY_ON, placed.finding.code)
    for loop in loops[-1:]:
        place = {"uri": document.uri, "line": loop.start.line}
        name = loop.function.name
        report = _action(REPORT_KIND, f"Show the report of {name}", REPORT, place)
        yield ActionRank.WAY_ON, report
        comparison = _action(COMPARE_KIND, "Compare machines for this loop", COMPARE, place)
        yield ActionRank.COMPARISON, comparison
        verdicts = shown.verdicts.get(loop.kernel.id, ())
        limiter = verdicts[0].limiter if verdicts else None
        if limiter is not None:
            limit = resource_words(limiter)
            words[limit] = (ActionRank.OTHER, f"the limit: {limit}")
    for word, (rank, title) in words.items():
        yield rank, _action(EXPLAIN_KIND, f"Explain {title}", EXPLAIN, {"word": word})


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

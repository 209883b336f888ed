"""Diagnostics of configurations and machine files."""

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from rooflint.errors import ConfigurationError
from rooflint.escaping import visible

from rooflint_lsp.documents.document import Document, TextPosition
from rooflint_lsp.views.diagnostics import SOURCE


def problem_diagnostics(
    problems: Sequence[ConfigurationError], path: Path, document: Document
) -> list[types.Diagnostic]:
    """One for each problem, on its line; on the first line where it lies in another file."""
    return [_diagnostic(problem, path, document) for problem in problems]


def _diagnostic(problem: ConfigurationError, path: Path, document: Document) -> types.Diagnostic:
    own = problem.file == str(path)
    line = min(max(problem.line, 1) if own else 1, max(len(document.lines), 1)) - 1
    text = document.lines[line].rstrip("\r\n") if document.lines else ""
    start = len(text) - len(text.lstrip())
    ends = (TextPosition(line, start), TextPosition(line, len(text)))
    return types.Diagnostic(
        range=types.Range(*map(document.position, ends)),
        message=visible(problem.problem if own else str(problem)),
        severity=types.DiagnosticSeverity.Error,
        source=SOURCE,
    )

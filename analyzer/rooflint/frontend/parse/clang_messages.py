"""Which error libclang reports: its C interface has no number for one, so its text is read here.

Nothing else in the program looks into libclang's sentences.
"""

import re
from typing import Final

from rooflint.frontend.parse.shims import UNDEFINED_FOR_LOCAL_TYPE
from rooflint.ir import Diagnostic, DiagnosticKind
from rooflint.startup.late_pattern import late_pattern

NO_ERRORS: Final = (
    late_pattern(f".*{re.escape(UNDEFINED_FOR_LOCAL_TYPE)}", re.DOTALL),
    # C++ of clang's own mind about pointers to variable-length arrays; gcc takes it, the tree is
    # whole
    late_pattern(r"cannot initialize .* of type '([^']*\[[^']*)' with an .* of type '\1'$"),
)
"""Errors that say nothing of the file."""
_NO_DIRECTIVE: Final = late_pattern(r"invalid preprocessing directive")
KINDS: Final[tuple[tuple[re.Pattern[str], DiagnosticKind], ...]] = (
    (late_pattern(r"'([^']*)' file not found$"), "missing-header"),
    (late_pattern(r"'([^']*)' file not found"), "misspelt-header"),
    (late_pattern(r"call to undeclared function "), "undeclared-function"),
    (late_pattern(r".*type specifier missing", re.DOTALL), "missing-type"),
)


def is_error(message: str) -> bool:
    """Whether a message of libclang's is about the file."""
    return not any(pattern.match(message) for pattern in NO_ERRORS)


def is_on_directive(message: str) -> bool:
    """Whether a line begins as a directive that C does not have, as ``#cmakedefine``."""
    return _NO_DIRECTIVE.match(message) is not None


def error_at(line: int, column: int, message: str) -> Diagnostic:
    """The diagnostic of a message of libclang's, with its kind and the header that it names."""
    for pattern, kind in KINDS:
        found = pattern.match(message)
        if found is not None:
            subject = found.group(1) if pattern.groups else ""
            return Diagnostic(line, column, "error", message, kind, subject)
    return Diagnostic(line, column, "error", message)


def names_a_place(message: str) -> bool:
    """Whether a message says where something without a name stands: ``(lambda at a.cpp:3:1)``."""
    return any(mark in message for mark in ("(unnamed ", "(anonymous ", "(lambda at "))

"""Nests of the IR as C: what a changed nest looks like to people and to compilers.

``written`` gives the text of nodes; ``place`` finds what a change replaced in a source file, and
puts the new text there. What the IR does not keep (comments, arguments that calls take, members of
structures) is not made up: ``NotWrittenError`` says what is missing.
"""

from rooflint.source_edit.c_writer.nodes import written
from rooflint.source_edit.c_writer.place import (
    Part,
    Rewritten,
    changed_part,
    replaced_text,
    rewritten,
)
from rooflint.source_edit.c_writer.words import NotWrittenError, Scope

__all__ = [
    "NotWrittenError",
    "Part",
    "Rewritten",
    "Scope",
    "changed_part",
    "replaced_text",
    "rewritten",
    "written",
]

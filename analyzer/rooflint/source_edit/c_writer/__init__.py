"""Nests of the IR as C text, for people and for compilers.

``written`` gives the text of nodes; ``place`` finds what a change replaced in a source file, and
puts the new text there. What the IR does not keep (comments, arguments that calls take, members of
structures) is not made up: ``NotWrittenError`` says what is missing.
"""

from rooflint.source_edit.c_writer.nodes import write_nest
from rooflint.source_edit.c_writer.place import (
    ChangedPart,
    Replacement,
    changed_part,
    rewrite_part,
    text_after,
)
from rooflint.source_edit.c_writer.words import NestScope, NotWrittenError

__all__ = [
    "ChangedPart",
    "NestScope",
    "NotWrittenError",
    "Replacement",
    "changed_part",
    "rewrite_part",
    "text_after",
    "write_nest",
]

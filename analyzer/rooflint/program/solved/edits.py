"""Edits of a program that leave its values alone: those of lines, and of the amount of work.

Whoever types in a loop changes operators there, and seldom a size. What sizes and trip counts rest
on is then equal before and after, and so are they.
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from rooflint.ir.equations import (
    BoundedLoop,
    BranchSite,
    CallSite,
    DefinedFunction,
    Equation,
    Equations,
    PointerCall,
)
from rooflint.program.linking import ProgramEquations, link_files

_LineRecord: TypeAlias = Equation | BranchSite | CallSite | PointerCall
_SpanRecord: TypeAlias = DefinedFunction | BoundedLoop

_PLACELESS: Final = ("path", "quantities", "accessors", "addresses", "counters", "upper_ends")
"""Fields that values rest on and that have no places. Comments set sizes, and are compared where
they are read."""


def edited_program(before: ProgramEquations, files: Iterable[Equations]) -> ProgramEquations | None:
    """The program of these files, if all its values are those ``before``; else None."""
    after = sorted(files, key=lambda file: file.path)
    old = [file.equations for file in before.files]
    if len(old) != len(after) or not all(map(_have_same_values, old, after)):
        return None
    if not all(map(_have_same_places, old, after)):
        return link_files(after)
    linked = zip(before.files, after, strict=True)
    return before._replace(files=tuple([file._replace(equations=own) for file, own in linked]))


def _have_same_places(before: Equations, after: Equations) -> bool:
    return replace(before, work=after.work, comments=after.comments) == after


def _have_same_values(before: Equations, after: Equations) -> bool:
    return (
        all(getattr(before, field) == getattr(after, field) for field in _PLACELESS)
        and _differ_in_lines(before.equations, after.equations)
        and _differ_in_lines(before.branches, after.branches)
        and _differ_in_lines(before.calls, after.calls)
        and _differ_in_lines(before.pointer_calls, after.pointer_calls)
        and _differ_in_spans(before.functions, after.functions)
        and _differ_in_spans(before.loops, after.loops)
    )


def _differ_in_lines(before: Sequence[_LineRecord], after: Sequence[_LineRecord]) -> bool:
    """Whether the records are the same but for their lines, if at all."""
    return len(before) == len(after) and all(
        old is new or old == new or replace(old, line=new.line) == new
        for old, new in zip(before, after, strict=True)
    )


def _differ_in_spans(before: Sequence[_SpanRecord], after: Sequence[_SpanRecord]) -> bool:
    """Whether the records are the same but for their spans, if at all."""
    return len(before) == len(after) and all(
        old is new or old == new or replace(old, span=new.span) == new
        for old, new in zip(before, after, strict=True)
    )

"""Edits of a program that leave its values alone: those of lines, and of the amount of work.

Whoever types in a loop changes operators there, and seldom a size. What sizes and trip counts rest
on is then equal before and after, and so are they.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from rooflint.ir.equations import (
    BoundedLoop,
    DefinedFunction,
    Equations,
    LineRecord,
)
from rooflint.program.linking import ProgramEquations, link_files

_PlacedRecord: TypeAlias = LineRecord | DefinedFunction | BoundedLoop

_PLACELESS: Final = (
    "path", "quantities", "accessors", "addresses", "pointer_flows", "counters", "upper_ends",
    "tables",
)  # fmt: skip
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
        and _differ_in("line", before.equations, after.equations)
        and _differ_in("line", before.branches, after.branches)
        and _differ_in("line", before.calls, after.calls)
        and _differ_in("line", before.pointer_calls, after.pointer_calls)
        and _differ_in("span", before.functions, after.functions)
        and _differ_in("span", before.loops, after.loops)
    )


def _differ_in(
    field: Literal["line", "span"], before: Sequence[_PlacedRecord], after: Sequence[_PlacedRecord]
) -> bool:
    """Whether the records are the same but for their places, if at all."""
    return len(before) == len(after) and all(
        old == new or replace(old, **{field: getattr(new, field)}) == new
        for old, new in zip(before, after, strict=True)
    )

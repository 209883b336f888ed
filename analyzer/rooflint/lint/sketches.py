"""A change as code to read: the nest as it becomes, where that is short enough to be of use."""

from collections.abc import Iterable
from typing import Final

from rooflint.ir import Region, SourceFunction
from rooflint.source_edit.c_writer import ChangedPart, NotWrittenError, changed_part, rewrite_part
from rooflint.source_edit.edits import EditableSource
from rooflint.transform.replay import apply
from rooflint.transform.result import ChangeRefusal, TransformStep

MOST_LINES: Final = 40
WIDEST: Final = 120


def sketch_of(text: EditableSource, source: SourceFunction, steps: Iterable[TransformStep]) -> str:
    """The lines that replace what the steps make others of; empty where none can be shown.

    From the steps, because a rule may price one side of a branch alone. A directive alone is
    shorter said than the nest under it. The IR keeps no comments, and the first line says which
    lines are replaced.
    """
    result = apply(source.function, steps)
    if isinstance(result, ChangeRefusal):
        return ""
    after = result.function
    try:
        part = changed_part(source.function, after)
        if _only_directive(part) and text.takes_directives(source.spans[part.old[0].origin]):
            return ""
        change = rewrite_part(text, source, part, after, part.new)
    except NotWrittenError:
        return ""
    if change.text == _as_it_is(text, source, part):
        return ""  # what differs has no form in C, such as a copy of what a condition reads
    shown = _dedented(change.text.splitlines())
    if len(shown) > MOST_LINES or max(map(len, shown)) > WIDEST:
        return ""
    first, last = change.span.line, change.span.end_line
    where = f"line {first}" if first == last else f"lines {first} to {last}"
    return "\n".join((f"// in place of {where}, without comments", *shown))


def _as_it_is(text: EditableSource, source: SourceFunction, part: ChangedPart) -> str:
    try:
        return rewrite_part(text, source, part, source.function, part.old).text
    except NotWrittenError:
        return ""


def _dedented(lines: list[str]) -> list[str]:
    """Lines as far to the left as they go; directives stand there already."""
    code = [each for each in lines if each[:1] not in ("", "#")]
    indent = min([len(each) - len(each.lstrip()) for each in code])
    return [each if each.startswith("#") else each[indent:] for each in lines]


def _only_directive(part: ChangedPart) -> bool:
    [*others, last] = part.new
    return not others and isinstance(last, Region) and last.body == part.old

"""An answer to an edit held against a whole extraction: they have to be equal in every bit."""

from rooflint.frontend.edited.text_edits import text_edit
from rooflint.frontend.equations.extraction import ExtractedFile
from rooflint.ir import Unit

SHOWN_BYTES = 60


def difference(before: bytes, found: ExtractedFile, whole: ExtractedFile) -> str:
    """Where the answer to an edit of ``before`` differs from the extraction of the whole file, with
    the edit that led to it; empty where they are equal."""
    part = _differing_part(found, whole)
    if not part:
        return ""
    after = whole.trace.data
    edit = text_edit(before, after)
    gone, come = before[edit.begin : edit.end], after[edit.begin : edit.end + edit.added]
    return (
        f"{whole.unit.path}: after an edit, {part} differs from that of the whole file: at byte"
        f" {edit.begin}, {_shown(gone)} became {_shown(come)}; please report it"
    )


def _differing_part(found: ExtractedFile, whole: ExtractedFile) -> str:
    if found.unit != whole.unit:
        return _differing_function(found.unit, whole.unit)
    if found.equations == whole.equations:
        return ""
    kinds = whole.equations.__struct_fields__
    pairs = ((k, getattr(found.equations, k), getattr(whole.equations, k)) for k in kinds)
    return next(f"the list of {kind}" for kind, mine, other in pairs if mine != other)


def _differing_function(found: Unit, whole: Unit) -> str:
    if len(found.functions) == len(whole.functions):
        for mine, other in zip(found.functions, whole.functions, strict=True):
            if mine != other:
                return f"function '{other.function.name}'"
    kinds = (kind for kind in Unit._fields if getattr(found, kind) != getattr(whole, kind))
    return f"the list of {next(kinds)}"


def _shown(text: bytes) -> str:
    return ascii(text[:SHOWN_BYTES].decode("utf-8", "replace"))

"""Values without closed form as the source writes them: text whose names are known as names."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

from rooflint.ir.reasons import Reason
from rooflint.records import NamedTuple

UNKNOWN_MARK: Final = "?"
"""Stands before a value without closed form where the IR is printed; people do not read it."""


class SourceName(NamedTuple):
    """A name in a source text: of an array, or of a variable, an index or a size."""

    name: str
    kind: Literal["array", "variable"] = "variable"


Piece: TypeAlias = str | SourceName
SourceForm: TypeAlias = tuple[Piece, ...]
"""``col[j]`` is the array ``col``, ``[``, the variable ``j``, ``]``."""


def form_text(form: Iterable[Piece]) -> str:
    """The text, with the marks of values without closed form."""
    return "".join([piece if isinstance(piece, str) else piece.name for piece in form])


def plain_form(form: Iterable[Piece]) -> str:
    """The text without those marks: ``a[col[j]]`` for ``a[?col[j]]``."""
    return form_text([piece for piece in form if piece != UNKNOWN_MARK])


def join_pieces(pieces: Iterable[Piece]) -> SourceForm:
    """The form of these pieces: texts beside each other are one, so that equal forms are equal."""
    form: list[Piece] = [UNKNOWN_MARK]
    for piece in pieces:
        last = form[-1]
        if UNKNOWN_MARK in (piece, last) or not (isinstance(piece, str) and isinstance(last, str)):
            form += [piece] if piece else []
        else:
            form[-1] = last + piece
    return tuple(form[1:])


def without_marks(form: Iterable[Piece], marks: str = "@") -> SourceForm:
    """The form without these characters: by default the marks of unfinished names."""
    drop = dict.fromkeys(map(ord, marks))
    return join_pieces(
        [
            piece.translate(drop)
            if isinstance(piece, str)
            else piece._replace(name=piece.name.translate(drop))
            for piece in form
        ]
    )


def names_in_form(form: Iterable[Piece], kind: str = "") -> list[str]:
    """The names of that kind, or all of them, in order and perhaps some of them twice."""
    return [p.name for p in form if isinstance(p, SourceName) and kind in ("", p.kind)]


def with_names(form: SourceForm, values: Mapping[str, SourceForm]) -> SourceForm:
    """The form with variables replaced, in parentheses unless they are alone in brackets."""
    result: list[Piece] = []
    for number, piece in enumerate(form):
        variable = isinstance(piece, SourceName) and piece.kind == "variable"
        value = values.get(form_text((piece,))) if variable else None
        if value is None:
            result.append(piece)
            continue
        before, behind = form_text(form[:number]), form_text(form[number + 1 :])
        alone = before.endswith("[") and behind.startswith("]")
        bare = alone or form_text(value).isalnum()
        result += value if bare else ("(", *value, ")")
    return join_pieces(result)


class DataSize(str):
    """The name of a size that the data decides: its source text, ``row[k+1]-row[k]``."""

    __slots__ = ("form",)
    form: SourceForm

    def __new__(cls, form: Iterable[Piece]) -> "DataSize":
        """The size of that source text."""
        size = super().__new__(cls, form_text(form := join_pieces(form)))
        size.form = form
        return size

    def form_before(self, begin: SourceForm) -> SourceForm:
        """``row[k+1]`` of ``row[k+1]-row[k]``, which ends in ``begin``; empty for other sizes."""
        own = self.form[: -len(begin)]
        last = own[-1] if own and self.form[-len(begin) :] == begin else ""
        return (*own[:-1], last[:-1]) if isinstance(last, str) and last[-1:] == "-" else ()


class Unknown(NamedTuple):
    """A value without closed form: as the source writes it, why, and the names it varies with.

    ``pace``: the largest step, in one direction, that it may take in an iteration of the only loop
    it varies with, as an index that a branch counts; 0 where nothing bounds it. ``limit``: how many
    neighbouring numbers it may be one of, as 256 of a byte; 0 where nothing bounds it.
    """

    form: SourceForm
    reason: Reason
    depends: tuple[str, ...] = ()
    pace: int = 0
    limit: int = 0

    @property
    def text(self) -> str:
        """The source text."""
        return form_text(self.form)

    @property
    def variable(self) -> str:
        """The variable that it is the value of; empty where it is an element or computed."""
        head = self.form[0] if len(self.form) == 1 else ""
        return head.name if isinstance(head, SourceName) else ""

    def __str__(self) -> str:
        return f"{UNKNOWN_MARK}{self.text}"

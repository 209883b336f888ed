"""``rooflint:`` comments in the source: sizes, facts about a function, and what to leave out.

comment                     meaning
rooflint: N=4096            the value of a size parameter; several with commas
rooflint: trip(n=1e6)       the trip count of loop ``n``, or the value of a size named so
rooflint: noalias(a, b)     the arrays do not overlap
rooflint: threads(8)        a parallel region runs on so many cores
rooflint: allow(RL101) why  this finding is accepted here, with the reason
rooflint: file-allow(RL101) why  it is accepted in the whole file
rooflint: off ... on        loops between the two are not reported
NOLINT(RL101)               as allow, in the form that other linters read; NOLINTNEXTLINE too
NOLINT                      nothing at this line, whoever looks; so NOLINTNEXTLINE and NOLINT(*)
NOLINTBEGIN ... NOLINTEND   nothing in these lines, or not what stands in parentheses after both

A comment inside a function, or on the line directly above it, concerns that function; any other
concerns the whole file. Parsing is strict: what is not understood is a warning, because a typo that
passes silently leaves a wrong number standing.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rooflint.errors import UsageError, near_miss
from rooflint.ir import Comment, Diagnostic, Span
from rooflint.plugin_api.rule_code import EVERY_CODE, is_selector, names_a_number
from rooflint.records import NamedTuple
from rooflint.scenario.sizes import parse_size, size_key
from rooflint.startup.late_pattern import late_pattern

FORMS = (
    "N=4096", "trip(n=1e6)", "noalias(a, b)", "threads(8)", "allow(RL101) reason",
    "file-allow(RL101) reason", "off", "on",
)  # fmt: skip
IDENTIFIER = late_pattern(r"[A-Za-z_]\w*")
CALLS = ("trip", "noalias", "threads", "allow", "file-allow")
WORDS = (*CALLS, "off", "on")
_NOLINT = late_pattern(r"NOLINT(NEXTLINE|BEGIN|END)?(?:\(([^()]*)\))?")
WHOLE_FILE = range(1, sys.maxsize)
EVERYTHING = (EVERY_CODE,)
"""The codes of a comment that names none."""
_CALL = late_pattern(r"([\w-]+)\s*\(([^()]*)\)\s*(.*)", re.DOTALL)
# a size may also be an expression of the source, such as row[i+1]-row[i] or trips(p != end)
_SIZE = late_pattern(r"\s*[A-Za-z_(](?:.*[^=\s])?\s*=\s*[^=\s]+\s*", re.DOTALL)


class Allow(NamedTuple):
    """Findings that are accepted, and why.

    codes  selectors of rules (``rooflint.plugin_api.rule_code``): ``RL101``, ``RL1``, ``ACME``
    lines  what points at one of them is accepted; None: the loop nest, or the function, that
           begins at ``line`` or right below it
    word   what it is written with
    """

    line: int
    codes: tuple[str, ...]
    reason: str
    lines: range | None = None
    word: str = "allow"

    @property
    def is_shared(self) -> bool:
        """Whether other tools read such marks too, and mean their own checks."""
        return self.word not in WORDS


class Scope(NamedTuple):
    """The settings that comments give one function, those for the whole file included."""

    sizes: Mapping[str, int] = {}
    trips: Mapping[str, int] = {}
    noalias: tuple[tuple[str, ...], ...] = ()
    threads: int | None = None


class CommentSetting(NamedTuple):
    """One parsed comment that concerns a scope: exactly one field is set."""

    line: int
    sizes: Mapping[str, int] = {}
    trips: Mapping[str, int] = {}
    noalias: tuple[str, ...] = ()
    threads: int | None = None


class Directives(NamedTuple):
    """All comments of a file. ``off``: ranges of lines with both ends; None means to the last."""

    settings: tuple[CommentSetting, ...] = ()
    allows: tuple[Allow, ...] = ()
    off: tuple[tuple[int, int | None], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    def is_off(self, line: int) -> bool:
        """Whether a loop on ``line`` is between ``off`` and ``on``."""
        return any(start <= line and (end is None or line <= end) for start, end in self.off)

    def concerns(self, setting: CommentSetting, function: Span) -> bool:
        """Whether ``setting`` is inside ``function`` or directly above it."""
        return _concerns(setting.line, function, self._lines)

    def scope(self, function: Span, others: Sequence[Span] = ()) -> Scope:
        """The settings of ``function``; ``others``: the spans of all functions of the file.

        A later comment wins over an earlier one, and the function's own over the file's.
        """
        ordered = self._settings_of(function, others)
        threads = [s.threads for s in ordered if s.threads is not None]
        return Scope(
            sizes={name: value for s in ordered for name, value in s.sizes.items()},
            trips={name: value for s in ordered for name, value in s.trips.items()},
            noalias=tuple(s.noalias for s in ordered if s.noalias),
            threads=threads[-1] if threads else None,
        )

    def contradictions(self, functions: Sequence[Span]) -> Iterator[Diagnostic]:
        """A size that two comments of a function, or of the file, give different values."""
        outside = [s for s in self.settings if not any(self.concerns(s, f) for f in functions)]
        scopes = [[s for s in self.settings if self.concerns(s, f)] for f in functions]
        found: dict[Diagnostic, None] = {}
        for settings in (outside, *scopes):
            found.update(dict.fromkeys(_contradictions(settings)))
        yield from found

    def _settings_of(self, function: Span, others: Sequence[Span]) -> list[CommentSetting]:
        spans = [*others, function]
        own = [s for s in self.settings if self.concerns(s, function)]
        of_file = [s for s in self.settings if not any(self.concerns(s, span) for span in spans)]
        return [*of_file, *own]

    @property
    def _lines(self) -> frozenset[int]:
        return frozenset(setting.line for setting in self.settings)


def _concerns(line: int, function: Span, comment_lines: frozenset[int]) -> bool:
    if function.line <= line <= function.end_line:
        return True
    return line < function.line and all(
        between in comment_lines for between in range(line, function.line)
    )


def _contradictions(settings: Iterable[CommentSetting]) -> Iterator[Diagnostic]:
    first: dict[str, tuple[int, int]] = {}
    for setting in settings:
        for name, value in setting.sizes.items():
            before, line = first.setdefault(size_key(name), (value, setting.line))
            if before != value:
                contradiction = f"{name}={value} contradicts {name}={before} of line {line}"
                yield warning(
                    setting.line, f"rooflint comment: {contradiction}; keep one of the two"
                )


def warning(line: int, message: str) -> Diagnostic:
    """A warning about a line."""
    return Diagnostic(line=line, column=1, severity="warning", message=message)


class CommentError(ValueError):
    """A comment that is not understood; the text says what was expected."""


def parse_comments(comments: Iterable[Comment]) -> Directives:
    """Every comment of a file, understood or turned into a warning."""
    settings: list[CommentSetting] = []
    allows: list[Allow] = []
    switches: list[tuple[int, str]] = []
    wrong: list[Diagnostic] = []
    marks: list[tuple[int, re.Match[str]]] = []
    for comment in comments:
        if (nolint := _NOLINT.fullmatch(comment.text)) is not None:
            marks.append((comment.line, nolint))
            continue
        try:
            parsed = _parse(comment.line, comment.text.strip())
        except CommentError as error:
            wrong.append(warning(comment.line, f"rooflint comment: {error}"))
            continue
        if isinstance(parsed, Allow):
            allows.append(parsed)
        elif isinstance(parsed, str):
            switches.append((comment.line, parsed))
        else:
            settings.append(parsed)
    allows += _nolint(marks)
    off, unmatched = _ranges(switches)
    return Directives(
        settings=tuple(settings), allows=tuple(allows), off=off, diagnostics=(*wrong, *unmatched)
    )


def _parse(line: int, text: str) -> CommentSetting | Allow | str:
    if text in ("off", "on"):
        return text
    call = _CALL.fullmatch(text)
    if call is not None and call[1] in CALLS:
        return _parse_call(line, call[1], call[2], call[3].strip())
    if "=" in (character for _, character in _outside_brackets(text)):
        return CommentSetting(line, sizes=_sizes(text))
    word = re.split(r"[\s(=]", text, maxsplit=1)[0]
    remedy = _near(word) or f", expected one of {', '.join(FORMS)}"
    raise CommentError(f"'{text}' is not understood{remedy}")


def _parse_call(line: int, word: str, inside: str, rest: str) -> CommentSetting | Allow:
    if word in ("allow", "file-allow"):
        return Allow(
            line=line,
            codes=_codes(word, inside),
            reason=_reason(word, rest),
            lines=WHOLE_FILE if word == "file-allow" else None,
            word=word,
        )
    if rest:
        raise CommentError(f"'{rest}' after {word}(...) is not understood")
    if word == "trip":
        return CommentSetting(line, trips=_sizes(inside))
    if word == "noalias":
        return CommentSetting(line, noalias=_names(inside))
    return CommentSetting(line, threads=_threads(inside))


def _nolint(marks: Iterable[tuple[int, re.Match[str]]]) -> Iterator[Allow]:
    """Marks for our rules; they are shared with other tools, so that the rest, and a
    block without its end, is no mistake and means nothing."""
    open_blocks: dict[tuple[str, ...], list[int]] = {}
    for line, match in marks:
        kind, names, text = match[1], match[2], match[0]
        codes = EVERYTHING if names is None else _named(names)
        if not codes:
            continue
        if kind == "BEGIN":
            open_blocks.setdefault(codes, []).append(line)
        elif kind == "END":
            if begun := open_blocks.get(codes):
                first = begun.pop()
                lines = range(first, line + 1)
                yield Allow(
                    line=first,
                    codes=codes,
                    reason=text.replace("END", "BEGIN"),
                    lines=lines,
                    word="NOLINTBEGIN",
                )
        else:
            place = line + 1 if kind == "NEXTLINE" else line
            here = range(place, place + 1) if codes == EVERYTHING else None
            yield Allow(
                line=place, codes=codes, reason=text, lines=here, word=f"NOLINT{kind or ''}"
            )


def _named(names: str) -> tuple[str, ...]:
    """Selectors of rules in a list such as ``bugprone-*, RL101, RL2*, ACME*``.

    Other tools may write codes of this form too: which prefixes there are is known only later.
    """
    parts = [part.strip() for part in names.split(",")]
    if "*" in parts:
        return EVERYTHING
    starred = [part.removesuffix("*") for part in parts if part.endswith("*")]
    numbered = [part for part in parts if names_a_number(part)]
    ours = {*filter(is_selector, starred), *numbered}
    return tuple([word for part in parts if (word := part.removesuffix("*")) in ours])


def _near(word: str) -> str:
    return "" if word in WORDS else near_miss(word, WORDS)


def _sizes(text: str) -> dict[str, int]:
    sizes: dict[str, int] = {}
    commas = [place for place, character in _outside_brackets(text) if character == ","]
    for start, end in zip((0, *(c + 1 for c in commas)), (*commas, len(text)), strict=True):
        part = text[start:end]
        if _SIZE.fullmatch(part) is None:
            raise CommentError(f"'{part.strip()}': expected NAME=number")
        try:
            name, value = parse_size(part)
        except UsageError as error:
            raise CommentError(str(error).removeprefix("-D ")) from None
        sizes[name] = value
    return sizes


def _outside_brackets(text: str) -> Iterator[tuple[int, str]]:
    depth = 0
    for place, character in enumerate(text):
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif depth == 0:
            yield place, character


def _names(text: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in text.split(","))
    wrong = [name for name in names if not IDENTIFIER.fullmatch(name)]
    if wrong or len(names) < 2:
        raise CommentError(f"noalias({text}): expected two names or more, as in noalias(a, b)")
    return names


def _threads(text: str) -> int:
    if not (text.strip().isdecimal() and int(text) > 0):
        raise CommentError(f"threads({text}): expected a number above 0, as in threads(8)")
    return int(text)


def _codes(word: str, text: str) -> tuple[str, ...]:
    codes = tuple(part.strip() for part in text.split(","))
    for code in codes:
        if not names_a_number(code):
            expected = f"expected rule codes, as in {word}(RL101) reason"
            raise CommentError(f"{word}({text}): {expected}")
    return codes


def _reason(word: str, text: str) -> str:
    if not text:
        example = f"{word}(RL101) measured, rare"
        raise CommentError(f"{word}(...) needs a reason after it, as in {example}")
    return text


def _ranges(
    switches: Iterable[tuple[int, str]],
) -> tuple[tuple[tuple[int, int | None], ...], tuple[Diagnostic, ...]]:
    ranges: list[tuple[int, int | None]] = []
    start: int | None = None
    wrong: list[Diagnostic] = []
    for line, word in switches:
        if word == "off" and start is None:
            start = line
        elif word == "on" and start is not None:
            ranges.append((start, line))
            start = None
        else:
            other = "an earlier 'off'" if word == "on" else "an 'on' after the last 'off'"
            text = f"rooflint comment: '{word}' without {other}"
            wrong.append(warning(line, text))
    if start is not None:
        ranges.append((start, None))
    return tuple(ranges), tuple(wrong)

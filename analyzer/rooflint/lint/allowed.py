"""Comments that accept findings: which ones they concern, and which concern none."""

from collections.abc import Collection, Iterable, Iterator

from rooflint.config.comments import EVERYTHING, WHOLE_FILE, Allow, Directives
from rooflint.ir import Refusal, Span
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.rule_code import prefix_of, prefixes, selects


class AllowComments:
    """The ``allow(...)`` comments of a file; each of their codes is noted when it is used."""

    def __init__(self, directives: Directives) -> None:
        self._allows = directives.allows
        self._lines = {a.line for a in directives.allows if a.lines in (None, WHOLE_FILE)}
        self._lines |= {setting.line for setting in directives.settings}
        self._used: set[tuple[Allow, str]] = set()

    def accepts(self, advice: Advice, headers: Iterable[int]) -> Allow | None:
        """The comment that accepts a finding: at, or directly above, one of the ``headers``, or
        for lines among which is the finding's own.

        Headers are the lines of the finding's loop, of the loops around it and of its function.
        """
        if not self._allows:
            return None
        attached = {line for header in headers for line in self._attached(header)}
        for allow in self._allows:
            near = (
                allow.line in attached if allow.lines is None else advice.span.line in allow.lines
            )
            codes = near and [code for code in allow.codes if selects(code, advice.code)]
            if codes:
                self._used.update((allow, code) for code in codes)
                return allow
        return None

    def unused(self, asked: frozenset[str], refusals: Collection[Refusal]) -> Iterator[Allow]:
        """Comments that accept nothing, with those of their codes of which a rule was asked.

        A loop that could not be followed might have had the finding: its comment may stay. So may
        a mark that names no rule: it can be another tool's.
        """
        for allow in self._allows:
            lines = allow.lines or {allow.line, *self._below(allow.line)}
            if allow.codes == EVERYTHING or any(refusal.line in lines for refusal in refusals):
                continue
            idle = [code for code in allow.codes if (allow, code) not in self._used]
            yield from _with_codes(allow, [code for code in idle if _some_begins(asked, code)])

    def unknown(self, known: Collection[str]) -> Iterator[Allow]:
        """Comments with those of their codes that no rule has, and no family.

        A mark that other tools read too is only wrong about prefixes that rules have.
        """
        ours = prefixes(known)
        for allow in self._allows:
            strange = [code for code in allow.codes if not _some_begins(known, code)]
            if allow.is_shared:
                strange = [code for code in strange if prefix_of(code) in ours]
            yield from _with_codes(allow, strange)

    def _attached(self, line: int) -> Iterator[int]:
        yield line
        while (line := line - 1) in self._lines:
            yield line

    def _below(self, line: int) -> Iterator[int]:
        while line in self._lines:
            line += 1
        yield line


def _with_codes(allow: Allow, codes: Iterable[str]) -> Iterator[Allow]:
    """The comment with these of its codes; none without any."""
    left = tuple(codes)
    if left:
        yield allow._replace(codes=left)


def _some_begins(codes: Collection[str], beginning: str) -> bool:
    """Whether any of ``codes`` is of the rule or the family."""
    return any(selects(beginning, code) for code in codes)


def line_span(line: int) -> Span:
    """The beginning of a line; of the file where the line is 0, one of another file."""
    line = max(1, line)
    return Span(line=line, column=1, end_line=line, end_column=1)

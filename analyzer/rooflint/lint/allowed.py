"""Comments that accept findings: which ones they concern, and which concern none."""

from collections.abc import Iterable, Iterator

from rooflint.advice import Advice
from rooflint.comments import EVERYTHING, Allow, Directives
from rooflint.ir import Refusal, Span


class Allowed:
    """The ``allow(...)`` comments of a file; each is noted when it is used."""

    def __init__(self, directives: Directives) -> None:
        self._allows = directives.allows
        self._lines = {allow.line for allow in directives.allows if allow.last is None}
        self._lines |= {setting.line for setting in directives.settings}
        self._used: set[Allow] = set()

    def accepts(self, advice: Advice, headers: Iterable[int]) -> Allow | None:
        """The comment that accepts a finding: at, or directly above, one of the ``headers``, or
        for lines among which is the finding's own.

        Headers are the lines of the finding's loop, of the loops around it and of its function.
        """
        if not self._allows:
            return None
        lines = {line for header in headers for line in self._attached(header)}
        for allow in self._allows:
            here = (
                allow.line in lines
                if allow.last is None
                else allow.line <= advice.span.line <= allow.last
            )
            if here and any(map(advice.code.startswith, allow.codes)):
                self._used.add(allow)
                return allow
        return None

    def unused(self, codes: frozenset[str], refusals: Iterable[Refusal]) -> Iterator[Allow]:
        """Comments that accept nothing though one of their rules was asked.

        A loop that could not be followed might have had the finding: its comment may stay. So may
        a mark that names no rule: it can be another tool's.
        """
        refused = {refusal.line for refusal in refusals}
        for allow in self._allows:
            if allow.codes == EVERYTHING:
                continue
            asked = any(code.startswith(each) for code in codes for each in allow.codes)
            last = allow.line if allow.last is None else allow.last
            lost = refused & {*range(allow.line, last + 1), *self._below(allow.line)}
            if asked and allow not in self._used and not lost:
                yield allow

    def _attached(self, line: int) -> Iterator[int]:
        """A line and the comments directly above it."""
        yield line
        while (line := line - 1) in self._lines:
            yield line

    def _below(self, line: int) -> Iterator[int]:
        """The first line below a run of comments."""
        while line in self._lines:
            line += 1
        yield line


def line_span(line: int) -> Span:
    """The beginning of a line."""
    return Span(line, 1, line, 1)

"""The answer on a loop, as the first lines of its hover: limit, time, share, and why."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.terms import LimiterKind, TimeTerm
from rooflint.plugin_api.verdict import Verdict
from rooflint.verdict.figures import figure
from rooflint.verdict.sentences import cause_sentence, cycles_range, time_sentence
from rooflint.verdict.words import limit_sentence, resource_words, short_resource

from rooflint_lsp.documents.open_files import ShownReport
from rooflint_lsp.views.chosen import HintedLoop
from rooflint_lsp.views.markup import HoverFormat, bold, plain, table

CORE: Final = "core"
DATA: Final = "data"
_ROWS: Final[Mapping[LimiterKind, str]] = MappingProxyType(
    dict.fromkeys(LimiterKind, CORE)
    | dict.fromkeys((LimiterKind.LINK, LimiterKind.MISSES, LimiterKind.PAGE_WALKS), DATA)
)


def answer_lines(shown: ShownReport, each: HintedLoop, style: HoverFormat) -> list[str]:
    """The hint, the time with share and confidence, and a sentence on why."""
    verdict = each.verdict
    cause = cause_sentence(verdict, advice_of(shown, verdict))
    lines = [bold(each.text, style), plain(time_sentence(verdict), style)]
    return [*lines, plain(cause, style)] if cause else lines


def advice_of(shown: ShownReport, verdict: Verdict) -> Advice | None:
    """The finding that a verdict gives as its best advice."""
    best = verdict.advice
    if best is None:
        return None
    loops = [loop for loop in shown.marks.loops if loop.kernel.id == verdict.id]
    lines = {header.line for loop in loops for header in loop.kernel.loops}
    lines |= {loop.kernel.line for loop in loops}
    for finding in shown.marks.findings_in_report:
        if finding.code == best.rule and finding.span.line in lines:
            return finding
    return None


def terms_table(verdict: Verdict, style: HoverFormat) -> str:
    """The parts of the time in cycles per iteration; empty where nothing is known of it."""
    if not verdict.terms and not verdict.floors:
        return ""
    changed = [f"with {verdict.advice.rule}"] if verdict.advice is not None else []
    possible = [figure(verdict.time.possible_cy or 0.0)] if changed else []
    now = bold(cycles_range(verdict).partition(" → ")[0], style)
    rows = [["time", now, *possible]]
    for name, terms in _sides(verdict):
        if terms:
            rows.append([*_cells(name, terms, verdict, style), *[""] * len(changed)])
    return table(["cy per iteration", "now", *changed], rows, style)


def _sides(verdict: Verdict) -> Iterator[tuple[str, list[TimeTerm]]]:
    for side in (CORE, DATA):
        own = [term for term in verdict.terms if _ROWS[term.resource.kind] == side]
        yield side, _highest(own)
    yield "roof", _highest(verdict.floors)


def _cells(
    side: str, terms: Iterable[TimeTerm], verdict: Verdict, style: HoverFormat
) -> Iterator[str]:
    """``core: chain / issue`` and ``**4.0** / 1.0``."""
    listed = list(terms)
    yield plain(f"{side}: {' / '.join([short_resource(each.resource) for each in listed])}", style)
    yield " / ".join(
        bold(figure(each.cycles), style)
        if each.resource == verdict.limiter
        else plain(figure(each.cycles), style)
        for each in listed
    )


def _highest(terms: Iterable[TimeTerm]) -> list[TimeTerm]:
    """Of several terms of one resource the one of most cycles; without those of no time."""
    by_name: dict[str, TimeTerm] = {}
    for each in terms:
        name = resource_words(each.resource)
        if each.cycles > 0 and (name not in by_name or each.cycles > by_name[name].cycles):
            by_name[name] = each
    return list(by_name.values())


def machine_rows(verdicts: Iterable[Verdict], style: HoverFormat) -> Iterator[list[str]]:
    """A row for each machine: name and cores, cycles per iteration, the limit."""
    for each in verdicts:
        name = f"{each.machine}, {each.cores} core{'s' if each.cores != 1 else ''}"
        limit = "–" if each.limiter is None else limit_sentence(each)
        yield [plain(name, style), plain(cycles_range(each), style), plain(limit, style)]

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from rooflint.core.issue.operations import Operations
from rooflint.facts import KernelFacts
from rooflint.ir import Access, Poly, Statement, Value
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.records import NamedTuple
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import innermost, kernel_of, number, statements_of
from rooflint.source_edit.c_writer.words import TYPES as C_TYPES
from rooflint.transform.result import ChangedFunction

TABLES: Final = 4
"""Elements in a row that have a table each."""
SAME_BIN: Final = 1 / 3
"""Of the elements, those in the bin of the element before them: neighbours in pictures and text
often are, independent ones are in one of few bins. Measured on Zen 4 with gcc 12.2 and clang 19,
four tables in place of one: independent elements of 2 bins 2.6x (u32) and 3.4x (f32), of 4 bins
1.6x and 2.2x, of 16 bins 1.1 to 1.4x and 1.3 to 1.4x, of 256 bins 0.98 to 1.3x."""
MOST_BINS: Final = 256
"""All values of a byte: more bins are rarely those of neighbours, and take longer to merge."""
ELEMENTS_PER_BIN: Final = 16
"""Below, clearing and merging the tables takes a good part of the time: 0.72x (clang, 256 bins,
1 000 elements) against 0.98x (16 384)."""


class Histogram(NamedTuple):
    """A statement that adds to an element of a table that data select; ``bins``: 0 if unknown."""

    table: str
    statement: Statement
    access: Access
    bins: int


def _many_bins(match: Match, context: RuleContext) -> str:
    bins = _found(match, context).bins
    if not bins:
        return f"nothing in the source says how many elements of {match.names[0]} are used"
    return f"{bins} bins are more than {MOST_BINS}" if bins > MOST_BINS else ""


def _few_elements(match: Match, context: RuleContext) -> str:
    elements = context.kernel(kernel_of(match, context)).traffic.space.executions
    bins = _found(match, context).bins
    if elements >= ELEMENTS_PER_BIN * bins:
        return ""
    return f"{elements:.3g} elements are few for {TABLES} tables of {bins} bins to clear and merge"


class OneTable(RuleDefaults):
    code = "RL219"
    slug = "one-table"
    requires = (CodeFeature.GATHER,)
    summary = "neighbours that are counted in one bin of a histogram wait for each other"
    needs = ("core",)
    guards = (
        Guard("many-bins", "the table has more bins than a byte has values, or any", _many_bins),
        Guard("few-elements", "there are few elements for each bin", _few_elements),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that add to what data select."""
        for site, facts in innermost(context):
            for found in _histograms(context, facts):
                yield _match(context, site.name, facts, found)


RULE = OneTable()


def _found(match: Match, context: RuleContext) -> Histogram:
    histograms = _histograms(context, kernel_of(match, context))
    return next(each for each in histograms if each.table == match.names[0])


def _histograms(context: RuleContext, facts: KernelFacts) -> Iterator[Histogram]:
    for statement in statements_of(facts.kernel.loops[-1]):
        access = _added_to(statement)
        if access is not None:
            bins = _bins(context, facts, access)
            yield Histogram(table=access.array, statement=statement, access=access, bins=bins)


def _added_to(statement: Statement) -> Access | None:
    """The element that data select and a statement adds to, if it does no more."""
    values = statement.values
    stored = values[-1] if values else None
    if stored is None or stored.op != "store":
        return None
    access = statement.accesses[stored.access]
    added = values[stored.args[0]]
    while added.op == "convert" and added.args:
        added = values[added.args[0]]
    if added.op not in ("add", "sub") or not access.offset.unknowns():
        return None
    return access if any(_loads(statement, values[a], access) for a in added.args) else None


def _loads(statement: Statement, value: Value, access: Access) -> bool:
    while value.op == "convert" and value.args:
        value = statement.values[value.args[0]]
    if value.op != "load":
        return False
    loaded = statement.accesses[value.access]
    return loaded.array == access.array and loaded.offset == access.offset


def _bins(context: RuleContext, facts: KernelFacts, access: Access) -> int:
    """How many elements of the table data may select, by their type or the table's extents."""
    arrays = {array.name: array for array in context.function.arrays}
    extents = arrays[access.array].extents
    declared = [
        number(context, facts, extent) if extent is not None else None for extent in extents
    ]
    limits = [declared[0]] if len(declared) == 1 else []
    limits.append(_spanned(access))
    return min([limit for limit in limits if limit], default=0)


def _spanned(access: Access) -> int:
    """The elements from the first to the last that the limits of unknown values allow."""
    span = 1
    rest = access.offset
    for unknown in access.offset.unknowns():
        factor = access.offset.terms.get((unknown,))
        if factor is None or not unknown.limit:
            return 0
        span += abs(factor) // access.bytes * (unknown.limit - 1)
        rest = rest - Poly.symbol(unknown) * factor
    return span


def _match(context: RuleContext, place: str, facts: KernelFacts, found: Histogram) -> Match:
    wait = _chain_cy(context, found)
    return Match(
        place,
        f"each element waits {wait:.2g} cycles for the previous one, where that is counted in the"
        f" same bin of {found.table}",
        (
            Change(
                f"{TABLES} tables in turn, merged behind the loop, at {100 * SAME_BIN:.0f} % in"
                " the bin before",
                fix=partial(_fix, found),
                action=Action(ActionKind.OTHER, f"{TABLES} tables"),
                doubts=("how often neighbours share a bin is not known",),
                depends_on_data=True,
                seconds=partial(_seconds, context, facts, found),
            ),
        ),
        names=(found.table,),
    )


def _chain_cy(context: RuleContext, found: Histogram) -> float:
    """Cycles from a stored element to the next that is computed of it."""
    core = context.machine.core
    assert core is not None
    operations = Operations(core)
    return sum([operations.latency_cy(name, found.access.type, None) for name in ("load", "add")])


def _seconds(
    context: RuleContext, facts: KernelFacts, found: Histogram
) -> Mapping[str, tuple[float, float]]:
    """Of the models, or of the elements that wait for the previous one if that takes longer."""
    elements = context.kernel(facts).traffic.space.executions
    cycle = 1e-9 / context.machine.clock_ghz
    waiting = SAME_BIN * _chain_cy(context, found) * elements * cycle
    around = 2 * TABLES * found.bins * cycle
    times = {}
    for model in OneTable.models:
        own = context.seconds(facts, model)
        if own is not None:
            times[model] = (max(own, waiting), max(own, waiting / TABLES) + around)
    return times


def _fix(found: Histogram, _: ChangedFunction) -> Fix:
    type_ = C_TYPES.get(found.access.type, "int")
    sketch = (
        f"{type_} part[{TABLES}][{found.bins}] = {{0}};\n"
        f"// {TABLES} elements an iteration, the k-th of them in part[k]\n"
        f"// then part[0][b] + ... + part[{TABLES - 1}][b] into {found.table}[b] for each bin b"
    )
    return Fix(safety="sketch", title=f"{TABLES} tables in turn", sketch=sketch)

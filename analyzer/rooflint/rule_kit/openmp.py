"""Threads: what starting them costs, how often it is paid, and the directive as one would write it.

A fork and join of all threads of a socket takes 1 to 10 us; the EPCC OpenMP micro-benchmarks (Bull,
EWOMP 1999; Bull, Reid, McDonnell, IWOMP 2012) measure such overheads for `parallel for`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from rooflint.facts import KernelFacts, as_written, space_of
from rooflint.ir import BYTES, Clause, Loop, Region, SourceFunction, Span, walk
from rooflint.machine import Machine
from rooflint.plugin_api.advice import Fix
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.rule import RuleContext
from rooflint.records import NamedTuple
from rooflint.rule_kit.figures import figures_of
from rooflint.rule_kit.queries import kernels_in
from rooflint.source_edit.edits import editable_source
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction

FORK_JOIN_S: Final = 5e-6
"""Between an idle pair of cores on one socket (1 us) and 100 threads on two (10 us)."""


LAST: Final = "lastprivate"
SUMMABLE: Final = frozenset(BYTES) - {"c64", "c128", "c160", "ptr", "i128", "u128", "f16", "bf16"}
"""Types that every compiler's OpenMP has reductions of."""


def opens(region: Region) -> bool:
    """Whether a directive starts the host's threads."""
    words = region.kind.split()
    return "parallel" in words and "target" not in words


def openings(loops: tuple[Loop, ...], inside: Iterable[Loop], values: Mapping[str, int]) -> float:
    """How often what holds the loops ``inside`` of a kernel's is reached in one call."""
    inner = tuple(inside)
    around = tuple([loop for loop in loops if not any(each is loop for each in inner)])
    return float(space_of(around, values).executions) if around else 1.0


class WorksharedLoop(NamedTuple):
    """A loop that an ``omp parallel for`` has for itself, and the kernels in it."""

    site: Site
    region: Region
    kernels: tuple[KernelFacts, ...]


def shared_loops(context: RuleContext) -> Iterator[WorksharedLoop]:
    """Every loop right below an ``omp parallel for``."""
    for site in context.sites.values():
        kernels = kernels_in(context, site.name)
        for region in kernels[0].kernel.regions if kernels else ():
            words = region.kind.split()
            if opens(region) and "for" in words and region.body == (site.loop,):
                yield WorksharedLoop(site, region, tuple(kernels))


def shared_at(context: RuleContext, place: str) -> WorksharedLoop:
    """The one at ``place``."""
    return next(each for each in shared_loops(context) if each.site.name == place)


def clause(region: Region, name: str) -> str | None:
    """The text in a clause's brackets; None where the directive has no such clause."""
    return next((c.value for c in region.clauses if c.name == name), None)


def times_opened(context: RuleContext, shared: WorksharedLoop) -> float:
    """How often a call of the function comes by the directive."""
    facts = shared.kernels[0]
    inside = facts.kernel.loops[len(shared.site.outer) :]
    return max(1.0, openings(facts.kernel.loops, inside, context.kernel(facts).sizes.values))


def predicted_seconds(
    context: RuleContext, kernels: Iterable[KernelFacts], model: str
) -> float | None:
    """Of all iterations in one call, without starting threads; None where the model is silent."""
    total = 0.0
    for facts in kernels:
        seconds = context.seconds(facts, model)
        if seconds is None:
            return None
        total += seconds
    return total


def fork_join_seconds(facts: KernelFacts, values: Mapping[str, int], paid: list[Region]) -> float:
    """Seconds of the regions around a kernel in a call, those in ``paid`` left out and put in."""
    seconds = 0.0
    for region in facts.kernel.regions:
        if opens(region) and not any(each is region for each in paid):
            paid.append(region)
            inside = [node for node in walk(region.body) if isinstance(node, Loop)]
            seconds += FORK_JOIN_S * openings(facts.kernel.loops, inside, values)
    return seconds


def pragma_line(kind: str, clauses: Iterable[Clause]) -> str:
    """The directive as one writes it."""
    words = [f"{clause.name}({clause.value.replace(' :', ':')})" for clause in clauses]
    return " ".join(["#pragma omp", kind, *words])


def directive_fix(context: RuleContext, loop: Loop, result: ChangedFunction) -> Fix | None:
    """The directive above a loop with every variable's scope; None inside a macro.

    A variable or an index that the loop's text does not declare itself is named as private.
    """
    text, span = editable_source(context.text), context.source.spans[loop.origin]
    region = _region(result, loop)
    if text.header(span) is None or region is None:
        return None
    clauses = _clauses(context.source, span, region, loop)
    line = pragma_line(region.kind, clauses)
    if not text.takes_directives(span):
        index = as_written(loop.index)
        title = f"{line}, above a for that does no more than set, compare and move {index}"
        return Fix("sketch", title, sketch=f"{line}\nfor ({index} = ...; ...; ...)")
    remedy = _remedy(context.source, span, clauses)
    if remedy:
        return Fix("sketch", f"{line}, with {remedy}", sketch=line)
    if any(not name.isidentifier() for clause in clauses for name in _written_items(clause)):
        return Fix("sketch", f"{line.partition(' private')[0]} above the loop", sketch=line)
    return Fix("unsafe", line, (text.line_before(span, line),))


def _clauses(source: SourceFunction, span: Span, region: Region, loop: Loop) -> list[Clause]:
    """The directive's clauses; private to threads, or of the last of them, is what a loop's text
    does not declare itself."""
    indices = [node.index for node in walk(loop.body) if isinstance(node, Loop)]
    names = dict.fromkeys([*_listed(region.clauses, "private"), *indices])
    private = [name for name in names if not _is_inside(source, span, name)]
    last = [name for name in _listed(region.clauses, LAST) if not _is_inside(source, span, name)]
    others = [clause for clause in region.clauses if clause.name not in ("private", LAST)]
    return [*_listing("private", private), *others, *_listing(LAST, last)]


def _listing(name: str, variables: Sequence[str]) -> list[Clause]:
    return [Clause(name, ", ".join(variables))] if variables else []


def _listed(clauses: Iterable[Clause], name: str) -> list[str]:
    return [variable for each in clauses if each.name == name for variable in each.variables]


def _is_inside(source: SourceFunction, span: Span, name: str) -> bool:
    """Whether a variable of the IR is declared in the text at ``span``, or is not of this text:
    an index of a function that stands in place of its call may have the name of a variable whose
    block has ended."""
    inside = source.declared_in(span)
    spelled = [v.declaration for v in source.variables if v.declaration is not None]
    spelled = [each for each in spelled if each.spelling == name.partition("'")[0]]
    if spelled and not any(each.is_visible_at(span) for each in spelled):
        return True
    same_name = [variable for variable in source.variables if variable.name == name]
    inlined = {variable.scope for variable in same_name} == {"inlined"}
    names_inside = {variable.name for variable, _ in inside}
    if name.endswith("()") or inlined or name in names_inside:
        return True
    # a name that the IR made, as that of an index, stands for the variable that it is made from
    known = any(variable.declaration is not None for variable in same_name)
    spellings = {declaration.spelling for _, declaration in inside}
    return not known and name.partition("'")[0] in spellings


def _remedy(source: SourceFunction, span: Span, clauses: Iterable[Clause]) -> str:
    """The edit that a loop needs before it takes the directive; empty where it needs none."""
    summed = _listed(clauses, "reduction")
    # of a variable that is no real number, C++ needs the reduction declared
    types = {variable.name: variable.type for variable in source.variables}
    needed = (
        ("{} not static", [own.spelling for _, own in source.declared_in(span) if own.static]),
        ("a reduction declared for {}", [n for n in summed if types.get(n, "f64") not in SUMMABLE]),
        ("a variable for {}", [name for name in summed if is_member(name)]),
    )
    return next((words.format(names[0]) for words, names in needed if names), "")


def is_member(name: str) -> bool:
    """Whether a variable is a member of an object: clauses name none."""
    return "." in name or "->" in name


def _written_items(clause: Clause) -> list[str]:
    return [name.strip() for name in clause.value.rpartition(":")[2].split(",")]


def _region(result: ChangedFunction, loop: Loop) -> Region | None:
    for node in walk(result.function.body):
        if isinstance(node, Region) and any(
            isinstance(each, Loop) and each.origin == loop.origin for each in node.body
        ):
            return node
    return None


class _Scaling(Struct, rename={"saturating_cores": "n_S"}):
    """The part of the ECM model's data that is about several cores."""

    saturating_cores: int | None = None


def saturating_cores(prediction: Prediction | None, machine: Machine, cores: int) -> int | None:
    """How many of ``cores`` take all the memory bandwidth, by the ECM model's n_S.

    n_S is of one NUMA domain, and ``cores`` fill one after the other. None where nobody knows it,
    or where a domain has too few cores to saturate its memory.
    """
    scaling = figures_of(prediction, _Scaling)
    domain = machine.domain_cores("MEM")
    number = scaling.saturating_cores if scaling is not None else None
    return None if number is None or number > domain else number * -(-cores // domain)

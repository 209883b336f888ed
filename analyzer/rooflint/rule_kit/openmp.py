"""Threads: what starting them costs, how often it is paid, and the directive as one would write it.

A fork and join of all threads of a socket takes 1 to 10 us; the EPCC OpenMP micro-benchmarks (Bull,
EWOMP 1999; Bull, Reid, McDonnell, IWOMP 2012) measure such overheads for `parallel for`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from rooflint.facts import KernelFacts, as_written, space_of
from rooflint.ir import BYTES, Clause, Loop, Region, SourceFunction, Span, walk
from rooflint.machine import Machine
from rooflint.plugin_api.advice import Fix
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.rule import RuleContext
from rooflint.rule_kit.queries import kernels_in
from rooflint.source_edit.edits import Text
from rooflint.transform import Site, Transformed

FORK_JOIN_S: Final = 5e-6
"""Between an idle pair of cores on one socket (1 us) and 100 threads on two (10 us)."""


SUMMABLE: Final = frozenset(BYTES) - {"c64", "c128", "c160", "ptr", "i128", "u128", "f16", "bf16"}
"""Types that every compiler's OpenMP has reductions of."""


def opens(region: Region) -> bool:
    """Whether a directive starts the host's threads."""
    words = region.kind.split()
    return "parallel" in words and "target" not in words


def openings(loops: tuple[Loop, ...], inside: Iterable[Loop], values: Mapping[str, int]) -> float:
    """How often what holds the loops ``inside`` of a kernel's is reached in one call."""
    own = set(map(id, inside))
    around = tuple([loop for loop in loops if id(loop) not in own])
    return float(space_of(around, values).executions) if around else 1.0


class Shared(NamedTuple):
    """A loop that an ``omp parallel for`` has for itself, and the kernels in it."""

    site: Site
    region: Region
    kernels: tuple[KernelFacts, ...]


def shared_loops(context: RuleContext) -> Iterator[Shared]:
    """Every loop right below an ``omp parallel for``."""
    for site in context.sites.values():
        kernels = kernels_in(context, site.name)
        for region in kernels[0].kernel.regions if kernels else ():
            words = region.kind.split()
            if opens(region) and "for" in words and region.body == (site.loop,):
                yield Shared(site, region, tuple(kernels))


def shared_at(context: RuleContext, place: str) -> Shared:
    """The one at ``place``."""
    return next(each for each in shared_loops(context) if each.site.name == place)


def clause(region: Region, name: str) -> str | None:
    """The text in a clause's brackets; None where the directive has no such clause."""
    return next((c.value for c in region.clauses if c.name == name), None)


def items_of(region: Region, name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The modifier and the variables of every clause of that name: ``map(to: a[0:n], b)``."""
    for each in region.clauses:
        if each.name == name:
            kind, separator, listed = each.value.partition(":")
            if not separator or "[" in kind:
                kind, listed = "tofrom", each.value
            plain = re.sub(r"\[[^\]]*\]", "", listed)
            names = tuple([item.strip() for item in plain.split(",") if item.strip()])
            yield kind.rpartition(",")[2].strip(), names


def times_opened(context: RuleContext, shared: Shared) -> float:
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


def fork_join_seconds(facts: KernelFacts, values: Mapping[str, int], paid: set[int]) -> float:
    """What the regions around a kernel cost a call, those in ``paid`` left out and put in."""
    seconds = 0.0
    for region in facts.kernel.regions:
        if opens(region) and id(region) not in paid:
            paid.add(id(region))
            inside = [node for node in walk(region.body) if isinstance(node, Loop)]
            seconds += FORK_JOIN_S * openings(facts.kernel.loops, inside, values)
    return seconds


_ASSIGNS: Final = re.compile(r"\s*(?:[A-Za-z_][\w:<>]*[\s*&]+)*([A-Za-z_]\w*)\s*=(?!=)[^,;]*\Z")
_COMPARES: Final = re.compile(r"(?:<=?|>=?|!=)(?!=)")
_MOVES: Final = r"(?:\+\+|--)\s*{0}|{0}\s*(?:\+\+|--)|{0}\s*[+-]=.*|{0}\s*=[^,]*\b{0}\b[^,]*"


def takes_directives(text: Text, span: Span) -> bool:
    """Whether a loop's header has the form that OpenMP shares out (5.2, 4.4.1), no more in it.

    One variable is set, compared with something, and moved, each in its own part of the header.
    """
    found = text.header(span)
    if found is None:
        return False
    begin, end = text.ends(found)
    keyword, _, inside = text.blank[begin : end - 1].decode("utf-8", "replace").partition("(")
    plain = inside
    while (shorter := re.sub(r"\([^()]*\)|\[[^][]*\]", "0", plain)) != plain:
        plain = shorter
    parts = plain.split(";")
    if keyword.strip() != "for" or len(parts) != 3:
        return keyword.strip() == "for" and len(parts) == 1 and ":" in plain
    assigned = _ASSIGNS.match(parts[0])
    if assigned is None:
        return False
    name = re.escape(assigned[1])
    sides = [side.strip() for side in _COMPARES.split(parts[1].replace("->", "."))]
    plain_sides = not any(re.search(r"[&|=]|\+\+|--", side) for side in sides)
    compared = len(sides) == 2 and assigned[1] in sides and plain_sides
    return compared and re.fullmatch(_MOVES.format(name), parts[2].strip()) is not None


def directive_fix(context: RuleContext, loop: Loop, result: Transformed) -> Fix | None:
    """The directive above a loop with every variable's scope; None inside a macro.

    A variable or an index that the loop's text does not declare itself is named as private.
    """
    text, span = Text(context.text), context.source.spans[loop.origin]
    if text.header(span) is None:
        return None
    region = _region(result, loop)
    if region is None:
        return None
    indices = [n.index for n in walk(loop.body) if isinstance(n, Loop)]
    private = dict.fromkeys([*_named(region, "private"), *indices])
    missing = _outside(context.source, span, private)
    clauses = [c for c in region.clauses if c.name != "private"]
    if missing:
        clauses.insert(0, Clause("private", ", ".join(missing)))
    words = " ".join([region.kind, *[f"{c.name}({c.value.replace(' :', ':')})" for c in clauses]])
    line = f"#pragma omp {words}"
    if not takes_directives(text, span):
        index = as_written(loop.index)
        title = f"{line}, above a for that does no more than set, compare and move {index}"
        return Fix("sketch", title, sketch=f"{line}\nfor ({index} = ...; ...; ...)")
    shared = [each.spelling for _, each in context.source.declared_in(span) if each.static]
    if shared:
        return Fix("sketch", f"{line}, with {shared[0]} not static", sketch=line)
    summed = next((each for c in clauses for each in _unsummable(context.source, c)), "")
    if summed:
        return Fix("sketch", f"{line}, with a reduction declared for {summed}", sketch=line)
    member = next((c.value for c in clauses if c.name == "reduction" and "." in _dotted(c)), "")
    if member:
        name = member.rpartition(":")[2].strip()
        return Fix("sketch", f"{line}, with a variable for {name}", sketch=line)
    if any(not name.isidentifier() for c in clauses for name in _items(c)):
        return Fix("sketch", f"{line.partition(' private')[0]} above the loop", sketch=line)
    return Fix("unsafe", line, (text.line_before(span, line),))


def _outside(source: SourceFunction, span: Span, names: Iterable[str]) -> list[str]:
    """Those of the IR's variables that a loop's text does not declare itself."""
    inside = source.declared_in(span)
    elsewhere = {v.name for v in source.variables if v.scope == "inlined"}
    elsewhere -= {v.name for v in source.variables if v.scope != "inlined"}
    elsewhere |= {variable.name for variable, _ in inside}
    known = {each.name for each in source.variables if each.declaration is not None}
    # a name that the IR made, as that of an index, stands for the variable that it is made from
    made = {declaration.spelling for _, declaration in inside}
    return [
        name
        for name in names
        if not (
            name in elsewhere
            or name.endswith("()")
            or (name not in known and name.partition("'")[0] in made)
        )
    ]


def _items(clause: Clause) -> list[str]:
    """The variables of a clause, without the operator of a reduction."""
    return [name.strip() for name in clause.value.rpartition(":")[2].split(",")]


def _unsummable(source: SourceFunction, clause: Clause) -> list[str]:
    """Variables of a reduction that are no real numbers: classes of C++ need one declared."""
    if clause.name != "reduction":
        return []
    types = {variable.name: variable.type for variable in source.variables}
    return [name for name in _items(clause) if types.get(name, "f64") not in SUMMABLE]


def _dotted(clause: Clause) -> str:
    return clause.value.replace("->", ".")


def _region(result: Transformed, loop: Loop) -> Region | None:
    """The directive that a change has put around a loop."""
    for node in walk(result.function.body):
        if isinstance(node, Region) and any(
            isinstance(each, Loop) and each.origin == loop.origin for each in node.body
        ):
            return node
    return None


def _named(region: Region, clause: str) -> list[str]:
    values = [c.value for c in region.clauses if c.name == clause]
    return [name.strip() for value in values for name in value.split(",")]


def saturating_cores(prediction: Prediction | None, machine: Machine, cores: int) -> int | None:
    """How many of ``cores`` take all the memory bandwidth, by the ECM model's n_S.

    n_S is of one NUMA domain, and ``cores`` fill one after the other. None where nobody knows it,
    or where a domain has too few cores to saturate its memory.
    """
    found = prediction.data.get("n_S") if prediction is not None else None
    domain = machine.domain_cores("MEM")
    if not isinstance(found, int) or found > domain:
        return None
    return found * -(-cores // domain)

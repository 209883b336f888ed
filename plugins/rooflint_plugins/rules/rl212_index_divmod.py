from collections.abc import Iterator
from functools import partial

from rooflint.facts import KernelFacts
from rooflint.ir import Loop, Poly, plain
from rooflint.ir.poly import PolyFunction
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.arithmetic import cycles_words, division_cycles, plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import innermost, statements_of
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction
from rooflint.transform.splitting import split_index

KINDS = ("floordiv", "mod")


def _power_of_two(match: Match, context: RuleContext) -> str:
    value = _divisor_of(match, context).value
    if value and value.bit_count() == 1:
        return f"{value} is a power of two: a shift and a mask"
    return ""


def _constant(match: Match, context: RuleContext) -> str:
    size = _divisor_of(match, context)
    if size.value is not None and context.compiler.level > 0:
        return f"{size.value} is a constant: compilers multiply and shift"
    return ""


class IndexDivmod(RuleDefaults):
    code = "RL212"
    slug = "index-divmod"
    summary = "the loop's index is divided in every iteration"
    status = "preview"
    needs = ("core",)
    guards = (
        Guard("power-of-two", "the divisor is a constant power of two", _power_of_two),
        Guard("constant", "the divisor is a constant: no division is left", _constant),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops with quotients or remainders of their own index."""
        for site, facts in innermost(context):
            divisors = _divisors(site.loop)
            for size in dict.fromkeys(divisors):
                yield _match(context, site, facts, size, len(set(divisors[size])))


RULE = IndexDivmod()


def _divisor_of(match: Match, context: RuleContext) -> Poly:
    divisors = _divisors(context.sites[match.place].loop)
    return next(size for size in divisors if str(size) == match.names[0])


def _divisors(loop: Loop) -> dict[Poly, list[str]]:
    """The divisors of the loop's index, and the operations: quotient, remainder or both."""
    found: dict[Poly, list[str]] = {}
    index = Poly.symbol(loop.index)
    for atom in _atoms(loop):
        if isinstance(atom, PolyFunction) and atom.kind in KINDS and atom.operands[0] == index:
            by = atom.operands[1]
            if loop.index not in by.names():
                found.setdefault(by, []).append(atom.kind)
    return found


def _atoms(loop: Loop) -> Iterator[object]:
    """The atoms of the offsets and index values of a loop."""
    for statement in statements_of(loop):
        polys = [access.offset for access in statement.accesses]
        closed = [value.closed_form for value in statement.values]
        polys += [poly for poly in closed if poly is not None]
        for poly in polys:
            for monomial in poly.terms:
                yield from monomial


def _match(context: RuleContext, site: Site, facts: KernelFacts, size: Poly, count: int) -> Match:
    index, by = site.loop.index, plain(size)
    plan = plan_of(context, facts)
    busy = division_cycles(plan.code) if plan is not None else 0.0
    cost = f", {cycles_words(busy)} cycles of the divider" if busy else ""
    said = f"{index}/{by}" if count == 1 else f"{index}/{by} and {index}%{by}"
    return Match(
        site.name,
        f"{said}: integer divisions in every iteration{cost}",
        (
            Change(
                f"an inner loop over {by}",
                partial(split_index, loop=site.name, size=str(size)),
                fix=partial(_fix, index, by),
                action=Action(ActionKind.OTHER, f"an inner loop over {by}"),
            ),
        ),
        names=(str(size),),
    )


def _fix(index: str, by: str, result: ChangedFunction) -> Fix:
    sketch = (
        f"for (row = 0; row * {by} < n; row++)\n"
        f"  for (column = 0; column < {by}; column++)  // {index} = row * {by} + column"
    )
    return Fix("unsafe" if result.assumes else "safe", "count instead of dividing", sketch=sketch)

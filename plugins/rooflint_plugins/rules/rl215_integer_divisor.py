from collections.abc import Iterator
from functools import partial
from typing import Final

from rooflint.ir import Loop, Statement
from rooflint.plugin_api.rule import (
    Action,
    ActionKind,
    Change,
    Match,
    RelatedNode,
    RuleContext,
)
from rooflint.records import NamedTuple
from rooflint.rule_kit.arithmetic import cycles_words, division_cycles, plan_of, text_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import innermost, statements_of
from rooflint.source_edit.edits import EditableSource
from rooflint.source_edit.tokens import words_before
from rooflint.transform.arithmetic.integer_division import (
    DIVISIONS,
    integer_reciprocal,
    is_integer_division,
)
from rooflint.transform.nest.graph import invariant_values
from rooflint.transform.nest.tree import Site


class _IntegerDivision(NamedTuple):
    statement: Statement
    number: int

    @property
    def divisor(self) -> str:
        """The divisor as one would write it."""
        return text_of(self.statement, self.statement.values[self.number].args[1])


class IntegerDivisor(RuleDefaults):
    code = "RL215"
    slug = "integer-divisor"
    summary = "every iteration divides an integer by the same value, which is no constant"
    needs = ("core",)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that divide integers of 32 bits by what stays the same."""
        for site, facts in innermost(context):
            if not any(v.op in DIVISIONS for s in facts.kernel.statements for v in s.values):
                continue
            found = [each for s in statements_of(site.loop) for each in _divisions(site.loop, s)]
            if not found:
                continue
            plan = plan_of(context, facts)
            busy = division_cycles(plan.code) if plan is not None else 0.0
            yield _match(context, site, found, busy)


STATIC: Final = "callers of the static function may pass a constant, which compilers divide by fast"
RULE = IntegerDivisor()


def _divisions(loop: Loop, statement: Statement) -> Iterator[_IntegerDivision]:
    steady = invariant_values(loop, statement)
    for number in range(len(statement.values)):
        if is_integer_division(statement, number, steady):
            yield _IntegerDivision(statement, number)


def _match(context: RuleContext, site: Site, found: list[_IntegerDivision], busy: float) -> Match:
    divisors = list(dict.fromkeys([each.divisor for each in found]))
    said = ", ".join(divisors)
    cost = f", {cycles_words(busy)} cycles" if busy else ""
    count = f"{len(found)} divisions" if len(found) > 1 else "a division"
    return Match(
        site.name,
        f"{count} of integers per iteration by {said}, which never changes{cost}",
        (
            Change(
                f"multiplying by 1.0/{said if len(divisors) == 1 else 'each'} in double precision",
                partial(integer_reciprocal, loop=site.name),
                action=Action(ActionKind.HOIST, f"1.0 / {divisors[0]}"),
            ),
        ),
        related=tuple([RelatedNode(each.statement.origin, "divides here") for each in found]),
        doubts=(STATIC,) if _is_static(context) else (),
    )


def _is_static(context: RuleContext) -> bool:
    """Whether the file declares the function ``static``."""
    name = context.function.name.rpartition("::")[2]
    code = EditableSource(context.text).blank.decode("latin-1") if "static" in context.text else ""
    return any("static" in [each.text for each in words] for words in words_before(code, name))

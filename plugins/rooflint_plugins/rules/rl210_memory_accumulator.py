from collections.abc import Iterator
from functools import partial

from rooflint.facts import KernelFacts
from rooflint.ir import Access, Function
from rooflint.plugin_api.rule import (
    Action,
    ActionKind,
    Change,
    Fix,
    Guard,
    Match,
    RelatedNode,
    RuleContext,
    Setup,
)
from rooflint.rule_kit.arithmetic import FLOATS, cycles_words, plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import accesses_of, innermost, is_global, words_of
from rooflint.transform.annotations import vectorise
from rooflint.transform.expand import in_register
from rooflint.transform.nest.legality import held_in_register
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction, ChangeRefusal


def _apart(match: Match, context: RuleContext) -> str:
    own = context.sites[match.place].loop
    # what only types keep apart, compilers keep apart
    unknown = [
        each for each in held_in_register(context.function, own, match.names[0]) if not each.by_type
    ]
    if context.compiler.level < 1 or unknown:
        return ""
    why = "restrict" if not is_global(context.function, match.names[0]) else "their declarations"
    return (
        f"{why} or types rule out overlap with {match.names[0]}: compilers keep it in a register"
        " themselves"
    )


def _promoted(match: Match, context: RuleContext) -> str:
    if not context.compiler.promotes_sums or _is_float_chain(match, context):
        return ""
    return f"{context.compiler} compares the addresses before the loop and keeps the sum itself"


def _is_float_chain(match: Match, context: RuleContext) -> bool:
    """Whether the sum waits for its previous value in a register too: a local one may be split."""
    types = {array.name: array.type for array in context.function.arrays}
    return types.get(match.names[0]) in FLOATS and not context.compiler.splits_sums


class MemoryAccumulator(RuleDefaults):
    code = "RL210"
    slug = "memory-accumulator"
    requires = (CodeFeature.FIXED_PLACE,)
    summary = "a sum is stored in every iteration, because another pointer may access it"
    needs = ("core",)
    guards = (
        Guard("apart", "no other access of the loop can touch the sum", _apart, structural=True),
        Guard("clang", "clang checks at run time and keeps the sum in a register", _promoted),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that load and store one place of an array, and others besides."""
        for site, facts in innermost(context):
            for stream in facts.streams:
                if stream.pattern == "invariant" and stream.reads and stream.writes:
                    access = _place(site, stream.array)
                    if access is not None:
                        yield _match(context, site, facts, *access)


RULE = MemoryAccumulator()


def _place(site: Site, array: str) -> tuple[Access, int] | None:
    found = [each for each in accesses_of(site.loop) if each[0].array == array]
    return found[0] if len({access.offset for access, _ in found}) == 1 else None


def _match(
    context: RuleContext, site: Site, facts: KernelFacts, access: Access, origin: int
) -> Match:
    name = access.array
    others = list(dict.fromkeys([a.array for a, _ in accesses_of(site.loop) if a.array != name]))
    plan = plan_of(context, facts)
    cost = ""
    if plan is not None:
        cost = f": a chain of {cycles_words(plan.code.recurrence_cy)} cycles per iteration"
    local = Change(
        "a local sum",
        partial(in_register, loop=site.name, array=name),
        fix=partial(_fix, words_of(access), ""),
        action=Action(ActionKind.OTHER, "a local sum"),
        enables=True,
    )
    split = _split_sum(context, site, access) if access.type in FLOATS else ()
    return Match(
        site.name,
        f"{words_of(access)} is stored in every iteration because it may be part of"
        f" {', '.join(others[:2])}{cost}",
        (local, *split),
        names=(name,),
        related=(RelatedNode(origin, f"{words_of(access)} is read and written here"),),
    )


def _split_sum(context: RuleContext, site: Site, access: Access) -> Iterator[Change]:
    """The local sum as one that vectors may split, with the flag that obeys the directive."""
    compiler = context.compiler
    if compiler.splits_sums:
        return
    flag = "" if compiler.openmp_simd else " (-fopenmp-simd)"
    yield Change(
        f"a local sum with omp simd reduction{flag}",
        partial(_sum_in_vectors, loop=site.name, array=access.array),
        setup=Setup(compiler=compiler._replace(openmp_simd=True)) if flag else Setup(),
        fix=partial(_fix, words_of(access), "#pragma omp simd reduction(+:sum)\n"),
        action=Action(ActionKind.PARTIAL_SUMS),
    )


def _sum_in_vectors(function: Function, loop: str, array: str) -> ChangedFunction | ChangeRefusal:
    result = in_register(function, loop, array)
    if isinstance(result, ChangeRefusal):
        return result
    return result.then(partial(vectorise, loop=loop))


def _fix(place: str, directive: str, result: ChangedFunction) -> Fix:
    sketch = (
        f"sum = {place};   // before the loop\n"
        f"{directive}"
        "sum += ...;   // in the loop\n"
        f"{place} = sum;   // after the loop"
    )
    is_safe = not (directive or result.assumes)
    return Fix("safe" if is_safe else "unsafe", "sum in a local", sketch=sketch)

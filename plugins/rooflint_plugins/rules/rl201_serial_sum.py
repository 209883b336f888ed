from collections.abc import Iterator
from functools import partial
from typing import Final

from rooflint.core.code import Code
from rooflint.core.issue.micro_ops import port_work
from rooflint.core.issue.ports import busiest
from rooflint.facts import KernelFacts
from rooflint.plugin_api.rule import (
    Action,
    ActionKind,
    Change,
    Fix,
    Guard,
    Match,
    RuleContext,
    Setup,
)
from rooflint.rule_kit.arithmetic import FLOATS, behind_memory, cycles_words, plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.openmp import is_member
from rooflint.rule_kit.queries import innermost, kernel_of
from rooflint.source_edit.edits import EditableSource
from rooflint.transform.annotations import vectorise
from rooflint.transform.nest.scalars import Scalar, scalars_of
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction
from rooflint.transform.unrolling import unroll

MOST: Final = 16
"""Accumulators: more find no registers."""
SHORTEST: Final = 16
"""Iterations: sums of fewer elements are no faster in parts, for those have to be joined, and calls
overlap. Measured with gcc 12.2 and clang 19 on Zen 4, sums of squared differences of floats: with 8
iterations 0.4x to 1.1x, with 16 of vectors of 4 lanes 1.5x to 2.0x, with 16 lanes 0.8x to 1.8x."""
VECTORS: Final = 2
"""Of the widest registers: with 16 lanes, 16 iterations measure 0.8x with gcc, 32 measure 1.3x."""
SIGNS: Final = {"add": "+=", "mul": "*=", "min": "= min", "max": "= max"}
PARTS: Final = {"add": "sums", "mul": "products", "min": "minima", "max": "maxima"}
BASELINE_BYTES: Final = 16
"""Of a vector that all x86-64 and AArch64 processors have."""
FLOAT_BYTES: Final = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}
CLAUSES: Final = {"add": "+", "mul": "*", "min": "min", "max": "max"}


def _compiler_reorders(match: Match, context: RuleContext) -> str:
    if context.compiler.splits_sums:
        itself = f"{context.compiler} keeps several vector sums itself"
        return f"{itself}; sums by hand run at 0.2 to 0.5x of that"
    return ""


def _asked(match: Match, context: RuleContext) -> str:
    for region in kernel_of(match, context).kernel.regions:
        listed = {n for c in region.clauses if c.name == "reduction" for n in c.variables}
        if "simd" in region.kind.split() and listed.issuperset(match.names):
            return f"omp {region.kind} has a reduction over {', '.join(match.names)}"
    return ""


def _not_the_limit(match: Match, context: RuleContext) -> str:
    plan = plan_of(context, kernel_of(match, context))
    if plan is None or plan.code.recurrence_cy > 1.1 * _busy(plan.code):
        return ""
    return f"{plan.code.limit}, not the sum, bounds the loop in {plan.compiler}'s code"


def _hidden(match: Match, context: RuleContext) -> str:
    link = behind_memory(context, kernel_of(match, context))
    return f"transfers over {link} take longer than the chain of sums" if link else ""


def _short(match: Match, context: RuleContext) -> str:
    trips = context.kernel(kernel_of(match, context)).traffic.space.trips[-1]
    least = max(SHORTEST, VECTORS * _lanes(match, context))
    return f"a sum of {trips:.3g} elements is too short for parts" if trips < least else ""


def _lanes(match: Match, context: RuleContext) -> int:
    """Elements of the sum in the widest registers that the flags allow."""
    scalars = scalars_of(context.sites[match.place].loop.body)
    element = max([FLOAT_BYTES.get(scalars[n].type, 1) for n in match.names], default=1)
    simd = context.machine.simd
    widest = simd.register_bytes if simd is not None else BASELINE_BYTES
    return (min(widest, BASELINE_BYTES) if context.compiler.baseline else widest) // element


class SerialSum(RuleDefaults):
    code = "RL201"
    slug = "serial-sum"
    requires = (CodeFeature.CARRIED_SCALAR,)
    summary = "a floating-point sum waits for its previous value in every iteration"
    aliases = ("PWR054", "PWR051")
    needs = ("core",)
    guards = (
        Guard("simd-reduction", "a directive already allows partial sums", _asked, structural=True),
        Guard("reassociated", "clang with -ffast-math reorders sums itself", _compiler_reorders),
        Guard("not-the-limit", "another resource takes longer than the chain", _not_the_limit),
        Guard("too-short", "joining the parts takes as long as they save", _short),
        Guard("memory-bound", "transfers take longer than the chain", _hidden),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that accumulate floating-point numbers in scalars."""
        for site, facts in innermost(context):
            if not any(
                value.op == "carried" for s in facts.kernel.statements for value in s.values
            ):
                continue
            sums = [
                scalar
                for scalar in scalars_of(site.loop.body).values()
                if scalar.role == "reduction" and scalar.type in FLOATS
            ]
            if sums:
                yield _match(context, site, facts, sums)


RULE = SerialSum()


def _busy(code: Code) -> float:
    """Cycles per iteration that the units need, whatever waits for what."""
    return max(max(code.overlapping_cy, code.issue_cy) + code.call_cy, code.non_overlapping_cy, 0.1)


def _match(context: RuleContext, site: Site, facts: KernelFacts, sums: list[Scalar]) -> Match:
    plan = plan_of(context, facts)
    names = [scalar.name for scalar in sums]
    said = f"{sums[0].name} {SIGNS[sums[0].operation]} ..."
    count = 8
    if plan is not None:
        code = plan.code
        chain, busy = cycles_words(code.recurrence_cy), cycles_words(_busy(code))
        said = (
            f"{said} waits {chain} cycles per iteration for its previous value, units need {busy}"
        )
        count = _accumulators(plan.scalar, len(sums))
    clause = " ".join([f"reduction({CLAUSES[s.operation]}:{s.name})" for s in sums])
    obeyed = context.compiler.openmp_simd
    setup = Setup() if obeyed else Setup(compiler=context.compiler._replace(openmp_simd=True))
    flag = "" if obeyed else " (-fopenmp-simd)"
    return Match(
        site.name,
        said,
        (
            Change(
                words=f"omp simd reduction{flag}",
                apply=partial(vectorise, loop=site.name),
                setup=setup,
                fix=partial(_directive, context, site, sums, clause),
                action=Action(ActionKind.PARTIAL_SUMS),
            ),
            Change(
                f"keeping {count} {PARTS[sums[0].operation]}",
                partial(unroll, loop=site.name, factor=count, accumulators=count),
                fix=partial(_by_hand, count, sums[0]),
                action=Action(ActionKind.PARTIAL_SUMS, str(count)),
            ),
        ),
        names=tuple(names),
    )


def _accumulators(code: Code, sums: int) -> int:
    """As many as additions fit into the time that one takes, a power of two. The loop's own branch
    and counter do not count: all of them share one."""
    work = [op for op in code.operations if op.role != "overhead"]
    busy = max(busiest(port_work(work)).cycles + code.call_cy, 0.1)
    wanted = 2
    while wanted < min(code.recurrence_cy / busy, MOST / sums):
        wanted *= 2
    return wanted


def _directive(
    context: RuleContext, site: Site, sums: list[Scalar], clause: str, result: ChangedFunction
) -> Fix | None:
    text = EditableSource(context.text)
    span = context.source.spans[site.loop.origin]
    if text.header(span) is None:
        return None
    title = "allow partial sums"
    if any(is_member(each.name) for each in sums):
        return Fix(
            "unsafe",
            title,
            sketch=f"// with a variable in place of the member\n#pragma omp simd {clause}",
        )
    if not text.takes_directives(span):
        return Fix("unsafe", title)  # the nest is shown, with a header that does no more than count
    return Fix("unsafe", title, (text.line_before(span, f"#pragma omp simd {clause}"),))


def _by_hand(count: int, first: Scalar, result: ChangedFunction) -> Fix:
    name, operation = first.name, first.operation

    def joined(one: str, other: str) -> str:
        sign = CLAUSES[operation]
        return f"{sign}({one}, {other})" if sign.isalpha() else f"{one} {sign} {other}"

    each = [
        f"{name}{k} = {joined(f'{name}{k}', f'a[i{at}]')};" for k, at in enumerate(("", " + 1"))
    ]
    lines = [
        f"{' '.join(each)} ... // i += {count}",
        f"{name} = {joined(joined(f'{name}0', f'{name}1'), '...')}; // and a loop for the rest",
    ]
    return Fix("unsafe", f"{count} {PARTS[operation]} side by side", sketch="\n".join(lines))

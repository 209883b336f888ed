"""Hybrid: the nest as a procedure of loads, kernels and stores, against the host alone.

Every class that fits (streamed, resident on one or on all) is derived from the accesses and
evaluated; T = sum over stages of iterations x max(T_C, T_tr) + what does not overlap. Figures bound
from above. Source: Sudareva, candidate thesis, NIISI RAN 2018.
"""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace
from rooflint.facts import Kernel, KernelFacts, facts_of, space_of
from rooflint.plugin_api.estimator import EstimateRequest
from rooflint.plugin_api.hookspecs import Context, Needs
from rooflint.plugin_api.prediction import DataField, NotApplicable, Prediction

from rooflint_plugins.models.hybrid.derive.choice import CLASSES, reasons
from rooflint_plugins.models.hybrid.derive.host_comparison import HostComparison, compare_with_host
from rooflint_plugins.models.hybrid.derive.host_only import host_of
from rooflint_plugins.models.hybrid.derive.offload import Offload
from rooflint_plugins.models.hybrid.derive.pages import PagedNest
from rooflint_plugins.models.hybrid.estimator import AnsweredProcedures, answer_request
from rooflint_plugins.models.hybrid.evaluate.assumptions import TEXTS, assumptions_of, caveats
from rooflint_plugins.models.hybrid.evaluate.balance import balance, what_if
from rooflint_plugins.models.hybrid.evaluate.evaluator import EstimateOptions
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.evaluate.system import GIGA, system_of
from rooflint_plugins.models.hybrid.text.data import comparison_data, estimate_data
from rooflint_plugins.models.hybrid.text.text_estimate import balance_words, beta_words
from rooflint_plugins.models.hybrid.text.text_host import comparison_words

OVERLAPPING = "arrays of different names do not overlap"
SIDECAR = "'rooflint estimate SIDECAR.yaml --source FILE' takes one"
LATENCIES = EstimateOptions(refined=True)


FIELDS: Final = (
    DataField("class", "how data reaches the coprocessors: streamed or resident"),
    DataField("T_s", "time of all iterations of the nest", "s"),
    DataField("g_per_s", "performance on the coprocessors", "1e9/s"),
    DataField("limited_by", "kernel, channel or host"),
    DataField("beta", "the balance of computing and transfers"),
    DataField("balance", "bandwidth and number of coprocessors that would balance both"),
    DataField("alternatives", "other classes, with their times or why they do not fit"),
)


class Hybrid:
    """The model as a plugin."""

    name = "hybrid"
    title = "hybrid"
    fields = FIELDS
    needs = Needs(machine=("coprocessors",))
    assumptions = TEXTS

    def estimate(self, request: EstimateRequest) -> AnsweredProcedures:
        """The answers of ``rooflint estimate``."""
        return answer_request(request)

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """The fastest class for the kernel's nest; its other kernels are part of that answer."""
        if not context.facts.work.flops:
            return NotApplicable(
                "no floating-point operations: at most part of another's procedure"
            )
        nest = _nest(kernel, context)
        heaviest = max(nest, key=lambda f: _flops(f, context))
        if heaviest.kernel.loops[-1] is not kernel.loops[-1]:
            loops = ".".join([loop.index for loop in heaviest.kernel.loops])
            return NotApplicable(f"part of the procedure of the nest's heavier loops {loops}")
        offload = Offload(
            name=_plain(context.function.name),
            facts=nest,
            function=context.function,
            values=context.sizes.values,
            system=system_of(context.machine),
            options=LATENCIES,
            blocks={},
        )
        found = offload.cut()
        if found.refused:
            advice = "'rooflint estimate PROCEDURE.yaml' accepts one that states its stages"
            return NotApplicable(f"cannot be cut into pages: {found.refused} ({advice})")
        if found.missing:
            return NotApplicable(f"{'; '.join(found.missing)} ({SIDECAR})")
        if not found.computes:
            return NotApplicable("no floating-point operations at these sizes")
        choice = offload.choose(found)
        if choice.best is None:
            why = "; ".join(reasons(choice.others))
            return NotApplicable(f"does not fit {offload.system.name}: {why}")
        host = host_of(context.machine, [(context.facts, context.traffic)])
        compared = compare_with_host(offload, found, choice, host)
        return self._answer(context, found, compared)

    def _answer(self, context: Context, found: PagedNest, compared: HostComparison) -> Prediction:
        best = compared.best
        balanced, changes = balance(best, None, LATENCIES), what_if(best, None, LATENCIES)
        words = [_at_most(best), *comparison_words(compared), beta_words(best.beta)]
        balancing = balance_words(best, balanced)
        if balancing:
            words.append(f"balanced by {balancing}")
        data = estimate_data(best, balanced, changes)
        data |= comparison_data(compared, context.function.name)
        cycles = best.seconds * context.machine.clock_ghz * GIGA
        return Prediction(
            model=self.name,
            bottleneck=best.limited_by,
            sentence="; ".join(words),
            headline=f"{best.perf_op_s / GIGA:.4g} GFLOP/s",
            cycles_per_iteration=cycles / _executions(context.facts, context),
            assumptions=(
                OVERLAPPING,
                *compared.contradictions,
                *[TEXTS[name] for name in assumptions_of(best)],
                *caveats(best),
                *_summed(found),
            ),
            data=data,
        )


def _at_most(best: ProcedureEstimate) -> str:
    count = 1.0 if best.procedure.shape == "C1" else best.system.coprocessors
    many = "1 coprocessor" if count == 1 else f"{count:g} coprocessors"
    perf = best.perf_op_s / GIGA
    return f"{CLASSES[best.procedure.shape]}: {perf:.4g} GFLOP/s at most on {many}"


def _nest(kernel: Kernel, context: Context) -> tuple[KernelFacts, ...]:
    """The kernels that share the outermost loop; the rest of the function is not looked at."""
    function = context.function
    return facts_of(replace(function, body=(kernel.loops[0],)))


def _flops(facts: KernelFacts, context: Context) -> float:
    return facts.work.flops * _executions(facts, context) if facts.work.flops else 0.0


def _executions(facts: KernelFacts, context: Context) -> float:
    return max(1.0, float(space_of(facts.kernel.loops, context.sizes.values).executions))


def _summed(found: PagedNest) -> Sequence[str]:
    names = [name for page in found.pages for name in page.sums]
    return [f"{', '.join(names)}: each coprocessor sums its part"] if names else []


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name) or "nest"

"""No price promises more than the ports, the latencies and the links of the changed code allow."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import pytest
from rooflint.config.lint_settings import LintSettings
from rooflint.facts import Kernel
from rooflint.ir import Unit
from rooflint.lint.files import lint_unit
from rooflint.lint.functions import LintOutcome
from rooflint.pipeline.files import FileResult
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.plugin_api.advice import Advice, Gain
from rooflint.plugin_api.hookspecs import Context, Needs
from rooflint.plugin_api.prediction import NotApplicable, Prediction
from rooflint.plugin_api.rule import Change, FunctionRule, Guard, Match, RuleContext
from rooflint.plugin_api.transforms import unroll
from rooflint.rule_kit.queries import innermost

MACHINE = "icelake-sp-8360y"
FLAGS = "gcc -O3 -march=icelake-server"


def gains(outcome: LintOutcome) -> list[Gain]:
    return [each.gain for each in outcome.findings if each.gain is not None]


ROWS = """
void rows(double *restrict c, const double *restrict a, const double *restrict b, int n) {
  // rooflint: n=1000
  for (int j = 0; j < n; j++) {
    double s = 0;
    for (int i = 0; i < TRIPS; i++)
      s += TERM;
    c[j] = s;
  }
}
"""


@pytest.mark.parametrize("trips", [9, 10, 12, 16])
@pytest.mark.parametrize("flags", ["gcc -O2", FLAGS, "clang -O3 -march=icelake-server"])
@pytest.mark.parametrize(
    "term",
    [
        "a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2]",
        "a[j * TRIPS + i] * b[i]",
        "a[TRIPS * i + j] * b[i] + a[i] * b[j]",
    ],
)
def test_sums_side_by_side_divide_the_wait_and_no_more(
    lint: Callable[..., LintOutcome], trips: int, flags: str, term: str
) -> None:
    text = ROWS.replace("TERM", term).replace("TRIPS", str(trips))
    for finding in lint("RL201", text, flags).findings:
        assert finding.gain is not None
        _, by_hand, rest = finding.message.partition("; keeping ")
        if by_hand:
            # k sums: each waits for its own last value, so k times fewer cycles at most
            assert finding.gain.high <= int(rest.split()[0]) * 1.02, finding.message


class Optimist:
    """A third party's model for which a loop with a step above 1 takes next to no time."""

    name = "optimist"
    needs = Needs()

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        step = kernel.loops[-1].step.value or 1
        cycles = 100.0 if step == 1 else 1e-9
        return Prediction(self.name, "core", "s", "h", cycles)


class Unroll:
    """A third party's rule: four iterations as one; ``given``: with a price of its own."""

    code = "XY101"
    slug = "unroll"
    summary = "not unrolled"
    aliases = ()
    status: Literal["stable", "preview", "structural"] = "stable"
    models = ("optimist",)
    needs = ()
    guards: tuple[Guard, ...] = ()

    def __init__(self, given: bool) -> None:
        self.given = given

    def match(self, context: RuleContext) -> Sequence[Match]:
        seconds = (lambda: {"optimist": (1.0, 1e-15)}) if self.given else None
        return [
            Match(
                site.name,
                "as it is",
                (Change("unrolling", partial(unroll, loop=site.name, factor=4), seconds=seconds),),
            )
            for site, _ in innermost(context)
        ]


SCALE = """
void scale(double *restrict a, const double *restrict b, double c, int n) {
  // rooflint: n=SIZE
  for (int i = 0; i < n; i++)
    a[i] = b[i] / c + b[i] * c;
}
"""
SetupResolver = Callable[[str, Sequence[str]], tuple[AnalysisSetup, Unit]]


def priced(benches: SetupResolver, text: str, rule: FunctionRule) -> Advice:
    bench, unit = benches(text, FLAGS.split())
    models = (*bench.models, Optimist())
    settings = LintSettings(frozenset((rule.code,)), min_time_s=0.0)
    bench = bench._replace(
        rules=(rule,), lint=settings, models=models, shown=frozenset((*bench.shown, "optimist"))
    )
    result: FileResult = lint_unit("/page.c", unit._replace(text=unit.text or text), bench)
    assert not result.internal, result.internal
    [finding] = result.report.findings
    return finding


def test_a_third_partys_price_stops_at_the_ports(benches: SetupResolver) -> None:
    finding = priced(benches, SCALE.replace("SIZE", "1000"), Unroll(given=False))
    assert finding.gain is not None
    # 4 divisions of a vdivpd ymm hold the divider 8 cycles: 2 cycles each, of 100 before
    assert finding.gain.low == finding.gain.high == pytest.approx(50.0, rel=0.01)
    assert finding.numbers is not None and finding.numbers.after == pytest.approx(2.0, rel=0.01)


def test_a_third_partys_price_stops_at_the_memory(benches: SetupResolver) -> None:
    finding = priced(benches, SCALE.replace("SIZE", "50000000"), Unroll(given=False))
    assert finding.gain is not None and finding.numbers is not None
    # 8 B loaded, 8 B written after 8 B read for them, at the best rate that one NUMA domain has
    rates = [
        entry.gb_s
        for entry in benches("", ["gcc"])[0].machines[0].memory.bandwidth
        if entry.level == "MEM"
    ]
    clock = benches("", ["gcc"])[0].machines[0].clock_ghz
    assert finding.numbers.after >= 24 / max(rates) * clock * 0.999
    assert finding.gain.high <= 100.0 / finding.numbers.after * 1.001


def test_a_price_that_a_rule_brings_stops_there_too(benches: SetupResolver) -> None:
    text = SCALE.replace("SIZE", "1000")
    finding = priced(benches, text, Unroll(given=True))
    assert finding.gain is not None
    clock = benches("", ["gcc"])[0].machines[0].clock_ghz
    # 1000 iterations of 2 cycles, of one second before
    assert finding.gain.high == pytest.approx(1.0 / (1000 * 2.0 / (clock * 1e9)), rel=0.01)

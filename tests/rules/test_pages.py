"""A rule's page is its test: code that must flag, must stay silent, must be refused as harmful.

The word after the language says what must come out, then the compiler and its flags:

    flag            the rule reports the lines marked ``// here``, or some line where none is
    silent          it reports nothing; ``silent:GUARD``: and a match is silent for that guard
    harmful:GUARD   as silent:GUARD, for a change that would do harm
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rooflint.ir import Function, Node
from rooflint.lint.functions import LintOutcome
from rooflint.plugin_api.advice import BY_VERDICT
from rooflint.plugin_api.hookspecs import Context, Model
from rooflint.plugin_api.rule import Setup
from rooflint.pricing.kernel_times import KernelTime, Key
from rooflint.pricing.nests import NodeRun
from rooflint.pricing.pricer import AS_IT_IS, Pricer
from rooflint.pricing.whatif import PricedChange
from rooflint_plugins.rules import modules

SECTIONS = ("What", "Why", "Numbers", "When silent", "Fix", "Model", "References")
BLOCK = re.compile(
    r"^```(c|c\+\+) (flag|silent|harmful)(?::([\w-]+))?([^\n]*)\n(.*?)^```$", re.M | re.S
)
FENCE = re.compile(r"^```(?!$)", re.M)
ENGINE = {"legality", "min-gain", "min-time", "min-confidence", "no-price"}
"""Guards that are the lint's own."""

RULES = {path.rpartition(".")[2]: import_module(path) for path in modules()}


class Block(NamedTuple):
    rule: str
    language: str
    verdict: str
    guard: str
    words: tuple[str, ...]
    text: str


def page_of(name: str) -> Path:
    return Path(str(RULES[name].__file__)).with_suffix(".md")


def blocks() -> Iterator[Any]:
    for name in RULES:
        if page_of(name).exists():
            for number, found in enumerate(
                BLOCK.finditer(page_of(name).read_text(encoding="utf-8"))
            ):
                language, verdict, guard, words, text = found.groups()
                block = Block(name, language, verdict, guard or "", tuple(words.split()), text)
                yield pytest.param(block, id=f"{name[:5]}-{number + 1}-{verdict}-{guard or ''}")


@pytest.mark.parametrize("name", RULES)
def test_a_page_has_its_sections_and_names_every_guard(name: str) -> None:
    rule = RULES[name].RULE
    text = page_of(name).read_text(encoding="utf-8")
    assert text.startswith(f"# {rule.code} {rule.slug}\n")
    assert name == f"{rule.code.lower()}_{rule.slug.replace('-', '_')}"
    assert tuple(re.findall(r"^## (.+)$", text, re.M)) == SECTIONS
    assert [guard.name for guard in rule.guards if f"`{guard.name}`" not in text] == []
    assert [alias for alias in rule.aliases if alias not in text] == []
    # every block is one of those that are run
    assert len(FENCE.findall(text)) == len(BLOCK.findall(text))
    verdicts = {found[1] for found in BLOCK.findall(text)}
    assert {"flag", "silent"} <= verdicts or rule.status == "structural"


@pytest.mark.parametrize("block", list(blocks()))
def test_what_a_page_says_is_so(block: Block, lint: Callable[..., LintOutcome]) -> None:
    rule = RULES[block.rule].RULE
    found = outcome_of(block, lint)
    lines = sorted(advice.span.line for advice in found.findings)
    marked = [n for n, line in enumerate(block.text.splitlines(), 1) if "// here" in line]
    if block.verdict == "flag":
        assert lines == marked if marked else lines, found.silent
        return
    assert not found.findings
    if block.guard:
        assert block.guard in ENGINE | {guard.name for guard in rule.guards}
        assert block.guard in [each.guard for each in found.silent]


def outcome_of(block: Block, lint: Callable[..., LintOutcome]) -> LintOutcome:
    words = list(block.words)
    machine = [word.partition("=")[2] for word in words if word.startswith("machine=")]
    words = [word for word in words if not word.startswith("machine=")]
    if not words or words[0] not in ("gcc", "clang"):
        words.insert(0, "clang")
    if block.language == "c++":
        words[0] = {"gcc": "g++", "clang": "clang++"}[words[0]]
    options = {"machine": machine[0]} if machine else {}
    return lint(RULES[block.rule].RULE.code, block.text, " ".join(words), **options)


def least_cy(context: Context) -> float:
    """What ports, issue width and memory ask of one iteration, each by itself, all cores."""
    machine, lazy = context.machine, context.core
    moved = context.traffic.links[-1]
    read = moved.load_bytes + moved.write_allocate_bytes
    one_way = machine.memory.duplex == "full"
    crossing = max(read, moved.evict_bytes) if one_way else moved.total_bytes
    rates = [entry.gb_s for entry in machine.memory.bandwidth if entry.level == "MEM"]
    # figures for several domains are no less than those of one: a floor that is sure
    most = max(rates, default=inf) * -(-context.cores // machine.domain_cores("MEM"))
    clock = min(machine.clock_ghz, machine.simd_clock_ghz or machine.clock_ghz)
    floor = crossing * clock / most
    if lazy is not None and machine.core is not None and machine.core.operations:
        plan = lazy.plan
        short = context.traffic.space.trips[-1] < plan.code.vector.width
        code = plan.scalar if short else plan.code
        slots = sum(op.times * op.uops for op in code.operations) / code.vector.width
        issue = slots / (machine.core.issue_width or inf)
        busy = max(code.overlapping_cy, code.non_overlapping_cy, issue)
        floor = max(floor, busy / context.cores)
    return floor


def seconds_of(timed: KernelTime) -> float:
    return least_cy(timed.context) * timed.iterations / (timed.context.machine.clock_ghz * 1e9)


@pytest.mark.long
@pytest.mark.parametrize("block", [b for b in blocks() if b.values[0].verdict == "flag"])
def test_no_price_is_below_the_floor_of_the_changed_code(
    block: Block, lint: Callable[..., LintOutcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    prices: list[tuple[PricedChange, float, float]] = []
    timed: dict[Function, Mapping[object, KernelTime]] = {}
    time, price = Pricer.timed, Pricer.__call__

    def timing(
        self: Pricer,
        function: Function,
        nodes: tuple[Node, ...],
        sizes: Mapping[str, int],
        run: NodeRun,
        setup: Setup = AS_IT_IS,
    ) -> dict[Key, KernelTime]:
        found = time(self, function, nodes, sizes, run, setup)
        timed[function] = dict(found.items())
        return found

    def pricing(
        self: Pricer,
        function: Function,
        models: Sequence[Model] | None = None,
        setup: Setup = AS_IT_IS,
        judges: Collection[str] | None = None,
    ) -> PricedChange:
        found = price(self, function, models, setup, judges)
        floors = [
            sum(seconds_of(timed[each][key]) for key in keys if timed[each][key].iterations)
            for each, keys in ((self.subject.function, found.gone), (function, found.new))
            if function is not self.subject.function
        ]
        if len(floors) == 2:
            prices.append((found, floors[0], floors[1]))
        return found

    monkeypatch.setattr(Pricer, "timed", timing)
    monkeypatch.setattr(Pricer, "__call__", pricing)
    found = outcome_of(block, lint)
    for priced, before, after in prices:
        for model in priced.after:
            assert priced.before[model] >= before * (1 - 1e-9), (model, block.rule)
            assert priced.after[model] >= after * (1 - 1e-9), (model, block.rule)
    for advice in found.findings:
        by_verdict = advice.numbers is not None and advice.numbers.model == BY_VERDICT
        if advice.gain is not None and by_verdict and prices:
            # time now over the floor of one of the changes that were priced
            ratios = [
                priced.before[model] / after if after else inf
                for priced, _, after in prices
                for model in priced.after
            ]
            assert advice.gain.high <= max(ratios, default=inf) * (1 + 1e-9)


def test_every_rule_has_a_page_and_is_in_the_documentation() -> None:
    assert [name for name in RULES if not page_of(name).exists()] == []
    text = (Path(__file__).parents[2] / "docs" / "lint.md").read_text(encoding="utf-8")
    for name, module in RULES.items():
        rule = module.RULE
        suffix = "" if rule.status == "stable" else f" ({rule.status})"
        link = f"[{rule.code}](../plugins/rooflint_plugins/rules/{name}.md)"
        row = f"| {link} | `{rule.slug}` | {rule.summary}{suffix} | {', '.join(rule.aliases)} |"
        assert row in text

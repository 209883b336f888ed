"""What the lint says of pairs of functions, beside what was measured: the table and its figures."""

import argparse
import json
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from math import sqrt
from pathlib import Path
from typing import NamedTuple, TypeAlias

from pair_times import FLAGS, Job, Measured, Question, measured
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.config.lint_settings import LintSettings
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.lint.files import lint_unit
from rooflint.lint.proposals import LintRule
from rooflint.machine import Machine, builtin_dir
from rooflint.machine.load import load_machine
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.compilers import compiler_of
from rooflint.plugin_api.rule import Match, UnitMatch
from rooflint.registry import load_registry, with_requested
from rooflint.scenario.sizes import SizeLayer
from rooflint_plugins.rules import modules

PAYS = 1.1
WITHIN = 1.5
Asked: TypeAlias = Callable[[object], Iterable[Match | UnitMatch]]


class Row(NamedTuple):
    """One pair of one type and size under one set of flags.

    said    low and high of the predicted gain; None where the rule is silent
    guard   which of them keeps it silent
    """

    pair: str
    rule: str
    data: str
    flags: str
    measured: float
    said: tuple[float, float] | None
    guard: str

    @property
    def predicted(self) -> float:
        """The middle of what the models say, 1 where nothing is said."""
        return 1.0 if self.said is None else sqrt(self.said[0] * self.said[1])


class Only:
    """A rule with those of its changes that have some words in them."""

    def __init__(self, rule: LintRule, words: str) -> None:
        self._rule, self._words = rule, words

    def __getattr__(self, name: str) -> object:
        found = getattr(self._rule, name)
        return partial(self._chosen, found) if name in ("match", "match_unit") else found

    def _chosen(self, ask: Asked, context: object) -> Iterator[Match | UnitMatch]:
        for found in ask(context):
            match = found if isinstance(found, Match) else found.match
            changes = tuple([c for c in match.changes if self._words in c.words])
            less = match._replace(changes=changes)
            if not match.changes or changes:
                yield less if isinstance(found, Match) else found._replace(match=less)


class Advisor:
    """What the lint says of a function."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.models = with_requested(load_registry(), ("ecm", "bounds", "roofline")).models
        self.rules = {p.rpartition(".")[2][:5].upper(): import_module(p).RULE for p in modules()}

    def asked(
        self, question: Question, sizes: dict[str, int]
    ) -> tuple[tuple[float, float] | None, str]:
        """The gain, or the guard that keeps the rule silent."""
        code, change, path, text, command = question
        rule = self.rules.get(code)
        if rule is None:
            return None, "no rule"
        flags = read_flags(command, "/", path)
        unit = extract(Request(path, flags, text.encode()))._replace(text=text)
        bench = AnalysisSetup(
            machines=(self.machine,),
            models=self.models,
            shown=frozenset(model.name for model in self.models),
            sizes=SizeLayer("command line", sizes),
            configured=SizeLayer("configuration", {}),
            cores="1",
            configured_cores=None,
            rates={},
            compiler=compiler_of(flags.code),
            rules=(Only(rule, change),),  # type: ignore[arg-type]
            lint=LintSettings(frozenset((code,)), min_time_s=0.0),
        )
        result = lint_unit(path, unit, bench)
        if result.internal:
            raise SystemExit(f"{path}: {result.internal[0]}")
        gains = [finding.gain for finding in result.report.findings if finding.gain]
        if gains:
            best = max(gains)
            return (best.low, best.high), ""
        notes = "note" if result.report.findings else "no match"
        return None, next((each.guard for each in result.report.silent), notes)


def rows(machine: Machine, jobs: Iterable[Job], known: Measured) -> Iterator[Row]:
    """What was measured, with what is predicted."""
    advisor = Advisor(machine)
    for job in jobs:
        for data, sizes in job.sizes:
            ratio = known.get((job.title, data, job.label))
            if ratio is not None:
                said, guard = advisor.asked(job.question, sizes)
                yield Row(job.title, job.question.rule, data, job.label, ratio, said, guard)


def _said(row: Row) -> str:
    if row.said is None:
        return f"– ({row.guard})"
    low, high = row.said
    return f"{low:.1f}" if high < 1.1 * low else f"{low:.1f}–{high:.1f}"


def table(found: list[Row]) -> Iterator[str]:
    """Rows of pairs and data, columns of flags: measured / predicted."""
    yield "| pair | rule | data | " + " | ".join(FLAGS) + " |"
    yield "| --- | --- | --- |" + " --: |" * len(FLAGS)
    keys = dict.fromkeys([(row.pair, row.rule, row.data) for row in found])
    for key in keys:
        cells = {row.flags: row for row in found if (row.pair, row.rule, row.data) == key}
        texts = []
        for label in FLAGS:
            row = cells.get(label)
            said = "–" if row is None or row.said is None else _said(row)
            texts.append(f"{row.measured:.2f} / {said}" if row else "")
        yield f"| {' | '.join(key)} | {' | '.join(texts)} |"


def summary(found: list[Row]) -> Iterator[str]:
    """The figures that count, and the rows that are off."""
    rated = [row for row in found if row.rule != "none"]
    wrong = [r for r in rated if r.said and r.data.startswith("cache") and r.measured <= PAYS]
    yield f"findings where a change in cache gains at most {PAYS}x: {len(wrong)}"
    yield from map(_line, wrong)
    for place, near in (("in cache", True), ("in memory", False)):
        some = [row for row in rated if row.data.startswith("memory") != near]
        said = [row for row in some if row.said is not None]
        off = [r for r in said if not 1 / WITHIN <= r.predicted / r.measured <= WITHIN]
        same = [
            r.measured for r in found if r.rule == "none" and r.data.startswith("memory") != near
        ]
        if same:
            yield f"{place}, the same code twice: {min(same):.2f} to {max(same):.2f}"
        if said:
            share = 100 * (len(said) - len(off)) / len(said)
            yield (
                f"{place}, predicted / measured within {WITHIN}x: {len(said) - len(off)} of"
                f" {len(said)} findings ({share:.0f} %)"
            )
            yield from map(_line, off)
        if len(said) > 2:
            order = f"findings {_ranked(said):.2f}, all {_ranked(some):.2f}"
            yield f"{place}, rank correlation: {order}"
    said = [row for row in rated if row.said is not None]
    yield f"everywhere, rank correlation: findings {_ranked(said):.2f}, all {_ranked(rated):.2f}"


def _line(row: Row) -> str:
    return f"  {row.pair}, {row.data}, {row.flags}: {row.measured:.2f}, said {_said(row)}"


def _ranked(found: list[Row]) -> float:
    """Spearman's rank correlation of measured and predicted gains; 0 for fewer than three."""
    if len(found) < 3:
        return 0.0

    def ranks(values: list[float]) -> list[float]:
        ordered = sorted(values)
        return [statistics.mean(k for k, v in enumerate(ordered) if v == value) for value in values]

    return statistics.correlation(
        ranks([r.measured for r in found]), ranks([r.predicted for r in found])
    )


def options(description: str) -> argparse.ArgumentParser:
    """What every script that compares pairs takes."""
    parser = argparse.ArgumentParser(description=description)
    add = parser.add_argument
    add("machine", type=machine_at, help="from 'rooflint machine probe -o MACHINE.yaml'")
    add("--runs", type=int, default=4, help="of each program (4)")
    add("--json", type=Path, help="write the rows there too")
    add("--measured", type=Path, help="rows of an earlier run: nothing is timed")
    add("--with", type=Path, dest="others", help="rows of other pairs, for figures of both")
    return parser


def machine_at(path: str) -> Machine:
    """The machine in a file."""
    return load_machine(Path(path), [builtin_dir()])


def compare(given: argparse.Namespace, jobs: Sequence[Job]) -> None:
    """Times the pairs, unless they were, asks the lint, and prints the table and the figures."""
    if given.measured:
        known = {(row.pair, row.data, row.flags): row.measured for row in read(given.measured)}
    else:
        known = measured(jobs, given.runs)
    found = list(rows(given.machine, jobs, known))
    if given.json:
        given.json.write_text(json.dumps([row._asdict() for row in found], indent=1))
    print("\n".join([*table(found), "", *summary(found)]))
    if given.others:
        others = read(given.others)
        print("\n".join(["", f"with {given.others.name}:", *summary([*others, *found])]))


def read(path: Path) -> list[Row]:
    """Rows that ``--json`` wrote."""
    listed = json.loads(path.read_text())
    return [Row(**{**row, "said": tuple(row["said"]) if row["said"] else None}) for row in listed]

"""Two versions by turns; clock and processes are made up."""

from collections.abc import Callable

import pytest
from rooflint.measure.program import ArrayPlacement, RunSettings
from rooflint.measure.protocol import Expectation
from rooflint.measure.records import ProcessRun
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.session import PLACEMENTS, TimeSource
from rooflint.measure.versions.sampling import (
    CACHE_AGREEMENT,
    FEWEST_GROUPS,
    MOST_GROUPS,
    VersionRunners,
    VersionSamples,
    sample_versions,
)

MakeRun = Callable[..., ProcessRun]
REFUSAL = MeasureRefusal(code=RefusalCode.FAULT, arguments=("f", "0x0"))


class Workshop:
    """Processes that take 0.1 s each; those of ``before`` get slower by ``growth`` a group."""

    def __init__(self, make: MakeRun, growth: float = 0.0) -> None:
        self.make = make
        self.growth = growth
        self.time = 0.0
        self.order = ""
        self.placements: list[ArrayPlacement] = []
        self.refuses = False

    def before(self, settings: RunSettings, seconds: float) -> ProcessRun | MeasureRefusal:
        return self.run("A", 1000 * (1 + self.growth) ** (len(self.order) // 4), settings)

    def after(self, settings: RunSettings, seconds: float) -> ProcessRun | MeasureRefusal:
        return REFUSAL if self.refuses else self.run("B", 500, settings)

    def run(self, version: str, cycles: float, settings: RunSettings) -> ProcessRun:
        self.order += version
        self.placements.append(settings.placement)
        self.time += 0.1
        return self.make(cycles)

    def samples(
        self, budget_s: float = 100.0, in_cache: bool = True
    ) -> VersionSamples | MeasureRefusal:
        return sample_versions(
            VersionRunners(before=self.before, after=self.after),
            RunSettings(),
            Expectation(in_cache=in_cache),
            budget_s,
            TimeSource(now=lambda: self.time),
        )


def test_versions_take_turns_at_one_place_of_a_page(made_up_run: MakeRun) -> None:
    shop = Workshop(made_up_run)
    found = shop.samples()
    assert isinstance(found, VersionSamples)
    assert shop.order == "ABBA" * FEWEST_GROUPS
    assert shop.placements == [place for place in PLACEMENTS[:FEWEST_GROUPS] for _ in "ABBA"]
    assert found.gain is not None
    assert found.gain.ratio == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("growth", "groups"),
    [(CACHE_AGREEMENT * 0.9, FEWEST_GROUPS), (CACHE_AGREEMENT * 1.1, MOST_GROUPS)],
)
def test_groups_go_on_until_two_agree(made_up_run: MakeRun, growth: float, groups: int) -> None:
    shop = Workshop(made_up_run, growth)
    shop.samples()
    assert shop.order == "ABBA" * groups


def test_shared_levels_agree_sooner(made_up_run: MakeRun) -> None:
    shop = Workshop(made_up_run, CACHE_AGREEMENT * 1.1)
    shop.samples(in_cache=False)
    assert shop.order == "ABBA" * FEWEST_GROUPS


@pytest.mark.parametrize(("budget_s", "groups"), [(0.1, 1), (0.7, 1), (0.8, 2)])
def test_the_budget_ends_them(made_up_run: MakeRun, budget_s: float, groups: int) -> None:
    shop = Workshop(made_up_run)
    shop.samples(budget_s)
    assert shop.order == "ABBA" * groups


def test_a_refusal_ends_all(made_up_run: MakeRun) -> None:
    shop = Workshop(made_up_run)
    shop.refuses = True
    assert shop.samples() == REFUSAL
    assert shop.order == "A"

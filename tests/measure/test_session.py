"""Which processes run, and when there are enough; the clock and the processes are made up."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from rooflint.measure.building.folder import CODE_SHIFTS
from rooflint.measure.program import RunSettings
from rooflint.measure.protocol import FEWEST_PROCESSES, MOST_PROCESSES, Expectation
from rooflint.measure.records import ProcessRun
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.session import (
    APART_S,
    LEAST_PROCESS_S,
    LEAST_S,
    MOST_BATCHES,
    OVERDRAFT,
    PLACEMENTS,
    PlannedSize,
    SessionPlan,
    SessionSamples,
    TimeSource,
    best_core,
    sample,
)

MakeRun = Callable[..., ProcessRun]
ANY = PlannedSize(RunSettings(), Expectation())
PLAN = SessionPlan(whole=ANY)
LATE = MeasureRefusal(code=RefusalCode.NO_RETURN, arguments=("f", "1"))


class Laboratory:
    """A computer whose processes take ``start_s`` and ``stretch`` times their processor time."""

    def __init__(self, make: MakeRun, start_s: float = 0.01, stretch: float = 1.0) -> None:
        self.make = make
        self.start_s = start_s
        self.stretch = stretch
        self.time = 0.0
        self.asked: list[RunSettings] = []
        self.cycles: list[float] = []
        self.begun: list[float] = []

    @property
    def times(self) -> TimeSource:
        return TimeSource(now=lambda: self.time, wait=self.wait)

    def wait(self, seconds: float) -> None:
        assert seconds > 0
        self.time += seconds

    def run(self, settings: RunSettings, seconds: float) -> ProcessRun | MeasureRefusal:
        cycles = self.cycles[len(self.asked)] if self.cycles else 1000.0
        self.asked.append(settings)
        self.begun.append(self.time)
        in_batches = settings.budget_s * self.stretch
        if self.start_s + in_batches > seconds:
            self.time += seconds
            return LATE
        self.time += self.start_s + in_batches
        run = self.make(cycles)
        wall = in_batches / len(run.batches)
        return replace(run, batches=tuple([replace(b, wall_s=wall) for b in run.batches]))

    def samples(self, plan: SessionPlan, budget_s: float) -> SessionSamples:
        found = sample(self.run, plan, budget_s, self.times)
        assert isinstance(found, SessionSamples)
        return found


class QuietLaboratory(Laboratory):
    """Batches that are clean."""

    def run(self, settings: RunSettings, seconds: float) -> ProcessRun | MeasureRefusal:
        answer = super().run(settings, seconds)
        if isinstance(answer, MeasureRefusal):
            return answer
        clean = tuple([replace(b, wall_s=b.processor_s) for b in answer.batches])
        return replace(answer, batches=clean)


def test_three_processes_that_agree_are_enough(made_up_run: MakeRun) -> None:
    lab = QuietLaboratory(made_up_run)
    assert len(lab.samples(PLAN, 10.0).runs) == FEWEST_PROCESSES


def test_processes_go_on_until_two_agree(made_up_run: MakeRun) -> None:
    lab = QuietLaboratory(made_up_run)
    lab.cycles = [1500.0, 1300.0, 1700.0, 1100.0, 1101.0, 900.0]
    assert len(lab.samples(PLAN, 10.0).runs) == 5
    lab = QuietLaboratory(made_up_run)
    lab.cycles = [1000.0 * 1.1**k for k in range(9)]
    assert len(lab.samples(PLAN, 10.0).runs) == MOST_PROCESSES


def test_the_first_and_the_last_process_lie_apart(made_up_run: MakeRun) -> None:
    lab = QuietLaboratory(made_up_run)
    lab.samples(PLAN, 10.0)
    assert lab.begun[-1] - lab.begun[0] >= APART_S


def test_each_process_places_its_arrays_elsewhere(made_up_run: MakeRun) -> None:
    lab = QuietLaboratory(made_up_run)
    lab.cycles = [1000.0 * 1.1**k for k in range(9)]
    lab.samples(PLAN, 10.0)
    assert [settings.placement for settings in lab.asked] == list(PLACEMENTS)
    assert all(settings.batches == MOST_BATCHES for settings in lab.asked)


def test_each_process_has_its_code_elsewhere(made_up_run: MakeRun) -> None:
    lab = QuietLaboratory(made_up_run)
    whole, half = (PlannedSize(RunSettings(sizes=(("n", n),)), Expectation()) for n in (100, 50))
    lab.samples(SessionPlan(whole=whole, smaller=(half,)), 10.0)
    # both sizes of a slope run the same code
    assert [settings.code_place for settings in lab.asked] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("size", range(1, 49))
def test_one_of_two_places_holds_a_loop_within_a_line(size: int) -> None:
    for begin in range(0, 64, 16):
        starts = [(begin + 16 * shift) % 64 for shift in (0, CODE_SHIFTS[0])]
        assert any(start + size <= 64 for start in starts)
    # no place is left out, and no larger loop has that of two
    assert sorted((0, *CODE_SHIFTS)) == [0, 1, 2, 3]
    assert all(start + 49 > 64 for start in (16, 48))


def test_arrays_that_lie_near_each_other_in_a_page_do_not_in_two_of_three_placements() -> None:
    # a load within 256 B behind a store, modulo 4 KiB, waits for it
    page, near = 4096, 256
    for apart in range(1, 17):
        distances = [apart * each.spacing % page for each in PLACEMENTS[:FEWEST_PROCESSES]]
        far = [near < distance < page - near for distance in distances]
        assert sum(far) >= 2, apart


def test_the_last_array_of_a_page_shares_its_lines_with_none_before() -> None:
    for each in PLACEMENTS:
        lines = {array * each.spacing % 4096 // 64 for array in range(64)}
        assert len(lines) == 64


def test_two_sizes_take_turns(made_up_run: MakeRun) -> None:
    lab = QuietLaboratory(made_up_run)
    whole, half = (PlannedSize(RunSettings(sizes=(("n", n),)), Expectation()) for n in (100, 50))
    found = lab.samples(SessionPlan(whole=whole, smaller=(half,)), 10.0)
    assert len(found.runs) == len(found.smaller[0]) == FEWEST_PROCESSES
    assert len(found.every) == 2 * FEWEST_PROCESSES
    assert [s.sizes[0][1] for s in lab.asked] == [100, 50] * FEWEST_PROCESSES


def test_a_smaller_size_that_differs_asks_for_more(made_up_run: MakeRun) -> None:
    lab = QuietLaboratory(made_up_run)
    lab.cycles = [1000.0, 500.0, 1000.0, 700.0, 1000.0, 900.0, 1000.0, 501.0]
    assert len(lab.samples(SessionPlan(whole=ANY, smaller=(ANY,)), 10.0).smaller[0]) == 4


@pytest.mark.parametrize(("shaky", "processes"), [(1, 3), (2, 4)])
def test_a_slope_stands_on_half_of_the_smaller_sizes(
    made_up_run: MakeRun, shaky: int, processes: int
) -> None:
    lab = QuietLaboratory(made_up_run)
    for factor in (1.0, 1.2, 1.4, 1.0, 1.2):
        lab.cycles += [1000.0, *[500.0 * factor] * shaky, *[500.0] * (3 - shaky)]
    found = lab.samples(SessionPlan(whole=ANY, smaller=(ANY,) * 3), 10.0)
    assert len(found.runs) == processes


@pytest.mark.parametrize("stretch", [1.0, 3.0, 8.0])
@pytest.mark.parametrize("start_s", [0.01, 0.3])
@pytest.mark.parametrize("budget_s", [1.5, 3.0, 10.0])
def test_the_budget_is_kept_within_a_fifth(
    made_up_run: MakeRun, stretch: float, start_s: float, budget_s: float
) -> None:
    lab = Laboratory(made_up_run, start_s, stretch)
    lab.cycles = [1000.0 * 1.2**k for k in range(20)]
    found = lab.samples(PLAN, budget_s)
    assert found.seconds <= 1.2 * budget_s
    assert found.runs


@pytest.mark.parametrize("stretch", [1.0, 3.0, 6.0])
def test_three_processes_fit_into_the_budget_of_a_busy_computer(
    made_up_run: MakeRun, stretch: float
) -> None:
    lab = Laboratory(made_up_run, 0.05, stretch)
    assert len(lab.samples(PLAN, 3.0).runs) >= FEWEST_PROCESSES


def test_a_process_that_the_budget_ends_costs_itself_only(made_up_run: MakeRun) -> None:
    lab = QuietLaboratory(made_up_run)
    first = lab.run

    def run(settings: RunSettings, seconds: float) -> ProcessRun | MeasureRefusal:
        return LATE if len(lab.asked) else first(settings, seconds)

    found = sample(run, PLAN, 3.0, lab.times)
    assert isinstance(found, SessionSamples)
    assert len(found.runs) == 1
    assert sample(lambda *_: LATE, PLAN, 3.0, lab.times) == LATE


def test_any_other_refusal_is_the_answer(made_up_run: MakeRun) -> None:
    lab = QuietLaboratory(made_up_run)
    fault = MeasureRefusal(code=RefusalCode.FAULT, arguments=("f", "0x0"))

    def run(settings: RunSettings, seconds: float) -> ProcessRun | MeasureRefusal:
        return fault if len(lab.asked) == 1 else lab.run(settings, seconds)

    assert sample(run, PLAN, 3.0, lab.times) == fault


def test_a_process_gets_time_however_little_is_left(made_up_run: MakeRun) -> None:
    given: list[float] = []

    def run(settings: RunSettings, seconds: float) -> ProcessRun | MeasureRefusal:
        given.append(seconds)
        assert settings.budget_s >= LEAST_S
        return made_up_run(1000.0)

    lab = QuietLaboratory(made_up_run)
    assert isinstance(sample(run, PLAN, 0.0, lab.times), SessionSamples)
    assert given[0] == LEAST_PROCESS_S
    assert isinstance(sample(run, PLAN, 2.0, lab.times), SessionSamples)
    assert max(given) <= 2.0 * (1 + OVERDRAFT)


def test_the_core_with_the_most_clean_batches_is_chosen(made_up_run: MakeRun) -> None:
    clean = {0: 5, 1: 18, 2: 18, 3: 11}

    def run(settings: RunSettings, seconds: float) -> ProcessRun | MeasureRefusal:
        assert settings.core is not None
        return made_up_run(1000.0, clean=clean[settings.core])

    assert best_core(run, RunSettings(), (0, 1, 2, 3), 1.0) == 1
    assert best_core(run, RunSettings(), (3, 0), 1.0) == 3
    assert best_core(lambda *_: LATE, RunSettings(), (0, 1), 1.0) is None

"""Shares of time as means over runs: of what few runs do, and of what pointers may lead to."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.program.linking import link_files
from rooflint.program.ways.mean_times import mean_times
from rooflint.program.ways.run_ways import EVERY_RUN, RunWay
from rooflint.program.weights import program_weights

HALF = RunWay(0.5, EVERY_RUN)
TENTH = RunWay(0.1, EVERY_RUN)
BEHIND = RunWay(0.05, TENTH)


def mean_shares(spent: dict[int, float], **ways: RunWay) -> dict[int, float]:
    """Of functions ``f0``, ``f1`` and so on."""
    times = mean_times(spent, {int(name[1:]): way for name, way in ways.items()})
    return {each: time / sum(times.values()) for each, time in times.items()}


def test_what_all_runs_do_has_its_part_of_the_time() -> None:
    assert mean_shares({0: 3.0, 1: 1.0}, f0=EVERY_RUN, f1=EVERY_RUN) == {0: 0.75, 1: 0.25}


def test_what_a_tenth_of_the_runs_does_has_no_more_than_a_tenth() -> None:
    # it takes 1000 of 1001 in these runs, 100 in the mean of all
    shares = mean_shares({0: 1.0, 1: 100.0}, f0=EVERY_RUN, f1=TENTH)
    # runs of 1 % of the mean time are too short to count
    assert shares == pytest.approx({0: 1 / 1001, 1: 1000 / 1001})
    shares = mean_shares({0: 2.0, 1: 100.0}, f0=EVERY_RUN, f1=TENTH)
    assert shares[1] == pytest.approx(0.1 * 1000 / 1002)


def test_functions_of_one_way_share_its_time() -> None:
    shares = mean_shares({0: 10.0, 1: 60.0, 2: 30.0}, f0=EVERY_RUN, f1=TENTH, f2=TENTH)
    assert shares[1] == pytest.approx(0.1 * 600 / 910)
    assert shares[2] == pytest.approx(0.1 * 300 / 910)


def test_a_way_behind_another_is_only_taken_with_it() -> None:
    shares = mean_shares({0: 10.0, 1: 10.0, 2: 10.0}, f0=EVERY_RUN, f1=TENTH, f2=BEHIND)
    # 90 % of 10, 5 % of 10 and 100, 5 % of 10 and 100 and 200
    assert shares[1] == pytest.approx(0.05 * 100 / 110 + 0.05 * 100 / 310)
    assert shares[2] == pytest.approx(0.05 * 200 / 310)
    assert shares[0] == pytest.approx(0.9 + 0.05 * 10 / 110 + 0.05 * 10 / 310)


def test_ways_are_taken_independently() -> None:
    other = RunWay(0.5, EVERY_RUN)
    shares = mean_shares({0: 10.0, 1: 10.0, 2: 5.0}, f0=EVERY_RUN, f1=HALF, f2=other)
    assert shares[1] == pytest.approx(0.25 * 20 / 30 + 0.25 * 20 / 40)
    assert shares[2] == pytest.approx(0.25 * 10 / 20 + 0.25 * 10 / 40)


@pytest.mark.parametrize("spent", [{}, {0: 0.0}, {0: 0.0, 1: 0.0}, {0: float("inf"), 1: 1.0}])
def test_times_without_a_share_stay(spent: dict[int, float]) -> None:
    assert mean_times(spent, {1: TENTH}) == spent


def test_many_ways_are_those_of_most_time() -> None:
    spent = {number: 1.0 + number for number in range(40)}
    ways = {number: RunWay(0.5, EVERY_RUN) for number in range(1, 40)}
    times = mean_times(spent, ways)
    assert sum(times.values()) == pytest.approx(1)
    assert all(time > 0 for time in times.values())


WORK = "double a[999]; int n, m, mode = 1;"


def share(text: str, name: str = "rare") -> float:
    program = link_files([file_equations(Request("/a.c", Flags("c"), text.encode()))])
    found = {each.function.name: each.weight.share for each in program_weights(program).functions}
    return found[name]


def function(name: str, times: int) -> str:
    loop = f"for (int i = 0; i < {times}; i++) a[i % 999] += 1;"
    return f"static void {name}(void) {{ {loop} }}\n"


def test_a_mode_that_the_default_decides_against() -> None:
    text = (
        f"{WORK} {function('rare', 1_000_000)} {function('usual', 1_000)}"
        "int main(int c, char **v) { if (c > 1) mode = c; if (mode == 1) usual(); else rare(); }"
    )
    assert share(text) <= 0.06


def test_a_branch_of_each_call_is_taken_in_some_of_many() -> None:
    text = (
        f"{WORK} {function('rare', 100_000)}"
        "int main(void) { for (int i = 0; i < 1000; i++) { a[0] += i; if (n == m) rare(); } }"
    )
    assert share(text) > 0.9


def test_a_pointer_once_set_leads_to_one_function() -> None:
    text = (
        f"{WORK} {function('rare', 1_000_000)} {function('usual', 100_000)}"
        "static void (*table[])(void) = {rare, usual};"
        "int main(int c, char **v) { for (int i = 0; i < 50; i++) table[c](); }"
    )
    # it has ten of eleven parts of the time, and all of it in half of the runs
    assert share(text) == pytest.approx(0.5, abs=0.02)


def test_ways_of_a_switch_are_taken_by_one_run_each() -> None:
    text = (
        f"{WORK} {function('rare', 1_000_000)} {function('usual', 10_000)}"
        "static void step(int p) { switch (p) { case 2: usual(); break; default: rare(); } }"
        "int main(int c, char **v) { for (int i = 0; i < 500; i++) step(v[i][0]); }"
    )
    # a hundred times as long, and all of the time in half of the runs
    assert share(text) == pytest.approx(0.5, abs=0.02)
    assert share(text, "usual") == pytest.approx(0.5, abs=0.02)


def test_what_one_way_calls_is_called_together() -> None:
    text = (
        f"{WORK} {function('rare', 100_000)} {function('usual', 100_000)}"
        f"{function('other', 10_000)} int main(int c, char **v) {{ for (int i = 0; i < 500; i++)"
        " switch (v[i][0]) { case 2: usual(); rare(); break; default: other(); } }"
    )
    assert share(text) == pytest.approx(0.25, abs=0.02)
    assert share(text, "usual") == pytest.approx(0.25, abs=0.02)


def test_ways_of_two_switches_are_taken_independently() -> None:
    text = (
        f"{WORK} {function('rare', 100_000)} {function('usual', 100_000)}"
        "int main(int c, char **v) { for (int i = 0; i < 500; i++) {"
        " switch (v[i][0]) { case 2: usual(); break; default: ; }"
        " switch (v[i][1]) { case 3: rare(); break; default: ; } } }"
    )
    # in half of the runs each; of those, half take the other way too
    assert share(text) == pytest.approx(0.5, abs=0.02)
    assert share(text, "usual") == pytest.approx(0.5, abs=0.02)


def test_a_way_inside_of_another_one_is_a_part_of_it() -> None:
    inner = "switch (v[i][1]) { case 3: rare(); break; default: usual(); }"
    text = (
        f"{WORK} {function('rare', 900_000)} {function('usual', 100_000)}"
        f"{function('other', 1_000)} int main(int c, char **v) {{ for (int i = 0; i < 500; i++) {{"
        f" switch (v[i][0]) {{ case 2: {inner} break; default: other(); }} }} }}"
    )
    assert share(text) == pytest.approx(0.25, abs=0.02)
    assert share(text, "other") == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(("times", "least"), [(1, 0.99), (3_000_000, 0.0)])
def test_a_run_of_a_millisecond_has_done_some_work(times: int, least: float) -> None:
    """Runs without the rare way are a part of those that count, once they take that long."""
    text = (
        f"{WORK} {function('rare', 2_000_000_000)} {function('usual', times)}"
        "int main(int c, char **v) { usual(); if (c > 1) mode = c; if (mode != 1) rare(); }"
    )
    assert share(text) >= least
    assert least or share(text) == pytest.approx(0.05, abs=0.01)


def test_what_two_callers_on_one_way_call_is_no_more_likely_than_they_are() -> None:
    text = (
        f"{WORK} {function('rare', 1_000_000)} {function('usual', 300_000)}"
        "static void one(void) { rare(); rare(); } static void two(void) { one(); rare(); }"
        "int main(void) { usual(); if (n == m) two(); }"
    )
    assert share(text) == pytest.approx(0.25 * 30 / 33, rel=0.05)

"""Sizes that loops count up: histograms, and the sums of what was counted into them."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.program.linking import link_files
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import typical_trips

SORT = """
int counts[COUNTERS], used, out[999];
static void sort(const int *keys) {
    CLEAR
    for (int i = 0; i < ITEMS; i++) NOTE;
    used = 0;
    for (int i = 0; i < COUNTERS; i++) { int count = counts[i]; counts[i] = used; SUM; }
    for (int i = 0; i < used; i++) out[i] = i;
}
int main(void) { sort(out); return 0; }
"""


def last_trips(counters: int, items: int, count: str, add: str, clear: str = "") -> float:
    """Of the loop over ``used`` items."""
    parts = {"CLEAR": clear, "NOTE": count, "SUM": add, "ITEMS": items, "COUNTERS": counters}
    text = SORT
    for name, value in parts.items():
        text = text.replace(name, str(value))
    program = link_files([file_equations(Request("/a.c", Flags("c"), text.encode()))])
    return typical_trips(program, ProgramSolver(program)).trips()[-1]


CLEARED = "for (int i = 0; i < COUNTERS; i++) counts[i] = 0;"


@pytest.mark.parametrize("clear", ["", CLEARED])
@pytest.mark.parametrize("items", [5, 700])
def test_sum_of_a_histogram_is_the_number_of_its_items(items: int, clear: str) -> None:
    count = "counts[keys[i] % COUNTERS]++"
    assert last_trips(100, items, count, "used += count", clear) == items
    assert last_trips(100, items, count, "used += counts[i]", clear) == items


def test_counts_of_fewer_counters_than_items_are_their_guess() -> None:
    """One counter of 32, by its role, is less than all the items."""
    assert last_trips(1, 700, "counts[keys[i] % 1]++", "used += count") == 32


def test_elements_that_nothing_counts_have_their_role() -> None:
    assert last_trips(100, 5, "counts[i] = keys[i]", "used += count") == 100 * 32


READ = """
static unsigned word(const unsigned char *at) {
    return JOINED;
}
int read(const unsigned char *at, char *out) {
    unsigned n = word(at);
    for (unsigned i = 0; i < n; i++) out[i] = 0;
    return 0;
}
"""


@pytest.mark.parametrize(
    ("joined", "trips"),
    [
        ("at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3]", 32),
        ("at[0] + (at[1] << 8)", 32),
        ("at[0] << 3", 16 << 3),  # bits of a byte are no bytes of a number
    ],
)
def test_a_number_joined_from_bytes_is_as_large_as_others(joined: str, trips: int) -> None:
    text = READ.replace("JOINED", joined).encode()
    program = link_files([file_equations(Request("/a.c", Flags("c"), text))])
    assert typical_trips(program, ProgramSolver(program)).trips() == [trips]


def test_a_file_has_a_megabyte() -> None:
    text = """
    long ftell(void *);
    double sum(void *file, const double *a) {
        double s = 0;
        long bytes = ftell(file);
        for (long i = 0; i < bytes / 16; i++) s += a[i];
        return s;
    }
    """
    program = link_files([file_equations(Request("/a.c", Flags("c"), text.encode()))])
    assert typical_trips(program, ProgramSolver(program)).trips() == [1_000_000 // 16]

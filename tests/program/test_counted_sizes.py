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


ROOM = """
struct node { unsigned size; int keys[64]; };
unsigned room(void);
void insert(struct node *t, int key) { GROW }
void reset(struct node *t) { t->size = SET; }
double sum(const struct node *t) {
    double s = 0;
    for (unsigned i = 0; i < t->size; i++) s += t->keys[i];
    return s;
}
"""


@pytest.mark.parametrize(
    ("grow", "zero", "trips"),
    [
        ("if (t->size < 6) { t->keys[t->size] = key; t->size++; }", "0", 6),
        ("if (key > 0 && 6 > t->size) t->size++;", "0", 6),
        ("if (t->size >= 6) return; else t->size++;", "0", 6),
        ("if (t->size == 6) { } else { if (key) t->size++; }", "0", 6),
        ("if (key < 6) t->size++;", "0", 1000),
        ("if (t->size < 6) t->size++; if (t->size < 9) t->size++;", "0", 1000),
        ("if (t->size < 6) t->size++; if (key) t->size++;", "0", 1000),
        ("if (t->size < 6) t->size++;", "room()", 1000),
    ],
)
def test_what_grows_where_there_is_room_is_no_larger(grow: str, zero: str, trips: int) -> None:
    text = ROOM.replace("GROW", grow).replace("SET", zero).encode()
    program = link_files([file_equations(Request("/a.c", Flags("c"), text))])
    assert typical_trips(program, ProgramSolver(program)).trips() == [trips]


LAYERS = """
int scanf(const char *, ...);
struct net { int layers, width; } n;
int main(void) {
    n.layers = DEFAULT;
    scanf("%d", &n.layers);
    for (int i = 1; i < n.layers; i++) n.width++;
    return 0;
}
"""


@pytest.mark.parametrize(("default", "trips"), [("1", 0), ("4", 3), ("0", 1000)])
def test_a_default_with_which_a_loop_does_not_run(default: str, trips: int) -> None:
    text = LAYERS.replace("DEFAULT", default).encode()
    program = link_files([file_equations(Request("/a.c", Flags("c"), text))])
    found = typical_trips(program, ProgramSolver(program)).trips()
    assert found == [pytest.approx(trips, abs=1)]


@pytest.mark.parametrize(
    ("argument", "trips"),
    [("s->channels", 4), ("k", 1000)],
)
def test_a_member_is_as_large_as_the_named_size_that_is_copied_to_it(
    argument: str, trips: int
) -> None:
    text = """
    struct source { int channels; };
    struct mixer { int parts; };
    static void set(struct mixer *m, int parts) { m->parts = parts; }
    double mix(struct mixer *m, const struct source *s, int k, const double *a) {
        double sum = 0;
        set(m, ARGUMENT);
        for (int i = 0; i < m->parts; i++) sum += a[i];
        return sum;
    }
    """.replace("ARGUMENT", argument)
    program = link_files([file_equations(Request("/a.c", Flags("c"), text.encode()))])
    assert typical_trips(program, ProgramSolver(program)).trips() == [trips]

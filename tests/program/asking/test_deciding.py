"""Open sizes: which names set them, how much of the time they decide, and what is asked first."""

from collections.abc import Mapping
from itertools import permutations

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.pipeline.weights.comment_sizes import commented_sizes
from rooflint.program.asking.deciding import (
    MOST_ASKED,
    DecidingGroup,
    DecidingSizes,
    first_asked,
)
from rooflint.program.asking.open_names import OpenName, of_one_scale
from rooflint.program.asking.resting import LEAST_SHARE
from rooflint.program.scenarios import ProgramScenario
from rooflint.program.typical_value import TypicalValue
from rooflint.scenario.roles import SizeRole
from rooflint.scenario.sizes import SizeLayer

MANY = 100_000
INPUT = "int scanf(const char *, ...); double a[4000], b[4000];"
# rows is an extent: mostly 128 to 2000, typically 500
ROWS = f"""{INPUT}
static void fill(int c) {{ for (int i = 0; i < c; i++) a[i] = i; }}
static void clear(void) {{ for (int i = 0; i < 1000; i++) b[i] = i; }}
int main(void) {{
  int rows;
  scanf("%d", &rows);
  fill(rows);
  clear();
}}
"""


def sizes_of(
    text: str | Mapping[str, str], answers: Mapping[str, int] | None = None
) -> DecidingSizes:
    texts = {"a.c": text} if isinstance(text, str) else text
    files = [
        file_equations(Request(f"/{name}", Flags("c"), own.encode())) for name, own in texts.items()
    ]
    program = ProgramScenario(files, commented_sizes(files))
    layers = [SizeLayer("command line", answers or {})]
    return DecidingSizes(program.equations, program.given_sizes(layers))


def asked(text: str | Mapping[str, str]) -> list[list[str]]:
    return asked_with(text, MANY)


def asked_with(text: str | Mapping[str, str], effort: int) -> list[list[str]]:
    return [[each.name for each in group.names] for group in sizes_of(text).ranked(effort)]


def test_the_name_that_input_sets_is_asked_for_and_none_that_is_computed_from_it() -> None:
    [group] = sizes_of(ROWS).ranked(MANY)
    [size] = group.names
    assert (size.name, size.typical.points) == ("main:rows", SizeRole.EXTENT.range.points)
    assert size.reasons == {"input"}
    assert [(each.place.path, each.place.line) for each in group.loops] == [("/a.c", 2)]


def test_what_a_size_decides_by_hand() -> None:
    # fill takes as long for one element as clear, which has 1000: shares are n / (n + 1000)
    [group] = sizes_of(ROWS).ranked(MANY)
    assert group.moves == pytest.approx(2000 / 3000 - 128 / 1128, rel=0.02)
    assert group.scales == pytest.approx(500 / 1500, rel=0.02)


def test_the_break_even_is_where_another_function_takes_the_most_time() -> None:
    sizes = sizes_of(ROWS)
    [group] = sizes.ranked(MANY)
    found = sizes.break_even(group)
    assert found is not None
    assert (found.below, found.above) == ("clear", "fill")
    assert found.at == pytest.approx(1000, rel=0.02)


def test_trips_that_a_comment_sets_move_the_break_even() -> None:
    loop = "for (int i = 0; i < 1000; i++)"
    sizes = sizes_of(ROWS.replace(loop, f"\n  // rooflint: trip(i=400)\n  {loop}"))
    [group] = sizes.ranked(MANY)
    assert group.scales == pytest.approx(500 / 900, rel=0.02)
    found = sizes.break_even(group)
    assert found is not None
    assert (found.below, found.above) == ("clear", "fill")
    assert found.at == pytest.approx(400, rel=0.02)


def test_there_is_no_break_even_where_one_function_leads_at_both_quartiles() -> None:
    sizes = sizes_of(ROWS.replace("1000", "100"))
    [group] = sizes.ranked(MANY)
    assert sizes.break_even(group) is None


@pytest.mark.parametrize(("fixed", "is_asked"), [(40_000, True), (60_000, False)])
def test_loops_of_less_than_a_hundredth_of_the_time_are_not_asked_for(
    fixed: int, is_asked: bool
) -> None:
    # 500 of 40 500 is 1.2 %, of 60 500 0.8 %
    assert (asked(ROWS.replace("1000", str(fixed))) != []) is is_asked
    assert 500 / 60_500 < LEAST_SHARE < 500 / 40_500


def test_what_moves_nothing_is_not_asked_for() -> None:
    # all of the time depends on it, in both functions alike; of main's own there is 0.1 %
    body = "(int c) { for (int i = 0; i < c; i++) for (int j = 0; j < 9; j++) a[j] += i; }"
    text = f"""{INPUT} static void f{body} static void g{body}
    int main(void) {{ int rows; scanf("%d", &rows); f(rows); g(rows); }}
    """
    assert asked(text) == []
    assert asked(text.replace("g(rows)", "g(9)")) == [["main:rows"]]


def test_an_answer_is_the_size_that_the_source_would_have() -> None:
    answered = sizes_of(ROWS, {"main:rows": 700})
    written = sizes_of(ROWS.replace("fill(rows)", "fill(700)"))
    assert (answered.open_count, written.open_count) == (0, 0)
    assert [each.weight.share for each in answered.weights.functions] == pytest.approx(
        [each.weight.share for each in written.weights.functions]
    )


GRID = f"""{INPUT}
struct Grid {{ int nx, ny, nz; }};
void read_grid(struct Grid *g) {{ scanf("%d %d %d", &g->nx, &g->ny, &g->nz); }}
static void sweep(struct Grid *g) {{
  for (int k = 0; k < g->nz; k++)
    for (int j = 0; j < g->ny; j++)
      for (int i = 0; i < g->nx; i++) a[i] += b[j] * k;
}}
static void clear(void) {{ for (int i = 0; i < 1000; i++) b[i] = i; }}
int main(void) {{ struct Grid g; read_grid(&g); sweep(&g); clear(); }}
"""


def test_names_of_one_scale_are_asked_for_together() -> None:
    assert asked(GRID) == [["Grid::nx", "Grid::ny", "Grid::nz"]]
    other = GRID.replace("nz", "slabs").replace("ny", "width").replace("nx", "height")
    groups = of_one_scale(sizes_of(other).names)
    assert [len(names) for names in groups] == [1, 1, 1]


LIBRARY = f"""{INPUT}
void add(int n) {{ for (int i = 0; i < n; i++) a[i] += b[i]; }}
void scale(int n) {{ for (int i = 0; i < n; i++) a[i] *= 2; }}
"""


def names_of(text: str) -> set[str]:
    return {each.name for each in sizes_of(text).names}


def test_one_name_in_several_functions_is_asked_for_once() -> None:
    assert names_of(LIBRARY) == {"n"}


def test_but_not_where_another_function_has_a_value_for_it() -> None:
    fixed = "void sum(void) { int n = 9; for (int i = 0; i < n; i++) a[0] += b[i]; }"
    assert names_of(LIBRARY + fixed) == {"add:n", "scale:n"}


def test_a_source_default_is_not_open() -> None:
    text = ROWS.replace("int rows;", "int rows = 80;")
    assert sizes_of(text).open_count == 0
    # 0 only stands there until input brings another value
    assert sizes_of(ROWS.replace("int rows;", "int rows = 0;")).open_count == 1


def test_a_row_between_elements_has_no_name() -> None:
    loop = "for (int i = p[r]; i < p[r + 1]; i++) a[i] = r;"
    text = f"{INPUT} int p[4000]; int main(void) {{ for (int r = 0; r < 40; r++) {loop} }}"
    sizes = sizes_of(text)
    assert sizes.open_count == 0
    assert sizes.uncounted_share() == pytest.approx(1, rel=0.1)


def test_time_in_loops_that_nothing_counts_by_hand() -> None:
    # four iterations of a hundred elements, beside 1000 elements of clear
    text = ROWS.replace("fill(rows)", "while (rows % 7) fill(100)")
    share = sizes_of(text).uncounted_share()
    assert share < 0.05  # fill is called, and its own loop has a count
    inside = ROWS.replace("fill(rows)", "while (rows % 7) for (int i = 0; i < 100; i++) a[i] = i")
    assert sizes_of(inside).uncounted_share() == pytest.approx(400 / 1400, rel=0.1)


@pytest.mark.parametrize("order", [*permutations(["main.c", "fill.c", "clear.c"])])
def test_the_order_of_files_changes_nothing(order: tuple[str, ...]) -> None:
    head = "extern double a[], b[]; int scanf(const char *, ...); void fill(int); void clear(void);"
    texts = {
        "main.c": f'{head} int main(void) {{ int rows; scanf("%d", &rows); fill(rows); clear(); }}',
        "fill.c": f"{head} void fill(int c) {{ for (int i = 0; i < c; i++) a[i] = i; }}",
        "clear.c": f"{head} void clear(void) {{ for (int i = 0; i < 1000; i++) b[i] = i; }}",
    }
    [group] = sizes_of({name: texts[name] for name in order}).ranked(MANY)
    [expected] = sizes_of(texts).ranked(MANY)
    assert group == expected


def group_of(*names: str) -> DecidingGroup:
    typical = TypicalValue(points=(1, 2, 3, 4, 5), decided=False)
    own = [
        OpenName(
            name=name, positions=(0,), typical=typical, reasons=frozenset(), place=None, loops=()
        )
        for name in names
    ]
    return DecidingGroup(names=tuple(own), moves=0.5, scales=0.5)


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (["ab", "c", "d"], ["ab", "c"]),
        (["ab", "cd", "e"], ["ab", "e"]),
        (["a", "bc", "d"], ["a", "bc"]),
        (["abcd", "e"], ["abc"]),
        (["a", "b", "c", "d"], ["a", "b", "c"]),
        ([], []),
    ],
)
def test_three_are_asked_for_at_a_time(groups: list[str], expected: list[str]) -> None:
    found = first_asked(group_of(*names) for names in groups)
    assert ["".join(each.name for each in group.names) for group in found] == expected
    assert sum(len(group.names) for group in found) <= MOST_ASKED


def test_weighings_are_limited_and_the_time_of_loops_decides_which() -> None:
    text = f"""{INPUT}
    void big(int c) {{ for (int i = 0; i < c; i++) for (int j = 0; j < 90; j++) a[j] += i; }}
    void small(int c) {{ for (int i = 0; i < c; i++) b[i] = i; }}
    int main(void) {{ int rows, cols; scanf("%d %d", &rows, &cols); big(rows); small(cols); }}
    """
    # three loops, each at two quartiles: six weighings of a loop for one size
    assert asked_with(text, 5) == []
    assert asked_with(text, 6) == asked_with(text, 11) == [["main:rows"]]
    assert asked_with(text, 12) == [["main:rows"], ["main:cols"]]


ROW_LENGTHS = f"""{INPUT}
struct graph {{ int *start; }};
static int length(struct graph *g, int i) {{ return g->start[i + 1] - g->start[i]; }}
static void visit(struct graph *g) {{
  for (int i = 0; i < 1000; i++) {{
    int n = length(g, i);
    for (int j = 0; j < n; j++) a[j] += b[i];
  }}
}}
int main(void) {{
  struct graph g;
  scanf("%p", &g.start);
  visit(&g);
}}
"""


def test_no_element_is_asked_for_where_the_difference_of_two_is_a_row() -> None:
    sizes = sizes_of(ROW_LENGTHS)
    assert sizes.names == ()
    [row] = [each for each in sizes.weights.loops if each.weight.executions == 1000]
    assert row.iterations == 1000 * SizeRole.ROW.range.typical

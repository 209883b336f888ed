"""Predictions at a point are those of ``analyze`` with the same sizes."""

from itertools import pairwise
from pathlib import Path

import pytest
from rooflint.core import Compiler
from rooflint.errors import UsageError
from rooflint.measure.confrontation import forecast
from rooflint.measure.confrontation.forecast import (
    Forecast,
    Forecaster,
    ForecastPoint,
    as_installed,
)
from rooflint.pipeline import Options, Source, analyse
from rooflint.registry import load_registry

SOURCE = """\
void triad(int n, double *restrict a, const double *b, const double *c)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + 3 * c[i];
}
void two(int n, double *restrict a, const double *b)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i] += b[j];
}
void fixed(double a[100])
{
    for (int i = 0; i < 100; i++)
        a[i] = 0;
}
void gather(int n, double *restrict a, const double *b, const int *index)
{
    for (int i = 0; i < n; i++)
        a[i] = b[index[i]];
}
struct layer { int n; float *x; };
void member(struct layer *l)
{
    for (int i = 0; i < l->n; i++)
        l->x[i] *= 2;
}
void rows(int n, const int *degree, double **a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < degree[i]; j++)
            a[i][j] = 1;
}
void chosen(int n, double *restrict a, const double *b, const double *c)
{
    for (int i = 0; i < n; i++)
        if (b[i] < 0)
            a[i] = c[i];
}
void left_early(int n, double *restrict a, const double *b, const double *c)
{
    for (int i = 0; i < n; i++) {
        if (b[i] >= 0)
            goto next;
        a[i] = c[i];
next:;
    }
}
void chosen_loop(int n, int wanted, double *restrict a)
{
    if (wanted > 3)
        for (int i = 0; i < n; i++)
            a[i] = 1;
}
void one_of_two(int n, double x, double *restrict a, const double *b)
{
    if (x == 1)
        for (int i = 0; i < n; i++)
            a[i] = b[i];
    else
        for (int i = 0; i < n; i++)
            a[i] = x * b[i] + a[i];
}
struct table { int n; double w[1]; };
void strided(struct table *t, int n, int step, double *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] += t->w[i * step];
}
void leaf(int n, double *b)
{
    if (n > 100)
        return;
    for (int i = 0; i < n; i++)
        b[i] += 1;
}
void prepared(int n, double *restrict a, double *restrict b)
{
    leaf(n, b);
    for (int i = 0; i < n; i++)
        a[i] = 1;
}
void calling(int n, double *restrict a, double *restrict b)
{
    for (int i = 0; i < n; i++) {
        a[i] = 1;
        leaf(n, b);
    }
}
"""
OPTIONS = Options(machines=("skylake-sp-6148",), models=("roofline", "ecm", "bounds"))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("forecast") / "k.c"
    file.write_text(SOURCE, encoding="utf-8")
    return str(file)


@pytest.fixture(scope="module")
def forecaster(path: str) -> Forecaster:
    return Forecaster(path, OPTIONS, load_registry())


def test_the_same_call_as_analyze(path: str, forecaster: Forecaster) -> None:
    options = OPTIONS._replace(sizes={"n": 1000}, residency="L2")
    (file,) = analyse([Source(path)], options, load_registry()).files
    (kernel,) = file.functions[0].nests[0].kernels
    expected = {
        prediction.model: (prediction.cycles_per_iteration or 0.0) * 1000
        for prediction in kernel.results[0].predictions
    }
    found = forecaster.at("triad", ForecastPoint(sizes={"n": 1000}, residency="L2"))
    assert {model.model: model.cycles for model in found.models} == expected
    assert found.iterations == 1000
    assert (found.residency, found.refused, found.arrays) == ("L2", 0, 3)


def test_nothing_is_charged_behind_the_level_that_holds_the_data(forecaster: Forecaster) -> None:
    def cycles(level: str) -> dict[str, float]:
        found = forecaster.at("triad", ForecastPoint(sizes={"n": 1000}, residency=level))
        return {model.model: model.cycles or 0.0 for model in found.models}

    by_level = [cycles(level) for level in ("L1", "L2", "L3", "MEM")]
    for near, far in pairwise(by_level):
        assert all(near[model] <= far[model] for model in near)
    assert by_level[0]["ecm"] < by_level[1]["ecm"] < by_level[2]["ecm"] < by_level[3]["ecm"]
    assert by_level[3] == cycles("")
    unknown = forecaster.at("triad", ForecastPoint(sizes={"n": 1000}, residency="L4"))
    assert unknown.residency == ""
    assert {m.model: m.cycles for m in unknown.models} == cycles("")


def test_all_loops_of_a_function_count(forecaster: Forecaster) -> None:
    found = forecaster.at("two", ForecastPoint(sizes={"n": 100}, residency="L1"))
    first = forecaster.at("two", ForecastPoint(sizes={"n": 100}, residency="L1", lines=(8, 9)))
    second = forecaster.at("two", ForecastPoint(sizes={"n": 100}, residency="L1", lines=(10, 12)))
    assert (found.iterations, first.iterations, second.iterations) == (10_000, 100, 10_000)
    for whole, one, other in zip(found.models, first.models, second.models, strict=True):
        assert whole.cycles == pytest.approx((one.cycles or 0) + (other.cycles or 0))


def test_loops_that_exclude_each_other_are_alternatives(forecaster: Forecaster) -> None:
    """An equality holds in a quarter of the calls."""
    first_line = SOURCE[: SOURCE.index("if (x == 1)")].count("\n") + 2

    def at(lines: tuple[int, int] | None) -> Forecast:
        point = ForecastPoint(sizes={"n": 100}, residency="L1", lines=lines)
        return forecaster.at("one_of_two", point)

    whole, one, other = (
        at(None),
        at((first_line, first_line + 1)),
        at((first_line + 3, first_line + 4)),
    )
    assert (whole.iterations, one.iterations, other.iterations) == (100, 100, 100)
    for both, first, second in zip(whole.models, one.models, other.models, strict=True):
        assert first.cycles is not None
        assert second.cycles is not None
        assert both.cycles == pytest.approx(0.25 * first.cycles + 0.75 * second.cycles)
        assert first.cycles < second.cycles


def test_expected_bytes(forecaster: Forecaster) -> None:
    triad = forecaster.at("triad", ForecastPoint(sizes={"n": 1000}))
    assert triad.expected_bytes == 3 * 8000
    assert forecaster.at("gather", ForecastPoint(sizes={"n": 1000})).expected_bytes is None
    missing = forecaster.at("none", ForecastPoint(sizes={}))
    assert (missing.expected_bytes, missing.iterations, missing.models) == (None, None, ())


def test_traffic_of_a_call(forecaster: Forecaster) -> None:
    """A triad of 10 000 in L2: three arrays and an allocation towards the core, one back."""
    triad = forecaster.at("triad", ForecastPoint(sizes={"n": 10_000}, residency="L2"))
    _, near, far, *_ = triad.traffic
    assert (near.link, far.link) == ("L1-L2", "L2-L3")
    assert near.load_bytes == pytest.approx(160_000, rel=0.01)
    assert near.write_allocate_bytes == pytest.approx(80_000, rel=0.01)
    assert near.evict_bytes == pytest.approx(80_000, rel=0.01)
    assert far.total_bytes == 0
    both, first, second = (
        forecaster.at("two", ForecastPoint(sizes={"n": 100}, residency="L1", lines=lines))
        for lines in (None, (8, 9), (10, 12))
    )
    requested = [each.traffic[0].total_bytes for each in (both, first, second)]
    assert requested[0] == pytest.approx(sum(requested[1:]))
    assert forecaster.at("rows", ForecastPoint(sizes={"n": 9})).traffic == ()


@pytest.mark.parametrize(
    ("function", "least", "most"),
    [
        ("triad", 24_000, 24_000),
        ("chosen", 8_000, 24_000),  # b alone
        ("left_early", 8_000, 24_000),
        ("chosen_loop", 8_000, 8_000),  # a call without its loop measures nothing
        ("gather", None, None),
    ],
)
def test_branches_may_leave_out_bytes(
    forecaster: Forecaster, function: str, least: int | None, most: int | None
) -> None:
    found = forecaster.at(function, ForecastPoint(sizes={"n": 1000}))
    assert (found.least_bytes, found.expected_bytes) == (least, most)


@pytest.mark.parametrize(
    ("function", "sizes", "most"),
    [
        ("triad", {"n": 1000}, 24_000),
        ("strided", {"n": 50, "step": 1}, 50 * 8 + 50 * 8),
        ("strided", {"n": 50, "step": 60}, 50 * 8 + 49 * 60 * 8 + 8),  # gaps between its lines too
        ("strided", {"n": 50, "step": -60}, 50 * 8 + 49 * 60 * 8 + 8),
        ("gather", {"n": 1000}, None),
        ("calling", {"n": 1000}, None),  # b too
        ("prepared", {"n": 1000}, None),
    ],
)
def test_most_that_a_call_may_touch(
    forecaster: Forecaster, function: str, sizes: dict[str, int], most: int | None
) -> None:
    assert forecaster.at(function, ForecastPoint(sizes=sizes)).most_bytes == most


def test_sizes_that_nobody_told(forecaster: Forecaster) -> None:
    assert forecaster.at("triad", ForecastPoint(sizes={})).assumed == {"n"}
    assert forecaster.at("triad", ForecastPoint(sizes={"n": 5})).assumed == frozenset()


def test_a_member_is_a_size_by_either_spelling(forecaster: Forecaster) -> None:
    for name in ("l.n", "l->n"):
        found = forecaster.at("member", ForecastPoint(sizes={name: 3000}))
        assert (found.iterations, found.sizes, found.assumed) == (3000, {"l.n": 3000}, frozenset())


def test_no_iterations_where_data_decide_how_many(forecaster: Forecaster) -> None:
    found = forecaster.at("rows", ForecastPoint(sizes={"n": 1000}))
    assert found.iterations is None
    assert found.guessed_trips == {"degree[i]"}
    given = ForecastPoint(sizes={"n": 1000, "degree[i]": 27})
    assert forecaster.at("rows", given).iterations == 27_000


@pytest.mark.parametrize(
    ("function", "is_part"), [("triad", False), ("calling", True), ("prepared", True)]
)
def test_code_beside_what_the_models_count(
    forecaster: Forecaster, function: str, is_part: bool
) -> None:
    found = forecaster.at(function, ForecastPoint(sizes={"n": 1000}, residency="L2"))
    assert {model.is_part for model in found.models} == {is_part}


def test_one_machine_is_compared_with(path: str) -> None:
    two = OPTIONS._replace(machines=("skx", "hsw"))
    with pytest.raises(UsageError, match="expected one --machine"):
        Forecaster(path, two, load_registry())


REPEATED = """\
void other(void);
void driver(int n, double *restrict a, const double *restrict b)
{
    for (int times = 0; times < 100; times++) {
        for (int i = 0; i < n; i++)
            a[i] = b[i];
        other();
    }
}
void rows(int n, double a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i][j] = 1;
        other();
    }
}
void triangle(int n, double *restrict a)
{
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++)
            a[j] += 1;
        other();
    }
}
"""


def test_a_nest_counts_per_pass(tmp_path: Path) -> None:
    file = tmp_path / "repeated.c"
    file.write_text(REPEATED, encoding="utf-8")
    forecaster = Forecaster(str(file), OPTIONS, load_registry())

    def at(function: str, lines: tuple[int, int] | None) -> Forecast:
        return forecaster.at(function, ForecastPoint(sizes={"n": 1000}, lines=lines))

    once, often = at("driver", (5, 6)), at("driver", (4, 8))
    assert (once.iterations, often.iterations) == (1000, 100_000)
    assert once.expected_bytes == 16000
    one, many = ({each.model: each.cycles for each in found.models} for found in (once, often))
    # the loop around it has a little work of its own
    assert many["ecm"] == pytest.approx(100 * (one["ecm"] or 0), rel=0.05)
    # each pass writes another row; all of them have as many elements
    assert (at("rows", (13, 14)).iterations, at("rows", (13, 14)).expected_bytes) == (1000, None)
    assert at("triangle", (21, 22)).iterations is None
    assert at("triangle", (20, 24)).iterations == pytest.approx(500_500)


def test_no_bytes_where_a_trip_count_is_guessed(forecaster: Forecaster) -> None:
    guessed = forecaster.at("two", ForecastPoint(sizes={}))
    assert guessed.guessed_trips == {"n"}
    assert guessed.expected_bytes is None
    assert forecaster.at("two", ForecastPoint(sizes={"n": 100})).expected_bytes is not None


def test_plans_are_those_of_the_gcc_that_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    releases = {"gcc": 12, "gcc-14": 14}
    monkeypatch.setattr(forecast, "gcc_release", releases.get)
    assert as_installed(Compiler("gcc"), "gcc").version == 12
    # a name that tells the release is believed, and clang's plans have one form
    assert as_installed(Compiler("gcc", version=11), "gcc").version == 11
    assert as_installed(Compiler("clang"), "clang").version is None
    assert as_installed(Compiler("gcc"), "missing").version is None

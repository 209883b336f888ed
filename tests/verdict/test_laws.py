"""Laws of verdicts on real loops, and the units that terms name."""

import math
from pathlib import Path

import pytest
from rooflint.compile_flags.sources import Source
from rooflint.pipeline import Analysis, Options
from rooflint.plugin_api.report import Report
from rooflint.plugin_api.terms import CoreUnit, Limiter, LimiterKind, LimitSide
from rooflint.plugin_api.verdict import Verdict
from rooflint.registry import load_registry, with_requested
from rooflint.verdict.steps import with_verdicts

ROOT = Path(__file__).parents[2]
MODELS = ("roofline", "ecm")


def analysed(machine: str, *paths: Path, jobs: int = 1, models: tuple[str, ...] = MODELS) -> Report:
    options = Options(machines=(machine,), jobs=jobs, models=models)
    analysis = Analysis(options, with_requested(load_registry(), models))
    list(analysis.files([Source(str(path)) for path in paths]))
    return with_verdicts(analysis.report())


@pytest.mark.parametrize("machine", ["skylake-sp-6148", "zen4-9654", "generic-avx2"])
def test_laws_on_real_loops(machine: str) -> None:
    report = analysed(machine, *sorted((ROOT / "examples").glob("*.c*")))
    assert len(report.verdicts) > 10
    predictions = {
        kernel.id: kernel.results[0].predictions
        for file in report.files
        for kernel in file.kernels()
    }
    for verdict in report.verdicts:
        time, floor = verdict.time, verdict.floor
        if time.now_cy is None:
            continue
        asked = [each for each in predictions[verdict.id] if each.terms is not None]
        # now is the larger of the models, at one clock
        cycles = [
            (each.cycles_per_iteration or 0.0) * time.clock_ghz / each.terms.clock_ghz
            for each in asked
            if each.terms is not None
        ]
        assert time.now_cy == pytest.approx(max(cycles), rel=1e-9)
        assert verdict.limiter is not None
        assert time.low_cy is not None and time.high_cy is not None
        assert time.low_cy <= time.now_cy <= time.high_cy
        assert floor is None or floor.cycles <= time.now_cy * (1 + 1e-12)
        assert floor is None or floor.of_limit is None or 0 < floor.of_limit <= 1
        seconds = time.seconds(time.now_cy)
        assert seconds is not None
        assert seconds * time.clock_ghz * 1e9 == pytest.approx(time.now_cy * time.iterations)
    # nobody calls these functions, so each is an entry, and shares are of an entry's time
    shares: dict[tuple[str, str], float] = {}
    for each in report.verdicts:
        entry = each.place.path, each.place.function
        shares[entry] = shares.get(entry, 0.0) + (each.weight.share or 0.0)
    assert max(shares.values()) <= 1 + 1e-9


@pytest.mark.long
def test_neither_order_nor_jobs_change_a_verdict() -> None:
    paths = sorted((ROOT / "examples").glob("*.c*"))
    plain = {each.id: each for each in analysed("skylake-sp-6148", *paths).verdicts}
    other = {
        each.id: each for each in analysed("skylake-sp-6148", *reversed(paths), jobs=2).verdicts
    }
    assert other.keys() == plain.keys()
    for name, verdict in plain.items():
        # times of functions add up in the order of files, which the last digit of a share shows
        assert other[name].weight.share == pytest.approx(verdict.weight.share, rel=1e-12)
        weight = other[name].weight._replace(share=verdict.weight.share)
        assert other[name]._replace(weight=weight) == verdict


def written(folder: Path, body: str, trips: str = "1000") -> Verdict:
    path = folder / "a.c"
    path.write_text(
        "void f(int n, double *restrict a, const double *restrict b) {\n"
        f"  for (int i = 0; i < {trips}; i++) {body}\n}}\n"
    )
    [verdict] = analysed("skylake-sp-6148", path).verdicts
    return verdict


def test_terms_name_the_unit_that_limits(tmp_path: Path) -> None:
    divider = written(tmp_path, "a[i] = 1.0 / b[i] + 2.0 / (b[i] + 1.0);")
    assert divider.limiter == Limiter(LimiterKind.PORT, unit=CoreUnit.DIVIDER)
    # vectors of 32 bytes divide as fast as the machine can: that is its limit
    assert divider.floor is not None
    assert divider.floor.resource == divider.limiter
    assert divider.floor.of_limit == pytest.approx(1.0)
    chain = written(tmp_path, "a[0] = a[0] * b[i] + 1.0;")
    assert chain.limiter is not None
    assert chain.limiter.side is LimitSide.CORE
    stream = written(tmp_path, "a[i] = b[i];", "10000000")
    assert stream.limiter is not None
    assert stream.limiter.kind is LimiterKind.LINK
    assert math.isclose(stream.weight.share or 0.0, 1.0)

"""Codes of events, beside the published ones."""

import pytest
from rooflint.measure.counters.events import LineFlow, core_events, lines_by_flow


@pytest.mark.parametrize(
    ("core", "codes"),
    [
        ("haswell", ["r0151:u", "r10f0:u", "r07f1:u", "r40f0:u"]),
        ("cascadelake", ["r0151:u", "r0451:u", "r1ff1:u", "r02fe:u"]),
        ("icelake-server", ["r0151:u", "r10f0:u", "r1ff1:u", "r02f2:u"]),
        ("sapphirerapids", ["r0151:u", "r1023:u", "r1f25:u", "r0226:u"]),
        ("znver4", ["rdf44:u", "r0864:u", "r1f71:u", "r1f72:u"]),
    ],
)
def test_codes_of_cores(core: str, codes: list[str]) -> None:
    events = core_events(core)
    assert events is not None
    assert [event.perf for event in events.lines] == codes


def test_cores_without_events() -> None:
    assert core_events(None) is None
    assert core_events("znver2") is None


def test_events_of_one_flow_add_up() -> None:
    events = core_events("znver4")
    assert events is not None
    near, far = ("L1-L2", LineFlow.LOAD), ("L2-L3", LineFlow.LOAD)
    assert lines_by_flow(events.lines, [9.0, 1.0, 2.0, 3.0]) == {near: 9.0, far: 6.0}
    assert lines_by_flow(events.lines, [9.0, 1.0, None, 3.0]) == {near: 9.0, far: None}

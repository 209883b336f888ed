"""A child collects garbage after an answer where there is enough of it."""

import gc
import weakref

import pytest
from rooflint.workers import child

pytestmark = pytest.mark.long  # the heap of a test run takes a second to collect


class Ring:
    """Refers to itself, so that only a collection frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.parametrize(("objects", "freed"), [(0, True), (1 << 40, False)])
def test_few_objects_are_not_worth_a_collection(
    objects: int, freed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "GARBAGE_OBJECTS", objects)
    gc.collect()
    gc.disable()
    try:
        ring = weakref.ref(Ring())
        child._collect_garbage()
        assert (ring() is None) == freed
    finally:
        gc.enable()


def test_what_is_made_counts_while_no_collection_happens_by_itself() -> None:
    gc.collect()
    gc.disable()
    try:
        before = gc.get_count()[0]
        kept: list[list[int]] = [[] for _ in range(child.GARBAGE_OBJECTS)]
        assert gc.get_count()[0] - before >= len(kept)
    finally:
        gc.enable()

"""A few seconds of mutated inputs over everything that reads what others wrote, always the same.

``benchmarks/fuzz.py`` runs the same for longer and with other seeds.
"""

import random
from pathlib import Path
from types import ModuleType

import pytest

SEED = 2009
READERS = ("machine", "kerncraft", "procedure", "configuration", "database", "comments")


@pytest.mark.parametrize("target", READERS)
def test_readers(target: str, inputs: ModuleType, targets: ModuleType, tmp_path: Path) -> None:
    data = inputs.mutated(targets.READERS[target][0], 120, SEED)
    assert list(targets.read_all(target, data, tmp_path)) == []


@pytest.mark.parametrize(("lint", "count"), [(False, 40), (True, 15)], ids=["analyze", "lint"])
def test_sources(
    lint: bool, count: int, inputs: ModuleType, targets: ModuleType, tmp_path: Path
) -> None:
    data = inputs.mutated("source", count, SEED)
    assert list(targets.analyse_all(data, tmp_path, lint=lint)) == []


def test_messages_to_the_language_server(targets: ModuleType) -> None:
    pytest.importorskip("pygls", reason="pygls comes with the extra [lsp]")
    assert list(targets.talk(list(targets.messages(random.Random(SEED), 30)))) == []


def test_the_same_seed_gives_the_same_inputs(inputs: ModuleType) -> None:
    first, again, other = (list(inputs.mutated("source", 20, seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert len(set(first)) > 15


def test_a_fault_is_seen(
    targets: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(path: Path) -> None:
        if path.read_bytes() == b"bad":
            raise IndexError

    monkeypatch.setitem(targets.READERS, "machine", ("machine", "x.yaml", fails))
    found = list(targets.read_all("machine", [b"good", b"bad"], tmp_path))
    assert [fault.data for fault in found] == [b"bad"]
    assert "IndexError" in found[0].what

"""Measurements of the user: kept by identity, read by nobody else, forgotten on request only."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from msgspec.structs import replace
from rooflint.incremental import measurements as module
from rooflint.incremental.disk_store import DiskStore
from rooflint.incremental.measurements import (
    MeasurementStore,
    StoredMeasurement,
    compiler_file,
)
from rooflint.incremental.store import ContentKey

Measured = Callable[..., StoredMeasurement]


@pytest.fixture
def store(tmp_path: Path) -> MeasurementStore:
    return MeasurementStore(str(tmp_path / "entries" / "measured"))


@pytest.fixture
def measured(measurements: ModuleType) -> Measured:
    """Taken at a second, with so many cycles, and an identity with changes."""

    def made(taken: int = 100, cycles: float = 1.9, **identity: object) -> StoredMeasurement:
        own = replace(measurements.IDENTITY, **{"sizes": {"n": 1000, "m": 7}, **identity})
        answer: StoredMeasurement = replace(
            measurements.MEASUREMENT, identity=own, taken=taken, cycles_per_iteration=cycles
        )
        return answer

    return made


def test_what_was_added_is_found_by_its_place(store: MeasurementStore, measured: Measured) -> None:
    assert store.of_function("/code/triad.c", "triad") == ()
    store.add([measured()])
    assert store.of_function("/code/triad.c", "triad") == (measured(),)
    assert store.of_function("/code/triad.c", "other") == ()
    assert store.of_function("/code/other.c", "triad") == ()
    assert store.problem == ""


def test_looking_makes_nothing(tmp_path: Path, store: MeasurementStore) -> None:
    assert store.of_function("/code/triad.c", "triad") == ()
    store.add([])
    assert list(tmp_path.iterdir()) == []


def test_the_same_identity_is_replaced_and_the_youngest_comes_first(
    store: MeasurementStore, measured: Measured
) -> None:
    store.add([measured(1, 3.0), measured(2, 4.0, sizes={"m": 7, "n": 2000})])
    store.add([measured(3, 5.0, sizes={"n": 1000, "m": 7})])
    found = store.of_function("/code/triad.c", "triad")
    assert [(each.taken, each.cycles_per_iteration) for each in found] == [(3, 5.0), (2, 4.0)]
    store.add([measured(1, 9.0)])  # older than the one that is there
    assert store.of_function("/code/triad.c", "triad") == found


def test_a_function_has_so_many(
    store: MeasurementStore, monkeypatch: pytest.MonkeyPatch, measured: Measured
) -> None:
    monkeypatch.setattr(module, "MOST_OF_FUNCTION", 3)
    store.add([measured(taken, sizes={"n": taken}) for taken in range(1, 6)])
    found = store.of_function("/code/triad.c", "triad")
    assert [each.taken for each in found] == [5, 4, 3]


def test_listed_counted_and_forgotten(
    tmp_path: Path, store: MeasurementStore, measured: Measured
) -> None:
    store.add([measured(1, path="/code/b.c"), measured(2, path="/code/a.c"), measured(3)])
    assert [e.identity.path for e in store.all()] == ["/code/a.c", "/code/b.c", "/code/triad.c"]
    assert store.usage().entries == 3
    assert store.usage().bytes > 1000
    assert store.clear().entries == 3
    assert list(store.all()) == []
    assert not Path(store.folder).exists()
    assert store.clear() == (0, 0)


def test_the_folders_are_the_users_alone(store: MeasurementStore, measured: Measured) -> None:
    store.add([measured()])
    folder = Path(store.folder)
    assert [oct(p.stat().st_mode & 0o777) for p in (folder, folder.parent)] == ["0o700"] * 2
    cached = DiskStore(str(folder.parent))
    cached.put(ContentKey("0" * 32), b"result")
    assert (cached.problem, cached.clear().entries) == ("", 1)
    assert store.usage().entries == 1


def test_entries_of_others_and_of_later_versions_are_none(
    store: MeasurementStore, measured: Measured
) -> None:
    store.add([measured()])
    (entry,) = [path for path in Path(store.folder).rglob("*") if path.is_file()]
    key = ContentKey(entry.name)
    store._entries.put(key, b'{"measurements": [{"schema_version": 3}]}')
    assert store.of_function("/code/triad.c", "triad") == ()
    assert store.usage().entries == 0
    store.add([measured()])
    entry.write_bytes(entry.read_bytes()[:-1] + b" ")
    assert store.of_function("/code/triad.c", "triad") == ()


def test_measurements_of_an_older_version_are_dropped_and_said(
    store: MeasurementStore, measured: Measured
) -> None:
    store.add([measured(1, path="/code/b.c"), measured()])
    for path in [path for path in Path(store.folder).rglob("*") if path.is_file()]:
        key = ContentKey(path.name)
        content = store._entries.get(key) or b""
        store._entries.put(key, content.replace(b'"schema_version":2', b'"schema_version":1'))
    assert list(store.all()) == []
    wrong = "of an older version, whose figures of nests in loops were wrong: measure again"
    assert store.problem == f"dropped 2 measurements {wrong}"
    again = MeasurementStore(store.folder)
    assert list(again.all()) == []
    assert again.problem == ""
    again.add([measured()])
    assert again.usage().entries == 1


def test_a_program_is_known_by_what_it_is(tmp_path: Path) -> None:
    program = tmp_path / "gcc"
    assert compiler_file(str(program)) is None
    program.write_bytes(b"one")
    (tmp_path / "cc").symlink_to(program)
    before = compiler_file(str(program))
    assert before is not None
    assert compiler_file(str(tmp_path / "cc")) == before
    assert msgspec.convert(msgspec.to_builtins(before), type(before)) == before
    program.write_bytes(b"another")
    assert compiler_file(str(program)) != before

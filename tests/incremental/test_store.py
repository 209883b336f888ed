"""The stores of results: what goes wrong there costs time, never a result."""

import errno
import multiprocessing
import os
from pathlib import Path

import pytest
from rooflint.incremental import disk_store as module
from rooflint.incremental.disk_store import SHARDS, DiskStore, default_folder
from rooflint.incremental.store import ContentKey, MemoryStore

KEY, OTHER = ContentKey("0" * 32), ContentKey("1" * 32)


@pytest.fixture
def cache(tmp_path: Path) -> DiskStore:
    return DiskStore(str(tmp_path / "results"))


def entry(cache: DiskStore) -> Path:
    (path,) = Path(cache.folder).rglob(KEY)
    return path


def test_what_was_written_is_read(cache: DiskStore) -> None:
    assert cache.get(KEY) is None
    cache.put(KEY, b"content")
    assert (cache.get(KEY), cache.get(OTHER), cache.problem) == (b"content", None, "")


def test_only_the_user_may_look(cache: DiskStore) -> None:
    cache.put(KEY, b"content")
    path = entry(cache)
    assert [oct(p.stat().st_mode & 0o777) for p in (path, path.parent)] == ["0o600", "0o700"]


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 200])
def test_a_damaged_entry_is_a_miss_and_goes(cache: DiskStore, damage: bytes) -> None:
    cache.put(KEY, b"content")
    entry(cache).write_bytes(damage)
    assert cache.get(KEY) is None
    text = "a damaged or foreign entry was removed, and its file is analysed again"
    assert cache.problem.endswith(text)
    assert list(Path(cache.folder).rglob(KEY)) == []
    cache.put(KEY, b"again")
    assert cache.get(KEY) == b"again"


def test_one_changed_bit_is_noticed(cache: DiskStore) -> None:
    cache.put(KEY, b"content")
    text = bytearray(entry(cache).read_bytes())
    text[-1] ^= 1
    entry(cache).write_bytes(text)
    assert cache.get(KEY) is None


def test_a_full_disk_is_said_once(cache: DiskStore, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []

    def full(path: str, content: bytes) -> None:
        written.append(path)
        Path(path).write_bytes(content[:5])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(module, "_write_new", full)
    cache.put(KEY, b"content")
    cache.put(OTHER, b"content")
    assert len(written) == 1
    assert cache.problem == (
        f"cache {cache.folder}: cannot be written: No space left on device; results are not cached"
    )
    assert [path for path in Path(cache.folder).rglob("*") if path.is_file()] == []


def test_a_real_full_disk(monkeypatch: pytest.MonkeyPatch, cache: DiskStore) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    assert cache.get(KEY) is None  # the key is there now, and only the entry meets the full disk
    open_file = os.open
    monkeypatch.setattr(
        "rooflint.incremental.disk_store.os.open", lambda *_: open_file("/dev/full", os.O_WRONLY)
    )
    cache.put(KEY, b"content")
    assert "No space left on device" in cache.problem


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    place = tmp_path / "taken"
    place.write_text("")
    cache = DiskStore(str(place))
    assert cache.get(KEY) is None
    cache.put(KEY, b"content")
    assert cache.problem


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs owners")
def test_a_folder_where_others_may_write_is_not_believed(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    DiskStore(str(folder)).put(KEY, b"planted")
    folder.chmod(0o777)
    cache = DiskStore(str(folder))
    assert cache.get(KEY) is None
    why = "is open to other users, chmod 700 makes it yours alone; results are not cached"
    assert cache.problem.endswith(why)


def test_the_limit_keeps_what_was_used_last(tmp_path: Path) -> None:
    # all keys lie in one of the 64 parts: each holds 1/64 of the limit, so 3000 bytes here
    keys = [ContentKey(f"{number * SHARDS:08x}" + "0" * 24) for number in range(5)]
    cache = DiskStore(str(tmp_path / "results"), limit_bytes=3000 * SHARDS)
    for age, key in enumerate(keys):
        cache.put(key, b"x" * 900)  # with its head, 900 + 17 + 32 = 949 bytes: three of them fit
        (path,) = Path(cache.folder).rglob(key)
        os.utime(path, (age, age))
    cache.get(keys[0])  # used now: the youngest
    cache.trim()
    kept = [key for key in keys if cache.get(key) is not None]
    assert kept == [keys[0], keys[3], keys[4]]
    assert cache.usage() == (3, 3 * 949)


def test_what_was_never_finished_goes(cache: DiskStore) -> None:
    cache.put(KEY, b"content")
    part = entry(cache).with_name(f"{OTHER}.77.part")
    part.write_bytes(b"half")
    cache.put(KEY, b"content")
    cache.trim()
    assert part.exists()
    os.utime(part, (0, 0))
    cache.put(KEY, b"content")
    cache.trim()
    assert not part.exists()


def test_clear_leaves_what_is_not_ours(cache: DiskStore) -> None:
    cache.put(KEY, b"content")
    foreign = entry(cache).with_name("thesis.tex")
    foreign.write_text("")
    assert cache.clear().entries == 1
    assert (cache.get(KEY), foreign.exists()) == (None, True)


def fight(folder: str, number: int) -> None:
    cache = DiskStore(folder, limit_bytes=40_000 * SHARDS)
    for turn in range(200):
        key = ContentKey(f"{turn % 7:08x}" + "0" * 24)
        content = bytes([turn % 7]) * 5000
        found = cache.get(key)
        assert found is None or found == content
        cache.put(key, content)
        if turn % 20 == number:
            cache.trim()
    assert not cache.problem


def test_runs_at_the_same_time_see_whole_entries(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    runs = [context.Process(target=fight, args=(str(tmp_path / "c"), n)) for n in range(4)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert [run.exitcode for run in runs] == [0] * 4
    assert not list((tmp_path / "c").rglob("*.part"))


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"ROOFLINT_CACHE_DIR": "/a"}, "/a"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/rooflint/entries"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/rooflint/entries"),
        ({"HOME": "nowhere"}, ""),
    ],
)
def test_where_the_results_are(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ROOFLINT_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert default_folder() == expected


def test_what_was_not_used_for_longest_is_forgotten() -> None:
    a, b, c, d = map(ContentKey, "abcd")
    store = MemoryStore[int](2)
    store.put(a, 1)
    store.put(b, 2)
    assert store.get(a) == 1
    store.put(c, 3)
    # a was asked for after b
    assert [store.get(key) for key in (c, b, a)] == [3, None, 1]
    store.put(a, 4)
    store.put(d, 5)
    assert [store.get(key) for key in (a, b, c, d)] == [4, None, None, 5]

"""The key of the user: made once, by whoever is first, and nobody else's."""

import multiprocessing
import os
import stat
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from rooflint.incremental.disk_store import KEY_BYTES, DiskStore, NoKeyError, key_path, user_key
from rooflint.incremental.store import ContentKey

KEY = ContentKey("0" * 32)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "rooflint" / "cache.key"


def test_the_key_is_made_once_and_is_the_users_alone(path: Path) -> None:
    key = user_key()
    assert len(key) == KEY_BYTES
    assert user_key() == key == path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["cache.key"]


def race(folder: str, barrier: Barrier, number: int) -> None:
    os.environ["XDG_STATE_HOME"] = folder
    barrier.wait()
    Path(folder, f"{number}.seen").write_bytes(user_key())


@pytest.mark.parametrize("turn", range(5))
def test_processes_that_make_it_at_the_same_time_have_one(path: Path, turn: int) -> None:
    folder = path.parents[1]
    folder.mkdir()
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(6)
    runs = [context.Process(target=race, args=(str(folder), barrier, n)) for n in range(6)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert {each.read_bytes() for each in folder.glob("*.seen")} == {path.read_bytes()}
    assert [run.exitcode for run in runs] == [0] * 6


def test_entries_survive_the_process_that_wrote_them(path: Path, tmp_path: Path) -> None:
    folder = str(tmp_path / "cache")
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        pool.apply(DiskStore(folder).put, (KEY, b"content"))
    assert DiskStore(folder).get(KEY) == b"content"


def test_without_links_the_first_one_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refused)
    assert user_key() == user_key() == path.read_bytes()


def short(path: Path) -> None:
    path.write_bytes(b"short")


def readable(path: Path) -> None:
    path.write_bytes(b"k" * KEY_BYTES)
    path.chmod(0o644)


def link(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"k" * KEY_BYTES)
    other.chmod(0o600)
    path.symlink_to(other)


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize("plant", [short, readable, link, folder, pipe])
def test_a_key_that_is_not_the_users_alone_is_none(
    plant: object, path: Path, tmp_path: Path
) -> None:
    path.parent.mkdir(parents=True)
    os.umask(0o077)
    assert callable(plant)
    plant(path)
    with pytest.raises(NoKeyError, match=r"cache\.key"):
        user_key()
    cache = DiskStore(str(tmp_path / "cache"))
    cache.put(KEY, b"content")
    assert cache.get(KEY) is None
    assert cache.problem.endswith("; results are not cached")
    assert "cache.key" in cache.problem
    assert not (tmp_path / "cache").exists()


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "nowhere")
    assert key_path() == ""
    cache = DiskStore(str(tmp_path / "cache"))
    assert cache.get(KEY) is None
    assert "no folder for the key of the cache" in cache.problem

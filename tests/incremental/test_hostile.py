"""A cache that somebody else has filled: what lies there is a miss, and costs next to nothing."""

import os
import resource
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from rooflint.incremental.disk_store import FORMAT, HEAD_BYTES, MAX_ENTRY_BYTES, DiskStore
from rooflint.incremental.function_outcomes import OUTCOMES
from rooflint.incremental.store import ContentKey
from rooflint.pipeline import Analysis, Options, Source
from rooflint.pipeline.results import ENTRIES
from rooflint.plugin_api.report import FileReport
from rooflint.registry import load_registry
from rooflint.workers.frames import Frame
from rooflint.workers.storage import STORED, decompress
from rooflint.workers.wire import PLAIN, WIDE, WireError

OTHER = ContentKey("1" * 32)
pack = msgspec.msgpack.encode


@pytest.fixture
def analysed(tree: Path, cache_dir: Path) -> Callable[[], tuple[FileReport, str]]:
    """A run over a.c with a new view of the cache; its report and its warnings."""

    def run() -> tuple[FileReport, str]:
        options = Options(machines=("generic-2level",), cache_dir=str(cache_dir))
        analysis = Analysis(options, load_registry())
        (report,) = analysis.files([Source("a.c")])
        return report, "; ".join(analysis.warnings)

    return run


def entries(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def compressed(body: bytes) -> bytes:
    return zlib.compress(body, 1)


def zeroes(mib: int) -> bytes:
    packer = zlib.compressobj(1)
    return b"".join([packer.compress(bytes(1 << 20)) for _ in range(mib)]) + packer.flush()


CONTENTS: dict[str, bytes] = {
    "nothing": b"",
    "a pickle": b"cos\nsystem\n(S'touch RAN'\ntR.",
    "a bomb": zeroes(256),
    "a bomb in a form": compressed(WIDE + bytes(15 << 20)),
    "deep": compressed(PLAIN + b"\x91" * 10_000_000),
    "deep and wide": compressed(WIDE + b"\x91" * 4_000_000),
    "huge counts": compressed(PLAIN + b"\xdd\xff\xff\xff\xff" * 3),
    "many small things": compressed(PLAIN + b"\xdd\x00\xe0\x00\x00" + b"\x80" * 0xE00000),
    "another type": compressed(PLAIN + pack(["a", 3])),
    "cut off": compressed(PLAIN + pack([["", [], [], True], []]))[:-4],
}


@pytest.mark.parametrize("sealed", [False, True], ids=["not sealed", "sealed"])
@pytest.mark.parametrize("name", CONTENTS)
def test_hostile_content_is_a_miss(
    name: str,
    sealed: bool,
    analysed: Callable[[], tuple[FileReport, str]],
    cache_dir: Path,
    tree: Path,
) -> None:
    """Also where the user's own key has sealed it, which nobody else can."""
    first, _ = analysed()
    planted = entries(cache_dir)
    assert len(planted) == 2
    cache = DiskStore(str(cache_dir))
    for path in planted:
        for codec in (ENTRIES, OUTCOMES):
            content = Frame(STORED, codec.schema, CONTENTS[name]).packed()
            if sealed:
                cache.put(ContentKey(path.name), content)
            else:
                path.write_bytes(FORMAT + bytes(HEAD_BYTES - len(FORMAT)) + content)
    begin_s = time.process_time()
    report, _ = analysed()
    assert time.process_time() - begin_s < 5
    assert report == first
    assert not (tree / "RAN").exists()


@pytest.mark.parametrize("name", CONTENTS)
def test_reading_it_takes_little_memory(name: str) -> None:
    message = Frame(STORED, ENTRIES.schema, CONTENTS[name]).packed()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin_s = time.process_time()
    with pytest.raises(WireError):
        decompress(ENTRIES, message)
    assert time.process_time() - begin_s < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 << 10


def test_an_entry_of_another_user_is_a_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache_dir: Path
) -> None:
    DiskStore(str(cache_dir)).put(OTHER, b"mine")
    assert DiskStore(str(cache_dir)).get(OTHER) == b"mine"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))
    cache = DiskStore(str(cache_dir))
    assert cache.get(OTHER) is None
    text = "a damaged or foreign entry was removed, and its file is analysed again"
    assert cache.problem.endswith(text)


def test_an_entry_under_another_name_is_a_miss(cache_dir: Path) -> None:
    cache = DiskStore(str(cache_dir))
    cache.put(OTHER, b"of one file")
    (path,) = entries(cache_dir)
    name = ContentKey(OTHER[:-1] + "2")
    path.rename(path.with_name(name))
    assert cache.get(name) is None


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def one_too_many(path: Path) -> None:
    path.write_bytes(bytes(MAX_ENTRY_BYTES + 1))


@pytest.mark.parametrize("plant", [sparse, pipe, device, one_too_many, Path.mkdir])
def test_what_is_no_entry_is_a_miss(plant: Callable[[Path], None], cache_dir: Path) -> None:
    cache = DiskStore(str(cache_dir))
    cache.put(OTHER, b"content")
    (path,) = entries(cache_dir)
    path.unlink()
    plant(path)
    begin_s = time.process_time()
    assert cache.get(OTHER) is None
    assert time.process_time() - begin_s < 1


def test_a_folder_that_is_a_link_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    cache = DiskStore(str(tmp_path / "link"))
    cache.put(OTHER, b"content")
    assert cache.problem.endswith("is a link; results are not cached")
    assert entries(tmp_path) == []


def test_a_folder_that_others_may_read_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    cache = DiskStore(str(tmp_path / "open"))
    cache.put(OTHER, b"content")
    why = "is open to other users, chmod 700 makes it yours alone; results are not cached"
    assert cache.problem.endswith(why)
    assert entries(tmp_path) == []

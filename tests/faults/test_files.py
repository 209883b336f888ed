"""Files that cannot be read, or that change under a program that stays."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rooflint.pipeline import Limits, Options, Source, analyse
from rooflint.pipeline.live.service import BufferRequest, BufferResult, LiveAnalysis, live_workers
from rooflint.plugin_api.report import FileReport
from rooflint.registry import load_registry
from rooflint.workers.limits import Failure
from rooflint.workers.pool import Workers

LOOP = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2; }\n"

pytestmark = pytest.mark.usefixtures("forked")


def directory(header: Path) -> None:
    header.mkdir()


def nowhere(header: Path) -> None:
    header.symlink_to("nowhere.h")


def itself(header: Path) -> None:
    header.symlink_to(header.name)


def noise(header: Path) -> None:
    header.write_bytes(bytes(range(256)) * 40)


def forbidden(header: Path) -> None:
    header.write_text("int x;\n")
    header.chmod(0)


def analysed(tmp_path: Path, seconds: float = 20) -> FileReport:
    source = tmp_path / "a.c"
    source.write_text('#include "x.h"\n' + LOOP)
    options = Options(limits=Limits(seconds=seconds), cache_dir=str(tmp_path / "cache"))
    (file,) = analyse([Source(str(source))], options, load_registry()).files
    return file


@pytest.mark.parametrize("make", [directory, nowhere, itself, noise, forbidden])
def test_an_unreadable_include(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "x.h")
    file = analysed(tmp_path)
    assert file.status != "failed", file.diagnostics
    readable = make is forbidden and os.access(tmp_path / "x.h", os.R_OK)  # by root, for one
    assert readable or any(d.severity == "error" for d in file.diagnostics)
    assert not any("internal" in d.message for d in file.diagnostics)
    assert file.functions or file.refusals  # noise may swallow the function, not the loop
    assert analysed(tmp_path) == file


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.long
def test_an_include_that_never_ends_costs_the_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.h")
    file = analysed(tmp_path, seconds=0.5)
    assert file.status == "failed"
    assert file.diagnostics[0].message.startswith("gave no answer within 5 s")


MACHINE = (
    "schema: 1\nname: mine\nextends: generic-2level\nsources: {default: here}\nclock_ghz: 2.0\n"
)


@pytest.fixture
def live() -> Iterator[Workers[BufferRequest | None, BufferResult]]:
    with live_workers(30, LiveAnalysis()) as workers:
        yield workers


def test_a_machine_file_edited_under_the_server(
    live: Workers[BufferRequest | None, BufferResult], tmp_path: Path
) -> None:
    machine = tmp_path / "mine.yaml"
    source = tmp_path / "a.c"
    source.write_text(LOOP)

    def look(revision: int) -> BufferResult | Failure:
        options = Options(machines=(str(machine),), sizes={"n": 100})
        return live.analyse(BufferRequest(options, str(source), revision=revision))

    def cycles(seen: BufferResult | Failure) -> float | None:
        assert isinstance(seen, BufferResult), seen
        (result,) = seen.result.report.functions[0].nests[0].kernels[0].results
        return result.predictions[0].cycles_per_iteration

    machine.write_text(MACHINE)
    before = cycles(look(0))
    machine.write_text(MACHINE.replace("2.0", "two"))
    assert cycles(look(0)) == before  # nobody has said that it changed
    broken = look(1)
    assert isinstance(broken, Failure)
    assert broken.kind == "refused"
    assert broken.reason.startswith(f"{machine}:5: ")
    machine.unlink()
    assert isinstance(look(2), Failure)
    machine.write_text(MACHINE)
    assert cycles(look(3)) == before

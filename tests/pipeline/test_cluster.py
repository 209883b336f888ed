"""A scheduler and two workers on loopback: the same bytes as here, and no loss when one dies."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from rooflint.cli.main import run
from rooflint.errors import UsageError
from rooflint.pipeline import Analysis, Options, Source, analyse
from rooflint.registry import load_registry
from rooflint.render.json import render_json

pytestmark = pytest.mark.cluster

FILES = 24
START_S = 60


class Running(NamedTuple):
    """Processes of a cluster."""

    address: str
    workers: list[subprocess.Popen[bytes]]


def dask(command: str, *arguments: str) -> subprocess.Popen[bytes]:
    program = [sys.executable, "-m", f"distributed.cli.dask_{command}", "--no-dashboard"]
    return subprocess.Popen(
        [*program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def waited_for(path: Path) -> str:
    for _ in range(START_S * 20):
        if path.is_file() and (text := path.read_text()).strip().endswith("}"):
            return text.split('"address": "')[1].split('"')[0]
        time.sleep(0.05)
    raise TimeoutError(path)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Running]:
    place = tmp_path / "scheduler.json"
    scheduler = dask("scheduler", "--host=127.0.0.1", "--port=0", f"--scheduler-file={place}")
    workers = []
    try:
        address = waited_for(place)
        workers = [
            dask("worker", address, "--no-nanny", "--nthreads=1", f"--local-directory={tmp_path}")
            for _ in range(2)
        ]
        yield Running(address, workers)
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Source]:
    """Files named relative to a folder in which no worker was started; one does not compile."""
    folder = tmp_path / "tree"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for number in range(FILES):
        Path(f"f{number}.c").write_text(
            f"void f{number}(double *a, double *b, int n) {{\n"
            f"  for (int i = 0; i < n; i++) a[i] = {number} * b[i];\n}}\n"
        )
    Path("f5.c").write_text("void f(int n) { for (int i = 0; i < n; i++) a[i] = 0; }\n")
    return [Source(f"f{number}.c") for number in range(FILES)]


def test_the_same_bytes_and_a_worker_that_dies(cluster: Running, sources: list[Source]) -> None:
    here = analyse(sources, Options(), load_registry())
    analysis = Analysis(Options(cluster=cluster.address), load_registry())
    for number, _ in enumerate(analysis.files(sources)):
        if number == 1:
            cluster.workers[0].send_signal(signal.SIGKILL)
    assert cluster.workers[0].wait(timeout=10) == -signal.SIGKILL
    assert render_json(analysis.report()) == render_json(here)
    assert len(here.files) == FILES


def test_a_file_that_hangs_costs_itself(cluster: Running, sources: list[Source]) -> None:
    os.mkfifo("pipe.h")  # nobody writes it
    Path("f3.c").write_text('#include "pipe.h"\n')
    options = Options(cluster=cluster.address)
    report = analyse(sources[:6], options, load_registry())
    assert [file.status for file in report.files] == ["ok"] * 3 + ["failed", "ok", "partial"]
    reason = "waited 10 s for data that never came, such as from a pipe"
    assert report.files[3].diagnostics[0].message == reason


def test_the_documented_command_runs(
    cluster: Running, sources: list[Source], capsys: pytest.CaptureFixture[str]
) -> None:
    """With the address of this scheduler, and the same report as without it."""
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^analyze (src/ --cluster tcp://\S+)", readme, re.MULTILINE)
    Path("src").mkdir()
    for source in sources[:3]:
        Path(source.path).rename(Path("src", source.path))
    words = command.replace("tcp://node1:8786", cluster.address).split()
    assert run(["analyze", *words, "--no-cache"]) == 0
    of_cluster = capsys.readouterr().out
    assert run(["analyze", "src/", "--no-cache"]) == 0
    assert of_cluster.replace(f" --cluster {cluster.address}", "") == capsys.readouterr().out
    assert "3 loops in 3 files" in of_cluster


def test_no_cluster_is_said(sources: list[Source], capsys: pytest.CaptureFixture[str]) -> None:
    analysis = Analysis(Options(cluster="tcp://127.0.0.1:9"), load_registry())
    with pytest.raises(UsageError, match="no scheduler answers"):
        list(analysis.files(sources))
    assert run(["analyze", "f1.c", "--cluster", "nonsense://x"]) == 2
    assert "--cluster nonsense://x" in capsys.readouterr().err

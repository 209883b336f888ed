"""The kernel under the address and undefined-behaviour sanitizers, with the tests of the replay."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rooflint.replay import native

HERE = Path(__file__).parent
TESTS = ("test_replay.py", "test_windows.py", "test_oracle.py", "test_repeats.py")
RUN = """
import ctypes, sys
import pytest
from rooflint.replay import native
kernel = ctypes.CDLL(sys.argv[1])
kernel.rooflint_replay.restype = ctypes.c_int
native.library = lambda: kernel
sys.exit(pytest.main(["-qs", "-p", "no:cacheprovider", "-m", "", *sys.argv[2:]]))
"""
SANITIZERS = "-fsanitize=address,undefined"
STOP = "-fno-sanitize-recover=all"


def sanitized(folder: Path, source: Path) -> tuple[Path, str]:
    """A library with sanitizers, and the run-time library that has to be loaded before all else."""
    if sys.platform != "linux" or shutil.which("gcc") is None:
        pytest.skip("needs gcc on Linux")
    library = folder / "kernel.so"
    flags = ["-g", "-O1", "-fwrapv", "-shared", "-fPIC", "-std=c11", SANITIZERS, STOP]
    built = subprocess.run(
        ["gcc", *flags, str(source), "-o", str(library)], capture_output=True, check=False
    )
    runtime = subprocess.run(
        ["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if built.returncode or not Path(runtime).is_file():
        pytest.skip("this gcc has no sanitizers")
    return library, runtime


def run(library: Path, runtime: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run(
        [sys.executable, "-c", RUN, str(library), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        cwd=HERE.parents[1],
    )


@pytest.mark.long
def test_no_test_of_the_replay_touches_memory_that_is_not_its_own(tmp_path: Path) -> None:
    library, runtime = sanitized(tmp_path, Path(native.__file__).with_name("kernel.c"))
    names = [str(HERE / name) for name in TESTS]
    done = run(library, runtime, *names, "-k", "not another_layout")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert " passed" in done.stdout


@pytest.mark.long
def test_the_sanitizers_see_an_access_beyond_the_counters(tmp_path: Path) -> None:
    # one counter more than there are in each row: the last one lies behind the array
    text = Path(native.__file__).with_name("kernel.c").read_text(encoding="utf-8")
    wrong = tmp_path / "kernel.c"
    wrong.write_text(text.replace("UNSURE, COLUMNS }", "UNSURE, BEHIND, COLUMNS }"))
    library, runtime = sanitized(tmp_path, wrong)
    done = run(library, runtime, str(HERE / "test_windows.py"))
    assert done.returncode != 0
    assert "AddressSanitizer" in done.stderr

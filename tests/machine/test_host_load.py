from pathlib import Path

import pytest
from rooflint.machine.probe.host_load import HostLoad, host_load


def test_load_and_stolen_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/loadavg").write_text("2.50 1.00 0.50 1/100 1\n")
    (tmp_path / "proc/stat").write_text("cpu  1 2 3 4 5 6 7 250 0 0\ncpu0 0 0 0 0 0 0 0 0\n")
    monkeypatch.setattr("os.sysconf", lambda name: 100)
    assert host_load(tmp_path) == HostLoad(load=2.5, steal_s=2.5)
    (tmp_path / "proc/stat").write_text("cpu  1 2 3 4 5\n")
    assert host_load(tmp_path) == HostLoad(load=2.5, steal_s=0.0)


def test_a_kernel_that_does_not_say(tmp_path: Path) -> None:
    assert host_load(tmp_path) == HostLoad(load=0.0, steal_s=0.0)

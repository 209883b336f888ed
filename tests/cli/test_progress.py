"""The line of progress: how far, how long still, and nothing left of it afterwards."""

from types import SimpleNamespace

import pytest
from rooflint.cli.progress import Progress, duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "0 s"), (119, "119 s"), (120, "2 min"), (3590, "60 min"), (3600, "1 h 0 min"),
        (4830, "1 h 20 min"),
    ],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([100.0, 100.9, 110.0, 110.05])
    monkeypatch.setattr("rooflint.cli.progress.time", SimpleNamespace(monotonic=clock.__next__))
    progress = Progress(40, enabled=True)
    progress.show(1, "early.c")  # less than a second after the start
    progress.show(8, "some\x1bthing.c")
    progress.show(9, "too_soon.c")
    progress.clear()
    # 8 files took 10 s, so 32 more take 40 s
    shown = "\r\x1b[K8/40, 40 s left: some\\x1bthing.c\r\x1b[K"
    assert capsys.readouterr().err == shown


def test_no_line_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(40, enabled=False)
    progress.next_s = 0.0
    progress.show(8, "a.c")
    progress.clear()
    assert capsys.readouterr().err == ""

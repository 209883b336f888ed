"""Sources that once ended in an internal error or a hang."""

from pathlib import Path

import pytest
from rooflint.cli.main import run
from rooflint.pipeline import Limits, Options, Source, analyse
from rooflint.registry import load_registry

CRASHES = sorted(Path(__file__).with_name("crashes").iterdir())


@pytest.mark.parametrize("path", CRASHES, ids=lambda path: path.name)
def test_what_once_crashed(path: Path) -> None:
    report = analyse([Source(str(path))], Options(limits=Limits(seconds=20)), load_registry())
    (file,) = report.files
    assert file.status != "failed", file.diagnostics
    assert not any("internal" in d.message for d in file.diagnostics), file.diagnostics
    assert report.plugin_failures == ()


@pytest.mark.parametrize("path", CRASHES, ids=lambda path: path.name)
def test_what_once_crashed_a_rule(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", str(path), "--preview", "--file-seconds", "20"]) in (0, 1)
    assert "internal" not in capsys.readouterr().err

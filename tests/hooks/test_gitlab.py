"""The component of GitLab: its script in a scratch repository, inputs put in as GitLab does."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rooflint
import yaml

from .walks import FINE, WALK

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
COMPONENT = ROOT / "templates" / "rooflint.yml"


def git(folder: Path, *arguments: str) -> str:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", *names, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def job(**inputs: str) -> dict[str, Any]:
    """The job with the defaults of its inputs, or others."""
    head, _, body = COMPONENT.read_text().partition("\n---\n")
    declared = yaml.safe_load(head)["spec"]["inputs"]
    values = {name: declared[name]["default"] for name in declared} | inputs
    text = re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda match: values[match[1]], body)
    loaded: dict[str, Any] = yaml.safe_load(text)["rooflint"]
    return loaded


@pytest.mark.parametrize(("change", "code", "findings"), [(WALK, 1, 1), (f"{FINE}// x\n", 0, 0)])
def test_a_merge_request_gets_the_findings_of_its_lines(
    tmp_path: Path, change: str, code: int, findings: int
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    for text in (FINE, change):
        (folder / "a.c").write_text(text)
        git(folder, "add", ".")
        git(folder, "commit", "-qm", "x")
    program = tmp_path / "rooflint"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m rooflint "$@"\n')
    program.chmod(0o755)
    made = job(machine="skx", args="--select RL101")
    written = {name: value for name, value in made["variables"].items() if "$" not in value}
    done = subprocess.run(
        ["bash", "-ec", "\n".join(made["script"])],
        cwd=folder,
        env=os.environ
        | written
        | {
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": git(folder, "rev-parse", "HEAD~1").strip(),
            "ROOFLINT_CACHE_DIR": str(folder / ".rooflint-cache"),
        },
        check=False,
        timeout=100,
    )
    assert done.returncode == code
    report = json.loads((folder / made["artifacts"]["reports"]["codequality"]).read_text())
    assert [each["check_name"] for each in report] == ["RL101 column-walk"] * findings


def test_the_component_installs_this_version() -> None:
    assert job()["variables"]["PACKAGE"] == f"rooflint=={rooflint.__version__}"
    assert job()["variables"]["GIT_DEPTH"] == "0"

"""The script of the GitHub action on scratch repositories; only its installation is left out."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from .walks import FINE, WALK

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
OLD_COMMITS = 60
"""More than the first step of deepening brings."""


@dataclass(frozen=True, kw_only=True)
class ActionRun:
    code: int
    outputs: dict[str, str]
    summary: str
    log: str
    errors: str


def git(folder: Path, *arguments: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    git(folder, "add", name)
    git(folder, "commit", "-qm", name)


@pytest.fixture
def upstream(tmp_path: Path) -> Path:
    """A repository whose branch ``topic`` left ``main`` long ago; each has a walk that it mended.

    main   mends the walk of ``old.c`` after ``topic`` left
    topic  adds ``new.c`` with a walk
    """
    folder = tmp_path / "upstream"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "symbolic-ref", "HEAD", "refs/heads/main")
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    commit(folder, "old.c", WALK)
    git(folder, "branch", "topic")
    commit(folder, "old.c", FINE)
    git(folder, "checkout", "-q", "topic")
    for number in range(OLD_COMMITS):
        commit(folder, "notes", str(number))
    commit(folder, "new.c", WALK.replace("copy", "copy_new"))
    git(folder, "branch", "behind", "topic~1")
    git(folder, "checkout", "-q", "--orphan", "alone")
    commit(folder, "other.c", WALK)
    return folder


def act(upstream: Path, branch: str, *clone: str, **inputs: str) -> ActionRun:
    """Clones a branch, and runs the action's script there as a runner does."""
    folder = upstream.parent / f"clone-{len(list(upstream.parent.iterdir()))}"
    git(upstream.parent, "clone", "-q", *clone, "-b", branch, f"file://{upstream}", str(folder))
    temporary = folder.with_name(f"{folder.name}-temporary")
    programs = temporary / "rooflint" / "bin"
    programs.mkdir(parents=True)
    for name, content in (("rooflint", '-m rooflint "$@"'), ("python", '"$@"')):
        (programs / name).write_text(f"#!/bin/sh\nexec {sys.executable} {content}\n")
        (programs / name).chmod(0o755)
    defaults = {
        name.upper().replace("-", "_"): values.get("default", "")
        for name, values in action()["inputs"].items()
    }
    variables = {**defaults, "MORE": "--select RL101", "MACHINE": "skx", **inputs}
    # a runner makes the two files before the step
    written = {name: temporary / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for path in written.values():
        path.touch()
    done = subprocess.run(
        [ROOT / "action" / "run"],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(temporary),
            "RUNNER_TEMP": str(temporary),
            **variables,
            **{name: str(path) for name, path in written.items()},
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    lines = written["GITHUB_OUTPUT"].read_text().splitlines()
    return ActionRun(
        code=done.returncode,
        outputs=dict(line.split("=", 1) for line in lines),
        summary=written["GITHUB_STEP_SUMMARY"].read_text(),
        log=done.stdout,
        errors=done.stderr,
    )


def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return loaded


@pytest.mark.parametrize("clone", [(), ("--depth=1",)], ids=["full", "shallow"])
def test_a_new_walk_fails(upstream: Path, clone: tuple[str, ...]) -> None:
    done = act(upstream, "topic", *clone, DIFF_BASE="origin/main")
    assert done.code == 1, done.errors
    assert (done.outputs["findings"], done.outputs["failed"]) == ("1", "true")
    (run,) = json.loads(Path(done.outputs["sarif"]).read_text())["runs"]
    assert [each["ruleId"] for each in run["results"]] == ["RL101"]
    assert "file=new.c" in done.log and "old.c" not in done.log
    assert "RL101" in done.summary and "new.c" in done.summary
    assert done.summary == Path(done.outputs["summary"]).read_text()


@pytest.mark.parametrize("clone", [(), ("--depth=1",)], ids=["full", "shallow"])
def test_a_branch_behind_its_base_is_not_blamed(upstream: Path, clone: tuple[str, ...]) -> None:
    done = act(upstream, "behind", *clone, DIFF_BASE="origin/main")
    assert done.code == 0, done.errors
    assert (done.outputs["findings"], done.outputs["failed"]) == ("0", "false")


def test_without_a_base_all_loops_count(upstream: Path) -> None:
    done = act(upstream, "topic", "--depth=1")
    assert (done.code, done.outputs["findings"]) == (1, "2")


@pytest.mark.parametrize("mode", ["lint", "compare"])
def test_a_base_without_a_common_commit_is_an_error_with_its_remedy(
    upstream: Path, mode: str
) -> None:
    done = act(upstream, "alone", "--depth=1", DIFF_BASE="origin/main", MODE=mode)
    assert done.code == 2
    assert "'origin/main' and HEAD share no commit" in done.errors
    assert "findings" not in done.outputs and "slower" not in done.outputs


def test_both_count_slower_functions_too(upstream: Path) -> None:
    git(upstream, "checkout", "-q", "-b", "slower", "main")
    commit(upstream, "old.c", WALK)
    done = act(upstream, "slower", "--depth=1", MODE="both", GITHUB_BASE_REF="main")
    assert done.code == 1, done.errors
    assert (done.outputs["findings"], done.outputs["slower"]) == ("1", "1")
    assert "copy" in done.summary


def test_an_unknown_mode_is_a_mistake(upstream: Path) -> None:
    done = act(upstream, "topic", "--depth=1", MODE="check")
    assert done.code == 2
    assert "expected lint, compare or both" in done.errors


def test_a_value_is_no_command(upstream: Path) -> None:
    done = act(upstream, "topic", "--depth=1", PATHS="$(touch${IFS}bad) new.c;touch bad")
    assert done.code != 0
    assert not list(upstream.parent.rglob("bad"))


def test_the_workflow_of_the_documentation_uses_what_there_is() -> None:
    """The job asks for no more than reading, and pins what is not its own by hash."""
    page = (ROOT / "docs" / "lint.md").read_text()
    (text,) = [block for block in page.split("```yaml\n") if block.startswith("name: rooflint")]
    workflow = yaml.safe_load(text.partition("```")[0])
    assert workflow["permissions"] == {}
    job = workflow["jobs"]["rooflint"]
    assert job["permissions"] == {"contents": "read"}
    checkout, own, upload = job["steps"]
    assert checkout["with"] == {"persist-credentials": False}
    assert set(own["with"]) <= set(action()["inputs"])
    assert upload["with"]["path"] == "${{ steps.rooflint.outputs.sarif }}"
    pinned = [step["uses"].partition("@")[2] for step in (checkout, upload)]
    assert [len(each) for each in pinned] == [40, 40]


def test_inputs_and_outputs_are_those_of_the_script() -> None:
    text = (ROOT / "action" / "run").read_text()
    steps = action()["runs"]["steps"]
    scripts = {
        step["run"]: step for step in steps if "GITHUB_ACTION_PATH/action/" in step.get("run", "")
    }
    (run, comment) = scripts.values()
    environment = run["env"]
    noted = (ROOT / "action" / "comment").read_text()
    assert all(f"${name}" in noted for name in comment["env"] if name != "GH_TOKEN")
    assert all(f"${name}" in text or f"{{{name}" in text for name in environment)
    assert all(f"output {name} " in text for name in action()["outputs"])
    used = [step["uses"] for step in steps if "uses" in step]
    assert all(len(name.partition("@")[2]) == 40 for name in used)


COMMENTS = """\
import json, pathlib, sys
state = pathlib.Path(sys.argv[0]).with_name("state.json")
comments = json.loads(state.read_text())
words = sys.argv[1:]
paths = [word.removeprefix("body=@") for word in words if "body=@" in word]
bodies = [pathlib.Path(path).read_text() for path in paths]
if "denied" in comments:
    sys.exit(1)
if "POST" in words:
    comments[str(len(comments) + 10)] = bodies[0]
elif "PATCH" in words:
    number = next(word for word in words if word.startswith("repos/")).rpartition("/")[2]
    assert number in comments
    comments[number] = bodies[0]
else:
    assert words[1] == "repos/o/r/issues/7/comments"
    mark = "<!-- rooflint -->"
    print(*[key for key, body in comments.items() if body.startswith(mark)], sep="\\n")
state.write_text(json.dumps(comments))
"""
"""A stand-in for GitHub's program, with the comments in a file beside it."""


def comments_after(
    folder: Path, comments: dict[str, str], summary: str
) -> tuple[dict[str, str], str]:
    """The comments of a pull request, and the log, after the action's script has run."""
    (folder / "gh").write_text(f"#!{sys.executable}\n{COMMENTS}")
    (folder / "gh").chmod(0o755)
    (folder / "state.json").write_text(json.dumps(comments))
    (folder / "summary.md").write_text(summary)
    done = subprocess.run(
        [ROOT / "action" / "comment"],
        env={
            "PATH": f"{folder}:{os.environ['PATH']}",
            "REPOSITORY": "o/r",
            "NUMBER": "7",
            "SUMMARY": str(folder / "summary.md"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "state.json").read_text()), done.stdout


def test_a_second_run_updates_the_comment_of_the_first(tmp_path: Path) -> None:
    theirs = {"3": "by a person"}
    first, _ = comments_after(tmp_path, theirs, "nothing slower")
    assert first == {**theirs, "11": "<!-- rooflint -->\nnothing slower"}
    second, _ = comments_after(tmp_path, first, "1 function slower")
    assert second == {**theirs, "11": "<!-- rooflint -->\n1 function slower"}
    assert comments_after(tmp_path, second, "") == (second, "")


def test_without_permission_there_is_a_warning(tmp_path: Path) -> None:
    after, log = comments_after(tmp_path, {"denied": ""}, "1 function slower")
    assert after == {"denied": ""}
    assert log.startswith("::warning::rooflint: no comment")


def test_results_are_kept_where_the_action_caches_them(upstream: Path) -> None:
    act(upstream, "topic", "--depth=1", DIFF_BASE="origin/main")
    (kept,) = upstream.parent.glob("clone-*-temporary/rooflint-cache")
    assert kept.stat().st_mode & 0o777 == 0o700
    assert list(kept.rglob("*"))
    (cache,) = [step for step in action()["runs"]["steps"] if "cache@" in step.get("uses", "")]
    assert cache["with"]["path"] == "${{ runner.temp }}/rooflint-cache"

"""The package that an index gets: metadata, sdist and wheel."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
import rooflint
import yaml

pytest.importorskip("hatchling", reason="hatchling comes with the extra [test]")

ROOT = Path(__file__).parents[1]
MAX_SDIST_BYTES = 2_100_000
PARTS = ("analyzer", "plugins", "lsp", "machines", "docs", "examples", "editors")


def hatchling(*arguments: str, folder: Path, umask: int = 0o022) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        umask=umask,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def metadata() -> Any:  # noqa: ANN401 - a JSON document
    return json.loads(hatchling("metadata", folder=ROOT))


def test_the_metadata_is_whole(metadata: dict[str, Any]) -> None:
    assert metadata["version"] == rooflint.__version__
    assert metadata["authors"] and metadata["keywords"]
    assert set(metadata["urls"]) == {
        "Homepage", "Documentation", "Changelog", "Issues", "Source",
    }  # fmt: skip
    topics = {each.partition(" :: ")[0] for each in metadata["classifiers"]}
    assert topics >= {"Development Status", "Intended Audience", "Operating System", "Topic"}
    assert "Typing :: Typed" in metadata["classifiers"]
    # a licence is an expression; an index refuses a classifier beside it
    assert not any(each.startswith("License") for each in metadata["classifiers"])


def test_links_of_the_readme_are_absolute(metadata: dict[str, Any]) -> None:
    text = metadata["readme"]["text"]
    links = re.findall(r"\]\(([^)]*)\)", text)
    source = metadata["urls"]["Source"]
    assert f"{source}/blob/v{rooflint.__version__}/docs/editor.md" in links
    assert [link for link in links if not link.startswith(("http", "#"))] == []
    # nothing else of the README changes
    of_version = rf"{re.escape(source)}/(?:blob|raw)/v{re.escape(rooflint.__version__)}/"
    assert re.sub(of_version, "", text) == (ROOT / "README.md").read_text(encoding="utf-8")
    # an index shows pictures, not the pages about them
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", text)
    assert pictures
    assert all(each.startswith(f"{source}/raw/v") for each in pictures)


def tree(folder: Path) -> Path:
    """A copy of the sources, with a folder of npm's that a nested .gitignore leaves out."""
    skipped = shutil.ignore_patterns("__pycache__", "_kernel.*", "node_modules", "out", "*.vsix")
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / part, ignore=skipped)
    for name in (".gitignore", *[path.name for path in ROOT.glob("*.*") if path.is_file()]):
        shutil.copy(ROOT / name, folder / name)
    shutil.copy(ROOT / "LICENSE", folder)
    modules = folder / "editors" / "vscode" / "node_modules" / "x"
    modules.mkdir(parents=True)
    (modules / "index.js").write_text("x")
    return folder


@pytest.mark.long
def test_the_sdist_is_small_and_makes_the_same_wheel(tmp_path: Path) -> None:
    folder = tree(tmp_path / "tree")
    hatchling("build", "-t", "sdist", "-d", str(tmp_path), folder=folder)
    (archive,) = tmp_path.glob("*.tar.gz")
    assert archive.stat().st_size <= MAX_SDIST_BYTES
    with tarfile.open(archive) as packed:
        names = packed.getnames()
        packed.extractall(tmp_path / "unpacked", filter="data")
    assert not any("node_modules" in name or "_kernel." in name for name in names)
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert wheel(unpacked, tmp_path / "a") == wheel(folder, tmp_path / "b")


@pytest.mark.long
def test_a_wheel_is_the_same_whoever_builds_it(tmp_path: Path) -> None:
    """With other times, modes and folders."""
    first, second = tree(tmp_path / "one"), tree(tmp_path / "two" / "deeper")
    for path in second.rglob("*"):
        if path.is_file():
            os.utime(path, (1_000_000_000, 1_000_000_000))
            path.chmod(0o600)
    assert wheel(first, tmp_path / "a") == wheel(second, tmp_path / "b", umask=0o077)


def wheel(folder: Path, target: Path, umask: int = 0o022) -> tuple[str, str]:
    """The name and the hash of the wheel that a tree makes."""
    hatchling("build", "-t", "wheel", "-d", str(target), folder=folder, umask=umask)
    (built,) = target.glob("*.whl")
    return built.name, hashlib.sha256(built.read_bytes()).hexdigest()


def test_a_release_needs_a_home_and_a_dated_section() -> None:
    done = subprocess.run(
        [ROOT / ".ci" / "release"], capture_output=True, text=True, check=False, timeout=30
    )
    reasons = done.stderr.splitlines()
    assert done.returncode == 1
    assert any(reason.startswith("pyproject.toml:") for reason in reasons)
    assert any(reason.startswith("docs/lint.md:") for reason in reasons)
    assert any(reason.startswith("CHANGELOG.md: no section") for reason in reasons)
    of_extension = [reason for reason in reasons if "package.json" in reason]
    assert of_extension
    assert all(reason.endswith("still a placeholder") for reason in of_extension)


@pytest.mark.parametrize(("tag", "is_wrong"), [(f"v{rooflint.__version__}", 0), ("v9.9", 1)])
def test_a_tag_is_the_version(tag: str, is_wrong: int) -> None:
    done = subprocess.run(
        [ROOT / ".ci" / "release", tag], capture_output=True, text=True, check=False, timeout=30
    )
    assert done.stderr.count(f"tag {tag}, expected") == is_wrong


def test_only_the_publishing_job_may_ask_for_an_identity() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    jobs = workflow["jobs"]
    assert workflow["permissions"] == {}
    assert jobs["build"]["permissions"] == {"contents": "read"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert (jobs["publish"]["needs"], jobs["publish"]["environment"]) == ("build", "release")
    # what is published is what was built and tested: the job builds nothing
    assert not any("run" in step for step in jobs["publish"]["steps"])
    assert "secrets." not in text
    used = [step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step]
    assert len(used) == 6
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", name) for name in used)

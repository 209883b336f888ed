"""``rooflint new-plugin``: what it writes appears in every door, with no line changed here."""

import asyncio
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from lsprotocol import types
from pytest_lsp import make_test_lsp_client
from rooflint.cli.main import run
from rooflint.pipeline import Options, Source, analyse
from rooflint.registry import load_registry
from rooflint.render.html import render_html

DIVIDE = """\
void divide(double *restrict a, const double *restrict b, double c)
{
    for (int i = 0; i < 100000000; i++)
        a[i] = b[i] / c;
}
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a new plugin, below the current folder, which has a source too."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.c").write_text(DIVIDE)
    assert run(["new-plugin", "acme"]) == 0
    return tmp_path / "rooflint-acme"


@pytest.fixture
def installed(written: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The plugin on the path, with the entry points that its pyproject.toml declares."""
    project = tomllib.loads((written / "pyproject.toml").read_text())["project"]
    information = written / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    information.mkdir()
    entries = project["entry-points"]["rooflint"]
    lines = [f"{name} = {target}\n" for name, target in entries.items()]
    (information / "entry_points.txt").write_text("[rooflint]\n" + "".join(lines))
    monkeypatch.syspath_prepend(str(written))
    monkeypatch.setenv("PYTHONPATH", str(written))
    yield
    for name in [name for name in sys.modules if name.startswith("rooflint_acme")]:
        del sys.modules[name]


def shown_text(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run(list(arguments)) == code, capsys.readouterr().err
    return capsys.readouterr().out


def test_it_says_what_to_do_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown_text(capsys, "new-plugin", "my-lab2") == (
        "Wrote    rooflint-my-lab2\n"
        "Next     pip install -e rooflint-my-lab2\n"
        "Next     rooflint analyze FILE.c --machine my-lab2-node\n"
        "Next     rooflint lint FILE.c --select MYLAB --preview\n"
    )
    package = tmp_path / "rooflint-my-lab2" / "rooflint_my_lab2"
    assert (package / "machines" / "my-lab2-node.yaml").is_file()
    assert 'code = "MYLAB201"' in (package / "rules.py").read_text()
    for path in package.parent.rglob("*"):
        assert path.suffix != ".in"
        assert path.is_dir() or "@" not in path.read_text().replace("@hookimpl", "")


@pytest.mark.usefixtures("installed")
def test_reports_show_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("analyze", "k.c", "--machine", "acme-node", "--no-cache")
    text = " ".join(shown_text(capsys, *command).split())
    assert "on acme-node (not this computer)" in text
    # a load, a store and a division: 1 + 1 + 20 cycles
    assert "acme 22 cy, 2 accesses take 22 cycles per iteration; accesses 2 1/it" in text
    lines = shown_text(capsys, *command, "--format", "acme").splitlines()
    assert "k.c:3 acme-node acme 22 cy" in lines


@pytest.mark.usefixtures("installed")
def test_page_and_hover_show_the_model(shown: ModuleType) -> None:
    report = analyse([Source("k.c")], Options(machines=("acme-node",)), load_registry())
    assert report.plugin_failures == ()
    assert '"acme: 22 cy' in render_html(report)
    hover = shown.hover_of(report, DIVIDE, markdown=True)
    assert "acme" in hover and "22 cy" in hover


@pytest.mark.usefixtures("installed")
def test_json_and_plots_have_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("analyze", "k.c", "--machine", "acme-node", "--model", "acme", "--no-cache")
    report = json.loads(shown_text(capsys, *command, "--format", "json"))
    (kernel,) = report["files"][0]["functions"][0]["nests"][0]["kernels"]
    (answer,) = kernel["results"][0]["predictions"]
    assert (answer["model"], answer["data"]) == ("acme", {"accesses": 2.0})
    shown_text(capsys, *command, "--plot", "plots")
    drawn = [path.read_text() for path in (tmp_path / "plots").iterdir()]
    assert len(drawn) == 2  # of the loop, and of all loops
    assert all("acme-node" in each and "access" in each for each in drawn)


async def hover_of_server(path: Path) -> str:
    """The hover of the loop on the third line, from a server in a process of its own."""
    client = make_test_lsp_client()
    await client.start_io(sys.executable, "-m", "rooflint", "lsp")
    try:
        await client.initialize_session(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(),
                workspace_folders=[types.WorkspaceFolder(path.parent.as_uri(), "w")],
                initialization_options={"machine": "acme-node"},
            )
        )
        document = types.TextDocumentItem(path.as_uri(), "c", 1, path.read_text())
        client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        place = types.HoverParams(types.TextDocumentIdentifier(path.as_uri()), types.Position(2, 6))
        for _ in range(600):
            hover = await client.text_document_hover_async(place)
            if hover is not None:
                return str(hover.contents)
            await asyncio.sleep(0.1)
    finally:
        await client.shutdown_session()
        await client.stop()  # type: ignore[no-untyped-call]
    return ""


@pytest.mark.long
@pytest.mark.usefixtures("installed")
def test_a_started_server_has_the_model(tmp_path: Path) -> None:
    assert "acme: 22 cy" in asyncio.run(hover_of_server(tmp_path / "k.c"))


@pytest.mark.usefixtures("installed")
def test_the_lint_has_the_rule_and_its_price(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("lint", "k.c", "--machine", "acme-node", "--no-cache", "--fail-on", "never")
    out = shown_text(capsys, *command, "--select", "ACME", "--preview")
    assert out.startswith("k.c:3:5: ") and "[ACME201]" in out
    assert "a multiplication: 22 → 2.0 cy per iteration, 11×" in out
    assert "ACME201" not in shown_text(capsys, *command, "--select", "RL")


@pytest.mark.usefixtures("installed")
def test_machines_and_explanations_have_it(capsys: pytest.CaptureFixture[str]) -> None:
    listed = shown_text(capsys, "machine", "list").splitlines()
    assert any(line.startswith("acme-node ") for line in listed)
    assert "2.5 GHz" in shown_text(capsys, "machine", "show", "acme-node")
    assert "acme-node.yaml: fine" in shown_text(capsys, "machine", "check", "acme-node")
    assert shown_text(capsys, "explain", "ACME201").startswith("# ACME201 acme-scaled-copy\n")
    explained = shown_text(capsys, "explain", "acme")
    assert explained.startswith("acme: The model 'acme': one access per cycle")
    assert "  accesses (1/it)  loads and stores of an iteration\n" in explained
    script = shown_text(capsys, "completion", "bash")
    assert all(word in script for word in ("acme-node", "ACME201"))
    assert "  plugins           acme\n" in shown_text(capsys, "--version", "--verbose")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "lower-case letters, digits and single hyphens, a letter first"),
        ("Acme", "lower-case letters"),
        ("2acme", "a letter first"),
        ("acme--x", "single hyphens"),
        ("acme-", "single hyphens"),
        ("../acme", "lower-case letters"),
        ("a" * 41, "at most 40"),
        ("ecm", "a model, format or rule prefix has that name"),
        ("json", "a model, format or rule prefix has that name"),
        ("rl", "a model, format or rule prefix has that name"),
        ("all", "a model, format or rule prefix has that name"),
    ],
)
def test_names_that_cannot_be(
    name: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new-plugin", name]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_longest_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new-plugin", "a" * 40]) == 0


@pytest.mark.usefixtures("written")
def test_no_folder_is_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new-plugin", "acme"]) == 2
    assert "new-plugin: cannot write rooflint-acme: file exists" in capsys.readouterr().err
    assert run(["new-plugin"]) == 2
    assert run(["new-plugin", "a", "b"]) == 2


@pytest.mark.long
def test_it_installs_passes_its_tests_and_is_typed(written: Path, tmp_path: Path) -> None:
    """With pip, its own tests, ``mypy --strict`` and ruff as this repository uses it."""
    pytest.importorskip("hatchling", reason="hatchling comes with the extra [test]")

    def python(*arguments: str) -> None:
        done = subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={"PYTHONPATH": str(tmp_path / "site"), "PATH": "/usr/bin:/bin"},
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    python(
        *("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"),
        *("--disable-pip-version-check", "--target", str(tmp_path / "site"), str(written)),
    )
    python("-m", "pytest", "-q", "-p", "no:cacheprovider", str(written / "tests"))
    pytest.importorskip("mypy", reason="mypy comes with the extra [dev]")
    python("-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(written / "rooflint_acme"))
    python(
        "-m",
        "ruff",
        "check",
        "--no-cache",
        "--select",
        "E,F,W,I,N,UP,B,D1",
        str(written / "rooflint_acme"),
    )
    python("-m", "ruff", "format", "--no-cache", "--check", str(written))

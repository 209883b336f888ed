"""Mistakes in configurations and machine files are diagnostics in them."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as t
from rooflint.machine import builtin_dir
from rooflint_lsp.documents.project_files import (
    MAX_CHARACTERS,
    ProjectFileKind,
    project_file_kind,
    project_file_problems,
)

MACHINE = (builtin_dir() / "generic-2level.yaml").read_text()


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("rooflint.toml", "", ProjectFileKind.CONFIGURATION),
        (".rooflint.toml", "x", ProjectFileKind.CONFIGURATION),
        ("pyproject.toml", "[tool.rooflint]", ProjectFileKind.CONFIGURATION),
        ("pyproject.toml", "[tool.ruff]", None),
        ("Cargo.toml", "[tool.rooflint]", None),
        ("mine.yaml", MACHINE, ProjectFileKind.MACHINE),
        ("mine.yml", "schema: 1\nextends: cell\n", ProjectFileKind.MACHINE),
        ("mine.yaml", "schema: 1\nservices: {}\n", None),
        ("mine.yaml", "a:\n  schema: 1\n  sources: {}\n", None),
        ("mine.txt", MACHINE, None),
    ],
)
def test_whose_a_file_is(name: str, text: str, kind: ProjectFileKind | None) -> None:
    assert project_file_kind(Path("/w", name), text) is kind


@pytest.mark.parametrize(
    ("name", "text", "line", "problem"),
    [
        ("rooflint.toml", "\nmachin = 'cell'\n", 2, "did you mean 'machine'?"),
        ("rooflint.toml", "cores = 1\nmachine = 'cel'\n", 2, "machine: "),
        ("rooflint.toml", "model = 'ecmm'\n", 1, "model: "),
        ("rooflint.toml", "\nselect = ['RL999']\n", 2, "select: "),
        ("rooflint.toml", "machine = 'cell'\ncores = 64\n", 2, "cores: "),
        ("rooflint.toml", "[sizes]\nn = \n", 2, "not valid TOML"),
        ("rooflint.toml", "# é\n[severity]\nRL101 = 'loud'\n", 3, "severity: RL101"),
        ("pyproject.toml", "[tool.rooflint]\ncores = 0\n", 2, "cores: "),
        ("m.yaml", MACHINE.replace("sockets:", "socket:"), 0, "socket"),
        ("m.yaml", "schema: 1\nsources: {default: x}\nname: [\n", 0, "not valid YAML"),
        ("m.yaml", "schema: 1\nname: m\nextends: cell\nidentify: [{}]\n", 4, "identify"),
    ],
)
def test_a_mistake_is_on_its_line(
    name: str, text: str, line: int, problem: str, tmp_path: Path
) -> None:
    (found,) = project_file_problems(tmp_path / name, text)
    assert problem in found.problem
    assert found.file == str(tmp_path / name)
    assert found.line == line or (line == 0 and found.line > 0)


@pytest.mark.parametrize(
    ("name", "text"),
    [("rooflint.toml", "machine = 'cell'\n"), ("m.yaml", MACHINE), ("m.yaml", "a: [\n")],
)
def test_nothing_is_said_of_what_is_right_or_of_others(
    name: str, text: str, tmp_path: Path
) -> None:
    assert not project_file_problems(tmp_path / name, text)


def test_a_text_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    wrong = "machin = 1\n"
    path = tmp_path / "rooflint.toml"
    assert project_file_problems(path, wrong + "#" * (MAX_CHARACTERS - len(wrong)))
    assert not project_file_problems(path, wrong + "#" * (MAX_CHARACTERS - len(wrong) + 1))


@pytest.mark.asyncio(loop_scope="session")
async def test_a_client_that_asks_gets_them(editor: Any) -> None:
    uri = editor.open("sub/rooflint.toml", "\n  machin = 1\n", "toml", saved=False)
    params = t.DocumentDiagnosticParams(t.TextDocumentIdentifier(uri))
    (found,) = (await editor.client.text_document_diagnostic_async(params)).items
    assert found.range == t.Range(t.Position(1, 2), t.Position(1, 12))
    assert found.message.startswith("unknown key 'machin'")
    assert (found.severity, found.source) == (t.DiagnosticSeverity.Error, "rooflint")
    editor.edit(uri, "machin = 1", "cores = 1")
    assert not (await editor.client.text_document_diagnostic_async(params)).items


@pytest.mark.asyncio(loop_scope="session")
async def test_a_client_that_is_sent_them_gets_them_after_each_edit(alone: Any) -> None:
    sent = alone.client.diagnostics
    base = alone.open("sub/base.toml", "cores = 1\n", "toml")
    uri = alone.open("sub/rooflint.toml", "extends = 'base.toml'\ncores = 0\n", "toml", saved=False)
    await alone.told(lambda: [d.range.start.line for d in sent.get(uri, ())] == [1])
    alone.edit(uri, "cores = 0", "cores = 2")
    await alone.told(lambda: not sent[uri])
    assert base not in sent
    Path(alone.folder, "sub", "base.toml").write_text("cores = 0\n")
    alone.edit(uri, "cores = 2", "cores = 3")
    await alone.told(lambda: [d.range.start.line for d in sent[uri]] == [0])
    (elsewhere,) = sent[uri]
    assert "base.toml:1: cores" in elsewhere.message
    alone.close(uri)
    alone.texts.pop(uri)
    await alone.told(lambda: not sent[uri])

"""The small commands: machine, explain, dump, help."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.cli.machine import machine
from rooflint.cli.main import COMMANDS
from rooflint.machine.probe.host import ProbeResult
from rooflint.render.explanations import WORDS

Rooflint = Callable[..., tuple[int, str, str]]


def test_machine_list_names_every_machine_once(rooflint: Rooflint) -> None:
    code, out, err = rooflint("machine", "list")
    assert (code, err) == (0, "")
    names = [line.split()[0] for line in out.splitlines()]
    assert {"cell", "generic-avx2", "generic-2level", "sandybridge-ep-e5-2680"} <= set(names)
    assert len(names) == len(set(names))


def test_machine_show(rooflint: Rooflint) -> None:
    code, out, _ = rooflint("machine", "show", "cell.yaml", "snb")
    assert code == 0
    assert out.startswith("cell: ")
    assert "sandybridge-ep-e5-2680: " in out
    assert "Sources" in out


def test_machine_check(rooflint: Rooflint, tmp_path: Path) -> None:
    code, out, _ = rooflint("machine", "check", "cell")
    assert code == 0
    assert out.endswith("cell.yaml: fine\n")
    bad = tmp_path / "bad.yaml"
    bad.write_text("schema: 1\nextends: generic-2level\nname: bad\nclock_ghz: fast\n")
    code, out, _ = rooflint("machine", "check", str(bad), "cell")
    assert code == 1
    assert out.startswith(f"{bad}:4: clock_ghz: expected a plain number in GHz")


KERNCRAFT = """\
clock: 2.5 GHz
sockets: 1
cores per socket: 2
cacheline size: 64 B
colour: blue
memory hierarchy:
- level: L1
  cache per group: {sets: 64, ways: 8, cl_size: 64}
- level: MEM
"""


def test_machine_import(rooflint: Rooflint, tmp_path: Path) -> None:
    source, target = tmp_path / "Some.yml", tmp_path / "mine.yaml"
    source.write_text(KERNCRAFT)
    code, out, err = rooflint("machine", "import", str(source))
    assert code == 0
    assert "\nname: some\n" in out
    assert f"{source}: not carried over: colour: unknown key\n" in err
    assert rooflint("machine", "import", str(source), "-o", str(target))[:2] == (0, "")
    assert target.read_text() == out.replace("\nname: some\n", "\nname: mine\n")
    assert "mine: Some, 1 x 2 cores at 2.5 GHz" in rooflint("machine", "show", str(target))[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("lst",),
            "unknown action 'lst', expected list, detect, show, check, import, probe; did you mean"
            " 'list'?",
        ),
        (("show",), "no NAME or FILE given"),
        (("show", "cel"), "unknown machine 'cel'; did you mean 'cell'?"),
        (("check", "cel"), "no machine file 'cel'; did you mean 'cell'?"),
        (("list", "--all"), "unknown option '--all'"),
        (("import",), "expected one FILE, got 0"),
        (("probe", "mine.yaml"), "expected no FILE, got 'mine.yaml'; write with -o FILE"),
        (("probe", "--cc", "no-such-cc"), "no C compiler (no-such-cc)"),
        (("import", "none.yml"), "none.yml: cannot be read: No such file"),
        (("import", "cell.yaml", "-o"), "-o/--output: expected OUT.yaml after it"),
    ],
)
def test_machine_mistakes(rooflint: Rooflint, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = rooflint("machine", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_explain(rooflint: Rooflint) -> None:
    assert rooflint("explain", "ridge", "point")[1].startswith(
        "ridge point: the intensity at which"
    )
    assert rooflint("explain", "memory-bound")[1].startswith("memory-bound: ")
    assert "Williams" in rooflint("explain", "roofline")[1]
    code, out, _ = rooflint("explain")
    assert code == 0
    assert all(word in out for word in WORDS)
    code, out, err = rooflint("explain", "rofline")
    assert (code, out) == (2, "")
    assert "did you mean 'roofline'?" in err


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("size", "size parameter"),
        ("intensity", "operational intensity"),
        ("unit of work", "unit of work"),
        ("load", "load"),
        ("Trip-Count", "trip count"),
        ("layer", "layer condition"),
        ("exchange", "exchange"),
        ("advice", "advice"),
        ("bound", "memory-bound"),
    ],
)
def test_words_are_found_by_what_they_contain(rooflint: Rooflint, word: str, key: str) -> None:
    code, out, _ = rooflint("explain", *word.split())
    assert code == 0
    assert out.startswith(f"{key}: ")


def test_dump(rooflint: Rooflint, triad: Path) -> None:
    code, out, err = rooflint("dump", triad.name)
    assert (code, err) == (0, "")
    assert "function triad(n: i32, a: f64*" in out
    assert "loop i in [0, n) step 1" in out
    assert "mul.f64" in out
    code, out, err = rooflint("dump", "none.c")
    assert (code, out) == (2, "")
    assert "none.c: no such file" in err


def test_help(rooflint: Rooflint) -> None:
    code, out, _ = rooflint("--help")
    assert code == 0
    assert all(command in out for command in COMMANDS)
    for arguments in (("analyze", "--help"), ("dump", "--help"), ("machine", "--help")):
        code, out, err = rooflint(*arguments)
        assert (code, err) == (0, "")
        assert "usage: " in out
    code, out, err = rooflint("--version")
    assert (code, err) == (0, "")
    assert out.startswith("rooflint 0.")


def test_lsp_without_its_extra(rooflint: Rooflint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, out, err = rooflint("lsp")
    assert (code, out) == (2, "")
    assert "pygls is not installed; install it with: pip install 'rooflint[lsp]'" in err


def test_lsp_takes_no_files(rooflint: Rooflint) -> None:
    code, _, err = rooflint("lsp", "a.c")
    assert code == 2
    assert "lsp: unexpected argument 'a.c'" in err


@pytest.mark.parametrize("accepted", [False, True])
def test_a_disturbed_probe_writes_only_what_is_accepted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    accepted: bool,
) -> None:
    found = ProbeResult(
        text="schema: 1\n", remarks=("Disturbance: …",), doubts=(), doubtful=("clock_ghz",)
    )
    monkeypatch.setattr("rooflint.machine.probe.host.probe_host", lambda *_: found)
    file = tmp_path / "here.yaml"
    option = ["--accept-doubtful"] if accepted else []
    assert machine(["probe", "-o", str(file), *option]) == (0 if accepted else 4)
    assert file.exists() == accepted
    assert "doubtful, disturbed by other work: clock_ghz" in capsys.readouterr().err

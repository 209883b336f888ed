"""Several machines: on which of them a finding has to hold, and whose numbers are said."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rooflint.cli.main import run
from rooflint.ir import Span
from rooflint.lint.agreement import merge_machines
from rooflint.plugin_api.advice import Advice, Gain, Silence

Lint = Callable[..., tuple[int, list[str], str]]
TWO = ("--machine", "zen4-9654")
"""Besides the one that ``lint`` names."""


def advice(machine: str, gain: float | None, code: str = "RL101", line: int = 3) -> Advice:
    found = None if gain is None else Gain(gain, 2 * gain)
    span = Span(line, 1, line, 9)
    return Advice(
        code, "x", f"{code} on {machine}; y", "note", span, "f", "i", "abc", machine, 1, found,
        evidence=f"{code} on {machine}",
    )  # fmt: skip


def silence(machine: str, guard: str) -> Silence:
    span = Span(3, 1, 3, 9)
    return Silence("RL101", "x", span, "f", "i", "walks", guard, "too little", machine)


def test_the_least_gain_of_all_and_the_greatest_of_any() -> None:
    found = [advice("a", 3.0), advice("b", 2.0), advice("c", 4.0)]
    names = ["a", "b", "c"]
    [least], refused = merge_machines(found, [], names, "all")
    assert (least.machine, least.gain, refused) == ("b", Gain(2.0, 4.0), [])
    assert [(name, gain and gain.low) for name, gain in least.machines] == [
        ("a", 3.0),
        ("b", 2.0),
        ("c", 4.0),
    ]
    [most], _ = merge_machines(found, [], names, "any")
    assert most.machine == "c"
    assert most.machines == least.machines


def test_what_holds_on_some_machines_only() -> None:
    found = [advice("a", 3.0), advice("a", 2.0, line=7), advice("c", 1.5, line=7)]
    kept, refused = merge_machines(found, [silence("b", "min-gain")], ["a", "b", "c"], "all")
    assert kept == []
    assert [(each.guard, each.reason, each.evidence) for each in refused] == [
        ("policy", "not on b (min-gain: too little), not on c", "RL101 on a"),
        ("policy", "not on b", "RL101 on c"),
    ]
    kept, refused = merge_machines(found, [], ["a", "b", "c"], "any")
    assert [(each.machine, each.span.line, len(each.machines)) for each in kept] == [
        ("a", 3, 1),
        ("a", 7, 2),
    ]
    assert refused == []


def test_notes_agree_by_what_they_are_about_and_the_lints_own_stay() -> None:
    notes = [advice("a", None), advice("b", None), advice("a", None, code="RL005")]
    kept, refused = merge_machines(notes, [], ["a", "b"], "all")
    assert sorted((each.code, each.machine, len(each.machines)) for each in kept) == [
        ("RL005", "a", 0),
        ("RL101", "a", 2),
    ]
    assert refused == []


def found_by(lint: Lint, *options: str) -> dict[str, Any]:
    _, lines, _ = lint("--select", "RL102", "-D", "n=4000", "--format", "json", *options)
    [file] = json.loads("\n".join(lines))["files"]
    assert isinstance(file, dict)
    return file


def test_one_finding_for_both(lint: Lint) -> None:
    [one] = found_by(lint)["findings"]
    assert one["machines"] == []
    assert " on icelake" not in one["message"]
    [both] = found_by(lint, *TWO)["findings"]
    gains = {each["machine"]: each["gain"] for each in both["machines"]}
    assert gains.keys() == {"icelake-sp-8360y", "zen4-9654"}
    assert gains["icelake-sp-8360y"] == one["gain"]
    assert both["gain"] == min(gains.values()) == gains[both["machine"]]
    assert f"× on {both['machine']}" in both["message"]
    [any_] = found_by(lint, *TWO, "--policy", "any")["findings"]
    assert any_["gain"] == max(gains.values()) == gains[any_["machine"]]


def test_a_threshold_between_the_two(lint: Lint) -> None:
    [both] = found_by(lint, *TWO)["findings"]
    low, high = sorted(each["gain"] for each in both["machines"])
    assert low < high
    between = ("--min-gain", f"{(low + high) / 2}")
    file = found_by(lint, *TWO, *between)
    assert file["findings"] == []
    [policy] = [each for each in file["silent"] if each["guard"] == "policy"]
    assert policy["reason"].startswith(f"not on {both['machine']} (min-gain: predicted ")
    [one] = found_by(lint, *TWO, *between, "--policy", "any")["findings"]
    assert [each["gain"] for each in one["machines"]] == [high]


def test_the_configuration_names_machines_and_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], matmul: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.c").write_text(matmul, encoding="utf-8")
    command = ["lint", "k.c", "--select", "RL102", "-D", "n=4000", "--no-cache"]
    machines = 'machine = ["icelake-sp-8360y", "zen4-9654"]\n'

    def ran(text: str, *options: str) -> tuple[int, str, str]:
        Path("rooflint.toml").write_text(text, encoding="utf-8")
        code = run([*command, *options, "--", "-O3", "-mavx2"])
        return code, *capsys.readouterr()

    code, out, _ = ran(machines)
    assert (code, out.count("[RL102]")) == (1, 1)
    least = "zen4-9654" if "on zen4-9654" in out else "icelake-sp-8360y"
    other = ({"zen4-9654", "icelake-sp-8360y"} - {least}).pop()
    assert f"on {other}" in ran(machines + 'policy = "any"\n')[1]
    assert f"on {least}" in ran(machines + 'policy = "any"\n', "--policy", "all")[1]
    code, _, err = ran(machines + 'policy = "al"\n')
    assert code == 2
    assert "rooflint.toml:2: policy: 'al', expected all or any; did you mean 'all'?" in err
    code, _, err = ran('machine = ["zen4-9654", "zen5"]\n')
    assert code == 2
    assert "zen5" in err
    code, _, err = ran(machines, "--policy", "some")
    assert code == 2
    assert "expected all or any" in err
    code, _, err = ran("machine = 7\n")
    assert code == 2
    assert "rooflint.toml:1: machine: expected a name or a list of names, got 7" in err

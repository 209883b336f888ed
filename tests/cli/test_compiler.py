"""Whose code is predicted: named, configured, from the compile command, or a guess that is said."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rooflint = Callable[..., tuple[int, str, str]]
SUM = """\
double f(int n, const double *a)
{
    double t = 0;
    for (int i = 0; i < n; i++)
        t += a[i];
    return t;
}
"""
FLAGS = ("--", "-O3", "-march=native", "-ffast-math")


@pytest.fixture
def ecm(rooflint: Rooflint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """T_OL on Skylake and what the ECM model assumes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sum.c").write_text(SUM, encoding="utf-8")

    def call(*options: str, flags: tuple[str, ...] = FLAGS) -> tuple[float, list[str]]:
        words = ("--machine", "skx", "--model", "ecm", "--format", "json")
        code, out, err = rooflint("analyze", "sum.c", *words, *options, *flags)
        assert (code, err) == (0, "")
        [nest] = json.loads(out)["files"][0]["functions"][0]["nests"]
        [prediction] = nest["kernels"][0]["results"][0]["predictions"]
        return prediction["data"]["T_OL"], prediction["assumptions"]

    return call


def test_gcc_has_one_accumulator_and_clang_four(ecm: Callable[..., Any]) -> None:
    # a line is two vectors of 32 B; an addition takes four cycles: 2 * 4 with one accumulator;
    # with four 2 * 4 / 4
    assert ecm("--compiler", "gcc")[0] == pytest.approx(8)
    assert ecm("--compiler", "clang")[0] == pytest.approx(2)


def test_a_guess_is_said(ecm: Callable[..., Any]) -> None:
    told = "code as clang -O3 -ffast-math generates it for skylake-sp-6148"
    assert told in ecm()[1]
    assert told not in ecm("--compiler", "clang-19")[1]


def test_the_compile_command_and_the_configuration_name_one(
    ecm: Callable[..., Any], tmp_path: Path
) -> None:
    command = "gcc -O3 -march=native -ffast-math -c sum.c"
    entry = {"directory": str(tmp_path), "file": "sum.c", "command": command}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
    assert ecm(flags=())[0] == pytest.approx(8)
    (tmp_path / "rooflint.toml").write_text("compiler = 'clang'\n", encoding="utf-8")
    assert ecm(flags=())[0] == pytest.approx(2)
    assert ecm("--compiler", "gcc-12", flags=())[0] == pytest.approx(8)


def test_an_unknown_compiler_is_an_error(rooflint: Rooflint) -> None:
    code, _, err = rooflint("analyze", "sum.c", "--compiler", "icc")
    assert code == 2
    assert "'icc', expected a clang or gcc" in err


def test_lint_and_compare_model_the_compiler_that_is_named(
    rooflint: Rooflint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sum.c").write_text(SUM, encoding="utf-8")
    target = ("--machine", "icelake-sp-8360y", "-D", "n=1000", "--format", "json")
    for command, paths in (("lint", ("sum.c",)), ("compare", ("sum.c", "sum.c"))):
        told = []
        for name in ("clang", "gcc"):
            told.append(rooflint(command, *paths, *target, "--compiler", name, *FLAGS)[1])
        assert told[0] != told[1], command
    _, out, _ = rooflint("lint", "sum.c", "--show-settings", "--compiler", "gcc-12")
    assert 'compiler = "gcc-12"' in out


@pytest.mark.parametrize("command", ["lint", "compare"])
def test_an_unknown_compiler_is_an_error_there_too(rooflint: Rooflint, command: str) -> None:
    code, _, err = rooflint(command, "sum.c", "--compiler", "icc")
    assert code == 2
    assert "'icc', expected a clang or gcc" in err

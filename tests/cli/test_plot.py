"""``analyze --plot DIR`` and ``--model ceilings`` as a person uses them."""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

Rooflint = Callable[..., tuple[int, str, str]]
SCHEMA = Path(__file__).parents[2] / "analyzer" / "rooflint" / "render" / "report.schema.json"
MAX_BYTES = 12 * 1024


OPTERON = ("--machine", "opteron-x4", "-D", "n=1e7")
"""A machine with measured ceilings, and arrays that no cache holds."""


@pytest.mark.usefixtures("triad")
def test_a_plot_of_each_loop_and_one_of_all(rooflint: Rooflint, tmp_path: Path) -> None:
    code, out, err = rooflint("analyze", "triad.c", "--plot", "plots", *OPTERON)
    assert code == 0
    assert "triad.c:3 triad" in out
    assert err == "analyze: 1 plot in plots, all loops in plots/overview.svg\n"
    assert sorted(path.name for path in (tmp_path / "plots").iterdir()) == [
        "overview.svg",
        "triad.c_triad_i.svg",
    ]
    for path in (tmp_path / "plots").iterdir():
        assert path.stat().st_size <= MAX_BYTES
        assert ET.parse(path).getroot().tag.endswith("svg")
    text = (tmp_path / "plots" / "triad.c_triad_i.svg").read_text(encoding="utf-8")
    # 0.0625 flop/B at the 8.44 GB/s of a core: the verdict has the loop at its roof
    assert "now 0.527 GFLOP/s" in text
    assert "at its limit" in out


@pytest.mark.usefixtures("triad")
def test_several_machines_on_one_plot(rooflint: Rooflint, tmp_path: Path) -> None:
    machines = (*OPTERON, "--machine", "cell", "--cores", "node")
    code, _, _ = rooflint("analyze", "triad.c", "--plot", "p", *machines)
    assert code == 0
    text = (tmp_path / "p" / "triad.c_triad_i.svg").read_text(encoding="utf-8")
    assert "opteron-x4, 8 cores" in text
    assert "cell, 16 cores" in text


@pytest.mark.usefixtures("triad")
def test_without_a_plot_the_report_is_as_before(rooflint: Rooflint) -> None:
    _, out, err = rooflint("analyze", "triad.c")
    assert "ceilings" not in out
    assert err == ""


@pytest.mark.usefixtures("triad")
def test_places_that_take_no_plots(rooflint: Rooflint, tmp_path: Path) -> None:
    code, out, err = rooflint("analyze", "triad.c", "--plot", "triad.c")
    assert (code, out) == (2, "")
    assert err == "analyze: --plot triad.c: cannot be made: File exists\n"
    (tmp_path / "p" / "overview.svg").mkdir(parents=True)
    code, _, err = rooflint("analyze", "triad.c", "--plot", "p")
    assert code == 2
    assert "--plot: p/overview.svg: cannot be written: Is a directory" in err


@pytest.mark.usefixtures("triad")
def test_formats(rooflint: Rooflint, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, err = rooflint("analyze", "triad.c", "--plot", "p", "--plot-format", "pgn")
    assert code == 2
    assert "unknown format 'pgn', expected svg, png or pdf; did you mean 'png'?" in err
    monkeypatch.setattr("rooflint.cli.plot.find_spec", lambda name: None)
    code, _, err = rooflint("analyze", "triad.c", "--plot", "p", "--plot-format", "png")
    assert code == 2
    assert err.endswith("needs matplotlib: pip install 'rooflint[plot]'\n")


@pytest.mark.skipif(not importlib.util.find_spec("matplotlib"), reason="comes with extra [plot]")
@pytest.mark.usefixtures("triad")
def test_png(rooflint: Rooflint, tmp_path: Path) -> None:
    code, _, _ = rooflint("analyze", "triad.c", "--plot", "p", "--plot-format", "png")
    assert code == 0
    assert (tmp_path / "p" / "overview.png").read_bytes().startswith(b"\x89PNG")


def test_a_file_without_loops(rooflint: Rooflint, tmp_path: Path) -> None:
    (tmp_path / "empty.c").write_text("int x;\n")
    code, _, err = rooflint("analyze", str(tmp_path / "empty.c"), "--plot", str(tmp_path / "p"))
    assert code == 0
    assert err.endswith("no loop can be plotted, nothing written\n")


@pytest.mark.usefixtures("triad")
def test_the_model_in_json(rooflint: Rooflint) -> None:
    arguments = ("--model", "ceilings", "--format", "json", *OPTERON)
    code, out, _ = rooflint("analyze", "triad.c", "--cores", "node", *arguments)
    assert code == 0
    document: dict[str, Any] = json.loads(out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
    (kernel,) = document["files"][0]["functions"][0]["nests"][0]["kernels"]
    (prediction,) = kernel["results"][0]["predictions"]
    assert prediction["model"] == "ceilings"
    assert prediction["bottleneck"] == "L3-MEM"
    data = prediction["data"]
    # 2 flop over 32 B: 13.9 GB/s without software prefetch, 16.85 with
    assert data["base_g_per_s"] == pytest.approx(13.9 / 16)
    assert [step["name"] for step in data["path"]] == ["sw-prefetch"]
    assert data["path"][0]["factor"] == pytest.approx(16.85 / 13.9)


@pytest.mark.usefixtures("triad")
def test_flags_of_the_compiler_decide(rooflint: Rooflint, tmp_path: Path) -> None:
    loop = "for (int i = 0; i < n; i++) s += a[i];"
    text = f"double f(int n, double *a) {{ double s = 0; {loop} return s; }}"
    (tmp_path / "sum.c").write_text(text)
    model = ("--model", "ceilings", "--format", "json", "-D", "n=100000")

    def vectorised(*flags: str) -> bool:
        _, out, _ = rooflint("analyze", "sum.c", *model, "--", *flags)
        document: dict[str, Any] = json.loads(out)
        (kernel,) = document["files"][0]["functions"][0]["nests"][0]["kernels"]
        listed = kernel["results"][0]["predictions"][0]["data"]["ceilings"]
        return next(bool(each["broken"]) for each in listed if each["name"] == "simd")

    assert not vectorised("-O3", "-march=haswell")
    assert vectorised("-O3", "-march=haswell", "-ffast-math")
    assert not vectorised("-O0", "-ffast-math")


@pytest.mark.usefixtures("triad")
def test_bounds_are_drawn_in_all_levels_and_in_each(rooflint: Rooflint, tmp_path: Path) -> None:
    asked = ("analyze", "triad.c", "--machine", "snb", "--model", "bounds", "-D", "n=1e7")
    code, _, err = rooflint(*asked, "--plot", "plots")
    assert (code, err) == (0, "analyze: 2 plots in plots\n")
    names = ["triad.c_triad_i-bounds-levels.svg", "triad.c_triad_i-bounds.svg"]
    assert sorted(path.name for path in (tmp_path / "plots").iterdir()) == names
    drawn = (tmp_path / "plots" / names[1]).read_text(encoding="utf-8")
    for text in ("intensity, all levels (flop/B)", "MEM latency", "compute stalled by"):
        assert text in drawn

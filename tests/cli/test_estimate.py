"""``rooflint estimate``."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rooflint.errors import RooflintError

EXAMPLES = Path(__file__).parents[2] / "examples" / "procedures"
FT = str(EXAMPLES / "ft3d_two_stage.yaml")
TRIAD = str(EXAMPLES.parent / "triad.c")
SOURCES = Path(__file__).parents[1] / "models" / "hybrid" / "sources"


@pytest.fixture
def rooflint_json(rooflint: Callable[..., object]) -> Callable[..., list[dict[str, object]]]:
    def call(*arguments: str) -> list[dict[str, object]]:
        found = rooflint("estimate", *arguments, "--format", "json")
        document = json.loads(found.out)  # type: ignore[attr-defined]
        assert document["schema_version"] == 1
        estimates: list[dict[str, object]] = document["estimates"]
        return estimates

    return call


def test_text(rooflint: Callable[..., object]) -> None:
    found = rooflint("estimate", FT, "--machine", "titan-node", "--balance", "BW")
    assert found.code == 0  # type: ignore[attr-defined]
    text = found.out  # type: ignore[attr-defined]
    assert "ft3d_two_stage (C5) on titan-node: at most 67.5 GOP/s, limited by the channel" in text
    assert "a channel of 284.4 GB/s instead of 32, or 0.45 coprocessors instead of 4" in text
    assert "BW = 2*K*Perf*e/(5*log2(N1*N2)) balances stage planes" in text


def test_json_of_two_machines(rooflint_json: Callable[..., list[dict[str, object]]]) -> None:
    found = rooflint_json(FT, "--machine", "titan-node", "--machine", "k100", "-D", "e=8")
    assert [entry["machine"] for entry in found] == ["titan-node", "k100-node"]
    assert found[0]["g_per_s"] == pytest.approx(135)
    assert found[0]["limited_by"] == "channel"
    keys = "class T_s g_per_s limited_by beta balance stages fits what_if assumptions caveats"
    assert set(keys.split()) <= set(found[0])


def test_values_have_units_and_reach_the_machine(
    rooflint_json: Callable[..., list[dict[str, object]]],
) -> None:
    arguments = (FT, "--machine", "titan-node", "-D", "BW=64GB/s", "-D", "perf.fft1d=100GOP/s")
    (found,) = rooflint_json(*arguments)
    assert found["g_per_s"] == pytest.approx(135)
    kernels = {k["name"]: k["g_per_s"] for k in found["kernels"]}  # type: ignore[attr-defined]
    assert kernels == {"fft2d": 200, "fft1d": 100}


def test_refined(rooflint_json: Callable[..., list[dict[str, object]]]) -> None:
    path = str(EXAMPLES / "fft_long.yaml")
    (found,) = rooflint_json(path, "--machine", "vm7", "--refined")
    assert found["g_per_s"] == pytest.approx(4.4578, rel=1e-4)
    assert "A4" not in found["assumptions"]  # type: ignore[operator]


def test_what_does_not_fit_is_a_finding(rooflint: Callable[..., object]) -> None:
    path = str(EXAMPLES / "fft_short.yaml")
    found = rooflint("estimate", path, "--machine", "vm7", "-D", "N=8192")
    assert found.code == 1  # type: ignore[attr-defined]
    assert "does not fit vm7: one vector in a bank needs 65.5 kB, 32.8 kB more" in found.out  # type: ignore[attr-defined]


def test_a_sidecar_completes_its_source(rooflint: Callable[..., object]) -> None:
    path = str(EXAMPLES / "spmv_sidecar.yaml")
    found = rooflint("estimate", path, "--machine", "titan-node")
    assert found.code == 0, found.err  # type: ignore[attr-defined]
    text = found.out  # type: ignore[attr-defined]
    assert "spmv_sidecar (C6) on titan-node" in text
    assert "array     x: gathered" in text
    assert "rejected  C3" in text
    slower = rooflint(
        "estimate",
        path,
        "--machine",
        "vm7",
        "-D",
        "Perf=28.8MOP/s",
        "-D",
        "rows=1400",
        "-D",
        "NZ=78148",
    )
    assert slower.code == 0, slower.err  # type: ignore[attr-defined]
    assert "28.8 MOP/s per coprocessor, measured" in slower.out  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([FT], "no --machine given"),
        (["--machine", "titan-node"], "expected one PROCEDURE.yaml or source file, got 0"),
        ([FT, "--machine", "snb"], "has no section 'coprocessors'"),
        ([FT, "--machine", "titan-node", "-D", "N1"], "expected NAME=VALUE"),
        ([FT, "--machine", "titan-node", "-D", "N1=x y"], "'x y' is not an expression"),
        ([FT, "--machine", "titan-node", "-D", "Prf=1"], "no such parameter; did you mean 'Perf'"),
        ([FT, "--machine", "titan-node", "--format", "jsn"], "did you mean 'json'"),
        (
            [FT, "--machine", "titan-node", "--procedure", "ft"],
            "has no 'ft', it has ft3d_two_stage",
        ),
        (["nothing.yaml", "--machine", "titan-node"], "cannot be read"),
        ([FT, "--machine", "titan-node", "--balance", "B"], "no symbol 'B'"),
        ([TRIAD, "--machine", "titan-node", "-D", "N=5"], "no such size or parameter; there are n"),
        (
            [TRIAD, "--machine", "titan-node", "--procedure", "triads"],
            "has no function 'triads', it has triad, triad_parallel; did you mean 'triad'?",
        ),
        ([str(SOURCES / "spmv.c"), "--machine", "vm7"], "a sidecar must give elements: {x: ...}"),
    ],
)
def test_mistakes(rooflint: Callable[..., object], arguments: list[str], message: str) -> None:
    try:
        found = rooflint("estimate", *arguments)
        text, code = found.err, found.code  # type: ignore[attr-defined]
    except RooflintError as error:
        text, code = str(error), 2
    assert code == 2
    assert message in text


def test_assumptions(rooflint: Callable[..., object]) -> None:
    found = rooflint("estimate", "--assumptions")
    assert found.out.startswith("A1   starting an operation costs nothing")  # type: ignore[attr-defined]
    assert len(found.out.splitlines()) == 12  # type: ignore[attr-defined]


def test_picture(rooflint: Callable[..., object], tmp_path: Path) -> None:
    file = tmp_path / "ft.svg"
    rooflint("estimate", FT, "--machine", "titan-node", "--picture", str(file))
    root = ElementTree.fromstring(file.read_text(encoding="utf-8"))
    words = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "now: 32 GB/s, 67.5 GOP/s" in words
    # stage planes at 284.4 GB/s: 118 us of computing; pencils still wait for the channel
    assert any(word.startswith("balanced: 284.4 GB/s, ") for word in words)
    assert "balanced: K = 0.45, outside the picture" in words
    assert any(word.startswith("One of 128 iterations of stage planes") for word in words)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}polyline"))) == 2


def test_a_loop_of_the_source_is_derived(rooflint: Callable[..., object]) -> None:
    arguments = ("estimate", TRIAD, "--machine", "titan-node", "-D", "n=1e8")
    found = rooflint(*arguments, "--procedure", "triad")
    assert found.code == 0, found.err  # type: ignore[attr-defined]
    text = found.out  # type: ignore[attr-defined]
    assert text.startswith("triad (C4) on titan-node: at most 2.667 GOP/s")
    assert "the host's 16 cores are 2.4 times as fast (75 ms against 31.2 ms" in text
    assert "with      n = 100000000 (command line)" in text
    assert "array     a: output, 800 MB, derived" in text
    both = rooflint(*arguments)
    assert "triad_parallel (C4)" in both.out  # type: ignore[attr-defined]


def test_what_is_printed_is_estimated_alike(
    rooflint: Callable[..., object],
    rooflint_json: Callable[..., list[dict[str, object]]],
    tmp_path: Path,
) -> None:
    sidecar = (str(EXAMPLES / "spmv_sidecar.yaml"), "--machine", "titan-node")
    file = tmp_path / "spmv.yaml"
    rooflint("estimate", *sidecar, "--format", "yaml", "-o", str(file))
    text = file.read_text(encoding="utf-8")
    assert "    perf: Perf  # sidecar, " in text
    assert "    ops: 481.614106667*b_i  # derived\n" in text
    (derived,) = rooflint_json(*sidecar)
    (again,) = rooflint_json(str(file), "--machine", "titan-node")
    assert again["T_s"] == pytest.approx(derived["T_s"])
    assert again["kernels"] == derived["kernels"]
    file.write_text(text.replace("perf: Perf", "perf: 2*Perf"), encoding="utf-8")
    (edited,) = rooflint_json(str(file), "--machine", "titan-node")
    kernels = edited["kernels"]
    assert isinstance(kernels, list)
    assert kernels[0]["g_per_s"] == pytest.approx(33)


def test_several_procedures_are_printed_as_a_list(
    rooflint: Callable[..., object], tmp_path: Path
) -> None:
    file = tmp_path / "triads.yaml"
    node = ("--machine", "titan-node")
    rooflint("estimate", TRIAD, *node, "--format", "yaml", "-o", str(file))
    found = rooflint("estimate", str(file), *node)
    assert found.code == 0, found.err  # type: ignore[attr-defined]
    assert found.out.count("at most 2.667 GOP/s") == 2  # type: ignore[attr-defined]


def test_page(rooflint: Callable[..., object]) -> None:
    machines = ("--machine", "titan-node", "--machine", "h100-pcie-server")
    found = rooflint("estimate", TRIAD, *machines, "--procedure", "triad", "--format", "html")
    page = found.out  # type: ignore[attr-defined]
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<svg ") == 2
    assert "triad (C4: streamed in pages) on titan-node" in page
    assert "<td>host, 16 cores<td>" in page
    assert "http://" not in page.replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_a_name_that_looks_like_markup_stays_text(
    rooflint: Callable[..., object], tmp_path: Path
) -> None:
    text = Path(FT).read_text(encoding="utf-8").replace("ft3d_two_stage", "'<script>x'")
    file = tmp_path / "bad.yaml"
    file.write_text(text, encoding="utf-8")
    found = rooflint("estimate", str(file), "--machine", "titan-node", "--format", "html")
    assert "<script" not in found.out  # type: ignore[attr-defined]
    assert "&lt;script&gt;x" in found.out  # type: ignore[attr-defined]

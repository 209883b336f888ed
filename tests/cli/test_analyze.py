"""``analyze`` as a person uses it."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import rooflint as package

Rooflint = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).parents[2]


def results(out: str) -> list[dict[str, object]]:
    document = json.loads(out)
    return [
        result
        for file in document["files"]
        for function in file["functions"]
        for nest in function["nests"]
        for kernel in nest["kernels"]
        for result in kernel["results"]
    ]


@pytest.mark.usefixtures("triad")
def test_triad_on_a_machine_of_the_paper(rooflint: Rooflint) -> None:
    # 2 flop for 8 B + 8 B loaded, 8 B write-allocate, 8 B evicted: 0.0625 flop/B; the drawn
    # bandwidth of the Opteron X4 is 16.85 GB/s, so 16.85 * 0.0625 = 1.053 GFLOP/s
    arguments = (
        "triad.c",
        "--machine",
        "opteron-x4",
        "--cores",
        "node",
        "--format",
        "json",
        "-Dn=1e7",
    )
    code, out, err = rooflint("analyze", *arguments)
    assert (code, err) == (0, "")
    (result,) = results(out)
    assert result["cores"] == 8
    prediction: dict[str, Any] = result["predictions"][0]  # type: ignore[index]
    assert prediction["bottleneck"].endswith("-MEM")
    assert prediction["data"]["attainable_g_per_s"] == pytest.approx(16.85 * 2 / 32, rel=1e-3)


@pytest.mark.usefixtures("triad")
def test_a_machine_by_the_name_of_its_file(rooflint: Rooflint) -> None:
    code, out, _ = rooflint("analyze", ".", "--machine", "cell.yaml")
    assert code == 0
    assert out.startswith("rooflint: 1 loop in triad.c on cell, 1 core")


@pytest.mark.usefixtures("triad")
def test_the_default_machine_says_so(rooflint: Rooflint) -> None:
    _, out, _ = rooflint("analyze", "triad.c")
    assert "on generic-avx2 (not this computer)" in out.splitlines()[0]
    _, out, _ = rooflint("analyze", "triad.c:3")
    note = " ".join(out.split())
    assert "machine generic-avx2 (generic-avx2.yaml): the default, because no machine was" in note
    assert "typical" in note
    _, out, _ = rooflint("analyze", "triad.c", "--format", "json")
    assert "default" in json.loads(out)["machines"][0]["note"]


@pytest.mark.usefixtures("triad")
def test_sizes_in_their_order(rooflint: Rooflint, triad: Path) -> None:
    def size(*arguments: str) -> dict[str, object]:
        _, out, _ = rooflint("analyze", "triad.c", "--format", "json", *arguments)
        sizes: dict[str, dict[str, object]] = results(out)[0]["sizes"]  # type: ignore[assignment]
        return sizes["n"]

    assert size()["origin"] == "role"
    triad.with_name("rooflint.toml").write_text("[sizes]\nn = 100\n")
    assert size() == {"value": 100, "origin": "configuration"}
    triad.write_text(triad.read_text().replace("{\n", "{\n/* rooflint: n=200 */\n", 1))
    assert size() == {"value": 200, "origin": "comment"}
    assert size("-Dn=3e2") == {"value": 300, "origin": "command line"}


def test_cores_and_their_origin(rooflint: Rooflint, triad: Path) -> None:
    text = triad.read_text()
    serial = "    for (int"
    parallel = "#pragma omp parallel for\n    for (int"

    def cores(source: str, *arguments: str) -> tuple[object, object]:
        triad.write_text(source)
        _, out, _ = rooflint(
            "analyze", "triad.c", "--machine", "snb", "--format", "json", *arguments
        )
        (result,) = results(out)
        return result["cores"], result["cores_origin"]

    openmp = text.replace(serial, parallel)
    assert cores(text) == (1, "serial code")
    assert cores(openmp) == (8, "one socket: inside an OpenMP parallel region")
    assert cores(openmp.replace("for\n", "for num_threads(4)\n")) == (4, "num_threads clause")
    assert cores("// rooflint: threads(3)\n" + openmp) == (3, "comment")
    assert cores(openmp, "--cores", "node") == (16, "command line")
    triad.with_name("rooflint.toml").write_text("cores = 'socket'\n")
    assert cores(text) == (8, "configuration")


def test_off_and_on(rooflint: Rooflint, triad: Path) -> None:
    triad.write_text(
        triad.read_text() + "// rooflint: off\n" + triad.read_text().replace("triad", "quad")
    )
    _, out, _ = rooflint("analyze", "triad.c", "--format", "json")
    document = json.loads(out)
    assert [f["name"] for f in document["files"][0]["functions"]] == ["triad"]
    summary = document["summary"]
    assert (summary["loops"], summary["analysed"]) == (2, 1)
    assert summary["refused"] == {"switched off by a rooflint comment": 1}
    assert [each["function"] for each in document["verdicts"]] == ["triad"]


def test_verdicts_rest_on_more_than_the_report_shows(rooflint: Rooflint, triad: Path) -> None:
    def verdicts(*arguments: str) -> tuple[list[str], dict[str, Any]]:
        _, out, _ = rooflint("analyze", "triad.c", "--format", "json", "-D", "n=1000", *arguments)
        document = json.loads(out)
        [verdict] = document["verdicts"]
        [kernel] = document["files"][0]["functions"][0]["nests"][0]["kernels"]
        assert verdict["id"] == kernel["id"]
        return [each["model"] for each in kernel["results"][0]["predictions"]], verdict

    models, verdict = verdicts()
    assert models == ["roofline"]
    assert verdict["terms"] and verdict["reasons"] == []
    models, verdict = verdicts("--model", "roofline")
    assert models == ["roofline"]
    assert verdict["terms"] == [] and verdict["reasons"] == ["no_estimate"]


def test_top(rooflint: Rooflint, triad: Path) -> None:
    text = triad.read_text()
    twice = text.replace("triad", "longer").replace("c[i]", "c[i] + b[i] / c[2 * i]")
    triad.write_text(text + twice)
    code, out, err = rooflint("analyze", "triad.c", "--top", "1", "-D", "n=1000")
    assert (code, err) == (0, "")
    assert "rooflint: 2 loops in triad.c" in out
    assert "longer" in out
    assert "triad.c:3 " not in out
    assert "1 more to 95 %" in out
    code, out, err = rooflint("analyze", "triad.c", "--top", "1", "--format", "json")
    assert [each["function"] for each in json.loads(out)["verdicts"]] == ["longer"]
    assert err.endswith("by predicted time; the sizes of 1 are guessed, -D sets them\n")


def test_flags_and_output_file(rooflint: Rooflint, triad: Path) -> None:
    triad.write_text("#ifdef TWICE\n" + triad.read_text() + "#endif\n")
    code, out, _ = rooflint("analyze", "triad.c", "--format", "json", "--", "-DTWICE")
    assert (code, len(results(out))) == (0, 1)
    code, out, err = rooflint(
        "analyze", "-o", "report.json", "--format=json", "triad.c", "--", "-DTWICE"
    )
    assert (code, out, err) == (0, "", "")
    assert len(results((triad.parent / "report.json").read_text(encoding="utf-8"))) == 1


def test_paths_may_stand_anywhere(rooflint: Rooflint, triad: Path) -> None:
    triad.with_name("second.c").write_text(triad.read_text())
    code, out, _ = rooflint("analyze", "triad.c", "--cores", "1", "second.c")
    assert code == 0
    assert out.index("triad.c:3") < out.index("second.c:3")


def test_a_compilation_database_as_a_path(rooflint: Rooflint, triad: Path) -> None:
    triad.write_text("#ifdef ON\n" + triad.read_text() + "#endif\n")
    entries = [
        {"directory": str(triad.parent), "file": name, "command": f"cc -DON -c {name}"}
        for name in ("triad.c", "generated.c")
    ]
    build = triad.parent / "elsewhere"
    build.mkdir()
    (build / "compile_commands.json").write_text(json.dumps(entries))
    code, out, err = rooflint("analyze", "elsewhere/compile_commands.json")
    assert "1 of its 2 files do not exist" in err
    assert "triad.c:4 triad" in out
    assert code == 0


def test_colours_on_request_only(rooflint: Rooflint, triad: Path) -> None:
    assert "\x1b[" not in rooflint("analyze", triad.name)[1]
    assert "\x1b[" in rooflint("analyze", triad.name, "--color")[1]
    assert "\x1b[" not in rooflint("analyze", triad.name, "--no-color")[1]


def test_version() -> None:
    assert package.__version__ == version("rooflint")


# background jobs of a shell ignore interrupts, and so would what they start
INTERRUPTIBLE = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"


def analyze(*arguments: str) -> list[str]:
    program = f"{INTERRUPTIBLE}; from rooflint.cli.main import analyze; analyze()"
    return [sys.executable, "-c", program, *arguments]


def test_the_same_bytes_twice_and_from_several_jobs(triad: Path) -> None:
    for name in "abc":
        triad.with_name(f"{name}.c").write_text(triad.read_text())
    runs = [
        subprocess.run(
            analyze(".", "--format", "json", "--jobs", jobs), capture_output=True, check=True
        )
        for jobs in ("1", "1", "3")
    ]
    assert len({run.stdout for run in runs}) == 1
    assert len(results(runs[0].stdout.decode())) == 4


@pytest.mark.usefixtures("triad")
def test_a_reader_that_leaves_early() -> None:
    process = subprocess.Popen(
        [
            "bash",
            "-c",
            f"'{sys.executable}' -c 'from rooflint.cli.main import analyze; analyze()' . | true",
        ],
        stderr=subprocess.PIPE,
    )
    assert process.communicate(timeout=60)[1] == b""


def opened_for_writing(fifo: str) -> int:
    """The pipe's descriptor, as soon as somebody reads from it."""
    for _ in range(600):
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(f"nobody reads {fifo}")


def test_interrupt_keeps_what_is_finished(triad: Path) -> None:
    # the second file waits for a header that nobody writes
    triad.with_name("z.c").write_text('#include "pipe.h"\nvoid f(void) {}\n')
    os.mkfifo(triad.with_name("pipe.h"))
    process = subprocess.Popen(
        analyze("triad.c", "z.c", "--jobs", "1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    pipe = opened_for_writing("pipe.h")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    os.close(pipe)
    assert process.returncode == 130
    assert b"triad.c:3 triad" in out
    assert err == b"analyze: interrupted: 1 of 2 files not analysed\n"


def test_start_up_stays_light(triad: Path) -> None:
    """At most 0.15 s of CPU is the aim; twice that here, because test machines are busy."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(analyze(triad.name), check=True, capture_output=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(spent) <= 0.30


@pytest.mark.parametrize(
    ("rule", "limit", "block"), [("exact", 8192, 1023), ("half-cache", 5461, 681)]
)
def test_layer_conditions(
    rooflint: Rooflint, tmp_path: Path, rule: str, limit: int, block: int
) -> None:
    file = tmp_path / "stencil.c"
    file.write_text(
        "void sweep(int n, double a[n][n], double b[n][n]) {\n"
        "  for (int i = 1; i < n - 1; i++)\n"
        "    for (int j = 1; j < n - 1; j++)\n"
        "      b[i][j] = a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j];\n"
        "}\n"
    )
    arguments = ("analyze", str(file), "--machine", "snb", "-D", "n=2000")
    code, out, _ = rooflint(*arguments, "--layer-conditions", rule, "--all")
    assert code == 0
    assert f"rows of a in L2 (n <= {limit})" in out
    assert f"j in blocks of {block} keeps rows of a in L1" in out


def test_a_size_is_set_by_the_name_that_the_report_prints(
    rooflint: Rooflint, tmp_path: Path
) -> None:
    path = tmp_path / "walk.c"
    walk = "void walk(double *p, const double *q, double *e) { while (p != e) *p++ = *q++; }\n"
    for text, options, origin in (
        (walk, ("-D", "trips(p != e)=77"), "command line"),
        (f"// rooflint: trips(p!=e)=77\n{walk}", (), "comment"),
    ):
        path.write_text(text)
        code, out, err = rooflint("analyze", str(path), "--format", "json", *options)
        assert (code, err) == (0, "")
        assert {json.dumps(result["sizes"]) for result in results(out)} == {
            json.dumps({"trips(p != e)": {"value": 77, "origin": origin}})
        }
        assert not json.loads(out)["files"][0]["diagnostics"]


def test_a_source_whose_loops_are_in_a_header_says_so(
    rooflint: Rooflint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("zero.h").write_text("static void f(int *a) { for (int i = 0; i < 9; i++) a[i] = 0; }\n")
    Path("main.c").write_text('#include "zero.h"\nint main(void) { return 0; }\n')
    _, out, err = rooflint("analyze", "main.c")
    assert "no loops in main.c" in out
    assert err.endswith(": 1 included header with loops not analysed: zero.h; name it\n")
    assert rooflint("analyze", "main.c", "zero.h")[2] == ""

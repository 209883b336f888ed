"""``--counts`` and ``--profile``: what a run of the program told, in reports and rankings.

``traps.cpp`` and what its counts are is in ``tests/profiles``; ``spin.cpp`` too.
"""

import copy
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rooflint = Callable[..., tuple[int, str, str]]
DATA = Path(__file__).parents[1] / "profiles" / "data"
LLVM_COV = str(DATA / "traps.llvm-cov.json")
GCOV = str(DATA / "traps.O0.gcov.json")
OPTIMISED = str(DATA / "traps.O2.gcov.json")


@pytest.fixture
def traps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(DATA / "traps.cpp", tmp_path))


def report(rooflint: Rooflint, *arguments: str, code: int = 0) -> tuple[dict[str, Any], str]:
    own, out, err = rooflint("analyze", *arguments, "--format", "json")
    assert own == code
    return json.loads(out), "".join(line.partition(": ")[2] for line in err.splitlines(True))


def kernels(document: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """By line; of those on one line, the function's own, not one that is inlined elsewhere."""
    found: dict[int, dict[str, Any]] = {}
    for file in document["files"]:
        for function in file["functions"]:
            for nest in function["nests"]:
                for kernel in nest["kernels"]:
                    found.setdefault(kernel["line"], kernel)
    return found


EXPECTED = [
    (9, 3, 40, 8600),
    (14, 57, 20, 120),
    (17, 3, 20, 1920),
    (28, 3, 1, 400),
    (30, 3, 1, 20),
    (36, 3, 1, 5),
    (36, 31, 5, 45),
    (37, 14, 1, 11),
    (38, 3, 1, 11),
    (39, 19, 0, 0),
    (42, 5, 2, 7),
    (47, 3, 1, 7),
    (48, 3, 1, 8),
    (49, 3, 1, 400),
    (52, 3, 1, 6),
]
"""Line, column, executions and iterations, known by reading the program."""


@pytest.mark.usefixtures("traps")
def test_every_loop_of_the_program_is_counted(rooflint: Rooflint) -> None:
    document, err = report(rooflint, "traps.cpp", "--counts", LLVM_COV)
    counts = document["files"][0]["counts"]
    assert [tuple(each.values()) for each in counts["loops"]] == EXPECTED
    assert counts["gaps"] == []
    assert err == "counts: 15 of 15 loops matched\n"


@pytest.mark.usefixtures("traps")
def test_gcov_says_which_loops_it_cannot_count(rooflint: Rooflint) -> None:
    document, err = report(rooflint, "traps.cpp", "--counts", GCOV)
    counts = document["files"][0]["counts"]
    assert [tuple(each.values()) for each in counts["loops"]] == [
        each for each in EXPECTED if each[0] not in (36, 52)
    ]
    assert [gap["line"] for gap in counts["gaps"]] == [36, 36, 52]
    assert err == (
        "counts: 12 of 15 loops matched; "
        "of 2, other branches share the line, and gcov counts lines; "
        "of 1, gcov does not show which jumps test the loop's condition\n"
    )


@pytest.mark.usefixtures("traps")
def test_runs_add_up_and_weigh_kernels(rooflint: Rooflint) -> None:
    document, _ = report(rooflint, "traps.cpp", "--counts", LLVM_COV, "--counts", LLVM_COV)
    found = kernels(document)[17]
    share = found["weight"].pop("share")
    assert found["weight"] == {
        "executions": 40,
        "iterations": 3840,
        "origin": "counts",
        "share_origin": "counts",
        "of_entry": False,
    }
    assert 0 < share < 1
    assert found["results"][0]["trips"] == [96]


@pytest.mark.usefixtures("traps")
def test_counts_set_sizes_that_nobody_set(rooflint: Rooflint) -> None:
    counted, _ = report(rooflint, "traps.cpp", "--counts", LLVM_COV)
    result = kernels(counted)[14]["results"][0]
    assert result["trips"] == [6]
    assert list(result["sizes"].values()) == [{"value": 6, "origin": "counts"}]
    (name,) = result["sizes"]
    given, _ = report(rooflint, "traps.cpp", "--counts", LLVM_COV, "-D", f"{name}=50")
    result = kernels(given)[14]["results"][0]
    assert result["trips"] == [50]
    assert result["sizes"][name] == {"value": 50, "origin": "command line"}


@pytest.mark.usefixtures("traps")
def test_counts_and_profiles_of_the_configuration_are_relative_to_it(
    rooflint: Rooflint, traps: Path
) -> None:
    folder = traps.parent / "runs"
    folder.mkdir()
    shutil.copy(LLVM_COV, folder / "cov.json")
    shutil.copy(DATA / "position.callgrind.out", folder)
    traps.with_name("rooflint.toml").write_text(
        'counts = ["runs/cov.json"]\nprofile = "runs/position.callgrind.out"\n'
    )
    document, err = report(rooflint, str(traps))
    assert "15 of 15 loops matched" in err
    # the recording has nothing but position()
    assert kernels(document)[17]["weight"]["share"] == pytest.approx(1, abs=0.2)
    assert kernels(document)[30]["weight"]["share"] == 0


@pytest.mark.usefixtures("traps")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "does not have the structure of its format"),
        (b"\xfflprofi\x81" + bytes(64), "llvm-cov export -skip-expansions"),
        (b"adcg*22B" + bytes(64), "gcov --json-format --branch-probabilities"),
        ((DATA / "spin.report.txt").read_bytes(), "give it as a profile"),
        (Path(OPTIMISED).read_bytes(), "compile with --coverage -O0"),
    ],
    ids=["broken", "profdata", "gcda", "times", "optimised"],
)
def test_a_file_that_is_no_profile_is_one_line_and_ends_the_run_with_2(
    rooflint: Rooflint, tmp_path: Path, content: bytes, said: str
) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_bytes(content)
    document, err = report(rooflint, "traps.cpp", "--counts", str(wrong), code=2)
    (line,) = err.splitlines()
    assert line.startswith(f"{wrong}: ")
    assert said in line
    assert document["files"][0]["counts"] is None


@pytest.mark.usefixtures("traps")
def test_a_file_that_the_run_does_not_analyse_is_named_once(
    rooflint: Rooflint, tmp_path: Path
) -> None:
    (tmp_path / "other.c").write_text("void f(int n) { while (n) --n; }\n")
    _, err = report(rooflint, "other.c", "--counts", LLVM_COV)
    assert err == (
        "counts: 0 of 1 loops matched, 1 file unknown (/project/traps.cpp); "
        "of 1, no profile covers the file\n"
    )


def test_a_mean_that_is_no_whole_number_says_how_it_is_rounded(
    rooflint: Rooflint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text(
        "double s(const double *a, int n) {\n  double t = 0;\n"
        "  for (int i = 0; i < n; ++i)\n    t += a[i];\n  return t;\n}\n"
    )
    # 10 calls, 35 additions: 3.5 a time
    function = {
        "filenames": [str(tmp_path / "a.c")],
        "regions": [[1, 34, 6, 2, 10, 0, 0, 0], [4, 5, 4, 14, 35, 0, 0, 0]],
    }
    Path("cov.json").write_text(
        json.dumps({"type": "llvm.coverage.json.export", "data": [{"functions": [function]}]})
    )
    document, _ = report(rooflint, "a.c", "--counts", "cov.json")
    result = kernels(document)[3]["results"][0]
    assert result["trips"] == [3.5]
    assert result["sizes"] == {"n": {"value": 4, "origin": "counts"}}
    assert (
        "the loop over i ran 3.5 times an execution (35 iterations in 10 executions); "
        "its data are those of 4" in result["assumptions"]
    )


SPIN = DATA / "spin.cpp"


def test_top_ranks_by_measured_time(
    rooflint: Rooflint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(SPIN, tmp_path)
    profile = str(DATA / "spin.report.txt")
    document, err = report(rooflint, "spin.cpp", "--profile", profile, "--top", "1")
    whole, _ = report(rooflint, "spin.cpp", "--profile", profile)
    shares = {
        line: each["weight"]["share"]
        for line, each in kernels(whole).items()
        if each["weight"] is not None
    }
    assert len(shares) > 1
    (top,) = kernels(document)
    assert shares[top] == max(shares.values()) > 0
    assert "by measured time" in err
    functions = whole["files"][0]["functions"]
    assert sum(each["time"]["share"] for each in functions) <= 1.0001


def test_time_and_counts_tell_how_near_a_loop_comes_to_its_limit(
    rooflint: Rooflint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text(
        "double s(const double *a, int n) {\n  double t = 0;\n"
        "  for (int i = 0; i < n; ++i)\n    t += a[i];\n  return t;\n}\n"
    )
    function = {
        "filenames": [str(tmp_path / "a.c")],
        "regions": [[1, 34, 6, 2, 10, 0, 0, 0], [4, 5, 4, 14, 10_000, 0, 0, 0]],
    }
    Path("cov.json").write_text(
        json.dumps({"type": "llvm.coverage.json.export", "data": [{"functions": [function]}]})
    )
    # half of 160 000 cycles in 10 000 iterations: 8 cycles each
    Path("perf.txt").write_text(
        "# Samples: 16  of event 'cycles:u'\n# Event count (approx.): 160000\n#\n"
        "# Overhead  Source:Line\n    50.00%  a.c:4\n    50.00%  libc.so+0x12\n"
    )
    arguments = ("a.c", "--counts", "cov.json", "--profile", "perf.txt")
    document, _ = report(rooflint, *arguments)
    kernel = kernels(document)[3]
    assert kernel["weight"]["share"] == 0.5
    (result,) = kernel["results"]
    predicted = result["predictions"][0]["cycles_per_iteration"]
    (limit,) = result["limits"]
    assert limit["measured_cycles"] == 8
    assert limit["share"] == pytest.approx(predicted / 8)
    _, out, _ = rooflint("analyze", *arguments, "--function", "s")
    flat = " ".join(out.split())
    assert re.search(r"measured 8 cy per iteration, [\d.]+ % of the roofline model's limit", flat)
    assert "share 50 % of the run (profile)" in flat
    assert "runs 10 executions of 1000 iterations" in flat


def share_of(document: dict[str, Any], line: int) -> float:
    share: float = kernels(document)[line]["weight"]["share"]
    return share


def without_shares(document: dict[str, Any]) -> dict[int, Any]:
    """The kernels by line, but for shares of the time, which add up to one."""
    own = copy.deepcopy(kernels(document))
    for kernel in own.values():
        kernel["weight"].pop("share")
        for result in kernel["results"]:
            for advice in result["advice"]:
                advice["numbers"].pop("run_share", None)
    return own


@pytest.mark.usefixtures("traps")
def test_other_counts_analyse_only_the_functions_that_they_touch(
    rooflint: Rooflint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROOFLINT_CACHE_DIR", str(tmp_path / "cache"))
    first, _ = report(rooflint, "traps.cpp", "--counts", LLVM_COV)
    document = json.loads(Path(LLVM_COV).read_text())
    for function in document["data"][0]["functions"]:
        for region in function["regions"]:
            if region[0] in (17, 18):
                region[4] *= 2
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(document))
    second, _ = report(rooflint, "traps.cpp", "--counts", str(changed))
    again, _ = report(rooflint, "traps.cpp", "--counts", LLVM_COV)
    assert again == first
    assert second != first
    before, after = without_shares(first), without_shares(second)
    assert {line for line, each in after.items() if each != before[line]} == {17}
    # twice the iterations are a larger share, and leave a smaller one of the same to all others
    assert share_of(second, 17) > share_of(first, 17)
    assert share_of(second, 14) < share_of(first, 14)


def test_lint_prices_at_the_counted_sizes(
    rooflint: Rooflint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(DATA / "traps.cpp", tmp_path)
    code, out, err = rooflint("lint", "traps.cpp", "--counts", LLVM_COV, "--format", "json")
    assert code in (0, 1)
    assert "counts: 15 of 15 loops matched" in err
    assert json.loads(out)["files"][0]["counts"]["gaps"] == []


@pytest.mark.usefixtures("traps")
def test_a_lint_whose_counts_cannot_be_read_goes_on_and_ends_with_2(rooflint: Rooflint) -> None:
    arguments = ("traps.cpp", "--counts", "absent.json", "--format", "json")
    code, out, err = rooflint("lint", *arguments)
    assert code == 2
    assert "absent.json: cannot be read" in err
    assert json.loads(out)["files"][0]["status"] == "ok"


@pytest.mark.usefixtures("traps")
@pytest.mark.parametrize(("counts", "code"), [("{", 2), (None, 0)])
def test_an_explained_loop_whose_counts_cannot_be_read_ends_with_2(
    rooflint: Rooflint, counts: str | None, code: int
) -> None:
    Path("bad.json").write_text(counts or Path(LLVM_COV).read_text(encoding="utf-8"))
    own, out, err = rooflint("explain", "traps.cpp:14", "--counts", "bad.json")
    assert (own, bool(err)) == (code, bool(code))
    assert out.startswith("traps.cpp:14: in the loop nest")


RECURSIVE = """\
static double halves(double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return n > 1 ? s + halves(a, n / 2) : s;
}
double sums(double *a, int n, int m)
{
    double t = 0;
    for (int j = 0; j < m; j++)
        t += halves(a, n) * a[j];
    return t;
}
int main(void)
{
    static double a[1000];
    return (int)sums(a, 1000, 50);
}
"""


def test_share_and_time_of_a_loop_are_without_the_loops_that_it_calls(
    tmp_path: Path, rooflint: Rooflint
) -> None:
    source = tmp_path / "a.c"
    source.write_text(RECURSIVE, encoding="utf-8")
    document, _ = report(rooflint, str(source))
    reached = [each for each in document["verdicts"] if each["weight"]["share"] is not None]
    verdicts = {each["line"]: each for each in reached}
    calling, called = verdicts[11], verdicts[4]
    times = [each["time"]["now_s"] for each in (calling, called)]
    shares = [each["weight"]["share"] for each in (calling, called)]
    assert times[0] / times[1] == pytest.approx(shares[0] / shares[1], rel=0.01)
    # the prediction of an iteration has the calls
    time = calling["time"]
    whole = time["cycles_per_iteration"] * time["iterations"] / (time["clock_ghz"] * 1e9)
    assert whole > 10 * time["now_s"]
    assert calling["weight"]["own_part"] == pytest.approx(time["now_s"] / whole)
    assert called["weight"]["own_part"] == 1
    _, out, _ = rooflint("analyze", f"{source}:11")
    assert re.search(r"time +0.* µs, 0.* ms with the functions that it calls", out)

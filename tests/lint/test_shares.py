"""Shares of the program's time as thresholds and ranks: from the source, from profiles of a run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rooflint.cli.main import run
from rooflint_plugins.rules.rl202_invariant_divisor import RULE as RL202

TWO_LOOPS = """extern double divisor(void);
double a[1000], b[1000];
void once(double x) {
  for (int i = 0; i < 1000; i++)
    b[i] = 1.5 / x * b[i] / x;
}
void often(double x) {
  for (int t = 0; t < 1000; t++)
    for (int i = 0; i < 1000; i++)
      a[i] = 1.5 / x * a[i] / x;
}
int main(void) {
  once(divisor());
  often(divisor());
}
"""
SHORT = "void scale(double *a, double x) { for (int i = 0; i < 1000; i++) a[i] = a[i] / x / x; }"

Report = Callable[..., dict[str, Any]]


@pytest.fixture
def report(lint: Callable[..., tuple[int, list[str], str]]) -> Report:
    """The report on ``k.c``."""

    def made(text: str, *options: str) -> dict[str, Any]:
        _, lines, _ = lint("--format", "json", "--select", "RL202", *options, text=text)
        (file,) = json.loads("\n".join(lines))["files"]
        return dict(file)

    return made


def functions(found: dict[str, Any]) -> list[str]:
    return [each["function"] for each in found["findings"]]


def reasons(found: dict[str, Any], guard: str = "min-share") -> dict[str, str]:
    return {s["function"]: s["reason"] for s in found["silent"] if s["guard"] == guard}


def perf(tmp_path: Path, once: float, often: float) -> str:
    rows = f"{once:8.2f}%  k.c:5\n{often:8.2f}%  k.c:10\n"
    file = tmp_path / "perf.txt"
    file.write_text(f"# Samples: 9  of event 'cycles'\n# Overhead  Source:Line\n# ....\n#\n{rows}")
    return str(file)


def test_a_loop_without_a_share_of_the_time_is_not_priced(report: Report) -> None:
    found = report(TWO_LOOPS)
    assert functions(found) == ["often"]
    assert reasons(found) == {"once": "less than 1 % of the program's time"}


RACE = """extern double divisor(void);
double a[1000], b[1000], sum;
void once(double x) {
  #pragma omp parallel for
  for (int i = 0; i < 1000; i++)
    sum += b[i];
}
""" + TWO_LOOPS[TWO_LOOPS.index("void often") :]


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize(
    ("options", "tried"),
    [
        (("--format", "json"), ["once", "often"]),
        (("--format", "gcc"), ["often"]),
        (("--format", "gcc", "--structural"), ["once", "often"]),
    ],
)
def test_a_function_without_a_share_is_tried_where_that_is_listed(
    lint: Callable[..., tuple[int, list[str], str]],
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    tried: list[str],
) -> None:
    def fail(_: object, __: object) -> list[object]:
        raise LookupError("asked")

    monkeypatch.setattr(type(RL202), "match", fail)
    _, _, err = lint("--select", "RL202", *options, text=TWO_LOOPS)
    assert [f for f in ("once", "often") if f"RL202 failed on {f}: LookupError" in err] == tried


def test_a_defect_counts_in_a_function_without_a_share(
    lint: Callable[..., tuple[int, list[str], str]],
) -> None:
    _, lines, _ = lint("--select", "RL411", text=RACE)
    assert [":5:" in line for line in lines if "RL411" in line] == [True]


def test_a_measured_time_decides_instead(report: Report, tmp_path: Path) -> None:
    found = report(TWO_LOOPS, "--profile", perf(tmp_path, 80, 20))
    assert functions(found) == ["once", "often"]
    shares = [each["numbers"]["run_share"] for each in found["findings"]]
    left = [1 / each["gain"] for each in found["findings"]]
    assert shares == pytest.approx([0.8 * (1 - left[0]), 0.2 * (1 - left[1])])
    assert {each["numbers"]["run_origin"] for each in found["findings"]} == {"profile"}


@pytest.mark.parametrize(("share", "shown"), [(0.6, True), (0.4, False)])
def test_half_a_percent_of_a_measured_time_is_enough(
    report: Report, tmp_path: Path, share: float, shown: bool
) -> None:
    found = report(TWO_LOOPS, "--all-loops", "--profile", perf(tmp_path, 100 - share, share))
    assert functions(found) == (["once", "often"] if shown else ["once"])
    assert bool(reasons(found)) is not shown


def test_a_change_has_to_save_two_percent_of_a_measured_time(
    report: Report, tmp_path: Path
) -> None:
    (_, often) = report(TWO_LOOPS, "--profile", perf(tmp_path, 80, 20))["findings"]
    least = 2 / (1 - 1 / often["gain"])
    found = report(TWO_LOOPS, "--profile", perf(tmp_path, 100 - least - 0.1, least + 0.1))
    assert functions(found) == ["once", "often"]
    found = report(TWO_LOOPS, "--profile", perf(tmp_path, 100 - least + 0.1, least - 0.1))
    assert functions(found) == ["once"]
    assert list(reasons(found, "min-saved")) == ["often"]


NOT_CALLED = TWO_LOOPS.replace("  once(divisor());\n", "")


def test_code_that_the_program_does_not_reach_is_silent(report: Report) -> None:
    found = report(NOT_CALLED)
    assert functions(found) == ["often"]
    assert reasons(found) == {"once": "the program does not reach it"}
    assert functions(report(NOT_CALLED, "--all-loops")) == ["often", "once"]


def test_a_time_per_call_counts_only_where_it_is_asked_for(report: Report) -> None:
    assert functions(report(SHORT)) == ["scale"]
    found = report(SHORT, "--min-time", "10us")
    assert functions(found) == []
    assert list(reasons(found, "min-time")) == ["scale"]


def test_weights_of_other_files_are_part_of_what_a_kept_result_rests_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.c").write_text(TWO_LOOPS.replace("int main(void)", "int both(void)"))

    def linted(main: str) -> list[str]:
        Path("m.c").write_text(f"void once(double); void often(double); int both(void); {main}")
        run(["lint", "k.c", "m.c", "--select", "RL202", "--format", "json", "--isolated",
             "--machine", "icelake-sp-8360y", "--", "-O3", "-march=icelake-server"])  # fmt: skip
        files = json.loads(capsys.readouterr().out)["files"]
        return [name for file in files for name in functions(file)]

    monkeypatch.setenv("ROOFLINT_CACHE_DIR", str(tmp_path / "cache"))
    twice = ["int main(void) { once(3.5); }", "int main(void) { both(); }"]
    assert [linted(main) for main in (*twice, *twice)] == [["once"], ["often"]] * 2


def test_all_values_that_callers_give_are_tried(report: Report) -> None:
    text = """
    static void scale(double *a, int n) {
      for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[j * n + i] *= 2.0;
    }
    void large(double *a) { scale(a, 1000); scale(a, 900); scale(a, %d); }
    """
    select = ("--select", "RL101")
    [same], [other] = (report(text % least, *select)["findings"] for least in (800, 8))
    assert (same["confidence"], same["sensitivity"]) == ("high", [])
    assert other["confidence"] == "medium"
    [point] = other["sensitivity"]
    assert point["name"] == "n"
    assert 8 < point["breaks_at"] <= 900


SET_BY_INPUT = """
struct net { double *w; int n; };
int scanf(const char *, ...);
static double output(struct net t, const double *in) {
  double s = 0;
  for (int i = 0; i < t.n; i++) s += in[i] * t.w[i];
  return s;
}
static struct net build(int n) { struct net t; t.n = n; return t; }
static struct net load(void) { int n = 0; scanf("%d", &n); return build(n); }
double use(const double *in) { return output(build(900), in) + output(load(), in); }
"""


def test_a_size_of_nothing_is_a_placeholder(report: Report) -> None:
    [finding] = report(SET_BY_INPUT, "--select", "RL201")["findings"]
    assert (finding["function"], finding["sensitivity"]) == ("output", [])


ONE_FILE = """static double now[2000][2000], next[2000][2000];
static void step(double rate) {
  for (int j = 1; j < 1999; j++)
    for (int i = 1; i < 1999; i++)
      next[i][j] = now[i][j] + rate * (now[i - 1][j] + now[i + 1][j]);
}
int main(void) {
  for (int n = 0; n < 50; n++)
    step(0.2);
  return next[5][5] > 0;
}
"""


def test_of_inlined_copies_the_finding_stands_with_the_function_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.c").write_text(ONE_FILE, encoding="utf-8")
    run(["lint", "k.c", "--format", "json", "--select", "RL101", "--no-cache"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert [each["function"] for each in file["findings"]] == ["step"]
    # the loop with the time of the run has the advice, and not its copy in main, which has none
    run(["analyze", "k.c", "--format", "json", "--no-cache", "--cores", "1"])
    verdicts = json.loads(capsys.readouterr().out)["verdicts"]
    advised = {each["id"]: each["advice"] and each["advice"]["rule"] for each in verdicts}
    assert advised == {"k.c:step/j.i": "RL101", "k.c:main/n.j.i": None}

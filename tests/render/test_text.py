import re
from collections.abc import Callable, Sequence

import pytest
from rooflint.escaping import visible
from rooflint.ir import Diagnostic, Reason
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import (
    CoverageGap,
    FileReport,
    FunctionReport,
    KernelReport,
    LinkTraffic,
    NestReport,
    Report,
    SizeValue,
    SkippedModel,
)
from rooflint.render.layout import Style
from rooflint.render.text import render_text

Golden = Callable[[str, str], None]
L1_L2 = LinkTraffic("L1-L2", 8, 0, 0)


def first_kernel(report: Report) -> KernelReport:
    return report.files[0].functions[0].nests[0].kernels[0]


def on_one_machine(report: Report, *kernels: KernelReport, path: str = "a.c") -> Report:
    """``kernels`` in functions f0, f1, ... of one file, with the first machine's results only."""
    functions = tuple(
        FunctionReport(
            f"f{place}", 1, 1, (NestReport(1, 2, (k._replace(results=k.results[:1]),)),), ()
        )
        for place, k in enumerate(kernels)
    )
    return report._replace(
        machines=report.machines[:1],
        files=(FileReport(path, "ok", functions),),
        plugin_failures=(),
    )


def blocks(text: str) -> Sequence[str]:
    return text.split("\n\n")


def test_golden(sample_report: Report, golden: Golden) -> None:
    golden("report.txt", render_text(sample_report, Style(100)))


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_lines_keep_to_the_width(sample_report: Report, width: int) -> None:
    for line in render_text(sample_report, Style(width)).splitlines():
        assert len(line) <= width
        assert line == line.rstrip()


def test_colours_change_nothing_but_colours(sample_report: Report) -> None:
    plain = render_text(sample_report, Style(100))
    coloured = render_text(sample_report, Style(100, colour=True))
    assert "\x1b[" not in plain
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_the_verdict_comes_first(sample_report: Report) -> None:
    text = render_text(on_one_machine(sample_report, first_kernel(sample_report)), Style(140))
    lines = blocks(text)[1].splitlines()
    assert lines[0] == "a.c:4  f0  for i in n"
    assert lines[1].startswith("  roofline      1 GFLOP/s (4 cy per iteration), memory-bound: ")
    assert [line[2:15].strip() for line in lines[2:]] == [
        "per iteration",
        "traffic",
        "with",
        "assuming",
        "",
        "no answer",
        "RL101",
    ]


def test_what_several_loops_rest_on_is_a_note(sample_report: Report) -> None:
    kernel = first_kernel(sample_report)
    other = kernel._replace(line=9)
    text = render_text(on_one_machine(sample_report, kernel, other), Style(100))
    assert text.count("Caches are cold at entry.") == 1
    assert text.count("notes 1-3") == 2
    assert "assuming" not in text
    alone = other._replace(
        results=(other.results[0]._replace(assumptions=("Only here.",), skipped=()),)
    )
    text = render_text(on_one_machine(sample_report, kernel, alone), Style(100))
    assert "  assuming      Only here.\n" in text
    assert "Only here." not in text[text.index("Notes") :]


def test_instances_with_the_same_numbers_are_one_entry(sample_report: Report) -> None:
    kernel = first_kernel(sample_report)
    same = [kernel._replace(id=f"id{place}") for place in range(5)]
    other = kernel._replace(work=kernel.work._replace(stores=2.0))
    text = render_text(on_one_machine(sample_report, *same, other), Style(100))
    assert "a.c:4  f0, f1, f2 and 2 more instances  for i in n\n" in text
    assert text.count("a.c:4  ") == 2
    assert "6 kernels shown" in text


def test_a_verdict_without_the_calls_says_so(sample_report: Report) -> None:
    kernel = first_kernel(sample_report)
    gaps = (
        CoverageGap(5, Reason("call", ("f",))),
        CoverageGap(7, Reason("call", ("f",))),
        CoverageGap(6, Reason("call", ("f",))),
    )
    text = render_text(on_one_machine(sample_report, kernel._replace(not_covered=gaps)), Style())
    assert "roofline      1 GFLOP/s (4 cy per iteration) without the calls, memory-bound: " in text
    assert "  not covered   lines 5-7: call of f\n" in text
    indirect = kernel._replace(not_covered=(CoverageGap(5, Reason("indirect", ("col",))),))
    text = render_text(on_one_machine(sample_report, indirect), Style())
    assert "without the calls" not in text
    assert "  not covered   line 5: indirect through col\n" in text


def test_loops_without_a_prediction_take_a_line(sample_report: Report) -> None:
    kernel = first_kernel(sample_report)
    silent = SkippedModel("roofline", "moves no data")
    result = kernel.results[0]._replace(predictions=(), advice=(), skipped=(silent,))
    empty = kernel._replace(line=7, results=(result,))
    text = render_text(on_one_machine(sample_report, empty, kernel), Style(100))
    section = next(block for block in blocks(text) if block.startswith("Without a prediction"))
    assert section.splitlines()[1:] == ["  roofline: moves no data", "      a.c:7 f0 for i in n"]


def test_loops_without_a_prediction_share_their_reason(sample_report: Report) -> None:
    kernel = first_kernel(sample_report)
    reasons = ("moves no data", "no compute roof", "moves no data")
    kernels = [
        kernel._replace(
            line=line,
            results=(
                kernel.results[0]._replace(
                    predictions=(), advice=(), skipped=(SkippedModel("roofline", reason),)
                ),
            ),
        )
        for line, reason in enumerate(reasons, 1)
    ]
    called = kernels[1]._replace(
        not_covered=(CoverageGap(2, Reason("call", ("f",))), CoverageGap(3, Reason("call", ("f",))))
    )
    text = render_text(on_one_machine(sample_report, kernels[0], called, kernels[2]), Style(100))
    section = next(block for block in blocks(text) if block.startswith("Without a prediction"))
    assert section.splitlines()[1:] == [
        "  roofline: moves no data",
        "      a.c:1 f0 for i in n",
        "      a.c:3 f2 for i in n",
        "  roofline: no compute roof",
        "      a.c:2 f1 for i in n; not covered: call of f",
    ]


def test_the_time_of_an_iteration_follows_the_rate(sample_report: Report) -> None:
    # 32 B at 16 GB/s are 2 ns, at 2 GHz 4 cycles
    text = render_text(on_one_machine(sample_report, first_kernel(sample_report)), Style(120))
    assert "  roofline      1 GFLOP/s (4 cy per iteration), memory-bound: " in text


def test_mathematical_functions_are_left_out_of_the_verdict_too(sample_report: Report) -> None:
    kernel = first_kernel(sample_report)
    work = kernel.work._replace(operations={**kernel.work.operations, "call:exp.f64": 2.0})
    text = render_text(on_one_machine(sample_report, kernel._replace(work=work)), Style())
    assert "1 GFLOP/s (4 cy per iteration) without the calls, memory-bound: " in text
    assert "per iteration 2 flop (1 add, 1 mul; f64), 2 calls of exp, 2 loads, 1 store" in text


def test_a_file_with_errors_says_so_at_its_loops(sample_report: Report) -> None:
    report = on_one_machine(sample_report, first_kernel(sample_report))
    error = Diagnostic(1, 1, "error", "'x.h' file not found")
    broken = report._replace(files=(report.files[0]._replace(diagnostics=(error,)),))
    assert "the file has errors" in render_text(broken, Style(100))
    assert "the file has errors" not in render_text(report, Style(100))


def test_the_same_message_is_said_once(sample_report: Report) -> None:
    missing = Diagnostic(3, 1, "error", "'x.h' file not found")
    again = missing._replace(line=9)
    files = tuple(FileReport(f"{name}.c", "failed", diagnostics=(missing, again)) for name in "abc")
    text = render_text(sample_report._replace(files=files, plugin_failures=()), Style(100))
    said = "  a.c:3: error: 'x.h' file not found (also line 9 and 2 more files)\n"
    assert said in text
    assert text.count("x.h") == 1
    alone = sample_report._replace(files=files[:1], plugin_failures=())
    assert "'x.h' file not found (also line 9)\n" in render_text(alone, Style(100))


def test_messages_wrap_under_themselves_in_their_colour(sample_report: Report) -> None:
    error = Diagnostic(3, 1, "error", "the include nests too deeply here")
    warning = Diagnostic(4, 1, "warning", "this is not understood")
    report = sample_report._replace(
        files=(FileReport("a.c", "failed", diagnostics=(warning, error)),),
        plugin_failures=("plugin 'mine' failed on a.c: it has no licence",),
    )
    lines = render_text(report, Style(30, colour=True)).splitlines()
    start = next(place for place, line in enumerate(lines) if "a.c:3" in line)
    assert lines[start : start + 6] == [
        "\x1b[31m  a.c:3: error: the include\x1b[0m",
        "\x1b[31m      nests too deeply here\x1b[0m",
        "\x1b[33m  a.c:4: warning: this is not\x1b[0m",
        "\x1b[33m      understood\x1b[0m",
        "\x1b[31m  plugin 'mine' failed on a.c:\x1b[0m",
        "\x1b[31m      it has no licence\x1b[0m",
    ]


def test_messages_are_counted_where_they_are_too_many(sample_report: Report) -> None:
    many = tuple(Diagnostic(line, 1, "error", f"message {line}") for line in range(1, 100))
    files = (FileReport("a.c", "failed", diagnostics=many),)
    text = render_text(sample_report._replace(files=files, plugin_failures=()), Style(100))
    assert text.count(": error: ") == 60
    assert "  and 39 more messages; --format json lists all\n" in text


def known(report: Report, line: int, n: int) -> KernelReport:
    """The first kernel at ``line``, its size set to ``n`` by somebody."""
    kernel = first_kernel(report)
    sizes = {"n": SizeValue(n, "command line")}
    result = kernel.results[0]._replace(sizes=sizes, trips=(float(n),))
    return kernel._replace(line=line, results=(result,))


def overview_of(report: Report, width: int = 100) -> list[str]:
    found = [b for b in blocks(render_text(report, Style(width))) if b.startswith("Overview")]
    return found[0].splitlines()[1:] if found else []


def test_many_loops_get_an_overview(sample_report: Report) -> None:
    few = [known(sample_report, line, 100) for line in range(1, 13)]
    assert overview_of(on_one_machine(sample_report, *few)) == []
    # thirteen loops of the same cost an iteration: 12 x 100 iterations, and one of 2800
    report = on_one_machine(sample_report, *few, known(sample_report, 50, 2800))
    assert overview_of(report) == [
        "  13 different kernels: 13 memory-bound",
        "  kernels with the most predicted time, of those with known sizes:",
        "    70 % a.c:50 f12 for i in n",
        *(f"    2.5 % a.c:{line} f{line - 1} for i in n" for line in range(1, 5)),
    ]


def test_instances_of_a_template_count_as_often_as_they_are(sample_report: Report) -> None:
    kernels = [known(sample_report, line, 100) for line in range(1, 13)]
    thrice = [known(sample_report, 50, 400)] * 3
    # 12 x 100 and 3 x 400 iterations
    lines = overview_of(on_one_machine(sample_report, *kernels, *thrice))
    assert lines[0] == "  13 different kernels: 13 memory-bound"
    assert "    50 % a.c:50 f12 for i in n" in lines


def test_guessed_sizes_are_not_compared(sample_report: Report) -> None:
    guessed = [first_kernel(sample_report)._replace(line=line) for line in range(1, 8)]
    measured = [known(sample_report, line, 100) for line in range(21, 28)]
    lines = overview_of(on_one_machine(sample_report, *guessed, *measured))
    assert lines[1:3] == [
        "  sizes are assumed for 7 of 14 kernels; -D NAME=NUMBER sets one",
        "  kernels with the most predicted time, of those with known sizes:",
    ]
    assert len(lines) == 8
    lines = overview_of(on_one_machine(sample_report, *guessed, *measured[1:]))
    assert lines[1:] == ["  sizes are assumed for 7 of 13 kernels; -D NAME=NUMBER sets one"]


def test_the_overview_of_several_machines(sample_report: Report) -> None:
    kernel = first_kernel(sample_report)
    fast = kernel.results[1].predictions[0]._replace(bottleneck="compute", limit="compute")
    silent = kernel.results[0]._replace(predictions=())
    results = (silent, kernel.results[1]._replace(predictions=(fast,)))
    kernels = [kernel._replace(line=line, results=results) for line in range(1, 14)]
    report = sample_report._replace(
        files=(
            FileReport(
                "a.c", "ok", (FunctionReport("f", 1, 1, (NestReport(1, 2, (*kernels,)),), ()),)
            ),
        )
    )
    assert overview_of(report)[:2] == [
        "  on toy, 13 different kernels: 13 without a prediction",
        "  on wide, 13 different kernels: 13 compute-bound",
    ]


def test_the_overview_wraps(sample_report: Report) -> None:
    guessed = [first_kernel(sample_report)._replace(line=line) for line in range(1, 8)]
    measured = [known(sample_report, line, 100) for line in range(21, 28)]
    report = on_one_machine(sample_report, *guessed, *measured, path="a/long/path/to/a/file.c")
    lines = overview_of(report, 40)
    assert max(len(line) for line in lines) <= 40
    assert lines[1:5] == [
        "  sizes are assumed for 7 of 14 kernels;",
        "      -D NAME=NUMBER sets one",
        "  kernels with the most predicted time,",
        "      of those with known sizes:",
    ]
    assert lines[5:7] == ["    14.3 % a/long/path/to/a/file.c:21 f7", "        for i in n"]


def test_names_cannot_move_the_cursor(sample_report: Report) -> None:
    path = "new\nline\x1b[2J caf\udce9.c"
    assert visible(path) == r"new\nline\x1b[2J caf\xe9.c"
    text = render_text(
        on_one_machine(sample_report, first_kernel(sample_report), path=path), Style(100)
    )
    assert visible(path) + ":4  f0" in text
    assert "\x1b" not in text


def test_every_assumption_is_numbered_once(sample_report: Report) -> None:
    text = render_text(sample_report, Style(100))
    assert text.count("Caches are cold at entry.") == 1
    assert text.count("notes 1-4") == 2


def test_a_model_is_known_by_its_own_words_only(sample_report: Report) -> None:
    file = sample_report.files[0]
    nest = file.functions[0].nests[0]
    mine = Prediction("mine", "queue", "It waits for the clerk.", "3 furlongs/fortnight")
    result = nest.kernels[0].results[0]._replace(predictions=(mine,))
    changed = nest._replace(kernels=(nest.kernels[0]._replace(results=(result,)),))
    function = file.functions[0]._replace(nests=(changed,))
    text = render_text(
        sample_report._replace(files=(file._replace(functions=(function,)),)), Style()
    )
    expected = "mine          3 furlongs/fortnight, limited by queue: It waits for the clerk."
    assert expected in text

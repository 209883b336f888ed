"""The HTML report without a browser: what is in it, that it stays text, that it needs nothing."""

import base64
import hashlib
import math
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rooflint.cli.main import run
from rooflint.ir import Reason
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.prediction import Json, Prediction
from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    Report,
    SourceExcerpt,
)
from rooflint.registry import load_registry, with_requested
from rooflint.render.html import page, render_html
from rooflint.render.html.loop_table import common_folder
from rooflint.render.html.markup import escape, escape_code
from rooflint.render.html.rows import FIRST, listing
from rooflint.render.html.values import value_markup

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(str(path) for path in (ROOT / "examples").glob("*.c*"))
HOSTILE = "<img src=x onerror=alert(1)>\"'&</script></noscript></style><b>\u202e"
VOID = {"meta", "input", "br", "rect", "wbr"}
OPTIONAL_END = {"li", "td", "th", "tr", "thead", "tbody", "option", "p"}


class Page(HTMLParser):
    """Elements with their attributes, the text outside style and script, and what was not closed.

    A browser with scripts takes ``noscript`` for text; this reads it as one without.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.said: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] != tag and self.open[-1] in OPTIONAL_END:
            self.open.pop()
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.said.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.said).split())

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def examples() -> Report:
    registry = with_requested(load_registry(), ("ceilings",))
    machines = ("generic-avx2", "sandybridge-ep-e5-2680")
    return analyse([Source(path) for path in EXAMPLES], Options(machines=machines), registry)


def first_kernel(report: Report) -> KernelReport:
    return report.files[0].functions[0].nests[0].kernels[0]


def named(report: Report, text: str) -> Report:
    """``report`` with ``text`` wherever a name or a sentence from outside can stand."""
    file = report.files[0]
    function = file.functions[0]
    nest = function.nests[0]
    kernel = nest.kernels[0]
    said = Prediction(text, text, text, text, 1.0, (text,), {text: [{text: text}, {text: [text]}]})
    size = next(iter(kernel.results[0].sizes.values()))
    result = kernel.results[0]._replace(
        predictions=(said,), sizes={text: size}, assumptions=(text,), cores_origin=text
    )
    loop = kernel.loops[0]._replace(index=text, trip_count=text)
    kernel = kernel._replace(id=text, loops=(loop,), results=(result,))
    nest = nest._replace(kernels=(kernel,))
    function = function._replace(name=text, nests=(nest,), assumptions=(text,))
    file = file._replace(
        path=text,
        functions=(function,),
        source=(SourceExcerpt(3, ("void f() {", f"\tfor (;;) {text}", "}")),),
        refusals=(file.refusals[0]._replace(reason=Reason("uncompiled", (text,))),),
    )
    machines = (report.machines[0]._replace(file=text, note=text), *report.machines[1:])
    return report._replace(files=(file,), machines=machines, plugin_failures=(text,))


def test_it_is_closed_markup(sample_report: Report, examples: Report) -> None:
    for report in (sample_report, examples):
        read = Page(render_html(report))
        assert not read.wrong
        assert not read.open


def test_names_from_outside_stay_text(sample_report: Report) -> None:
    text = render_html(named(sample_report, HOSTILE))
    read = Page(text)
    assert not read.wrong
    assert not read.of("img")
    assert {"on" + event for event in ("error", "click", "load")}.isdisjoint(
        name for _, attributes in read.elements for name in attributes
    )
    assert "\u202e" not in text  # turns the order of what follows around
    assert "\\u202e" in text
    assert len(read.of("script")) == 1
    # every place that shows a name shows all of it
    assert read.text.count("<img src=x onerror=alert(1)>") >= 20


@pytest.mark.parametrize("text", ["a\x00b", "a\nb", "a\x1bb", "\udcff"])
def test_no_control_character_and_no_stray_byte_gets_through(text: str) -> None:
    assert escape(text).isprintable()
    assert escape(text).isascii()


def test_code_keeps_its_tabs() -> None:
    assert escape_code("\ta < b;\x07") == "\ta &lt; b;\\x07"


def test_nothing_is_loaded_from_anywhere(examples: Report) -> None:
    text = render_html(examples)
    read = Page(text)
    for tag, attributes in read.elements:
        assert tag not in ("link", "iframe", "object", "embed", "base")
        assert not {"src", "href", "style", "srcset"} & attributes.keys()
    assert "url(" not in text
    assert "@import" not in text
    # the name of the SVG language is no address that anything is fetched from
    assert set(re.findall(r"https?://[^\s\"<]*", text)) <= {"http://www.w3.org/2000/svg"}


def test_the_policy_allows_what_is_there_and_nothing_else(sample_report: Report) -> None:
    text = render_html(sample_report)
    (policy,) = [m["content"] for m in Page(text).of("meta") if "http-equiv" in m]
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    for kind in ("script", "style"):
        for content in re.findall(f"<{kind}>(.*?)</{kind}>", text, re.DOTALL):
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_the_same_report_gives_the_same_bytes(examples: Report) -> None:
    assert render_html(examples) == render_html(examples)


def test_everything_that_is_known_of_a_loop_is_there(sample_report: Report) -> None:
    said = Page(render_html(sample_report)).text
    for part in (
        "src/kernels.c:4 for i in n",
        "2 flop (1 add, 1 mul; f64), 2 loads, 1 store",
        "memory feeds 16 GB/s, and a flop needs 16 B.",
        "n = 1000000 (default)",
        "Every line of an array that a loop touches crosses the memory link exactly once.",
        "The arrays a, b, c do not overlap.",
        "ecm does not apply: the machine file has no core.ports",
        "RL101 inner i walks b in steps of 8000 B; order j, i is predicted 1.8x faster, "
        "confidence high",
        "line 14: indirect through col",
        "12 to 76 in all",
        "roofline failed: ZeroDivisionError: division by zero",
        "the code does not compile here: while (p)",
        "the parser gave up after 60 s",
        "1 GFLOP/s",
        "32 GFLOP/s",
    ):
        assert part in said


def test_every_loop_is_a_row_the_refused_ones_too(sample_report: Report, examples: Report) -> None:
    # triad and spmv, and two loops refused
    assert len(Page(render_html(sample_report)).of("tbody")) >= 4
    rows = listing(sample_report).rows
    assert [(row.line, row.entry is None) for row in rows] == [
        (4, False), (13, False), (20, True), (24, True),
    ]  # fmt: skip
    kernels = [k.id for f in examples.files for g in f.functions for n in g.nests
               for k in n.kernels]  # fmt: skip
    ids = {row.entry.kernel.id for row in listing(examples).rows if row.entry is not None}
    assert ids <= set(kernels)
    assert sum(len(r.entry.functions) for r in listing(examples).rows if r.entry) == len(kernels)


def test_the_code_of_a_loop_is_what_was_analysed(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("int unused;\n")
    text = b"""void f(double *a, int n) {
  for (int i = 0; i < n; ++i)
    a[i] = 2 * a[i]; // <3
}
"""
    options = Options(machines=("generic-avx2",))
    report = analyse([Source(str(path), text)], options, load_registry())
    page_text = render_html(report)
    assert "    a[i] = 2 * a[i]; // &lt;3" in page_text
    assert '<span class="own">  for (int i = 0; i &lt; n; ++i)</span>' in page_text
    assert "unused" not in page_text


def test_shares_are_of_loops_whose_sizes_are_known(sample_report: Report) -> None:
    known = listing(sample_report)
    # only spmv's sizes are known, and no model says what it takes
    assert not known.has_shares
    report = two_loops(sample_report, cycles=(3.0, 1.0), origin="source")
    rows = listing(report)
    assert rows.has_shares
    # 3 cy against 1 cy per iteration, as many iterations: the longer one comes first
    assert [row.figures[0, FIRST].share for row in rows.rows] == [75.0, 25.0]
    assert not listing(two_loops(sample_report, cycles=(3.0, 1.0), origin="default")).has_shares


def two_loops(report: Report, cycles: tuple[float, float], origin: str) -> Report:
    """Two kernels of a file on one machine; the slower one stands last."""
    kernel = first_kernel(report)
    functions = []
    for name, each in zip(("slow", "fast"), cycles, strict=True):
        result = kernel.results[0]
        said = result.predictions[0]._replace(cycles_per_iteration=each)
        sizes = {n: s._replace(origin=origin) for n, s in result.sizes.items()}
        one = kernel._replace(id=name, results=(result._replace(predictions=(said,), sizes=sizes),))
        nest = report.files[0].functions[0].nests[0]._replace(kernels=(one,))
        functions.append(FunctionReport(name, 1, 1, (nest,), ()))
    file = FileReport("a.c", "ok", tuple(reversed(functions)))
    return report._replace(files=(file,), machines=report.machines[:1])


def test_the_command_writes_it_with_what_the_plots_need(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    path = str(ROOT / "examples" / "triad.c")
    assert run(["analyze", path, "--format", "html", "-o", str(file)]) == 0
    read = Page(file.read_text(encoding="utf-8"))
    assert {"model"} <= {attributes.get("class") for attributes in read.of("div")}
    assert {a.get("data-k") for a in read.of("div")} >= {"roofline", "ceilings"}
    assert len(read.of("figure")) == 3  # two loops, and all of them


def test_a_run_without_it_loads_nothing_of_it(tmp_path: Path) -> None:
    command = (
        "import sys; from rooflint.cli.main import run\n"
        "run(['analyze', sys.argv[1], '-o', sys.argv[2]]); print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", command, str(ROOT / "examples" / "triad.c"), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "rooflint.render.text" in loaded
    assert not [
        name for name in loaded if name.startswith(("rooflint.render.html", "rooflint.plot"))
    ]


def test_an_empty_report_is_a_page() -> None:
    from_nothing = Report("0", (), (), analyse([], Options(), load_registry()).summary)
    assert "no loop was found" in Page(render_html(from_nothing)).text


def test_what_files_share_is_said_once() -> None:
    assert common_folder(["/p/src/a.c", "/p/src/b/c.c"]) == "/p/src/"
    assert common_folder(["/p/src/a.c", "/p/srcs/a.c"]) == "/p/"
    assert common_folder(["a.c", "src/a.c"]) == ""
    assert common_folder([]) == ""


@pytest.mark.parametrize(
    ("value", "markup"),
    [
        (None, "–"),
        (True, "yes"),
        (math.inf, "∞"),
        (0.123456, "0.123"),
        ("<", "&lt;"),
        (["a", 1], "a, 1"),
        ([], ""),
        ({}, ""),
    ],
)
def test_values_of_any_kind(value: Json, markup: str) -> None:
    assert value_markup(value) == markup


def test_records_are_a_table() -> None:
    read = Page(value_markup([{"a": 1, "b": {"c": [2]}}, {"a": 3, "d": "x"}]))
    assert [name for name, _ in read.elements].count("table") == 2
    assert read.text == "abd1c2–3–x"


def test_data_nested_without_end_is_cut() -> None:
    value: Json = "end"
    for _ in range(50):
        value = [value]
    assert value_markup(value) == "…"


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, relative luminance: (L1 + 0.05) / (L2 + 0.05)."""

    def luminance(colour: str) -> float:
        digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_is_legible_on_all_grounds(scheme: int) -> None:
    style = (page.HERE / "page.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    colours = dict(re.findall(r"--(\w+): (#\w+)", blocks[scheme]))
    for ink in ("ink", "dim", "memory", "compute", "other", "none", "bad"):
        for ground in ("paper", "soft"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    assert contrast(colours["ink"], colours["own"]) >= 4.5
    assert contrast(colours["focus"], colours["paper"]) >= 3

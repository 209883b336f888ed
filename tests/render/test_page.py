"""The HTML report without a browser: its data, that names stay text, that it needs nothing."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rooflint.cli.main import run
from rooflint.ir import Reason
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import KernelReport, Report, SourceExcerpt
from rooflint.registry import load_registry
from rooflint.render.html import page, render_html
from rooflint.render.html.markup import escape
from rooflint.render.html.rows import loop_rows
from rooflint.render.html.texts import TextTable, json_block, short_number
from rooflint.verdict.steps import with_verdicts

from .page_data import column, data_of, words

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(str(path) for path in (ROOT / "examples").glob("*.c*"))
HOSTILE = "<img src=x onerror=alert(1)>\"'&</script><!--<script></style><b>\u202e"
VOID = {"meta", "input", "br", "rect", "wbr"}
OPTIONAL_END = {"li", "td", "th", "tr", "thead", "tbody", "option", "p"}


class Page(HTMLParser):
    """Elements with attributes, the text outside style and script, and what was not closed."""

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
    machines = ("generic-avx2", "sandybridge-ep-e5-2680")
    options = Options(machines=machines, estimators=("ecm",))
    return with_verdicts(analyse([Source(path) for path in EXAMPLES], options, load_registry()))


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
    assert not {"onerror", "onclick", "onload"} & {
        name for _, attributes in read.elements for name in attributes
    }
    assert "\u202e" not in text  # turns the order of what follows around
    assert len(read.of("script")) == 3
    shown = [each for each in data_of(text)["texts"] if "<img src=x onerror=alert(1)>" in each]
    assert len(shown) >= 6 and all("\\u202e" in each for each in shown)


@pytest.mark.parametrize("text", ["a\x00b", "a\nb", "a\x1bb", "\udcff"])
def test_no_control_character_and_no_stray_byte_gets_through(text: str) -> None:
    assert escape(text).isprintable() and escape(text).isascii()
    table = TextTable()
    table.place(text)
    block = json_block(table.texts)
    assert block.isprintable() and block.isascii()


def test_nothing_in_the_data_ends_or_hides_the_script() -> None:
    block = json_block(["</script>", "<!--<script>", "a </b"])
    assert "</" not in block and "<!--" not in block
    assert json.loads(block) == ["</script>", "<!--<script>", "a </b"]


@pytest.mark.parametrize(
    ("value", "written"),
    [(None, None), (float("inf"), None), (0.123456, 0.1235), (12.0, 12), (99999.0, 100000), (0, 0)],
)
def test_numbers_have_four_digits(value: float | None, written: float | None) -> None:
    assert short_number(value) == written


def test_nothing_is_loaded_from_anywhere(examples: Report) -> None:
    text = render_html(examples)
    for tag, attributes in Page(text).elements:
        assert tag not in ("link", "iframe", "object", "embed", "base")
        assert not {"src", "href", "style", "srcset"} & attributes.keys()
    assert "url(" not in text
    assert "@import" not in text
    # the library's comment on where it is from
    assert set(re.findall(r"https?://[^\s\"<]*", text)) == {"https://github.com/leeoniya/uPlot"}


def test_the_policy_allows_what_is_there_and_nothing_else(sample_report: Report) -> None:
    text = render_html(sample_report)
    (policy,) = [m["content"] for m in Page(text).of("meta") if "http-equiv" in m]
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    counted = 0
    for kind in ("script", "style"):
        for content in re.findall(f"<{kind}>(.*?)</{kind}>", text, re.DOTALL):
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy
            counted += 1
    assert policy.count("sha256-") == counted == 5
    assert "unsafe" not in policy


def test_the_vendored_library_is_the_one_that_was_looked_at() -> None:
    folder = page.HERE / "vendor"
    lines = (folder / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert sums.keys() == {path.name for path in folder.iterdir()} - {"SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert sums["uPlot.iife.min.js"].startswith("19c8d4c6ad88929a")


def test_the_same_report_gives_the_same_bytes(examples: Report) -> None:
    assert render_html(examples) == render_html(examples)


def test_everything_that_is_known_of_a_loop_is_there(sample_report: Report) -> None:
    text = render_html(sample_report)
    said = Page(text).text + "\n" + "\n".join(data_of(text)["texts"])
    for part in (
        "src/kernels.c",
        "for i in n",
        "2 flop (1 add, 1 mul; f64), 2 loads, 1 store",
        "n = 1000000 (guessed)",
        "Every line of an array that a loop touches crosses the memory link exactly once.",
        "The arrays a, b, c do not overlap.",
        "ecm does not apply: the machine file has no core.ports",
        "inner i walks b in steps of 8000 B; order j, i is predicted 1.8x faster",
        "12 to 76",
        "roofline failed: ZeroDivisionError: division by zero",
        "the code does not compile here: while (p)",
        "the parser gave up after 60 s",
        "1 GFLOP/s",
        "32 GFLOP/s",
    ):
        assert part in said, part


def test_a_finding_has_the_numbers_of_the_verdict_alone(sample_report: Report) -> None:
    text = "\n".join(data_of(render_html(sample_report))["texts"])
    assert "9 → 5" not in text  # of one model


def test_every_loop_is_a_row_the_refused_ones_too(sample_report: Report, examples: Report) -> None:
    data = data_of(render_html(sample_report))
    # triad and spmv, and two loops refused
    assert data["loops"]["line"] == [4, 13, 20, 24]
    assert words(data, "id")[2:] == [None, None]
    kernels = {kernel.id for file in examples.files for kernel in file.kernels()}
    rows = loop_rows(examples)
    assert {copy.kernel.id for row in rows for copy in row.copies} == kernels


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
    data = data_of(render_html(report))
    ((first, code),) = data["sources"].values()
    assert (
        data["texts"][code].split("\n")[data["loops"]["line"][0] - first].startswith("  for (int")
    )
    assert "    a[i] = 2 * a[i]; // <3" in data["texts"][code]
    assert "unused" not in data["texts"][code]


def test_loops_with_the_largest_share_come_first(examples: Report) -> None:
    shares = [share or 0 for share in column(data_of(render_html(examples)), "share")]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1]


def test_the_command_writes_it(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    path = str(ROOT / "examples" / "triad.c")
    assert run(["analyze", path, "--format", "html", "-o", str(file)]) == 0
    data = data_of(file.read_text(encoding="utf-8"))
    roof, *_ = data["machines"][0]["roofs"]
    assert [name for name, _ in roof["links"]][-1] == "DRAM"
    assert all(value is not None for value in column(data, "y"))


def test_an_empty_report_is_a_page() -> None:
    from_nothing = Report("0", (), (), analyse([], Options(), load_registry()).summary)
    assert "no loop was found" in Page(render_html(from_nothing)).text


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
    assert "rooflint.render.ranked.report" in loaded
    assert not [
        name for name in loaded if name.startswith(("rooflint.render.html", "rooflint.plot"))
    ]

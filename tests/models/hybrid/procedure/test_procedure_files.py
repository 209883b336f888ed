"""Reading procedure files: what is said of a mistake, and where."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.errors import ConfigurationError, UsageError
from rooflint_plugins.models.hybrid.evaluate.evaluator import estimate
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.load import load_procedures, read_procedures, texts

EXAMPLES = sorted((Path(__file__).parents[4] / "examples" / "procedures").glob("*.yaml"))
GOOD = """\
schema: hybrid-procedure/1
name: pages
params: {n: 1000, b: 10}
let: {volume: 8*b}
ops_total: 2*n
fits: [{bytes: 2*volume, le: DMEM, why: two pages}]
kernels: {k: {ops: 2*b, perf: 1.0e+9}}
stages:
  - name: all
    iterations: n/(b*K)
    ops:
      - {kind: load, bytes: volume, id: in}
      - {kind: kernel, kernel: k, after: [in], id: run}
      - {kind: store, bytes: volume, after: [run]}
"""


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_every_example_is_read_and_called_by_its_name(file: Path) -> None:
    (procedure,) = load_procedures(file)
    assert procedure.name == file.stem
    assert all(text.place.startswith(str(file)) for text in texts(procedure))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("hybrid-procedure/1", "hybrid-procedure/2", r"p.yaml:1: schema: expected hybrid-proc"),
        ("params: {n", "parms: {n", r"p.yaml:3: unknown key 'parms'.*did you mean 'params'"),
        ("kernel: k,", "kernel: kk,", r"p.yaml:13: no kernel 'kk' under kernels, which has k"),
        (
            "{kind: load, bytes: volume, id: in}",
            "{kind: load, id: in}",
            r"p.yaml:12: .*needs bytes",
        ),
        ("kind: load", "kind: lod", r"p.yaml:12: .*expected one of load, .*did you mean 'load'"),
        ("2*n\n", "n.real\n", r"p.yaml:5: ops_total: 'n.real' is not allowed"),
        ("let: {volume", "let: {BW", r"p.yaml:4: let.BW: is a symbol of the machine"),
        ("[in]", "[out]", r"p.yaml:13: after: no operation with id 'out'"),
        ("id: in}", "id: in, after: [run]}", r"p.yaml:9: .*wait for each other: in, run"),
        ("ops_total: 2*n\n", "", r"p.yaml:1: missing key 'ops_total'"),
        ("{ops: 2*b, perf", "{opps: 2*b, perf", r"p.yaml:7: .*missing key 'ops'.*is it 'opps'"),
        ("le: DMEM", "le: [1]", r"p.yaml:6: fits.0.le: expected a number or an expression"),
    ],
)
def test_a_mistake_is_named_with_its_line(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(ConfigurationError, match=message):
        read_procedures(GOOD.replace(old, new), "p.yaml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("8*b", "8*bb", r"p.yaml:4: let.volume: unknown symbol 'bb'; did you mean 'b'"),
        ("8*b}", "-8*b}", r"p.yaml:12: .*bytes: volume is -80, expected at least 0"),
        ("1.0e+9", "9.0e+12", r"p.yaml:7: kernel 'k': 9e\+12 op/s is above the peak 1.5e\+12"),
        (", perf: 1.0e+9", "", r"p.yaml:7: kernel 'k' has no perf, isa or dev_bytes"),
        ("{kind: load,", "{kind: load, channel: mian,", r"p.yaml:12: .*no channel 'mian'.*'main'"),
        (", perf: 1.0e+9", ", isa: {alu: 1}", r"p.yaml:7: .*no pipeline 'alu' under issue"),
        ("name: pages\n", "name: pages\npad_factor: 0.5\n", r"p.yaml:3: pad_factor is 0.5"),
        ("n/(b*K)", "n/(b-10)", r"p.yaml:10: .*'n/\(b-10\)' has no value"),
    ],
)
def test_what_only_numbers_show_is_named_with_its_line(
    systems: Callable[[str], System], old: str, new: str, message: str
) -> None:
    assert old in GOOD
    (procedure,) = read_procedures(GOOD.replace(old, new, 1), "p.yaml")
    with pytest.raises(ConfigurationError, match=message):
        estimate(procedure, systems("titan-node"))


def test_unknown_values_are_refused(systems: Callable[[str], System]) -> None:
    (procedure,) = read_procedures(GOOD, "p.yaml")
    with pytest.raises(UsageError, match="no such parameter, expected one of n, b"):
        estimate(procedure, systems("titan-node"), {"blocksize": 1})
    with pytest.raises(UsageError, match="has no kernel 'kk'"):
        estimate(procedure, systems("titan-node"), {"perf.kk": 1})


def test_several_in_a_file_have_different_names() -> None:
    one = GOOD.replace("\n", "\n  ").rstrip()
    both = f"- {one}\n- {one}\n"
    with pytest.raises(ConfigurationError, match="'pages' is defined twice"):
        read_procedures(both, "p.yaml")
    found = read_procedures(both.replace("name: pages", "name: others", 1), "p.yaml")
    assert [procedure.name for procedure in found] == ["others", "pages"]

"""The model in a run: verdict against the host, classes not chosen, requests, time."""

import json
from collections.abc import Mapping
from importlib.resources import files

import jsonschema
import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import KernelReport
from rooflint.registry import load_registry
from rooflint.render.json import render_json
from rooflint_plugins.models.hybrid.procedure.load import read_procedures

TRIAD = b"""
void triad(int n, double *restrict a, const double *b, const double *c, double s)
{ for (int i = 0; i < n; i++) a[i] = b[i] + s * c[i]; }
"""
GATHER = b"""
void gather(int n, double *restrict a, const double *b, const int *idx)
{ for (int i = 0; i < n; i++) a[i] = 2.0 * b[idx[i]]; }
"""
STEPS = b"""
enum { N = 4000 };
void steps(int times, double a[N][N], double b[N][N])
{
  for (int t = 0; t < times; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] = 0.25 * (a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
}
"""


def kernels(code: bytes, machine: str, sizes: Mapping[str, int]) -> list[KernelReport]:
    options = Options(machines=(machine,), models=("hybrid",), sizes=sizes, jobs=1)
    report = analyse([Source("x.c", code)], options, load_registry(search_path=()))
    return [kernel for nest in report.files[0].functions[0].nests for kernel in nest.kernels]


def prediction(code: bytes, machine: str, **sizes: int) -> Prediction:
    (found,) = [p for k in kernels(code, machine, sizes) for p in k.results[0].predictions]
    return found


def test_triad_stays_on_the_host_of_a_pcie_node() -> None:
    found = prediction(TRIAD, "titan-node", n=100_000_000)
    data = found.data
    assert (data["class"], data["limited_by"]) == ("C4", "channel")
    assert data["g_per_s"] == pytest.approx(8 / 3)
    assert data["T_s"] == pytest.approx(0.075)
    assert data["beta"] == pytest.approx(1 / 36)
    balance = data["balance"]
    assert isinstance(balance, dict)
    assert balance["BW"] == pytest.approx(1152)
    assert balance["K"] == pytest.approx(4 / 36)
    # host: 2 sockets of 51.2 GB/s, 32 B per iteration with write-allocates: 31.25 ms
    assert data["host"] == {
        "T_s": pytest.approx(100e6 * 32 / 102.4e9),
        "cores": 16,
        "by": "by its memory bandwidth",
        "limit": "memory",
        # without the write-allocates
        "at_best_s": pytest.approx(100e6 * 24 / 102.4e9),
    }
    assert data["speedup"] == pytest.approx(31.25 / 75)
    assert data["transfer_share"] == 1
    assert found.bottleneck == "channel"
    assert "host's 16 cores are 2.4 times as fast" in found.sentence


def test_time_steps_move_to_the_coprocessors() -> None:
    found = prediction(STEPS, "titan-node", times=1000)
    assert found.data["class"] == "C2"
    speedup = found.data["speedup"]
    assert isinstance(speedup, float)
    assert speedup > 5
    # a once in and b once out: 2 * 4000**2 * 8 B / 32 GB/s = 8 ms; a step of the host moves 24 B a
    # point at 102.4 GB/s: 3.75 ms
    steps = found.data["break_even_steps"]
    assert isinstance(steps, float)
    assert 1 < steps < 4
    alternatives = found.data["alternatives"]
    assert isinstance(alternatives, list)
    assert {a["class"] for a in alternatives if isinstance(a, dict)} == {"C1", "C4"}


def test_a_class_that_does_not_fit_says_by_how_much() -> None:
    found = prediction(TRIAD, "titan-node", n=1_000_000_000)
    alternatives = found.data["alternatives"]
    assert isinstance(alternatives, list)
    single = next(a for a in alternatives if isinstance(a, dict) and a["class"] == "C1")
    assert single["T_s"] is None
    # 24 GB on a coprocessor with 6 GB
    assert "needs 24 GB, 18 GB more than the 6 GB available, 4 times the room" in str(
        single["reason"]
    )


def test_an_indirect_array_asks_for_a_sidecar_and_is_never_zero() -> None:
    (kernel,) = kernels(GATHER, "titan-node", {"n": 1000})
    assert kernel.results[0].predictions == ()
    (skipped,) = kernel.results[0].skipped
    assert not skipped.failed
    assert "b: read indirect through idx; a sidecar must give elements: {b: ...}" in skipped.reason


def test_json_follows_the_published_schema() -> None:
    options = Options(machines=("titan-node",), models=("hybrid",), sizes={"n": 10**8}, jobs=1)
    report = analyse([Source("x.c", TRIAD)], options, load_registry(search_path=()))
    document = json.loads(render_json(report))
    text = (files("rooflint.render") / "report.schema.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(document)) == []


def test_a_machine_without_coprocessors_is_skipped() -> None:
    (kernel,) = kernels(TRIAD, "snb", {"n": 1000})
    (skipped,) = kernel.results[0].skipped
    assert skipped.reason == "machine sandybridge-ep-e5-2680 has no coprocessors"


@pytest.mark.parametrize(
    "machine", ["vm7", "vm9", "cell-spe", "mi300a", "gh200", "h100-pcie-server"]
)
def test_it_answers_on_every_kind_of_machine(machine: str) -> None:
    found = prediction(STEPS, machine, times=10)
    performance = found.data["g_per_s"]
    assert isinstance(performance, float)
    assert performance > 0
    source = found.data["source"]
    assert isinstance(source, str)
    (procedure,) = read_procedures(source.replace("bind: {function: steps}\n", ""), "x.yaml")
    assert procedure.shape == found.data["class"]

import json
import math
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import Report
from rooflint.render.json import render_json, report_to_json


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    text = (files("rooflint.render") / "report.schema.json").read_text(encoding="utf-8")
    document = json.loads(text)
    Draft202012Validator.check_schema(document)
    return Draft202012Validator(document)


def result_of(document: Mapping[str, Any], kernel: int = 0) -> dict[str, Any]:
    kernels = [
        kernel
        for file in document["files"]
        for function in file["functions"]
        for nest in function["nests"]
        for kernel in nest["kernels"]
    ]
    result: dict[str, Any] = kernels[kernel]["results"][0]
    return result


def test_the_output_fits_the_published_schema(
    sample_report: Report, schema: Draft202012Validator
) -> None:
    schema.validate(json.loads(render_json(sample_report)))


def test_the_schema_has_teeth(sample_report: Report, schema: Draft202012Validator) -> None:
    document = json.loads(render_json(sample_report))
    document["files"][0]["status"] = "fine"
    result_of(document)["sizes"]["n"]["origin"] = "guess"
    result_of(document)["predictions"][0]["data"]["bound"] = "both"
    del document["summary"]["loops"]
    assert len(list(schema.iter_errors(document))) == 4


def test_every_field_of_the_contract_is_there(sample_report: Report) -> None:
    document = json.loads(render_json(sample_report))
    assert list(document)[:5] == ["schema_version", "rooflint", "machines", "files", "summary"]
    file = document["files"][0]
    assert {"path", "status", "diagnostics", "functions"} <= set(file)
    function = file["functions"][0]
    assert {"name", "line", "column", "totals", "nests"} <= set(function)
    assert function["totals"][0]["traffic"] == [
        {
            "link": "L3-MEM",
            "load_lines": 250000,
            "write_allocate_lines": 125000,
            "evict_lines": 125000,
        }
    ]
    kernel = function["nests"][0]["kernels"][0]
    assert kernel["loops"] == [{"index": "i", "line": 4, "trip_count": "n", "step": 1}]
    result = result_of(document)
    assert result["vector"] is None
    assert result["regimes"] == []
    assert result["traffic"][0]["bounds"] is None
    assert result["sizes"] == {"n": {"value": 1000000, "origin": "role"}}
    assert result["predictions"][0]["cycles_per_iteration"] == 4.0
    assert result["skipped"] == [
        {"model": "ecm", "reason": "the machine file has no core.ports", "failed": False}
    ]
    assert result_of(document, 1)["traffic"][0]["bounds"] == [12.0, 76.0]
    assert result_of(document, 1)["trips"] == [4096.0, None]
    assert document["summary"] == {
        "loops": 5,
        "analysed": 3,
        "refused": {"the code does not compile here": 2},
        "doubts": [],
        # the sample has no verdicts
        "run_s": None,
        "shown_share": 0.0,
        "not_predictable": 0,
    }


def test_what_is_not_finite_becomes_null(sample_report: Report) -> None:
    data = result_of(report_to_json(sample_report))["predictions"][0]["data"]
    assert data["levels"][0]["intensity_per_byte"] is None
    text = render_json(sample_report)
    assert "Infinity" not in text
    assert "NaN" not in text


def test_a_third_party_model_needs_no_line_here(sample_report: Report) -> None:
    file = sample_report.files[0]
    function = file.functions[0]
    nest = function.nests[0]
    kernel = nest.kernels[0]
    mine = Prediction("mine", "queue", "it waits", "3 s", math.nan, (), {"deep": [{"x": math.inf}]})
    result = kernel.results[0]._replace(predictions=(mine,))
    changed = kernel._replace(results=(result,))
    report = sample_report._replace(
        files=(
            file._replace(
                functions=(function._replace(nests=(nest._replace(kernels=(changed,)),)),)
            ),
        ),
    )
    prediction = result_of(json.loads(render_json(report)))["predictions"][0]
    assert prediction == {
        "model": "mine",
        "bottleneck": "queue",
        "sentence": "it waits",
        "headline": "3 s",
        "cycles_per_iteration": None,
        "lower_bound": False,
        "assumptions": [],
        "data": {"deep": [{"x": None}]},
    }


def test_the_same_report_gives_the_same_bytes(sample_report: Report) -> None:
    assert render_json(sample_report) == render_json(sample_report)
    work = sample_report.files[0].functions[0].nests[0].kernels[0].work
    assert list(json.loads(json.dumps(dict(work.operations)))) == ["add.f64", "mul.f64"]


def test_golden(sample_report: Report, golden: Callable[[str, str], None]) -> None:
    golden("report.json", render_json(sample_report))

"""A number that leaves out code is a lower bound, and every door says so."""

import json

import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.report import Report
from rooflint.registry import load_registry
from rooflint.render.json import render_json
from rooflint.render.phrases import cycles_words

HEAD = "#include <stdio.h>\ndouble far(int k);\n"


def report_of(body: str) -> Report:
    text = f"{HEAD}void f(int n, double *a) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    options = Options(jobs=1, cache_dir="")
    return analyse([Source("/nowhere/a.c", text.encode())], options, load_registry())


@pytest.mark.parametrize(
    "body, bound",
    [
        ("a[i] = far(i);", True),
        ("far(i);", True),
        ("a[i] = 2; asm(\"nop\");", True),
        ("a[i] = 2;", False),
        ('puts("");', False),
        ("if (a[i] < 0) { puts(\"\"); __builtin_trap(); } a[i] = 2;", False),
        ("a[(int)a[i]] = 2;", False),
    ],
)  # fmt: skip
def test_code_that_is_left_out_makes_the_number_a_lower_bound(body: str, bound: bool) -> None:
    report = report_of(body)
    (kernel,) = report.files[0].kernels()
    (prediction,) = kernel.results[0].predictions
    assert prediction.cycles_per_iteration
    assert prediction.lower_bound is bound
    assert cycles_words(prediction).startswith("≥ ") is bound
    (shown,) = json.loads(render_json(report))["files"][0]["functions"][0]["nests"]
    assert shown["kernels"][0]["results"][0]["predictions"][0]["lower_bound"] is bound

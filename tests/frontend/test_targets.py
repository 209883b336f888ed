"""Where functions run, by the attributes of CUDA and HIP; what lint and report make of it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.options import Language
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import ExecutionTarget

LOOP = """{
  float s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += a[j * n + i]; a[0] = s;
}""".replace("\n", "")
"""On one line: where it has a finding, the line says which function it is in."""
DEVICE_CODE = f"""
struct Table {{
  __device__ void method(float *a, int n) const {LOOP}
}};
template <class T> __global__ void pattern(T *a, int n) {LOOP}
template <class T> __device__ void helper(T *a, int n) {LOOP}
namespace inner {{ __device__ __noinline__ void nested(float *a, int n) {LOOP} }}
__host__ __device__ void both(float *a, int n) {LOOP}
__global__ void launched(float *a, int n) {{
  Table().method(a, n);
  helper<float>(a, n);
  for (int i = 0; i < n; i++) a[i * n] *= 2;
}}
__host__ void stated(float *a, int n) {LOOP}
void plain(float *a, int n) {LOOP}
"""
TARGETS: dict[str, ExecutionTarget] = {
    "Table::method": "device",
    "pattern": "kernel",
    "helper": "device",
    "inner::nested": "device",
    "both": "host",
    "launched": "kernel",
    "stated": "host",
    "plain": "host",
}


def targets(text: str, language: Language) -> dict[str, ExecutionTarget]:
    unit = extract(Request("/nowhere/a.cu", Flags(language), text.encode()))
    return {f.function.name.partition("(")[0]: f.function.target for f in unit.functions}


@pytest.mark.parametrize(
    ("language", "include"),
    [
        ("cuda", ""),
        ("hip", "#include <hip/hip_runtime.h>\n"),
        # what hipcc compiles is plain C++ where no command is known
        ("c++", "#include <hip/hip_runtime.h>\n"),
        ("c++", "#include <cuda_runtime.h>\n"),
    ],
)
def test_attributes_say_where_a_function_runs(language: Language, include: str) -> None:
    assert targets(include + DEVICE_CODE, language) == TARGETS


def test_opencl_c_has_nothing_for_the_host() -> None:
    text = "__kernel void s(__global float *a, int n) { for (int i = 0; i < n; i++) a[i] *= 2; }"
    assert targets(text, "cl") == {"s": "device"}


@pytest.mark.parametrize("language", ["c", "c++"])
def test_other_code_runs_on_the_host(language: Language) -> None:
    text = (
        "__attribute__((noinline)) void f(float *a, int n) { for (int i = 0; i < n; i++) a[i]++; }"
    )
    assert targets(text, language) == {"f": "host"}


def run(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "rooflint", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.long
def test_no_rule_speaks_about_device_code(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(DEVICE_CODE)
    host = {
        number
        for number, line in enumerate(DEVICE_CODE.splitlines(), 1)
        if line.startswith(("__host__", "void"))
    }
    for options in ((), ("--structural",), ("--preview", "--min-gain", "1.01")):
        said = run(tmp_path, "lint", "a.cu", "--format", "gcc", "--ignore", "RL0", *options)
        lines = {int(line.split(":")[1]) for line in said.splitlines() if line.startswith("a.cu:")}
        # the host's loops have findings: the others have none for another reason than thresholds
        assert lines == host
    skipped = run(tmp_path, "lint", "a.cu", "--format", "gcc", "--show-skipped")
    assert "launched runs on a device: rules and models describe the cores of the host" in skipped


@pytest.mark.parametrize("models", [(), ("ecm",), ("ceilings",), ("bounds",)])
def test_no_model_predicts_a_time_of_device_code(tmp_path: Path, models: tuple[str, ...]) -> None:
    (tmp_path / "a.cu").write_text(
        f"__global__ void launched(float *a, int n) {LOOP}\nvoid plain(float *a, int n) {LOOP}\n"
    )
    chosen = [option for model in models for option in ("--model", model)]
    text = run(tmp_path, "analyze", "a.cu", *chosen)
    launched, _, plain = text.partition("a.cu:2 plain, loop j: ")
    assert "a.cu:1 launched, loop j: not predicted" in launched
    reason = (
        "Not predicted: the function runs on a device, and the model describes cores of the host"
    )
    assert reason in " ".join(launched.split())
    assert re.search(r"[0-9.]+ (cy|GFLOP)", plain)
